"""A recorded game played once more at a table: the same decisions in the same order, without bots.

Whoever iterates sees the table as it was when each seat was asked, so that its requests can be made again. The table
may draw the deal itself, when its key is known, or take the recorded outcomes (``with_recorded_chance``).
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import IllegalAction, RecordError
from arena.games import Action, Chance, Game, Moves, Seat
from arena.games.base import Source
from arena.records.record import RETIRE, Entry, Fault, Record
from arena.referee.table import Table


@dataclass(frozen=True, slots=True)
class Decision:
    """One recorded decision of a seat that was asked.

    Attributes:
        step: number of steps before it.
        seat: who was asked.
        number: requests to this seat before.
        action: what was played.
        fault: the fault that ended it, None when its answer was taken.
        is_default: the referee played the action.
    """

    step: int
    seat: Seat
    number: int
    action: Action
    fault: Fault | None
    is_default: bool


def with_recorded_chance(game: Game[Any, Any], record: Record) -> Game[Any, Any]:
    """Return a game whose chance events are those of a record, in order, for one table."""
    outcomes = iter([entry.step for entry in record.entries if isinstance(entry.step, Chance)])

    def recorded(state: Any, stream: Source) -> Chance:
        outcome = next(outcomes, None)
        if outcome is None:
            raise RecordError(f"record {record.game_id}: more chance events are due than are recorded")
        return outcome

    again = copy.copy(game)
    again.sample_chance = recorded  # type: ignore[method-assign]  # the rest of the rules stays what it is
    return again


def reenact(record: Record, table: Table) -> Iterator[Decision]:
    """Play a record at a fresh table; yield every decision while its seat is asked, before it is closed.

    After the last one the table holds what the record says: steps, faults, terminations and result are compared.

    Args:
        record: the game.
        table: a table of its rules at which nothing has happened yet.

    Raises:
        RecordError: naming the first step, or the part of the result, that does not follow.
    """
    faults, compared = deque(record.faults), 0
    while True:
        asked = _advance(record, table)
        _compare(record, table, compared)
        compared = len(table.entries)
        if not asked:
            break
        moves = _moves(record, compared)
        ruled = [faults.popleft() for _ in record.faults if faults and faults[0].step <= compared]
        yield from _decisions(record, table, asked, moves, ruled)
        _close(record, table, asked, moves, ruled)
    _compare_end(record, table)


def _advance(record: Record, table: Table) -> tuple[Seat, ...]:
    try:
        return table.advance()
    except (IllegalAction, ValueError) as error:
        raise RecordError(f"record {record.game_id}, step {len(table.entries)}: {error}") from error


def _moves(record: Record, step: int) -> Moves:
    found = record.entries[step].step if step < len(record.entries) else None
    if not isinstance(found, Moves):
        raise RecordError(f"record {record.game_id}, step {step}: a decision is due, stored is {found or 'the end'}")
    return found


def _decisions(
    record: Record, table: Table, asked: Sequence[Seat], moves: Moves, ruled: Sequence[Fault]
) -> Iterator[Decision]:
    step, actions = len(table.entries), dict(moves.by_seat)
    for seat in asked:
        if seat not in actions:
            raise RecordError(f"record {record.game_id}, step {step}: no action of seat {seat}, which is asked")
        fault = next((fault for fault in ruled if fault.seat == seat), None)
        is_default = seat in record.entries[step].defaulted
        yield Decision(step, seat, table.decisions[seat] - 1, actions[seat], fault, is_default)


def _close(record: Record, table: Table, asked: Sequence[Seat], moves: Moves, ruled: Sequence[Fault]) -> None:
    """Rule what was ruled, then take the answers of the others."""
    step, defaulted = len(table.entries), record.entries[len(table.entries)].defaulted
    ticks = dict(zip(dict(moves.by_seat), moves.ticks or (), strict=False))
    for fault in ruled:
        if fault.cost == RETIRE:
            table.retire(fault.seat, fault.word)
        else:
            table.rule(fault.seat, fault.word)
    for seat, action in moves.by_seat:
        if seat not in asked or len(table.entries) > step or not table.is_asked(seat):
            continue
        if seat in defaulted:
            _check_missed(record, table, seat)
            table.default(seat)
        elif (refused := table.answer(seat, action, ticks.get(seat) or 0)) is not None:
            raise RecordError(f"record {record.game_id}, step {step}: {action!r} of seat {seat}: {refused.words}")


def _check_missed(record: Record, table: Table, seat: Seat) -> None:
    """Refuse a default action without a fault: only windows of mode ``race`` are missed without one."""
    if table.game.race_timing is None:
        step = len(table.entries)
        raise RecordError(f"record {record.game_id}, step {step}: the default action for seat {seat} without a fault")


def _compare(record: Record, table: Table, start: int) -> None:
    for step in range(start, len(table.entries)):
        stored = record.entries[step] if step < len(record.entries) else None
        if stored != table.entries[step]:
            words = _difference(stored, table.entries[step])
            raise RecordError(f"record {record.game_id}, step {step}: {words}")


def _difference(stored: Entry | None, due: Entry) -> str:
    if stored is None:
        return f"missing; due is {due.step}"
    if isinstance(stored.step, Chance) and isinstance(due.step, Chance):
        theirs, ours = stored.step.outcome.split(" "), due.step.outcome.split(" ")
        place = next(
            (n for n, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b), min(len(theirs), len(ours))
        )
        kept, dealt = (" ".join(words[place : place + 1]) or "the end" for words in (theirs, ours))
        return f"chance is not what the secret deals: word {place} of {ours[0]!r} is {kept}, dealt is {dealt}"
    if stored.step != due.step:
        return f"stored is {stored.step}, due is {due.step}"
    return (
        f"stored as forced {stored.forced} and default of seats {list(stored.defaulted)}, "
        f"due is forced {due.forced} and default of seats {list(due.defaulted)}"
    )


def _compare_end(record: Record, table: Table) -> None:
    assert table.over is not None
    found = {
        "steps": (len(record.entries), len(table.entries)),
        "faults": (record.faults, tuple(table.faults)),
        "terminations": (record.terminations, tuple(table.terminations)),
        "scores": (record.scores, table.over.scores),
        "ranks": (record.ranks, table.over.ranks),
    }
    for part, (stored, due) in found.items():
        if stored != due:
            raise RecordError(f"record {record.game_id}: {part} stored are {stored}, replay gives {due}")
