"""One ladder over several games: the mean of a bot's ratings, for the bots that are finitely rated in every game."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from arena.ratings.ladder import Ladder, LadderRow


@dataclass(frozen=True, slots=True)
class OverallRow:
    """One bot over all games.

    Attributes:
        rank: 1-based; None for a bot that is not finitely rated in every game.
        name: the bot.
        elo: mean of its re-centred ratings; None when unranked.
        error: 95 % half width, the root of the summed squares over the number of games; None when unranked.
        by_game: its re-centred rating in each game, None where it has no finite one, in the order of the ladders.
        points: sum over the games.
        games: sum over the games.
    """

    rank: int | None
    name: str
    elo: float | None
    error: float | None
    by_game: tuple[float | None, ...]
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Overall:
    """The rows, ranked ones first, and what a reader must know with them."""

    rows: tuple[OverallRow, ...]
    notes: tuple[str, ...]


def overall_ladder(ladders: Mapping[str, Ladder]) -> Overall:
    """Return the overall ladder.

    Each game's ladder is re-centred on the bots that are finitely rated in all of them: without a bound, with an error
    (or as anchor), and in the largest group. The games count alike: error² = sum of error_m² / m² over the m games.

    Args:
        ladders: by the name of the game.

    Raises:
        ValueError: without any ladder.
    """
    if not ladders:
        raise ValueError("an overall ladder needs at least one game")
    tables = [{row.name: row for row in ladder.rows} for ladder in ladders.values()]
    names = sorted(set().union(*tables))
    ranked = [name for name in names if all(name in table and _is_finite(table[name]) for table in tables)]
    centres = [math.fsum(table[name].elo for name in ranked) / len(ranked) if ranked else 0.0 for table in tables]
    rows = [_row(name, tables, centres, name in ranked) for name in names]
    rows.sort(key=lambda row: (row.elo is None, -(row.elo or 0.0), row.name))
    placed = tuple(
        OverallRow(place if row.elo is not None else None, *_rest(row)) for place, row in enumerate(rows, start=1)
    )
    return Overall(placed, _notes(list(ladders), names, ranked))


def _is_finite(row: LadderRow) -> bool:
    return not row.bound and row.group == 1 and (row.error is not None or row.is_anchor)


def _row(name: str, tables: list[dict[str, LadderRow]], centres: list[float], is_ranked: bool) -> OverallRow:
    played = [table[name] for table in tables if name in table]
    by_game = tuple(
        table[name].elo - centre + 0.0 if name in table and _is_finite(table[name]) else None
        for table, centre in zip(tables, centres, strict=True)
    )
    elo = math.fsum(value for value in by_game if value is not None) / len(tables) + 0.0
    error = math.sqrt(math.fsum((row.error or 0.0) ** 2 for row in played)) / len(tables)
    return OverallRow(
        rank=None,
        name=name,
        elo=elo if is_ranked else None,
        error=error if is_ranked else None,
        by_game=by_game,
        points=math.fsum(row.points for row in played),
        games=sum(row.games for row in played),
    )


def _rest(row: OverallRow) -> tuple[str, float | None, float | None, tuple[float | None, ...], float, int]:
    return row.name, row.elo, row.error, row.by_game, row.points, row.games


def _notes(games: list[str], names: list[str], ranked: list[str]) -> tuple[str, ...]:
    notes = [f"Overall: mean of the ratings in {len(games)} games, each centred on the {len(ranked)} bots ranked here."]
    left_out = [name for name in names if name not in ranked]
    if left_out:
        notes.append(f"Not finitely rated in every game, so not ranked: {', '.join(left_out)}.")
    return tuple(notes)
