"""Every game goes through every path of fault at every seat: in real sittings, and in many simulated ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.errors import Termination
from arena.games import Moves, create, game_class, game_ids
from arena.players.base import Limits
from arena.records.codec import decode
from arena.records.record import RETIRE, Record
from arena.testing.kit import record_of
from arena.testing.modes import mode_options
from arena.testing.playout import moments
from arena.testing.simulated import simulate
from tests.faults.test_simulated import assert_right
from tests.league.sittings import play_until_whole, program

FAULTS = (("illegal", {"illegal", "protocol"}), ("hang", {"timeout"}), ("crash", {"crash"}))
LIMITS = Limits(start_s=30, move_ms=500, margin_ms=300)
TURNS = [(game, number) for game in game_ids() for number in range(len(FAULTS))]
PLAIN = {(game, number % len(FAULTS)) for number, game in enumerate(game_ids())}


def goes_wrong(game: str, turn: int) -> None:
    """Play a game in which every seat does something bad in its first decision, each something else."""
    seats = game_class(game).seat_counts[0]
    faults = [FAULTS[(seat + turn) % len(FAULTS)] for seat in range(seats)]
    bots = [program(f"b{seat}", "--fault", fault, "--at", "1", "--every") for seat, (fault, _) in enumerate(faults)]
    (record,) = play_until_whole(bots, 1, LIMITS, game=game, options={}, in_flight=1).records
    for seat, (_, words) in enumerate(faults):
        assert {str(fault.word) for fault in record.faults if fault.seat == seat} <= words
        assert str(record.terminations[seat]) in words
    assert_asked_no_more(record)


def assert_asked_no_more(record: Record) -> None:
    """After a seat is retired every one of its moves is forced, or the default action that the referee played.

    In the step of the fault itself its own answer may have been taken already, while other seats were open.
    """
    for fault in record.faults:
        if fault.cost == RETIRE:
            for entry in record.entries[fault.step + 1 :]:
                if isinstance(entry.step, Moves) and fault.seat in dict(entry.step.by_seat):
                    assert entry.forced or fault.seat in entry.defaulted


@pytest.mark.parametrize(("game", "turn"), sorted(PLAIN))
def test_all_seats_of_every_game_go_wrong(game: str, turn: int) -> None:
    goes_wrong(game, turn)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "turn"), sorted(set(TURNS) - PLAIN))
def test_all_seats_of_every_game_go_wrong_in_every_way(game: str, turn: int) -> None:
    goes_wrong(game, turn)


def tables(game: str) -> Iterator[tuple[str, int, dict[str, object]]]:
    """Yield the smallest and the largest table of a game."""
    seats = game_class(game).seat_counts
    for number in (seats[0], seats[-1]):
        yield game, number, {"rounds": 1} if game == "no_thanks" else {}


@pytest.mark.parametrize("game", game_ids())
def test_whatever_happens_to_bots_of_any_game_the_right_one_is_blamed(game: str) -> None:
    """What is played in the place of a seat is legal: every record replays, to the same end."""
    words = set()
    for table in tables(game):
        for seed in range(5):
            played = simulate(seed, table)
            assert_right(played)
            for finished in played.finished:
                record = decode(finished.record)
                assert_asked_no_more(record)
                words |= set(record.terminations)
    assert words >= {Termination.NORMAL, Termination.CRASH, Termination.TIMEOUT}


@pytest.mark.parametrize("game", game_ids())
def test_a_deal_changes_the_cards_and_nothing_else(game: str) -> None:
    """No option, default or other, is lost or changed by dealing; two deals differ in what chance decided alone."""
    seats = game_class(game).seat_counts[0]
    for options in ({}, *({name: value} for name, value in mode_options(game))):
        rules = create(game, seats, **options)
        before = dict(rules.spec.options)
        assert {name: before[name] for name in options} == {
            name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
        }
        records = [record_of(list(moments(rules, number, 1))) for number in range(2)]
        assert [dict(record.options) for record in records] == [before, before]
        assert dict(rules.spec.options) == before
        assert records[0].entries[0] != records[1].entries[0]
