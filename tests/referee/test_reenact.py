"""A record played again at a table gives the same record, in every game and with faults, or names what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import RecordError, Termination
from arena.games import Chance, create, game_ids
from arena.players.base import FaultPolicy
from arena.records.record import Entry, Fault, Player, Record
from arena.referee.reenact import reenact, with_recorded_chance
from arena.referee.table import Table
from arena.seeds import Stream, derive

KEY = derive(b"reenact", "deal")
Rule = Callable[[Table, Stream], None]


def recorded(game_id: str, fault: Rule | None = None, **options: Any) -> Record:
    """Play a game at random at a table, with faults, and return its record."""
    game = create(game_id, 2 if game_id == "king_priam" else 3, **options)
    table, luck = Table(game, KEY, FaultPolicy()), Stream(derive(b"luck", game_id))
    while asked := table.advance():
        if fault is not None:
            fault(table, luck)
        for seat in asked:
            if table.is_asked(seat):
                legal = table.legal(seat)
                table.answer(seat, legal[luck.below(len(legal))], luck.below(5))
    assert table.over is not None
    return Record(
        "g", game_id, game.spec.rules_version, game.seats, dict(game.spec.options), 0, "", "none",
        tuple(Player(f"b{seat}", "1", "") for seat in range(game.seats)), tuple(table.entries), tuple(table.faults),
        tuple(table.terminations), table.over.scores, table.over.ranks,
    )  # fmt: skip


def again(record: Record, *, deal: bool = True) -> Table:
    """Play a record to its end at a fresh table."""
    game = create(record.game, record.seats, **record.options)
    table = Table(game if deal else with_recorded_chance(game, record), KEY if deal else b"", FaultPolicy())
    decisions = list(reenact(record, table))
    assert [d.step for d in decisions] == sorted(d.step for d in decisions)
    return table


def strikes(table: Table, luck: Stream) -> None:
    """Now and then one asked seat times out, and seat 1 dies early on."""
    for seat in list(table.open_seats())[:1]:
        if luck.below(6) == 0 and table.is_asked(seat):
            table.rule(seat, Termination.TIMEOUT)
    if len(table.entries) > 3 and not table.retired(1):
        table.retire(1, Termination.CRASH)


@pytest.mark.parametrize("game_id", game_ids())
@pytest.mark.parametrize("fault", [None, strikes])
@pytest.mark.parametrize("deal", [True, False])
def test_every_game_is_played_again_to_the_same_record(game_id: str, fault: Rule | None, deal: bool) -> None:
    record = recorded(game_id, fault)
    assert bool(record.faults) == (fault is not None)
    table = again(record, deal=deal)
    assert tuple(table.entries) == record.entries
    assert tuple(table.faults) == record.faults


def test_a_race_is_played_again_with_its_ticks_and_missed_windows() -> None:
    def misses(table: Table, luck: Stream) -> None:
        seat = next(iter(table.open_seats()))
        if luck.below(4) == 0:
            table.default(seat)

    record = recorded("rainbow", misses, mode="race")
    assert any(entry.defaulted for entry in record.entries)
    assert tuple(again(record).entries) == record.entries


def test_decisions_carry_numbers_actions_and_faults() -> None:
    record = recorded("no_thanks", strikes, rounds=1)
    game = create("no_thanks", 3, rounds=1)
    decisions = list(reenact(record, Table(game, KEY, FaultPolicy())))
    for seat in range(3):
        assert [d.number for d in decisions if d.seat == seat] == list(range(sum(d.seat == seat for d in decisions)))
    struck = [d for d in decisions if d.fault is not None]
    assert struck
    assert all(d.is_default for d in struck)
    assert not [d for d in decisions if d.seat == 1 and d.step > next(f.step for f in record.faults if f.seat == 1)]


def changed(record: Record, step: int, entry: Entry) -> Record:
    return replace(record, entries=(*record.entries[:step], entry, *record.entries[step + 1 :]))


def test_what_does_not_follow_is_named() -> None:
    record = recorded("no_thanks", strikes, rounds=1)
    shuffle = record.entries[0].step
    assert isinstance(shuffle, Chance)
    words = shuffle.outcome.split(" ")
    words[1], words[2] = words[2], words[1]
    struck = next(fault for fault in record.faults if fault.cost == "default")
    forced = next(n for n, entry in enumerate(record.entries) if entry.forced)
    spoiled = {
        "step 0: chance is not what": changed(record, 0, Entry(Chance(" ".join(words)))),
        "the default action for seat": replace(record, faults=tuple(f for f in record.faults if f != struck)),
        "is due, stored is the end": replace(record, entries=record.entries[:9]),
        "steps stored are": replace(record, entries=(*record.entries, record.entries[-1])),
        "scores stored are": replace(record, scores=(0, 0, 0)),
        "ranks stored are": replace(record, ranks=(1, 1, 1)),
        "terminations stored are": replace(record, terminations=(Termination.NORMAL,) * 3),
        "faults stored are": replace(record, faults=(*record.faults, Fault(999, 0, Termination.CRASH, "retire"))),
        "stored as forced False": changed(record, forced, replace(record.entries[forced], forced=False)),
    }
    for found, spoilt in spoiled.items():
        with pytest.raises(RecordError, match=found):
            again(spoilt)


def test_an_action_that_the_rules_refuse_is_named() -> None:
    record = recorded("no_thanks", rounds=1)
    step = next(n for n, e in enumerate(record.entries) if not isinstance(e.step, Chance) and not e.forced)
    moves = record.entries[step].step
    assert not isinstance(moves, Chance)
    entry = replace(record.entries[step], step=replace(moves, by_seat=((moves.by_seat[0][0], "lay 11"),)))
    with pytest.raises(RecordError, match=f"step {step}: 'lay 11' of seat"):
        again(changed(record, step, entry))
