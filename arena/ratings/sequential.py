"""A sequential test over the deals of a match, one complete deal after the other, in deal order.

At tables of two the unit is the pair of games of one deal; at larger tables it is the mean difference of points over a
deal's games between the candidate and the base, whoever else sits there. The answer is a function of the deals alone:
it does not depend on when games were finished, or in how many runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.ratings.matches import deal_differences, match_counts
from arena.ratings.results import Result, Results
from arena.ratings.sprt import Sprt, State


@dataclass
class SequentialTest:
    """The state of a test.

    Attributes:
        sprt: the hypotheses and bounds; normalised for more than two seats.
        name: the candidate.
        base: whom it is tested against.
        deals: complete deals looked at, those left out included; the test stops taking them once it has decided.
        left_out: deals in which both failed in one game, at tables of two: nobody scored in it.
        llr: the log-likelihood ratio after these deals.
        state: what is accepted so far.

    Raises:
        ValueError: for logistic Elo with more than two seats.
    """

    sprt: Sprt
    name: str
    base: str
    seats: int
    deals: int = 0
    left_out: int = 0
    llr: float = 0.0
    state: State = "continue"
    _pairs: list[int] = field(default_factory=lambda: [0] * 5)
    _differences: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.seats > 2 and self.sprt.model != "normalised":
            raise ValueError("logistic Elo is for two seats; larger tables are tested in normalised Elo")

    def add(self, games: Sequence[Result]) -> State:
        """Take the next deal, all its games; return what is accepted. A test that has decided takes no more."""
        if self.state != "continue":
            return self.state
        self.deals += 1
        results = Results.of(games)
        if self.seats == 2:
            self._add_pair(results)
        else:
            differences, _ = deal_differences(results, self.name, self.base)
            self._differences += differences.tolist()
            self.llr = self.sprt.llr_of_differences(np.array(self._differences), len(games))
        self.state = self.sprt.state(self.llr)
        return self.state

    def _add_pair(self, results: Results) -> None:
        counts = match_counts(results, self.name, self.base)
        if sum(counts.pairs) != 1 or counts.unpaired:
            self.left_out += 1
            return
        self._pairs[counts.five.index(1)] += 1
        self.llr = self.sprt.llr(self._pairs)
