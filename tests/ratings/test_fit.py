"""The fit as a whole: invariance, priors, anchors, seats, few clusters, refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from arena.ratings.fit import fit
from arena.ratings.ladder import ladder
from arena.ratings.prior import Prior
from arena.ratings.results import Result, Results
from arena.ratings.units import ELO_PER_NAT, elo_of_score, expected_score
from tests.ratings.reference import orders, two_seat

NO_PRIOR = Prior("none", 0.0)
SAMPLES = {
    "two seats": two_seat("paired_deals_p8"),
    "four seats": orders("rotated_deals_k4_p8_g800"),
    "mixed tables": orders("mixed_k2to7_p12_g900"),
    "one-way": two_seat("edge_oneway_bridge"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_order_of_games_does_not_matter(name: str) -> None:
    """Protects reproducibility: shuffled games give the same ratings and errors to 1e-9."""
    results = SAMPLES[name]
    shuffled = results.select(np.random.default_rng(5).permutation(len(results)))
    one, two = fit(results), fit(shuffled)
    assert np.abs(one.elo - two.elo).max() < 1e-9
    assert np.abs(one.covariance - two.covariance).max() < 1e-9 * max(1.0, float(np.abs(one.covariance).max()))


@pytest.mark.parametrize("name", SAMPLES)
def test_names_do_not_matter(name: str) -> None:
    """Protects fairness: players renamed, so that they sort the other way round, keep ratings and errors to 1e-9."""
    results = SAMPLES[name]
    last = len(results.names) - 1
    names = tuple(f"new {number:03d}" for number in range(last + 1))
    renamed = replace(results, names=names, player=last - results.player)
    one, two = fit(results), fit(renamed)
    assert np.abs(one.elo - two.elo[::-1]).max() < 1e-9
    assert np.abs(one.errors() - two.errors()[::-1]).max() < 1e-9


def test_a_doubled_set() -> None:
    """Protects the count of information: same ratings, errors down by sqrt 2 by game, unchanged when deals repeat."""
    single, double = two_seat("p4_g60"), two_seat("edge_duplicated")
    one, two = fit(single, prior=NO_PRIOR), fit(double, prior=NO_PRIOR)
    assert np.abs(one.elo - two.elo).max() < 1e-9
    assert np.allclose(one.errors() / math.sqrt(2), two.errors(), rtol=1e-9)
    same_deals = replace(double, deal=np.arange(120) % 60)
    by_deal = fit(same_deals, prior=NO_PRIOR)
    assert by_deal.clusters.count == 60
    assert np.allclose(by_deal.errors(), one.errors(), rtol=1e-9)


def test_expected_points_equal_points() -> None:
    """Protects the score equations: without a prior every player's expected points are its points."""
    results = two_seat("p20_g3800")
    fitted = fit(results, prior=NO_PRIOR)
    assert fitted.advantage is not None
    (table,) = results.tables()
    gap = fitted.elo[table.player[:, 0]] - fitted.elo[table.player[:, 1]] + fitted.advantage[0]
    surprise = (1 + np.sign(table.rank[:, 1] - table.rank[:, 0])) / 2 - 1 / (1 + 10 ** (-gap / 400))
    total = np.bincount(table.player[:, 0], surprise) - np.bincount(table.player[:, 1], surprise)
    assert np.abs(total).max() < 1e-6


def test_average_anchor_and_scale() -> None:
    """Protects the frame of the ladder: a mean, one anchor (a shift), several anchors (held), and the unit."""
    results = two_seat("p4_g60")
    plain = fit(results)
    assert fit(results, average=1500).elo.mean() == pytest.approx(1500)
    assert np.allclose(fit(results, scale=800).elo, 2 * plain.elo)
    one = fit(results, anchor={"P002": 2000.0})
    assert one.elo[1] == pytest.approx(2000.0)
    assert np.allclose(np.diff(one.elo), np.diff(plain.elo))
    assert one.errors()[1] == 0.0
    assert one.errors()[0] == pytest.approx(plain.difference_sd()[0, 1] * plain.quantile)
    held = fit(results, anchor={"P001": 0.0, "P004": 100.0}, average=50.0)
    assert held.elo[0] == pytest.approx(0.0)
    assert held.elo[3] == pytest.approx(100.0)
    assert held.errors()[[0, 3]].tolist() == [0.0, 0.0]
    assert held.errors()[1] > 0
    rows = ladder(results, anchor={"P002": 2000.0}).rows
    assert [row.error is None for row in rows if row.is_anchor] == [True]


def test_prior_words() -> None:
    """Protects ``--prior``: what is written, what it means, what is refused."""
    assert Prior.parse("0") == NO_PRIOR
    assert Prior.parse("200") == Prior("normal", 200.0)
    assert Prior.parse("draws:2") == Prior("draws", 2.0)
    assert str(Prior()) == "prior N(0, 350)"
    assert str(Prior("draws", 2.0)) == "prior 2 virtual ties a player"
    assert str(NO_PRIOR) == "no prior"
    assert Prior().precision == pytest.approx((ELO_PER_NAT / 350) ** 2)
    for text in ("-1", "nan", "inf", "much", "wins:2", "draws:"):
        with pytest.raises(ValueError, match="accepted are"):
            Prior.parse(text)


def test_virtual_ties_keep_a_perfect_score_finite() -> None:
    """Protects the prior by virtual ties: one win and two ties a player is a score of 2/3 against the other."""
    results = Results.of([Result(("a", "b"), (1, 2))])
    fitted = fit(results, prior=Prior("draws", 2.0), seats=False)
    assert fitted.elo[0] - fitted.elo[1] == pytest.approx(elo_of_score(2 / 3))
    apart = fit(two_seat("edge_disconnected"), prior=Prior("draws", 2.0))
    assert apart.groups.weak_count == 2


def test_a_wider_prior_moves_less() -> None:
    """Protects the prior's direction: a narrow one pulls ratings together, a wide one leaves the maximum alone."""
    results = two_seat("p4_g60")
    spread = [fit(results, prior=Prior("normal", sd)).elo.std() for sd in (50.0, 350.0, 5000.0)]
    assert spread[0] < spread[1] < spread[2]
    assert spread[2] == pytest.approx(fit(results, prior=NO_PRIOR).elo.std(), rel=1e-3)


def test_seats_that_cannot_be_told_are_left_out() -> None:
    """Protects against a seat effect that is really a player's strength."""
    always = Results.of([Result(("a", "b"), (1, 2)), Result(("a", "b"), (2, 1))] * 6)
    fitted = fit(always)
    assert fitted.seat_effects == ()
    assert any("cannot be told" in note for note in fitted.notes)
    three = Results.of([Result(("a", "b", "c"), (1, 2, 3)), Result(("a", "b", "c"), (3, 1, 2))] * 6)
    assert fit(three).seat_effects == ()
    rotated = Results.of([Result(("a", "b", "c"), (1, 2, 3)), Result(("b", "c", "a"), (3, 1, 2))] * 6)
    assert len(fit(rotated).seat_effects) == 3


def test_a_seat_that_always_wins_stays_finite() -> None:
    """Protects against an endless seat effect: its prior is named."""
    first_wins = Results.of([Result(("a", "b"), (1, 2)), Result(("b", "a"), (1, 2))] * 10)
    for prior in (Prior(), NO_PRIOR):
        fitted = fit(first_wins, prior=prior)
        assert fitted.advantage is not None
        assert 0 < fitted.advantage[0] < 3000
        assert np.isfinite(fitted.errors()).all()
        assert any("One seat won every time" in note for note in fitted.notes)


def test_few_clusters() -> None:
    """Protects small leagues: under 40 a t quantile and a factor, under 10 the model's own errors, both said."""
    results = two_seat("p4_g60")
    blocks = replace(results, deal=np.arange(60) % 20)
    some = fit(blocks)
    assert some.is_clustered
    assert some.quantile == pytest.approx(2.0930, abs=1e-4)
    assert any("20/19" in note for note in some.notes)
    few = fit(replace(results, deal=np.arange(60) % 9))
    assert not few.is_clustered
    assert any("Only 9 deals" in note for note in few.notes)
    assert np.allclose(few.covariance, fit(results, errors="model").covariance)


def test_los_is_symmetric_and_sensible() -> None:
    """Protects LOS: complements, one half on the diagonal, larger for larger leads."""
    fitted = fit(two_seat("p4_g60"))
    los = fitted.los()
    assert np.allclose(los + los.T, 1.0)
    assert los[3, 0] > los[3, 1] > 0.5


def test_refusals() -> None:
    """Protects callers from silent nonsense."""
    results = orders("k3_p8_g400")
    with pytest.raises(ValueError, match="no games"):
        fit(results.select(np.zeros(0, dtype=np.int64)))
    with pytest.raises(ValueError, match="two seats"):
        fit(results, model="davidson")
    with pytest.raises(ValueError, match="accepted are plackett-luce"):
        fit(results, model="glicko")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'nobody' has played no game"):
        fit(results, anchor={"nobody": 0.0})
    with pytest.raises(ValueError, match="scale"):
        fit(results, scale=0.0)


def test_expected_score() -> None:
    """Protects the unit: 76 % is 200.24 Elo, and the ends do not overflow."""
    assert elo_of_score(0.76) == pytest.approx(200.24, abs=0.005)
    assert expected_score(200.24) == pytest.approx(0.76, abs=1e-5)
    assert expected_score(1e9) == 1.0
    assert 0.0 < expected_score(-1e9) < 1e-290
    for wrong in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            expected_score(wrong)
    with pytest.raises(ValueError, match="strictly between"):
        elo_of_score(1.0)
