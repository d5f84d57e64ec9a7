"""Sittings with real bot processes: every fault is ruled with its own word, and costs nobody else anything."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from arena.league.sitting import play_sitting
from arena.players.base import FaultPolicy, Limits
from arena.players.process import marked
from tests.league.sittings import Played, job, play, play_until_whole, program, run

GAMES = 4
HONEST = (program("b"), program("c"))
LIMITS = Limits(start_s=5, move_ms=300, margin_ms=150)
PATIENT = Limits(start_s=10, move_ms=5000, margin_ms=150)


def against_honest(*flags: str, games: int = GAMES, limits: Limits = LIMITS, **rest: object) -> Played:
    """Play one misbehaving bot against two honest ones; the honest ones' games must all be normal."""
    played = play_until_whole([program("bad", *flags), *HONEST], games, limits, **({"in_flight": 3} | rest))
    for seat in (1, 2):
        assert played.words(seat) == ["normal"] * games
    return played


def evidence(played: Played, game: int = 0) -> list[dict[str, object]]:
    """Return the evidence that a game's trace keeps."""
    faults: list[dict[str, object]] = json.loads(played.games[game].trace)["faults"]
    return faults


def test_honest_bots_finish_every_game_and_restart_nothing() -> None:
    sitting = job([program("a"), *HONEST], 6, LIMITS)
    played = run(sitting)
    assert played.words(0) == ["normal"] * 6
    assert played.end.restarts == 0
    assert played.end.decisions > 6 * 24
    assert not list(marked(sitting.mark))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("crash", "exit status 3"),
        ("exit0", "exit status 0"),
        ("segfault", "signal SIGSEGV"),
        ("killed", "signal SIGKILL"),
    ],
)
def test_a_death_retires_the_seat_in_one_game_and_the_restarted_process_plays_the_others(
    fault: str, words: str
) -> None:
    played = against_honest("--fault", fault, "--at", "12", games=3, limits=PATIENT)
    assert played.words(0).count("crash") >= 1
    assert played.end.restarts >= 1
    crashed = played.words(0).index("crash")
    (found,) = evidence(played, crashed)
    assert words in str(found["words"])
    assert played.records[crashed].scores[0] is not None
    assert played.records[crashed].entries[-1].defaulted == (0,) or any(
        entry.defaulted == (0,) for entry in played.records[crashed].entries
    )


def test_a_crash_is_ruled_at_once_and_not_at_the_time_out() -> None:
    """With a move limit of a minute the sitting still ends in a few seconds."""
    played = against_honest("--fault", "crash", limits=Limits(move_ms=60_000))
    assert "crash" in played.words(0)
    assert played.seconds < 20


@pytest.mark.parametrize("fault", ["half-close", "cancel"])
def test_a_hung_up_stream_of_a_living_process_is_a_disconnect(fault: str) -> None:
    limits = Limits(start_s=10, move_ms=1000, margin_ms=150)
    played = against_honest("--fault", fault, games=2, limits=limits, in_flight=1)
    assert played.words(0) == ["disconnect", "disconnect"]


@pytest.mark.parametrize("in_flight", [1, 3])
def test_a_broken_stream_may_come_back_once_and_gets_its_open_games_again(in_flight: int) -> None:
    played = against_honest("--fault", "cut", "--at", "7", limits=PATIENT, in_flight=in_flight)
    assert played.words(0) == ["normal"] * GAMES
    assert played.end.restarts == 0


def test_a_second_break_is_a_disconnect() -> None:
    played = against_honest("--fault", "cut", "--at", "7", "--every", limits=PATIENT)
    assert "disconnect" in played.words(0)


def test_without_reconnect_the_first_break_is_one() -> None:
    limits = Limits(move_ms=5000, reconnect=False)
    played = against_honest("--fault", "cut", "--at", "7", limits=limits, games=2, in_flight=1)
    assert "disconnect" in played.words(0)


@pytest.mark.parametrize("fault", ["garbage", "huge", "second-hello"])
def test_bytes_that_are_no_message_are_a_protocol_fault(fault: str) -> None:
    played = against_honest("--fault", fault, games=2, limits=PATIENT, in_flight=1)
    assert played.words(0) == ["protocol", "protocol"]


def test_an_illegal_action_retires_at_once_with_code_bytes_and_legal_list() -> None:
    played = against_honest("--fault", "illegal", games=1)
    assert played.words(0) == ["illegal"]
    (found,) = evidence(played)
    assert found["code"] == "action_not_in_variant"
    assert found["answer"] == "lay 11"
    assert found["legal"] == ["pass", "take"]
    actions = [action for entry in played.records[0].entries for _, action in getattr(entry.step, "by_seat", ())]
    assert "lay 11" not in actions


@pytest.mark.parametrize("fault", ["empty", "malformed", "resign", "long"])
def test_an_answer_that_is_no_action_is_one_strike(fault: str) -> None:
    played = against_honest("--fault", fault, games=1)
    assert played.words(0) == ["normal"]
    (strike,) = played.records[0].faults
    assert (strike.word, strike.cost, strike.seat) == ("protocol", "default", 0)
    assert played.records[0].entries[strike.step].defaulted == (0,)


def test_what_a_bot_says_beside_its_action_is_in_its_log_and_nowhere_else() -> None:
    played = against_honest("--fault", "empty", games=1)
    assert "I will take the card because it is cheap." in played.end.logs[0]
    assert b"cheap" not in played.games[0].record
    assert b"cheap" not in played.games[0].trace


def test_three_strikes_retire() -> None:
    played = against_honest("--fault", "empty", "--every", games=1)
    assert played.words(0) == ["protocol"]
    assert [fault.cost for fault in played.records[0].faults] == ["default", "default", "retire"]


def test_a_strict_league_retires_at_the_first_strike() -> None:
    strict = FaultPolicy(costs=(("protocol", "retire"),))
    played = against_honest("--fault", "empty", games=1, policy=strict)
    assert [fault.cost for fault in played.records[0].faults] == ["retire"]


def test_a_late_answer_is_a_strike_and_the_next_decision_is_played() -> None:
    """The answer comes before the seat's next decision, so it costs one default action."""
    others = (program("b", "--sleep-ms", "150"), program("c", "--sleep-ms", "150"))
    limits = Limits(move_ms=300, margin_ms=100)
    bots = [program("bad", "--fault", "late", "--late-ms", "450"), *others]
    played = play_until_whole(bots, 1, limits, in_flight=1)
    assert [fault.word for fault in played.records[0].faults][:1] == ["timeout"]
    assert played.records[0].faults[0].cost == "default"


def test_a_silent_bot_is_retired_benched_and_delays_only_as_long_as_the_rules_allow() -> None:
    """Each of its processes costs one limit, one more silence and a start; after ten games it is asked no more."""
    played = against_honest("--fault", "hang", "--at", "1", games=14, in_flight=1)
    assert played.words(0)[0] == "timeout"
    assert set(played.words(0)) == {"timeout", "no-show"}
    assert played.words(0)[10:] == ["no-show"] * 4
    assert played.seconds < 10 * (0.45 + 0.3 + 1.5) + 5


def test_a_bot_that_mutes_some_requests_is_ruled_late_for_them_alone() -> None:
    played = against_honest("--fault", "mute", "--at", "4", games=1, in_flight=1)
    assert played.words(0) == ["timeout"]


@pytest.mark.parametrize("fault", ["duplicate", "stale"])
def test_strays_are_counted_and_more_than_ten_in_a_game_are_a_protocol_fault(fault: str) -> None:
    played = against_honest("--fault", fault, "--at", "1", games=1)
    assert played.words(0) == ["protocol"]
    trace = json.loads(played.games[0].trace)
    assert trace["strays"][0] > 10


def test_a_few_strays_are_tolerated() -> None:
    played = against_honest("--fault", "duplicate", "--at", "14", games=1)
    assert played.words(0) == ["normal"]


def test_a_flood_of_output_neither_blocks_the_bot_nor_fills_the_disk(tmp_path: Path) -> None:
    played = against_honest("--fault", "flood", games=1, limits=PATIENT, logs=str(tmp_path))
    assert played.words(0) == ["normal"]
    (log,) = (tmp_path / "bad").iterdir()
    assert 128 << 10 <= log.stat().st_size < 130 << 10
    assert b"bytes left out" in log.read_bytes()


def test_left_over_grandchildren_in_sessions_of_their_own_are_ended() -> None:
    sitting = job([program("bad", "--fault", "fork"), *HONEST], 1, PATIENT)
    played = run(sitting)
    assert played.words(0) == ["normal"]
    assert not list(marked(sitting.mark))


def test_a_bot_that_ignores_sigterm_is_killed_within_two_seconds() -> None:
    played = against_honest("--ignore-term", games=1, limits=PATIENT)
    assert played.words(0) == ["normal"]
    assert played.end.seconds - played.end.start_seconds < 4


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("exit-early", "exit status 1"),
        ("wrong-protocol", "speaks protocol 99, this referee 1"),
        ("no-games", "cannot play no_thanks, only solitaire"),
        ("answers-first", "answers before the hello"),
    ],
)
def test_a_bot_that_does_not_start_is_a_no_show_with_its_reason(fault: str, words: str) -> None:
    played = against_honest("--fault", fault)
    assert played.words(0) == ["no-show"] * GAMES
    assert words in str(evidence(played)[0]["words"])
    if fault == "exit-early":
        assert "no module named as told" in played.end.logs[0]


def test_a_bot_that_never_says_hello_keeps_the_others_waiting_once() -> None:
    limits = Limits(start_s=1, move_ms=300, margin_ms=150)
    played = against_honest("--fault", "never", limits=limits)
    assert played.words(0) == ["no-show"] * GAMES
    assert played.seconds < 3 * 1 + 5


def test_start_up_has_its_own_limit() -> None:
    played = against_honest("--start-ms", "900", limits=Limits(start_s=5, move_ms=300), games=1)
    assert played.words(0) == ["normal"]


def test_quick_answers_in_other_games_gain_no_time() -> None:
    """A bot that answers its list in reverse order is charged for the oldest request all the while.

    What it computes is known: charges are compared with that, which no other program on this machine changes.
    """
    think_us = 60_000
    flags = ("--think-ms", str(think_us // 1000), "--one-by-one", "--at", "1", "--fault", "reverse")
    reverse = play([program("a", *flags), *HONEST], 6, PATIENT, in_flight=6)
    decisions, _, largest = reverse.end.charges_us[0]
    assert largest > 2.5 * think_us
    assert sum(spent_us(reverse)) >= 0.95 * think_us * decisions


def spent_us(played: Played) -> list[int]:
    """Return what the first seat was charged in each game, in microseconds."""
    return [sum(row[2] for row in json.loads(game.trace)["decisions"] if row[0] == 0) for game in played.games]


def test_three_bots_that_compute_are_charged_their_own_time_alone() -> None:
    """The baton: with 16 games in flight each is charged what it is charged with one, not three times that.

    Another program that computes beside one of the two runs, and not beside the other, does not come three times.
    """
    bots = [program(name, "--think-ms", "5", "--one-by-one") for name in "abc"]

    def compared() -> list[float]:
        alone, together = (play(bots, 16, PATIENT, in_flight=in_flight) for in_flight in (1, 16))
        pairs = zip(alone.end.charges_us, together.end.charges_us, strict=True)
        assert all(many_us >= 5_000 for _, many_us, _ in together.end.charges_us)
        return [many_us / one_us for (_, one_us, _), (_, many_us, _) in pairs]

    assert any(max(compared()) < 2 for _ in range(3))


def test_lists_grow_on_their_own_and_the_results_do_not_depend_on_them() -> None:
    bots = [program(name) for name in "abc"]
    alone, together = play(bots, 40, in_flight=1), play(bots, 40)
    assert [game.record for game in alone.games] == [game.record for game in together.games]
    assert alone.end.decisions / alone.end.lists == 1
    assert together.end.decisions / together.end.lists > 3


def test_bots_that_wait_are_served_beside_each_other() -> None:
    """Three bots that sleep 5 ms a decision are not slowed to one after the other once that is seen."""
    bots = [program(name, "--sleep-ms", "5") for name in "abc"]
    played = play(bots, 8, Limits(), in_flight=8)
    assert played.words(0) == ["normal"] * 8


def test_a_job_without_games_checks_that_its_bots_start() -> None:
    played = play([program("good"), program("bad", "--fault", "exit-early")], 0, game="no_thanks")
    assert played.end.failures[0] == ""
    assert "exit status 1" in played.end.failures[1]
    assert "no module named as told" in played.end.logs[1]


def test_a_sitting_that_cannot_begin_says_why_and_nothing_of_what_it_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here gRPC cannot open a socket; what was told before was the cost of a sitting without bots."""
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    monkeypatch.setattr("arena.league.sitting.make_folder", lambda *_, **__: str(folder))
    items: list[object] = []

    async def collect() -> None:
        async for item in play_sitting(job([program("a"), *HONEST], 1, LIMITS)):
            items.append(item)

    with pytest.raises(RuntimeError, match="bind"):
        asyncio.run(collect())
    assert items == []
    assert not folder.exists()


def test_events_carry_the_steps_since_the_last_request() -> None:
    played = against_honest("--events", games=1)
    assert played.words(0) == ["normal"]
