"""Ends of bots at every moment, with no clock that could notice them: seen within a second, and the slot plays on."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from os import kill
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from arena.league.job import Job, SittingEnd
from arena.league.pool import Pool
from arena.players.base import Limits
from arena.players.process import marked
from arena.records.record import Finished, places
from tests.commands import wait_for
from tests.league.sittings import job, play, program

NO_CLOCK = Limits(start_s=60, move_ms=3_600_000, game_s=100_000, margin_ms=300)
"""What design.md has for "no clock": an hour a decision, so that no verdict can come from the clock."""
ENDS = {"exit0": "exit status 0", "crash": "exit status 3", "killed": "signal SIGKILL", "segfault": "signal SIGSEGV"}
MOMENTS = ("start", "idle", "thinking", "after", "goodbye")
"""Before ready, while idle, while thinking, while another thinks, during shutdown."""
SEEN_S = 1.0
HURRY = 5.0
"""A machine that does other things beside is given this much more: a clock would take an hour."""
PACE = 2.0


@dataclass
class Watched:
    """What came of a job, and when each item came, in seconds of the monotonic clock."""

    finished: list[Finished] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    end: SittingEnd | None = None
    ended: float = 0.0

    @property
    def begun(self) -> float:
        """When its bots had all said Hello, or failed."""
        assert self.end is not None
        return self.ended - self.end.seconds + self.end.start_seconds

    def took_s(self, died: float) -> float:
        """Return the time from a death, or from the beginning after it, to the end of the first game after that."""
        from_then = max(died, self.begun)
        return next(at for at in self.times if at >= from_then) - from_then


def watch(jobs: Sequence[Job], workers: int) -> dict[str, Watched]:
    """Play jobs one after the other in a few slots; return what came of each by its mark."""
    seen = {job.mark: Watched() for job in jobs}
    pool = Pool(workers)
    try:
        for item in pool.play(iter(jobs), patience_s=0.05):
            if item is None:
                continue
            watched = seen[item.job.mark]
            if isinstance(item.content, Finished):
                watched.finished.append(item.content)
                watched.times.append(time.monotonic())
            elif isinstance(item.content, SittingEnd):
                watched.end, watched.ended = item.content, time.monotonic()
    finally:
        pool.close()
    return seen


def said_ending(text: str) -> float:
    """Return when the bot said that it ends, in seconds of the monotonic clock."""
    found = re.findall(r"fixture: ending at (\d+)", text)
    assert found, text
    return int(found[-1]) / 1e9


def deaths() -> Iterator[tuple[str, str, Job]]:
    for end, when in product(ENDS, MOMENTS):
        bad = program("bad", "--fault", end, "--when", when, "--at", "2")
        bots = [bad, program("b", "--sleep-ms", "5"), program("c", "--sleep-ms", "5")]
        # In a sandbox a bot cannot kill itself at once: without one it is as if somebody had killed it.
        limits = replace(NO_CLOCK, sandbox="none") if end == "killed" else NO_CLOCK
        yield end, when, job(bots, 1, limits, in_flight=1)


@pytest.fixture(scope="module")
def watched() -> dict[tuple[str, str], Watched]:
    cases = list(deaths())
    seen = watch([job for _, _, job in cases], workers=2)
    assert not [pid for _, _, job in cases for pid in marked(job.mark)]
    return {(end, when): seen[job.mark] for end, when, job in cases}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("when", MOMENTS)
def test_an_end_at_any_moment_is_seen_within_a_second_and_the_slot_plays_on(
    watched: dict[tuple[str, str], Watched], when: str, end: str
) -> None:
    """Two slots play all twenty sittings one after the other; no other seat notices."""
    seen = watched[end, when]
    (game,) = seen.finished
    assert [str(word) for word in game.terminations[1:]] == ["normal", "normal"]
    words = {"start": {"no-show"}, "idle": {"no-show", "crash"}, "goodbye": {"normal"}}
    assert str(game.terminations[0]) in words.get(when, {"crash"})
    if when == "goodbye":
        assert seen.end is not None
        assert seen.ended - said_ending(seen.end.logs[0]) < SEEN_S * HURRY
        return
    (fault,) = json.loads(game.trace)["faults"]
    assert ENDS[end] in fault["words"]
    died = said_ending(fault["output"]) if "output" in fault else 0.0
    assert seen.took_s(died) < SEEN_S * HURRY


def crash_sittings(count: int) -> list[Job]:
    """Sittings in each of whose games the bot crashes."""
    bots = [program("bad", "--fault", "crash", "--at", "2"), program("b"), program("c")]
    return [job(bots, 4, NO_CLOCK, in_flight=1) for _ in range(count)]


def keeps_its_pace(sittings: int, workers: int) -> None:
    """The last fifth of the games takes no longer than the first, and every start is one that a game has cost."""
    seen = watch(crash_sittings(sittings), workers)
    times = sorted(at for watched in seen.values() for at in watched.times)
    assert len(times) == 4 * sittings
    fifth = len(times) // 5
    assert times[-1] - times[-fifth] < PACE * (times[fifth] - min(watched.begun for watched in seen.values())) + 1
    for watched in seen.values():
        assert {str(game.terminations[0]) for game in watched.finished} == {"crash"}
        assert watched.end is not None
        assert watched.end.restarts <= 4


def test_a_bot_that_crashes_in_every_game_uses_up_no_slot() -> None:
    keeps_its_pace(4, workers=2)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_bot_that_crashes_in_a_hundred_games_uses_up_no_slot() -> None:
    keeps_its_pace(25, workers=4)


def test_a_bot_that_dies_before_it_is_asked_is_not_started_again_and_again() -> None:
    """While another thinks, its starts would take the processor away from that one: three are enough."""
    bots = [program("thinks", "--sleep-ms", "1000"), program("bad", "--fault", "crash", "--when", "idle")]
    played = play(bots, 1, NO_CLOCK, in_flight=1, game="prime_cards", options={"target_score": 20})
    assert [str(word) for word in played.games[0].terminations] == ["normal", "no-show"]
    assert played.end.restarts <= 2
    assert "exit status 3" in played.games[0].trace.decode()


def die_together(folder: Path, number: int) -> None:
    """Kill both bots of a game in a drawn order while one thinks: both lose it, whoever's end is read first."""
    folder.mkdir()
    bots = [program(name, "--fault", "hang", "--at", "3") for name in "ab"]
    sitting = job(bots, 1, NO_CLOCK, game="rainbow", options={}, in_flight=1, logs=str(folder))

    def strike() -> None:
        wait_for(lambda: any("hanging" in said(folder / name) for name in "ab"))
        pids = [max(marked(f"{sitting.mark}{seat}-")) for seat in (0, 1)]
        for pid in Random(number).sample(pids, 2):
            kill(pid, signal.SIGKILL)

    thread = Thread(target=strike)
    thread.start()
    try:
        (game,) = watch([sitting], 1)[sitting.mark].finished
    finally:
        thread.join()
    assert [str(word) for word in game.terminations] == ["crash", "crash"]
    assert places(game.ranks, game.terminations) == (1, 1)


def said(folder: Path) -> str:
    return "".join(log.read_text() for log in folder.glob("*.log"))


def test_two_bots_that_die_at_once_lose_together_in_whatever_order(tmp_path: Path) -> None:
    for number in range(2):
        die_together(tmp_path / str(number), number)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_two_bots_that_die_at_once_lose_together_a_hundred_times(tmp_path: Path) -> None:
    for number in range(100):
        die_together(tmp_path / str(number), number)
