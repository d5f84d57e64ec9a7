"""What each player did, counted: points, wins, places, seats, opponents. No model, no fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena.ratings.groups import comparable_places
from arena.ratings.results import Results, Table
from arena.ratings.units import Bools, Floats, Ints

PointsName = Literal["place", "normalised", "winner"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts by player; every array has the shape (players,) unless said.

    Attributes:
        games: games played.
        points: in the scheme asked for.
        wins: games won alone.
        ties: games in which first place was shared.
        losses: the other games.
        win_share: wins plus the shares of shared first places.
        retired: games lost by fault.
        mean_place: mean of the places, shared places averaged; unranked and retired seats share the places left over.
        first_seat: games in seat 1.
        place_count: games ended in each place (shared places count their best), shape (players, largest table).
        meetings: games in which two players sat at one table, shape (players, players).
        table_games: games by table size.
    """

    games: Ints
    points: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    win_share: Floats
    retired: Ints
    mean_place: Floats
    first_seat: Ints
    place_count: Ints
    meetings: Ints
    table_games: dict[int, Ints]


def tally(results: Results, points: PointsName = "place") -> Tally:
    """Return the counts of all players.

    Args:
        results: the games.
        points: ``place`` gives k-1 for the first of k down to 0 for the last, averaged over ties (two seats: 1, 1/2,
            0); ``normalised`` divides that by k-1; ``winner`` gives 1 to the first, shared when tied. Retired seats
            get 0.
    """
    players = len(results.names)
    widest = max((table.seats for table in results.tables()), default=2)
    by_player = _Adder(players)
    place_count = np.zeros((players, widest), dtype=np.int64)
    meetings = np.zeros((players, players), dtype=np.int64)
    table_games: dict[int, Ints] = {}
    for table in results.tables():
        shared = average_places(table)
        first, sharing = _first_place(table)
        by_player.add("points", table, table_points(table, points))
        by_player.add("wins", table, first & (sharing == 1))
        by_player.add("ties", table, first & (sharing > 1))
        by_player.add("win_share", table, first / sharing)
        by_player.add("retired", table, table.retired)
        by_player.add("place", table, shared)
        by_player.add("first_seat", table, np.arange(table.seats) == 0)
        table_games[table.seats] = by_player.add("games", table, True)
        key = table.player * widest + _best_places(table) - 1
        place_count += np.bincount(key.ravel(), minlength=players * widest).reshape(players, widest)
        meetings += _meetings(table, players)
    games = by_player.whole("games")
    wins, ties = by_player.whole("wins"), by_player.whole("ties")
    return Tally(
        games=games,
        points=by_player.get("points"),
        wins=wins,
        ties=ties,
        losses=games - wins - ties,
        win_share=by_player.get("win_share"),
        retired=by_player.whole("retired"),
        mean_place=by_player.get("place") / np.maximum(games, 1),
        first_seat=by_player.whole("first_seat"),
        place_count=place_count,
        meetings=meetings,
        table_games=table_games,
    )


def average_places(table: Table) -> Floats:
    """Return places with ties averaged, shape (games, k); seats without a comparison share the places left over."""
    behind = _sort_key(table)
    ahead = (behind[:, None, :] < behind[:, :, None]).sum(axis=2)
    level = (behind[:, None, :] == behind[:, :, None]).sum(axis=2)
    return np.asarray(ahead + (level + 1) / 2)


def table_points(table: Table, points: PointsName) -> Floats:
    """Return the points of every seat, shape (games, k).

    Raises:
        ValueError: if the scheme is unknown.
    """
    if points == "winner":
        first, sharing = _first_place(table)
        return np.asarray(first / sharing)
    if points not in ("place", "normalised"):
        raise ValueError(f"points {points!r}: accepted are place, normalised, winner")
    value = np.where(table.retired, 0.0, table.seats - average_places(table))
    return value / (table.seats - 1) if points == "normalised" else value


def _sort_key(table: Table) -> Ints:
    """Return ranked places, then all unranked seats level, then all retired seats level."""
    last = np.iinfo(np.int64).max
    place = comparable_places(table)
    return np.where(table.retired, last, np.where(place == 0, last - 1, place))


def _best_places(table: Table) -> Ints:
    behind = _sort_key(table)
    return np.asarray(1 + (behind[:, None, :] < behind[:, :, None]).sum(axis=2))


def _first_place(table: Table) -> tuple[Bools, Ints]:
    """Return which seats hold the first place, and among how many it is shared (at least 1)."""
    first = (_best_places(table) == 1) & (comparable_places(table) > 0)
    return first, np.maximum(first.sum(axis=1, keepdims=True), 1)


def _meetings(table: Table, players: int) -> Ints:
    total = np.zeros(players * players, dtype=np.int64)
    for a in range(table.seats):
        for b in range(a + 1, table.seats):
            total += np.bincount(table.player[:, a] * players + table.player[:, b], minlength=players * players)
    one_way = total.reshape(players, players)
    return one_way + one_way.T


class _Adder:
    """Sums by player under names."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.sums: dict[str, Floats] = {}

    def add(self, name: str, table: Table, value: Floats | Bools | bool) -> Ints:
        """Add a value per seat and return the whole-number sums of this call."""
        weight = np.broadcast_to(np.asarray(value, dtype=np.float64), table.player.shape)
        fresh = np.bincount(table.player.ravel(), weight.ravel(), self.players)
        self.sums[name] = self.get(name) + fresh
        return np.rint(fresh).astype(np.int64)

    def get(self, name: str) -> Floats:
        """Return the sums under a name, zeros at first."""
        return self.sums.get(name, np.zeros(self.players))

    def whole(self, name: str) -> Ints:
        """Return the sums under a name as whole numbers."""
        return np.rint(self.get(name)).astype(np.int64)
