"""``arena verify``: everything that is stored of a league, worked out again from its secret."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import click

from arena.cli.main import EXIT_FAILED
from arena.cli.out import find_results, tell
from arena.errors import RecordError
from arena.league.folder import DATABASE, read_secret
from arena.league.verify import Verifier
from arena.reports.differences import differences
from arena.reports.league import league_standings
from arena.reports.writers import json_text
from arena.storage.reader import Reader
from arena.storage.store import Store

PROGRESS_S = 2.0
SHOWN = 20


@click.command()
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def verify(results: Path | None, as_json: bool) -> None:
    """Check RESULTS (default: those written last) against the league's secret.

    Every game is dealt again and replayed, and what is stored about it compared; digest and standings are worked out
    again. Exit status 1 names each game that does not fit and why. Of a published league the folder is enough.

    \b
    Example:
        arena verify results/demo
    """
    folder = find_results(results)
    secret = read_secret(folder)
    with Store.open(folder / DATABASE) as store:
        counts, planned = store.counts(), int(store.meta().get("planned", "0"))
        problems = list(_problems(folder, store, secret))
        digest = store.digest()
    if as_json:
        listed = [{"game": game, "problem": words} for game, words in problems]
        click.echo(json_text({"schema": 1, "games": counts.stored, "digest": digest, "problems": listed}), nl=False)
    else:
        _print(problems)
    if problems:
        sys.exit(EXIT_FAILED)
    if not as_json:
        click.echo(f"all fits: {counts.stored} of {planned} games dealt again and replayed; digest {digest}")


def _print(problems: list[tuple[str, str]]) -> None:
    for game, words in problems[:SHOWN]:
        click.echo(f"game {game}: {words}" if game else words)
    if len(problems) > SHOWN:
        click.echo(f"and {len(problems) - SHOWN} more")


def _problems(folder: Path, store: Reader, secret: bytes) -> Iterator[tuple[str, str]]:
    """Yield (game, what does not fit); the game is "" for what concerns the league."""
    try:
        verifier = Verifier(store, secret)
    except RecordError as error:
        yield "", str(error)
        return
    stored, told = store.counts().stored, monotonic()
    for number, checked in enumerate(verifier.games(), start=1):
        if checked.problem:
            yield checked.game_id, checked.problem
        if monotonic() - told > PROGRESS_S:
            told = monotonic()
            tell(f"{number} of {stored} games checked")
    if verifier.digest() != store.digest():
        yield "", "the digest of the games is not that of the records: some have no game, or could not be read"
    yield from (("", words) for words in _standings_problems(folder, store))


def _standings_problems(folder: Path, store: Reader) -> Iterator[str]:
    """Yield in what ``standings.json`` differs from the standings of what is stored."""
    try:
        written = json.loads((folder / "standings.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        tell("no standings.json here: the standings cannot be compared with what was published")
        return
    except (OSError, ValueError) as error:
        yield f"standings.json: cannot be read: {error}"
        return
    found = json.loads(json_text(league_standings(store).document()))
    yield from (f"standings.json: {words}" for words in differences(_numbers(written), _numbers(found)))


def _numbers(document: Any) -> Any:
    """Return standings without the lines under the ladders: another version of the arena may word them otherwise."""
    if not isinstance(document, dict) or not isinstance(document.get("ladders"), list):
        return document
    ladders = [
        {key: value for key, value in ladder.items() if key != "notes"} if isinstance(ladder, dict) else ladder
        for ladder in document["ladders"]
    ]
    return {**document, "ladders": ladders}
