"""The lines under a ladder say how it was made, from the ladder itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.errors import Termination
from arena.reports.checks import _extreme
from arena.reports.notes import broken_notes, ladder_notes
from arena.reports.rated import Rated
from arena.reports.standings import Played


def test_notes_name_method_and_counts(whole: Rated) -> None:
    """A reader learns the model, what errors rest on, how many games and faults there were."""
    elo, los, more, method, counts, seats, *rest = ladder_notes(whole, 2)
    assert elo.startswith("Elo: expected score")
    assert "Plackett-Luce" in method
    assert "clustered by deal, 12 deals" in method
    assert counts.startswith("72 games; ")
    assert "3 seats lost by fault" in counts
    assert seats.startswith("Seats at tables of 3: 1: ")
    assert "one-sided" in los
    assert "a deal is 6 games here" in more
    assert "2 void and played again; identical repeats 0; groups 1" in counts
    assert whole.checks is not None
    assert rest == [*whole.ladder.notes, *whole.checks.notes(12)]


def test_an_anchor_is_named(whole: Rated) -> None:
    """Zero is the mean of the field only if nothing else fixes the scale."""
    assert "the mean of the field is 0" in ladder_notes(whole)[0]
    rated = whole.ladder
    fixed = replace(rated, rows=(replace(rated.rows[0], is_anchor=True, elo=100.0), *rated.rows[1:]))
    note = ladder_notes(replace(whole, ladder=fixed))[0]
    assert f"{rated.rows[0].name} is the anchor, fixed at +100.0" in note
    assert "against the anchor" in note


def test_notes_show_no_nonsense(whole: Rated) -> None:
    """Never nan, inf or a negative zero."""
    text = "\n".join(ladder_notes(whole)).lower()
    assert "nan" not in text.split()
    assert "inf" not in text.split()
    assert "-0.0 " not in text


def test_seats_are_worth_nothing_known_where_nobody_was_compared(whole: Rated) -> None:
    """As in a league in which every seat of every game was retired: its errors would have ten digits."""
    empty = replace(whole.ladder, clusters=0)
    assert not any(note.startswith("Seats at tables") for note in ladder_notes(replace(whole, ladder=empty)))


def test_a_broken_bot_is_told_from_a_weak_one(games: list[Played]) -> None:
    """Who loses more than one game in twenty by fault is named with the faults; who merely loses is not."""
    assert broken_notes(games) == (), "beta lost 2 of 72 games by fault"
    words = (Termination.NORMAL, Termination.CRASH, Termination.NORMAL)
    crashed = [Played(20 + deal, ("alpha", "beta", "gamma"), words, (3, 2, 1), (1, 2, 3)) for deal in range(8)]
    (note,) = broken_notes([*games, *crashed])
    assert note.startswith("BROKEN: beta lost 10 of its 80 games by fault (crash 9, illegal 1)")


def test_tests_wait_for_enough_deals_and_then_speak_plainly(whole: Rated) -> None:
    """With a dozen deals the clustered errors are too rough to say that anything is wrong."""
    assert whole.checks is not None
    assert whole.checks.notes(12) == ("Whether one number a bot explains the results is tested from 20 deals on.",)
    odd = replace(whole.checks.transitivity, chi2=90.0, df=2.0, p=0.0, is_violated=True, cycles=(), nash=None)
    words, pair, *_ = replace(whole.checks, transitivity=odd).notes(300)
    assert "with many games this is normal, and the order stands" in words
    assert pair.startswith("Pair that fits least")


def test_the_worst_of_many_pairs_must_be_further_off_than_one_alone() -> None:
    """At the same level the largest of 63 residuals may be larger than that of 3."""
    assert _extreme(1) == pytest.approx(2.5758, abs=1e-4)
    assert _extreme(3) < 3 < _extreme(63) < 4
