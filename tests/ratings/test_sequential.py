"""Sequential tests: one deal after the other, from the deals alone, with the numbers of the plain statistics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.ratings.differences import difference_lines, difference_score
from arena.ratings.matches import deal_differences, match_counts
from arena.ratings.results import Result, Results
from arena.ratings.sequential import SequentialTest
from arena.ratings.sprt import Sprt

SPRT = Sprt(0.0, 30.0, model="normalised")


def pair(deal: int, outcome: float) -> list[Result]:
    """A deal of two seats in which ``a`` scores 0, 1/2, 1, 3/2 or 2."""
    ranks = {0.0: [(2, 1), (1, 2)], 0.5: [(1, 1), (1, 2)], 1.0: [(1, 1), (1, 1)], 1.5: [(1, 2), (1, 1)],
             2.0: [(1, 2), (2, 1)]}[outcome]  # fmt: skip
    return [
        Result(("a", "b"), ranks[0], deal=str(deal), game_id=f"{deal}-0"),
        Result(("b", "a"), ranks[1], deal=str(deal), game_id=f"{deal}-1"),
    ]


def table(deal: int, stream: np.random.Generator) -> list[Result]:
    """A deal of three seats in three rotations; ``a`` is better than ``b``."""
    games = []
    for turn in range(3):
        names = tuple(np.roll(["a", "b", "c"], turn).tolist())
        luck = [{"a": 0.8, "b": 0.0, "c": 0.0}[name] + float(stream.gumbel()) for name in names]
        ranks = tuple(1 + sum(other > own for other in luck) for own in luck)
        games.append(Result(names, ranks, deal=str(deal), game_id=f"{deal}-{turn}"))
    return games


def test_two_seats_are_tested_by_pairs() -> None:
    """After every deal the ratio is the one of the pentanomial counts; the first crossing decides for good."""
    stream = np.random.default_rng(3)
    test = SequentialTest(SPRT, "a", "b", 2)
    games: list[Result] = []
    while test.state == "continue":
        fresh = pair(test.deals, float(stream.choice([0.0, 0.5, 1.0, 1.5, 2.0], p=[0.05, 0.15, 0.3, 0.3, 0.2])))
        games += fresh
        test.add(fresh)
        assert test.llr == pytest.approx(SPRT.llr(match_counts(Results.of(games), "a", "b").five))
    assert test.state == "H1"
    assert test.llr >= SPRT.upper
    deals, llr = test.deals, test.llr
    assert test.add(pair(999, 0.0)) == "H1"
    assert (test.deals, test.llr) == (deals, llr), "a test that has decided takes no more deals"


def test_larger_tables_are_tested_by_differences() -> None:
    """The unit is a deal: the ratio is the t-test's on the mean differences of the deals."""
    stream = np.random.default_rng(5)
    test = SequentialTest(SPRT, "a", "b", 3)
    games: list[Result] = []
    for deal in range(30):
        fresh = table(deal, stream)
        games += fresh
        if test.add(fresh) != "continue":
            break
    differences, games_a_deal = deal_differences(Results.of(games), "a", "b")
    assert games_a_deal == 3
    assert test.llr == pytest.approx(SPRT.llr_of_differences(differences, 3))
    assert test.llr > 0


def test_deals_that_both_failed_are_left_out() -> None:
    """A game that both lost by fault is nobody's point: its deal is counted and not tested."""
    test = SequentialTest(SPRT, "a", "b", 2)
    both = Result(("a", "b"), (1, 1), (True, True), deal="0")
    test.add([both, pair(0, 2.0)[1]])
    assert (test.deals, test.left_out, test.llr) == (1, 1, 0.0)


def test_logistic_elo_is_for_two_seats() -> None:
    """Larger tables have no logistic Elo of a match."""
    with pytest.raises(ValueError, match="two seats"):
        SequentialTest(Sprt(0, 10), "a", "b", 3)


def test_differences_by_hand() -> None:
    """Mean, t interval, normalised Elo and LOS of four deals."""
    score = difference_score(np.array([0.5, 0.0, 0.25, 0.25]), 6)
    sd = math.sqrt(2 * 0.25**2 / 4)
    assert (score.deals, score.games, score.difference) == (4, 24, 0.25)
    assert score.error == pytest.approx(3.182446 * sd / math.sqrt(3), rel=1e-6)
    assert score.nelo == pytest.approx(0.25 / sd * 347.4356 / math.sqrt(6), rel=1e-6)
    assert score.los == pytest.approx(0.5 * (1 + math.erf(0.25 * 2 / sd / math.sqrt(2))))
    assert difference_lines("a", "b", score)[-1] == "Games: 24, Deals: 4"


def test_differences_without_spread_have_no_error() -> None:
    """One deal, or all alike: no error of 0, no infinity."""
    for same in ([0.5], [0.5, 0.5, 0.5], [0.0]):
        score = difference_score(np.array(same), 2)
        assert (score.error, score.nelo) == (None, None)
        assert "--" in "".join(difference_lines("a", "b", score))
    assert difference_score(np.array([0.0, 0.0]), 2).los == 0.5
    with pytest.raises(ValueError, match="complete deal"):
        difference_score(np.array([]), 2)


@pytest.mark.soak
def test_error_rates_are_the_promised_ones() -> None:
    """500 tests under H0 and H1 each: wrong answers stay near alpha and beta (5 %, plus three standard errors)."""
    sprt = Sprt(0.0, 60.0, model="normalised")
    wrong = 0
    for seed in range(500):
        stream = np.random.default_rng(seed)
        test = SequentialTest(sprt, "a", "b", 2)
        while test.state == "continue" and test.deals < 3000:
            test.add(pair(test.deals, float(stream.choice([0.0, 0.5, 1.0, 1.5, 2.0], p=[0.1, 0.2, 0.4, 0.2, 0.1]))))
        wrong += test.state == "H1"
    assert wrong / 500 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
