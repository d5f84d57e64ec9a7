"""The leagues that come with the arena can be read and planned."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from arena.games import game_ids
from arena.league.bots import builtin_names
from arena.league.config import read_league

LEAGUES = sorted((Path(__file__).parents[2] / "bots" / "leagues").glob("*.toml"))


@pytest.mark.parametrize("path", LEAGUES, ids=lambda path: str(path.stem))
def test_is_valid(path: Path) -> None:
    """A user runs it as it is."""
    assert read_league(path).name == path.stem


def test_decathlon_plays_everything_with_everybody() -> None:
    """All seven games, all bots that come with the arena; some play every game, so that there is an overall ladder."""
    league = read_league(LEAGUES[0].with_name("decathlon.toml"))
    assert sorted(game.id for game in league.games) == sorted(game_ids())
    assert {bot.folder.name for bot in league.bots} == set(builtin_names())
    everywhere = {bot.name for bot in league.bots if all(bot.plays(game_id) for game_id in game_ids())}
    assert everywhere == {"random", "greedy", "thinker", "hasty"}


def test_decathlon_is_short_and_fair() -> None:
    """Fewer than 200 sittings, whose starts would else take most of the time; all pairs meet equally often."""
    league = read_league(LEAGUES[0].with_name("decathlon.toml"))
    plan = league.plan()
    assert sum(1 for _ in plan.sittings()) < 200
    for ruleset in plan.rulesets:
        met = Counter(
            frozenset(pair)
            for sitting in plan.sittings()
            if sitting.ruleset == ruleset.ruleset
            for pair in combinations(sitting.line_up, 2)
        )
        assert len(set(met.values())) == 1
        assert len(met) == len(ruleset.field.entrants) * (len(ruleset.field.entrants) - 1) // 2
