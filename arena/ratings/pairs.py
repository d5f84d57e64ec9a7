"""Two-seat games, counted by ordered pair of players: the fast path of the fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.ratings.blocks import Scores
from arena.ratings.groups import comparable_places, is_compared
from arena.ratings.layout import Edges, Layout
from arena.ratings.models import Counts, Curves, TwoSeatModel
from arena.ratings.results import Table
from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class PairBlock:
    """Counts of wins, ties and losses of the first seat.

    Attributes:
        model: the likelihood of one game.
        first: player in seat 1 of each ordered pair, shape (pairs,).
        second: player in seat 2, shape (pairs,).
        count: games won by the first, tied, won by the second.
        game: numbers of the games with a comparison, shape (games,).
        player: their players by seat, shape (games, 2).
        pair: their ordered pair, shape (games,).
        outcome: 0, 1, 2 = first wins, tie, second wins, shape (games,).
    """

    model: TwoSeatModel
    first: Ints
    second: Ints
    count: Counts
    game: Ints
    player: Ints
    pair: Ints
    outcome: Ints

    def _difference(self, params: Floats, layout: Layout) -> Floats:
        effect = layout.seat_effects(params, 2)
        return np.asarray(params[self.first] - params[self.second] + (effect[0] - effect[1]))

    def _curves(self, params: Floats, layout: Layout) -> Curves:
        tie = float(params[-1]) if layout.has_tie else 0.0
        return self.model.curves(self._difference(params, layout), tie)

    def has_both_seatings(self) -> bool:
        """Return whether some two players met both ways round, which tells the seats from the strengths."""
        players = int(max(self.first.max(initial=0), self.second.max(initial=0))) + 1
        met = np.zeros((players, players), dtype=np.bool_)
        met[self.first, self.second] = True
        return bool((met & met.T).any())

    def evaluate(self, params: Floats, layout: Layout, information: Floats) -> tuple[float, Floats]:
        """Add the information to the matrix given; return the log-likelihood and its gradient, shape (parameters,)."""
        tie = float(params[-1]) if layout.has_tie else 0.0
        sums = self.model.sums(self._difference(params, layout), tie, self.count)
        n = layout.players
        gradient = np.zeros(layout.size)
        gradient[:n] = np.bincount(self.first, sums.d, n) - np.bincount(self.second, sums.d, n)
        columns = layout.seat_columns(2)
        if len(columns):
            gradient[columns] = sums.d.sum(), -sums.d.sum()
        self._add_squares(-sums.dd, layout, information)
        if sums.t is not None and sums.dt is not None and sums.tt is not None:
            gradient[-1] = sums.t.sum()
            self._add_tie(-sums.dt, -float(sums.tt.sum()), layout, information)
        return sums.value, gradient

    def squared_scores(self, params: Floats, layout: Layout, total: Floats) -> None:
        """Add the sum of squared scores of single games to the matrix given."""
        tie = float(params[-1]) if layout.has_tie else 0.0
        d = self._difference(params, layout)
        self._add_squares(self.model.squares(d, tie, self.count), layout, total)
        if layout.has_tie:
            curves = self.model.curves(d, tie)
            assert curves.t is not None
            mixed = (self.count.outcome * curves.d * curves.t).sum(axis=0)
            self._add_tie(mixed, float((self.count.outcome * curves.t**2).sum()), layout, total)

    def scores(self, params: Floats, layout: Layout) -> Scores:
        """Return the score of every game that compares somebody, by seat."""
        curves = self._curves(params, layout)
        place = self.outcome * len(self.first) + self.pair
        value = np.empty((len(place), 2))
        value[:, 0] = curves.d.ravel()[place]
        np.negative(value[:, 0], out=value[:, 1])
        return Scores(
            game=self.game,
            player=self.player,
            seat=layout.seat_columns(2) if 2 in layout.seat_start else None,
            value=value,
            tie=None if curves.t is None else curves.t.ravel()[place],
        )

    def _add_squares(self, weight: Floats, layout: Layout, matrix: Floats) -> None:
        """Add weight (e_first - e_second + e_seat1 - e_seat2)(same)' for every pair."""
        Edges(self.first, self.second, weight).add_to(matrix, layout)
        columns = layout.seat_columns(2)
        if len(columns):
            one, two = columns
            n = layout.players
            cross = np.bincount(self.first, weight, n) - np.bincount(self.second, weight, n)
            for column, sign in ((one, 1.0), (two, -1.0)):
                matrix[:n, column] += sign * cross
                matrix[column, :n] += sign * cross
            matrix[np.ix_(columns, columns)] += weight.sum() * np.array([[1.0, -1.0], [-1.0, 1.0]])

    def _add_tie(self, mixed: Floats, own: float, layout: Layout, matrix: Floats) -> None:
        """Add the tie parameter's row and column."""
        n = layout.players
        row = np.zeros(layout.size)
        row[:n] = np.bincount(self.first, mixed, n) - np.bincount(self.second, mixed, n)
        columns = layout.seat_columns(2)
        if len(columns):
            row[columns] = mixed.sum(), -mixed.sum()
        row[-1] = own / 2
        matrix[-1] += row
        matrix[:, -1] += row


def count_pairs(table: Table, players: int, model: TwoSeatModel) -> PairBlock:
    """Return the counts of the two-seat games; games that compare nobody are left out.

    Args:
        table: the games with two seats.
        players: number of players.
        model: the likelihood of one game.
    """
    place = comparable_places(table)
    one, two = np.ascontiguousarray(place[:, 0]), np.ascontiguousarray(place[:, 1])
    # 0 is behind every place: -1 mod 2**64 is the largest number.
    behind_one, behind_two = (one - 1).view(np.uint64), (two - 1).view(np.uint64)
    outcome = 1 + (behind_one > behind_two).astype(np.int64) - (behind_one < behind_two)
    key = table.player[:, 0] * players + table.player[:, 1]
    game, player = table.games, table.player
    compared = is_compared(table)
    if not compared.all():
        key, outcome, game, player = key[compared], outcome[compared], game[compared], player[compared]
    size = players * players
    counts = np.bincount(outcome * size + key, minlength=3 * size).reshape(3, size)
    used = np.flatnonzero(counts[0] + counts[1] + counts[2])
    number = np.zeros(size, dtype=np.int64)
    number[used] = np.arange(len(used))
    return PairBlock(
        model=model,
        first=used // players,
        second=used % players,
        count=Counts.of(counts[:, used].astype(np.float64)),
        game=game,
        player=player,
        pair=number[key],
        outcome=outcome,
    )
