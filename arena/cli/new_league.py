"""``arena new-league``: a league file to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import tell
from arena.league.badge import has_badge
from arena.league.new_league import write_league


@click.command("new-league")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def new_league(file: Path) -> None:
    """Write a commented league to FILE, with the bots in folders below it and those that come with the arena.

    Bots without a badge of 'arena check' play, too, unless the file is given require_check = true; they are named.

    \b
    Example:
        arena new-league spring.toml
    """
    found = write_league(file)
    playing = [item for item in found if not item.problem]
    click.echo(
        f"wrote {file}: {len(playing)} bot{'' if len(playing) == 1 else 's'} found near it, and the bundled ones"
    )
    for item in found:
        if item.problem:
            tell(f"left out: {item.path}: {item.problem}")
    unchecked = [item.path for item in playing if item.bot is not None and not has_badge(item.bot)]
    if unchecked:
        tell(f"without a badge: {', '.join(unchecked)}; 'arena check BOT' finds what would lose games, and gives one")
    click.echo(f"next   arena run-league {file} --dry-run")
