"""``arena publish``: the secret of a finished league in the open, so that anybody can verify it."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import find_results, tell
from arena.errors import UsageError
from arena.league.folder import OPEN_SECRET, ResultsFolder


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--unfinished", is_flag=True, help="Also when games are left; they can then never be played.")
def publish(results: Path, unfinished: bool) -> None:
    """Put the secret of the league of RESULTS in the open; it takes no new games from then on.

    With the folder alone anybody can then deal every game again: 'arena verify' does. Printed are the secret, what it
    was committed to before the first game, and the digest of all games.

    \b
    Example:
        arena publish results/demo
    """
    with ResultsFolder.open(find_results(results)) as folder, folder.open_store() as store:
        left = int(store.meta().get("planned", "0")) - store.counts().stored
        if left > 0 and not unfinished:
            raise UsageError(
                f"{results}: {left} games are still to be played; play them first, or give them up with --unfinished"
            )
        secret = folder.publish(store)
        committed, digest = store.meta()["commitment"], store.digest()
    click.echo(f"secret           {secret}   from which every deal follows")
    click.echo(f"its SHA-256      {committed}   as it was printed before the first game and stands in every record")
    click.echo(f"digest of games  {digest}   which changes with any of their records")
    tell(f"written: {results / OPEN_SECRET}; anybody with this folder can now run 'arena verify {results}'")
