"""Between domain values and protobuf messages: the only place where the two meet.

A view becomes the message of the same field names; how each field is written is worked out once, from the message's
descriptor. A seat's message is kept from one request to the next and only what changed is written again
(performance.md: 2 µs instead of 9 for a view built anew).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from google.protobuf.internal import api_implementation
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from arena.errors import Termination, UsageError
from arena.games import Chance, Moves, Step, game_class
from arena.v1 import arena_pb2

OTHER_GAMES = "other"
WORDS = {word: arena_pb2.Termination.Value("TERMINATION_" + word.replace("-", "_").upper()) for word in Termination}
UNKNOWN_FIELD = bytes([0xAA, 0xF7, 0x01, 5]) + b"later"
"""Field 3957, which no message has, with five bytes of text."""
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


class Answer(NamedTuple):
    """One decision of a bot.

    Attributes:
        game_id: the game that it names.
        decision: the decision that it names.
        action: its action, unchecked.
        note: what it wants to say, unchecked.
    """

    game_id: str
    decision: int
    action: str
    note: str


class Hello(NamedTuple):
    """How a bot introduces itself; nothing of it decides who it is.

    Attributes:
        protocol: protocol number.
        games: ids of the games it can play; empty is all.
        max_in_flight: games that it accepts at once, 1 or more.
        wants_events: requests should carry the steps since the previous one.
        sdk: name and version of its SDK.
    """

    protocol: int
    games: tuple[str, ...]
    max_in_flight: int
    wants_events: bool
    sdk: str


def hear(data: bytes) -> Hello | tuple[Answer, ...]:
    """Return what a bot's message says: its hello, or its answers.

    Raises:
        ValueError: for bytes that are no message.
    """
    try:
        message = arena_pb2.PlayRequest.FromString(data)
    except DecodeError as error:
        raise ValueError(f"{len(data)} bytes that are no message: {data[:40].hex()}") from error
    if message.HasField("hello"):
        hello = message.hello
        games, in_flight = tuple(hello.games), max(1, hello.max_in_flight)
        return Hello(hello.protocol, games, in_flight, hello.wants_events, hello.sdk)
    return tuple(Answer(item.game_id, item.decision, item.action, item.note) for item in message.answers)


class Bundle:
    """What is sent to a bot at once, so that nothing overtakes anything.

    Attributes:
        keys: (game id, decision) of its requests, in order.
    """

    __slots__ = ("_message", "keys")

    def __init__(self) -> None:
        self._message = arena_pb2.PlayResponse()
        self.keys: list[tuple[str, int]] = []

    def data(self) -> bytes:
        """Return the bytes that travel."""
        return self._message.SerializeToString()

    def document(self) -> dict[str, Any]:
        """Return the message as a JSON document, as protobuf writes it, with the contract's field names."""
        return MessageToDict(self._message, preserving_proto_field_name=True)

    def welcome(self, **limits: int) -> Bundle:
        """Add the welcome with its limits, named as in the contract."""
        for name, value in limits.items():
            setattr(self._message.welcome, name, value)
        return self

    def refuse(self, words: str) -> Bundle:
        """Add that the referee will not play with this bot, and why."""
        self._message.refusal.words = words
        return self

    def goodbye(self, words: str) -> Bundle:
        """Add that all is over, and why."""
        self._message.goodbye.words = words
        return self

    def extend(self, *, views: bool = False) -> Bundle:
        """Add fields that today's contract does not know, as a later one may: bots pass over them.

        Args:
            views: put them into the views instead of the messages around them.
        """
        for request in self._message.requests:
            field = request.WhichOneof("view")
            view = getattr(request, field) if field else None
            (view if views and view is not None else request).MergeFromString(UNKNOWN_FIELD)
        if not views:
            for message in (self._message, *self._message.new_games, *self._message.game_overs):
                message.MergeFromString(UNKNOWN_FIELD)
        return self

    def new_game(
        self, game_id: str, game: str, seat: int, seats: int, options: Mapping[str, Any], bot_seed: int
    ) -> None:
        """Add the announcement of a game to a seat."""
        message = self._message.new_games.add(game_id=game_id, game=game, seat=seat, seats=seats, bot_seed=bot_seed)
        message.options.update({name: list(v) if isinstance(v, tuple) else v for name, v in options.items()})

    def game_over(
        self, game_id: str, scores: Iterable[int], final: Iterable[int], terminations: Iterable[Termination]
    ) -> None:
        """Add the end of a game, with final places by seat."""
        words = [WORDS[word] for word in terminations]
        self._message.game_overs.add(game_id=game_id, scores=scores, ranks=final, terminations=words)

    def notice(self, game_id: str, decision: int, word: Termination, words: str) -> None:
        """Add why an answer was not taken."""
        self._message.notices.add(game_id=game_id, decision=decision, termination=WORDS[word], words=words)

    def request(
        self,
        key: tuple[str, int],
        times: tuple[int, int, int],
        legal: Iterable[str],
        seat_view: SeatView,
        view: Any,
        events: Iterable[Step],
    ) -> None:
        """Add a request.

        Args:
            key: (game id, decision).
            times: budget and bank in milliseconds, charge of the last answer in microseconds.
            legal: legal actions to list.
            seat_view: the seat's message, kept from request to request.
            view: what the seat may know now.
            events: the steps since its last request, redacted for it.
        """
        self.keys.append(key)
        message = self._message.requests.add()
        message.game_id, message.decision = key
        message.budget_ms, message.bank_ms, message.last_answer_us = times
        message.legal_actions.extend(legal)
        seat_view.write(view, message)
        for step in events:
            event_out(step, message.events.add())

    def request_plain(
        self, key: tuple[str, int], times: tuple[int, int, int], legal: Iterable[str], view: Mapping[str, Any]
    ) -> None:
        """Add a request of a game that has no rules here, with its view as plain values; otherwise as ``request``."""
        self.keys.append(key)
        message = self._message.requests.add()
        message.game_id, message.decision = key
        message.budget_ms, message.bank_ms, message.last_answer_us = times
        message.legal_actions.extend(legal)
        message.other.update(view)


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
