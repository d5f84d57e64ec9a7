"""Who beats whom: points, games, differences with errors that know the deals, and tie-breaks."""

from __future__ import annotations

import re

import pytest

from arena.ratings.results import Result, Results
from arena.reports.crosstable import (
    AGAINST,
    crosstable,
    crosstable_legend,
    crosstable_pairs,
    los_matrix,
    matrix,
    pair_rows,
)
from arena.reports.rated import Rated
from arena.reports.rows import Rows

NAMES = ("alpha", "beta", "gamma")


def by_pair(table: Rows) -> dict[tuple[object, object], dict[str, object]]:
    return {(row["name"], row["opponent"]): dict(row) for row in table.rows}


def test_points_of_a_pair_add_up_to_its_games(whole: Rated) -> None:
    """What one bot of a pair wins the other loses; two retired seats of one game are not compared."""
    found = by_pair(pair_rows(whole))
    assert len(found) == 6
    for (name, other), row in found.items():
        assert float(str(row["points"])) + float(str(found[other, name]["points"])) == row["games"]
    assert found["alpha", "beta"]["games"] == 72
    assert found["beta", "gamma"]["games"] == 71


def test_differences_and_los_are_those_of_the_fit(whole: Rated) -> None:
    """Cells show the fit's differences, errors and probabilities, unrounded."""
    fit = whole.ladder.fit
    a, b = fit.names.index("alpha"), fit.names.index("beta")
    row = by_pair(pair_rows(whole))["alpha", "beta"]
    assert row["difference"] == pytest.approx(fit.elo[a] - fit.elo[b])
    assert row["error"] == pytest.approx(fit.quantile * fit.difference_sd()[a, b])
    assert row["los_percent"] == pytest.approx(100 * fit.los()[a, b])


def test_both_forms_show_the_same_numbers(whole: Rated) -> None:
    """The matrices for people and the pair rows come from one count."""
    pairs = by_pair(pair_rows(whole))
    tables = (crosstable(whole), matrix(whole), los_matrix(whole))
    for cross, gap, los in zip(*(table.rows for table in tables), strict=True):
        for other in NAMES:
            if other == cross["name"]:
                assert cross[AGAINST + other] == gap[AGAINST + other] == los[AGAINST + other] == ""
                continue
            pair = pairs[cross["name"], other]
            star = "*" if pair["significant"] else ""
            score = f"{pair['points']:g}/{pair['games']}"
            assert cross[AGAINST + other] == f"{score} {pair['difference']:+.0f} ±{pair['error']:.0f}{star}"
            assert gap[AGAINST + other] == f"{pair['difference']:+.1f} ±{pair['error']:.1f}{star}"
            assert los[AGAINST + other] == f"{pair['los_percent']:.1f}"


def test_rows_are_in_the_order_of_points_with_tie_breaks(whole: Rated) -> None:
    """TB1 is empty without a tie; wins and Sonneborn-Berger are given; the legend names them."""
    table = crosstable(whole)
    points = [float(str(row["points"])) for row in table.rows]
    assert points == sorted(points, reverse=True)
    assert [column.title for column in table.columns][-3:] == ["TB1", "TB2", "TB3"]
    legend = "\n".join(crosstable_legend())
    assert all(re.search(rf"TB{place}: .*\({rule}\)", legend) for place, rule in
               enumerate(("head-to-head", "wins", "sonneborn-berger"), start=1))  # fmt: skip
    row = next(row for row in crosstable_pairs(whole).rows if row["name"] == table.rows[0]["name"])
    assert (row["rank"], row["total_points"], row["tb3"]) == (1, points[0], table.rows[0]["tb3"])


def test_a_tie_in_points_is_broken_head_to_head() -> None:
    """Two bots with equal points: the one that beat the other is first, and TB1 shows by how much."""
    games = [
        Result(("a", "b"), (1, 2)),
        Result(("b", "c"), (1, 2)),
        Result(("c", "a"), (1, 2)),
        Result(("b", "d"), (1, 2)),
        Result(("a", "d"), (1, 2)),
        Result(("c", "d"), (1, 2)),
    ]
    rows = crosstable(Rated.of(Results.of(games), checks=False)).rows
    assert [row["points"] for row in rows] == [2.0, 2.0, 2.0, 0.0]
    assert [row["rank"] for row in rows][:3] == [1, 1, 1], "a cycle that no tie-break resolves"
    assert [row["tb1"] for row in rows] == [1.0, 1.0, 1.0, None]


def test_bots_that_never_met_have_no_difference() -> None:
    """Two groups: no games, no difference, no probability between them, and nothing significant."""
    games = [Result(("a", "b"), (1, 2)), Result(("b", "a"), (1, 1)), Result(("y", "z"), (2, 1))]
    whole = Rated.of(Results.of(games), checks=False)
    row = by_pair(pair_rows(whole))["a", "z"]
    assert (row["games"], row["difference"], row["error"], row["significant"], row["los_percent"]) == (
        0,
        None,
        None,
        0,
        None,
    )
    assert next(row for row in matrix(whole).rows if row["name"] == "a")[AGAINST + "z"] == ""


def test_names_of_bots_cannot_be_taken_for_columns() -> None:
    """A bot called ``points`` has a column of its own."""
    renamed = Results.of([Result(("points", "name"), (1, 2)), Result(("name", "points"), (1, 2))])
    table = crosstable(Rated.of(renamed, checks=False))
    keys = [column.key for column in table.columns]
    assert len(set(keys)) == len(keys)
