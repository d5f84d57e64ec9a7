"""Whatever the results: rows are finite, and neither order nor names matter. Leagues drawn by Hypothesis."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.checks import check_drift
from arena.ratings.crosstable import crosstable, neighbour_table, seat_table
from arena.ratings.fit import fit
from arena.ratings.ladder import Ladder, ladder
from arena.ratings.planner import plan
from arena.ratings.prior import Prior
from arena.ratings.results import Result, Results
from arena.ratings.tiebreaks import LEGEND, standings
from arena.ratings.transitivity import check_transitivity

PLAYERS = "abcdef"


@st.composite
def games(draw: st.DrawFn, seats_max: int = 5) -> Result:
    """Draw one game: any table size, ties, unranked and retired seats, with or without a deal."""
    seats = draw(st.integers(2, seats_max))
    players = tuple(draw(st.permutations(PLAYERS))[:seats])
    ranks = tuple(draw(st.lists(st.one_of(st.none(), st.integers(1, seats)), min_size=seats, max_size=seats)))
    retired = tuple(draw(st.lists(st.sampled_from([False] * 5 + [True]), min_size=seats, max_size=seats)))
    deal = draw(st.one_of(st.none(), st.integers(1, 15).map(str)))
    return Result(players, ranks, retired, deal=deal)


leagues = st.lists(games(), min_size=1, max_size=30).map(Results.of)
two_seat_leagues = st.lists(games(seats_max=2), min_size=1, max_size=30).map(Results.of)
priors = st.sampled_from([Prior(), Prior("none", 0.0), Prior("draws", 1.0)])


def numbers(value: object) -> list[float]:
    """Return every float inside nested tuples."""
    if isinstance(value, float):
        return [value]
    return [number for part in value for number in numbers(part)] if isinstance(value, tuple) else []


def assert_sound(table: Ladder) -> None:
    for row in table.rows:
        assert all(math.isfinite(number) for number in numbers(astuple(row)))
        assert row.error is None or row.error > 0
        assert abs(row.elo) < 20_000
    assert all(math.isfinite(number) for effect in table.seat_effects for number in numbers(astuple(effect)))
    assert np.isfinite(table.fit.los()).all()
    assert len({row.name for row in table.rows}) == len(table.rows)


@settings(max_examples=40)
@given(leagues, priors)
def test_any_league_has_a_finite_ladder(results: Results, prior: Prior) -> None:
    """Protects the first promise: nothing that can be played makes the ladder fail or print ``nan``."""
    assert_sound(ladder(results, prior=prior))


@settings(max_examples=40)
@given(two_seat_leagues, priors, st.sampled_from(["rao-kupper", "davidson"]))
def test_any_two_seat_league_has_tie_model_ratings(results: Results, prior: Prior, model: str) -> None:
    """Protects the tie models in the same way."""
    assert_sound(ladder(results, prior=prior, model=model))  # type: ignore[arg-type]


@settings(max_examples=40)
@given(leagues, st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(results: Results, stream: object) -> None:
    """Protects reproducibility on odd leagues: shuffled and renamed, ratings and errors agree."""
    order = np.arange(len(results))
    stream.shuffle(order)  # type: ignore[attr-defined]
    last = len(results.names) - 1
    names = tuple(f"n{number}" for number in range(last + 1))
    other = replace(results, names=names, player=last - results.player).select(order)
    one, two = fit(results), fit(other)
    assert one.elo == pytest.approx(two.elo[::-1], abs=1e-6)
    assert one.errors() == pytest.approx(two.errors()[::-1], rel=1e-6, abs=1e-6)
    assert one.groups.bound == two.groups.bound[::-1]


@settings(max_examples=40)
@given(leagues)
def test_everything_beside_the_ladder_is_finite(results: Results) -> None:
    """Protects the other tables and checks from leagues that are small, split or one-sided."""
    fitted = fit(results)
    check = check_transitivity(results, fitted)
    assert all(math.isfinite(number) for number in (check.chi2, check.df, check.p))
    assert all(math.isfinite(number) for pair in check.pairs for number in numbers(astuple(pair)))
    drift = check_drift(results)
    assert drift is None or math.isfinite(drift.p)
    rows = standings(results, order=tuple(LEGEND))
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    assert all(math.isfinite(number) for row in rows for number in numbers(astuple(row)))
    assert all(math.isfinite(number) for row in plan(fitted) for number in numbers(astuple(row)))
    cells = [cell for row in crosstable(results, fitted, results.names) for cell in row if cell is not None]
    assert all(math.isfinite(number) for cell in cells for number in numbers(astuple(cell)))
    points = [row.points for row in seat_table(results)] + [row.points for row in neighbour_table(results)]
    assert all(-1e-12 <= share <= 1 + 1e-12 for share in points)
