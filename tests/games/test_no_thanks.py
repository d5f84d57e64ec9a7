"""No Thanks!: the worked examples and refusals of the rule file, value for value, its invariants, and the kit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import BadOptions, Chance, GameOver, IllegalAction, Moves, SeatTurn, create
from arena.games.base import ranks_of
from arena.games.no_thanks import CARDS, NoThanks, State, row_points
from arena.testing import check_game
from arena.testing.playout import moments

A, B, C = 0, 1, 2


def made(seats: int = 3, **options: Any) -> NoThanks:
    game = create("no_thanks", seats, **options)
    assert isinstance(game, NoThanks)
    return game


def table(game: NoThanks, **fields: Any) -> State:
    """Return a state of a round in play: seat 0 decides about card 33, deck [5], unless said otherwise."""
    return game.initial()._replace(**{"target": 33, "deck": (5,), **fields})


def after(game: NoThanks, state: State, *actions: str) -> State:
    for action in actions:
        state = game.apply(state, Moves(((state.seat, action),)))
    return state


@pytest.mark.parametrize(
    ("row", "tokens", "points"),
    [
        ((11, 19, 20, 28, 29, 30), 8, 50),  # example 1
        ((3, 10, 11, 12, 13, 20), 5, 28),  # example 2
        ((), 17, -17),  # example 8
    ],
)
def test_a_row_counts_the_lowest_card_of_each_run(row: tuple[int, ...], tokens: int, points: int) -> None:
    assert row_points(row) - tokens == points


def test_a_pass_costs_a_token_and_turns_to_the_next_seat() -> None:
    """Example 3."""
    state = after(made(), table(made()), "pass")
    assert (state.tokens, state.pot, state.seat, state.target) == ((10, 11, 11), 1, B, 33)


def test_a_take_wins_card_and_pot_and_the_seat_goes_on() -> None:
    """Example 4."""
    before = table(made(), seat=B, rows=((), (32,), ()), tokens=(8, 9, 11), pot=5)
    state = after(made(), before, "take")
    assert (state.rows[B], state.tokens, state.target, state.pot, state.seat) == ((32, 33), (8, 14, 11), 5, 0, B)


def test_without_tokens_the_seat_must_take() -> None:
    """Example 5."""
    before = table(made(), target=35, pot=2, tokens=(0, 20, 11))
    assert made().legal_actions(before, A) == ("take",)
    state = after(made(), before, "take")
    assert (state.tokens[A], state.seat, state.target) == (2, A, 5)


def test_a_secret_card_is_laid_into_the_row() -> None:
    """Example 6."""
    game = made(variant="secret")
    before = table(
        game, rows=((10, 12), (), ()), tokens=(4, 5, 6), secrets=((11, 30), (3, 4), (6, 7)), target=35, pot=18
    )
    assert row_points(before.rows[A]) == 22
    assert game.legal_actions(before, A) == ("pass", "take", "lay 11", "lay 30")
    state = after(game, before, "lay 11")
    assert (state.rows[A], row_points(state.rows[A]), state.secrets[A]) == ((10, 11, 12), 10, (30,))
    assert (state.tokens, state.target, state.pot, state.seat) == (before.tokens, 35, 18, A)


def test_the_last_take_ends_the_round_and_unlaid_cards_count_nothing() -> None:
    """Example 7."""
    game = made(variant="secret", rounds=1)
    before = table(
        game,
        rows=((19, 20), (3, 4, 35), ()),
        tokens=(2, 9, 11),
        target=21,
        pot=11,
        deck=(),
        secrets=((), (34,), (7,)),
    )
    state = after(game, before, "take")
    assert state.round_scores == ((6, 29, -11),)
    assert game.turn(state) == GameOver((-6, -29, 11), (2, 3, 1))


@pytest.mark.parametrize(("seats", "each", "left"), [(3, 3, 0), (4, 2, 1), (5, 1, 4), (6, 1, 3), (7, 1, 2)])
def test_secret_cards_are_dealt_one_by_one(seats: int, each: int, left: int) -> None:
    """Example 9, and the order of the deal: round the table from seat 0."""
    game = made(seats, variant="secret")
    state = game.apply(game.initial(), Chance("shuffle " + " ".join(map(str, CARDS))))
    assert [len(cards) for cards in state.secrets] == [each] * seats
    assert (len(state.removed), len(state.deck) + 1) == (left, 24)
    assert state.secrets[1] == tuple(range(4, 4 + each * seats, seats))


def test_tactical_takes_the_known_cards_out() -> None:
    """Example 10."""
    for number in range(3):
        for moment, _ in moments(made(variant="tactical", rounds=1), number, 0):
            view = moment.game.view(moment.state, A)
            assert not {10, 20, 30} & set(view.unseen)
            assert view.tokens_in_play == 30
            assert view.known_removed == (10, 20, 30)


def test_equal_totals_share_a_rank() -> None:
    """Example 11; points count down, so scores are negated."""
    assert ranks_of([-120, -98, -98, -131]) == (3, 1, 1, 4)


def test_the_rounds_are_begun_in_turn() -> None:
    """Example 12."""
    starters = []
    last_round = -1
    for moment, _ in moments(made(rounds=4), 0, 0):
        if moment.acting() and moment.state.round != last_round:
            last_round = moment.state.round
            starters.append(moment.state.seat)
            assert moment.game.view(moment.state, None).start_seat == moment.state.seat
    assert starters == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("options", "fields", "seat", "action", "code"),
    [
        ({}, {}, B, "pass", "not_your_turn"),
        ({}, {"tokens": (0, 11, 11)}, A, "pass", "no_tokens"),
        ({}, {}, A, "lay 11", "action_not_in_variant"),
        ({"variant": "secret"}, {"secrets": ((30,), (11,), ())}, A, "lay 11", "card_not_held"),
        ({"variant": "secret"}, {"secrets": ((30,), (11,), ())}, A, "lay", "malformed_action"),
        ({"variant": "secret"}, {}, A, "lay '11'", "malformed_action"),
        ({"variant": "secret"}, {}, A, "lay 36", "malformed_action"),
        ({"variant": "secret"}, {}, A, "lay 11 12", "malformed_action"),
        ({}, {"round": 4, "target": 0, "round_scores": ((1, 2, 3),) * 4}, A, "take", "game_over"),
        ({}, {"target": 0}, A, "take", "not_your_turn"),
        # the order of checks: game over, turn, verb, variant, fields, tokens or card held
        ({}, {"round": 4, "target": 0, "round_scores": ((1, 2, 3),) * 4}, B, "steal", "game_over"),
        ({}, {}, B, "steal", "not_your_turn"),
        ({}, {}, A, "steal 99", "malformed_action"),
        ({}, {}, A, "lay 99", "action_not_in_variant"),
        ({"variant": "secret"}, {"secrets": ((30,), (), ())}, A, "lay 99", "malformed_action"),
    ],
)
def test_refusals(options: dict[str, Any], fields: dict[str, Any], seat: int, action: str, code: str) -> None:
    """The table of illegal actions, by ``check`` and by ``apply``."""
    game = made(**options)
    state = table(game, **fields)
    for call in (lambda: game.check(state, seat, action), lambda: game.apply(state, Moves(((seat, action),)))):
        with pytest.raises(IllegalAction) as refusal:
            call()
        assert (refusal.value.code, refusal.value.seat) == (code, seat)


@pytest.mark.parametrize(
    ("seats", "options", "words"),
    [
        (6, {"variant": "tactical"}, "takes 3..5 seats"),
        (8, {}, "takes 3..7"),
        (2, {}, "takes 3..7"),
        (True, {}, "takes 3..7"),
        (4, {"tokens": 14}, "is 1..13"),
        (4, {"tokens": 0}, "accepted is 1..18"),
        (4, {"rounds": 21}, "accepted is 1..20"),
        (4, {"rounds": True}, "accepted is 1..20"),
        (4, {"rounds": "4"}, "accepted is 1..20"),
        (4, {"variant": "Secret"}, "standard | secret | tactical"),
        (4, {"known_removed": [10, 20, 31]}, r"[10, 20, 30] | [10, 19, 28]"),
        (4, {"round": 4}, "did you mean 'rounds'?"),
        (4, {"token_view": None, "tokenview": "open"}, "did you mean 'token_view'?"),
    ],
)
def test_bad_options(seats: int, options: dict[str, Any], words: str) -> None:
    """A game that cannot be set up is refused in words that name what is accepted."""
    with pytest.raises(BadOptions) as refusal:
        create("no_thanks", seats, **options)
    assert words in str(refusal.value)
    assert refusal.value.code == "bad_options"


@pytest.mark.parametrize(
    ("seats", "options", "tokens"),
    [
        (3, {}, 11),
        (4, {}, 13),
        (5, {}, 11),
        (6, {}, 9),
        (7, {}, 7),
        (4, {"token_table": "publisher"}, 11),
        (3, {"tokens": 18}, 18),
        (4, {"variant": "tactical"}, 10),
        (4, {"variant": "tactical", "tokens": 12}, 12),
    ],
)
def test_starting_tokens(seats: int, options: dict[str, Any], tokens: int) -> None:
    game = made(seats, **options)
    assert game.initial().tokens == (tokens,) * seats


def test_bound_on_steps() -> None:
    """Rounds x (24(T+1) + lays) decisions, and one shuffle a round: 4 x 24 x 53 + 4 for four seats."""
    assert made(4).spec.steps_max == 4 * (24 * 53 + 1)
    assert made(4, variant="secret").spec.steps_max == 4 * (24 * 53 + 8 + 1)


def test_hidden_tokens_stay_out_of_a_view() -> None:
    game = made(token_view="hidden")
    view = game.view(table(game, tokens=(1, 20, 12)), A)
    assert (view.tokens, view.my_tokens, view.tokens_in_play) == ((), 1, 33)


def test_a_shuffle_is_redacted() -> None:
    """A seat sees the first target and its own secret cards, ascending; a spectator the target alone."""
    game = made(variant="secret")
    step = Chance("shuffle " + " ".join(map(str, reversed(CARDS))))
    hidden = ["?"] * 24
    hidden[0] = "26"
    mine = game.redact(game.initial(), step, B)
    assert isinstance(mine, Chance)
    assert mine.outcome.split(" ") == ["shuffle", "?", "28", "?", "?", "31", "?", "?", "34", "?", *hidden]
    assert game.redact(game.initial(), step, None) == Chance(" ".join(["shuffle", *["?"] * 9, *hidden]))


@pytest.mark.parametrize("outcome", ["shuffle 3 4 5", "draw 1", "shuffle " + " ".join(["3"] * 33), "shuffle x"])
def test_damaged_shuffles(outcome: str) -> None:
    with pytest.raises(ValueError, match="is no shuffle of the 33 cards"):
        made().apply(made().initial(), Chance(outcome))


RULESETS = [
    (3, {}),
    (4, {"rounds": 1}),
    (5, {"token_view": "hidden", "rounds": 2}),
    (7, {"rounds": 1}),
    (3, {"variant": "secret", "rounds": 3}),
    (4, {"variant": "secret", "rounds": 1, "token_view": "hidden"}),
    (6, {"variant": "secret", "rounds": 1}),
    (7, {"variant": "secret", "rounds": 1}),
    (3, {"variant": "tactical", "rounds": 1}),
    (5, {"variant": "tactical", "rounds": 1, "known_removed": [10, 19, 28]}),
    (3, {"tokens": 1, "rounds": 1}),
    (3, {"tokens": 18, "rounds": 1}),
    (4, {"token_table": "publisher", "rounds": 1}),
]


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_conformance(seats: int, options: dict[str, Any]) -> None:
    check_game(made(seats, **options), games=2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_conformance_at_length(seats: int, options: dict[str, Any]) -> None:
    check_game(made(seats, **options), games=100, seed=1)


@settings(max_examples=40)
@given(ruleset=st.sampled_from(RULESETS), seed=st.integers(0, 2**32))
def test_invariants(ruleset: tuple[int, dict[str, Any]], seed: int) -> None:
    """Tokens are kept, the cards are partitioned, a round takes 24 cards, and scores add up."""
    seats, options = ruleset
    game = made(seats, **options)
    takes = 0
    for moment, step in moments(game, 0, seed):
        state = moment.state
        assert sum(state.tokens) + state.pot == game.tokens_in_play
        assert min(state.tokens) >= 0
        if isinstance(step, Moves):
            _check_cards(game, state)
            _check_move(game, state, step)
            takes += step.by_seat[0][1] == "take"
    assert isinstance(moment.turn, GameOver)
    assert takes == 24 * game.options.rounds
    assert [sum(scores) for scores in zip(*state.round_scores, strict=True)] == [-s for s in moment.turn.scores]


def _check_cards(game: NoThanks, state: State) -> None:
    places = (state.deck, (state.target,), state.removed, game.known_removed, *state.rows, *state.secrets)
    assert sorted(card for cards in places for card in cards) == list(CARDS)
    assert isinstance(game.turn(state), SeatTurn)


def _check_move(game: NoThanks, state: State, step: Moves) -> None:
    """Rows never shrink, the pot is empty after a take, and a round's scores are its run minima less all tokens."""
    ((seat, action),) = step.by_seat
    following = game.apply(state, step)
    if following.round == state.round:
        assert all(set(old) <= set(new) for old, new in zip(state.rows, following.rows, strict=True))
        assert action != "take" or following.pot == 0
        return
    rows = list(state.rows)
    rows[seat] = tuple(sorted((*rows[seat], state.target)))
    assert sum(following.round_scores[-1]) == sum(map(row_points, rows)) - game.tokens_in_play


@given(row=st.sets(st.sampled_from(CARDS), min_size=1))
def test_a_card_above_a_held_one_never_costs(row: set[int]) -> None:
    """Adding c to a row that holds c-1 never raises its points."""
    for card in CARDS:
        if card - 1 in row:
            assert row_points(tuple(sorted(row | {card}))) <= row_points(tuple(sorted(row)))


def test_render_shows_secret_cards_of_the_shown_seats_alone() -> None:
    game = made(variant="secret")
    state = table(game, secrets=((30,), (11,), ()), rows=((3, 4), (), ()), pot=2)
    text = game.render(state, (A,))
    assert "round 1 of 4: card 33 with 2 tokens, 1 cards below" in text
    assert "> seat 0  tokens 11  points    0  row 3 4  secret 30" in text
    assert "  seat 1  tokens 11  points    0  row -\n" in text
