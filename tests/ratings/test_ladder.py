"""The ladder's rows, with the edge sets: everything finite, groups and one-sided results named."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest

from arena.ratings.groups import find_groups
from arena.ratings.ladder import Ladder, difference_matrix, ladder, rank_ranges
from arena.ratings.prior import Prior
from arena.ratings.results import Result, Results
from tests.ratings.reference import ORDER_SETS, TWO_SEAT_SETS, orders, two_seat

PRIORS = (Prior(), Prior("none", 0.0), Prior("draws", 2.0))


def check_finite(table: Ladder) -> None:
    """Assert that no number in the rows is ``nan``, infinite or a negative zero, and that no error is 0."""
    for row in table.rows:
        for value in astuple(row):
            if isinstance(value, float):
                assert math.isfinite(value)
                assert not (value == 0.0 and math.copysign(1.0, value) < 0)
        assert row.error is None or row.error > 0
        assert 1 <= row.rank_low <= row.rank <= row.rank_high
    difference, error = difference_matrix(table.fit)
    assert np.isfinite(difference).all()
    assert np.isfinite(error).all()


@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize("name", TWO_SEAT_SETS)
def test_two_seat_sets_are_finite(name: str, prior: Prior) -> None:
    """Protects the first promise of the product: no exception, no ``nan``, no ``inf``, whatever the results."""
    table = ladder(two_seat(name), prior=prior)
    check_finite(table)
    assert sum(row.games for row in table.rows) == 2 * table.games


@pytest.mark.parametrize("model", ["rao-kupper", "davidson"])
@pytest.mark.parametrize("name", [name for name in TWO_SEAT_SETS if name.startswith("edge")])
def test_tie_models_are_finite(name: str, model: str) -> None:
    """Protects the options: edge sets leave tie models finite too, or they say that half wins were used."""
    check_finite(ladder(two_seat(name), model=model))  # type: ignore[arg-type]
    check_finite(ladder(two_seat(name), model=model, prior=Prior("none", 0.0)))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ORDER_SETS)
def test_larger_tables_are_finite(name: str) -> None:
    """Protects larger tables in the same way, the player that is always first included."""
    table = ladder(orders(name))
    check_finite(table)
    if name.startswith("edge_always_first"):
        (best,) = [row for row in table.rows if row.bound]
        assert (best.rank, best.bound) == (1, ">")


def marks(name: str) -> dict[str, str]:
    return {row.name: row.bound for row in ladder(two_seat(name)).rows if row.bound}


def test_one_sided_results_are_marked() -> None:
    """Protects bounds: perfect scores, no points, a bridge that one group won, a chain, one game."""
    assert marks("edge_perfect") == {"P001": ">"}
    assert marks("edge_zero") == {"P006": "<"}
    assert marks("edge_perfect_and_zero") == {"P001": ">", "P006": "<"}
    assert marks("edge_oneway_bridge") == {f"PA00{number}": ">" for number in range(1, 5)}
    assert marks("edge_chain") == {"P001": ">", "P005": "<"}
    assert marks("edge_single_win") == {"P001": ">", "P002": "<"}
    assert marks("edge_single_draw") == marks("edge_all_draws") == marks("edge_single_bridge_draw") == {}


def test_the_limit_of_a_perfect_score() -> None:
    """Protects the likelihood bound: at the limit, the 40 wins have fallen to exp(-1.353) of certainty."""
    table = ladder(two_seat("edge_perfect"))
    best = table.rows[0]
    assert best.limit is not None
    assert best.limit < best.elo
    chance = math.prod((1 / (1 + 10 ** ((row.elo - best.limit) / 400))) ** 8 for row in table.rows[1:])
    assert chance == pytest.approx(math.exp(-(1.6448536**2) / 2), rel=1e-5)
    assert any("no upper limit: P001" in note for note in table.notes)


def test_groups_are_separate_ladders() -> None:
    """Protects comparisons: groups that never met have means, ranks and a plain sentence of their own."""
    table = ladder(two_seat("edge_disconnected"))
    assert table.groups == 2
    assert [(row.group, row.rank) for row in table.rows] == [(g, r) for g in (1, 2) for r in (1, 2, 3, 4)]
    for group in (1, 2):
        assert math.fsum(row.elo for row in table.rows if row.group == group) == pytest.approx(0.0, abs=1e-9)
    assert "not comparable" in table.notes[0]
    assert [row.los_next is None for row in table.rows] == [False, False, False, True] * 2


def test_a_player_without_a_comparison() -> None:
    """Protects rows from an error of 0: who only ever met faults together has no error at all."""
    games = [Result(("a", "b"), (1, 2)), Result(("b", "a"), (1, 2))] * 20
    games.append(Result(("c", "d"), (1, 2), (True, True)))
    table = ladder(Results.of(games))
    check_finite(table)
    alone = [row for row in table.rows if row.name in "cd"]
    assert [(row.error, row.opponents_elo, row.retired, row.losses) for row in alone] == [(None, None, 1, 1)] * 2
    assert table.retired == 2


def test_counts_of_rows() -> None:
    """Protects points, wins, shares and opponents against a hand count."""
    table = ladder(
        Results.of(
            [
                Result(("a", "b", "c"), (1, 1, 3)),
                Result(("b", "c", "a"), (1, 2, 3)),
                Result(("c", "a", "b"), (1, 2, 3), (False, False, True)),
            ]
        )
    )
    rows = {row.name: row for row in table.rows}
    assert {name: row.points for name, row in rows.items()} == {"a": 2.5, "b": 3.5, "c": 3.0}
    assert (rows["a"].wins, rows["a"].ties, rows["a"].losses) == (0, 1, 2)
    assert (rows["b"].wins, rows["b"].ties, rows["b"].losses, rows["b"].retired) == (1, 1, 1, 1)
    assert rows["b"].win_share == pytest.approx(1.5 / 3)
    assert rows["a"].mean_place == pytest.approx((1.5 + 3 + 2) / 3)
    assert rows["a"].place_shares == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert rows["c"].first_seat_share == pytest.approx(1 / 3)
    assert rows["a"].opponents == 2
    assert rows["a"].opponents_elo == pytest.approx((rows["b"].elo + rows["c"].elo) / 2)
    assert table.tie_share == pytest.approx(1 / 7)


def test_points_schemes() -> None:
    """Protects the organiser's choice: place points, their share, or the winner's point; faults earn nothing."""
    results = Results.of([Result(("a", "b", "c", "d"), (1, 1, 3, None), (False, False, False, True))])
    expected = {"place": [2.5, 2.5, 1.0, 0.0], "normalised": [5 / 6, 5 / 6, 1 / 3, 0.0], "winner": [0.5, 0.5, 0, 0]}
    for scheme, points in expected.items():
        rows = sorted(ladder(results, points=scheme).rows, key=lambda row: row.name)  # type: ignore[arg-type]
        assert [row.points for row in rows] == pytest.approx(points)
    with pytest.raises(ValueError, match="accepted are place"):
        ladder(results, points="rank")  # type: ignore[arg-type]


def test_rank_ranges_shrink_with_games() -> None:
    """Protects rank intervals: wide after 60 games, narrow for the leader after 3,800, always around the rank."""
    early, late = ladder(two_seat("p4_g60")), ladder(two_seat("p20_g3800"))
    assert {(row.rank_low, row.rank_high) for row in early.rows} == {(1, 3), (1, 4), (2, 4)}
    assert (late.rows[0].rank_low, late.rows[0].rank_high) == (1, 1)
    low, high = rank_ranges(late.fit)
    assert (low <= high).all()


def test_repeats_and_stuck_seats_are_told() -> None:
    """Protects readers from games that say nothing new and from bots that never changed seats."""
    games = [Result(("a", "b"), (1, 2), deal=str(deal)) for deal in range(12)]
    games += [Result(("b", "a"), (1, 2), deal="0"), Result(("b", "a"), (1, 2), deal="0")]
    table = ladder(Results.of(games))
    assert table.repeats == 1
    assert any("1 games repeat" in note for note in table.notes)
    stuck = ladder(Results.of(games[:12]))
    assert any("Always in one seat" in note and "a, b" in note for note in stuck.notes)


def test_bounds_in_larger_graphs() -> None:
    """Protects the reference of the marks: the largest component, else the lower one; others by where they stand."""
    both = [Result(("a", "b"), (1, 2)), Result(("b", "a"), (1, 2)), Result(("c", "d"), (1, 1))]
    assert find_groups(Results.of([*both, Result(("a", "c"), (1, 2))])).bound == (">", ">", "", "")
    chain = [*both, Result(("a", "e"), (1, 2)), Result(("a", "c"), (1, 2)), Result(("a", "b", "f"), (2, 2, 1))]
    assert find_groups(Results.of(chain)).bound == (">", ">", "", "", "<", ">")
