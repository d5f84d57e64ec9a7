"""A match's test sees deals in deal order, once each, however its games come in and however often it is resumed."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from arena.errors import BadOptions
from arena.league.bots import read_bots
from arena.league.match import MatchWatch, match_folder, match_league
from arena.players.base import Limits
from arena.ratings.results import Result
from arena.ratings.sequential import SequentialTest
from arena.ratings.sprt import Sprt
from arena.schedules.plan import FIRST_CHUNK

NAMES = ("a", "b", "c")


def watch() -> MatchWatch:
    return MatchWatch(SequentialTest(Sprt(0.0, 40.0, model="normalised"), "a", "b", 3))


def games(deals: int) -> list[tuple[int, Result]]:
    """Deals of three seats in all six seatings; ``a`` is the best."""
    stream = np.random.default_rng(1)
    found = []
    for deal in range(deals):
        for seating, names in enumerate(permutations(NAMES)):
            luck = [(name == "a") + float(stream.gumbel()) for name in names]
            ranks = tuple(1 + sum(other > own for other in luck) for own in luck)
            found.append((deal, Result(names, ranks, deal="0", game_id=f"{deal}/{seating}")))
    return found


def test_order_of_arrival_does_not_matter() -> None:
    """The decision is a function of the deals: same deals, same ratio, same number of deals, batch by batch or not."""
    played = games(40)
    one = watch()
    one.take(played)
    shuffled = [played[index] for index in np.random.default_rng(2).permutation(len(played))]
    other = watch()
    for at in range(0, len(shuffled), 7):
        other.take(shuffled[at : at + 7])
    assert (other.test.deals, other.test.llr, other.test.state) == (one.test.deals, one.test.llr, one.test.state)
    assert one.test.state == "H1"
    assert one.test.deals < 40


def test_incomplete_deals_wait() -> None:
    """A deal is tested when it and all earlier ones are complete."""
    played = games(3)
    waits = watch()
    waits.take(played[1:])
    assert waits.test.deals == 0
    waits.take(played[:1])
    assert waits.test.deals == 3


def test_a_game_that_comes_again_counts_once() -> None:
    """Resuming reads everything that is stored; nothing is tested twice."""
    played = games(2)
    twice = watch()
    twice.take(played[:4])
    twice.take(played[:4])
    twice.take(played)
    twice.take(played)
    assert twice.test.deals == 2


def test_a_match_is_a_league_of_one_line_up() -> None:
    """One line-up in balanced seatings, sittings of at most 20 deals, and the same folder for the same match."""
    bots = read_bots(["careful", "margin", "random"], Path.cwd())
    league = match_league(bots, "no_thanks", 100, {"rounds": 1}, Limits())
    plan = league.plan()
    assert plan.games == 600
    assert {len(sitting.deals) for sitting in plan.sittings()} == {FIRST_CHUNK}
    assert match_folder(league) == "match-careful-margin-random-no_thanks"
    with pytest.raises(BadOptions):
        match_league(bots[:1], "no_thanks", 100, {}, Limits())
