"""What a check found: rules that every bot must or should keep, and where one did not."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.errors import ArenaError

ENOUGH = 3
"""Situations in which one rule may be broken, and lost processes, before the rest is left out."""


class Level(StrEnum):
    """How much a rule matters: ``must`` fails the check, ``should`` is advice."""

    MUST = "must"
    SHOULD = "should"


RULES: dict[str, tuple[Level, str]] = {
    "no-show": (Level.MUST, "it starts and sends a Hello in time"),
    "hello": (Level.MUST, "its Hello speaks this protocol"),
    "games": (Level.MUST, "its Hello names the games that it is entered for"),
    "disconnect": (Level.MUST, "it leaves its stream open"),
    "resource": (Level.MUST, "it stays within memory, disk and processes"),
    "crash": (Level.MUST, "its process lives until Goodbye"),
    "timeout": (Level.MUST, "it answers every request within budget_ms"),
    "protocol": (Level.MUST, "it sends messages of the contract, and actions of the game"),
    "illegal": (Level.MUST, "the rules take its actions"),
    "echo": (Level.MUST, "an answer repeats game_id and decision of its request"),
    "asked": (Level.MUST, "it answers once, and only what it was asked"),
    "note": (Level.MUST, "a note has at most 500 characters"),
    "lists": (Level.SHOULD, "it answers a list with a list"),
    "flush": (Level.SHOULD, "answers do not wait for slow decisions behind them"),
    "order": (Level.SHOULD, "it answers in the order of the requests"),
    "seed": (Level.SHOULD, "the same bot_seed and view make the same action"),
    "in-flight": (Level.SHOULD, "it accepts many games at once"),
    "caption": (Level.SHOULD, "its Hello keeps to the contract's limits"),
    "idle": (Level.SHOULD, "it computes nothing while it is asked nothing"),
    "unknown-game": (Level.SHOULD, "it meets an unknown game with a legal action, or ends with words"),
    "reconnect": (Level.SHOULD, "it dials again when its stream breaks"),
    "leave": (Level.SHOULD, "it ends with status 0 soon after Goodbye"),
}
"""Level and meaning of each rule, in the order in which they are shown.

What a league calls a fault has the league's word here (design section 9).
"""


class Enough(ArenaError):
    """So much is wrong that the rest of the check would only say it again."""


@dataclass(slots=True)
class Finding:
    """A rule that was broken.

    Attributes:
        rule: key of ``RULES``.
        situation: where it was seen first.
        words: what was seen there.
        also: number of further situations.
    """

    rule: str
    situation: str
    words: str
    also: int = 0

    @property
    def level(self) -> Level:
        """Whether the rule must or should be kept."""
        return RULES[self.rule][0]


@dataclass(slots=True)
class Report:
    """All that is known about a bot so far.

    Attributes:
        findings: broken rules, each once, as they were found.
        situations: name of each situation that was tried, and whether it went well.
        skipped: situations that do not apply, with the reason.
        facts: what is worth knowing, by name.
        games: ids of the games that were checked.
    """

    findings: list[Finding] = field(default_factory=list)
    situations: dict[str, bool] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    games: list[str] = field(default_factory=list)

    def note(self, rule: str, situation: str, words: str) -> None:
        """Take a finding.

        Raises:
            Enough: when a rule that must be kept is broken too often for the rest to be worth trying.
        """
        if RULES[rule][0] is Level.MUST:
            self.situations[situation] = False
        known = next((finding for finding in self.findings if finding.rule == rule), None)
        if known is None:
            self.findings.append(Finding(rule, situation, words))
        elif known.situation != situation:
            known.also += 1
            if known.also + 1 >= ENOUGH and known.level is Level.MUST:
                raise Enough(f"{RULES[rule][1]}: not so in {ENOUGH} situations")

    def of(self, level: Level) -> list[Finding]:
        """Return the findings of a level, in the order of the rules."""
        order = list(RULES)
        return sorted((item for item in self.findings if item.level is level), key=lambda item: order.index(item.rule))

    @property
    def passed(self) -> bool:
        """Whether every rule that must be kept was kept."""
        return not self.of(Level.MUST)

    @property
    def counts(self) -> tuple[int, int]:
        """Situations that went well, and all that were tried."""
        return sum(self.situations.values()), len(self.situations)
