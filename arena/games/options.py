"""Options of a game as a frozen dataclass whose fields say what they accept.

``variant: str = choice("standard", "secret", says="...")`` both validates what a league file gives and tells
``arena games ID`` what to print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from arena.errors import BadOptions, nearest


@dataclass(frozen=True, slots=True)
class Accepts:
    """What an option takes.

    Attributes:
        words: the accepted values for a person, such as ``1..20``.
        says: the meaning of the option, one sentence.
        read: returns the value in its stored form, or raises ValueError.
    """

    words: str
    says: str
    read: Callable[[Any], Any]


def choice(*values: Any, says: str) -> Any:
    """Return a field that takes one of some values (lists become tuples); the first is the default."""

    def read(given: Any) -> Any:
        value = tuple(given) if isinstance(given, list) else given
        if type(value) is not type(values[0]) or value not in values:
            raise ValueError
        return value

    return field(
        default=values[0],
        metadata={"accepts": Accepts(" | ".join(_plain(value) for value in values), says, read)},
    )


def whole(default: int | None, low: int, high: int, *, says: str) -> Any:
    """Return a field that takes a whole number in low..high; a default of None means unset."""

    def read(given: Any) -> int:
        if type(given) is not int or not low <= given <= high:
            raise ValueError
        return given

    return field(default=default, metadata={"accepts": Accepts(f"{low}..{high}", says, read)})


def zero_or(low: int, high: int, *, says: str) -> Any:
    """Return a field that takes 0, the default, or a whole number in low..high."""

    def read(given: Any) -> int:
        if type(given) is not int or (given and not low <= given <= high):
            raise ValueError
        return given

    return field(default=0, metadata={"accepts": Accepts(f"0 or {low}..{high}", says, read)})


def flag(default: bool | None, *, says: str) -> Any:
    """Return a field that takes true or false; with a default of None the game decides."""

    def read(given: Any) -> bool:
        if type(given) is not bool:
            raise ValueError
        return given

    return field(default=default, metadata={"accepts": Accepts("true | false", says, read)})


def option_fields(options_type: type[Any]) -> Iterable[tuple[Field[Any], Accepts]]:
    """Yield (field, what it accepts) of an options class, in order."""
    for item in fields(options_type):
        yield item, item.metadata["accepts"]


def read_options(
    game_id: str, seat_counts: range, options_type: type[Any], seats: int, given: Mapping[str, Any]
) -> Any:
    """Return the options of a game, validated one by one.

    Args:
        game_id: for the message.
        seat_counts: accepted numbers of seats.
        options_type: dataclass with fields made by this module.
        seats: wanted number of seats.
        given: option name → value; absent options take their defaults, and None means absent.

    Raises:
        BadOptions: naming every option that is unknown or outside its range, and what is accepted.
    """
    accepted = {item.name: accepts for item, accepts in option_fields(options_type)}
    problems = []
    if type(seats) is not int or seats not in seat_counts:
        problems.append(f"seats = {seats!r}: {game_id} takes {seat_counts[0]}..{seat_counts[-1]}")
    values = {}
    for name, value in given.items():
        if name not in accepted:
            known = ", ".join(accepted) or "none"
            problems.append(f"unknown option {name!r}{nearest(name, accepted)} (options of {game_id}: {known})")
            continue
        if value is None:
            continue
        try:
            values[name] = accepted[name].read(value)
        except ValueError:
            problems.append(f"{name} = {value!r}: accepted is {accepted[name].words}")
    if problems:
        raise BadOptions("; ".join(problems))
    return options_type(**values)


def _plain(value: Any) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
