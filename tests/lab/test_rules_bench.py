"""The benchmark of the rules counts what it says it counts; its figures are no test, since machines differ."""

from __future__ import annotations

import sys
from itertools import count

import pytest

from arena.games import create, game_ids
from arena.lab.rules_bench import FLOORS, RulesRate, bench_rules, decision_rate, leduc_game, random_game


def ticking() -> float:
    """Return a clock's reading that is one second later at each call."""
    return float(next(TICKS))


TICKS = count()


def test_decision_rate_counts_whole_games() -> None:
    """Ten seconds at one second a game of seven decisions; the tenth before them is not counted."""
    played: list[int] = []

    def play(number: int) -> int:
        played.append(number)
        return 7

    assert decision_rate(play, 10, ticking) == 7.0
    assert played == [0, *range(10)]


@pytest.mark.parametrize("game_id", game_ids())
def test_a_random_game_counts_choices_alone(game_id: str) -> None:
    """The same decisions with messages and without, the same in every run, and fewer than steps times seats."""
    game = create(game_id, 4)
    plain, viewed = random_game(game, messages=False), random_game(game, messages=True)
    counts = [plain(number) for number in range(3)]
    assert counts == [viewed(number) for number in range(3)]
    assert all(1 < decisions <= game.spec.steps_max * 4 for decisions in counts)


def test_rows_of_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row a game; without PettingZoo no ratio, and then no floor is broken."""
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    rates = bench_rules(["no_thanks", "rainbow"], 0.01)
    assert [(rate.game, rate.seats, rate.ratio, rate.holds) for rate in rates] == [
        ("no_thanks", 4, None, True),
        ("rainbow", 3, None, True),
    ]
    assert all(rate.rules > 0 and rate.with_messages > 0 for rate in rates)


@pytest.mark.parametrize(("ratio", "holds"), [(7.9, False), (8.0, True), (None, True)])
def test_a_floor(ratio: float | None, holds: bool) -> None:
    assert RulesRate("no_thanks", 4, 1.0, 1.0, ratio, FLOORS["no_thanks"]).holds is holds


def test_leduc_is_measured_beside_the_games() -> None:
    """With PettingZoo installed, its own row comes last and every other has a ratio to it."""
    pytest.importorskip("pettingzoo.classic.leduc_holdem_v4")
    *rates, leduc = bench_rules(["no_thanks"], 0.05)
    assert (leduc.game, leduc.ratio, leduc.holds) == ("leduc", 1.0, True)
    assert all(rate.ratio is not None and rate.ratio > 0 for rate in rates)
    play = leduc_game()
    assert play is not None
    assert all(1 <= play(number) <= 24 for number in range(20))
