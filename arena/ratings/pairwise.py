"""Tables of more than two seats taken apart into pairs: who finished ahead of whom, game by game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.ratings.groups import comparable_places
from arena.ratings.results import Results
from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every compared pair of seats of every game; all columns have the shape (comparisons,).

    Attributes:
        game: game number.
        seats: table size.
        one: the player with the smaller number.
        two: the other player.
        one_seat: seat of ``one``, from 0.
        two_seat: seat of ``two``.
        score: of ``one``: 1 ahead, 1/2 level, 0 behind.
    """

    game: Ints
    seats: Ints
    one: Ints
    two: Ints
    one_seat: Ints
    two_seat: Ints
    score: Floats


def comparisons(results: Results) -> Comparisons:
    """Return the pairs of all games; two unranked or two retired seats are not a comparison."""
    columns: list[tuple[Ints, ...]] = [tuple(np.zeros(0, dtype=np.int64) for _ in range(7))]
    for table in results.tables():
        place = comparable_places(table)
        last = np.where(place == 0, np.iinfo(np.int64).max, place)
        for a in range(table.seats):
            for b in range(a + 1, table.seats):
                met = (place[:, a] > 0) | (place[:, b] > 0)
                twice = 1 + np.sign(last[met, b] - last[met, a])
                first, second = table.player[met, a], table.player[met, b]
                flip = first > second
                size = np.full(len(first), table.seats)
                columns.append(
                    (
                        table.games[met],
                        size,
                        np.where(flip, second, first),
                        np.where(flip, first, second),
                        np.where(flip, b, a) + 0 * size,
                        np.where(flip, a, b) + 0 * size,
                        np.where(flip, 2 - twice, twice),
                    )
                )
    game, seats, one, two, one_seat, two_seat, twice = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return Comparisons(game, seats, one, two, one_seat, two_seat, twice / 2.0)


def score_matrix(results: Results) -> tuple[Floats, Ints]:
    """Return points of row against column (ahead 1, level 1/2) and comparisons, shape (players, players) each."""
    players = len(results.names)
    pairs = comparisons(results)
    size = players * players
    key = pairs.one * players + pairs.two
    points = np.bincount(key, pairs.score, size).reshape(players, players)
    count = np.bincount(key, minlength=size).reshape(players, players)
    return points + (count - points).T, count + count.T


def as_two_seat_results(results: Results) -> tuple[Results, Ints]:
    """Return every comparison as a two-seat game, and the game that each came from."""
    pairs = comparisons(results)
    twice = np.rint(2 * pairs.score).astype(np.int64)
    rank = np.stack([np.where(twice == 0, 2, 1), np.where(twice == 2, 2, 1)], axis=1)
    player = np.stack([pairs.one, pairs.two], axis=1)
    return Results.from_arrays(results.names, player, rank), pairs.game
