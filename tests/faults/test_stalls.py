"""Stalls of the worker, the processor, the way between and the bot, in whole sittings: each is blamed on the right one.

A stall falls into one decision of one seat, on a simulated machine, so that it is exactly as long as it should be.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from arena.league.job import GameJob, Job
from arena.players.base import FaultPolicy, Program
from arena.protocol.convert import Answer
from arena.seeds import derive
from arena.testing.simulated import LIMITS, NS, Doorman, JumpingLoop, Machine, Simulated, Simulation, play_on

SEATS, GAMES = 3, 3
CASES = 300
ALLOWED_S = (LIMITS.move_ms + LIMITS.margin_ms) / 1000
NOTICED_S = LIMITS.margin_ms / 2000
NEAR_S = 0.03
"""Cases as near to a limit as this are left out: a tick of the watch and the bot's own answering lie between."""

KINDS = {
    "worker": "host",
    "way back": "host",
    "processor": "host",
    "suspend": "host",
    "bot sleeps": "timeout",
    "bot computes": "timeout",
}
"""What stands still → the word for a decision that is late for it."""


@dataclass(frozen=True)
class Stall:
    """One stall.

    Attributes:
        kind: what stands still.
        seconds: for how long.
        seat: in whose decision.
        at: in which of its decisions, from 0.
    """

    kind: str
    seconds: float
    seat: int
    at: int

    @property
    def expected(self) -> str:
        """What comes of it: nothing while the answer is in time; a machine that slept spoils all that was open."""
        return KINDS[self.kind] if self.kind == "suspend" or self.seconds > ALLOWED_S else "nothing"


def stall_of(seed: int) -> Stall:
    draw = Random(seed)
    kind = draw.choice(sorted(KINDS))
    seconds = draw.uniform(1.5, 100) if kind == "suspend" else draw.uniform(0.01, 3)
    while abs(seconds - ALLOWED_S) < NEAR_S:
        seconds += NEAR_S
    return Stall(kind, seconds, draw.randrange(SEATS), draw.randrange(8))


class Stalling(Simulated):
    """A bot in one of whose decisions something stands still, once in all its processes."""

    def __init__(self, stall: Stall, happened: list[str], machine: Machine, *words: Any) -> None:
        super().__init__(machine, *words)
        self._stall = stall
        self._happened = happened
        self._asked = 0
        self._kept_s = self._computed_s = 0.0
        self._since: dict[str, float] = {}

    def queued_ns(self) -> int:
        """Return for how long it was kept from the processor."""
        return self._so_far("processor")

    def cpu_ns(self) -> int:
        """Return for how long it has computed."""
        return self._so_far("bot computes")

    def _so_far(self, kind: str) -> int:
        since = self._since.get(kind)
        return 0 if since is None else int(min(self._machine.loop.time() - since, self._stall.seconds) * NS)

    async def _wait(self, seconds: float) -> None:
        await super()._wait(seconds)
        if seconds == 0.005 and self._seat == self._stall.seat:  # it thinks about a request
            self._asked += 1
            if self._asked == self._stall.at + 1 and not self._happened:
                self._happened.append(self._stall.kind)
                await self._stand_still()

    async def _stand_still(self) -> None:
        kind, clock = self._stall.kind, self._machine.loop.clock
        self._since[kind] = self._machine.loop.time()
        if kind == "worker":
            clock.now_s += self._stall.seconds
        elif kind == "suspend":
            self._machine.slept_s += self._stall.seconds
            await super()._wait(0.05)
        elif kind != "way back":
            await super()._wait(self._stall.seconds)

    def _say(self, request: Any) -> list[Answer]:
        said = super()._say(request)
        if self._since.pop("way back", None) is not None:
            self._machine.loop.clock.now_s += self._stall.seconds  # the answer is on its way, and nobody reads it
        return said


def played_with(stall: Stall) -> Simulation:
    programs = tuple(Program(str(seat), "1", "", ("bot",), "/", (), "0" * 64) for seat in range(SEATS))
    games = tuple(GameJob(f"game-{deal}", deal, derive(b"stalls", deal), (deal,) * SEATS) for deal in range(GAMES))
    job = Job("no_thanks", {"rounds": 1}, programs, games, LIMITS, FaultPolicy(), 1)
    machine = Machine(JumpingLoop(), Random(1), frozenset(), 0)
    happened: list[str] = []
    world = replace(
        machine.world(),
        server=lambda: Doorman(machine),  # type: ignore[arg-type, return-value]
        process=lambda *words: Stalling(stall, happened, machine, *words),  # type: ignore[arg-type]
    )
    played = play_on(machine, job, world)
    assert happened == [stall.kind]
    return played


def found_in(played: Simulation) -> tuple[str, set[int]]:
    """Return what was ruled, and the seats that were blamed."""
    faults = [fault for game in played.finished for fault in json.loads(game.trace)["faults"]]
    assert len(played.finished) + len(played.voids) == GAMES
    words = {fault["word"] for fault in faults} | ({"host"} if played.voids else set())
    assert len(words) <= 1
    return (words.pop() if words else "nothing"), {fault["seat"] for fault in faults}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_stall_is_blamed_on_the_right_one(kind: str) -> None:
    """300 seeded cases of all kinds, each a league's sitting of three games in which one decision meets one stall."""
    cases = [(seed, stall_of(seed)) for seed in range(CASES)]
    chosen = [(seed, stall) for seed, stall in cases if stall.kind == kind]
    assert len(chosen) > CASES / len(KINDS) / 2
    expected = {stall.expected for _, stall in chosen}
    assert expected == {KINDS[kind]} | ({"nothing"} if kind != "suspend" else set())
    for seed, stall in chosen:
        played = played_with(stall)
        word, blamed = found_in(played)
        assert played.machine.errors == [], seed
        assert (word, blamed) == (stall.expected, {stall.seat} if word == "timeout" else set()), (seed, stall)


def test_the_evidence_names_the_part_of_the_machine_and_of_the_bot() -> None:
    """A bot that computes all the time of its decision, and one that sleeps: the trace says so."""
    for kind, least_us, most_us in (("bot computes", 500_000, 600_000), ("bot sleeps", 0, 0)):
        played = played_with(Stall(kind, 1.0, 1, 2))
        fault = next(fault for game in played.finished for fault in json.loads(game.trace)["faults"])
        assert least_us <= fault["computed_us"] <= most_us
        assert (fault["kept_us"], fault["stalled_us"]) == (0, 0)
        assert 5_000 <= fault["quickest_us"] < 30_000
