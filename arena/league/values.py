"""A league as frozen values: what the rest of the program knows of a league file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.league.bots import Bot
from arena.league.names import folded
from arena.players.base import AT_HOME, FaultPolicy, Limits, Listen
from arena.schedules.line_ups import Entrant, Field
from arena.schedules.plan import CHUNK, Plan, RulesetPlan
from arena.schedules.seatings import Policy, seatings


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One ``[[game]]`` of a league.

    Attributes:
        id: id of the game.
        name: unique in the league; heads its ladder.
        seats: bots at a table.
        deals: number of deals.
        seatings: ``balanced``, ``all``, ``rotations`` or a number.
        options: every option with its value, defaults included.
        ruleset: canonical text of game, seats, options and rules version.
    """

    id: str
    name: str
    seats: int
    deals: int
    seatings: Policy
    options: Mapping[str, Any]
    ruleset: str


@dataclass(frozen=True, slots=True)
class League:
    """A league file that has no problems.

    Attributes:
        path: the file.
        text: its content without the secret, to be kept beside the results.
        name: name of the league.
        schedule: ``round-robin`` or ``gauntlet``.
        candidates: names of a gauntlet's candidates.
        secret: the 32 bytes that deals are keyed by; None when one is to be drawn.
        same_author: ``allow`` or ``never`` at one table.
        line_ups: 0 for all, else the size of a balanced subset.
        require_check: only bots with a badge of ``arena check`` may play.
        ask_forced: seats with one legal action are asked too.
        in_flight: ``auto`` or the games of a sitting that are open at once.
        games: what is played.
        limits: of every bot.
        faults: what they cost.
        bots: who plays, in the order of the file.
        lobby: where bots that are started by hand dial in.
        chunk: most deals of a sitting after the first ones.
    """

    path: Path
    text: str
    name: str
    schedule: str
    candidates: tuple[str, ...]
    secret: bytes | None
    same_author: str
    line_ups: int
    require_check: bool
    ask_forced: bool
    in_flight: str | int
    games: tuple[GamePlan, ...]
    limits: Limits
    faults: FaultPolicy
    bots: tuple[Bot, ...]
    lobby: Listen = AT_HOME
    chunk: int = CHUNK

    def field(self, game: GamePlan) -> Field:
        """Return the bots that play a game, and how line-ups are chosen among them."""
        players = [bot for bot in self.bots if bot.plays(game.id)]
        apart = self.same_author == "never"
        return Field(
            entrants=tuple(Entrant(bot.name) for bot in players),
            seats=game.seats,
            candidates=tuple(Entrant(bot.name) for bot in players if bot.name in self.candidates),
            authors=tuple((Entrant(bot.name), folded(bot.author)) for bot in players if apart and bot.author),
            number=self.line_ups,
        )

    def plan(self) -> Plan:
        """Return everything that the league plays."""
        return Plan(
            tuple(
                RulesetPlan(game.ruleset, self.field(game), seatings(game.seatings, game.seats), game.deals, self.chunk)
                for game in self.games
            )
        )


def secret_bytes(text: str) -> bytes:
    """Return the 32 bytes of a secret given in a file: 64 hex digits as they are, other words by their SHA-256."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    return hashlib.sha256(text.encode()).digest()
