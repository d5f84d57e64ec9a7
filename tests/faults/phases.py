"""Every fault of the fixture bots in every phase of a bot's life: what it may be called, and a sitting of it."""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from arena.league.job import SittingEnd
from arena.league.sitting import play_sitting
from arena.players.base import Limits
from arena.players.process import marked
from arena.records.codec import decode
from arena.records.record import Finished, Void
from arena.records.replay import verify_replay
from tests.league.sittings import job, program

PHASES = ("start", "idle", "thinking", "after", "goodbye")
TABLES = (("no_thanks", 3), ("rainbow", 2), ("rainbow", 3))
"""Where: moves one after the other, and claims of all at once, at the smallest tables."""

GAMES = 2
LIMITS = Limits(start_s=30, move_ms=800, margin_ms=300, memory_mb=200, disk_mb=8)
BOUND_S = 90.0
"""Far above what the rules allow these sittings, restarts included, on a machine that does other things, too."""

ENDS = dict.fromkeys(("crash", "exit0", "segfault", "abort", "killed"), "crash")
EXCESS = dict.fromkeys(("memory", "fill-disk"), "resource")
SILENCE = dict.fromkeys(("hang", "late"), "timeout")
BREAKS = {
    "garbage": "protocol", "huge": "protocol", "second-hello": "protocol",
    "half-close": "disconnect", "cancel": "disconnect", "cut": "disconnect",
}  # fmt: skip
ANSWERS = {
    "illegal": "illegal", "malformed": "protocol", "empty": "protocol", "resign": "protocol", "number": "protocol",
    "long": "protocol",
}  # fmt: skip
TOLERATED = dict.fromkeys(("flood", "chatter", "fork", "second-stream"), "normal")
WORDS = {**ENDS, **EXCESS, **SILENCE, **BREAKS, **ANSWERS, **TOLERATED}
"""Fault → its word of design section 9, when it happens instead of an answer."""

KINDS = ("crash", "memory", "hang", "garbage", "half-close", "cut", "illegal", "fork")
"""One or two of each kind, for the short run."""


@dataclass(frozen=True)
class Case:
    """One fault in one phase at one table."""

    fault: str
    phase: str
    game: str
    seats: int

    def __str__(self) -> str:
        return f"{self.fault}-{self.phase}-{self.game}-{self.seats}"

    def words(self) -> set[str]:
        """Return the words that the bot's games may end with."""
        words = {"normal"} | _words(self.fault, self.phase)
        # What is illegal in one game is no action at all in another.
        return words | {"protocol"} if "illegal" in words and self.game == "rainbow" else words

    def must_show(self) -> bool:
        """Whether a game must end with more than ``normal``: a strike, a retirement or a no-show."""
        if self.fault in TOLERATED:
            return False
        if self.phase == "thinking":
            return self.fault != "cut"
        return self.phase == "start" and self.fault not in ("cut", "late", "second-hello")

    def flags(self) -> tuple[str, ...]:
        """Return the flags of the fixture bot; whatever is restarted does it again."""
        late = ("--late-ms", "1800") if self.phase == "thinking" else ("--late-ms", "400")
        return ("--fault", self.fault, "--when", self.phase, "--at", "3", *late)


def _words(fault: str, phase: str) -> set[str]:
    """Return the words of a fault in a phase, apart from ``normal``."""
    word = WORDS[fault]
    if phase == "start" and fault == "second-stream":
        return {"no-show"}  # it may be the first one to arrive, and says nothing
    if phase == "goodbye" or fault in TOLERATED:
        return set()
    if phase == "start":
        # One that comes back at once may have said Hello; the second hello is a first one then.
        return {"no-show"} | ({word} if fault in ("cut", "second-hello") else set())
    if fault == "killed":
        return {word, "timeout"}  # in a sandbox that takes a second of the processor
    if phase == "thinking":
        return {word}
    if fault in ANSWERS:
        return set()  # an answer to no request is tolerated
    if phase == "idle" and fault not in SILENCE:
        return {word, "no-show"}  # one that ends before it was asked anything has not started
    # Outside of a decision it is the next one that waits, or the last one that was answered.
    return {word, "timeout"} if fault in SILENCE else {word}


def pairwise(faults: Sequence[str]) -> Iterator[Case]:
    """Yield cases in which every fault meets every phase, and every table meets every fault and every phase."""
    for (row, fault), (column, phase) in product(enumerate(faults), enumerate(PHASES)):
        yield Case(fault, phase, *TABLES[(row + column) % len(TABLES)])


def everything() -> Iterator[Case]:
    """Yield every fault in every phase at every table."""
    yield from (Case(fault, phase, *table) for fault, phase, table in product(WORDS, PHASES, TABLES))


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    finished: list[Finished]
    voids: list[Void]
    ends: list[SittingEnd]
    seconds: float

    def words(self, seat: int) -> list[str]:
        """Return a seat's words by game."""
        return [str(game.terminations[seat]) for game in self.finished]

    def faults(self, seat: int) -> list[str]:
        """Return the words of all faults of a seat, strikes included."""
        return [str(fault.word) for game in self.finished for fault in decode(game.record).faults if fault.seat == seat]


def play_case(case: Case) -> Outcome:
    """Play a sitting with one misbehaving bot in the last seat; the honest ones think for a moment.

    No process, socket, file or descriptor is left of it.
    """
    bots = [program(f"honest {seat}", "--sleep-ms", "10") for seat in range(case.seats - 1)]
    options = {"rounds": 1} if case.game == "no_thanks" else {}
    sitting = job([*bots, program("bad", *case.flags())], GAMES, LIMITS, game=case.game, options=options, in_flight=1)

    async def collect() -> list[Finished | Void | SittingEnd]:
        return [item async for item in play_sitting(sitting)]

    began = time.monotonic()
    with nothing_left():
        items = asyncio.run(asyncio.wait_for(collect(), BOUND_S))
    assert list(marked(sitting.mark)) == []
    finished = [item for item in items if isinstance(item, Finished)]
    for game in finished:
        verify_replay(decode(game.record))
    return Outcome(
        finished,
        [item for item in items if isinstance(item, Void)],
        [item for item in items if isinstance(item, SittingEnd)],
        time.monotonic() - began,
    )


@contextmanager
def nothing_left() -> Iterator[None]:
    """Give temporary files a place of their own; afterwards it is empty, and no descriptor is open that was not."""
    before, usual = descriptors(), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="own-") as folder:
        Path(folder).chmod(0o755)  # bots run as other users
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = usual
        assert not (files := list(Path(folder).iterdir())), files
    assert not (left := descriptors() - before), left


def descriptors() -> set[str]:
    """Return the files, sockets, pipes and processes that this process holds; gRPC's threads wait on others."""
    gc.collect()  # gRPC's own pair of sockets waits for it
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the folder itself, which is being read
            found.add(f"{entry.name} {os.readlink(entry)}")
    return {words for words in found if " anon_inode:[event" not in words}
