"""Player by player: points, games and rating differences; seats; and who sat to whose left, at larger tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.ratings.fit import Fit
from arena.ratings.ladder import difference_matrix
from arena.ratings.pairwise import score_matrix
from arena.ratings.results import Results, Table
from arena.ratings.tally import table_points
from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class Cell:
    """One player against another.

    Attributes:
        points: 1 for every comparison ahead, 1/2 for every level one.
        games: comparisons.
        difference: rating of the row minus that of the column, Elo; None between groups that never met.
        error: its 95 % half width; None likewise.
        is_significant: whether the difference exceeds its error (one pair at a time).
    """

    points: float
    games: int
    difference: float | None
    error: float | None
    is_significant: bool


def crosstable(results: Results, fitted: Fit, order: tuple[str, ...]) -> tuple[tuple[Cell | None, ...], ...]:
    """Return the cells by row and column in the order of names given; the diagonal is None.

    Raises:
        ValueError: if a name is unknown.
    """
    index = [results.names.index(name) for name in order]
    points, games = score_matrix(results)
    difference, error = difference_matrix(fitted)
    same = fitted.groups.weak[:, None] == fitted.groups.weak[None, :]
    return tuple(
        tuple(
            None
            if row == column
            else Cell(
                points=float(points[row, column]),
                games=int(games[row, column]),
                difference=float(difference[row, column]) if same[row, column] else None,
                error=float(error[row, column]) if same[row, column] else None,
                is_significant=bool(abs(difference[row, column]) > error[row, column]),
            )
            for column in index
        )
        for row in index
    )


@dataclass(frozen=True, slots=True)
class SeatShare:
    """What one player made of one seat.

    Attributes:
        name: the player.
        table: seats at the table.
        seat: from 1.
        games: games there.
        points: mean share of the place points there: 1 always first, 0 always last.
    """

    name: str
    table: int
    seat: int
    games: int
    points: float


def seat_table(results: Results) -> tuple[SeatShare, ...]:
    """Return every player's mean points in every seat it has had, by table size, name and seat."""
    rows = []
    for table in results.tables():
        games, points = _sums(table, table.player, len(results.names))
        for player, seat in zip(*np.nonzero(games), strict=True):
            mean = float(points[player, seat] / games[player, seat])
            rows.append(SeatShare(results.names[player], table.seats, int(seat) + 1, int(games[player, seat]), mean))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What one player made of sitting right after another (who acts just before it).

    Attributes:
        name: the player.
        before: who sat in the seat before.
        games: games so seated.
        points: mean share of the place points in them.
    """

    name: str
    before: str
    games: int
    points: float


def neighbour_table(results: Results) -> tuple[Neighbour, ...]:
    """Return every player's mean points by who sat in the seat before, at tables of 3 and more."""
    players = len(results.names)
    games, points = np.zeros((players, players), dtype=np.int64), np.zeros((players, players))
    for table in results.tables():
        if table.seats >= 3:
            key = (table.player * players + np.roll(table.player, 1, axis=1)).ravel()
            games += np.bincount(key, minlength=players**2).reshape(players, players)
            value = table_points(table, "normalised").ravel()
            points += np.bincount(key, value, players**2).reshape(players, players)
    return tuple(
        Neighbour(
            results.names[player],
            results.names[before],
            int(games[player, before]),
            float(points[player, before] / games[player, before]),
        )
        for player, before in zip(*np.nonzero(games), strict=True)
    )


def _sums(table: Table, player: Ints, players: int) -> tuple[Ints, Floats]:
    """Return games and normalised points by player and seat, shape (players, seats) each."""
    key = (player * table.seats + np.arange(table.seats)).ravel()
    size = players * table.seats
    games = np.bincount(key, minlength=size).reshape(players, table.seats)
    points = np.bincount(key, table_points(table, "normalised").ravel(), size)
    return games, points.reshape(players, table.seats).astype(np.float64)
