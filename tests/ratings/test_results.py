"""Results as columns: what is accepted, what is refused, and what a cluster is."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.results import Result, Results, cluster_games, natural_key


def test_one_game_fills_in_the_flags() -> None:
    """Protects the short form: without flags nobody is retired."""
    game = Result(("a", "b"), (1, 2))
    assert game.retired == (False, False)


@pytest.mark.parametrize(
    ("games", "words"),
    [
        ([Result(("a",), (1,))], "fewer than two players"),
        ([Result(("a", "b", "a"), (1, 2, 3))], "a player twice"),
        ([Result(("a", "b"), (0, 1))], "1 or more"),
        ([Result(("a", "b"), (1, 2), game_id="g"), Result(("a", "b"), (1, 2), game_id="g")], "'g' is given twice"),
        ([Result(("a", "b"), (1, 2), scores=(1.0, 0.0)), Result(("a", "b"), (1, 2))], "some games have scores"),
    ],
)
def test_wrong_games_are_refused(games: list[Result], words: str) -> None:
    """Protects every rating from impossible input."""
    with pytest.raises(ValueError, match=words):
        Results.of(games)


@pytest.mark.parametrize(
    "fields", [{"ranks": (1,)}, {"ranks": (1, 2), "retired": (True,)}, {"ranks": (1, 2), "scores": (1.0,)}]
)
def test_fields_must_fit_the_seats(fields: dict[str, tuple[int, ...]]) -> None:
    """Protects columns from games whose fields have different lengths."""
    with pytest.raises(ValueError, match="2 players need"):
        Result(players=("a", "b"), **fields)  # type: ignore[arg-type]


def test_columns_of_mixed_tables() -> None:
    """Protects the layout: names sorted, retired and unranked seats 0, one rectangle per table size."""
    results = Results.of(
        [
            Result(("c", "a"), (2, 1), deal="10"),
            Result(("a", "b", "c"), (1, None, 3), (False, False, True), deal="9"),
            Result(("b", "a"), (1, 1), deal="10"),
        ]
    )
    assert results.names == ("a", "b", "c")
    assert results.deal_labels == ("9", "10")
    two, three = results.tables()
    assert two.games.tolist() == [0, 2]
    assert two.player.tolist() == [[2, 0], [1, 0]]
    assert three.rank.tolist() == [[1, 0, 0]]
    assert three.retired.tolist() == [[False, False, True]]
    assert len(results) == 3


def test_arrays_and_single_games_agree() -> None:
    """Protects the fast way in: unsorted names and deal labels with gaps give the same columns."""
    names = ["zoe", "adam"]
    fast = Results.from_arrays(names, np.array([[0, 1], [1, 0]]), np.array([[1, 2], [1, 1]]), deal=np.array([7, -1]))
    slow = Results.of([Result(("zoe", "adam"), (1, 2), deal="7"), Result(("adam", "zoe"), (1, 1))])
    assert fast.names == slow.names
    for column in ("starts", "player", "rank", "retired", "deal", "block"):
        assert getattr(fast, column).tolist() == getattr(slow, column).tolist()
    assert fast.deal_labels == slow.deal_labels


@pytest.mark.parametrize(
    ("names", "player", "rank", "words"),
    [
        (["a", "a"], [[0, 1]], [[1, 2]], "share one name"),
        (["a", "b"], [[0, 2]], [[1, 2]], "must point into names"),
        (["a", "b"], [[0, 1]], [[1, -2]], "must not be negative"),
        (["a", "b"], [[0, 0]], [[1, 2]], "a player twice"),
        (["a", "b"], [[0]], [[1]], "two or more seats"),
    ],
)
def test_wrong_arrays_are_refused(names: list[str], player: list[list[int]], rank: list[list[int]], words: str) -> None:
    """Protects the fast way in from the same mistakes."""
    with pytest.raises(ValueError, match=words):
        Results.from_arrays(names, np.array(player), np.array(rank))


def test_select_repeats_and_reorders_games() -> None:
    """Protects bootstrap and halves: chosen games keep seats, ranks, deals and scores together."""
    results = Results.of(
        [
            Result(("a", "b"), (1, 2), deal="1", scores=(3.0, 1.0)),
            Result(("c", "a", "b"), (1, 2, 3), deal="2", scores=(9.0, 5.0, 2.0)),
        ]
    )
    chosen = results.select(np.array([1, 0, 1]))
    assert chosen.starts.tolist() == [0, 3, 5, 8]
    assert chosen.player.tolist() == [2, 0, 1, 0, 1, 2, 0, 1]
    assert chosen.deal.tolist() == [1, 0, 1]
    assert chosen.scores is not None
    assert chosen.scores.tolist() == [9, 5, 2, 3, 1, 9, 5, 2]


def test_clusters_nest() -> None:
    """Protects the unit of the errors: a game's deal, else its block, else the game alone."""
    results = Results.of(
        [
            Result(("a", "b"), (1, 2), deal="d", block="x"),
            Result(("b", "a"), (1, 2), deal="d", block="y"),
            Result(("a", "b"), (1, 2), block="x"),
            Result(("a", "b"), (1, 2), block="x"),
            Result(("a", "b"), (1, 2)),
        ]
    )
    assert cluster_games(results).kind == "deal"
    assert cluster_games(results).count == 3
    by_block = cluster_games(results, "block")
    assert by_block.kind == "block"
    assert by_block.code[0] == by_block.code[2] == by_block.code[3] != by_block.code[1]
    assert cluster_games(results, "game").count == 5
    with pytest.raises(ValueError, match="accepted are deal, block, game"):
        cluster_games(results, "week")


def test_labels_sort_by_value() -> None:
    """Protects the order of deals: 9 comes before 10."""
    assert sorted(["10", "9", "b", "a"], key=natural_key) == ["9", "10", "a", "b"]
