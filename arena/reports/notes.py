"""What a reader must know with a ladder, in sentences: what the numbers mean, how they were made, what they rest on."""

from __future__ import annotations

from itertools import groupby

from arena.ratings.ladder import Ladder
from arena.reports.rows import Column
from arena.reports.writers import shown

MODELS = {
    "plackett-luce": "Plackett-Luce over the places of every table, a shared place as half",
    "half-win": "Bradley-Terry, a tie as half a win",
    "rao-kupper": "Rao-Kupper, with a parameter for ties",
    "davidson": "Davidson, with a parameter for ties",
}
"""The models of the fit, in words."""
ELO = Column("elo", "", 1, signed=True)
HALF_WIDTH = Column("error", "", 1)


def ladder_notes(ladder: Ladder) -> tuple[str, ...]:
    """Return the lines that stand under a ladder, the most general first; no nan, no infinity, no time."""
    anchors = [f"{row.name} is fixed at {shown(row.elo, ELO)}" for row in ladder.rows if row.is_anchor]
    zero = ", ".join(anchors) or "the mean of the field is 0"
    return (
        f"Elo: expected score between two bots alone at a table, whatever the seats; {zero}. "
        "+/-: 95 %, against the field (not between rows). best, worst: ranks that the games do not exclude, at 95 % "
        "for all bots at once. LOS: probability of being better than the next row.",
        _method(ladder),
        _counts(ladder),
        *_seats(ladder),
        *ladder.notes,
    )


def _method(ladder: Ladder) -> str:
    fit = ladder.fit
    errors = f"clustered by {ladder.cluster_kind}" if fit.is_clustered else "of the model"
    return (
        f"Model: {MODELS[fit.model]}; {fit.prior}. The order of the games does not matter. "
        f"Errors: {errors}, {_counted(ladder.clusters, ladder.cluster_kind)}."
    )


def _counts(ladder: Ladder) -> str:
    return (
        f"{_counted(ladder.games, 'game')}; {100 * ladder.tie_share:.1f} % of compared pairs tied; "
        f"{_counted(ladder.retired, 'seat')} lost by fault, rated as losses."
    )


def _seats(ladder: Ladder) -> list[str]:
    """Return one line a table size with what each seat is worth."""
    return [
        f"Seats at tables of {size}: "
        + ", ".join(f"{e.seat}: {shown(e.elo, ELO)} ± {shown(e.error, HALF_WIDTH)}" for e in effects)
        + " Elo."
        for size, effects in groupby(ladder.seat_effects, key=lambda effect: effect.table)
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
