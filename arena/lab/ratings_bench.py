"""Speed of the ratings: fit with clustered errors, beside a bare NumPy Bradley-Terry Newton on the same counts.

Each pool is measured in a process of its own with one thread: ``python -m arena.lab.ratings_bench POOL ROUNDS`` prints
one JSON object. What is judged is processor time: the machine may be shared.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from arena.errors import ArenaError
from arena.ratings.baseline import bradley_terry, count_points
from arena.ratings.fit import fit
from arena.ratings.results import Results
from arena.ratings.units import Bools, Ints

PATIENCE_S = 600.0
SEED = 7
SPREAD_NATS = 0.7
TIED = 0.15
"""Least gap of two seats' luck in nats that separates them at tables of two, so that some games are tied."""
MEMORY_MB = 1536.0


@dataclass(frozen=True, slots=True)
class Pool:
    """Games to be rated.

    Attributes:
        players: number of players.
        games: number of games.
        seats: players at a table.
        target_s: processor seconds that the fit may take.
        by_deal: whether games have deals, so that errors are clustered by deal; else by game.
        limit: most times the baseline's processor time, None where that is no like for like.
        goal: what is hoped for.
    """

    players: int
    games: int
    seats: int
    target_s: float
    by_deal: bool = True
    limit: float | None = None
    goal: float | None = None

    @property
    def name(self) -> str:
        """Name for people."""
        return f"{self.players:,} x {self.games:,}, {self.seats} seats, by {'deal' if self.by_deal else 'game'}"


POOLS = (
    Pool(20, 3_800, 2, 0.05),
    Pool(200, 20_000, 2, 0.1),
    Pool(1_000, 1_000_000, 2, 2.0, by_deal=False, limit=3.0, goal=2.0),
    Pool(1_000, 1_000_000, 2, 2.0),
    Pool(200, 100_000, 4, 1.0),
)


@dataclass(frozen=True, slots=True)
class PoolTime:
    """One pool, measured.

    Attributes:
        pool: name.
        fit_s: median processor seconds of the fit with clustered errors.
        baseline_s: median processor seconds of the baseline, counting included; None at larger tables.
        ratio: median over rounds of fit by baseline; None likewise.
        memory_mb: peak memory of the process, games included.
    """

    pool: str
    fit_s: float
    baseline_s: float | None
    ratio: float | None
    memory_mb: float


def draw(pool: Pool, seed: int = SEED) -> tuple[Ints, Ints, Ints]:
    """Return players and places by seat, shape (games, seats) each, and deals, shape (games,).

    Every deal is played by a random line-up in all rotations, as in a league.
    """
    stream = np.random.default_rng(seed)
    strength = stream.normal(0.0, SPREAD_NATS, pool.players)
    deals = pool.games // pool.seats
    line_up = stream.integers(0, pool.players, (deals, pool.seats))
    while (twice := _is_twice(line_up)).any():
        line_up[twice] = stream.integers(0, pool.players, (int(twice.sum()), pool.seats))
    player = np.concatenate([np.roll(line_up, turn, axis=1) for turn in range(pool.seats)])
    luck = strength[player] + stream.gumbel(size=player.shape)
    rank = np.argsort(np.argsort(-luck, axis=1), axis=1) + 1
    if pool.seats == 2:
        rank[np.abs(luck[:, 0] - luck[:, 1]) < TIED] = 1
    return player, rank, np.tile(np.arange(deals), pool.seats)


def _is_twice(player: Ints) -> Bools:
    ordered = np.sort(player, axis=1)
    return np.asarray((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))


def measure(pool: Pool, rounds: int, clock: Callable[[], float] = time.process_time) -> PoolTime:
    """Return the times of one pool in this process, fit and baseline in turn.

    Args:
        pool: the pool.
        rounds: how often both are measured, 1 or more.
        clock: processor time in seconds.
    """
    player, rank, deal = draw(pool)
    names = [f"P{number:04}" for number in range(pool.players)]
    results = Results.from_arrays(names, player, rank, deal=deal if pool.by_deal else None)
    fits, bases = [], []
    for _ in range(rounds):
        start = clock()
        fit(results)
        fits.append(clock() - start)
        if pool.seats == 2:
            start = clock()
            bradley_terry(*count_points(player, rank, pool.players))
            bases.append(clock() - start)
    ratios = [ours / base for ours, base in zip(fits, bases, strict=False)]
    return PoolTime(
        pool.name,
        median(fits),
        median(bases) if bases else None,
        median(ratios) if ratios else None,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def bench_ratings(rounds: int) -> tuple[PoolTime, ...]:
    """Measure all pools, each in a process of its own.

    Raises:
        ArenaError: when one could not be measured, with what it printed.
    """
    return tuple(_in_a_child(index, rounds) for index in range(len(POOLS)))


def _in_a_child(index: int, rounds: int) -> PoolTime:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", "arena.lab.ratings_bench", str(index), str(rounds)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, env={**os.environ, **threads}, check=True
        )
    except subprocess.SubprocessError as error:
        words = getattr(error, "stderr", "") or str(error)
        raise ArenaError(f"the pool {POOLS[index].name!r} could not be measured: {words}") from error
    return PoolTime(**json.loads(done.stdout))


def verdicts(times: Sequence[PoolTime]) -> list[dict[str, Any]]:
    """Return one entry a floor: ``{floor, ratio, limit, sense, goal, ok}``; times and memory as parts of a target."""
    found = []
    for pool, measured in zip(POOLS, times, strict=True):
        if pool.limit is not None and measured.ratio is not None:
            found.append(_verdict(f"{pool.name}: fit / baseline", measured.ratio, pool.limit, pool.goal or pool.limit))
        target = f"{pool.name}: fit / target of {pool.target_s:g} CPU-s"
        found.append(_verdict(target, measured.fit_s / pool.target_s, 1.0, 0.5))
    most = max(measured.memory_mb for measured in times)
    found.append(_verdict(f"peak memory / {MEMORY_MB:g} MB", most / MEMORY_MB, 1.0, 0.5))
    return found


def _verdict(floor: str, ratio: float, limit: float, goal: float) -> dict[str, Any]:
    return {"floor": floor, "ratio": ratio, "limit": limit, "sense": "max", "goal": goal, "ok": ratio <= limit}


def main(argv: list[str]) -> None:
    """Measure one pool by its number."""
    print(json.dumps(asdict(measure(POOLS[int(argv[0])], int(argv[1])))))


if __name__ == "__main__":
    main(sys.argv[1:])
