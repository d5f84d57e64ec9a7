"""thinker plays every game legally, alike in this process and over the wire, and clearly better than greedy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from arena.games import ChanceTurn, Game, GameOver, Moves, SeatTurn, create, game_class, game_ids
from arena.games.rainbow import legal_claims
from arena.protocol.convert import Bundle, SeatView
from arena.sdk import Game as Announced
from arena.sdk import Request
from arena.search import Dice
from arena.seeds import chance_stream, deal_key
from arena.v1 import arena_pb2
from tests.bots.playing import SECRET, Choose, Load, play, random_bot, win_share

Policy = Callable[[Game[Any, Any], Any, int], str]
SEED_BITS = 53


def thinker_bot(load: Load, game_id: str, seats: int, iterations: int | None = None, **options: Any) -> Choose:
    module, game = load("thinker", game_id), create(game_id, seats, **options)

    def bot(view: Any, legal_actions: Sequence[str], rng: Random) -> str:
        dice = Dice(rng.getrandbits(SEED_BITS))
        return str(module.choose(game, view, dice, module.ITERATIONS if iterations is None else iterations))

    return bot


def greedy_bot(load: Load, game_id: str) -> Choose:
    choose = load("greedy", game_id).choose

    def bot(view: Any, legal_actions: Sequence[str], rng: Random) -> str:
        return str(choose(view, legal_actions, rng))

    return bot


def positions(game: Game[Any, Any], deal: int, policy: Policy) -> list[Any]:
    """Return the states of one game in which seats act, all of them by a policy."""
    key, event, state, found = deal_key(SECRET, game.spec.ruleset, deal), 0, game.initial(), []
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, chance_stream(key, event)))
            event += 1
        else:
            found.append(state)
            state = game.apply(state, Moves(tuple((seat, policy(game, state, seat)) for seat in turn.seats)))
    return found


def rest(game: Game[Any, Any], state: Any, policy: Policy) -> tuple[int, ...]:
    """Return the scores when all go on by a policy from a state after which nothing is left to chance."""
    while not isinstance(turn := game.turn(state), GameOver):
        assert not isinstance(turn, ChanceTurn)
        state = game.apply(state, Moves(tuple((seat, policy(game, state, seat)) for seat in turn.seats)))
    return turn.scores


@pytest.mark.parametrize(
    ("game_id", "seats", "options"),
    [
        *((game_id, game_class(game_id).seat_counts[0], {}) for game_id in game_ids()),
        *((game_id, game_class(game_id).seat_counts[-1], {}) for game_id in game_ids()),
        ("no_thanks", 4, {"variant": "secret", "token_view": "hidden"}),
        ("no_thanks", 3, {"variant": "tactical"}),
        ("king_priam", 3, {"mode": "race", "targets": "all14", "priority": "rotating", "end_sum": 100}),
        ("prime_cards", 4, {"hand_size": 3, "max_rounds": 20}),
        ("prime_reversal", 2, {"npc_pick": "random"}),
        ("prime_reversal", 2, {"npc_pick": "highest"}),
        ("unique", 3, {"mode": "sealed"}),
        ("unique", 2, {"centre": 8, "deck_cards": 20}),
        ("rainbow", 3, {"mode": "race", "table": 12}),
        ("classification", 3, {"one_colour_draw": True, "deck_cards": 40}),
    ],
)
def test_plays_every_game_to_its_end(load: Load, game_id: str, seats: int, options: dict[str, Any]) -> None:
    """Every answer is checked by the rules, with any number of seats, and in every mode."""
    options = {"rounds": 1, **options} if game_id == "no_thanks" else options
    bot = thinker_bot(load, game_id, seats, 1, **options)
    play(create(game_id, seats, **options), [bot, *[random_bot] * (seats - 2), bot], 3, Random(4))


@pytest.mark.parametrize(
    ("game_id", "deals", "iterations", "at_least"),
    [
        ("king_priam", 5, None, 0.85),
        ("prime_cards", 60, None, 0.75),
        ("prime_reversal", 6, None, 0.65),
        ("unique", 100, 2, 0.53),
        ("rainbow", 8, None, 0.85),
        ("classification", 2, None, 0.80),
        ("no_thanks", 2, None, 0.60),
    ],
)
def test_beats_greedy(load: Load, game_id: str, deals: int, iterations: int | None, at_least: float) -> None:
    """On a fixed set of deals in all seatings; a half is par, a third in No Thanks!."""
    options = {"rounds": 1} if game_id == "no_thanks" else {}
    seats = game_class(game_id).seat_counts[0]
    greedy = greedy_bot(load, game_id)
    thinker = thinker_bot(load, game_id, seats, iterations, **options)
    assert win_share([thinker, *[greedy] * (seats - 1)], game_id, deals, **options) > at_least


@pytest.mark.parametrize("game_id", ["king_priam", "rainbow"])
def test_biggest_loses_clearly(load: Load, game_id: str) -> None:
    """Always claiming the biggest is what everybody expects, so it is punished."""
    choose = load("biggest", "bot").choose

    def biggest(view: Any, legal_actions: Sequence[str], rng: Random) -> str:
        return str(choose(game_id, legal_actions))

    assert win_share([biggest, thinker_bot(load, game_id, 2)], game_id, 8) < 0.15
    assert win_share([biggest, random_bot], game_id, 8) > 0.85, "it is no fool otherwise"


@pytest.mark.parametrize("game_id", game_ids())
def test_over_the_wire_it_decides_alike(load: Load, game_id: str) -> None:
    """The same view, options and seed as messages give the same action, twice."""
    seats = game_class(game_id).seat_counts[0]
    decide, module, game = load("thinker", "bot").thinker(2), load("thinker", game_id), create(game_id, seats)
    for number, state in enumerate(positions(game, 1, _first)[5:60:9]):
        turn = game.turn(state)
        assert isinstance(turn, SeatTurn)
        seat = turn.seats[0]
        view = game.view(state, seat)
        message = arena_pb2.Request(game_id="g", legal_actions=game.legal_actions(state, seat))
        SeatView(game_id).write(view, message)
        expected = module.choose(game, view, Dice(Random(number).getrandbits(SEED_BITS)), 2)
        for _ in range(2):
            bundle = Bundle()
            bundle.new_game("g", game_id, seat, seats, game.spec.options, number)
            (announced,) = arena_pb2.PlayResponse.FromString(bundle.data()).new_games
            assert decide(Request(message, Announced(announced))) == expected


def _first(game: Game[Any, Any], state: Any, seat: int) -> str:
    legal = game.legal_actions(state, seat)
    return legal[1] if len(legal) > 2 else legal[0]


def test_king_priam_follows_the_rules(load: Load) -> None:
    """The quick course of a game ends as the rules end it, from every new row, in every kind of game."""
    module = load("thinker", "king_priam")

    def top(game: Game[Any, Any], state: Any, seat: int) -> str:
        return str(module.highest(game, state, seat, Dice(0)))

    for seats, options in ((2, {}), (4, {"priority": "rotating", "dispute_limit": 2}), (3, {"end_sum": 150})):
        game = create("king_priam", seats, **options)
        for state in positions(game, seats, top)[::7]:
            if len(state.row) == 3:
                course = module.Course(game, state).run()
                assert tuple(course.scores) == rest(game, state, top)


@pytest.mark.parametrize("seats", [3, 4])
def test_prime_reversal_follows_the_rules(load: Load, seats: int) -> None:
    """The quick course of a game scores as the rules do, from every decision of round 2."""
    module, choose = load("thinker", "prime_reversal"), load("greedy", "prime_reversal").choose
    game = create("prime_reversal", seats)

    def greedy(game: Game[Any, Any], state: Any, seat: int) -> str:
        view = SimpleNamespace(trick=state.trick)
        return str(choose(view, game.legal_actions(state, seat), Random(0)))

    for state in positions(game, seats, greedy):
        if state.round == 2:
            course = module.Course(game, state, Dice(0)).run(state)
            assert tuple(course.points) == rest(game, state, greedy)


def test_classification_plays_as_the_rules_do(load: Load) -> None:
    """A play on bits moves and scores the same cards as the rules."""
    module, game, rng, seen = load("thinker", "classification"), create("classification", 3), Random(6), 0
    for state in positions(game, 2, lambda game, state, seat: rng.choice(game.legal_actions(state, seat))):
        seat, phase = state.seat, state.phase
        if phase != "play":
            continue
        view = game.view(state, seat)
        (start,) = module.starts(view)
        for after in module.plays(start, seat):
            then = game.apply(state, Moves(((seat, after.action),)))
            assert after.neutral == module.bits(then.neutral)
            if then.phase == "play" and then.zones[seat]:
                seen += 1
                assert after.zones == tuple(map(module.bits, then.zones))
                assert after.gained == sum(map(module.worth_of, map(module.bits, [then.piles[seat]]))) - sum(
                    map(module.worth_of, map(module.bits, [state.piles[seat]]))
                )
    assert seen > 500


def test_prime_cards_counts_exactly(load: Load) -> None:
    """Two of five unseen cards in a hand: 3 of 10 hands have none of two wanted ones; worked by hand."""
    module = load("thinker", "prime_cards")
    assert module.chance_of_none(5, 2, 2) == pytest.approx(3 / 10)
    assert module.Table(20, True).prime(-2) == 0
    assert module.Table(10, True).prime(1) == 11
    assert module.Table(7, False).prime(4) == 11
    assert module.Table(7, False).prime(1) == 0, "the table takes a composite"
    only_ones = module.Count(unseen=(0, 3, 0, 0, 0, 0, 0, 0, 0), size=1, own_missing=101, next_missing=101, follow_up=0)
    assert module.worth_left(module.Table(10, True), [], only_ones) == -11
    assert module.worth_left(module.Table(10, True), [], only_ones._replace(next_missing=11)) == -11 - module.FINISH


def test_rainbow_avoids_what_the_seat_before_takes(load: Load) -> None:
    """On the one heavy claim of two seats the first in the turn list wins; the second claims what is left."""
    module, game, table = load("thinker", "rainbow"), create("rainbow", 2), (11, 31, 42, 14, 97)
    heavy = [claim.text for claim in legal_claims(table) if len(claim.cards) == 3]
    assert heavy == ["claim 11 31 42"]
    view = SimpleNamespace(table=table, turn_list=(0, 1), seat=0)
    assert module.choose(game, view, Dice(1), 8) == "claim 11 31 42"
    view.seat = 1
    assert module.choose(game, view, Dice(1), 8) == "claim 2 7 14"


def test_unique_is_kind_to_itself(load: Load) -> None:
    """Before the own second decision in a row hard tops are bad, before another seat's they are good."""
    module = load("thinker", "unique")
    view = SimpleNamespace(next_seats=(1,), lap=0, decisions_left=50)
    assert module.seats_to_come(view, 2) == [1, 1, 0, 0]
    assert sum(module.outlook([1, 0, 0, 1], 0, 2)) > 0
    assert sum(module.outlook([0, 1, 1, 0], 0, 2)[:1]) < 0


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game_id", "deals", "low", "high"),
    [
        ("king_priam", 150, 0.96, 1.0),
        ("prime_cards", 1000, 0.83, 0.90),
        ("prime_reversal", 150, 0.73, 0.90),
        ("unique", 500, 0.55, 0.66),
        ("rainbow", 150, 0.96, 1.0),
        ("classification", 60, 0.96, 1.0),
        ("no_thanks", 60, 0.82, 0.98),
    ],
)
def test_beats_greedy_as_measured(load: Load, game_id: str, deals: int, low: float, high: float) -> None:
    """The figures of the modules' docstrings, on other deals."""
    options = {"rounds": 1} if game_id == "no_thanks" else {}
    seats = game_class(game_id).seat_counts[0]
    greedy, thinker = greedy_bot(load, game_id), thinker_bot(load, game_id, seats, **options)
    assert low <= win_share([thinker, *[greedy] * (seats - 1)], game_id, deals, **options) <= high
