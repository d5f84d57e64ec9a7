"""Do 95 % intervals hold the truth 95 % of the time? Simulated, seeded; the full size is behind ``-m soak``.

What is covered is what an endless run of the same league would show. With luck of the deal that is less spread out than
the strengths that were put in, so the truth is there the fit of one very long run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from arena.ratings.fit import fit
from arena.ratings.prior import Prior
from arena.ratings.results import Results
from arena.ratings.units import ELO_PER_NAT, Floats
from tests.ratings.simulate import STRENGTH, TwoSeatPlan, plackett_luce, rotated_deals

League = Callable[[np.random.Generator, int], Results]
"""Draws a league; the number multiplies its deals."""


def independent(seats: int) -> League:
    """Return leagues of 200 independent games at tables of one size."""
    return lambda stream, size: plackett_luce(stream, 200 * size, seats)


LEAGUES: dict[str, League] = {
    "200 games, 3 seats": independent(3),
    "200 games, 4 seats": independent(4),
    "200 games, 5 seats": independent(5),
    "200 games, 7 seats": independent(7),
    "60 deals in 4 rotations, luck 1.5 nat": lambda stream, size: rotated_deals(stream, 60 * size, 4, luck_nats=1.5),
    "two seats, half the games tied": lambda stream, size: TwoSeatPlan(8 * size, ties=0.5, swapped=False).play(stream),
    "two seats, deals swapped, luck 350": lambda stream, size: TwoSeatPlan(12 * size, luck_elo=350).play(stream),
    "the same 40 deals for all, suiting some": lambda stream, size: TwoSeatPlan(
        40 * size, luck_elo=200, style_elo=200, shared=True
    ).play(stream),
}
SHARED = "the same 40 deals for all, suiting some"


WITHOUT_LUCK = ("200 games", "two seats, half")
"""Leagues without luck of the deal: the strengths that were put in are what an endless run would show."""
LONG_RUN = 100


@cache
def truth(name: str) -> Floats:
    """Return the ratings of an endless run: known, or those of one that is a hundred times as long."""
    if name.startswith(WITHOUT_LUCK):
        return STRENGTH * ELO_PER_NAT
    results = LEAGUES[name](np.random.default_rng(99), LONG_RUN)
    return fit(results, prior=Prior("none", 0.0), errors="model").elo


def coverage(name: str, rounds: int) -> tuple[float, float]:
    """Return the share of rating differences inside their intervals, and mean error over true scatter."""
    expected = truth(name)
    a, b = np.triu_indices(len(expected), 1)
    inside, errors, misses = [], [], []
    for seed in range(rounds):
        fitted = fit(LEAGUES[name](np.random.default_rng(seed), 1))
        miss = (fitted.elo[a] - fitted.elo[b]) - (expected[a] - expected[b])
        sd = fitted.difference_sd()[a, b]
        inside.append(np.abs(miss) <= fitted.quantile * sd)
        errors.append(sd)
        misses.append(miss)
    scatter = np.sqrt(np.mean(np.square(misses), axis=0))
    return float(np.mean(inside)), float(np.mean(np.mean(errors, axis=0) / scatter))


@pytest.mark.parametrize("name", LEAGUES)
def test_coverage_of_differences(name: str) -> None:
    """Protects the errors: 100 leagues, three standard errors of the simulation wider than the full-size bounds."""
    share, ratio = coverage(name, 100)
    assert 0.91 < share < 0.985
    assert 0.88 < ratio < 1.12


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", LEAGUES)
def test_coverage_of_differences_in_full(name: str) -> None:
    """Protects the errors at full size: 93 to 97 % over 1,000 leagues, 92 to 98 % where few deals are shared by all."""
    share, ratio = coverage(name, 1000)
    low, high = (0.92, 0.98) if name == SHARED else (0.93, 0.97)
    assert low < share < high
    assert 0.93 < ratio < 1.07


def test_ignoring_the_deal_is_wrong() -> None:
    """Protects the reason for clustering: by game, errors miss the luck that rotations cancel."""
    results = LEAGUES["60 deals in 4 rotations, luck 1.5 nat"](np.random.default_rng(1), 10)
    by_game = fit(results, cluster_by="game").difference_sd()
    by_deal = fit(results).difference_sd()
    assert 1.2 < float(np.mean(by_game[by_game > 0] / by_deal[by_deal > 0])) < 1.6
