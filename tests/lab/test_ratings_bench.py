"""The bench of the ratings measures what it says, in turn, and judges parts of limits."""

from __future__ import annotations

import numpy as np

from arena.lab.ratings_bench import MEMORY_MB, POOLS, Pool, PoolTime, draw, measure, verdicts

SMALL = Pool(6, 120, 2, 0.05, limit=3.0, goal=2.0)


def test_games_are_drawn_in_whole_deals() -> None:
    """Every deal is one line-up in all rotations; nobody sits twice at a table; some two-seat games are tied."""
    player, rank, deal = draw(Pool(8, 120, 4, 1.0))
    assert player.shape == rank.shape == (120, 4)
    assert (np.diff(np.sort(player, axis=1), axis=1) > 0).all()
    assert (np.sort(rank, axis=1) == [1, 2, 3, 4]).all()
    assert (np.bincount(deal) == 4).all()
    line_ups = {tuple(sorted(line)) for line in player[deal == 3].tolist()}
    assert len(line_ups) == 1
    tied = draw(SMALL)[1]
    assert 0 < (tied[:, 0] == tied[:, 1]).sum() < 60


def test_fit_and_baseline_are_measured_in_turn() -> None:
    """Ratios are formed within a round; larger tables have no baseline."""
    ticks = iter([0.0, 6.0, 10.0, 12.0, 20.0, 24.0, 30.0, 31.0, 40.0, 43.0, 50.0, 52.0])
    times = measure(SMALL, 3, lambda: next(ticks))
    assert (times.fit_s, times.baseline_s, times.ratio) == (4.0, 2.0, 3.0)
    assert times.memory_mb > 10
    assert measure(Pool(6, 24, 4, 1.0), 1).baseline_s is None


def test_verdicts_are_parts_of_limits() -> None:
    """Every floor has the keys of the contract and holds while its ratio is at most the limit."""
    times = [PoolTime(pool.name, 2 * pool.target_s, 1.0, 2.5, 100.0) for pool in POOLS]
    found = verdicts(times)
    assert all(floor.keys() == {"floor", "ratio", "limit", "sense", "goal", "ok"} for floor in found)
    assert {floor["sense"] for floor in found} == {"max"}
    assert [floor["ok"] for floor in found if "target" in floor["floor"]] == [False] * len(POOLS)
    (ratio,) = [floor for floor in found if "baseline" in floor["floor"]]
    assert (ratio["ratio"], ratio["limit"], ratio["ok"]) == (2.5, 3.0, True)
    assert found[-1]["ratio"] == 100.0 / MEMORY_MB


def test_pools_are_the_promised_ones() -> None:
    """The sizes and targets that are published."""
    assert [(pool.players, pool.games, pool.seats, pool.target_s) for pool in POOLS] == [
        (20, 3_800, 2, 0.05),
        (200, 20_000, 2, 0.1),
        (1_000, 1_000_000, 2, 2.0),
        (1_000, 1_000_000, 2, 2.0),
        (200, 100_000, 4, 1.0),
    ]
