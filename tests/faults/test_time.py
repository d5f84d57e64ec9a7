"""Time is measured fairly: what a bot is charged is its own time, whatever kind of bot it is and whatever goes on."""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from arena.league.job import Job, SittingEnd
from arena.league.lobby import Lobby
from arena.league.pool import Pool
from arena.league.sitting import Sitting
from arena.players.base import AT_HOME, Limits, Program
from arena.players.levels import LEVELS
from arena.players.process import marked
from arena.records.codec import decode
from arena.records.record import Finished
from tests.league.sittings import job, play, play_until_whole, program
from tests.players.levels import need_level

NOTE = re.compile(r"^\[note\] game (\S+), decision (\d+): (\{.*\})$", re.MULTILINE)
PATIENT = Limits(start_s=60, move_ms=10_000, margin_ms=300)
SHORT: dict[str, Any] = {"game": "prime_cards", "options": {"target_score": 20}}
"""The shortest game that there is, of a few decisions."""


@dataclass(frozen=True)
class Told:
    """One decision: what the bot says of it and what it was charged, times in microseconds."""

    own_us: int
    charged_us: int
    bank_before_us: int
    bank_us: int
    said: dict[str, int]


def told(logs: Path, name: str, seat: int, games: Sequence[Finished]) -> Iterator[Told]:
    """Yield the decisions of a bot that tells, game by game in their order."""
    text = "".join(path.read_text() for path in sorted((logs / name).iterdir()))
    notes = {(game, int(number)): json.loads(said) for game, number, said in NOTE.findall(text)}
    for game in games:
        charges = [row for row in json.loads(game.trace)["decisions"] if row[0] == seat]
        bank = None
        for number, (_, _, charged, after) in enumerate(charges):
            said = notes[game.game_id, number]
            yield Told(said["own_us"], charged, said["bank_ms"] * 1000 if bank is None else bank, after, said)
            bank = after


# -- the bot's own time -----------------------------------------------------------------------------------------------


def comfortable(folder: Path, games: int) -> None:
    """As many sittings at once as there are cores, of bots that use half of the limit: nobody is ever late.

    What is measured exceeds the bots' own time by less than the margin in 99 of 100 decisions.
    """
    limits = Limits(start_s=60, move_ms=100, margin_ms=150)
    workers = len(os.sched_getaffinity(0))
    bots = [program(name, "--sleep-ms", "50", "--one-by-one", "--tell") for name in "ab"]
    jobs = [job(bots, games // workers, limits, **SHORT, logs=str(folder / str(number))) for number in range(workers)]
    for number in range(workers):
        (folder / str(number)).mkdir()
    done = pooled(jobs, workers)
    extra = []
    for sitting in jobs:
        finished = done[sitting.mark]
        assert {str(word) for game in finished for word in game.terminations} == {"normal"}
        assert [fault for game in finished for fault in decode(game.record).faults] == []
        for seat, name in enumerate("ab"):
            assert sitting.logs is not None
            extra += [one.charged_us - one.own_us for one in told(Path(sitting.logs), name, seat, finished)]
    assert len(extra) >= 3 * games
    assert statistics.quantiles(extra, n=100)[98] < limits.margin_ms * 1000


def pooled(jobs: Sequence[Job], workers: int) -> dict[str, list[Finished]]:
    """Play jobs at once; void games aside, return what was finished by mark."""
    done: dict[str, list[Finished]] = {sitting.mark: [] for sitting in jobs}
    pool = Pool(workers)
    try:
        for item in pool.play(iter(jobs)):
            if item is not None and isinstance(item.content, Finished):
                done[item.job.mark].append(item.content)
    finally:
        pool.close()
    return done


def test_fifty_games_of_bots_that_use_half_of_the_limit(tmp_path: Path) -> None:
    comfortable(tmp_path, 50)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_five_hundred_games_of_bots_that_use_half_of_the_limit(tmp_path: Path) -> None:
    comfortable(tmp_path, 500)


SLEEP_MS = 100


def sleeps_exactly(folder: Path, decisions: int, *flags: str, in_flight: int) -> None:
    """What a bot is charged is its sleep within two parts in a hundred, and no decision is charged for another's.

    The middle of all decisions is judged: now and then this machine itself stands still for some milliseconds.
    """
    sleeper = program("sleeper", "--sleep-ms", str(SLEEP_MS), "--one-by-one", "--tell", *flags)
    games = -(-decisions // 12)
    played = play([sleeper, program("b"), program("c")], games, PATIENT, in_flight=in_flight, logs=str(folder))
    each = list(told(folder, "sleeper", 0, played.games))
    assert len(each) >= decisions
    beside = [one.charged_us - one.own_us for one in each]
    assert abs(statistics.median(beside)) < 0.02 * SLEEP_MS * 1000
    assert max(map(abs, beside)) < 0.9 * SLEEP_MS * 1000


def test_what_is_charged_is_what_was_slept_whatever_was_heard_between(tmp_path: Path) -> None:
    """Requests in lists, news of all steps, ends of games: none of them is charged for, or charged twice."""
    sleeps_exactly(tmp_path, 20, "--events", in_flight=4)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("flags", "in_flight"), [((), 1), (("--events",), 4)])
def test_what_is_charged_for_two_hundred_decisions(tmp_path: Path, flags: tuple[str, ...], in_flight: int) -> None:
    sleeps_exactly(tmp_path, 200, *flags, in_flight=in_flight)


def test_every_decision_has_its_audit_line_and_the_bot_is_told_the_same(tmp_path: Path) -> None:
    """The bank after is the bank before, less what exceeds the move, refilled up to its size, for every line."""
    limits = Limits(start_s=60, move_ms=100, bank_ms=1500, increment_ms=30, margin_ms=300)
    tells = program("tells", "--tell", "--sleep-ms", "160")
    played = play([tells, program("b")], 1, limits, in_flight=1, logs=str(tmp_path), **SHORT)
    assert played.words(0) == ["normal"]
    each = list(told(tmp_path, "tells", 0, played.games))
    first = [one for one in each if one.said["last_us"] == 0]
    assert [one.said["bank_ms"] for one in first] == [limits.bank_ms]
    for one in each:
        over = max(0, one.charged_us - limits.move_ms * 1000)
        after = min(limits.bank_ms * 1000, max(0, one.bank_before_us - over) + limits.increment_ms * 1000)
        assert one.bank_us == pytest.approx(after, abs=2)
        assert one.said["bank_ms"] == one.bank_before_us // 1000
        assert one.said["budget_ms"] == pytest.approx(limits.move_ms + one.bank_before_us // 1000, abs=1)


# -- every kind of bot ------------------------------------------------------------------------------------------------

LATE = Limits(start_s=60, move_ms=600, margin_ms=400, reconnect=False)
SLOW = ("--fault", "late", "--late-ms", "1300", "--at", "2")
OTHER = program("other", "--sleep-ms", "500")
"""Leaves the slow one time to answer before its next decision."""


@pytest.mark.parametrize("kind", [*LEVELS, "by hand"])
def test_every_kind_of_bot_has_the_same_limit(kind: str) -> None:
    """In a sandbox or without one, started by the arena or by hand and connected by TCP: the same verdict."""
    if kind == "by hand":
        games = until_whole(lambda: by_hand(*SLOW))
    else:
        need_level(kind)
        bots = (program("slow", *SLOW), OTHER)
        games = play_until_whole(bots, 1, replace(LATE, sandbox=kind), in_flight=1, **SHORT).games
    (game,) = games
    (late,) = decode(game.record).faults
    assert (late.seat, str(late.word), late.cost) == (0, "timeout", "default")
    assert [str(word) for word in game.terminations] == ["normal", "normal"]


def until_whole(play_it: Callable[[], list[Finished]]) -> list[Finished]:
    """Play a game again while it is void, because this machine stalled."""
    return next(games for games in (play_it() for _ in range(10)) if games)


def by_hand(*flags: str) -> list[Finished]:
    """Play a game with a bot that is started by hand."""
    guest = Program("slow", "1", "", (), "", (), "tcp", token="by hand")

    async def collect() -> list[Any]:
        addresses: list[str] = []
        lobby = Lobby(AT_HOME, addresses.append)
        sitting = job([guest, OTHER], 1, LATE, in_flight=1, **SHORT)
        await lobby.open(sitting.programs)
        with started_by_hand(addresses[0], *flags):
            items = [item async for item in Sitting(sitting, lobby=lobby).play()]
        await lobby.close()
        return items

    items = asyncio.run(asyncio.wait_for(collect(), 60))
    return [item for item in items if isinstance(item, Finished)]


@contextmanager
def started_by_hand(address: str, *flags: str) -> Iterator[None]:
    bot = program("by hand", *flags)
    child = subprocess.Popen(
        bot.command,
        cwd=bot.directory,
        env={**os.environ, "ARENA_ADDRESS": address, "ARENA_TOKEN": "by hand"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        child.kill()
        child.wait()


# -- start-up ---------------------------------------------------------------------------------------------------------

START_S = 5.0


def ready_at(shares: Sequence[float]) -> SittingEnd:
    """Start bots at once that are ready after these shares of the limit; return what the sitting cost."""
    bots = [program(f"b{number}", "--ready-s", str(START_S * share)) for number, share in enumerate(shares)]
    return play(bots, 0, Limits(start_s=START_S)).end


def starts_as_it_should() -> None:
    """No more bots than processors: those that start beside each other are given back what each waits for them."""
    end = ready_at([0.9, 1.1])
    assert end.failures == ("", f"no hello within {START_S:g} s of its start")
    assert end.logs[1] == "fixture: loading a model"
    assert end.seconds - end.start_seconds < START_S


def test_nine_tenths_of_the_start_limit_are_enough_and_eleven_are_not() -> None:
    """The limit counts from the start of the process; what a bot printed before it was ended is kept."""
    starts_as_it_should()


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_nine_tenths_of_the_start_limit_are_enough_fifty_times() -> None:
    for _ in range(50):
        starts_as_it_should()


def loads_together(megabytes: int) -> None:
    bots = [program(f"b{number}", "--load-mb", str(megabytes)) for number in range(8)]
    end = play(bots, 0, Limits(start_s=60, memory_mb=2 * megabytes + 200)).end
    assert end.failures == ("",) * 8


def test_eight_bots_that_load_at_once_are_all_ready() -> None:
    loads_together(50)


@pytest.mark.soak
def test_eight_bots_that_load_500_mb_at_once_are_all_ready() -> None:
    loads_together(500)


# -- one that drags its games -----------------------------------------------------------------------------------------


def others_are_not_held_up(workers: int, honest: int) -> None:
    """With one slot less than stallers that would think for an hour: all other sittings are played in the rest."""
    hour = Limits(start_s=60, move_ms=3_600_000, game_s=100_000)
    staller = program("staller", "--fault", "hang", "--at", "1")
    stalled = [job([staller, program("a")], 1, hour, **SHORT) for _ in range(workers - 1)]
    others = [job([program("a"), program("b")], 2, hour, **SHORT) for _ in range(honest)]
    waiting = {sitting.mark for sitting in others}
    pool = Pool(workers)
    try:
        for item in pool.play(iter([*stalled, *others])):
            if item is not None and isinstance(item.content, SittingEnd):
                waiting.remove(item.job.mark)
            if not waiting:
                break
    finally:
        pool.close()
    assert not [pid for sitting in stalled for pid in marked(sitting.mark)]


def test_one_that_drags_its_games_holds_up_nobody_elses() -> None:
    others_are_not_held_up(2, 3)


@pytest.mark.soak
def test_three_that_drag_their_games_hold_up_none_of_the_other_twenty_one_pairings() -> None:
    others_are_not_held_up(4, 21)
