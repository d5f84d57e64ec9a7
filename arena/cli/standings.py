"""``arena standings``: the ladders of a results folder in any format, as they are or as they would be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from arena import __version__
from arena.cli.out import find_results
from arena.cli.report import Block, emit, section_blocks, section_options, sections_asked, write
from arena.errors import UsageError, nearest
from arena.reports.integrity import full_report, integrity_notes
from arena.reports.league import LeagueStandings, Standing, league_standings
from arena.reports.what_if import WhatIf
from arena.reports.writers import json_text
from arena.storage.store import Store


@click.command()
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.option("--game", help="Only the ladder of this [[game]].")
@click.option("--integrity", is_flag=True, help="Only what speaks against independent bots; reads the records.")
@section_options
@click.option(
    "--what-if",
    "what_if",
    multiple=True,
    metavar="exclude=BOT,...",
    help="Rate again without some bots: games at whose tables they sat are left out.",
)
@click.option("--since", type=click.IntRange(0), help="Rate deals from this number on (games have no dates).")
@click.option("--until", type=click.IntRange(0), help="Rate deals up to this number.")
@click.option("--no-forfeits", is_flag=True, help="Rate without the games in which a bot lost by fault.")
def standings(
    results: Path | None,
    game: str | None,
    integrity: bool,
    form: str,
    as_json: bool,
    out: Path | None,
    wide: bool,
    what_if: tuple[str, ...],
    since: int | None,
    until: int | None,
    no_forfeits: bool,
    **flags: bool,
) -> None:
    """Print the standings of RESULTS (default: the results written last); also while the league runs.

    --crosstable and the like print that table in place of the ladder (with --json beside it), --full all of them.

    \b
    Example:
        arena standings results/demo --crosstable
        arena standings results/demo --format html --out demo.html
        arena standings results/demo --what-if exclude=random --no-forfeits
    """
    form = "json" if as_json else form
    changes = WhatIf.parse(what_if, since, until, no_forfeits)
    with Store.open(find_results(results) / "league.db") as store:
        found = _only(league_standings(store, changes), game)
        notes = full_report(store, found) if integrity else integrity_notes(store, found)
    if integrity:
        write(json_text({"schema": 1, "notes": notes}) if form == "json" else "".join(f"{x}\n" for x in notes), out)
        return
    sections = sections_asked(flags, form)
    if form == "json":
        write(json_text(found.document(sections)), out)
        return
    ladders = flags["full"] or not any(flags.values())
    title = f"Standings of {found.progress.league}"
    emit(title, league_blocks(found, sections, ladders=ladders), [*warned(notes), foot(found)], form, out, wide=wide)


def league_blocks(found: LeagueStandings, sections: Sequence[str], *, ladders: bool = True) -> list[Block]:
    """Return the ladders of a league, each followed by the tables asked for, and the overall ladder."""
    blocks = []
    league = found.progress.league
    for standing in found.games:
        title = f"{league}: {standing.name}"
        if ladders:
            blocks.append(_ladder(title, standing))
        if standing.rated is not None:
            blocks += section_blocks(title, standing.rated, sections)
    if found.overall is not None and ladders:
        blocks.append(Block(f"{league}: overall", found.overall, found.overall, found.overall_notes))
    return blocks


def warned(notes: Iterable[str]) -> list[str]:
    """Return integrity notes as they stand under standings."""
    return [f"integrity: {note}" for note in notes]


def foot(found: LeagueStandings) -> str:
    """Return the last line: how far the league is, and what fixes these numbers."""
    progress = found.progress
    return (
        f"{progress.stored} of {progress.planned} games, {progress.void} void; "
        f"digest {progress.digest[:16]}; sandbox {progress.sandbox or 'unknown'}; arena {__version__}"
    )


def _ladder(title: str, standing: Standing) -> Block:
    empty = "" if standing.rows.rows else " (nothing to rate yet)"
    waiting = (
        [f"{standing.waiting} games wait for the rest of their blocks and are not rated yet."]
        if standing.waiting
        else []
    )
    return Block(title + empty, standing.rows, standing.rows, (*waiting, *standing.notes))


def _only(found: LeagueStandings, game: str | None) -> LeagueStandings:
    """Return the standings of one game, or all of them.

    Raises:
        UsageError: for a game that the league does not play.
    """
    if game is None:
        return found
    names = [standing.name for standing in found.games]
    if game not in names:
        raise UsageError(
            f"--game {game}: no such game in this league{nearest(game, names)} (games: {', '.join(names)})"
        )
    chosen = tuple(standing for standing in found.games if standing.name == game)
    return LeagueStandings(found.progress, chosen, None, ())
