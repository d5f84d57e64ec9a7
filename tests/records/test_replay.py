"""A record replays without bots or generators, and one that does not fit its rules is refused at the step that lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.errors import RecordError
from arena.games import Chance, GameOver, Moves, create
from arena.records.record import Entry, Record
from arena.records.replay import game_of, states, verify_replay
from arena.testing.kit import record_of
from arena.testing.playout import moments


def played() -> Record:
    game = create("no_thanks", 3, rounds=1)
    *taken, (last, _) = moments(game, 0, 5)
    return record_of(game, last.turn, [step for _, step in taken], 0)


RECORD = played()


def with_entry(number: int, entry: Entry) -> Record:
    entries = RECORD.entries
    return replace(RECORD, entries=(*entries[:number], entry, *entries[number + 1 :]))


def test_a_record_replays() -> None:
    verify_replay(RECORD)
    assert len(list(states(RECORD))) == len(RECORD.entries)


def test_states_come_before_their_steps() -> None:
    """Replays show a step on the state in which it was decided."""
    game = game_of(RECORD)
    for number, (state, entry) in enumerate(states(RECORD)):
        if number:
            assert isinstance(entry.step, Moves)
            assert entry.step.by_seat[0][0] == state.seat
        else:
            assert state == game.initial()


LIES: list[tuple[Callable[[], Record], str]] = [
    (lambda: with_entry(0, RECORD.entries[1]), r"step 0: .* where ChanceTurn\(\) is due"),
    (lambda: with_entry(0, Entry(Chance("shuffle 3 4 5"))), r"step 0: .* is no shuffle of the 33 cards"),
    (lambda: with_entry(1, RECORD.entries[0]), r"step 1: .* where SeatTurn\(seats=\(0,\)\) is due"),
    (lambda: with_entry(1, Entry(Moves(((2, "take"),)))), r"step 1: seats \(2,\) moved where \(0,\) are due"),
    (lambda: with_entry(1, Entry(Moves(((0, "lay 3"),)))), r"step 1: seat 0: .*\(action_not_in_variant\)"),
    (lambda: with_entry(1, Entry(Moves(()))), r"step 1: seats \(\) moved"),
    (lambda: replace(RECORD, entries=RECORD.entries[:-1]), "the game is not over after its last step"),
    (lambda: replace(RECORD, entries=(*RECORD.entries, RECORD.entries[1])), "where GameOver"),
    (lambda: replace(RECORD, scores=(0, 0, 0)), "replay gives scores"),
    (lambda: replace(RECORD, ranks=(3, 3, 3)), "stored are .* and .3, 3, 3."),
    (lambda: replace(RECORD, game="bridge"), "unknown game 'bridge'"),
    (lambda: replace(RECORD, game="no_thank"), "did you mean 'no_thanks'"),
    (lambda: replace(RECORD, seats=9), "no_thanks takes 3..7"),
    (lambda: replace(RECORD, options={"rounds": 99}), "accepted is 1..20"),
    (lambda: replace(RECORD, rules_version=2), "was played by version 2 of no_thanks; here is version 1"),
]


@pytest.mark.parametrize(("lie", "words"), LIES)
def test_a_lying_record_is_refused(lie: Callable[[], Record], words: str) -> None:
    with pytest.raises(RecordError, match=f"record no_thanks-0.*{words}"):
        verify_replay(lie())


def test_rules_outside_the_registry_can_be_given() -> None:
    """A game that is not installed replays with the rules at hand."""
    foreign = replace(RECORD, game="house_rules")
    verify_replay(foreign, game_of(RECORD))
    with pytest.raises(RecordError, match="house_rules"):
        verify_replay(foreign)


def test_the_record_helper_keeps_the_result() -> None:
    *_, (last, entry) = states(RECORD)
    over = game_of(RECORD).turn(game_of(RECORD).apply(last, entry.step))
    assert over == GameOver(RECORD.scores, RECORD.ranks)
