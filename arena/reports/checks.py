"""What is checked behind a ladder, in sentences: cycles, pairs that do not fit, drift, and the model itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from arena.ratings.checks import Drift, all_pairs_slope, check_drift
from arena.ratings.fit import Fit
from arena.ratings.results import Results
from arena.ratings.transitivity import WARN_BELOW, Transitivity, check_transitivity

CLUSTERS_LEAST = 20
"""Deals from which the tests are shown: with fewer, errors that are clustered by deal are too rough for them."""
NORMAL_DISTRIBUTION = NormalDist()


@dataclass(frozen=True, slots=True)
class Checks:
    """Whether one number a bot explains the results.

    Attributes:
        transitivity: the test of all pairs.
        drift: first half against second half, None when they cannot be compared.
        slope: strengths of all pairs on the fit's: near 1 where Plackett-Luce holds; None at tables of two.
        nash: by name, share in the Nash mix and score against it minus 1/2; None while the results are transitive.
    """

    transitivity: Transitivity
    drift: Drift | None
    slope: float | None
    nash: Mapping[str, tuple[float, float]] | None

    def notes(self, clusters: int, kind: str = "deal") -> tuple[str, ...]:
        """Return the lines under a ladder.

        Args:
            clusters: how many deals (or other units of the errors) the results have; tests need some.
            kind: what a unit is called.
        """
        if clusters < CLUSTERS_LEAST:
            return (f"Whether one number a bot explains the results is tested from {CLUSTERS_LEAST} {kind}s on.",)
        return (*_transitivity_notes(self.transitivity), *_pair_notes(self.transitivity), *self._model_notes())

    def _model_notes(self) -> list[str]:
        notes = []
        if self.drift is not None:
            name, change, z = self.drift.changes[0]
            moved = f"; {name} moved most, {change:+.0f} Elo (z {z:+.1f})" if self.drift.p < WARN_BELOW else ""
            words = "First half against second half"
            notes.append(f"{words}: {_test(self.drift.chi2, self.drift.df, self.drift.p)}{moved}.")
        if self.slope is not None:
            notes.append(f"All-pairs strengths on these: slope {self.slope:.2f} (1 where the model holds).")
        return notes


def run_checks(results: Results, fitted: Fit) -> Checks:
    """Return the checks of a fit; they cost about as much as three fits."""
    transitivity = check_transitivity(results, fitted)
    nash = transitivity.nash
    by_name = None
    if nash is not None:
        by_name = {
            name: (float(mass), float(value) + 0.0)
            for name, mass, value in zip(results.names, nash.mass, nash.value, strict=True)
        }
    drift = check_drift(results, model=fitted.model, prior=fitted.prior, scale=fitted.scale)
    return Checks(transitivity, drift, all_pairs_slope(results, fitted), by_name)


def _transitivity_notes(found: Transitivity) -> list[str]:
    test = _test(found.chi2, found.df, found.p)
    if not found.df:
        return []
    if not found.is_violated:
        return [f"Transitivity: {test}."]
    if found.cycles:
        notes = [f"NOT TRANSITIVE: {test}. Some bots beat each other in a circle, which no ladder can show."]
    else:
        notes = [
            f"Some pairs score otherwise than one number a bot says: {test}. Bots have styles, so with many games this "
            "is normal, and the order stands (nobody beats anybody in a circle); --crosstable has each pair."
        ]
    for cycle in found.cycles[:3]:
        a, b, c = cycle.names
        ab, bc, ca = (f"{100 * score:.1f} %" for score in cycle.scores)
        notes.append(f"Cycle: {a} scores {ab} against {b}, {b} {bc} against {c}, {c} {ca} against {a}.")
    if found.nash is not None and found.cycles:
        notes.append(
            "Nash %: share in the hardest mix of all bots (Nash averaging); against it: score against that mix, minus "
            "50 %."
        )
    return notes


def _pair_notes(found: Transitivity) -> list[str]:
    """Return the pair that fits least, if there is more than one number to fit it with."""
    if not found.df or not found.pairs:
        return []
    pair = found.pairs[0]
    far = " More than chance explains." if abs(pair.z) > _extreme(len(found.pairs)) else ""
    return [
        f"Pair that fits least of {len(found.pairs)}: {pair.name} against {pair.other} scored "
        f"{100 * pair.score:.1f} %, expected {100 * pair.expected:.1f} % (z {pair.z:+.1f}).{far}"
    ]


def _extreme(pairs: int) -> float:
    """Return the |z| that the largest of so many residuals passes by chance with probability ``WARN_BELOW`` at most.

    Source: Bonferroni, two-sided.
    """
    return NORMAL_DISTRIBUTION.inv_cdf(1 - WARN_BELOW / (2 * pairs))


def _test(chi2: float, df: float, p: float) -> str:
    probability = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    return f"chi2 {chi2:.1f} on {df:.3g}, {probability}"
