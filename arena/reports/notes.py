"""What a reader must know with a ladder, in sentences: what the numbers mean, how they were made, what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from arena.errors import Termination
from arena.ratings.ladder import Ladder
from arena.reports.rated import Rated
from arena.reports.rows import Column
from arena.reports.standings import Played, count
from arena.reports.writers import shown

MODELS = {
    "plackett-luce": "Plackett-Luce over the places of every table, a shared place as half",
    "half-win": "Bradley-Terry, a tie as half a win",
    "rao-kupper": "Rao-Kupper, with a parameter for ties",
    "davidson": "Davidson, with a parameter for ties",
}
"""The models of the fit, in words."""
ELO = Column("elo", "", 1, signed=True)
BROKEN_SHARE = 0.05
"""A bot that loses more of its games by fault is called broken."""
SAT_OUT = " A no-show is also what a benched bot gets, in every game that it sits out."
HALF_WIDTH = Column("error", "", 1)


def ladder_notes(rated: Rated, void: int | None = None) -> tuple[str, ...]:
    """Return the lines that stand under a ladder, the most general first; no nan, no infinity, no time.

    Args:
        rated: the ladder with its games and checks.
        void: attempts at these games that did not count; None where nobody counted.
    """
    ladder = rated.ladder
    anchors = [f"{row.name} is the anchor, fixed at {shown(row.elo, ELO)}" for row in ladder.rows if row.is_anchor]
    zero = ", ".join(anchors) or "the mean of the field is 0"
    against = "the anchor" if len(anchors) == 1 else "the field"
    unit = ladder.cluster_kind
    return (
        f"Elo: expected score between two bots alone at a table, whatever the seats; {zero}. "
        f"+/-: 95 %, against {against} (not between rows: see --crosstable).",
        "LOS>: probability in % of being better than the next row, one-sided, not corrected for picking the best of "
        "many. rank: places that the games do not exclude, at 95 % for all at once.",
        f"+{unit}s: {unit}s more that would separate a row from the next at 95 %, if the difference stays as it is (0: "
        f"separated already; empty: none, or over ten million; a {unit} is {_games(rated.games_per_deal)} here).",
        _method(ladder),
        _counts(ladder, void),
        *_seats(ladder),
        *ladder.notes,
        *(rated.checks.notes(ladder.clusters, unit) if rated.checks else ()),
    )


def broken_notes(games: Sequence[Played]) -> tuple[str, ...]:
    """Return one line for each bot that loses many games by fault: it is broken rather than weak."""
    notes = []
    for name, tally in sorted(count(games).items()):
        faults = tally.faults.total()
        if faults > BROKEN_SHARE * tally.games:
            kinds = ", ".join(f"{word.value} {number}" for word, number in tally.faults.most_common())
            notes.append(
                f"BROKEN: {name} lost {faults} of its {tally.games} games by fault ({kinds}). Its rating says that, "
                "not how well it plays; --no-forfeits rates the other games alone."
                f"{SAT_OUT if Termination.NO_SHOW in tally.faults else ''}"
            )
    return tuple(notes)


def _games(number: float) -> str:
    return "1 game" if number == 1 else f"{number:.4g} games"


def _method(ladder: Ladder) -> str:
    fit = ladder.fit
    errors = f"clustered by {ladder.cluster_kind}" if fit.is_clustered else "of the model"
    return (
        f"Model: {MODELS[fit.model]}; {fit.prior}. The order of the games does not matter. "
        f"Errors: {errors}, {_counted(ladder.clusters, ladder.cluster_kind)}."
    )


def _counts(ladder: Ladder, void: int | None) -> str:
    again = "" if void is None else f"{void} void and played again; "
    return (
        f"{_counted(ladder.games, 'game')}; {100 * ladder.tie_share:.1f} % of compared pairs tied; "
        f"{_counted(ladder.retired, 'seat')} lost by fault, rated as losses; {again}"
        f"identical repeats {ladder.repeats}; groups {ladder.groups}."
    )


def _seats(ladder: Ladder) -> list[str]:
    """Return one line a table size with what each seat is worth; none when no game compared anybody."""
    if not ladder.clusters:
        return []
    return [
        f"Seats at tables of {size}: "
        + ", ".join(f"{e.seat}: {shown(e.elo, ELO)} ± {shown(e.error, HALF_WIDTH)}" for e in effects)
        + " Elo."
        for size, effects in groupby(ladder.seat_effects, key=lambda effect: effect.table)
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
