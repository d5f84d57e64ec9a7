"""What the tests of commands share: the league that they read, and what a command printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.errors import Termination
from arena.records.record import Record
from arena.storage.store import Store

FILE = """
[league]
name = "small"
secret = "small"
[[game]]
id = "no_thanks"
seats = 3
deals = 2
options = { rounds = 1 }
[limits]
move_ms = 2000
[[bot]]
name = "honest"
author = "us"
command = ["{python}", "-m", "arena.testing.bots"]
[[bot]]
name = "cheat"
author = "them"
command = ["{python}", "-m", "arena.testing.bots", "--fault", "illegal", "--at", "2"]
[[bot]]
name = "wreck"
author = "them"
command = ["{python}", "-m", "arena.testing.bots", "--policy", "first", "--fault", "crash", "--at", "14"]
"""
"""Three bots: one sends an illegal action in its second decision, one crashes in its fourteenth."""


@dataclass(frozen=True)
class Run:
    """What came of one command."""

    status: int
    out: str
    err: str


def records(results: Path) -> list[Record]:
    """Return all records of a results folder, by id."""
    with Store.open(results / "league.db") as store:
        return [store.record(game_id) for game_id in sorted(store.stored_ids())]


def with_fault(results: Path, word: Termination | None) -> Record:
    """Return the first record in which somebody was retired with a word; None: in which nobody had a fault."""
    return next(record for record in records(results) if (word in record.terminations if word else not record.faults))
