"""Simulated leagues for coverage tests: what is drawn is written in the arguments, and the seed decides all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.ratings.results import Results
from arena.ratings.units import ELO_PER_NAT, Floats, Ints

PLAYERS = 8
STRENGTH = np.array([-1.0, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 1.0]) * 0.6
"""True strengths in nats, mean 0: 208 Elo between the ends."""
NAMES = tuple(f"P{number}" for number in range(1, PLAYERS + 1))


def plackett_luce(stream: np.random.Generator, games: int, seats: int) -> Results:
    """Return independent games of random line-ups."""
    player = np.argsort(stream.random((games, PLAYERS)), axis=1)[:, :seats]
    return Results.from_arrays(NAMES, player, _ranks(stream, STRENGTH[player]))


def rotated_deals(stream: np.random.Generator, deals: int, seats: int, luck_nats: float) -> Results:
    """Return deals of random line-ups, each played in all rotations; every deal helps some seats."""
    line_up = np.argsort(stream.random((deals, PLAYERS)), axis=1)[:, :seats]
    luck = stream.normal(0.0, luck_nats, (deals, seats))
    player = np.concatenate([np.roll(line_up, turn, axis=1) for turn in range(seats)])
    rank = _ranks(stream, STRENGTH[player] + np.tile(luck, (seats, 1)))
    return Results.from_arrays(NAMES, player, rank, deal=np.tile(np.arange(deals), seats))


def _ranks(stream: np.random.Generator, utility: Floats) -> Ints:
    """Return Plackett-Luce places: the order of utilities with Gumbel noise."""
    drawn = utility + stream.gumbel(size=utility.shape)
    return np.argsort(np.argsort(-drawn, axis=1), axis=1) + 1


@dataclass(frozen=True)
class TwoSeatPlan:
    """A round-robin of two-seat games.

    Attributes:
        deals: deals per pair; each is played twice with seats swapped when ``swapped``, else once with a random seat.
        ties: D in P(tie) = 4 D p (1 - p).
        luck_elo: standard deviation of what a deal is worth to seat 1.
        style_elo: standard deviation of how a deal suits a player, alike for all its games of that deal.
        shared: whether all pairs play the same deals.
        swapped: whether each deal is played both ways round.
    """

    deals: int
    ties: float = 0.0
    luck_elo: float = 0.0
    style_elo: float = 0.0
    shared: bool = False
    swapped: bool = True

    def play(self, stream: np.random.Generator) -> Results:
        """Return the games."""
        low, high = np.triu_indices(PLAYERS, 1)
        pairs = len(low)
        deal = np.arange(self.deals * pairs).reshape(self.deals, pairs)
        if self.shared:
            deal = np.broadcast_to(np.arange(self.deals)[:, None], deal.shape)
        first, second = np.tile(low, (self.deals, 1)), np.tile(high, (self.deals, 1))
        flip = stream.random(first.shape) < 0.5
        first, second = np.where(flip, second, first), np.where(flip, first, second)
        luck = stream.normal(0.0, 1.0, self.deals * pairs)[deal] * self.luck_elo / ELO_PER_NAT
        suits = stream.normal(0.0, 1.0, (self.deals, PLAYERS)) * self.style_elo / ELO_PER_NAT
        row = np.arange(self.deals)[:, None]
        games = [(first, second)] + ([(second, first)] if self.swapped else [])
        player, rank, deals = [], [], []
        for one, two in games:
            gap = STRENGTH[one] - STRENGTH[two] + suits[row, one] - suits[row, two] + luck
            player.append(np.stack([one.ravel(), two.ravel()], axis=1))
            rank.append(self._outcome(stream, gap.ravel()))
            deals.append(deal.ravel())
        given = np.concatenate(deals) if self.shared or self.swapped else None
        return Results.from_arrays(NAMES, np.concatenate(player), np.concatenate(rank), deal=given)

    def _outcome(self, stream: np.random.Generator, gap: Floats) -> Ints:
        p = 1 / (1 + np.exp(-gap))
        tied = 4 * self.ties * p * (1 - p)
        drawn = stream.random(len(p))
        win = drawn < p - tied / 2
        tie = ~win & (drawn < p + tied / 2)
        return np.where(tie[:, None], [1, 1], np.where(win[:, None], [1, 2], [2, 1]))
