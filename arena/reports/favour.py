"""Whether one bot helps another against third parties: a permutation test over the deals of complete blocks.

*Value* of a block for a bot B and an opponent X: B's mean points against X over all seatings of one deal (1 ahead, a
half shared, 0 behind). If nobody helps anybody, who else sits at the table makes no difference to it, so among the
blocks with B and X of one deal it is exchangeable who the others were. For every deal and every other bot A the *gain*
is the sum of the values at tables with A, each less the mean of its B, X and deal. The statistic of A is its gain
summed over the deals, by the root of the sum of squares; under the null hypothesis the name of A can be drawn anew for
every deal, which gives the distribution. Dependence within a deal stays untouched, and each bot's strength drops out
with the means.

The style of an honest bot can suit another one, too. So a bot is named only when nobody else's presence helps the
other one more; and the words stay those of a note, not of a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from arena.errors import Termination
from arena.ratings.units import Bools, Floats
from arena.records.record import places
from arena.reports.standings import Played

FALSE_ALARM = 0.01
"""Probability that a pair of honest bots is named, both directions together."""
PERMUTATIONS = 4999
_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Block:
    """One deal played by one line-up in all its seatings.

    Attributes:
        deal: number of the deal.
        points: mean points, 0..1, of (bot, opponent) over the games in which both can be compared.
    """

    deal: int
    points: Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Favour:
    """What one bot's presence at the table does for another.

    Attributes:
        helper: the bot that is or is not at the table.
        helped: the bot whose points against third parties are looked at.
        gain: its mean points a pair with the helper at the table, less those of all tables; -1..1.
        p: share of permutations with at least this gain; small is suspicious.
        is_largest: no other bot's presence gains it more.
        deals: deals looked at.
    """

    helper: str
    helped: str
    gain: float
    p: float
    is_largest: bool
    deals: int

    @property
    def is_notable(self) -> bool:
        """Whether it should be told; two directions share the false-alarm rate."""
        return self.is_largest and self.gain > 0 and self.p <= FALSE_ALARM / 2


def blocks_of(games: Iterable[Played]) -> list[Block]:
    """Return games as blocks; games in which both of a pair lost by fault do not compare them."""
    sums: dict[tuple[int, tuple[str, ...]], dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        final = places(game.ranks, game.terminations)
        block = sums[game.deal, tuple(sorted(game.players))]
        for one, two in permutations(range(len(game.players)), 2):
            if any(game.terminations[seat] is Termination.NORMAL for seat in (one, two)):
                points = 0.5 * ((final[one] < final[two]) + (final[one] <= final[two]))
                block[game.players[one], game.players[two]].append(points)
    return [
        Block(deal, {pair: sum(points) / len(points) for pair, points in block.items()})
        for (deal, _), block in sums.items()
    ]


def favour(blocks: Sequence[Block], helper: str, helped: str, generator: np.random.Generator) -> Favour | None:
    """Test whether a bot's presence helps another one.

    Args:
        blocks: of one game of a league.
        helper: name of the bot that may help.
        helped: name of the bot that may be helped.
        generator: draws the permutations.

    Returns:
        The test, or None when there is nothing to compare: no tables of three or more with and without the helper.
    """
    names, gains, counts = _gains(blocks, helped)
    if helper not in names or len(names) < 2:
        return None
    column, totals = names.index(helper), gains.sum(axis=0)
    statistic = _studentised(gains[:, column][None])[0]
    drawn = _drawn(gains, counts > 0, generator)
    extreme = int((drawn >= statistic - 1e-12).sum())
    return Favour(
        helper,
        helped,
        gain=float(totals[column] / counts[:, column].sum()),
        p=(1 + extreme) / (1 + len(drawn)),
        is_largest=bool(totals[column] >= totals.max()),
        deals=len(gains),
    )


def _gains(blocks: Sequence[Block], helped: str) -> tuple[list[str], Floats, Floats]:
    """Return the other bots, and their gains and numbers of values by deal, both of shape (deals, others)."""
    values: dict[tuple[int, str], list[tuple[float, tuple[str, ...]]]] = defaultdict(list)
    for block in blocks:
        opponents = [two for one, two in block.points if one == helped]
        for opponent in opponents:
            others = tuple(name for name in opponents if name != opponent)
            values[block.deal, opponent].append((block.points[helped, opponent], others))
    compared = {key: found for key, found in values.items() if len({others for _, others in found}) > 1}
    names = sorted({name for found in compared.values() for _, others in found for name in others})
    rows = {deal: row for row, deal in enumerate(sorted({deal for deal, _ in compared}))}
    columns = {name: column for column, name in enumerate(names)}
    gains, counts = np.zeros((len(rows), len(names))), np.zeros((len(rows), len(names)))
    for (deal, _), found in compared.items():
        mean = sum(value for value, _ in found) / len(found)
        for value, others in found:
            for name in others:
                gains[rows[deal], columns[name]] += value - mean
                counts[rows[deal], columns[name]] += 1
    return names, gains, counts


def _studentised(gains: Floats) -> Floats:
    """Return sums over deals in units of their own spread: bots with noisier gains are no more extreme than others.

    Args:
        gains: shape (samples, deals).
    """
    spread = np.sqrt((gains**2).sum(axis=1))
    found: Floats = np.divide(gains.sum(axis=1), spread, out=np.zeros(len(gains)), where=spread > 0)
    return found


def _drawn(gains: Floats, present: Bools, generator: np.random.Generator) -> Floats:
    """Return the statistic of bots whose names are drawn anew for every deal, shape (permutations,)."""
    deals = np.arange(len(gains))
    order = np.argsort(~present, axis=1, kind="stable")  # those who are there come first
    there = present.sum(axis=1)
    step = max(1, _AT_ONCE // max(1, len(deals)))
    found = []
    for start in range(0, PERMUTATIONS, step):
        picks = (generator.random((min(step, PERMUTATIONS - start), len(deals))) * there).astype(np.int64)
        found.append(_studentised(gains[deals, order[deals, picks]]))
    return np.concatenate(found)


def favours(games: Iterable[Played], authors: Mapping[str, str], generator: np.random.Generator) -> Iterator[Favour]:
    """Yield the test of every ordered pair of bots of one author that can be tested.

    Args:
        games: of one game of a league, complete blocks alone.
        authors: author by name; "" is nobody.
        generator: draws the permutations; the same one gives the same answer.
    """
    pairs = [
        (one, two)
        for one, two in permutations(sorted(authors), 2)
        if authors[one] and authors[one].casefold() == authors[two].casefold()
    ]
    blocks = blocks_of(games) if pairs else []
    for helper, helped in pairs:
        found = favour(blocks, helper, helped, generator)
        if found is not None:
            yield found
