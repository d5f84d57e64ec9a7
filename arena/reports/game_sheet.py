"""One game as readable lines: who sat where, every step, the table after it, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from arena.errors import Termination
from arena.games import Chance, Game, Moves, Seat, game_class
from arena.records.record import Entry, Fault, Record, places
from arena.records.replay import game_of, states


def natural_scores(game_id: str, scores: Sequence[int]) -> tuple[int, ...]:
    """Return scores the way round in which the rules count: negated back where fewer is better."""
    return tuple(-score for score in scores) if game_class(game_id).fewer_is_better else tuple(scores)


def game_sheet(record: Record, *, shown: Sequence[Seat] | None = None, tables: bool = True) -> Iterator[str]:
    """Yield the lines of a game, replayed from its record.

    Args:
        record: the game.
        shown: seats whose private cards are shown; None is all. With one seat, chance is shown as that seat saw it;
            with some or none, as a spectator.
        tables: yield the table, indented, after every step; else only at the end.

    Raises:
        RecordError: as soon as a step does not fit the rules, or the result does not follow.
    """
    game = game_of(record)
    visible = tuple(range(record.seats)) if shown is None else tuple(shown)
    yield from _head(record, game.spec.options)
    before, entry = game.initial(), None
    for number, (before, entry) in enumerate(states(record)):
        if tables and number:
            yield from _table(game, before, visible)
        yield f"{number:4}  {_step_text(record, _seen(game, before, entry, visible), entry)}"
        yield from (f"      ! {_fault_text(record, fault)}" for fault in record.faults if fault.step == number)
    yield from _table(game, game.apply(before, entry.step) if entry else before, visible)
    yield from (f"      ! {_fault_text(record, fault)}" for fault in record.faults if fault.step >= len(record.entries))
    yield from _result(record)


def _head(record: Record, options: Iterable[str]) -> Iterator[str]:
    given = [(name, record.options[name]) for name in options if record.options.get(name) is not None]
    title = game_class(record.game).title
    yield f"{title} ({record.game}, rules version {record.rules_version}), game {record.game_id}"
    yield ", ".join([f"deal {record.deal}", *(f"{name} = {_option(value)}" for name, value in given)])
    for seat, player in enumerate(record.players):
        yield f"seat {seat}: {player.name}" + (f" {player.version}" if player.version else "")


def _option(value: Any) -> str:
    return (
        str(list(value)) if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)
    )


def _seen(game: Game[Any, Any], before: Any, entry: Entry, visible: Sequence[Seat]) -> Chance | Moves:
    """Return the step as the shown seats may see it; everything is open when all are shown."""
    if len(visible) == game.spec.seats:
        return entry.step
    return game.redact(before, entry.step, visible[0] if len(visible) == 1 else None)


def _step_text(record: Record, step: Chance | Moves, entry: Entry) -> str:
    if isinstance(step, Chance):
        return f"chance: {step.outcome}"
    ticks = step.ticks or (None,) * len(step.by_seat)
    moves = [
        f"{who(record, seat)}: {action}"
        + (" (default)" if seat in entry.defaulted else "")
        + (f" (tick {tick})" if tick is not None else "")
        for (seat, action), tick in zip(step.by_seat, ticks, strict=True)
    ]
    return ", ".join(moves) + (" (forced)" if entry.forced else "")


def who(record: Record, seat: Seat) -> str:
    """Return ``name (seat N)``, or ``seat N`` for a seat that the rules add."""
    return f"{record.players[seat].name} (seat {seat})" if seat < len(record.players) else f"seat {seat}"


def _fault_text(record: Record, fault: Fault) -> str:
    cost = "retires" if fault.cost == "retire" else "a strike, the default action is played"
    return f"{who(record, fault.seat)}: {fault.word.value}; {cost}"


def _table(game: Game[Any, Any], state: Any, visible: Sequence[Seat]) -> Iterator[str]:
    yield from (f"      {line}".rstrip() for line in game.render(state, visible).splitlines())


def _result(record: Record) -> Iterator[str]:
    """Yield the final places, best first, with scores in the rules' direction and why a seat ended early."""
    unit = game_class(record.game).score_unit
    scores = natural_scores(record.game, record.scores)
    place = places(record.ranks, record.terminations)
    yield "result:"
    order = sorted(range(len(place)), key=place.__getitem__)
    for rank, seats in groupby(order, key=place.__getitem__):
        for seat in seats:
            word = record.terminations[seat]
            ending = "" if word is Termination.NORMAL else f", retired ({word.value})"
            yield f"  {rank}. {who(record, seat)}: {scores[seat]} {unit}{ending}"
    yield from (
        f"     seat {seat}, played by the rules: {scores[seat]} {unit}" for seat in range(len(place), len(scores))
    )
