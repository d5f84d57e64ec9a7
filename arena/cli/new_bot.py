"""``arena new-bot``: from nothing to a bot that plays."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import tell
from arena.games import game_ids
from arena.league.starters import language_of, languages, make_bot, next_commands


@click.command("new-bot")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--lang", "language", required=True, help=f"The language: {', '.join(languages())}.")
@click.option("--game", metavar="ID", help="The game it is for: shows what its seat sees, as comments in the file.")
def new_bot(folder: Path, language: str, game: str | None) -> None:
    """Make a bot in the new folder DIR, called as the folder: any legal action in every game, ready to run.

    \b
    Example:
        arena new-bot hello --lang python --game no_thanks
    """
    made = make_bot(folder, language_of(language), game)
    file, line = made.edit
    click.echo(f"made {folder}/: {', '.join(made.files)}")
    click.echo(f"edit   {folder / file}:{line}   here it chooses its action")
    check, play = next_commands(folder, game or game_ids()[0])
    click.echo(f"next   {check}")
    click.echo(f"then   {play}")
    if missing := made.toolchain.missing():
        tell(f"not in PATH: {', '.join(missing)}; before the next step install {made.toolchain.install}")
