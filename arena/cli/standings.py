"""``arena standings``: the ladders of a results folder in any format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from arena.cli.out import find_results, print_integrity, print_standings, tell
from arena.errors import UsageError, nearest
from arena.reports.crosstable import crosstable, meetings, pair_rows
from arena.reports.integrity import full_report, integrity_notes
from arena.reports.league import LeagueStandings, Standing, league_standings
from arena.reports.rows import Rows
from arena.reports.writers import WRITERS, json_text
from arena.storage.store import Store

FORMATS = ("table", "csv", "json", "md")


@click.command()
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.option("--crosstable", "cross", is_flag=True, help="Bot against bot: share of points with its 95 % interval.")
@click.option("--game", help="Only the ladder of this [[game]].")
@click.option("--integrity", is_flag=True, help="Only what speaks against independent bots; reads the records.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to a file instead of stdout.")
def standings(
    results: Path | None, cross: bool, game: str | None, integrity: bool, form: str, as_json: bool, out: Path | None
) -> None:
    r"""Print the standings of RESULTS (default: the results written last); also while the league runs.

    \b
    Example:
        arena standings results/demo --crosstable
        arena standings results/demo --format csv --out demo.csv
    """
    with Store.open(find_results(results) / "league.db") as store:
        found = league_standings(store)
        notes = full_report(store, found) if integrity else integrity_notes(store, found)
    chosen = _chosen(found, game)
    form = "json" if as_json else form
    if form == "table" and out is None and not cross and not integrity:
        print_standings(found if game is None else _only(found, chosen))
        print_integrity(notes)
        return
    if integrity:
        text = json_text({"schema": 1, "notes": notes}) if form == "json" else "".join(f"{line}\n" for line in notes)
        _put(text, out)
        return
    text = _crosstables(chosen, form) if cross else _ladders(found, chosen, form, game)
    _put(text, out)


def _put(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from error
    tell(f"written: {out}")


def _chosen(found: LeagueStandings, game: str | None) -> tuple[Standing, ...]:
    names = [standing.name for standing in found.games]
    if game is not None and game not in names:
        raise UsageError(
            f"--game {game}: no such game in this league{nearest(game, names)} (games: {', '.join(names)})"
        )
    return tuple(standing for standing in found.games if game in (None, standing.name))


def _only(found: LeagueStandings, chosen: tuple[Standing, ...]) -> LeagueStandings:
    return LeagueStandings(found.progress, chosen, None, ())


def _ladders(found: LeagueStandings, chosen: Sequence[Standing], form: str, game: str | None) -> str:
    if form == "json":
        return json_text((found if game is None else _only(found, tuple(chosen))).document())
    tables = [(standing.name, standing.rows) for standing in chosen]
    if found.overall is not None and game is None:
        tables.append(("overall", found.overall))
    return _texts(tables, form)


def _crosstables(chosen: Iterable[Standing], form: str) -> str:
    people = form in ("table", "md")
    tables = []
    for standing in chosen:
        names = [str(row["name"]) for row in standing.rows.rows]
        found = meetings(standing.played)
        tables.append((standing.name, crosstable(names, found) if people else pair_rows(names, found)))
    if form == "json":
        return json_text({name: [dict(row) for row in rows.rows] for name, rows in tables})
    return _texts(tables, form)


def _texts(tables: Sequence[tuple[str, Rows]], form: str) -> str:
    """Return tables one after the other, each under its name when there are several and people read them."""
    if len(tables) == 1:
        return WRITERS[form](tables[0][1])
    heads = {"csv": "# {}\n", "md": "\n### {}\n\n", "table": "\n{}\n"}
    return "".join(heads[form].format(name) + WRITERS[form](rows) for name, rows in tables)
