"""Rows of the store as values: what goes into the tables and what comes out of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, select

from arena.errors import Termination
from arena.records.record import Conduct, Finished
from arena.storage import schema


class Planned(Protocol):
    """A game as the schedule names it; ``arena.schedules.plan.PlannedGame`` is one."""

    @property
    def game_id(self) -> str:
        """Id of the game."""

    @property
    def ruleset(self) -> str:
        """Canonical text of the ruleset."""

    @property
    def line_up(self) -> Sequence[tuple[str, int]]:
        """(name, ordinal) of the bots, sorted."""

    @property
    def seating(self) -> Sequence[int]:
        """By seat, who of the line-up sits there."""

    @property
    def deal(self) -> int:
        """Number of the deal."""


@dataclass(frozen=True, slots=True)
class StoredRuleset:
    """A ruleset of the league.

    Attributes:
        ruleset: canonical text of game, seats, options and rules version.
        game: id of the game.
        seats: number of bots.
        key: its number in the store, 0 before it is stored.
    """

    ruleset: str
    game: str
    seats: int
    key: int = 0


@dataclass(frozen=True, slots=True)
class StoredEntrant:
    """A bot of the league.

    Attributes:
        name: the league's name for it.
        ordinal: which of its versions, from 1.
        version: its own word for the version.
        author: who wrote it, "" if not said.
        digest: sha256 of the program, hex.
        command: what is run, programs resolved.
        key: its number in the store, 0 before it is stored.
    """

    name: str
    ordinal: int
    version: str
    author: str
    digest: str
    command: tuple[str, ...]
    key: int = 0


class GameRow(NamedTuple):
    """One stored game without its documents; a NamedTuple, as ratings read a million of them.

    Attributes:
        game_id: id of the game.
        ruleset: key of its ruleset.
        deal: number of the deal.
        line_up: keys of the entrants, in order of (name, ordinal).
        seating: by seat, who of the line-up sits there.
        terminations: one word a seat.
        scores: by seat, more is better; a seat that the rules add comes last.
        ranks: the rules' ranks by seat (``arena.records.record.places`` makes final places of them).
    """

    game_id: str
    ruleset: int
    deal: int
    line_up: tuple[int, ...]
    seating: tuple[int, ...]
    terminations: tuple[Termination, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]

    @property
    def seated(self) -> tuple[int, ...]:
        """Keys of the entrants by seat."""
        return tuple(self.line_up[place] for place in self.seating)

    @property
    def block(self) -> tuple[int, int, tuple[int, ...]]:
        """The block that the game belongs to: ruleset, deal and line-up."""
        return self.ruleset, self.deal, self.line_up


@dataclass(frozen=True, slots=True)
class Counts:
    """How many games are stored, and how many attempts were void."""

    stored: int
    void: int


GAME_COLUMNS = tuple(
    schema.games.c[name] for name in ("id", "ruleset", "deal", "line_up", "seating", "terminations", "scores", "ranks")
)


def game_row(row: Sequence[Any]) -> GameRow:
    """Return the row of ``GAME_COLUMNS`` as a value."""
    game_id, ruleset, deal, line_up, seating, words, scores, ranks = row
    return GameRow(
        game_id,
        ruleset,
        deal,
        _numbers(line_up),
        _numbers(seating),
        _terminations(words),
        _numbers(scores),
        _numbers(ranks),
    )


def game_columns(planned: Planned, finished: Finished, ruleset: int, line_up: Iterable[int]) -> dict[str, Any]:
    """Return the columns of a finished game.

    Args:
        planned: what was to be played.
        finished: what was played.
        ruleset: key of the ruleset.
        line_up: keys of the entrants of the line-up, in its order.
    """
    return {
        "id": planned.game_id,
        "ruleset": ruleset,
        "line_up": _words(line_up),
        "seating": _words(planned.seating),
        "deal": planned.deal,
        "terminations": _words(finished.terminations),
        "scores": _words(finished.scores),
        "ranks": _words(finished.ranks),
    }


def ruleset_columns(ruleset: StoredRuleset) -> dict[str, Any]:
    """Return the columns of a ruleset, without its key."""
    return {"ruleset": ruleset.ruleset, "game": ruleset.game, "seats": ruleset.seats}


def entrant_columns(entrant: StoredEntrant) -> dict[str, Any]:
    """Return the columns of an entrant, without its key."""
    return {
        "name": entrant.name,
        "ordinal": entrant.ordinal,
        "version": entrant.version,
        "author": entrant.author,
        "digest": entrant.digest,
        "command": json.dumps(entrant.command, ensure_ascii=False),
    }


def read_rulesets(connection: Connection) -> Iterator[StoredRuleset]:
    """Yield the stored rulesets in the order in which they were stored."""
    for row in connection.execute(select(schema.rulesets).order_by(schema.rulesets.c.key)).mappings():
        yield StoredRuleset(**row)


def read_entrants(connection: Connection) -> Iterator[StoredEntrant]:
    """Yield the stored entrants in the order in which they were stored."""
    for row in connection.execute(select(schema.entrants).order_by(schema.entrants.c.key)).mappings():
        yield StoredEntrant(**{**row, "command": tuple(json.loads(row["command"]))})


def read_conduct(connection: Connection) -> Iterator[tuple[int, Conduct]]:
    """Yield (key of the entrant, what it did beside its answers)."""
    for key, *counts in connection.execute(select(schema.conduct).order_by(schema.conduct.c.entrant)):
        yield key, Conduct(*counts)


def ids_among(connection: Connection, ids: Sequence[str]) -> list[str]:
    """Return which of some ids (at most 32,766, SQLite's limit of a statement) are those of stored games."""
    return list(connection.execute(select(schema.games.c.id).where(schema.games.c.id.in_(ids))).scalars())


def _words(items: Iterable[object]) -> str:
    return " ".join(map(str, items))


@lru_cache(maxsize=1 << 16)  # a million rows have few different line-ups, seatings, ranks and scores
def _numbers(words: str) -> tuple[int, ...]:
    return tuple(map(int, words.split(" ")))


@lru_cache(maxsize=1 << 12)
def _terminations(words: str) -> tuple[Termination, ...]:
    return tuple(map(Termination, words.split(" ")))
