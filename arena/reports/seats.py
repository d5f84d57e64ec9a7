"""What each bot makes of each seat, and of who sits before it: mean share of the place points."""

from __future__ import annotations

from collections.abc import Mapping

from arena.ratings.crosstable import SeatShare, neighbour_table, seat_table
from arena.reports.rated import Rated
from arena.reports.rows import Cell, Column, Rows, percent

SEAT_LEGEND = "Cells: mean share of the place points in that seat, % (100 always first, 0 always last), and games."
NEIGHBOUR_LEGEND = (
    "Cells: mean share of the place points when that bot sits one seat before (and acts just before), %, and games."
)


def seat_rows(rated: Rated) -> Rows:
    """Return one row a bot, table size and seat, unrounded."""
    columns = (
        Column("name", "bot"),
        Column("table", "seats"),
        Column("seat", "seat"),
        Column("games", "games"),
        Column("points_percent", "%", 1),
    )
    rows = tuple(
        {
            "name": share.name,
            "table": share.table,
            "seat": share.seat,
            "games": share.games,
            "points_percent": percent(share.points),
        }
        for share in _in_order(rated)
    )
    return Rows(columns, rows)


def seat_matrix(rated: Rated) -> Rows:
    """Return one row a bot and one column a seat, for people."""
    found = {(row["name"], row["table"], row["seat"]): row for row in seat_rows(rated).rows}
    seats = sorted({(share.table, share.seat) for share in seat_table(rated.results)})
    is_mixed = len({table for table, _ in seats}) > 1
    columns = tuple(
        Column(f"{table}/{seat}", f"seat {seat} of {table}" if is_mixed else f"seat {seat}") for table, seat in seats
    )
    rows = tuple(
        {"name": name}
        | {
            column.key: _text(found.get((name, table, seat)))
            for column, (table, seat) in zip(columns, seats, strict=True)
        }
        for name in rated.names
    )
    return Rows((Column("name", "bot"), *columns), rows)


def neighbour_rows(rated: Rated) -> Rows:
    """Return one row a bot and bot before it, unrounded; empty at tables of two."""
    columns = (
        Column("name", "bot"),
        Column("before", "before it"),
        Column("games", "games"),
        Column("points_percent", "%", 1),
    )
    place = {name: index for index, name in enumerate(rated.names)}
    found = sorted(neighbour_table(rated.results), key=lambda row: (place[row.name], place[row.before]))
    rows = tuple(
        {"name": row.name, "before": row.before, "games": row.games, "points_percent": percent(row.points)}
        for row in found
    )
    return Rows(columns, rows)


def neighbour_matrix(rated: Rated) -> Rows:
    """Return one row a bot and one column for each bot before it, for people."""
    found = {(row["name"], row["before"]): row for row in neighbour_rows(rated).rows}
    if not found:
        return Rows((Column("name", "bot"),), ())
    columns = (Column("name", "bot"), *(Column(f"after {name}", f"after {name}") for name in rated.names))
    rows = tuple(
        {"name": name} | {f"after {before}": _text(found.get((name, before))) for before in rated.names}
        for name in rated.names
    )
    return Rows(columns, rows)


def _in_order(rated: Rated) -> list[SeatShare]:
    place = {name: index for index, name in enumerate(rated.names)}
    return sorted(seat_table(rated.results), key=lambda share: (place[share.name], share.table, share.seat))


def _text(row: Mapping[str, Cell] | None) -> str:
    return "" if row is None else f"{row['points_percent']:.1f} ({row['games']})"
