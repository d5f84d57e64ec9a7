"""Games of three and more seats: Plackett-Luce with ties as the average over all orders of the tied seats.

Seats are put in finishing order, so that all games of one *pattern* (sizes of the tied groups, number of unranked
seats) share the same terms. A tied group T with the set R behind it gives

    sum over T of u  -  sum over r = 1..|T| of the mean, over the r-subsets S of T, of log(sum of e^u over S and R).

Unranked and retired seats are in R of every group and give no term of their own. For two seats this is the half win.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from arena.ratings.blocks import Scores
from arena.ratings.groups import comparable_places
from arena.ratings.layout import Edges, Layout
from arena.ratings.results import Table
from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class Pattern:
    """The terms that all games with these tied groups share, positions in finishing order.

    Attributes:
        linear: factor of u by position, shape (k,).
        mask: positions inside the logarithm of each term, shape (terms, k).
        weight: weight of each term, shape (terms,).
        pairs: the position pairs a < b, shape (k (k - 1) / 2, 2).
        both: terms that hold both positions of a pair, shape (terms, pairs).
    """

    linear: Floats
    mask: Floats
    weight: Floats
    pairs: Ints
    both: Floats


def make_pattern(groups: tuple[int, ...], behind: int) -> Pattern:
    """Return the terms for tied groups of these sizes, best first, and a number of unranked or retired seats."""
    seats = sum(groups) + behind
    linear = np.zeros(seats)
    terms: dict[tuple[int, ...], float] = {}
    start = 0
    for size in groups:
        tied, rest = range(start, start + size), tuple(range(start + size, seats))
        linear[list(tied)] = 1.0
        for taken in range(1, size + 1):
            for subset in combinations(tied, taken):
                terms[subset + rest] = 1.0 / math.comb(size, taken)
        start += size
    for alone in [term for term in terms if len(term) == 1]:
        linear[alone[0]] -= terms.pop(alone)  # log e^u = u
    mask = np.zeros((len(terms), seats))
    for row, term in enumerate(terms):
        mask[row, list(term)] = 1.0
    pairs = np.array(list(combinations(range(seats), 2)), dtype=np.int64)
    both = mask[:, pairs[:, 0]] * mask[:, pairs[:, 1]]
    return Pattern(linear, mask, np.array(list(terms.values())), pairs, both)


@dataclass(frozen=True, slots=True)
class OrderBlock:
    """Distinct outcomes of one pattern, seats in finishing order.

    Attributes:
        pattern: the terms.
        player: player numbers by finishing position, shape (outcomes, k).
        seat: seat from 0 by finishing position, shape (outcomes, k).
        count: games with this outcome, shape (outcomes,).
        game: numbers of the games, shape (games,).
        row: their outcome, shape (games,).
    """

    pattern: Pattern
    player: Ints
    seat: Ints
    count: Floats
    game: Ints
    row: Ints

    def _utilities(self, params: Floats, layout: Layout) -> Floats:
        effect = layout.seat_effects(params, self.player.shape[1])
        utility = params[self.player] + effect[self.seat]
        utility -= utility.max(axis=1, keepdims=True)  # the likelihood sees differences only
        return np.asarray(utility)

    def _seat_columns(self, layout: Layout) -> Ints | None:
        start = layout.seat_start.get(self.player.shape[1])
        return None if start is None else self.seat + start

    def evaluate(self, params: Floats, layout: Layout, information: Floats) -> tuple[float, Floats]:
        """Add the information to the matrix given; return the log-likelihood and its gradient, shape (parameters,)."""
        utility = self._utilities(params, layout)
        power = np.exp(utility)
        total = power @ self.pattern.mask.T
        share = self.pattern.weight / total
        gradient = self.pattern.linear - power * (share @ self.pattern.mask)
        a, b = self.pattern.pairs.T
        weight = (share / total) @ self.pattern.both
        weight *= power[:, a] * power[:, b] * self.count[:, None]
        self._edges(weight, layout).add_to(information, layout)
        value = self.count @ (utility @ self.pattern.linear - np.log(total) @ self.pattern.weight)
        return float(value), self._gradient(gradient * self.count[:, None], layout)

    def _slopes(self, params: Floats, layout: Layout) -> Floats:
        """Return the derivative of every distinct outcome by finishing position, shape (outcomes, k)."""
        power = np.exp(self._utilities(params, layout))
        share = self.pattern.weight / (power @ self.pattern.mask.T)
        return np.asarray(self.pattern.linear - power * (share @ self.pattern.mask))

    def scores(self, params: Floats, layout: Layout) -> Scores:
        """Return the score of every game by finishing position."""
        columns = self._seat_columns(layout)
        return Scores(
            game=self.game,
            player=self.player[self.row],
            seat=None if columns is None else columns[self.row],
            value=self._slopes(params, layout)[self.row],
        )

    def squared_scores(self, params: Floats, layout: Layout, total: Floats) -> None:
        """Add the sum of squared scores of single games: a zero-sum vector's square is made of position pairs."""
        value = self._slopes(params, layout)
        a, b = self.pattern.pairs.T
        self._edges(-value[:, a] * value[:, b] * self.count[:, None], layout).add_to(total, layout)

    def _edges(self, weight: Floats, layout: Layout) -> Edges:
        a, b = self.pattern.pairs.T
        columns = self._seat_columns(layout)
        seats = (None, None) if columns is None else (columns[:, a].ravel(), columns[:, b].ravel())
        return Edges(self.player[:, a].ravel(), self.player[:, b].ravel(), weight.ravel(), *seats)

    def _gradient(self, value: Floats, layout: Layout) -> Floats:
        gradient: Floats = np.bincount(self.player.ravel(), value.ravel(), layout.size).astype(np.float64)
        columns = self._seat_columns(layout)
        if columns is not None:
            gradient += np.bincount(columns.ravel(), value.ravel(), layout.size)
        return gradient


def count_orders(table: Table) -> list[OrderBlock]:
    """Return the games of one table size as blocks of one pattern each; games that compare nobody are left out."""
    place = comparable_places(table)
    sort_key = np.where(place == 0, np.iinfo(np.int64).max, place)
    # Ties are put in the order of the players, so that equal outcomes become equal rows whatever the seats.
    order = np.lexsort((table.player, sort_key), axis=1)
    place = np.take_along_axis(place, order, axis=1)
    player = np.take_along_axis(table.player, order, axis=1)
    pattern_code = _pattern_codes(place)
    blocks = []
    for code in np.unique(pattern_code):
        games = np.flatnonzero(pattern_code == code)
        groups, behind = _groups_of(place[games[0]])
        if groups and (sum(groups) + behind > 1):
            blocks.append(_count(player[games], order[games], table.games[games], make_pattern(groups, behind)))
    return blocks


def _pattern_codes(place: Ints) -> Ints:
    """Return one number per game that tells where a new place begins and where the unranked seats begin."""
    fresh = place[:, 1:] != place[:, :-1]
    ranked = (place > 0).sum(axis=1)
    bits: Ints = (fresh << np.arange(fresh.shape[1])).sum(axis=1)
    return np.asarray(bits * (place.shape[1] + 1) + ranked)


def _groups_of(place: Ints) -> tuple[tuple[int, ...], int]:
    ranked = place[place > 0]
    _, sizes = np.unique(ranked, return_counts=True)
    return tuple(int(size) for size in sizes), int((place == 0).sum())


def _count(player: Ints, seat: Ints, games: Ints, pattern: Pattern) -> OrderBlock:
    columns = np.concatenate([player, seat], axis=1)
    first, row = distinct_rows(columns)
    count = np.bincount(row, minlength=len(first)).astype(np.float64)
    return OrderBlock(pattern, player[first], seat[first], count, games, row)


def distinct_rows(columns: Ints) -> tuple[Ints, Ints]:
    """Return the first game of each distinct row, and the row number of every game.

    Args:
        columns: numbers from 0, shape (games, m).
    """
    key = np.zeros(len(columns), dtype=np.int64)
    room = 1
    for column in columns.T:
        base = int(column.max()) + 1 if len(column) else 1
        if room * base >= 1 << 62:
            _, key = np.unique(key, return_inverse=True)
            room = int(key.max()) + 1
        key = key * base + column
        room *= base
    _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int64), row.astype(np.int64)
