"""One of a Kind against its rule file: worked examples, refusals, invariants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadOptions, IllegalAction
from arena.games import Chance, ChanceTurn, GameOver, Moves, SeatTurn, Step, create
from arena.games.number_cards import CARDS
from arena.games.number_properties import CATALOGUE, find_property
from arena.games.unique import CLAIMS, State, Unique
from arena.testing import check_game
from arena.testing.playout import moments

TOPS = (12, 35, 49, 64, 90)
OF_SEVENTEEN = "multiple_of(17), prime, has_digit(7), ones_digit(7), digit_gap(6)"


def make(seats: int = 3, **options: Any) -> Unique:
    game = create("unique", seats, **options)
    assert isinstance(game, Unique)
    return game


def bits(*names: str) -> int:
    return sum(1 << find_property(name, 0).index for name in names)


def table(
    game: Unique, card: int, tops: tuple[int, ...] = TOPS, *, used: tuple[str, ...] = (), order: tuple[int, ...] = ()
) -> State:
    """Return a state with this open card, as if the game had just been dealt."""
    others = [other for other in CARDS if other not in {card, *tops}]
    outcome = " ".join(map(str, ("shuffle", *tops, card, *others)))
    state = game.apply(game.initial(), Chance(outcome))
    return state._replace(used=bits(*used), block=order)


def submit(game: Unique, state: State, *actions: str, ticks: tuple[int | None, ...] | None = None) -> State:
    return game.apply(state, Moves(tuple(enumerate(actions)), ticks))


def names(state: State) -> set[str]:
    return {prop.name for prop in CATALOGUE if state.used >> prop.index & 1}


def properties(game: Unique, state: State) -> str:
    """Return the legal properties in order, without their covers."""
    claims = [action.split(" ")[1] for action in game.legal_actions(state, 0)[:-1]]
    return ", ".join(dict.fromkeys(claims))


@pytest.mark.parametrize(
    ("card", "tops", "used", "expected"),
    [
        (17, TOPS, (), OF_SEVENTEEN),
        (17, TOPS, ("prime",), "multiple_of(17), has_digit(7), ones_digit(7), digit_gap(6)"),
        (8, TOPS, (), "remainder(5,3), has_digit(8), ones_digit(8), tens_digit(0)"),
        (60, TOPS, (), "digit_sum(6), digit_gap(6)"),
        (1, TOPS, (), "remainder(5,1), ones_digit(1), tens_digit(0)"),
        (19, (12, 17, 49, 64, 90), ("prime",), "multiple_of(19), remainder(4,3)"),
        (53, (7, 64, 51, 8, 33), (), ""),
    ],
)
def test_legal_properties(card: int, tops: tuple[int, ...], used: tuple[str, ...], expected: str) -> None:
    """Worked examples 1-6 and 8: true of the card, of no pile, and unused, in the order of the catalogue."""
    game = make()
    state = table(game, card, tops, used=used)
    assert properties(game, state) == expected
    assert game.legal_actions(state, 0)[-1] == game.default_action(state, 0) == "pass"
    assert game.legal_actions(state, 1) == ()


def test_every_pile_can_be_covered() -> None:
    """Example 1: five covers a property, and pass: 26 actions; covers stand inside a property, ascending."""
    game = make()
    legal = game.legal_actions(table(game, 17), 0)
    assert len(legal) == 26
    assert legal[:6] == (*(f"claim multiple_of(17) {pile}" for pile in range(5)), "claim prime 0")


def test_claim_and_pass_in_turns() -> None:
    """Examples 6 and 7: a claim covers a pile and uses the property; a pass costs the card."""
    game = make()
    state = table(game, 17)
    claimed = game.apply(state, Moves(((0, "claim prime 1"),)))
    assert (claimed.tops, names(claimed), claimed.penalties) == ((12, 17, 49, 64, 90), {"prime"}, (0, 0, 0))
    assert claimed.card == state.deck[0]
    passed = game.apply(state, Moves(((0, "pass"),)))
    assert (passed.tops, passed.penalties, passed.penalty_cards) == (TOPS, (1, 0, 0), ((17,), (), ()))


@pytest.mark.parametrize(
    ("mode", "order", "actions", "ticks", "penalties", "used", "tops"),
    [
        (
            *("sealed", (0, 1, 2), ("claim prime 0", "claim prime 1", "claim multiple_of(17) 2"), None),
            *((0, 1, 0), {"prime", "multiple_of(17)"}, (17, 35, 49, 64, 90)),
        ),
        (
            *("sealed", (1, 2, 0), ("claim prime 0", "claim prime 1", "claim multiple_of(17) 2"), None),
            *((1, 0, 0), {"prime", "multiple_of(17)"}, (12, 17, 49, 64, 90)),
        ),
        (
            *("race", (0, 1, 2), ("claim prime 0", "claim prime 1", "pass"), (7, 3, None)),
            *((1, 0, 1), {"prime"}, (12, 17, 49, 64, 90)),
        ),
        (
            *("sealed", (0, 1, 2), ("claim prime 0", "claim prime 1", "pass"), (7, 3, None)),
            *((0, 1, 1), {"prime"}, (17, 35, 49, 64, 90)),
        ),
        ("sealed", (0, 1, 2), ("pass", "pass", "pass"), None, (1, 1, 1), set(), TOPS),
        (
            *("sealed", (0, 1, 2), ("claim prime 0", "claim divisor_count(2) 1", "pass"), None),
            *((0, 1, 1), {"prime"}, (17, 35, 49, 64, 90)),
        ),
    ],
)
def test_simultaneous_rounds(
    mode: str,
    order: tuple[int, ...],
    actions: tuple[str, ...],
    ticks: tuple[int | None, ...] | None,
    penalties: tuple[int, ...],
    used: set[str],
    tops: tuple[int, ...],
) -> None:
    """Examples 9-12; sealed knows no ticks, and an alias is the property that it names."""
    game = make(mode=mode)
    after = submit(game, table(game, 17, order=order), *actions, ticks=ticks)
    assert (after.penalties, names(after), after.tops) == (penalties, used, tops)


def test_last_round_is_public() -> None:
    """Submissions, ticks and results of the round before stand in the view, under canonical names."""
    game = make(mode="race")
    state = table(game, 17, order=(0, 1, 2))
    after = submit(game, state, "claim divisor_count(2) 0", "claim prime 1", "pass", ticks=(7, 3, None))
    rows = [(entry.seat, entry.action, entry.tick, entry.honoured) for entry in game.view(after, None).last_round]
    assert rows == [(0, "claim prime 0", 7, False), (1, "claim prime 1", 3, True), (2, "pass", None, False)]


def test_turn_list_rotates_inside_a_block() -> None:
    """Round j of a block is led by the j-th seat of its shuffle; a new block is shuffled only if a round follows."""
    game = make(seats=2, mode="sealed", deck_cards=5 + 2 * 3)
    state = table(game, 17, order=(1, 0))
    lists = []
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, Chance("shuffle 0 1"))
            continue
        lists.append(game.view(state, 0).turn_list)
        state = submit(game, state, "pass", "pass")
    assert lists == [(1, 0), (0, 1), (0, 1)]
    assert game.view(state, 0).turn_list == ()


@pytest.mark.parametrize(
    ("seats", "laps", "left_over", "decisions"),
    [(2, 47, 0, 94), (3, 31, 1, 93), (4, 23, 2, 92), (5, 18, 4, 90), (6, 15, 4, 90)],
)
def test_laps(seats: int, laps: int, left_over: int, decisions: int) -> None:
    """Example 13 and the termination bound: laps, left-over cards and decisions with the defaults."""
    game = make(seats)
    state = table(game, 17)
    view = game.view(state, 0)
    assert (game.decisions, view.decisions_left, len(state.out)) == (decisions, decisions, left_over)
    assert len(state.deck) == decisions - 1
    assert game.spec.steps_max == decisions + 1
    assert make(seats, mode="sealed").decisions == laps


@pytest.mark.parametrize(("seats", "order"), [(3, [0, 1, 2, 1, 2, 0, 2, 0, 1]), (2, [0, 1, 1, 0, 0, 1])])
def test_every_lap_starts_one_seat_later(seats: int, order: list[int]) -> None:
    """The order of the rule file; the view tells the rest of the lap."""
    game = make(seats)
    state = table(game, 17)
    acted: list[int] = []
    while len(acted) < len(order):
        view, turn = game.view(state, 0), game.turn(state)
        assert isinstance(turn, SeatTurn)
        acted += turn.seats
        place = len(acted) - 1
        end = (place // seats + 1) * seats
        assert view.turn_order_now == tuple(order[end - seats : end])
        assert view.next_seats == tuple(order[place + 1 : end])
        state = game.apply(state, Moves(((turn.seats[0], "pass"),)))
    assert acted == order


def refusal(game: Unique, state: State, seat: int, action: str) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        game.check(state, seat, action)
    return caught.value


@pytest.mark.parametrize(
    ("used", "seat", "action", "code"),
    [
        ((), 0, "claim even 0", "property_false"),
        ((), 0, "claim odd 0", "not_unique"),
        (("prime",), 0, "claim divisor_count(2) 0", "property_used"),
        (("prime",), 0, "claim prime 0", "property_used"),
        ((), 0, "claim digit_sum(18) 0", "property_not_in_catalogue"),
        ((), 0, "claim smallest 0", "property_syntax"),
        ((), 0, "claim prime 5", "malformed_action"),
        ((), 1, "claim prime 0", "not_your_turn"),
        ((), 1, "nonsense", "not_your_turn"),
        ((), 0, "claim smallest 9", "malformed_action"),
        (("even",), 0, "claim even 0", "property_used"),
        (("odd",), 0, "claim odd 0", "property_used"),
        ((), 0, "claim divisor_count(4) 0", "property_false"),
        *(
            ((), 0, text, "malformed_action")
            for text in (
                *(
                    "",
                    "Pass",
                    "PASS",
                    " pass",
                    "pass ",
                    "pass 0",
                    "claim",
                    "claim prime",
                    "claim prime 0 1",
                    "claim prime -1",
                ),
                *(
                    "claim  prime 0",
                    "claim prime  0",
                    "claim prime +1",
                    "claim prime 01",
                    "claim prime ٣",
                    "claim 0 prime",
                ),
                *("Claim prime 0", "play prime 0", "claim prime 0\n", "x" * 10_000, "claim " + "9" * 10_000),
            )
        ),
    ],
)
def test_refusals(used: tuple[str, ...], seat: int, action: str, code: str) -> None:
    """The illegal-action table, the order of checks, and texts of all kinds; the message stays short."""
    game = make()
    state = table(game, 17, used=used)
    error = refusal(game, state, seat, action)
    assert (error.code, error.seat) == (code, seat)
    assert len(str(error)) < 250
    with pytest.raises(IllegalAction):
        game.apply(state, Moves(((seat, action),)))


def test_a_beginner_understands_a_refusal() -> None:
    """The message names the cards that share the property."""
    game = make()
    assert refusal(game, table(game, 17), 0, "claim odd 0").message == "odd is also true of 35, 49 on the piles"


def test_sealed_refuses_for_the_seat_at_fault() -> None:
    """A false claim of one seat refuses the round in its name; before the seat list nobody acts."""
    game = make(mode="sealed")
    state = table(game, 17, order=(0, 1, 2))
    with pytest.raises(IllegalAction) as caught:
        submit(game, state, "pass", "claim even 0", "pass")
    assert (caught.value.seat, caught.value.code) == (1, "property_false")
    assert refusal(game, state._replace(block=()), 0, "pass").code == "not_your_turn"
    with pytest.raises(ValueError, match="one submission of each"):
        submit(game, state, "pass", "pass")
    with pytest.raises(ValueError, match="where none is due"):
        game.apply(state, Chance("shuffle 0 1 2"))


@pytest.mark.parametrize(
    ("seats", "options", "words"),
    [
        (1, {}, "2..6"),
        (7, {}, "2..6"),
        (2, {"mode": "blitz"}, "turns | sealed | race"),
        (2, {"centre": 9}, "3..8"),
        (2, {"deck_cards": 100}, "7..99"),
        (4, {"deck_cards": 12}, "13..99"),
        (2, {"tick_ms": 9}, "10..1000"),
        (2, {"window_ms": 499}, "500..60000"),
        (2, {"center": 5}, "did you mean 'centre'"),
    ],
)
def test_bad_options(seats: int, options: Mapping[str, Any], words: str) -> None:
    """Options outside their range, or too few cards for the seats, are refused with what is accepted."""
    with pytest.raises(BadOptions) as caught:
        make(seats, **options)
    assert words in str(caught.value)


def test_ranks_share_places() -> None:
    """Score is minus the penalties; equal counts share a rank."""
    game = make(4)
    over = game.turn(table(game, 17)._replace(card=0, deck=(), penalties=(3, 1, 3, 0)))
    assert over == GameOver((-3, -1, -3, 0), (3, 2, 3, 1))


def test_shuffle_shows_the_piles_and_the_first_card() -> None:
    """What lies open after the deal is shown of the shuffle, to everybody alike; the rest is hidden."""
    game = make(2, mode="sealed")
    outcome = Chance("shuffle " + " ".join(map(str, CARDS)))
    hidden = Chance("shuffle 1 2 3 4 5 6" + " ?" * 93)
    assert {game.redact(game.initial(), outcome, seat) for seat in (0, 1, None)} == {hidden}
    seats = Chance("shuffle 1 0")
    assert game.redact(table(game, 17), seats, 0) == seats


def test_render() -> None:
    """A person sees the open card, the piles, who acts, and what each seat has got."""
    game = make()
    assert game.render(game.initial(), ()) == "before the deal"
    lines = game.render(game.apply(table(game, 17), Moves(((0, "pass"),))), ()).splitlines()
    assert lines[0] == "decision 2 of 93: card 1"
    assert lines[1] == "piles  0: 12  1: 35  2: 49  3: 64  4: 90"
    assert lines[3:5] == ["  seat 0  penalties  1  17", "> seat 1  penalties  0"]
    race = make(2, mode="race")
    text = race.render(submit(race, table(race, 17, order=(0, 1)), "claim prime 2", "pass", ticks=(4, None)), ())
    assert "  seat 0  penalties  0  last round: claim prime 2 at tick 4 (honoured)" in text.replace(">", " ")
    assert "  seat 1  penalties  1  last round: pass (a penalty)" in text.replace(">", " ")


RULESETS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (3, {"deck_cards": 30, "centre": 3}),
    (6, {"centre": 8}),
    (3, {"mode": "sealed"}),
    (6, {"mode": "sealed", "centre": 8, "deck_cards": 50}),
    (2, {"mode": "race", "deck_cards": 40}),
    (5, {"mode": "race", "tick_ms": 250, "window_ms": 1000}),
]


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_kit(seats: int, options: Mapping[str, Any]) -> None:
    """The conformance kit: legality, purity, replay, secrecy, imagined states."""
    check_game(make(seats, **options), games=3)


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["turns", "sealed", "race"])
def test_ten_thousand_games(mode: str) -> None:
    """Random games end after exactly the proven number of decisions."""
    for number in range(10_000):
        game = make(2 + number % 5, mode=mode)
        steps = [step for _, step, _ in playout(game, number)]
        assert sum(isinstance(step, Moves) for step in steps) == game.decisions
        assert len(steps) <= game.spec.steps_max


def playout(game: Unique, seed: int) -> Iterator[tuple[State, Step, State]]:
    """Yield (before, step, after) of a random game."""
    for (before, step), (after, _) in pairwise(moments(game, 0, seed)):
        assert step is not None
        yield before.state, step, after.state


@settings(max_examples=40)
@given(
    seats=st.integers(2, 6),
    mode=st.sampled_from(["turns", "sealed", "race"]),
    centre=st.integers(3, 8),
    spare=st.integers(0, 79),
    seed=st.integers(0, 2**64),
)
def test_invariants(seats: int, mode: str, centre: int, spare: int, seed: int) -> None:
    """The invariants of the rule file, against a ledger of honoured claims and covered cards kept beside the game."""
    game = make(seats, mode=mode, centre=centre, deck_cards=min(99, centre + 2 * seats + spare))
    honoured: list[str] = []
    buried: list[int] = []
    decisions = 0
    for before, step, after in playout(game, seed):
        if isinstance(step, Moves):
            decisions += 1
            claimed = check_step(game, before, after)
            honoured += claimed
            buried += [top for top, new in zip(before.tops, after.tops, strict=True) if top != new]
            buried += [before.card] if not claimed and game.simultaneous else []
        assert len(set(honoured)) == len(honoured) == after.used.bit_count()
        assert names(after) == set(honoured)
        kept = [card for cards in after.penalty_cards for card in cards]
        opened = [after.card] if after.card else []
        assert sorted([*after.tops, *buried, *kept, *after.deck, *after.out, *opened]) == list(CARDS)
        if mode == "turns":
            assert list(map(len, after.penalty_cards)) == list(after.penalties)
            assert len(honoured) + sum(after.penalties) == decisions
    assert decisions == game.decisions


def check_step(game: Unique, before: State, after: State) -> list[str]:
    """Check one decision or round, and return the names of the properties that it used."""
    used = [prop for prop in CATALOGUE if (before.used ^ after.used) >> prop.index & 1]
    fresh = [top for top, old in zip(after.tops, before.tops, strict=True) if top != old]
    assert fresh == ([before.card] if used else [])
    for prop in used:
        assert [top for top in after.tops if prop.holds[top]] == [before.card]
    lost = sum(after.penalties) - sum(before.penalties)
    assert lost == (game.seats - len(used) if game.simultaneous else 1 - len(used))
    for action in game.legal_actions(before, next(iter(acting(game, before))))[:-1]:
        prop = CATALOGUE[CLAIMS[action][0]]
        assert prop.holds[before.card]
        assert not any(prop.holds[top] for top in before.tops)
    return [prop.name for prop in used]


def acting(game: Unique, state: State) -> tuple[int, ...]:
    turn = game.turn(state)
    assert isinstance(turn, SeatTurn)
    return turn.seats
