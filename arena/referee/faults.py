"""Every fault in one place: what it is, what it may cost, and what it costs unless a league says otherwise.

Source: design section 9 and the catalogue of faults; ``FaultPolicy`` holds what a league chose.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import IllegalAction, Termination


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One fault.

    Attributes:
        word: its word in records and standings.
        what: what the bot did, in words.
        key: its key in ``[faults]`` of a league file, "" when it always retires.
        cost: what it costs by default.
    """

    word: Termination
    what: str
    key: str
    cost: str


FAULTS = (
    FaultKind(Termination.RESOURCE, "used more memory, disk or processes than allowed", "", "retire"),
    FaultKind(Termination.CRASH, "its process ended, with whatever exit status or signal", "", "retire"),
    FaultKind(Termination.DISCONNECT, "its stream ended while its process lived on", "", "retire"),
    FaultKind(
        Termination.TIMEOUT,
        "answered after the limit of the decision and the margin, or not at all",
        "timeout",
        "a strike: the default action; the third strike of a game retires",
    ),
    FaultKind(
        Termination.PROTOCOL,
        "sent an answer that is no action of the game; or bytes that are no message, which retire",
        "protocol",
        "a strike: the default action; the third strike of a game retires",
    ),
    FaultKind(Termination.ILLEGAL, "sent an action that the rules refuse", "illegal", "retire"),
    FaultKind(Termination.NO_SHOW, "was not ready in time, or was benched", "", "retire"),
)
"""In order of precedence: when several meet in one decision, the first one is recorded."""

VOIDS = (
    FaultKind(Termination.HOST, "nothing: this machine stalled", "", "void: the game is played again"),
    FaultKind(
        Termination.ABORTED, "nothing: the run was stopped, or a worker died", "", "void: the game is played again"
    ),
)
"""What is no fault of a bot; the game does not count."""


def fault_of(error: IllegalAction) -> Termination:
    """Return what an answer is called that the rules refuse: no action of the game at all, or one that is not legal."""
    return Termination.PROTOCOL if error.code == "malformed_action" else Termination.ILLEGAL
