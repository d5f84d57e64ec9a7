"""The likelihoods against their definitions: all orders written out, and derivatives by differences."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest

from arena.ratings.blocks import Block
from arena.ratings.layout import Layout
from arena.ratings.models import TieModelName, two_seat_model
from arena.ratings.orders import count_orders, distinct_rows, make_pattern
from arena.ratings.pairs import count_pairs
from arena.ratings.results import Clusters, Result, Results, cluster_games
from arena.ratings.sandwich import squared_cluster_scores
from arena.ratings.units import Floats
from tests.ratings.reference import orders, two_seat


def log_order(utility: list[float]) -> float:
    """Return the Plackett-Luce log-probability of finishing in the order given."""
    return sum(u - math.log(sum(math.exp(v) for v in utility[place:])) for place, u in enumerate(utility))


def blocks_of(results: Results, model: TieModelName = "half-win") -> list[Block]:
    blocks: list[Block] = []
    for table in results.tables():
        if table.seats == 2:
            blocks.append(count_pairs(table, len(results.names), two_seat_model(model)))
        else:
            blocks += count_orders(table)
    return blocks


def loglik(blocks: list[Block], params: Floats, layout: Layout) -> float:
    unused = np.zeros((layout.size, layout.size))
    return sum(block.evaluate(params, layout, unused)[0] for block in blocks)


@pytest.mark.parametrize("ranks", [(1, 2, 3, 4), (1, 1, 3, 4), (2, 1, 2, 2), (1, 1, 1, 1), (3, 1, 3, 1)])
def test_ties_are_the_mean_over_all_orders(ranks: tuple[int, ...]) -> None:
    """Protects the tie formula: mean log-probability of every order that breaks the ties."""
    names, strength = ("a", "b", "c", "d"), np.array([0.3, -0.5, 0.9, 0.1])
    results = Results.of([Result(names, ranks)])
    orders_allowed = [p for p in permutations(range(4)) if all(ranks[x] <= ranks[y] for x, y in combinations(p, 2))]
    expected = np.mean([log_order([strength[seat] for seat in order]) for order in orders_allowed])
    assert loglik(blocks_of(results), strength, Layout.of(4, ())) == pytest.approx(float(expected), abs=1e-12)


def test_unranked_and_retired_seats_are_only_behind() -> None:
    """Protects "unranked is not tied": only the winner's choice among four is counted, whatever keeps the rest back."""
    strength = np.array([0.3, -0.5, 0.9, 0.1])
    expected = strength[1] - math.log(np.exp(strength).sum())
    for ranks, retired in [((None, 1, None, None), ()), ((1, 2, 3, 4), (True, False, True, True))]:
        results = Results.of([Result(("a", "b", "c", "d"), ranks, retired)])
        assert loglik(blocks_of(results), strength, Layout.of(4, ())) == pytest.approx(expected, abs=1e-12)


def test_two_retired_seats_are_not_compared() -> None:
    """Protects faults from becoming ties: a game that all lost says nothing about strengths."""
    two = Results.of([Result(("a", "b"), (1, 2), (True, True))])
    three = Results.of([Result(("a", "b", "c"), (1, 1, 1), (True, True, True))])
    assert loglik(blocks_of(two), np.array([1.0, 0.0]), Layout.of(2, ())) == 0.0
    assert count_orders(three.tables()[0]) == []


def test_two_seats_are_the_half_win() -> None:
    """Protects k = 2: the general formula and the half win are one."""
    pattern = make_pattern((2,), 0)
    assert pattern.linear.tolist() == [0.5, 0.5]
    assert pattern.mask.tolist() == [[1.0, 1.0]]
    assert pattern.weight.tolist() == [1.0]


MIXED = Results.of(
    Result(players, ranks, retired)
    for players, ranks, retired in [
        (("a", "b"), (1, 2), ()),
        (("b", "a"), (1, 1), ()),
        (("c", "a"), (2, 1), ()),
        (("a", "b", "c"), (1, 2, 2), ()),
        (("c", "a", "b"), (1, None, 3), (False, False, True)),
        (("d", "c", "b", "a"), (2, 1, 2, 4), ()),
        (("d", "c", "b", "a"), (2, 1, 2, 4), ()),
    ]
)


@pytest.mark.parametrize("model", ["half-win", "rao-kupper", "davidson"])
def test_derivatives(model: TieModelName) -> None:
    """Protects Newton's method: gradient and information are the differences of value and gradient."""
    results = two_seat("p4_g60") if model != "half-win" else MIXED
    layout = Layout.of(
        len(results.names), tuple(t.seats for t in results.tables()), has_tie=two_seat_model(model).has_tie
    )
    blocks = blocks_of(results, model)
    point = np.linspace(0.7, -0.4, layout.size)
    point[-1] = 0.6
    step = 1e-5 * np.eye(layout.size)
    for block in blocks:
        information = np.zeros((layout.size, layout.size))
        _, gradient = block.evaluate(point, layout, information)
        slopes = [loglik([block], point + h, layout) - loglik([block], point - h, layout) for h in step]
        assert np.allclose(gradient, np.array(slopes) / 2e-5, atol=1e-6)
        unused = np.zeros_like(information)
        bends = [
            block.evaluate(point + h, layout, unused)[1] - block.evaluate(point - h, layout, unused)[1] for h in step
        ]
        assert np.allclose(-information, np.array(bends) / 2e-5, atol=1e-5)


def score_rows(blocks: list[Block], params: Floats, layout: Layout, clusters: Clusters) -> Floats:
    """Return summed scores by cluster, entry by entry in plain Python."""
    rows = np.zeros((clusters.count, layout.size))
    for block in blocks:
        scores = block.scores(params, layout)
        for place, game in enumerate(scores.game):
            row = rows[clusters.code[game]]
            for position, value in enumerate(scores.value[place]):
                row[scores.player[place, position]] += value
                if scores.seat is not None:
                    row[np.broadcast_to(scores.seat, scores.value.shape)[place, position]] += value
            if scores.tie is not None:
                row[-1] += scores.tie[place]
    return rows


@pytest.mark.parametrize(
    ("name", "model"),
    [("rotated", "half-win"), ("paired", "davidson"), ("common", "half-win"), ("mixed", "half-win")],
)
@pytest.mark.parametrize("width", ["narrow", "wide"])
def test_cluster_squares(name: str, model: TieModelName, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the sandwich's filling: sums over clusters, as pairs of entries and as dense rows in small chunks."""
    monkeypatch.setattr("arena.ratings.sandwich._DENSE_FROM", 1000 if width == "wide" else 0)
    monkeypatch.setattr("arena.ratings.sandwich._ROWS", 7)
    results = {
        "rotated": orders("rotated_deals_k4_p8_g800").select(np.arange(120)),
        "paired": two_seat("paired_deals_p8").select(np.arange(90, 0, -1)),
        "common": two_seat("common_deals_p8").select(np.arange(60)),
        "mixed": MIXED,
    }[name]
    sizes = tuple(table.seats for table in results.tables())
    layout = Layout.of(len(results.names), sizes, has_tie=two_seat_model(model).has_tie)
    params = np.linspace(-0.5, 0.5, layout.size)
    blocks = blocks_of(results, model)
    for by in ("deal", "game"):
        clusters = cluster_games(results, by)
        rows = score_rows(blocks, params, layout, clusters)
        assert np.allclose(squared_cluster_scores(blocks, params, layout, clusters), rows.T @ rows, atol=1e-10)


def test_equal_outcomes_are_counted_once() -> None:
    """Protects speed: identical games are one row with a count, also when keys overflow 62 bits."""
    columns = np.array([[5, 2**40, 3], [5, 2**40, 3], [4, 2**40, 2**30], [5, 1, 3]])
    first, row = distinct_rows(columns)
    assert len(first) == 3
    assert row[0] == row[1]
    assert len(set(row.tolist())) == 3
    assert all((columns[first[row[game]]] == columns[game]).all() for game in range(4))
    (block,) = count_orders(MIXED.tables()[2])
    assert block.count.tolist() == [2.0]


def test_tie_models_are_distributions() -> None:
    """Protects Rao-Kupper and Davidson: probabilities sum to 1, and expected scores mirror each other."""
    gaps = np.array([-3.0, -0.2, 0.0, 1.5])
    for name, tie in product(("rao-kupper", "davidson"), (0.3, 1.2)):
        model = two_seat_model(name)  # type: ignore[arg-type]
        win, draw, loss = np.exp(model.curves(gaps, tie).value)
        assert np.allclose(win + draw + loss, 1.0)
        assert np.allclose(model.expected_score(gaps, tie), win + draw / 2)
        assert np.allclose(model.expected_score(gaps, tie), 1 - model.expected_score(-gaps, tie))
