"""The exception tree and the words for how a game ends; imports nothing of the arena.

Whose fault an error is decides its type:

* ``IllegalAction`` and ``BadOptions`` — the caller of the rules (the referee turns an illegal action into a fault);
* ``UsageError`` — the operator: a file, a flag, a missing program (exit status 2, no traceback);
* ``RecordError`` — stored data that does not fit the rules or its own digest;
* ``GameVoid`` — this machine, or a stop: the game is not counted and is played again;
* ``AssertionError`` — us: a broken invariant, never scored against a bot.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum


class Termination(StrEnum):
    """How a game ended for one seat: the closed list of the design (section 9)."""

    NORMAL = "normal"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    CRASH = "crash"
    DISCONNECT = "disconnect"
    NO_SHOW = "no-show"
    RESOURCE = "resource"
    HOST = "host"
    ABORTED = "aborted"


BOT_FAULTS = (
    Termination.RESOURCE,
    Termination.CRASH,
    Termination.DISCONNECT,
    Termination.TIMEOUT,
    Termination.PROTOCOL,
    Termination.ILLEGAL,
    Termination.NO_SHOW,
)
"""The faults that a bot can commit, in order of precedence when several meet in one decision."""


class ArenaError(Exception):
    """Base class of every error that the arena raises on purpose."""


class IllegalAction(ArenaError):
    """An action that the rules refuse; the state is unchanged.

    Attributes:
        code: error code of the rule file, such as ``no_tokens``.
        message: one sentence for a person; it tells nothing that the acting seat may not know.
        seat: the seat that acted.
    """

    def __init__(self, code: str, message: str, seat: int) -> None:
        super().__init__(f"seat {seat}: {message} ({code})")
        self.code = code
        self.message = message
        self.seat = seat


class BadOptions(ArenaError):
    """A game that cannot be created with these seats or options; ``code`` is always ``bad_options``."""

    code = "bad_options"


class UsageError(ArenaError):
    """Something the operator can mend: shown without a traceback, exit status 2."""


class RecordError(ArenaError):
    """Stored data that does not replay, or whose digest does not fit."""


class GameVoid(ArenaError):
    """A game that this machine or a stop has spoiled: not counted, played again."""


def nearest(word: str, accepted: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest accepted word, or the empty string."""
    found = difflib.get_close_matches(word, list(accepted), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""
