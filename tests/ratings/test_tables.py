"""Standings by points, crosstable, seats and neighbours, and the ladder over several games."""

from __future__ import annotations

import math

import pytest

from arena.ratings.crosstable import crosstable, neighbour_table, seat_table
from arena.ratings.fit import fit
from arena.ratings.ladder import ladder
from arena.ratings.overall import overall_ladder
from arena.ratings.results import Result, Results
from arena.ratings.tiebreaks import LEGEND, TieBreak, standings
from tests.ratings.reference import orders, two_seat


def results_of(*games: str) -> Results:
    """Return two-seat games written as ``a>b`` or ``a=b``."""
    found = []
    for game in games:
        first, second = game[0], game[2]
        found.append(Result((first, second), (1, 1 if game[1] == "=" else 2)))
    return Results.of(found)


def values(results: Results, rule: TieBreak) -> dict[str, float | None]:
    return {row.name: row.values[0] for row in standings(results, order=(rule,))}


QUAD = results_of("a>b", "a>c", "d>a", "b>c", "b=d", "c>d")
"""Points: a 2, b 1.5, d 1.5, c 1."""


def test_tie_break_values() -> None:
    """Protects each rule against a hand count on four players."""
    assert values(QUAD, "wins") == {"a": 2.0, "b": 1.0, "d": 1.0, "c": 1.0}
    assert values(QUAD, "sonneborn-berger") == {"a": 2.5, "b": 1.75, "d": 2.75, "c": 1.5}
    assert values(QUAD, "buchholz") == {"a": 4.0, "b": 4.5, "d": 4.5, "c": 5.0}
    assert values(QUAD, "buchholz-cut-1") == {"a": 3.0, "b": 3.5, "d": 3.5, "c": 3.5}
    assert values(QUAD, "buchholz-median") == {"a": 1.5, "b": 1.5, "d": 1.5, "c": 1.5}
    assert values(QUAD, "head-to-head") == {"a": None, "b": 0.5, "d": 0.5, "c": None}
    assert values(QUAD, "koya") == {"a": 1.0, "b": 0.5, "d": 1.5, "c": 1.0}


def test_tie_breaks_in_turn() -> None:
    """Protects the order: the first rule that separates decides, what none separates shares the rank."""
    rows = standings(QUAD, order=("head-to-head", "sonneborn-berger"))
    assert [(row.rank, row.name) for row in rows] == [(1, "a"), (2, "d"), (3, "b"), (4, "c")]
    level = standings(results_of("a=b", "c>a", "c>b"))
    assert [(row.rank, row.name) for row in level] == [(1, "c"), (2, "a"), (2, "b")]


def test_head_to_head_starts_again_in_subgroups() -> None:
    """Protects the FIDE rule: once wins split a tie of three, head-to-head is looked at among the two left alone."""
    results = results_of("a>b", "b>c", "c>a", "a>y", "b>y", "c=x", "c=y", "x>y")
    rows = standings(results, order=("head-to-head", "wins"))
    assert [(row.rank, row.name, row.points) for row in rows[:3]] == [(1, "a", 2.0), (2, "b", 2.0), (3, "c", 2.0)]
    assert [row.values for row in rows[:3]] == [(1.0, 2.0), (0.0, 2.0), (1.0, 1.0)]


def test_head_to_head_only_if_all_met() -> None:
    """Protects players from a comparison that one of them never played."""
    rows = standings(results_of("a>x", "b>y", "x>y"), order=("head-to-head",))
    assert [(row.rank, row.name, row.values) for row in rows[:3]] == [
        (1, "a", (None,)),
        (1, "b", (None,)),
        (1, "x", (None,)),
    ]


def test_larger_tables_are_meetings() -> None:
    """Protects tie-breaks at larger tables: a seat meets every co-player, and Sonneborn-Berger follows the formula."""
    results = orders("k3_p8_g400_ties")
    rows = standings(results, order=("sonneborn-berger", "buchholz"))
    points = {row.name: row.points for row in rows}
    (table,) = results.tables()
    for row in rows:
        me = results.names.index(row.name)
        total = meetings = 0.0
        for players, ranks in zip(table.player.tolist(), table.rank.tolist(), strict=True):
            if me in players:
                own = ranks[players.index(me)]
                for other, rank in zip(players, ranks, strict=True):
                    if other != me:
                        meetings += points[results.names[other]]
                        total += points[results.names[other]] * (1 + (own < rank) - (own > rank)) / 2
        if row.values[0] is not None:
            assert row.values[0] == pytest.approx(total)
        if row.values[1] is not None:
            assert row.values[1] == pytest.approx(meetings)


def test_unknown_tie_break() -> None:
    """Protects the config: a misspelt rule is refused with the ones there are."""
    with pytest.raises(ValueError, match="accepted are head-to-head"):
        standings(QUAD, order=("sonneborn",))  # type: ignore[arg-type]
    assert all(LEGEND.values())


def test_crosstable_cells() -> None:
    """Protects the crosstable: points of both sides add up to games, differences mirror, groups stay apart."""
    results = two_seat("edge_disconnected")
    fitted = fit(results)
    names = tuple(row.name for row in ladder(results).rows)
    cells = crosstable(results, fitted, names)
    for i, row in enumerate(cells):
        assert row[i] is None
        for j, cell in enumerate(row):
            mirror = cells[j][i]
            if cell is None or mirror is None:
                continue
            assert cell.points + mirror.points == cell.games == mirror.games
            if names[i][1] != names[j][1]:
                assert (cell.games, cell.difference, cell.error, cell.is_significant) == (0, None, None, False)
            else:
                assert cell.difference is not None
                assert mirror.difference == pytest.approx(-cell.difference)
                assert cell.is_significant == mirror.is_significant
    assert any(cell.is_significant for row in cells for cell in row if cell is not None)


def test_seats_and_neighbours() -> None:
    """Protects the seat and neighbour tables against a hand count; the last seat sits before the first."""
    results = Results.of(
        [Result(("a", "b", "c"), (1, 2, 3)), Result(("a", "c", "b"), (3, 1, 2)), Result(("a", "b"), (2, 1))]
    )
    seats = {(row.name, row.table, row.seat): (row.games, row.points) for row in seat_table(results)}
    assert seats["a", 3, 1] == (2, 0.5)
    assert seats["b", 3, 3] == (1, 0.5)
    assert seats["b", 2, 2] == (1, 1.0)
    assert ("a", 3, 2) not in seats
    neighbours = {(row.name, row.before): (row.games, row.points) for row in neighbour_table(results)}
    assert neighbours["a", "c"] == (1, 1.0)
    assert neighbours["a", "b"] == (1, 0.0)
    assert neighbours["b", "a"] == (1, 0.5)
    assert len(neighbours) == 6


def test_overall_ladder() -> None:
    """Protects the ladder over games: re-centred on the bots rated everywhere, errors joined, the rest named."""
    chess, cards = two_seat("p4_g60"), two_seat("edge_perfect")
    found = overall_ladder({"one": ladder(chess), "two": ladder(cards)})
    one, two = ({row.name: row for row in ladder(results).rows} for results in (chess, cards))
    shared = ["P002", "P003", "P004"]
    assert sorted(row.name for row in found.rows if row.rank) == shared
    centre = [math.fsum(table[name].elo for name in shared) / 3 for table in (one, two)]
    assert math.fsum(row.elo or 0.0 for row in found.rows) == pytest.approx(0.0, abs=1e-9)
    for row in found.rows[:3]:
        parts = [one[row.name].elo - centre[0], two[row.name].elo - centre[1]]
        assert row.elo == pytest.approx(sum(parts) / 2)
        assert row.by_game == pytest.approx(parts)
        errors = [one[row.name].error or 0.0, two[row.name].error or 0.0]
        assert row.error == pytest.approx(math.hypot(*errors) / 2)
    assert [row.rank for row in found.rows] == [1, 2, 3, None, None, None]
    left = {row.name: row for row in found.rows[3:]}
    assert left["P001"].by_game[0] == pytest.approx(one["P001"].elo - centre[0])
    assert left["P001"].by_game[1] is None
    assert left["P001"].games == 70
    assert "P001, P005, P006" in found.notes[1]
    with pytest.raises(ValueError, match="at least one"):
        overall_ladder({})
