"""How long a league will go on is told from what it has cost so far."""

from __future__ import annotations

import pytest

from arena.league.runner import Tally
from arena.reports.planned import sittings_left, time_left
from arena.schedules.line_ups import Entrant, Field
from arena.schedules.plan import Plan, RulesetPlan
from arena.schedules.seatings import seatings

FIELD = Field(tuple(map(Entrant, "abcd")), 3)
PLAN = Plan((RulesetPlan("{}", FIELD, seatings("balanced", 3), 300),))
"""The demo league: 24 sittings of 20 deals, then 24 of 280."""


@pytest.mark.parametrize(("games", "sittings"), [(7200, 48), (6720, 24), (3360, 12), (0, 0)])
def test_the_last_games_are_in_the_long_sittings(games: int, sittings: float) -> None:
    assert sittings_left(PLAN, games) == pytest.approx(sittings)


@pytest.mark.parametrize("load", [1.0, 2.5])
@pytest.mark.parametrize("ended", [2, 10, 24, 40])
def test_a_steady_run_is_foretold_from_its_first_sittings_on(ended: int, load: float) -> None:
    """Two workers, 0.5 s a start and 3 ms a game, on a machine that is idle or has other work.

    Games a second is not steady at all, and would foretell five times too much after the first sittings.
    """
    start, game, workers = 0.5 * load, 0.003 * load, 2
    games = [20] * 24 + [280] * 24
    cost = [start + game * count for count in games]
    played = sum(games[:ended])
    tally = Tally(7200, stored=played, start_seconds=start * ended, seconds=sum(cost[:ended]))
    tally.sittings, tally.sitting_games = ended, played
    found = time_left(PLAN, 7200 - played, played, tally, sum(cost[:ended]) / workers)
    assert found == pytest.approx(sum(cost[ended:]) / workers, rel=0.02)


def test_nothing_is_foretold_before_a_sitting_has_ended() -> None:
    assert time_left(PLAN, 7199, 1, Tally(7200, stored=1), 3.0) is None
