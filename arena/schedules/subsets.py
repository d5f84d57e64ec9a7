"""A balanced subset of all line-ups: every bot equally often, every pair of bots as equally as can be found.

Two steps, both on a fixed random stream, so that the same bots always give the same subset. First greedily: each
line-up takes the bots that were used least so far and, among those, the ones that met its other bots least. Then by
exchange: a bot of one line-up is replaced, or exchanged with a bot of another, wherever that makes the use of bots, or
else of pairs, no less even. Best possible designs (Steiner systems) exist for few sizes; this finds something close to
them for every size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from arena.seeds import Stream, derive

Table: TypeAlias = tuple[int, ...]
"""One line-up as bot numbers, by slot."""

TRIES_A_TABLE, TRIES_MOST = 400, 60_000
"""Exchanges tried: enough to even out a hundred tables; thousands are even enough after the first step."""


def balanced_tables(
    slots: Sequence[Sequence[int]], number: int, may_meet: Callable[[Sequence[int]], bool]
) -> tuple[frozenset[int], ...]:
    """Return ``number`` different line-ups.

    Args:
        slots: for each place at the table the bots that may take it, numbered from 0.
        number: at most the number of line-ups that there are.
        may_meet: whether these bots may sit at one table.
    """
    usage = _Usage(1 + max(map(max, slots)), may_meet)
    for _ in range(number):
        usage.add(usage.greedy(slots))
    tries = min(TRIES_A_TABLE * number, TRIES_MOST)
    for _ in range(tries if number > 1 else 0):
        usage.exchange(slots)
    return tuple(map(frozenset, usage.tables))


class _Usage:
    """The tables chosen so far, and how often each bot and each pair of bots is in them."""

    def __init__(self, bots: int, may_meet: Callable[[Sequence[int]], bool]) -> None:
        self.tables: list[Table] = []
        self._sets: set[frozenset[int]] = set()
        self._bots = [0] * bots
        self._pairs = [[0] * bots for _ in range(bots)]
        self._may_meet = may_meet
        self._stream = Stream(derive(bytes(32), "arena balanced line-ups 1"))

    def add(self, table: Table) -> None:
        self.tables.append(table)
        self._count(table, 1)

    def greedy(self, slots: Sequence[Sequence[int]]) -> Table:
        """Return the next table: depth first in order of cost, so that the first one that is new is the greedy one."""
        found = next(self._search(slots, ()), None)
        assert found is not None, "more line-ups were asked for than there are"
        return found

    def exchange(self, slots: Sequence[Sequence[int]]) -> None:
        """Try one random change of one or two tables, and keep it unless it is worse or not allowed."""
        below = self._stream.below
        slot = below(len(slots))
        first, second = below(len(self.tables)), below(len(self.tables))
        old = [self.tables[first]]
        if first == second:
            new = [_put(old[0], slot, slots[slot][below(len(slots[slot]))])]
        else:
            old.append(self.tables[second])
            other = below(len(slots)) if slots[slot] == slots[0] == slots[-1] else slot
            new = [_put(old[0], slot, old[1][other]), _put(old[1], other, old[0][slot])]
        if all(len(set(table)) == len(table) and self._may_meet(table) for table in new):
            self._replace([first, second][: len(old)], old, new)

    def _search(self, slots: Sequence[Sequence[int]], bots: Table) -> Iterator[Table]:
        if len(bots) == len(slots):
            if frozenset(bots) not in self._sets:
                yield bots
            return
        pool = [bot for bot in slots[len(bots)] if bot not in bots and self._may_meet((*bots, bot))]
        for *_, bot in sorted(self._cost(bot, bots) for bot in pool):
            yield from self._search(slots, (*bots, bot))

    def _cost(self, bot: int, others: Table) -> tuple[int, int, int, int]:
        met = sum(self._pairs[bot][other] ** 2 for other in others)
        return self._bots[bot], met, self._stream.below(1 << 32), bot

    def _replace(self, places: Sequence[int], old: Sequence[Table], new: Sequence[Table]) -> None:
        before = self._unevenness([*old, *new])
        for table in old:
            self._count(table, -1)
        fresh = {frozenset(table) for table in new}
        if len(fresh) == len(new) and not fresh & self._sets:
            for table in new:
                self._count(table, 1)
            if self._unevenness([*old, *new]) <= before:
                for place, table in zip(places, new, strict=True):
                    self.tables[place] = table
                return
            for table in new:
                self._count(table, -1)
        for table in old:
            self._count(table, 1)

    def _unevenness(self, tables: Sequence[Table]) -> tuple[int, int]:
        """Squared uses of all bots and of all pairs that a change between these tables touches."""
        bots = {bot for table in tables for bot in table}
        pairs = {pair for table in tables for pair in combinations(sorted(table), 2)}
        return sum(self._bots[bot] ** 2 for bot in bots), sum(self._pairs[one][two] ** 2 for one, two in pairs)

    def _count(self, table: Table, step: int) -> None:
        (self._sets.add if step > 0 else self._sets.discard)(frozenset(table))
        for bot in table:
            self._bots[bot] += step
        for one, two in combinations(table, 2):
            self._pairs[one][two] += step
            self._pairs[two][one] += step


def _put(table: Table, slot: int, bot: int) -> Table:
    return (*table[:slot], bot, *table[slot + 1 :])
