"""The tables beside a ladder, by name: for people as a matrix where that reads better, for programs one fact a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.reports.crosstable import (
    crosstable,
    crosstable_legend,
    crosstable_pairs,
    los_matrix,
    matrix,
    pair_rows,
)
from arena.reports.rated import Rated
from arena.reports.rows import Rows
from arena.reports.seats import (
    NEIGHBOUR_LEGEND,
    SEAT_LEGEND,
    neighbour_matrix,
    neighbour_rows,
    seat_matrix,
    seat_rows,
)
from arena.reports.separation import separation_legend, separation_rows


@dataclass(frozen=True, slots=True)
class Section:
    """One table.

    Attributes:
        title: its heading.
        people: the table for people.
        programs: the same numbers for CSV and JSON.
        legend: the lines under it.
    """

    title: str
    people: Callable[[Rated], Rows]
    programs: Callable[[Rated], Rows]
    legend: Callable[[Rated], tuple[str, ...]]


SECTIONS: Mapping[str, Section] = {
    "crosstable": Section("crosstable", crosstable, crosstable_pairs, lambda _: crosstable_legend()),
    "matrix": Section(
        "rating differences", matrix, pair_rows, lambda _: ("Elo of row minus column ± 95 %; *: significant.",)
    ),
    "los": Section(
        "likelihood of superiority",
        los_matrix,
        pair_rows,
        lambda _: ("Probability in % that row is better than column, one pair at a time, one-sided.",),
    ),
    "seats": Section("seats", seat_matrix, seat_rows, lambda _: (SEAT_LEGEND,)),
    "neighbours": Section("neighbours", neighbour_matrix, neighbour_rows, lambda _: (NEIGHBOUR_LEGEND,)),
    "plan": Section("plan", separation_rows, separation_rows, separation_legend),
}
"""What ``arena standings`` and ``arena rate`` show on request."""
FULL = ("crosstable", "los", "seats", "neighbours", "plan")
"""What ``--full`` and the page show; the matrix is in the crosstable."""
