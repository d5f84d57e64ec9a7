"""The crosstable: each bot against each other, in the order of points, with tie-breaks TB1 to TB3.

A cell is ``points/games difference ±error``: points 1 for finishing ahead and 1/2 for a shared place over the games in
which the two are compared, and the difference of their ratings in Elo with its 95 % half width, which knows that games
of one deal share their luck. A star marks a difference that exceeds its error.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.ratings.crosstable import Cell as Meeting
from arena.ratings.crosstable import crosstable as cells
from arena.ratings.tiebreaks import DEFAULT_ORDER, LEGEND, StandingsRow
from arena.ratings.tiebreaks import standings as by_points
from arena.reports.rated import Rated
from arena.reports.rows import Cell, Column, Rows, number, percent

AGAINST = "vs "
"""Prefix of the columns of opponents."""
_TB = tuple(Column(f"tb{place}", f"TB{place}", 1) for place in range(1, len(DEFAULT_ORDER) + 1))


def crosstable(rated: Rated) -> Rows:
    """Return the table for people: a row and a column a bot."""
    order = by_points(rated.results)
    names = tuple(row.name for row in order)
    found = cells(rated.results, rated.ladder.fit, names)
    columns = (
        Column("rank", "#"),
        Column("name", "bot"),
        Column("points", "points", 1),
        Column("games", "games"),
        *(Column(AGAINST + name, name) for name in names),
        *_TB,
    )
    rows = tuple(
        _standing(row) | {AGAINST + name: _text(cell) for name, cell in zip(names, line, strict=True)}
        for row, line in zip(order, found, strict=True)
    )
    return Rows(columns, rows)


def crosstable_pairs(rated: Rated) -> Rows:
    """Return the same numbers one pair a row, for CSV and JSON, unrounded; the row's standing is repeated."""
    order = {row.name: row for row in by_points(rated.results)}
    columns = (
        Column("rank", "#"),
        Column("name", "bot"),
        Column("opponent", "opponent"),
        *_PAIR_COLUMNS,
        Column("total_points", "total", 1),
        Column("total_games", "games"),
        *_TB,
    )
    rows = []
    for row in _pairs(rated, tuple(order)):
        standing = _standing(order[str(row["name"])])
        total = {"total_points": standing["points"], "total_games": standing["games"]}
        rows.append(standing | row | total)
    return Rows(columns, tuple(rows))


def crosstable_legend() -> tuple[str, ...]:
    """Return what cells and tie-breaks mean."""
    return (
        "Cells: points/games against that bot, then the rating difference in Elo ± its 95 % half width; "
        "*: the difference exceeds it. Rank: by points.",
        *(f"TB{place}: {LEGEND[rule]} ({rule})." for place, rule in enumerate(DEFAULT_ORDER, start=1)),
    )


_PAIR_COLUMNS = (
    Column("points", "points", 1),
    Column("games", "games"),
    Column("share_percent", "share %", 1),
    Column("difference", "difference", 1, signed=True),
    Column("error", "+/-", 1),
    Column("significant", "significant"),
    Column("los_percent", "LOS %", 1),
)


def pair_rows(rated: Rated) -> Rows:
    """Return every ordered pair in the order of the ladder: points, difference with its error, LOS; unrounded."""
    columns = (Column("name", "bot"), Column("opponent", "opponent"), *_PAIR_COLUMNS)
    return Rows(columns, tuple(_pairs(rated, rated.names)))


def matrix(rated: Rated) -> Rows:
    """Return the rating differences for people, row minus column, each with its 95 % half width."""
    return _square(rated, {(row["name"], row["opponent"]): _difference(row) for row in _pairs(rated, rated.names)})


def los_matrix(rated: Rated) -> Rows:
    """Return the probabilities in percent that row is better than column, for people."""
    shown = {
        (row["name"], row["opponent"]): "" if row["los_percent"] is None else f"{row['los_percent']:.1f}"
        for row in _pairs(rated, rated.names)
    }
    return _square(rated, shown)


def _square(rated: Rated, text: dict[tuple[Cell, Cell], str]) -> Rows:
    columns = (Column("name", "bot"), *(Column(AGAINST + name, name) for name in rated.names))
    rows = tuple(
        {"name": name} | {AGAINST + other: text.get((name, other), "") for other in rated.names} for name in rated.names
    )
    return Rows(columns, rows)


def _pairs(rated: Rated, names: tuple[str, ...]) -> Iterator[dict[str, Cell]]:
    los = rated.ladder.fit.los()
    place = {name: index for index, name in enumerate(rated.results.names)}
    for name, line in zip(names, cells(rated.results, rated.ladder.fit, names), strict=True):
        for other, cell in zip(names, line, strict=True):
            if cell is not None:
                known = cell.difference is not None
                yield {
                    "name": name,
                    "opponent": other,
                    "points": number(cell.points),
                    "games": cell.games,
                    "share_percent": percent(cell.points / cell.games if cell.games else None),
                    "difference": number(cell.difference),
                    "error": number(cell.error),
                    "significant": int(cell.is_significant),
                    "los_percent": percent(float(los[place[name], place[other]])) if known else None,
                }


def _standing(row: StandingsRow) -> dict[str, Cell]:
    tie_breaks = {column.key: number(value) for column, value in zip(_TB, row.values, strict=True)}
    return {"rank": row.rank, "name": row.name, "points": number(row.points), "games": row.games, **tie_breaks}


def _text(cell: Meeting | None) -> str:
    if cell is None:
        return ""
    score = f"{cell.points:g}/{cell.games}"
    if cell.difference is None or cell.error is None:
        return score
    star = "*" if cell.is_significant else ""
    return f"{score} {cell.difference:+.0f} ±{cell.error:.0f}{star}"


def _difference(row: dict[str, Cell]) -> str:
    if row["difference"] is None:
        return ""
    return f"{row['difference']:+.1f} ±{row['error']:.1f}{'*' if row['significant'] else ''}"
