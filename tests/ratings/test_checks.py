"""Fit checks, Nash averaging, bootstrap, planner: they see what was planted and stay quiet otherwise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from arena.ratings.baseline import bradley_terry, count_points
from arena.ratings.bootstrap import bootstrap
from arena.ratings.checks import all_pairs_slope, check_drift
from arena.ratings.fit import fit
from arena.ratings.nash import nash_average
from arena.ratings.planner import deals_needed, plan
from arena.ratings.prior import Prior
from arena.ratings.results import Result, Results
from arena.ratings.transitivity import check_transitivity, nash_of
from arena.ratings.units import ELO_PER_NAT
from tests.ratings.reference import answers, orders, two_seat
from tests.ratings.simulate import NAMES, STRENGTH, TwoSeatPlan, plackett_luce


def test_a_planted_cycle_is_found() -> None:
    """Protects the warning: three bots in a circle at 80 % are named, with the right scores."""
    results = two_seat("nontransitive_p6")
    check = check_transitivity(results, fit(results))
    assert check.is_violated
    assert check.p < 1e-6
    assert check.df == 10
    assert check.cycles[0].names == ("P001", "P002", "P003")
    assert min(check.cycles[0].scores) >= 0.8
    assert {check.pairs[0].name, check.pairs[0].other} <= {"P001", "P002", "P003"}
    assert check.nash is not None


@pytest.mark.parametrize("name", ["p4_g60", "p20_g3800", "p200_g20000", "paired_deals_p8", "common_deals_p8"])
def test_quiet_on_transitive_pools(name: str) -> None:
    """Protects readers from false alarms, in pools that share deals as well."""
    results = two_seat(name)
    check = check_transitivity(results, fit(results))
    assert check.p > 0.01
    assert check.cycles == ()
    assert check.nash is None
    if name == "p20_g3800":
        assert check.df == 171


@pytest.mark.parametrize("name", ["k3_p8_g400", "k4_p12_g800_ties", "k7_p14_g600", "rotated_deals_k4_p8_g800"])
def test_quiet_on_plackett_luce(name: str) -> None:
    """Protects larger tables: every pair of a Plackett-Luce table is a Bradley-Terry pair."""
    results = orders(name)
    fitted = fit(results)
    assert check_transitivity(results, fitted).p > 0.01
    assert all_pairs_slope(results, fitted) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_games_in_which_everybody_was_retired_compare_nobody(seats: int) -> None:
    """Protects the standings of a league of nothing but broken bots: no numbers are made of faults alone."""
    names = [f"bot {seat}" for seat in range(seats)]
    results = Results.of(Result(tuple(names), (1,) * seats, (True,) * seats, deal=str(deal)) for deal in range(2))
    fitted = fit(results)
    assert fitted.elo == pytest.approx(np.zeros(seats))
    assert check_transitivity(results, fitted).df == 0
    assert all_pairs_slope(results, fitted) is None
    assert check_drift(results) is None


def false_alarms(plan: TwoSeatPlan, pools: int) -> float:
    """Return the share of pools without cycles whose p-value is under 0.05."""
    alarms = 0
    for seed in range(pools):
        results = plan.play(np.random.default_rng(seed))
        alarms += check_transitivity(results, fit(results)).p < 0.05
    return alarms / pools


ALIKE = TwoSeatPlan(10, ties=0.3, swapped=False)
SHARED = TwoSeatPlan(40, luck_elo=200, style_elo=150, shared=True)


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Protects the p-value: of 60 pools without cycles about 5 % are under 0.05, three standard errors at most."""
    assert false_alarms(ALIKE, 60) <= 0.14
    assert false_alarms(SHARED, 60) <= 0.15


@pytest.mark.soak
def test_false_alarms_are_as_rare_as_promised_in_full() -> None:
    """The same over 400 pools, from both sides."""
    assert 0.015 <= false_alarms(ALIKE, 400) <= 0.085
    assert 0.015 <= false_alarms(SHARED, 400) <= 0.11


def test_drift_is_found() -> None:
    """Protects long leagues: a bot that became 200 Elo stronger halfway is named; a steady pool is not."""
    steady = TwoSeatPlan(40, swapped=False).play(np.random.default_rng(3))
    check = check_drift(steady)
    assert check is not None
    assert check.p > 0.01
    stream = np.random.default_rng(4)
    player = np.array([pair for _ in range(80) for pair in itertools.permutations(range(8), 2)])
    strength = np.tile(STRENGTH, (len(player), 1))
    strength[len(player) // 2 :, 2] += 200 / ELO_PER_NAT
    row = np.arange(len(player))
    gap = strength[row, player[:, 0]] - strength[row, player[:, 1]]
    won = stream.random(len(player)) < 1 / (1 + np.exp(-gap))
    drifted = Results.from_arrays(NAMES, player, np.where(won[:, None], [1, 2], [2, 1]))
    check = check_drift(drifted)
    assert check is not None
    assert check.p < 1e-6
    assert check.changes[0][0] == "P3"
    assert check.changes[0][1] == pytest.approx(175, abs=60)
    assert check_drift(drifted.select(np.arange(1))) is None
    assert check_drift(two_seat("edge_disconnected")) is None


def test_all_pairs_slope_needs_larger_tables() -> None:
    """Protects the check from comparing a fit with itself."""
    results = two_seat("p4_g60")
    assert all_pairs_slope(results, fit(results)) is None
    strong = plackett_luce(np.random.default_rng(0), 4000, 4)
    assert all_pairs_slope(strong, fit(strong)) == pytest.approx(1.0, abs=0.02)


def test_nash_averaging_agrees_with_open_spiel() -> None:
    """Protects Nash averaging: mass and value on the win rates of the cyclic set."""
    results = two_seat("nontransitive_p6")
    found = nash_of(results)
    for row in answers("twoplayer", "nontransitive_p6", "nontransitive.csv")[
        "open_spiel_maxent_nash_winrate_minus_half"
    ]:
        index = results.names.index(row["player"])
        assert found.mass[index] == pytest.approx(float(row["mass"]), abs=1e-5)
        assert found.value[index] == pytest.approx(float(row["nash_average"]), abs=1e-5)


def test_nash_spreads_over_equals() -> None:
    """Protects the choice among equilibria: copies share their mass evenly, the beaten get none."""
    circle = np.array([[0.0, 0.3, -0.3], [-0.3, 0.0, 0.3], [0.3, -0.3, 0.0]])
    assert nash_average(circle).mass == pytest.approx([1 / 3] * 3, abs=1e-6)
    copied = np.zeros((5, 5))
    copied[:3, :3] = circle
    copied[3, :3], copied[:3, 3] = circle[0], -circle[0]
    copied[4, :4], copied[:4, 4] = -0.1, 0.1
    found = nash_average(copied)
    assert found.mass == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6, 0], abs=1e-4)
    assert found.value == pytest.approx([0, 0, 0, 0, -0.1], abs=1e-4)
    assert nash_average(np.zeros((4, 4))).mass == pytest.approx([0.25] * 4)
    with pytest.raises(ValueError, match="antisymmetric"):
        nash_average(np.ones((2, 2)))


def test_bootstrap_agrees_with_the_sandwich() -> None:
    """Protects both: drawing deals again scatters as the errors say; the same seed gives the same numbers."""
    results = two_seat("common_deals_p8")
    fitted = fit(results)
    drawn = bootstrap(results, rounds=150, seed=1)
    assert np.mean(drawn.error / fitted.errors()) == pytest.approx(1.0, abs=0.1)
    again = bootstrap(results, rounds=3, seed=8)
    assert (again.covariance == bootstrap(results, rounds=3, seed=8).covariance).all()
    assert np.isfinite(bootstrap(two_seat("edge_perfect"), rounds=5, seed=1).error).all()
    with pytest.raises(ValueError, match="two or more"):
        bootstrap(results, rounds=1, seed=1)


def test_plan_for_neighbours() -> None:
    """Protects the planner: c (e/d)² deals in all, none when separated, none known when level."""
    assert deals_needed(30.0, 20.0, 100) == 0
    assert deals_needed(10.0, 20.0, 100) == 300
    assert deals_needed(20.0, 20.0, 100) == 1
    assert deals_needed(0.0, 20.0, 100) is None
    assert deals_needed(1e-9, 20.0, 100) is None
    fitted = fit(two_seat("p4_g60"))
    rows = plan(fitted, seconds_per_deal=0.5)
    assert [(row.name, row.below) for row in rows] == [("P004", "P002"), ("P002", "P003"), ("P003", "P001")]
    for row in rows:
        assert row.deals_more is not None
        assert row.seconds == row.deals_more * 0.5
        shrunk = row.error * np.sqrt(60 / (60 + row.deals_more))
        assert shrunk <= row.difference + 1e-9
    assert len(plan(fit(two_seat("edge_disconnected")))) == 6


def test_the_baseline_is_the_same_model() -> None:
    """Protects the bench: the bare Newton has the ratings and model errors of the fit without seats and prior."""
    results = two_seat("p20_g3800")
    (table,) = results.tables()
    strength, covariance = bradley_terry(*count_points(table.player, table.rank, len(results.names)))
    fitted = fit(results, prior=Prior("none", 0.0), seats=False, errors="model")
    assert np.abs(strength * ELO_PER_NAT - fitted.elo).max() < 1e-6
    assert np.allclose(covariance * ELO_PER_NAT**2, fitted.covariance, rtol=1e-6, atol=1e-6)
