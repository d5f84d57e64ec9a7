"""A sitting as a job: all that a worker is told, picklable, and all that it tells back.

A job without games starts its bots, waits for their Hellos and ends them: the check before a league's first game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from arena.players.base import FaultPolicy, Limits, Program
from arena.records.record import Conduct

AUTO = 0
"""``in_flight = "auto"``: start with one game and double while the bots are quick."""


def new_mark() -> str:
    """Return a mark that no other sitting on this machine has: clean-up ends what carries it, and nothing else."""
    return f"{token_hex(8)}/"


@dataclass(frozen=True, slots=True)
class GameJob:
    """One game of a sitting.

    Attributes:
        game_id: id of the game.
        deal: number of the deal.
        deal_key: key of its chance streams (32 bytes); never the league's secret.
        bot_seeds: by seat, below 2**53.
        wire_id: what bots are told instead of the id; "" where the id itself says nothing about the game.
    """

    game_id: str
    deal: int
    deal_key: bytes
    bot_seeds: tuple[int, ...]
    wire_id: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One line-up in one seating over some deals, played by bot processes started for it.

    Attributes:
        game: id of the rules.
        options: options of the rules.
        programs: who sits where, by seat.
        games: in deal order.
        limits: of time, memory and the rest.
        policy: what faults cost.
        in_flight: games at once, or ``AUTO``.
        ask_forced: ask seats without a choice, too.
        commitment: SHA-256 of the league's secret, "" outside a league.
        logs: folder for the bots' output, None to keep it in memory only.
        mark: begins what all processes of this sitting carry in their environment; ends with a slash.
    """

    game: str
    options: Mapping[str, Any]
    programs: tuple[Program, ...]
    games: tuple[GameJob, ...]
    limits: Limits
    policy: FaultPolicy
    in_flight: int = AUTO
    ask_forced: bool = False
    commitment: str = ""
    logs: str | None = None
    mark: str = field(default_factory=new_mark)


@dataclass(frozen=True, slots=True)
class SittingEnd:
    """What a sitting cost.

    Attributes:
        seconds: from the first process's start to the end of the last.
        start_seconds: until every bot had said Hello or failed.
        play_seconds: from then until the last game was over.
        referee_cpu_ns: processor time of the worker while it played.
        decisions: answers that were taken.
        lists: messages with requests that were sent.
        cpu_ns: processor time of the bots.
        restarts: processes started after a death.
        logs: last lines of each bot's output, by seat.
        charges_us: charged time of decisions by seat: (count, median, largest).
        failures: by seat, why its last start came to nothing; "" if it came to something.
        declared: by seat, the games that the bot says it can play; empty is all.
        conduct: by seat, what the bot did beside its answers.
    """

    seconds: float
    start_seconds: float
    play_seconds: float
    referee_cpu_ns: int
    decisions: int
    lists: int
    cpu_ns: int
    restarts: int
    logs: tuple[str, ...]
    charges_us: tuple[tuple[int, int, int], ...]
    failures: tuple[str, ...]
    declared: tuple[tuple[str, ...], ...]
    conduct: tuple[Conduct, ...]
