"""Replay: fold the recorded steps over the initial state, with no generator and no bot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.errors import BadOptions, IllegalAction, RecordError
from arena.games import Chance, ChanceTurn, Game, GameOver, SeatTurn, create
from arena.records.record import Entry, Record


def game_of(record: Record) -> Game[Any, Any]:
    """Return the rules that a record was played by.

    Raises:
        RecordError: when they are unknown here or of another version.
    """
    try:
        game = create(record.game, record.seats, **record.options)
    except BadOptions as error:
        raise RecordError(f"record {record.game_id}: {error}") from error
    if game.spec.rules_version != record.rules_version:
        raise RecordError(
            f"record {record.game_id} was played by version {record.rules_version} of {record.game}; "
            f"here is version {game.spec.rules_version}"
        )
    return game


def states(record: Record, game: Game[Any, Any] | None = None) -> Iterator[tuple[Any, Entry]]:
    """Yield (state before, entry) for every step.

    Args:
        record: the game.
        game: its rules, when they are not to be looked up in the registry.

    Raises:
        RecordError: naming the step that does not fit the rules, or the result that does not follow.
    """
    game = game or game_of(record)
    state = game.initial()
    for number, entry in enumerate(record.entries):
        yield state, entry
        state = _applied(game, state, entry, f"record {record.game_id}, step {number}")
    _check_result(game, state, record)


def verify_replay(record: Record, game: Game[Any, Any] | None = None) -> None:
    """Replay a record to its end; arguments as ``states``.

    Raises:
        RecordError: as ``states``.
    """
    for _ in states(record, game):
        pass


def _applied(game: Game[Any, Any], state: Any, entry: Entry, where: str) -> Any:
    turn = game.turn(state)
    step = entry.step
    if isinstance(turn, GameOver) or isinstance(turn, ChanceTurn) != isinstance(step, Chance):
        raise RecordError(f"{where}: {step} where {turn} is due")
    if isinstance(turn, SeatTurn) and not isinstance(step, Chance):
        moved = tuple(seat for seat, _ in step.by_seat)
        if moved != turn.seats:
            raise RecordError(f"{where}: seats {moved} moved where {turn.seats} are due")
    try:
        return game.apply(state, step)
    except (IllegalAction, ValueError) as error:
        raise RecordError(f"{where}: {error}") from error


def _check_result(game: Game[Any, Any], state: Any, record: Record) -> None:
    turn = game.turn(state)
    if not isinstance(turn, GameOver):
        raise RecordError(f"record {record.game_id}: the game is not over after its last step")
    if (turn.scores, turn.ranks) != (record.scores, record.ranks):
        raise RecordError(
            f"record {record.game_id}: replay gives scores {turn.scores} and ranks {turn.ranks}, "
            f"stored are {record.scores} and {record.ranks}"
        )
