"""Plackett-Luce ratings of larger tables against published programs, over every reference set."""

from __future__ import annotations

import pytest

from arena.ratings.fit import fit
from arena.ratings.prior import Prior
from arena.ratings.units import ELO_PER_NAT
from tests.ratings.reference import ORDER_SETS, answers, largest_error_ratio, largest_gap, orders

NO_PRIOR = Prior("none", 0.0)
TWO_NATS = Prior("normal", 2 * ELO_PER_NAT)
MAXIMUM = ("choix_ilsr_rankings_mle", "choix_opt_top1_mle", "sm_phreg_pl_hessian")


def test_every_set_has_an_answer() -> None:
    """Protects the tests below from passing because the data went missing."""
    assert len(ORDER_SETS) == 12
    assert sum(bool(answers("multiplayer", name)) for name in ORDER_SETS) >= 11


@pytest.mark.parametrize("name", ORDER_SETS)
def test_maximum_likelihood(name: str) -> None:
    """Protects Plackett-Luce, winner-only games and mixed tables: choix and PHReg within 0.01 Elo, errors 0.1 %."""
    expected = answers("multiplayer", name)
    fitted = fit(orders(name), prior=NO_PRIOR, seats=False, errors="model")
    for method in MAXIMUM:
        if method in expected:
            assert largest_gap(fitted, expected[method], "elo") < 0.01
    if "sm_phreg_pl_hessian" in expected:
        assert largest_error_ratio(fitted, expected["sm_phreg_pl_hessian"], "elo_err95") < 0.001


@pytest.mark.parametrize(
    "name", [name for name in ORDER_SETS if "sm_phreg_pl_seat_hessian" in answers("multiplayer", name)]
)
def test_seat_effects(name: str) -> None:
    """Protects seat effects: ratings, effects and their errors as PHReg has them."""
    fitted = fit(orders(name), prior=NO_PRIOR, errors="model")
    rows = answers("multiplayer", name)["sm_phreg_pl_seat_hessian"]
    assert largest_gap(fitted, rows, "elo") < 0.01
    assert largest_error_ratio(fitted, rows, "elo_err95") < 0.001
    seats = answers("multiplayer", name, "params.csv")["sm_phreg_pl_seat_hessian"]
    effects = {f"seat{effect.seat}": effect for effect in fitted.seat_effects}
    for row in seats:
        if row["parameter"] in effects:
            effect = effects[row["parameter"]]
            assert effect.elo == pytest.approx(float(row["value"]) * ELO_PER_NAT, abs=0.02)
            assert effect.error == pytest.approx(1.96 * float(row["se"]) * ELO_PER_NAT, rel=0.003)
        else:
            assert fitted.loglik == pytest.approx(float(row["value"]), abs=0.001)


@pytest.mark.parametrize("seats", [False, True])
def test_errors_by_deal(seats: bool) -> None:
    """Protects clustering at larger tables: four rotations of a deal are one cluster."""
    name = "rotated_deals_k4_p8_g800"
    method = f"sm_phreg_pl{'_seat' if seats else ''}_sandwich_by_deal"
    fitted = fit(orders(name), prior=NO_PRIOR, seats=seats)
    rows = answers("multiplayer", name)[method]
    assert fitted.clusters.kind == "deal"
    assert fitted.clusters.count == 200
    assert largest_gap(fitted, rows, "elo") < 0.01
    assert largest_error_ratio(fitted, rows, "elo_err95") < 0.001


@pytest.mark.parametrize("name", ["k3_p8_g400_ties", "k4_p12_g800_ties", "k5_p10_g500_ties"])
def test_ties_are_averaged_over_orders(name: str) -> None:
    """Protects the tie rule: choix on every order of every tie with equal weights."""
    fitted = fit(orders(name), prior=NO_PRIOR, seats=False)
    assert largest_gap(fitted, answers("multiplayer", name)["choix_ilsr_average_over_tied_orders"], "elo") < 0.05


@pytest.mark.parametrize("name", [name for name in ORDER_SETS if "_ties" not in name])
def test_normal_prior(name: str) -> None:
    """Protects the prior at larger tables (choix stops at a loose tolerance)."""
    expected = answers("multiplayer", name)
    rows = [expected[method] for method in expected if "map_sigma2nat" in method]
    fitted = fit(orders(name), prior=TWO_NATS, seats=False)
    for row in rows:
        assert largest_gap(fitted, row, "elo") < 0.5
