"""Actions that a game must refuse, and actions that try to learn something from the refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.errors import IllegalAction
from arena.testing.playout import Moment

MALFORMED = (
    "",
    " ",
    "PASS",
    " pass",
    "pass ",
    "pass\n",
    "pass pass",
    "take  ",
    "claim 79 S11*S9+H7",
    "claim",
    "play +7",
    "play 007",
    "play \u0663",
    "lay \uff11\uff11",
    "play 1_0",
    "keep",
    "\x00",
    "None",
    "0",
    "play " + "9" * 10_000,
    "x" * 10_000,
)
"""Texts that no game accepts, whatever its notation."""

CODE = re.compile(r"[a-z]+(_[a-z]+)*")
_NUMBER = re.compile(r"\d+")
_ARGUMENT = re.compile(r"(?<=[ *+-])[SCHD]?\d+|(?<= )-\d+")
_FULL_WIDTH = str.maketrans("0123456789", "".join(chr(0xFF10 + digit) for digit in range(10)))


def distorted(action: str) -> Iterator[str]:
    """Yield texts that differ from a legal action in form alone, none of which parses."""
    yield f" {action}"
    yield f"{action} "
    yield f"{action}\n"
    yield action.upper()
    yield f"{action} 1"
    if " " in action:
        yield action.replace(" ", "  ", 1)
        yield action.replace(" ", "\u00a0", 1)
        yield action.partition(" ")[0]
    if _NUMBER.search(action):
        yield _NUMBER.sub(r"0\g<0>", action)
        yield action.translate(_FULL_WIDTH)
    if re.search(r" \d", action):
        yield re.sub(r" (\d)", r" +\1", action)


def refused(moment: Moment, seat: int, action: str) -> IllegalAction:
    """Return the refusal of an action by ``check``.

    Raises:
        AssertionError: when the action is accepted, or something other than ``IllegalAction`` comes out.
    """
    shown = repr(action if len(action) < 60 else action[:60] + "...")
    try:
        accepted = moment.game.check(moment.state, seat, action)
    except IllegalAction as refusal:
        moment.require(refusal.seat == seat, "refusal", f"{shown} of seat {seat} is blamed on seat {refusal.seat}")
        named = CODE.fullmatch(refusal.code) is not None
        moment.require(named, "refusal", f"{shown} is refused with {refusal.code!r}, which is no error code")
        moment.require(bool(refusal.message), "refusal", f"{shown} is refused without a message")
        moment.require(len(str(refusal)) < 1_000, "refusal", f"{shown} is refused with an endless message")
        return refusal
    except Exception as error:  # whatever a game lets out is its author's to read, under the name of the rule
        moment.fail("refusal", f"{shown} of seat {seat} raises {error!r} instead of IllegalAction")
    return moment.fail("refusal", f"{shown} of seat {seat} is accepted as {accepted!r}")


def answer(moment: Moment, state: object, seat: int, action: str) -> tuple[str, ...]:
    """Return all that a seat learns from sending an action: the accepted form, or code and message."""
    try:
        return (moment.game.check(state, seat, action),)
    except IllegalAction as refusal:
        return (refusal.code, refusal.message, str(refusal))


def probes(moment: Moment) -> list[str]:
    """Return actions of all kinds: the acting seats' legal ones, and the guide's examples with other cards."""
    found = []
    for seat in moment.acting():
        found += _some(moment, moment.game.legal_actions(moment.state, seat), 2)
    for _, example, _ in moment.game.guide.actions:
        found.append(example)
        if moment.cards and _ARGUMENT.search(example):
            found += [_ARGUMENT.sub(lambda _: _any(moment, moment.cards), example) for _ in range(4)]
    return found


def _some(moment: Moment, items: tuple[str, ...], count: int) -> list[str]:
    return [_any(moment, items) for _ in range(min(count, len(items)))]


def _any(moment: Moment, items: tuple[str, ...]) -> str:
    return items[moment.stream.below(len(items))]
