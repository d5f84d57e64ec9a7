"""Between domain values and protobuf messages: the only place where the two meet.

A view becomes the message of the same field names; how each field is written is worked out once, from the message's
descriptor. A seat's message is kept from one request to the next and only what changed is written again
(performance.md: 2 µs instead of 9 for a view built anew).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from google.protobuf.internal import api_implementation

from arena.errors import Termination, UsageError
from arena.games import Chance, Moves, Step, game_class
from arena.v1 import arena_pb2

OTHER_GAMES = "other"
WORDS = {word: arena_pb2.Termination.Value("TERMINATION_" + word.replace("-", "_").upper()) for word in Termination}
Write = Callable[[Any, Any], None]
Descriptor: TypeAlias = Any
"""A message's or field's descriptor: protobuf's runtime and its stubs name the types differently."""


def require_upb() -> None:
    """Refuse to go on with the slow protobuf runtime.

    Raises:
        UsageError: when protobuf's compiled runtime (upb) is missing, saying how to get it.
    """
    found = api_implementation.Type()
    if found != "upb":
        raise UsageError(
            f"the protobuf runtime here is {found!r}, ten times too slow for a referee; the arena needs 'upb': "
            "unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION and reinstall protobuf from a binary wheel "
            "(pip install --force-reinstall --only-binary :all: protobuf)"
        )


class SeatView:
    """The view of one seat in one game, kept as a message between requests."""

    __slots__ = ("_changes", "_into", "_last", "_message", "_writers")

    def __init__(self, game_id: str) -> None:
        self._into, self._message, self._writers = _target(game_id)
        self._last: Any = None

    def write(self, view: Any, request: arena_pb2.Request) -> None:
        """Put a view into a request, writing again only what differs from the last one."""
        if self._into == OTHER_GAMES:
            request.other.update(_struct(view))
            return
        message, last = self._message, self._last
        for name, write in self._writers:
            value = getattr(view, name)
            if last is None or ((old := getattr(last, name)) is not value and old != value):
                write(message, value)
        self._last = view
        getattr(request, self._into).CopyFrom(message)


def view_in(message: arena_pb2.Request) -> Any:
    """Return the domain view of a request, for ``Game.imagine``.

    Raises:
        ValueError: for a game that travels without a typed view.
    """
    name = message.WhichOneof("view")
    if name is None or name == OTHER_GAMES:
        raise ValueError("only the arena's own games have typed views")
    return _read(_view_type(name), getattr(message, name))


def event_out(step: Step, into: arena_pb2.Event) -> None:
    """Write a redacted step into an event."""
    if isinstance(step, Chance):
        into.chance = step.outcome
        return
    ticks = step.ticks or (None,) * len(step.by_seat)
    for (seat, action), tick in zip(step.by_seat, ticks, strict=True):
        into.moves.add(seat=seat, action=action, tick=tick)


def event_in(event: arena_pb2.Event) -> Step:
    """Return the step of an event."""
    if event.chance:
        return Chance(event.chance)
    ticks = tuple(move.tick if move.HasField("tick") else None for move in event.moves)
    by_seat = tuple((move.seat, move.action) for move in event.moves)
    return Moves(by_seat, ticks if any(tick is not None for tick in ticks) else None)


def new_game_out(
    game_id: str, game: str, seat: int, seats: int, options: Mapping[str, Any], bot_seed: int
) -> arena_pb2.NewGame:
    """Return the announcement of a game to one seat."""
    message = arena_pb2.NewGame(game_id=game_id, game=game, seat=seat, seats=seats, bot_seed=bot_seed)
    message.options.update({name: list(v) if isinstance(v, tuple) else v for name, v in options.items()})
    return message


def game_over_out(
    game_id: str, scores: Iterable[int], ranks: Iterable[int], terminations: Iterable[Termination]
) -> arena_pb2.GameOver:
    """Return the end of a game; ranks are final places."""
    words = [WORDS[word] for word in terminations]
    return arena_pb2.GameOver(game_id=game_id, scores=scores, ranks=ranks, terminations=words)


def notice_out(game_id: str, decision: int, word: Termination, words: str) -> arena_pb2.Notice:
    """Return the notice that an answer was not taken."""
    return arena_pb2.Notice(game_id=game_id, decision=decision, termination=WORDS[word], words=words)


def _target(game_id: str) -> tuple[str, Any, tuple[tuple[str, Write], ...]]:
    """Return the request's field for a game, an empty message of it, and the writers of its fields."""
    field = arena_pb2.Request.DESCRIPTOR.fields_by_name.get(game_id)
    if field is None or field.message_type is None:
        return OTHER_GAMES, None, ()
    request = arena_pb2.Request()
    return game_id, getattr(request, game_id).__class__(), _writers(field.message_type)


@cache
def _writers(descriptor: Descriptor) -> tuple[tuple[str, Write], ...]:
    return tuple((field.name, _writer(field)) for field in descriptor.fields)


def _writer(field: Descriptor) -> Write:
    name = field.name
    if not field.is_repeated:
        return _write_message(name, field) if field.message_type else _write_scalar(name)
    if field.message_type is None:
        return _write_list(name)
    return _write_rows(name) if field.message_type.name == "Numbers" else _write_messages(name, field)


def _write_scalar(name: str) -> Write:
    def write(message: Any, value: Any) -> None:
        if value is None:
            message.ClearField(name)
        else:
            setattr(message, name, value)

    return write


def _write_list(name: str) -> Write:
    def write(message: Any, value: Any) -> None:
        items = getattr(message, name)
        del items[:]
        items.extend(value)

    return write


def _write_rows(name: str) -> Write:
    def write(message: Any, value: Any) -> None:
        rows = getattr(message, name)
        del rows[:]
        for numbers in value:
            rows.add().values.extend(numbers)

    return write


def _write_message(name: str, field: Descriptor) -> Write:
    def write(message: Any, value: Any) -> None:
        message.ClearField(name)
        if value is not None:
            _fill(getattr(message, name), value, field.message_type)

    return write


def _write_messages(name: str, field: Descriptor) -> Write:
    def write(message: Any, value: Any) -> None:
        items = getattr(message, name)
        del items[:]
        for item in value:
            _fill(items.add(), item, field.message_type)

    return write


def _fill(message: Any, value: Any, descriptor: Descriptor) -> None:
    message.SetInParent()
    for name, write in _writers(descriptor):
        write(message, getattr(value, name))


def _struct(view: Any) -> dict[str, Any]:
    """Return a view as the plain values that a Struct holds."""
    return {item.name: _plain(getattr(view, item.name)) for item in fields(view)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _struct(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


@cache
def _view_type(game_id: str) -> type[Any]:
    """Return the dataclass of a game's views, by the annotation of its ``view`` function."""
    view: type[Any] = get_type_hints(game_class(game_id).view)["return"]
    return view


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _read(cls: Any, message: Any) -> Any:
    hints = _hints(cls)
    return cls(**{field.name: _read_field(hints[field.name], field, message) for field in message.DESCRIPTOR.fields})


def _read_field(hint: Any, field: Descriptor, message: Any) -> Any:
    value = getattr(message, field.name)
    if field.is_repeated:
        inner = get_args(hint)[0]
        return tuple(_read_item(inner, item) for item in value)
    if field.has_presence and not message.HasField(field.name):
        return None
    return _read(_without_none(hint), value) if field.message_type else value


def _read_item(hint: Any, item: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(item.values)
    return _read(hint, item) if is_dataclass(hint) else item


def _without_none(hint: Any) -> Any:
    return next((part for part in get_args(hint) if part is not type(None)), hint)
