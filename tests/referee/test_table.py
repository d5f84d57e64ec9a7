"""The table: what is asked, what is forced, what faults cost."""

from __future__ import annotations

from arena.errors import Termination
from arena.games import Moves, create
from arena.players.base import FaultPolicy
from arena.referee.table import Table

KEY = b"k" * 32


def table(*, ask_forced: bool = False, policy: FaultPolicy | None = None, **options: object) -> Table:
    game = create("no_thanks", 3, **({"rounds": 1} | options))
    return Table(game, KEY, policy or FaultPolicy(), ask_forced=ask_forced)


def play_out(played: Table, action: str) -> Table:
    while asked := played.advance():
        for seat in asked:
            assert played.answer(seat, action if action in played.legal(seat) else played.legal(seat)[0]) is None
    return played


def test_seats_without_a_choice_are_not_asked_and_their_steps_are_marked_forced() -> None:
    played = play_out(table(), "pass")
    forced = [entry for entry in played.entries if entry.forced]
    assert forced
    assert all(isinstance(entry.step, Moves) and entry.step.by_seat[0][1] == "take" for entry in forced)


def test_forced_decisions_are_asked_when_the_league_says_so() -> None:
    played = play_out(table(ask_forced=True), "pass")
    assert not any(entry.forced for entry in played.entries)
    assert [entry.step for entry in played.entries] == [entry.step for entry in play_out(table(), "pass").entries]


def test_the_same_deal_key_deals_the_same_cards_whatever_is_played() -> None:
    assert play_out(table(), "pass").entries[0] == play_out(table(), "take").entries[0]


def test_a_refused_answer_changes_nothing_and_says_why() -> None:
    played = table()
    (seat,) = played.advance()
    before = played.state
    refused = played.answer(seat, "lay 11")
    assert refused is not None
    assert (refused.word, refused.code) == (Termination.ILLEGAL, "action_not_in_variant")
    assert played.state == before
    assert played.is_asked(seat)


def test_no_action_is_no_pass() -> None:
    played = table()
    (seat,) = played.advance()
    refused = played.answer(seat, "")
    assert refused is not None
    assert (refused.word, refused.code) == (Termination.PROTOCOL, "empty")


def test_a_retired_seat_plays_defaults_to_the_end_and_is_asked_no_more() -> None:
    played = table()
    (first,) = played.advance()
    played.retire(first, Termination.CRASH)
    while asked := played.advance():
        assert first not in asked
        for seat in asked:
            played.answer(seat, played.legal(seat)[-1])
    assert played.terminations[first] is Termination.CRASH
    assert played.over is not None


def test_the_third_strike_retires() -> None:
    played = table()
    costs: list[str] = []
    while len(costs) < 3:
        for seat in played.advance():
            if seat == 0:
                costs.append(played.rule(seat, Termination.TIMEOUT))
            else:
                played.answer(seat, played.legal(seat)[0])
    assert costs == ["default", "default", "retire"]
    assert played.retired(0)


def test_news_tell_each_step_once() -> None:
    played = table()
    (seat,) = played.advance()
    (deal,) = played.news(seat)
    assert "?" in deal.outcome  # type: ignore[union-attr]
    assert played.news(seat) == []
