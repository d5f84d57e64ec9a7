"""Clocks: only the oldest open request of a process runs, and only answers that were asked for move it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.players.base import Limits
from arena.referee.clock import MS, ProcessClock, SeatClock

A, B, C = ("a", 0), ("b", 0), ("c", 0)


def opened(*keys: tuple[str, int], at: int = 0, limits: Limits | None = None) -> ProcessClock:
    clock = ProcessClock()
    for key in keys:
        clock.sent(key, SeatClock(limits or Limits()), at)
    return clock


def test_a_lone_request_runs_from_its_sending() -> None:
    clock = opened(A, at=100)
    assert clock.close(A, 350) == 250


def test_the_next_request_runs_from_the_closing_of_the_one_before() -> None:
    clock = opened(A, B)
    assert clock.close(A, 10) == 10
    assert clock.close(B, 25) == 15


def test_an_answer_out_of_turn_is_charged_nothing_and_stops_no_clock() -> None:
    clock = opened(A, B, C)
    assert clock.close(B, 40) == 0
    assert clock.close(C, 50) == 0
    assert clock.close(A, 60) == 60


def test_a_standing_clock_starts_anew_at_the_next_message() -> None:
    clock = opened(A, B)
    clock.close(A, 1000)
    clock.stand()
    assert clock.elapsed(B, 9000) == 0
    clock.resume(9000)
    assert clock.close(B, 9007) == 7


def test_a_request_sent_while_the_clocks_stand_does_not_start_them() -> None:
    clock = opened()
    clock.stand()
    clock.sent(A, SeatClock(Limits()), 5)
    assert clock.since_ns is None


def test_a_decision_is_late_after_move_bank_and_margin() -> None:
    limits = Limits(move_ms=100, bank_ms=50, margin_ms=30)
    clock = opened(A, limits=limits)
    assert clock.overdue(180 * MS) is None
    assert clock.overdue(180 * MS + 1) == A


def test_the_bank_pays_what_exceeds_the_move_and_is_refilled_up_to_its_size() -> None:
    clock = SeatClock(Limits(move_ms=100, bank_ms=50, increment_ms=10))
    clock.charge(130 * MS)
    assert clock.bank_ns == 30 * MS
    clock.charge(10 * MS)
    assert clock.bank_ns == 40 * MS
    clock.charge(190 * MS)
    assert clock.bank_ns == 10 * MS
    assert clock.last_ns == 190 * MS


def test_a_bank_that_is_never_used_shows_its_whole_size_at_the_first_decision() -> None:
    assert SeatClock(Limits(bank_ms=5000)).bank_ns == 5000 * MS


def test_the_budget_never_exceeds_what_the_game_has_left() -> None:
    clock = SeatClock(Limits(move_ms=1000, game_s=1.5))
    clock.charge(900 * MS)
    assert clock.budget_ns == 600 * MS
    clock.charge(700 * MS)
    assert clock.budget_ns == 0
    assert clock.game_time_over


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 100)), max_size=40))
def test_the_charges_of_a_process_never_exceed_the_time_that_passed(steps: list[tuple[int, int]]) -> None:
    """Whatever order answers come in, a process is charged each moment at most once."""
    clock, now, charged = ProcessClock(), 0, 0
    for number, delay in steps:
        now += delay
        key = ("game", number)
        if key in clock.open:
            charged += clock.close(key, now)
        else:
            clock.sent(key, SeatClock(Limits()), now)
    assert charged <= now


@given(st.lists(st.integers(0, 3000), max_size=30), st.integers(0, 500), st.integers(0, 50))
def test_the_bank_stays_within_its_bounds(used: list[int], bank_ms: int, increment_ms: int) -> None:
    clock = SeatClock(Limits(move_ms=100, bank_ms=bank_ms, increment_ms=increment_ms))
    for milliseconds in used:
        before = clock.bank_ns
        clock.charge(milliseconds * MS)
        over = max(0, milliseconds - 100) * MS
        assert clock.bank_ns == min(bank_ms * MS, max(0, before - over) + increment_ms * MS)
