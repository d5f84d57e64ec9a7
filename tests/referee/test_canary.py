"""Lag canaries: a stall of the machine excuses a late decision, a bot's own computing does not."""

from __future__ import annotations

import random
from dataclasses import replace

from arena.referee.canary import Canary, Load, starved
from arena.referee.clock import MS

TICK = 10 * MS
START = Load(0, {}, 0, 0, 0)
HOUR_ASLEEP = 3_600_000 * MS


def ticking(canary: Canary, until: int, *, start: int = 0) -> None:
    for now in range(start, until + 1, TICK):
        canary.tick(now, 0)


def verdict(canary: Canary, since: int, until: int, before: Load | None, now: Load | None) -> str:
    return canary.verdict(canary.delay(since, until, before, now))


def test_a_punctual_timer_excuses_nothing() -> None:
    canary = Canary(150, 10)
    ticking(canary, 2000 * MS)
    assert verdict(canary, 500 * MS, 2000 * MS, None, None) == ""


def test_a_stall_within_the_decision_excuses_it() -> None:
    canary = Canary(150, 10)
    ticking(canary, 1000 * MS)
    canary.tick(1500 * MS, 0)
    assert "stood still for 490 ms" in verdict(canary, 800 * MS, 1500 * MS, None, None)


def test_a_stall_before_the_decision_does_not() -> None:
    canary = Canary(150, 10)
    ticking(canary, 1000 * MS)
    canary.tick(1500 * MS, 0)
    ticking(canary, 3000 * MS, start=1510 * MS)
    assert verdict(canary, 2000 * MS, 3000 * MS, None, None) == ""


def test_a_stall_that_began_before_the_decision_counts_from_its_start() -> None:
    canary = Canary(150, 10)
    ticking(canary, 1000 * MS)
    canary.tick(1500 * MS, 0)
    assert canary.stalled(1400 * MS, 1500 * MS) == 100 * MS


def test_a_tick_that_is_overdue_at_the_ruling_counts() -> None:
    """The answer may be read before the late tick comes."""
    canary = Canary(150, 10)
    ticking(canary, 1000 * MS)
    assert verdict(canary, 900 * MS, 1600 * MS, None, None) != ""


def test_a_bot_that_others_kept_from_the_processor_is_excused() -> None:
    before, now = START, Load(1000 * MS, {1: 600 * MS}, 90 * MS, 100 * MS, 0)
    assert starved(before, now) == 600 * MS
    assert "ready to run for 600 ms" in verdict(Canary(150, 10), 0, 1000 * MS, before, now)


def test_threads_that_wait_beside_each_other_do_not_add_up() -> None:
    """A dozen threads that each wait a little delay no answer by all of that."""
    now = Load(1000 * MS, dict.fromkeys(range(1, 13), 20 * MS), 5 * MS, 5 * MS, 0)
    assert starved(START, now) == 20 * MS


def test_bots_that_starve_each_other_by_computing_are_not() -> None:
    """Whatever waits in the queue while bots compute is the bots' own doing: threads do not buy an excuse."""
    before, now = START, Load(1000 * MS, {1: 5000 * MS}, 490 * MS, 980 * MS, 0)
    assert verdict(Canary(150, 10), 0, 1000 * MS, before, now) == ""


def test_a_bot_that_floods_the_referee_has_kept_itself_from_the_processor() -> None:
    """The referee's time counts as the bot's, as far as the bot was busy: a quiet one is not blamed for another's."""
    flooding = Load(1000 * MS, {1: 600 * MS}, 600 * MS, 600 * MS, 400 * MS)
    assert starved(START, flooding) == 0
    quiet = Load(1000 * MS, {1: 300 * MS}, 5 * MS, 600 * MS, 400 * MS)
    assert starved(START, quiet) == 300 * MS


def test_the_machine_s_sleep_is_seen_by_two_clocks() -> None:
    canary = Canary(150, 10)
    assert canary.tick(0, 5) == 0
    assert canary.tick(TICK, 5) == 0
    assert canary.tick(2 * TICK, 5 + HOUR_ASLEEP) == HOUR_ASLEEP
    assert canary.tick(3 * TICK, 5 + HOUR_ASLEEP) == 0


def test_injected_stalls_get_the_right_verdict() -> None:
    """300 seeded cases: a stall of the worker, the processor, or the bot itself, before or in a decision."""
    chance = random.Random(5)
    for case in range(300):
        kind, length = chance.choice(("worker", "processor", "bot")), chance.randint(200, 2000) * MS
        inside = chance.random() < 0.7
        start = chance.randint(3000, 4000) * MS
        end = start + length + 300 * MS
        stall_at = start + 100 * MS if inside else start - length - 200 * MS
        canary = Canary(150, 10)
        now = 0
        while now <= end:
            canary.tick(now, 0)
            now += TICK + (length if kind == "worker" and now <= stall_at < now + TICK else 0)
        queued = length if kind == "processor" and inside else 0
        computed = length if kind == "bot" else 0
        words = verdict(canary, start, end, replace(START, at_ns=start), Load(end, {1: queued}, computed, computed, 0))
        assert bool(words) == (inside and kind != "bot"), (case, kind, inside, words)
