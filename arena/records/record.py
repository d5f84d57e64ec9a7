"""The record of one game: everything needed to replay and to rate it, and no times.

Times, banks and the evidence of faults are in the trace, a separate document, so that the same game always has the
same record bytes. The one exception are the ticks of mode ``race``, which the rules look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, NamedTuple

from arena.errors import Termination
from arena.games import Seat, Step

RETIRE, DEFAULT = "retire", "default"


@dataclass(frozen=True, slots=True)
class Entry:
    """One step of a game.

    Attributes:
        step: the chance outcome or the moves.
        forced: nobody had a choice, so nobody was asked.
        defaulted: seats whose action is the default one, played by the referee for a fault or a retired seat.
    """

    step: Step
    forced: bool = False
    defaulted: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one seat.

    Attributes:
        step: number of steps before it.
        seat: whose fault it was.
        word: which fault.
        cost: ``default`` (a strike) or ``retire``.
    """

    step: int
    seat: Seat
    word: Termination
    cost: str


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat on a seat: the league's name and version, and the sha256 of the program that was run."""

    name: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game.

    Attributes:
        game_id: pure function of ruleset, line-up, seating and deal.
        game: id of the rules.
        rules_version: version of those rules.
        seats: number of bots.
        options: all options of the game.
        deal: number of the deal.
        commitment: SHA-256 of the league's secret, hex; empty outside a league.
        sandbox: level under which the bots ran.
        players: by seat.
        entries: every step in order.
        faults: in the order in which they happened.
        terminations: one word a seat.
        scores: by seat, more is better; a seat that the rules add comes last.
        ranks: the rules' ranks by seat, before ``places`` puts retired seats last.
    """

    game_id: str
    game: str
    rules_version: int
    seats: int
    options: Mapping[str, Any]
    deal: int
    commitment: str
    sandbox: str
    players: tuple[Player, ...]
    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]
    terminations: tuple[Termination, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """A played game on its way from a worker to the store.

    Attributes:
        game_id: id of the game.
        terminations: one word a seat.
        scores: as in the record.
        ranks: the rules' ranks, as in the record.
        record: canonical bytes of the record, uncompressed.
        trace: canonical bytes of the trace (JSON), uncompressed.
    """

    game_id: str
    terminations: tuple[Termination, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    record: bytes
    trace: bytes


@dataclass(frozen=True, slots=True)
class Void:
    """A game that does not count and is played again.

    Attributes:
        game_id: id of the game.
        reason: ``host`` or ``aborted``.
        evidence: what was measured, in words.
    """

    game_id: str
    reason: Termination
    evidence: str


class Conduct(NamedTuple):
    """What a bot did beside its answers, added up over its processes.

    Attributes:
        idle_ns: time in which it had been asked, had answered all, and was not asked again yet.
        idle_cpu_ns: processor time that it used meanwhile.
        left_over: processes that it left behind when it ended.
        network_attempts: attempts to reach a network that it may not use.
    """

    idle_ns: int = 0
    idle_cpu_ns: int = 0
    left_over: int = 0
    network_attempts: int = 0

    def plus(self, other: Conduct) -> Conduct:
        """Return the sum of both."""
        return Conduct(*map(add, self, other))


def places(ranks: Sequence[int], terminations: Sequence[Termination]) -> tuple[int, ...]:
    """Return the final places of the bots: retired seats rank below every seat that was not retired.

    Seats that the rules add (``len(ranks) > len(terminations)``) are dropped and the places closed up. Seats that were
    not retired keep the order of their ranks; retired seats share the place after them. This function alone makes
    final places, for the wire, the store, verification and ratings.

    Args:
        ranks: the rules' ranks by seat, 1-based.
        terminations: one word a bot's seat; every word but ``normal`` is a retirement.
    """
    standing = [rank for rank, word in zip(ranks, terminations, strict=False) if word is Termination.NORMAL]
    last = len(standing) + 1
    return tuple(
        1 + sum(other < rank for other in standing) if word is Termination.NORMAL else last
        for rank, word in zip(ranks, terminations, strict=False)
    )
