"""Matches between two bots: pairing of games, lines, differences per deal, performance."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from arena.ratings.matches import (
    deal_differences,
    llr_line,
    match_counts,
    match_lines,
    match_score,
    performance,
)
from arena.ratings.results import Result, Results
from arena.ratings.sprt import NELO_PER_T, Sprt, mean_fit, t_fit
from tests.ratings.reference import two_seat


def pair(deal: int, first: tuple[int, int], second: tuple[int, int]) -> list[Result]:
    """Return one deal played both ways round, ranks of a and b."""
    return [
        Result(("a", "b"), first, deal=str(deal)),
        Result(("b", "a"), (second[1], second[0]), deal=str(deal)),
    ]


GAMES = [*pair(1, (1, 2), (1, 2)), *pair(2, (1, 2), (2, 1)), *pair(3, (1, 1), (1, 1)), *pair(4, (2, 1), (1, 1))]


def test_counts_of_pairs() -> None:
    """Protects the five values: WL and DD score alike but are told apart; order of games does not matter."""
    for games in (GAMES, GAMES[::-1]):
        counts = match_counts(Results.of(games), "a", "b")
        assert (counts.wins, counts.ties, counts.losses) == (3, 3, 2)
        assert counts.pairs == (0, 1, 1, 1, 0, 1)
        assert counts.units == counts.five == (0, 1, 2, 0, 1)
    other_side = match_counts(Results.of(GAMES), "b", "a")
    assert other_side.five == counts.five[::-1]
    with pytest.raises(ValueError, match="'z' has played no game"):
        match_counts(Results.of(GAMES), "a", "z")


def test_unpaired_games_fall_back_to_games() -> None:
    """Protects the test from half-played deals: one game without its partner makes the game the unit."""
    counts = match_counts(
        Results.of([*GAMES, Result(("a", "b"), (1, 2), deal="5"), Result(("a", "b"), (2, 1))]), "a", "b"
    )
    assert counts.unpaired == 2
    assert counts.units == (3, 3, 4)


def test_faults_count_as_losses() -> None:
    """Protects matches: a retired bot has lost, and a game that both lost is left out."""
    games = [Result(("a", "b"), (1, 1), (False, True)), Result(("b", "a"), (1, 2), (True, True))]
    counts = match_counts(Results.of(games), "a", "b")
    assert (counts.wins, counts.ties, counts.losses) == (1, 0, 0)


def test_lines_that_people_know() -> None:
    """Protects the printed block: every number of it is on the right place, from the first bot's side."""
    lines = match_lines("a", "b", match_counts(Results.of(GAMES), "a", "b"), Sprt(0, 10))
    assert lines[0] == "Results of a against b, from a's side:"
    assert lines[1].startswith("Elo: 43.66 +/- ")
    assert lines[2].endswith("DrawRatio: 50.00 %, PairsRatio: 1.00")
    assert lines[3] == "Games: 8, Wins: 3, Losses: 2, Draws: 3, Points: 4.5 (56.25 %)"
    assert lines[4] == "Ptnml(0-2): [0, 1, 2, 0, 1]"
    assert lines[5].endswith("(-2.94, 2.94) [0.00, 10.00]")


def test_lines_never_hold_nan() -> None:
    """Protects one-sided and level matches: a bound or two dashes, never ``inf``, ``nan`` or -0."""
    swept = match_lines("a", "b", match_counts(Results.of(pair(1, (1, 2), (1, 2))), "a", "b"), Sprt(0, 5))
    level = match_lines("a", "b", match_counts(Results.of(pair(1, (1, 1), (1, 1))), "a", "b"), Sprt(0, 5))
    plain = match_lines("a", "b", match_counts(Results.of([Result(("a", "b"), (2, 1))]), "a", "b"))
    assert swept[1].startswith("Elo: > +5.87")
    assert level[1] == "Elo: 0.00, nElo: --"
    assert plain[1].startswith("Elo: < ")
    text = "\n".join((*swept, *level, *plain))
    assert not re.search(r"nan|inf|-0\.0+\b", text)


def test_llr_line_shows_the_way_to_a_bound() -> None:
    """Protects the running display: a negative ratio is measured against the lower bound."""
    sprt = Sprt(0, 5)
    assert llr_line(sprt, -sprt.upper / 2) == "LLR: -1.47 (-50.0 %) (-2.94, 2.94) [0.00, 5.00]"
    assert llr_line(sprt, -0.0).startswith("LLR: 0.00 (0.0 %)")


def test_match_score_refuses_nothing_played() -> None:
    """Protects callers from dividing by no games."""
    for counts in ([0, 0, 0], [1, 2], [1, -1, 3]):
        with pytest.raises(ValueError, match="3 counts of games or 5"):
            match_score(counts)


def test_sprt_arguments() -> None:
    """Protects tests from hypotheses in the wrong order and impossible error rates."""
    for wrong in ((5, 0, 0.05, 0.05), (0, 5, 0.0, 0.05), (0, 5, 0.05, 0.5)):
        with pytest.raises(ValueError, match="must"):
            Sprt(*wrong)
    with pytest.raises(ValueError, match="3 counts"):
        Sprt(0, 5).llr([1, 2])
    assert Sprt(0, 5).llr([0, 0, 0]) == 0.0
    assert Sprt(0, 5).state(-3) == "H0"
    assert Sprt(0, 5).state(3) == "H1"


def test_constrained_fits_meet_their_constraints() -> None:
    """Protects the ratio's two maximisations: shares sum to 1 and have the mean or the t-value asked for."""
    share, score = np.array([0.1, 0.3, 0.2, 0.25, 0.15]), np.linspace(0, 1, 5)
    fitted = mean_fit(share, score, 0.6)
    assert fitted.sum() == pytest.approx(1.0)
    assert fitted @ score == pytest.approx(0.6)
    fitted = t_fit(share, score, 0.2)
    mean = fitted @ score
    assert fitted.sum() == pytest.approx(1.0)
    assert (mean - 0.5) / math.sqrt(fitted @ (score - mean) ** 2) == pytest.approx(0.2, abs=1e-9)


def test_differences_per_deal() -> None:
    """Protects the test for larger tables: whole deals in deal order, incomplete ones left out."""
    games = [
        Result(("a", "b", "c"), (1, 2, 3), deal="10"),
        Result(("b", "c", "a"), (1, 2, 3), deal="10"),
        Result(("c", "a", "b"), (3, 2, 1), deal="9"),
        Result(("a", "b", "c"), (1, 3, 2), deal="9"),
        Result(("a", "b", "c"), (1, 3, 2), deal="11"),
        Result(("a", "c", "d"), (1, 3, 2), deal="12"),
    ]
    differences, per_deal = deal_differences(Results.of(games), "a", "b")
    assert per_deal == 2
    assert differences.tolist() == pytest.approx([(-0.5 + 1.0) / 2, (0.5 - 1.0) / 2])


def test_sprt_on_differences() -> None:
    """Protects the k-player test: it agrees with the pair test on pairs, and decides simulated candidates rightly."""
    sprt = Sprt(0, 40, model="normalised")
    results = two_seat("paired_deals_p8")
    differences, per_deal = deal_differences(results, "P002", "P005")
    counts = match_counts(results, "P002", "P005")
    assert per_deal == 2
    assert sprt.llr_of_differences(differences, 2) == pytest.approx(sprt.llr(counts.five), rel=0.15)
    assert sprt.llr_of_differences(np.zeros(9), 2) == 0.0
    assert sprt.llr_of_differences(np.zeros(0), 2) == 0.0
    stream = np.random.default_rng(7)
    effect = 40 / NELO_PER_T * math.sqrt(6)
    states = []
    for mean in (0.0, effect):
        draws = stream.normal(mean, 1.0, (40, 1500))
        for draw in draws:
            ratios = (sprt.llr_of_differences(draw[:deals], 6) for deals in range(20, 1501, 20))
            states.append(next((sprt.state(ratio) for ratio in ratios if sprt.state(ratio) != "continue"), "continue"))
    assert states[:40].count("H0") >= 35
    assert states[40:].count("H1") >= 35


def test_performance() -> None:
    """Protects performance ratings: expected points equal points made; a bound at the ends."""
    opponents = [100.0, 0.0, -50.0, 300.0]
    found = performance(opponents, 2.5)
    assert sum(1 / (1 + 10 ** ((elo - found.elo) / 400)) for elo in opponents) == pytest.approx(2.5)
    assert performance(opponents, 4).bound == ">"
    assert performance([0.0], 0) == performance([0.0], 0.0)
    assert performance([0.0], 0).elo == pytest.approx(-performance([0.0], 1).elo)
    with pytest.raises(ValueError, match="5 points from 4 games"):
        performance(opponents, 5)
