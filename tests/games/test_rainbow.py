"""Rainbow: the worked examples and refusals of the rule file, value for value, its invariants, and the kit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import BadOptions, Chance, ChanceTurn, GameOver, IllegalAction, Moves, create
from arena.games.base import ranks_of
from arena.games.number_cards import CARDS, Submission
from arena.games.rainbow import CLAIMS, CORNERS, DECK, Rainbow, State, legal_claims
from arena.seeds import Stream
from arena.testing import check_game
from arena.testing.playout import moments

A, B = 0, 1
S_TABLE = (19, 38, 57, 6, 84, 11, 90, 42, 62)
S_DECK = (10, 99, 23, 71)
FIRST = (44, 6, 13, 91, 50, 29, 84, 1, 72)


def made(seats: int = 2, **options: Any) -> Rainbow:
    game = create("rainbow", seats, **options)
    assert isinstance(game, Rainbow)
    return game


def table(game: Rainbow, cards: tuple[int, ...] = S_TABLE, deck: tuple[int, ...] = S_DECK, **fields: Any) -> State:
    """Return the first round of state S of the rule file, turn list 0, 1."""
    block = tuple(range(game.seats))
    return game.initial()._replace(**{"open": True, "table": cards, "deck": deck, "block": block, **fields})


def moves(*actions: str, ticks: tuple[int | None, ...] | None = None) -> Moves:
    return Moves(tuple(enumerate(actions)), ticks)


def weights(cards: tuple[int, ...]) -> dict[str, int]:
    return {claim.text.removeprefix("claim "): len(claim.cards) for claim in legal_claims(cards)}


def scores(state: State) -> list[int]:
    return [len(pile) for pile in state.piles]


def test_claims_of_the_first_table() -> None:
    """Example 1: the legal claims with their weights, in canonical order."""
    expected = {
        "1 2 3": 1,
        "1 5 6": 2,
        "1 6 7": 2,
        "2 3 6": 1,
        "6 7 13": 2,
        "6 44 50": 3,
        "7 13 91": 2,
        "7 84 91": 2,
    }
    assert list(weights(FIRST).items()) == list(expected.items())
    game = made()
    assert game.legal_actions(table(game, FIRST), A) == (*(f"claim {text}" for text in expected), "pass")


def test_claims_of_state_s() -> None:
    """Example 2."""
    assert list(weights(S_TABLE).items()) == [
        ("2 3 6", 1),
        ("2 19 38", 2),
        ("2 42 84", 2),
        ("3 19 57", 2),
        ("5 6 11", 2),
        ("5 57 62", 2),
        ("6 7 42", 2),
        ("6 84 90", 3),
        ("19 38 57", 3),
    ]


ROUNDS: list[tuple[dict[str, Any], tuple[int, int], Moves, list[int], tuple[int, ...]]] = [
    # example 3: both honoured
    ({}, (0, 1), moves("claim 19 38 57", "claim 6 7 42"), [3, 2], (84, 11, 90, 62, 10, 99, 23, 71)),
    # example 4: the heavier claim first
    ({}, (0, 1), moves("claim 2 19 38", "claim 19 38 57"), [0, 3], (6, 84, 11, 90, 42, 62, 10, 99, 23)),
    # example 5: the turn list decides
    ({}, (1, 0), moves("claim 19 38 57", "claim 19 38 57"), [0, 3], (6, 84, 11, 90, 42, 62, 10, 99, 23)),
    # example 6: the earlier tick first
    (
        {"mode": "race"},
        (0, 1),
        moves("claim 2 19 38", "claim 19 38 57", ticks=(4, 5)),
        [2, 0],
        (57, 6, 84, 11, 90, 42, 62, 10, 99),
    ),
    # example 7: the card that has lain longest is discarded
    ({}, (0, 1), moves("pass", "pass"), [0, 0], (38, 57, 6, 84, 11, 90, 42, 62, 10)),
    # in sealed mode ticks are 0, whatever is recorded
    ({}, (0, 1), moves("claim 2 19 38", "claim 19 38 57", ticks=(4, 5)), [0, 3], (6, 84, 11, 90, 42, 62, 10, 99, 23)),
    # a missing tick counts 0
    (
        {"mode": "race"},
        (0, 1),
        moves("claim 19 38 57", "claim 2 19 38", ticks=(1, None)),
        [0, 2],
        (57, 6, 84, 11, 90, 42, 62, 10, 99),
    ),
]


@pytest.mark.parametrize(("options", "block", "step", "points", "cards"), ROUNDS)
def test_a_round(
    options: dict[str, Any], block: tuple[int, int], step: Moves, points: list[int], cards: tuple[int, ...]
) -> None:
    game = made(**options)
    state = game.apply(table(game, block=block), step)
    assert (scores(state), state.table, state.round) == (points, cards, 1)
    assert state.discarded == ((19,) if not any(points) else ())


def test_the_deck_runs_out() -> None:
    """Example 3, on: what is legal when the deck is empty."""
    game = made()
    state = game.apply(table(game), moves("claim 19 38 57", "claim 6 7 42"))
    assert state.deck == ()
    assert list(weights(state.table)) == ["2 5 10", "3 7 10"]
    assert state.last_round == (
        Submission(A, "claim 19 38 57", None, True),
        Submission(B, "claim 6 7 42", None, True),
    )


STUCK = (32, 40, 50, 88, 97, 77, 68, 78, 41)


def test_refill_goes_on_until_there_is_a_claim() -> None:
    """Example 8: the tenth card is turned up, and allows exactly one claim."""
    game = made()
    before = table(game, (6, *STUCK[:8]), (STUCK[8], 99, 3 + 8))
    state = game.apply(before, moves("pass", "pass"))
    assert state.table == (*STUCK, 99)
    assert weights(state.table) == {"2 97 99": 2}
    assert state.deck == (11,)
    assert state.open


def test_the_game_ends_when_no_claim_is_left() -> None:
    """Example 9: the same nine cards and an empty deck."""
    game = made()
    state = game.apply(table(game, (6, *STUCK), ()), moves("pass", "claim 2 3 6"))
    assert state.table == STUCK
    assert game.turn(state) == GameOver((0, 1), (2, 1))
    with pytest.raises(IllegalAction) as refusal:
        game.check(state, A, "pass")
    assert refusal.value.code == "game_over"


def test_equal_scores_share_a_rank() -> None:
    """Example 10."""
    assert ranks_of([30, 24, 30]) == (1, 3, 1)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("claim 2 3 5", "no_table_card"),
        ("claim 2 5 7", "no_table_card"),
        ("claim 1 44 45", "number_not_available"),
        ("claim 6 13 91", "equation_false"),
        ("claim 44 6 50", "not_canonical"),
        ("claim 6 6 12", "not_canonical"),
        ("claim 0 6 6", "malformed_action"),
        ("claim six 7 13", "malformed_action"),
        ("claim 6 44", "malformed_action"),
        ("claim 6 44 50 1", "malformed_action"),
        ("claim 6 44 100", "malformed_action"),
        ("claim 06 44 50", "malformed_action"),
        ("claim +6 44 50", "malformed_action"),
        ("Claim 6 44 50", "malformed_action"),
        ("claim  6 44 50", "malformed_action"),
        ("claim", "malformed_action"),
        # the order of checks: fields, ascending, available, table card, equation
        ("claim 98 6 0", "malformed_action"),
        ("claim 98 97 4", "not_canonical"),
        ("claim 2 3 4", "number_not_available"),
        ("claim 2 3 7", "no_table_card"),
    ],
)
def test_refusals(action: str, code: str) -> None:
    """The table of illegal actions, by ``check`` and by ``apply``."""
    game = made()
    state = table(game, FIRST)
    with pytest.raises(IllegalAction) as refusal:
        game.check(state, B, action)
    assert (refusal.value.code, refusal.value.seat) == (code, B)
    with pytest.raises(IllegalAction) as refusal:
        game.apply(state, moves("pass", action))
    assert (refusal.value.code, refusal.value.seat) == (code, B)


def test_a_false_equation_is_explained() -> None:
    """A beginner reads what the sum and the product are."""
    with pytest.raises(IllegalAction, match=r"6\+13 is 19 and 6\*13 is 78, not 91"):
        made().check(table(made(), FIRST), A, "claim 6 13 91")


@pytest.mark.parametrize("seats", [(0,), (1, 0), (0, 0), ()])
def test_a_round_takes_every_seat(seats: tuple[int, ...]) -> None:
    """A record with a seat missing is damaged; it is no fault of a bot."""
    with pytest.raises(ValueError, match="one submission of each of the seats"):
        made().apply(table(made()), Moves(tuple((seat, "pass") for seat in seats)))


@pytest.mark.parametrize(
    ("seats", "options", "words"),
    [
        (1, {}, "takes 2..6"),
        (7, {}, "takes 2..6"),
        (2, {"table": 5}, "6..12"),
        (2, {"mode": "turns"}, "sealed | race"),
        (2, {"tick_ms": 9}, "10..1000"),
        (2, {"window_ms": 499}, "500..60000"),
    ],
)
def test_bad_options(seats: int, options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadOptions) as refusal:
        create("rainbow", seats, **options)
    assert words in str(refusal.value)


def test_every_equation_of_the_deck() -> None:
    """The table of equations against its definition, all triples tried."""
    found = set()
    for x in CARDS:
        for y in CARDS[x:]:
            found |= {(x, y, z) for z in CARDS[y:] if z in (x + y, x * y) and not {x, y, z} <= set(CORNERS)}
    assert {tuple(map(int, text.split(" ")[1:])) for text in CLAIMS} == found


def test_chance_order_and_blocks() -> None:
    """The deck is shuffled first, the seats before each block of rounds and only if one follows; each leads once."""
    game = made(3)
    leaders: list[int] = []
    for moment, step in moments(game, 0, 3):
        if isinstance(step, Chance):
            words = len(step.outcome.split(" ")) - 1
            assert words == (95 if moment.step == 0 else 3)
            assert moment.step == 0 or moment.state.round % 3 == 0
        elif step is not None:
            leaders.append(game.view(moment.state, A).turn_list[0])
    assert all(sorted(leaders[i : i + 3]) == [0, 1, 2] for i in range(0, len(leaders) - 3, 3))


def test_the_first_table_is_all_that_a_shuffle_shows() -> None:
    """Cards that were turned up by the refill rule are shown, too."""
    game = made(table=9)
    rest = [card for card in DECK if card not in (*STUCK, 99)]
    step = Chance("shuffle " + " ".join(map(str, (*STUCK, 99, *rest))))
    event = game.redact(game.initial(), step, A)
    assert event == Chance("shuffle " + " ".join([*map(str, (*STUCK, 99)), *["?"] * 85]))


RULESETS = [
    (2, {}),
    (3, {"table": 6}),
    (4, {"table": 12}),
    (6, {}),
    (2, {"mode": "race"}),
    (5, {"mode": "race", "table": 7, "tick_ms": 10, "window_ms": 500}),
]


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_conformance(seats: int, options: dict[str, Any]) -> None:
    check_game(made(seats, **options), games=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_conformance_at_length(seats: int, options: dict[str, Any]) -> None:
    check_game(made(seats, **options), games=50, seed=1)


@settings(max_examples=25)
@given(ruleset=st.sampled_from(RULESETS), seed=st.integers(0, 2**32))
def test_invariants(ruleset: tuple[int, dict[str, Any]], seed: int) -> None:
    """Cards are partitioned, a round has a claim and takes a card, the first claim is honoured, claims are disjoint."""
    seats, options = ruleset
    game = made(seats, **options)
    for moment, step in moments(game, 0, seed):
        state = moment.state
        if isinstance(moment.turn, ChanceTurn) and not moment.step:
            continue
        cards = [*state.table, *state.deck, *state.discarded, *(card for pile in state.piles for card in pile)]
        assert sorted((*cards, *CORNERS)) == list(CARDS)
        assert game.view(state, None).scores == tuple(scores(state))
        if isinstance(step, Moves):
            assert legal_claims(state.table)
            _check_round(game, state, step)
    assert isinstance(moment.turn, GameOver)
    assert state.deck == ()
    assert not legal_claims(state.table)
    assert state.round <= 95


def _check_round(game: Rainbow, state: State, step: Moves) -> None:
    following = game.apply(state, step)
    claims = [entry for entry in following.last_round if entry.action != "pass"]
    honoured = [entry for entry in claims if entry.honoured]
    assert bool(claims) == bool(honoured) == (following.discarded == state.discarded)
    taken = [card for entry in honoured for card in CLAIMS[entry.action].cards]
    assert len(taken) == len(set(taken)) == sum(scores(following)) - sum(scores(state))
    if game.options.mode == "sealed" and claims:
        heaviest = max(len(CLAIMS[entry.action].cards) for entry in claims)
        assert any(len(CLAIMS[entry.action].cards) == heaviest for entry in honoured)


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_silent_bots_end_the_game_in_95_rounds(seats: int, options: dict[str, Any]) -> None:
    """Mutual waiting costs a card a round: the bound of the rule file holds when everybody passes."""
    game = made(seats, **options)
    stream = Stream(bytes(32))
    state, steps = game.initial(), 0
    while not isinstance(turn := game.turn(state), GameOver):
        step = (
            game.sample_chance(state, stream)
            if isinstance(turn, ChanceTurn)
            else Moves(tuple((seat, game.default_action(state, seat)) for seat in turn.seats))
        )
        state, steps = game.apply(state, step), steps + 1
    assert turn.scores == (0,) * seats
    assert steps <= game.spec.steps_max
    assert state.round == len(state.discarded) <= 95


def test_render() -> None:
    game = made()
    state = game.apply(table(game), moves("claim 2 19 38", "claim 19 38 57"))
    assert game.render(state, ()).splitlines() == [
        "round 2: 1 cards to come  turn list 1 0",
        "table  6 84 11 90 42 62 10 99 23   corners 2 3 5 7   discarded 0",
        "  seat 0  cards  0  last round: claim 2 19 38 (beaten)",
        "  seat 1  cards  3  last round: claim 19 38 57 (honoured)",
    ]
