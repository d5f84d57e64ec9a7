"""Line-ups: which bots meet at a table; sorted by name, so that the order of a league file means nothing.

All line-ups are generated one by one, never held; a balanced subset (``arena.schedules.subsets``) is chosen once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import NamedTuple, TypeAlias

from arena.schedules.subsets import balanced_tables


class Entrant(NamedTuple):
    """A bot in a league: its name, and which of the versions that were entered (from 1)."""

    name: str
    ordinal: int = 1


LineUp: TypeAlias = tuple[Entrant, ...]


@dataclass(frozen=True)
class Field:
    """The bots that play one ruleset, and how line-ups are chosen among them.

    Attributes:
        entrants: all bots, in any order, without repeats.
        seats: bots at a table.
        candidates: a gauntlet's candidates, each of whom meets the others' field alone; empty: round-robin.
        authors: (entrant, author) of bots that must not sit with another of the same author; empty: all may meet.
        number: 0 for every line-up, else the size of a balanced subset.
    """

    entrants: tuple[Entrant, ...]
    seats: int
    candidates: tuple[Entrant, ...] = ()
    authors: tuple[tuple[Entrant, str], ...] = ()
    number: int = 0

    def line_ups(self) -> Iterator[LineUp]:
        """Yield the chosen line-ups in a fixed order; the same set for any order of the entrants."""
        if not self._subset:
            yield from self._all()
        elif self._is_complement:
            left_out = frozenset(self._chosen)
            yield from (line_up for line_up in self._all() if line_up not in left_out)
        else:
            yield from self._chosen

    @cached_property
    def count(self) -> int:
        """Number of line-ups, by formula where all are played."""
        return self.number if self._subset else self._total

    @property
    def _subset(self) -> bool:
        return 0 < self.number < self._total

    @property
    def _is_complement(self) -> bool:
        """More than half of all: the rest is the smaller choice, and leaving out evenly leaves evenly."""
        return 2 * self.number > self._total

    @cached_property
    def _chosen(self) -> tuple[LineUp, ...]:
        every = sorted(self.entrants)
        places = {bot: place for place, bot in enumerate(every)}
        tables = balanced_tables(
            [[places[bot] for bot in slot] for slot in self.slots],
            self._total - self.number if self._is_complement else self.number,
            lambda table: self.may_meet(every[place] for place in table),
        )
        return tuple(sorted(tuple(every[place] for place in sorted(table)) for table in tables))

    @cached_property
    def slots(self) -> tuple[tuple[Entrant, ...], ...]:
        """For each place of a line-up the bots that may take it: a gauntlet's first is a candidate's."""
        if not self.candidates:
            return (tuple(sorted(self.entrants)),) * self.seats
        field = tuple(sorted(set(self.entrants) - set(self.candidates)))
        return (tuple(sorted(self.candidates)), *(field,) * (self.seats - 1))

    @cached_property
    def _author(self) -> dict[Entrant, str]:
        return {entrant: author for entrant, author in self.authors if author}

    def may_meet(self, bots: Iterable[Entrant]) -> bool:
        """Return whether no two of these bots are kept apart."""
        authors = [self._author[bot] for bot in bots if bot in self._author]
        return len(authors) == len(set(authors))

    def _all(self) -> Iterator[LineUp]:
        if not self.candidates:
            yield from filter(self.may_meet, combinations(self.slots[0], self.seats))
            return
        for candidate in self.slots[0]:
            for others in combinations(self.slots[-1] if self.seats > 1 else (), self.seats - 1):
                if self.may_meet(bots := (candidate, *others)):
                    yield tuple(sorted(bots))

    @cached_property
    def _total(self) -> int:
        if not self.candidates:
            return self._choices(self.slots[0], self.seats)
        rest = self.slots[-1] if self.seats > 1 else ()
        return sum(
            self._choices([bot for bot in rest if self.may_meet((bot, candidate))], self.seats - 1)
            for candidate in self.slots[0]
        )

    def _choices(self, pool: Sequence[Entrant], size: int) -> int:
        """Return in how many ways ``size`` bots can be taken, at most one of each author."""
        groups = Counter(self._author[bot] for bot in pool if bot in self._author)
        alone = sum(bot not in self._author for bot in pool)
        ways = [comb(alone, taken) for taken in range(size + 1)]
        for group in groups.values():
            ways = [ways[taken] + (group * ways[taken - 1] if taken else 0) for taken in range(size + 1)]
        return ways[size]


@dataclass(frozen=True, slots=True)
class LineUpEvenness:
    """How evenly line-ups use the bots: (least, most) line-ups of a bot, and of a pair of bots."""

    bot: tuple[int, int]
    pair: tuple[int, int]


def line_up_evenness(field: Field) -> LineUpEvenness:
    """Return how evenly the line-ups of a field use its bots (candidates and field together), by counting."""
    bots: Counter[Entrant] = Counter()
    pairs: Counter[tuple[Entrant, Entrant]] = Counter()
    for line_up in field.line_ups():
        bots.update(line_up)
        pairs.update(combinations(line_up, 2))
    every = sorted(field.entrants)
    counts = [bots[bot] for bot in every]
    met = [pairs[pair] for pair in combinations(every, 2)] or [0]
    return LineUpEvenness((min(counts), max(counts)), (min(met), max(met)))
