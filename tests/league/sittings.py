"""Sittings of No Thanks! with fixture bots, for the tests of this folder."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.league.job import GameJob, Job, SittingEnd
from arena.league.sitting import play_sitting
from arena.players.base import FaultPolicy, Limits, Program
from arena.records.codec import decode
from arena.records.record import Finished, Record
from arena.records.replay import verify_replay
from arena.seeds import derive

ROOT = Path(__file__).parents[2]
QUICK = Limits(start_s=10, move_ms=400, margin_ms=150)


@dataclass(frozen=True)
class Played:
    """What came of a sitting: records in deal order, games as stored, its cost, and how long it took."""

    records: list[Record]
    games: list[Finished]
    end: SittingEnd
    seconds: float

    def words(self, seat: int) -> list[str]:
        """Return the terminations of a seat by deal."""
        return [str(record.terminations[seat]) for record in self.records]


def program(name: str, *flags: str, env: tuple[tuple[str, str], ...] = ()) -> Program:
    """Return a fixture bot with these flags."""
    command = (sys.executable, "-m", "arena.testing.bots", *flags)
    return Program(name, "1", "", command, str(ROOT), env, "0" * 64)


def job(bots: Sequence[Program], games: int, limits: Limits = QUICK, **rest: Any) -> Job:
    """Return a sitting of one-round games of No Thanks!."""
    options = rest.pop("options", {"rounds": 1})
    jobs = tuple(
        GameJob(f"game-{deal:03}", deal, derive(b"test", deal), tuple(7 * deal + seat for seat in range(len(bots))))
        for deal in range(games)
    )
    rest.setdefault("policy", FaultPolicy())
    return Job(rest.pop("game", "no_thanks"), options, tuple(bots), jobs, limits, **rest)


def play(bots: Sequence[Program], games: int, limits: Limits = QUICK, **rest: Any) -> Played:
    """Play a sitting to its end and replay every game; return what came of it."""
    return run(job(bots, games, limits, **rest))


def play_until_whole(bots: Sequence[Program], games: int, limits: Limits = QUICK, **rest: Any) -> Played:
    """Play a sitting again while games of it are void, because this machine stalled: that is no bot's doing."""
    for _ in range(10):
        played = play(bots, games, limits, **rest)
        if len(played.games) == games:
            return played
    raise AssertionError("the machine is too full to say anything")


def run(sitting: Job) -> Played:
    """Play a job to its end and replay every game."""

    async def collect() -> list[Any]:
        return [item async for item in play_sitting(sitting)]

    began = time.monotonic()
    items = asyncio.run(asyncio.wait_for(collect(), 100))
    seconds = time.monotonic() - began
    games = sorted((item for item in items if isinstance(item, Finished)), key=lambda game: game.game_id)
    records = [decode(game.record) for game in games]
    for record in records:
        verify_replay(record)
    (end,) = [item for item in items if isinstance(item, SittingEnd)]
    return Played(records, games, end, seconds)
