"""Who can be compared with whom: connected groups of players, and results that go one way only.

An edge runs from i to j when i finished not behind j in some game (a tie gives both directions). Weak components share
no game and make separate ladders; strong components inside a weak one are held apart by one-way results, where maximum
likelihood has no finite answer and the prior decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arena.ratings.results import Results, Table
from arena.ratings.units import Bools, Ints


@dataclass(frozen=True, slots=True)
class Groups:
    """Components of the comparison graph.

    Attributes:
        weak: group number by player, largest group first, shape (players,).
        strong: strong component by player, shape (players,).
        weak_count: number of groups.
        strong_count: number of strong components.
        bound: ``">"``, ``"<"`` or ``""`` by player: which way the rating is open.
    """

    weak: Ints
    strong: Ints
    weak_count: int
    strong_count: int
    bound: tuple[str, ...]

    def members(self, group: int) -> Ints:
        """Return the player numbers of one weak group."""
        return np.flatnonzero(self.weak == group)

    def is_one_way(self, group: int) -> bool:
        """Return whether one-way results split this group, so that only a prior fixes its ratings."""
        return len(np.unique(self.strong[self.weak == group])) > 1


def find_groups(results: Results) -> Groups:
    """Return the weak and strong components of the players and the players whose rating is open to one side."""
    players = len(results.names)
    source, target = comparison_edges(results)
    graph = csr_array((np.ones(len(source)), (source, target)), shape=(players, players))
    weak_count, weak_label = connected_components(graph, directed=True, connection="weak")
    strong_count, strong_label = connected_components(graph, directed=True, connection="strong")
    weak = _largest_first(weak_label.astype(np.int64), weak_count)
    strong = strong_label.astype(np.int64)
    bound = _bounds(source, target, weak, strong, strong_count)
    return Groups(weak, strong, int(weak_count), int(strong_count), bound)


def comparison_edges(results: Results) -> tuple[Ints, Ints]:
    """Return the distinct pairs (i, j) such that i finished not behind j in some game, as two columns."""
    players = len(results.names)
    seen = np.zeros(players * players, dtype=np.bool_)
    for table in results.tables():
        place = comparable_places(table)
        for a in range(table.seats):
            for b in range(table.seats):
                if a != b:
                    ahead = (place[:, a] > 0) & ((place[:, b] == 0) | (place[:, a] <= place[:, b]))
                    seen[(table.player[:, a] * players + table.player[:, b])[ahead]] = True
    key = np.flatnonzero(seen)
    return key // players, key % players


def comparable_places(table: Table) -> Ints:
    """Return the places with 0 for seats that are compared with ranked seats only (unranked, retired)."""
    return np.where(table.retired, 0, table.rank) if table.retired.any() else table.rank


def is_compared(table: Table) -> Bools:
    """Return which games compare anybody: those with a ranked seat, shape (games,)."""
    place = comparable_places(table)
    found: Bools = place[:, 0] > 0
    for seat in range(1, table.seats):  # a loop over seats is faster than any(axis=1) over many games
        found = found | (place[:, seat] > 0)
    return found


def _largest_first(weak: Ints, count: int) -> Ints:
    size = np.bincount(weak, minlength=count)
    first = np.full(count, len(weak))
    np.minimum.at(first, weak, np.arange(len(weak)))
    order = np.lexsort((first, -size))
    number = np.empty(count, dtype=np.int64)
    number[order] = np.arange(count)
    return number[weak]


def _bounds(source: Ints, target: Ints, weak: Ints, strong: Ints, strong_count: int) -> tuple[str, ...]:
    """Return each player's open side, seen from the largest strong component of its group.

    In a group without any two players that are compared both ways, only those who were never behind or never ahead get
    a mark. Between components of equal size the lower one is the reference, so that the upper shows ``>``.
    """
    across = strong[source] != strong[target]
    up, down = strong[source[across]], strong[target[across]]
    size = np.bincount(strong, minlength=strong_count)
    has_won = np.isin(np.arange(strong_count), up)
    has_lost = np.isin(np.arange(strong_count), down)
    mark = np.where(has_won & ~has_lost, ">", np.where(has_lost & ~has_won, "<", ""))
    for group in range(int(weak.max()) + 1 if len(weak) else 0):
        parts = np.unique(strong[weak == group])
        largest = parts[size[parts] == size[parts].max()]
        if len(parts) == 1 or size[largest[0]] == 1:
            continue
        main = largest[0]
        if len(largest) > 1:
            main = max(largest, key=lambda part: int(_reach(part, down, up, strong_count).sum()))
        above = _reach(main, down, up, strong_count)
        below = _reach(main, up, down, strong_count)
        mark[parts] = np.where(above[parts], ">", np.where(below[parts], "<", mark[parts]))
        mark[main] = ""
    return tuple(str(word) for word in mark[strong])


def _reach(start: int, source: Ints, target: Ints, count: int) -> Bools:
    """Return which components can be reached from ``start`` along the edges, itself included."""
    seen = np.zeros(count, dtype=np.bool_)
    seen[start] = True
    while True:
        fresh = np.zeros(count, dtype=np.bool_)
        fresh[target[seen[source]]] = True
        if not (fresh & ~seen).any():
            return seen
        seen |= fresh
