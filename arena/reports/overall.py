"""The ladder over several games, as rows: ranked bots first, then those that are not finitely rated in every game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arena.ratings.overall import Overall, OverallRow
from arena.reports.rows import Cell, Column, Rows, number

BY_GAME = "elo_"
"""Prefix of the columns that hold the rating in one game."""


def overall_standings(
    overall: Overall, games: Sequence[str], versions: Mapping[str, str], faults: Mapping[str, int]
) -> Rows:
    """Return the overall ladder with the columns of a single one, and the rating in each game.

    Args:
        overall: of ``arena.ratings.overall``.
        games: names of the ``[[game]]`` tables, in the order of the ladders it was made of.
        versions: version by name.
        faults: faults in all games by name; absent is none.
    """
    columns = (
        Column("rank", "#"),
        Column("name", "bot"),
        Column("version", "version"),
        Column("bound", ""),
        Column("elo", "Elo", 1, signed=True),
        Column("error", "+/-", 1),
        *(Column(BY_GAME + game, game, 1, signed=True) for game in games),
        Column("points", "points", 1),
        Column("games", "games"),
        Column("faults", "faults"),
    )
    return Rows(columns, tuple(_row(row, games, versions, faults) for row in overall.rows))


def fault_totals(tables: Iterable[Rows]) -> dict[str, int]:
    """Return faults by bot, added up over the standings of several games."""
    totals: dict[str, int] = {}
    for table in tables:
        for row in table.rows:
            name, faults = str(row["name"]), row["faults"]
            totals[name] = totals.get(name, 0) + (faults if isinstance(faults, int) else 0)
    return totals


def _row(
    row: OverallRow, games: Sequence[str], versions: Mapping[str, str], faults: Mapping[str, int]
) -> dict[str, Cell]:
    return {
        "rank": row.rank,
        "name": row.name,
        "version": versions.get(row.name, ""),
        "bound": "",
        "elo": number(row.elo),
        "error": number(row.error),
        **{BY_GAME + game: number(elo) for game, elo in zip(games, row.by_game, strict=True)},
        "points": number(row.points),
        "games": row.games,
        "faults": faults.get(row.name, 0),
    }
