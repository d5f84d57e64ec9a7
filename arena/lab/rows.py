"""One measurement of the benchmark in a process of its own on one core: ``python -m arena.lab.rows ROW SECONDS``.

Every row prints one JSON object: decisions, seconds, messages, and processor time of both sides. The product's rows
are real sittings: worker code, referee, rules, clock, record, SDK and bot processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from arena.errors import ArenaError
from arena.games.no_thanks import NoThanks, Options
from arena.lab.echo import Echoed, measure
from arena.league.job import GameJob, Job, SittingEnd
from arena.league.sitting import Sitting
from arena.players.base import FaultPolicy, Limits, Program
from arena.seeds import derive

GAMES = 5_000
"""More than can be played."""


class Solo(NoThanks):
    """No Thanks! for one seat, so that every decision of a game is one bot's: what a single process can be given."""

    seat_counts: ClassVar[range] = range(1, 8)


def _game(bots: int) -> NoThanks:
    return Solo(bots, Options(rounds=1, tokens=11))


def _job(programs: Sequence[Program], in_flight: int, count: int) -> Job:
    """Return a sitting of one-round No Thanks!."""
    seeds = (1,) * len(programs)
    games = tuple(GameJob(f"bench-{deal:06}", deal, derive(b"bench", deal), seeds) for deal in range(count))
    return Job("no_thanks", {}, tuple(programs), games, Limits(sandbox="none"), FaultPolicy(), in_flight)


def bench_bot(seat: int) -> Program:
    """Return the instant bot."""
    command = (sys.executable, "-m", "arena.lab.bench_bot")
    return Program(f"bench-{seat}", "", "", command, str(Path(__file__).parents[2]), (), "")


async def sit(programs: Sequence[Program], in_flight: int, seconds: float) -> SittingEnd:
    """Play for some seconds after everybody is ready, for none only until then; return what it cost.

    Raises:
        ArenaError: when a bot does not start, with what it printed.
    """
    sitting = Sitting(_job(programs, in_flight, GAMES if seconds else 0), _game(len(programs)))
    stopping: asyncio.TimerHandle | None = None
    ends = []
    async for item in sitting.play():
        if stopping is None:
            stopping = asyncio.get_running_loop().call_later(seconds, sitting.stop)
        if isinstance(item, SittingEnd):
            ends.append(item)
    (end,) = ends
    for failure, log in zip(end.failures, end.logs, strict=True):
        if failure:
            raise ArenaError(f"a bot did not start: {failure}; the last lines it printed:\n{log}")
    return end


async def _product(bots: int, in_flight: int, seconds: float) -> Echoed:
    end = await sit([bench_bot(seat) for seat in range(bots)], in_flight, seconds)
    return Echoed(end.decisions, end.play_seconds, end.lists, end.referee_cpu_ns, end.cpu_ns)


ROWS: dict[str, Callable[[float], Coroutine[Any, Any, Echoed]]] = {
    "echo K=1": lambda seconds: measure(1, lists=False, seconds=seconds),
    "echo K=16 one message each": lambda seconds: measure(16, lists=False, seconds=seconds),
    "echo K=16 lists": lambda seconds: measure(16, lists=True, seconds=seconds),
    "one bot K=1": lambda seconds: _product(1, 1, seconds),
    "one bot K=16 lists": lambda seconds: _product(1, 16, seconds),
    "three bots K=1": lambda seconds: _product(3, 1, seconds),
    "three bots K=48 baton": lambda seconds: _product(3, 48, seconds),
}


def main(argv: list[str]) -> None:
    """Measure one row on the first core that this process may use."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps(asdict(asyncio.run(ROWS[argv[0]](float(argv[1]))))))


if __name__ == "__main__":
    main(sys.argv[1:])
