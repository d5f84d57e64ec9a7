"""The tables beside a ladder: seats, neighbours and the plan, in both forms from the same rows."""

from __future__ import annotations

import math

import pytest

from arena.ratings.results import Result, Results
from arena.reports.rated import Rated
from arena.reports.seats import neighbour_matrix, neighbour_rows, seat_matrix, seat_rows
from arena.reports.sections import FULL, SECTIONS
from arena.reports.separation import separation_legend, separation_rows
from arena.reports.standings import Played
from arena.reports.writers import json_text, plain_rows


def test_seats_by_hand(games: list[Played], whole: Rated) -> None:
    """Every bot has every seat 24 times; shares of all bots in a seat average one half... of what there is."""
    rows = seat_rows(whole).rows
    assert {(row["seat"], row["games"]) for row in rows} == {(seat, 24) for seat in (1, 2, 3)}
    wins = sum(
        2 - sum(other < game.ranks[0] for other in game.ranks) - (game.ranks.count(game.ranks[0]) - 1) / 2
        for game in games
        if game.players[0] == "alpha" and not any(word != "normal" for word in game.terminations)
    )
    share = next(row["points_percent"] for row in rows if (row["name"], row["seat"]) == ("alpha", 1))
    assert share == pytest.approx(100 * wins / 2 / 24, abs=100 * 2 / 24), "all but the games with faults"
    people = seat_matrix(whole)
    assert [column.title for column in people.columns] == ["bot", "seat 1", "seat 2", "seat 3"]
    assert next(row["3/1"] for row in people.rows if row["name"] == "alpha") == f"{share:.1f} (24)"


def test_neighbours_have_every_pair_equally_often(whole: Rated) -> None:
    """Balanced seatings: each bot sits behind each other one in half of its games."""
    rows = neighbour_rows(whole).rows
    assert {row["games"] for row in rows} == {36}
    assert len(rows) == 6
    people = neighbour_matrix(whole)
    assert next(row["after alpha"] for row in people.rows if row["name"] == "alpha") == ""
    assert next(row["after beta"] for row in people.rows if row["name"] == "alpha") == next(
        f"{row['points_percent']:.1f} (36)" for row in rows if (row["name"], row["before"]) == ("alpha", "beta")
    )


def test_tables_of_two_have_no_neighbours() -> None:
    """Before and after are the same bot there."""
    two = Rated.of(Results.of([Result(("a", "b"), (1, 2)), Result(("b", "a"), (1, 2))]), checks=False)
    assert neighbour_rows(two).rows == neighbour_matrix(two).rows == ()


def test_plan_follows_from_difference_and_error(whole: Rated) -> None:
    """C deals with the difference d ± e need c (e/d)² in all; games and time follow from the deals."""
    for row in separation_rows(whole).rows:
        gap, error = float(str(row["difference"])), float(str(row["error"]))
        needed = 0 if gap > error else math.ceil(12 * (error / gap) ** 2 - 12)
        assert row["more_deals"] == needed
        assert row["more_games"] == needed * 6
        assert row["seconds"] == pytest.approx(needed * 6 / 72)
        assert (row["takes"] == "separated") == (needed == 0)
    assert "72 games/s" in separation_legend(whole)[0]
    without = Rated(whole.results, whole.ladder, None)
    assert {row["seconds"] for row in separation_rows(without).rows} == {None}
    assert "not known" in separation_legend(without)[0]


def test_every_section_can_be_written(whole: Rated) -> None:
    """All of them give rows, a legend, and JSON without nan or infinity."""
    assert set(FULL) < set(SECTIONS)
    for section in SECTIONS.values():
        assert section.people(whole).rows
        assert section.legend(whole)
        assert json_text(plain_rows(section.programs(whole)))
