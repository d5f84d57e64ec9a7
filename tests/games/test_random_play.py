"""Long random play: every game and mode ends within its proven bound, and shows the figures of the rule files.

The plain suite plays a few games of each; ``-m soak`` plays 10,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import mean, pstdev
from typing import Any

import pytest

from arena.errors import Termination
from arena.games import ChanceTurn, Game, GameOver, Moves, create, game_class, game_ids
from arena.records.record import places
from arena.seeds import chance_stream, deal_key
from arena.testing.modes import mode_options

Choose = Callable[[Random, tuple[str, ...]], str]
SOAK = 10_000


@dataclass(frozen=True)
class Played:
    """One random game: how it ended, the choices in it, all decisions with the forced ones, and its steps."""

    over: GameOver
    decisions: int
    all_decisions: int
    steps: int


def any_action(draw: Random, legal: tuple[str, ...]) -> str:
    return legal[int(draw.random() * len(legal))]


def any_target(draw: Random, legal: tuple[str, ...]) -> str:
    """Choose among ``pass`` and the distinct targets of King Priam, as the random bot of its rule file does."""
    firsts: dict[str, str] = {}
    for action in legal:
        firsts.setdefault(action.rpartition(" ")[0], action)
    return any_action(draw, tuple(firsts.values()))


def play(game: Game[Any, Any], number: int, choose: Choose = any_action) -> Played:
    key, draw, race = deal_key(bytes(32), game.spec.ruleset, number), Random(number), _is_race(game)
    state, chances, asked, acts, steps = game.initial(), 0, 0, 0, 0
    while not isinstance(turn := game.turn(state), GameOver):
        steps += 1
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, chance_stream(key, chances)))
            chances += 1
            continue
        legal = [game.legal_actions(state, seat) for seat in turn.seats]
        asked += sum(len(actions) > 1 for actions in legal)
        acts += len(legal)
        by_seat = tuple((seat, choose(draw, actions)) for seat, actions in zip(turn.seats, legal, strict=True))
        ticks = tuple(draw.choice((0, 1, 2, None)) for _ in legal) if race else None
        state = game.apply(state, Moves(by_seat, ticks))
    return Played(turn, asked, acts, steps)


def _is_race(game: Game[Any, Any]) -> bool:
    return game.spec.options.get("mode") == "race"


def rulesets() -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield every game with fewest and most seats, and in each of its modes."""
    for game_id in game_ids():
        seats = game_class(game_id).seat_counts
        yield game_id, seats[0], {}
        yield game_id, seats[-1], {}
        for option, value in mode_options(game_id):
            yield game_id, seats[0], {option: value}


RULESETS = [pytest.param(*ruleset, id="-".join(map(str, ruleset))) for ruleset in rulesets()]


@pytest.mark.parametrize(("game_id", "seats", "options"), RULESETS)
def test_random_games_end(game_id: str, seats: int, options: dict[str, Any]) -> None:
    game = create(game_id, seats, **options)
    assert all(play(game, number).steps <= game.spec.steps_max for number in range(3))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("game_id", "seats", "options"), RULESETS)
def test_many_random_games_end(game_id: str, seats: int, options: dict[str, Any]) -> None:
    game = create(game_id, seats, **options)
    assert all(play(game, number).steps <= game.spec.steps_max for number in range(SOAK))


@dataclass(frozen=True)
class Figures:
    """What a rule file has measured over random games.

    Attributes:
        decisions: mean choices of a game, or all decisions with those that were forced.
        first_share: the first seat's share of won games, a shared win divided.
        games: size of the rule file's sample.
        forced: whether ``decisions`` holds forced ones.
        choose: how its random bot chose.
    """

    decisions: float
    first_share: float
    games: int = 10_000
    forced: bool = False
    choose: Choose = any_action


FIGURES = {
    ("no_thanks", 4): Figures(191.9, 0.252),
    ("king_priam", 2): Figures(38, 0.507, choose=any_target),
    ("king_priam", 3): Figures(59, 0.343, choose=any_target),
    ("king_priam", 4): Figures(83, 0.269, choose=any_target),
    ("king_priam", 5): Figures(107, 0.218, choose=any_target),
    ("prime_cards", 2): Figures(31, 0.527),
    ("prime_cards", 3): Figures(40, 0.342, 2_500),
    ("prime_cards", 4): Figures(52, 0.267, 2_500),
    ("prime_reversal", 2): Figures(49.8, 0.498),
    ("prime_reversal", 3): Figures(74, 0.337),
    ("prime_reversal", 4): Figures(88, 0.251),
    ("unique", 2): Figures(94, 0.501, forced=True),
    ("unique", 4): Figures(92, 0.25, forced=True),
    ("rainbow", 2): Figures(69, 0.495),
    ("rainbow", 4): Figures(101, 0.249, 3_000),
    ("classification", 2): Figures(134, 0.429),
    ("classification", 4): Figures(135, 0.158),
}


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("game_id", "seats"), [ruleset for ruleset in FIGURES if ruleset[0] in game_ids()])
def test_random_play_has_the_figures_of_the_rule_file(game_id: str, seats: int) -> None:
    """Mean decisions and first-seat share within four standard errors of both samples, and the file's rounding."""
    figures = FIGURES[game_id, seats]
    games = [play(create(game_id, seats), number, figures.choose) for number in range(SOAK)]
    counts = [game.all_decisions if figures.forced else game.decisions for game in games]
    share = sum(first_share(places(game.over.ranks, (Termination.NORMAL,) * seats)) for game in games) / SOAK
    print(f"{game_id}, {seats} seats: {mean(counts):.1f} decisions, first seat {100 * share:.1f} %")
    both = sqrt(1 / SOAK + 1 / figures.games)
    assert abs(mean(counts) - figures.decisions) <= 4 * pstdev(counts) * both + 0.5
    assert abs(share - figures.first_share) <= 4 * sqrt(share * (1 - share)) * both + 0.001


def first_share(final: tuple[int, ...]) -> float:
    return 1 / final.count(1) if final[0] == 1 else 0.0
