"""Results with their ladder and its checks: what every table of a rated game is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.ratings.ladder import Ladder, ladder
from arena.ratings.results import Results
from arena.reports.checks import Checks, run_checks


@dataclass(frozen=True)
class Rated:
    """Some games and what follows from them.

    Attributes:
        results: the games.
        ladder: their ladder.
        checks: how well it explains them; None when they were not asked for.
        seconds_per_deal: measured time of one more deal for everybody; None when it is not known.
    """

    results: Results
    ladder: Ladder
    checks: Checks | None
    seconds_per_deal: float | None = None

    @classmethod
    def of(
        cls, results: Results, *, checks: bool = True, seconds_per_deal: float | None = None, **options: Any
    ) -> Rated:
        """Rate some games.

        Args:
            results: one game or more.
            checks: run the checks, too.
            seconds_per_deal: measured time of one more deal for everybody.
            **options: keyword arguments of ``arena.ratings.ladder.ladder``.

        Raises:
            ValueError: as ``ladder`` does.
        """
        found = ladder(results, **options)
        return cls(results, found, run_checks(results, found.fit) if checks else None, seconds_per_deal)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the ladder."""
        return tuple(row.name for row in self.ladder.rows)

    @property
    def games_per_deal(self) -> float:
        """Mean number of games in a cluster of the errors (a deal, a block or a game)."""
        return len(self.results) / max(self.ladder.clusters, 1)
