"""Classification against its rule file: worked examples, refusals, invariants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadOptions, IllegalAction
from arena.games import Chance, GameOver, Moves, SeatTurn, Step, create
from arena.games.classification import Classification, LastPlay, State, points
from arena.games.number_cards import CARDS
from arena.games.number_properties import OF_CARD
from arena.testing import check_game
from arena.testing.playout import moments

Cards = tuple[int, ...]


def make(seats: int = 2, **options: Any) -> Classification:
    game = create("classification", seats, **options)
    assert isinstance(game, Classification)
    return game


def table(
    neutral: Cards,
    zones: tuple[Cards, ...],
    hands: tuple[Cards, ...],
    *,
    seat: int = 1,
    deck: Cards = (),
    piles: tuple[Cards, ...] = ((), ()),
) -> State:
    """Return a state at the start of a turn; the cards that are nowhere count as removed."""
    placed = {*neutral, *deck, *chain(*zones, *hands, *piles)}
    removed = tuple(card for card in CARDS if card not in placed)
    return State("play", seat, 0, neutral, zones, hands, piles, deck, removed, None)


def act(game: Classification, state: State, action: str) -> State:
    return game.apply(state, Moves(((state.seat, action),)))


SPARE = (98, 99)
"""A hand that keeps a turn open, where an example does not say what else is held."""


@pytest.mark.parametrize(
    ("state", "action", "neutral", "zones", "pile"),
    [
        (
            *(table((18, 10, 3), ((8,), (12,)), ((1,), (16, *SPARE))), "play 16 multiple_of(4)"),
            *((18, 10, 3, 16), ((), (8,)), (12,)),
        ),
        (
            *(table((11, 28, 30), ((7,), ()), ((1,), (5, *SPARE))), "play 5 prime"),
            *((11, 5), ((7,), (28, 30)), ()),
        ),
        (
            *(table((11, 28, 30), ((7,), ()), ((1,), (9, *SPARE))), "play 9 square"),
            *((11, 28, 30), ((7,), (9,)), ()),
        ),
        (
            *(table((6, 8, 9), ((), ()), ((1,), (4, *SPARE))), "play 4 composite"),
            *((6, 8, 9, 4), ((), ()), ()),
        ),
    ],
    ids=["tie", "without", "own card", "empty class"],
)
def test_split_and_pull(state: State, action: str, neutral: Cards, zones: tuple[Cards, ...], pile: Cards) -> None:
    """Worked examples 1-4, two of them from the game's source."""
    after = act(make(), state, action)
    assert (after.neutral, after.zones, after.piles) == (neutral, zones, ((), pile))
    assert (after.phase, after.seat, after.plays) == ("play", 1, 1)


def test_big_pull_and_keep() -> None:
    """Examples 5-7: seven cards in the zone, 35 ways to keep three, four cards scored, and the draw at the end."""
    game = make()
    start = table((60, 11, 14, 22), ((30, 42), (5, 25, 1)), ((2,), (13, 70)), deck=(64,))
    pulled = act(game, start, "play 70 number_of_colours(3)")
    assert pulled.zones == ((), (5, 25, 1, 60, 70, 30, 42))
    assert (pulled.neutral, pulled.phase) == ((11, 14, 22), "keep")
    assert pulled.last_play == LastPlay(1, 70, "number_of_colours(3)", (60, 70, 30, 42))
    legal = game.legal_actions(pulled, 1)
    assert (len(legal), legal[0], legal[-1]) == (35, "keep 1 5 25", "keep 42 60 70")
    assert game.default_action(pulled, 1) == "keep 1 5 25"
    kept = act(game, pulled, "keep 1 5 25")
    assert kept.piles == ((), (60, 70, 30, 42))
    assert game.view(kept, 0).scores == (0, 12)
    assert (kept.zones[1], kept.phase, kept.seat, kept.hands[1]) == ((5, 25, 1), "play", 1, (13,))
    ended = act(game, kept, "end_turn")
    assert (ended.hands[1], ended.deck, ended.seat, ended.plays) == ((13, 64), (), 0, 0)


def test_lone_card_is_pulled() -> None:
    """Example 8: the played card alone satisfies; it makes a fourth card in the zone."""
    game = make()
    start = table((30, 60, 11), ((42, 97), (5, 25, 1)), ((2,), (70, *SPARE)))
    after = act(game, start, "play 70 tens_digit(7)")
    assert (after.zones[1], after.phase) == ((5, 25, 1, 70), "keep")
    assert len(game.legal_actions(after, 1)) == 4


def test_end_of_a_game() -> None:
    """Example 9: an empty hand ends the turn, empty hands end the game, zones are banked, equal scores share a rank."""
    game = make()
    first = act(game, table((15, 21), ((8,), ()), ((3,), (27,))), "play 27 multiple_of(3)")
    assert (first.zones, first.neutral, first.seat) == (((), (8,)), (15, 21, 27), 0)
    last = act(game, first, "play 3 prime")
    assert last.piles == ((3,), (8,))
    assert (last.zones, last.phase) == (((), ()), "over")
    assert game.turn(last) == GameOver((1, 1), (1, 1))
    with pytest.raises(IllegalAction, match="game_over"):
        game.check(last, 0, "end_turn")


def test_one_colour_draw() -> None:
    """Example 10: a card of one colour draws at once, so the turn goes on; without the variant it ends."""
    start = table((15, 21, 33), ((8,), ()), ((2,), (27,)), deck=(97, 50))
    after = act(make(one_colour_draw=True), start, "play 27 multiple_of(9)")
    assert after.zones[1] == (27,)
    assert (after.hands[1], after.deck, after.seat, after.phase) == ((97,), (50,), 1, "play")
    assert make(one_colour_draw=True).legal_actions(after, 1)[-1] == "end_turn"
    plain = act(make(), start, "play 27 multiple_of(9)")
    assert (plain.hands[1], plain.deck, plain.seat) == ((97,), (50,), 0)


@pytest.mark.parametrize("card", [1, 97, 30])
def test_other_cards_draw_nothing(card: int) -> None:
    """The variant looks for exactly one colour: none, three and the six of 97 draw nothing."""
    start = table((15, 21, 33), ((8,), ()), ((2,), (card, 99)), deck=(50, 51))
    name = OF_CARD[card][0].name
    assert act(make(one_colour_draw=True), start, f"play {card} {name}").hands[1] == (99,)


def test_points() -> None:
    """Example 11."""
    assert [points((card,)) for card in (1, 2, 16, 10, 50, 30, 97)] == [0, 1, 1, 2, 2, 3, 6]


def test_legal_plays() -> None:
    """Cards ascending, per card the properties by index, end_turn last and only after a play."""
    game = make()
    start = table((11, 28, 30), ((7,), ()), ((2,), (1, 50, 99)))
    names = [f"play {card} {prop.name}" for card in (1, 50, 99) for prop in OF_CARD[card]]
    assert game.legal_actions(start, 1) == tuple(names)
    assert game.default_action(start, 1) == "play 1 odd"
    after = act(game, start, "play 99 odd")
    assert game.legal_actions(after, 1) == (*[name for name in names if " 99 " not in name], "end_turn")
    assert game.default_action(after, 1) == "end_turn"
    assert game.legal_actions(start, 0) == ()


def test_seats_without_cards_are_passed_over() -> None:
    """The turn goes to the next seat clockwise with a card, which may be the same seat."""
    game = make(3)
    nobody = ((), (), ())
    start = table((15, 21), nobody, ((4,), (5, 6), ()), piles=nobody)
    assert act(game, act(game, start, "play 5 odd"), "end_turn").seat == 0
    alone = table((15, 21), nobody, ((), (5, 6), ()), piles=nobody)
    assert act(game, act(game, alone, "play 5 odd"), "end_turn").seat == 1


def test_deal() -> None:
    """Three neutral cards, three a seat in order, then the deck; the rest is removed."""
    game = make(2, deck_cards=12)
    state = game.apply(game.initial(), Chance("shuffle " + " ".join(map(str, reversed(CARDS)))))
    assert state.neutral == (99, 98, 97)
    assert state.hands == ((94, 95, 96), (91, 92, 93))
    assert (state.deck, state.removed) == ((90, 89, 88), tuple(range(87, 0, -1)))
    assert game.turn(state) == SeatTurn((0,))
    with pytest.raises(ValueError, match="where none is due"):
        game.apply(state, Chance("shuffle " + " ".join(map(str, CARDS))))


HAND = table((11, 28, 30), ((7,), ()), ((2,), (5, 50)))
PLAYED = HAND._replace(plays=1)
TO_KEEP = HAND._replace(phase="keep", plays=1, zones=((7,), (1, 60, 25, 42)))


@pytest.mark.parametrize(
    ("state", "seat", "action", "code"),
    [
        (HAND, 1, "end_turn", "must_play_first"),
        (HAND, 1, "play 7 prime", "card_not_held"),
        (HAND, 1, "play 50 prime", "property_false"),
        (HAND, 1, "play 50 digit_sum(18)", "property_not_in_catalogue"),
        (HAND, 1, "play 50 even_or_prime", "property_syntax"),
        (TO_KEEP, 1, "play 50 even", "keep_required"),
        (TO_KEEP, 1, "play", "keep_required"),
        (TO_KEEP, 1, "end_turn", "keep_required"),
        (TO_KEEP, 1, "keep 25 5 1", "not_canonical"),
        (TO_KEEP, 1, "keep 1 25 25", "not_canonical"),
        (TO_KEEP, 1, "keep 1 25", "malformed_action"),
        (TO_KEEP, 1, "keep 1 25 42 60", "malformed_action"),
        (TO_KEEP, 1, "keep 1 25 100", "malformed_action"),
        (TO_KEEP, 1, "keep 0 1 25", "malformed_action"),
        (TO_KEEP, 1, "keep  1 25 42", "malformed_action"),
        (TO_KEEP, 1, "keep 01 25 42", "malformed_action"),
        (TO_KEEP, 1, "keep 1 5 25", "card_not_in_zone"),
        (TO_KEEP, 1, "Keep 1 25 42", "malformed_action"),
        (HAND, 1, "keep", "nothing_to_keep"),
        (HAND, 1, "keep 1 5 25", "nothing_to_keep"),
        (HAND, 0, "play 2 even", "not_your_turn"),
        (HAND, 0, "nonsense", "not_your_turn"),
        (HAND, 1, "end_turn now", "must_play_first"),
        (PLAYED, 1, "end_turn now", "malformed_action"),
        (HAND, 1, "play 7 smallest", "card_not_held"),
        *(
            (HAND, 1, text, "malformed_action")
            for text in (
                *("", "PLAY 5 prime", " play 5 prime", "pass", "play", "play 5", "play 5 prime now", "play  5 prime"),
                *("play 5  prime", "play 05 prime", "play +5 prime", "play 100 prime", "play 0 prime", "play ٥ prime"),
                *("play prime 5", "play 5 ", "x" * 10_000, "play " + "5" * 10_000),
            )
        ),
        *((HAND, 1, f"play 5 {text}", "property_syntax") for text in ("Prime", "prime()", "prime\n", "p" * 10_000)),
    ],
)
def test_refusals(state: State, seat: int, action: str, code: str) -> None:
    """The illegal-action table, the order of checks, and texts of all kinds; the message stays short."""
    game = make()
    with pytest.raises(IllegalAction) as caught:
        game.check(state, seat, action)
    assert (caught.value.code, caught.value.seat) == (code, seat)
    assert len(str(caught.value)) < 250
    with pytest.raises(IllegalAction):
        game.apply(state, Moves(((seat, action),)))


def test_alias_is_replaced() -> None:
    """An alias is accepted; the checked action and the play in the view carry the canonical name."""
    game = make()
    assert game.check(HAND, 1, "play 50 has_colour(5)") == "play 50 multiple_of(5)"
    last = game.view(act(game, HAND, "play 50 has_colour(5)"), None).last_play
    assert last is not None
    assert last.property == "multiple_of(5)"


@pytest.mark.parametrize(
    ("seats", "options", "words"),
    [
        (1, {}, "2..4"),
        (5, {}, "2..4"),
        (2, {"deck_cards": 10}, "11..99"),
        (4, {"deck_cards": 18}, "19..99"),
        (2, {"one_colour_draw": 1}, "true | false"),
        (2, {"one_color_draw": True}, "did you mean 'one_colour_draw'"),
    ],
)
def test_bad_options(seats: int, options: Mapping[str, Any], words: str) -> None:
    """Options outside their range, or too few cards for the seats, are refused with what is accepted."""
    with pytest.raises(BadOptions) as caught:
        make(seats, **options)
    assert words in str(caught.value)


def test_a_view_shows_one_hand() -> None:
    """The other hand, the deck and the removed cards are only numbers among the unseen."""
    game = make(2, deck_cards=12)
    state = game.apply(game.initial(), Chance("shuffle " + " ".join(map(str, CARDS))))
    view = game.view(state, 1)
    assert (view.hand, view.hand_counts, view.deck_count, view.removed_count) == ((7, 8, 9), (3, 3), 3, 87)
    assert view.unseen == (4, 5, 6, *range(10, 100))
    spectator = game.view(state, None)
    assert (spectator.hand, spectator.unseen) == ((), tuple(range(4, 100)))
    first = Chance("shuffle 1 2 3 6 5 4 9 8 7 " + " ".join(map(str, range(10, 100))))
    assert game.redact(game.initial(), first, 1) == Chance("shuffle 1 2 3 ? ? ? 7 8 9" + " ?" * 90)
    assert game.redact(game.initial(), first, None) == Chance("shuffle 1 2 3" + " ?" * 96)


def test_render() -> None:
    """A person sees the areas, the play before, points, and the hands of the shown seats alone."""
    game = make()
    assert game.render(game.initial(), ()) == "before the deal"
    lines = game.render(act(game, HAND, "play 5 prime"), (1,)).splitlines()
    assert lines == [
        "neutral 11 5  deck 0",
        "seat 1 played 5 prime: moved 28 30",
        "  seat 0  points   0  zone 7  hand 1 cards",
        "> seat 1  points   0  zone 28 30  hand 50",
    ]


RULESETS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (2, {"deck_cards": 11}),
    (2, {"deck_cards": 60, "one_colour_draw": True}),
    (3, {"deck_cards": 40}),
    (4, {"one_colour_draw": True}),
]


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_kit(seats: int, options: Mapping[str, Any]) -> None:
    """The conformance kit: legality, purity, replay, secrecy, imagined states."""
    check_game(make(seats, **options), games=2)


def playout(game: Classification, seed: int) -> Iterator[tuple[State, Step, State]]:
    """Yield (before, step, after) of a random game."""
    for (before, step), (after, _) in pairwise(moments(game, 0, seed)):
        assert step is not None
        yield before.state, step, after.state


@pytest.mark.soak
@pytest.mark.parametrize("one_colour_draw", [False, True])
def test_ten_thousand_games(one_colour_draw: bool) -> None:
    """Random games make exactly the proven number of plays and keep the bound on decisions."""
    for number in range(10_000):
        game = make(2 + number % 3, one_colour_draw=one_colour_draw)
        steps = [step for _, step, _ in playout(game, number)]
        assert sum(isinstance(step, Moves) and step.by_seat[0][1].startswith("play") for step in steps) == 96
        assert len(steps) <= game.spec.steps_max == 289


@settings(max_examples=40)
@given(seats=st.integers(2, 4), one_colour_draw=st.booleans(), spare=st.integers(0, 88), seed=st.integers(0, 2**64))
def test_invariants(seats: int, one_colour_draw: bool, spare: int, seed: int) -> None:
    """The invariants of the rule file over whole random games."""
    cards = min(99, 3 + 4 * seats + spare)
    game = make(seats, one_colour_draw=one_colour_draw, deck_cards=cards)
    plays = 0
    for before, step, after in playout(game, seed):
        areas = (after.neutral, after.deck, after.removed, *after.zones, *after.hands, *after.piles)
        assert sorted(chain(*areas)) == list(CARDS)
        if after.phase == "play":
            assert all(len(zone) <= 3 for zone in after.zones)
            assert after.hands[after.seat]
        if isinstance(step, Moves):
            plays += step.by_seat[0][1].startswith("play")
            check_turn(before, after)
    assert plays == cards - 3
    assert sum(map(points, (after.neutral, after.removed, *after.piles))) == 174
    over = game.turn(after)
    assert isinstance(over, GameOver)
    assert over.scores == tuple(map(points, after.piles))


def check_turn(before: State, after: State) -> None:
    """Piles only grow, and until the end only the actor's; rivals' zones only shrink."""
    for seat, (pile, grown) in enumerate(zip(before.piles, after.piles, strict=True)):
        assert grown[: len(pile)] == pile
        if seat != before.seat and after.phase != "over":
            assert grown == pile
            assert set(after.zones[seat]) <= set(before.zones[seat])


def reference_split(state: State, card: int, members: set[int]) -> tuple[list[int], list[list[int]], list[int]]:
    """Return (neutral, zones, scored) by the words of the rule file, without the tables of the module."""
    neutral, zones, scored = [*state.neutral, card], [list(zone) for zone in state.zones], []
    everything = neutral + [other for zone in zones for other in zone]
    yes = [other for other in everything if other in members]
    no = [other for other in everything if other not in members]
    moving = [other for other in yes if other != card] if len(yes) == len(no) else min(yes, no, key=len)
    own = list(state.zones[state.seat])
    for other in moving:
        home = neutral if other in neutral else next(zone for zone in zones if other in zone)
        home.remove(other)
        if other in own:
            scored.append(other)
        else:
            zones[state.seat].append(other)
    return neutral, zones, scored


@settings(max_examples=20)
@given(seats=st.integers(2, 4), seed=st.integers(0, 2**64))
def test_split_against_a_second_reading(seats: int, seed: int) -> None:
    """Every play of a random game moves what a plain second reading of the rule moves."""
    game = make(seats)
    for before, step, after in playout(game, seed):
        if not isinstance(step, Moves) or not step.by_seat[0][1].startswith("play") or after.phase == "over":
            continue
        _, number, name = step.by_seat[0][1].split(" ")
        members = next(set(prop.members) for prop in OF_CARD[int(number)] if prop.name == name)
        neutral, zones, scored = reference_split(before, int(number), members)
        assert list(after.neutral) == neutral
        assert [list(zone) for zone in after.zones] == zones
        assert list(after.piles[before.seat][len(before.piles[before.seat]) :]) == scored
