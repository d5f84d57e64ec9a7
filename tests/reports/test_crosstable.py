"""Who beats whom, with errors that know that the games of one deal share their luck."""

from __future__ import annotations

import pytest
from scipy.stats import t

from arena.errors import Termination
from arena.reports.crosstable import Meeting, crosstable, meetings, pair_rows
from arena.reports.standings import Played

NORMAL = Termination.NORMAL


def game(deal: int, ranks: tuple[int, ...], words: tuple[Termination, ...] = (NORMAL,) * 3) -> Played:
    return Played(deal, ("a", "b", "c"), words, (0, 0, 0), ranks)


def test_points_of_a_pair_add_up_to_its_games(games: list[Played]) -> None:
    """What one bot of a pair wins the other loses."""
    found = meetings(games)
    for (mine, other), meeting in found.items():
        assert meeting.points + found[other, mine].points == meeting.games == found[other, mine].games
    assert found["alpha", "beta"].games == 72
    assert found["beta", "gamma"].games == 71, "two retired seats of one game are not compared"


def test_places_decide_and_ties_count_half() -> None:
    """1 for finishing ahead, 1/2 for a shared place."""
    found = meetings([game(0, (1, 1, 3)), game(1, (2, 1, 3))])
    assert found["a", "b"].points == 0.5
    assert found["a", "c"].points == 2
    assert found["b", "a"].share == 0.75


def test_a_retired_bot_is_behind_whatever_the_rules_say() -> None:
    """The fault decides, not the score at the end."""
    found = meetings([game(0, (1, 2, 3), (Termination.CRASH, NORMAL, NORMAL))])
    assert found["a", "c"].points == 0
    assert found["c", "a"].points == 1


def test_error_is_the_one_of_the_deals() -> None:
    """Four games of one deal are one observation: worked by hand."""
    meeting = Meeting({0: [4.0, 4.0], 1: [1.0, 4.0], 2: [2.0, 4.0]})
    share = 7 / 12
    squares = (4 - 4 * share) ** 2 + (1 - 4 * share) ** 2 + (2 - 4 * share) ** 2
    assert meeting.error == pytest.approx(t.ppf(0.975, 2) * (1.5 * squares) ** 0.5 / 12)


def test_error_of_a_clean_sweep_is_a_bound() -> None:
    """All games won says less than certainty: 1 - 0.05^(1/deals)."""
    assert Meeting({deal: [6.0, 6.0] for deal in range(10)}).error == pytest.approx(1 - 0.05**0.1)
    assert Meeting({0: [3.0, 6.0]}).error is None


def test_both_forms_show_the_same_numbers(games: list[Played]) -> None:
    """The table for people and the pair rows come from one count."""
    names = ["alpha", "beta", "gamma"]
    found = meetings(games)
    pairs = {(row["name"], row["opponent"]): row for row in pair_rows(names, found).rows}
    for row in crosstable(names, found).rows:
        assert row[str(row["name"])] == ""
        for other in names:
            if other != row["name"]:
                pair = pairs[str(row["name"]), other]
                assert row[other] == f"{pair['share_percent']:.1f} ±{pair['error_percent']:.1f}"
    assert pairs["alpha", "beta"]["significant"] == 1
    assert len(pairs) == 6


def test_bots_that_never_met_have_an_empty_cell() -> None:
    """No games, no number."""
    assert [row["z"] for row in crosstable(["a", "z"], meetings([game(0, (1, 2, 3))])).rows] == ["", ""]
