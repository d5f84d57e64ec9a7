"""Prime Cards: the rule file's worked examples, refusals and invariants, value for value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from arena.games import Chance, GameOver, IllegalAction, Moves, SeatTurn, create
from arena.games.prime_cards import COMPOSITES, DECK, OPERATIONS, VALUES, PrimeCards, State
from arena.seeds import Stream
from arena.testing import check_game
from arena.testing.playout import Moment, moments

OPTION_SETS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (3, {}),
    (4, {"hand_size": 10, "target_score": 200}),
    (2, {"hand_size": 3, "max_rounds": 10}),
    (3, {"target_score": 500, "max_rounds": 10}),
    (4, {"target_score": 20}),
]
EXAMPLE_DECK = [DECK[(7 * i) % 60] for i in range(60)]


def game_of(seats: int = 2, **options: Any) -> PrimeCards:
    game = create("prime_cards", seats, **options)
    assert isinstance(game, PrimeCards)
    return game


def at(table: Sequence[int], hand: Sequence[int], other: Sequence[int] = (4,) * 7, **changes: Any) -> State:
    """Return a state of two seats in which seat 0, who holds ``hand``, is to play onto ``table``."""
    full = any(card in COMPOSITES for card in table)
    return State(
        phase="play",
        turn=0,
        hands=(tuple(sorted(hand)), tuple(sorted(other))),
        drawn=hand[-1],
        table=tuple(table),
        players=(-1,) * len(table),
        sum=sum(table),
        needs="operation" if full else "composite",
        library=(1, 1, 7, 7),
        discards=(),
        won=((), ()),
        scores=(0, 0),
        recycles=0,
    )._replace(**changes)


def act(state: State, seat: int, action: str, **options: Any) -> State:
    return game_of(**options).apply(state, Moves(((seat, action),)))


FILL = (-2, 1, 4, 7, 8, 10, 25)


@pytest.mark.parametrize(
    ("table", "action", "total", "gain"),
    [
        ([25], "play -2", 23, 23),
        ([10], "play 1", 11, 11),
        ([10], "play 7", 17, 17),
        ([10], "play -2", 8, 0),
        ([-2], "play 4", 2, 2),
        ([-2], "play 25", 23, 23),
        ([-2], "play 10", 8, 0),
        ([7], "play 4", 11, 11),
        ([7], "play 10", 17, 17),
        ([7], "play 8", 15, 0),
    ],
)
def test_sum_is_won_when_prime(table: list[int], action: str, total: int, gain: int) -> None:
    """Worked examples 1, 2, 4 and 5: the sum of the whole trick decides, and only a prime one scores."""
    after = act(at(table, (*FILL, 1)), 0, action)
    assert after.scores == (gain, 0)
    assert (after.phase, after.turn) == (("lead", 0) if gain else ("play", 1))
    assert after.sum == (0 if gain else total)
    assert after.won[0] == ((*table, int(action.split()[1])) if gain else ())


def test_winner_takes_the_whole_trick() -> None:
    """Worked example 3: the seat that makes the sum prime scores all of it."""
    state = act(at([8], (*FILL, 1), other=(-2, 4, 4, 4, 4, 4, 4)), 0, "play 7")
    assert (state.sum, state.scores) == (15, (0, 0))
    assert act(state, 1, "play -2").scores == (0, 13)


def test_one_composite_and_then_operations() -> None:
    """Worked example 6: after a composite only operations are legal."""
    state = act(at([1], (*FILL, 26), other=(4, 8, -2, 10, 20, 25, 25)), 0, "play 26")
    assert (state.sum, state.scores) == (27, (0, 0))
    assert game_of().legal_actions(state, 1) == ("play -2", "play 1")  # it has drawn the 1
    state = act(state, 1, "play -2")
    assert (state.sum, state.scores) == (25, (0, 0))
    assert act(state, 0, "play -2").scores == (23, 0)


def test_discard_leaves_the_table() -> None:
    """Worked example 7: without a card of the needed kind any card is thrown away."""
    game = game_of()
    state = at([8], (4, 4, 8, 10, 10, 20, 25, 26))
    assert game.legal_actions(state, 0) == tuple(f"discard {card}" for card in (4, 8, 10, 20, 25, 26))
    after = act(state, 0, "discard 26")
    assert (after.table, after.discards, len(after.hands[0])) == ((8,), (26,), 7)
    assert game.turn(after) == SeatTurn((1,))


def test_hand_sizes_through_a_win() -> None:
    """Worked example 8: 8 after the draw, 7, 6 after the lead, 7 again."""
    state = at([10], (*FILL, 1))
    assert len(state.hands[0]) == 8
    state = act(state, 0, "play 1")
    assert (len(state.hands[0]), state.phase) == (7, "lead")
    state = act(state, 0, "lead -2")
    assert (len(state.hands[0]), state.table, state.players) == (7, (-2,), (0,))
    assert (state.turn, state.needs, state.scores) == (1, "composite", (11, 0))


def test_target_ends_the_game_at_once() -> None:
    """Worked example 9: no lead follows the winning trick, and an ordinary play ends nothing."""
    near = {"scores": (95, 40)}
    assert act(at([8], (*FILL, 1), **near), 0, "play -2").scores == (95, 40)
    over = game_of().turn(act(at([4], (*FILL, 1), **near), 0, "play 7"))
    assert over == GameOver((106, 40), (1, 2))


def spread(cards: Counter[int]) -> dict[str, Any]:
    """Return discards and won piles that hold these cards."""
    pile = tuple(cards.elements())
    return {"discards": pile[:2], "won": (pile[2:20], pile[20:]), "library": ()}


def test_recycle_before_a_draw() -> None:
    """Worked example 10: table, discards and won piles become the library and a new starter."""
    game = game_of()
    hands = ((-2, -2, 1, 1, 4, 4, 7), (1, 1, 4, 7, 7, 8, 10))
    outside = Counter(DECK) - Counter([*hands[0], *hands[1], 8, 1])
    state = at([8], hands[0], hands[1])._replace(hands=(hands[0], (*hands[1], 1)), turn=1, **spread(outside))
    due = act(state, 1, "play 1")
    assert (due.phase, due.table, len(due.hands[0])) == ("recycle", (8, 1), 7)
    step = game.sample_chance(due, LastOfAll())
    assert len(step.outcome.split()) == 1 + 46
    after = game.apply(due, step)
    assert (len(after.library), len(after.hands[0]), len(after.table)) == (44, 8, 1)
    assert (after.discards, after.won, after.recycles, after.players) == ((), ((), ()), 1, (-1,))
    assert game.turn(after) == SeatTurn((0,))


def test_recycle_on_a_lead() -> None:
    """Worked example 11: the card just led is collected too, and the winner's turn ends with a full hand."""
    game = game_of()
    hands = ((-2, -2, 1, 1, 4, 7, 25), (1, 1, 4, 7, 7, 8, 10))
    outside = Counter(DECK) - Counter([*hands[0], *hands[1]])
    state = at((), hands[0], hands[1])._replace(phase="lead", **spread(outside))
    due = act(state, 0, "lead 25")
    assert (due.phase, due.turn) == ("recycle", 0)
    step = game.sample_chance(due, LastOfAll())
    assert "25" in step.outcome.split()
    assert len(step.outcome.split()) == 1 + 47
    after = game.apply(due, step)
    assert (after.turn, len(after.hands[0]), len(after.hands[1]), len(after.library)) == (1, 7, 8, 44)
    assert after.table == (-2,)


class LastOfAll:
    """A stub stream: shuffles change nothing, and draws take the last."""

    def below(self, k: int) -> int:
        return k - 1


def play_out(game: PrimeCards, choice: int) -> tuple[GameOver, list[int], State, int]:
    """Play the examples' deck with first (0) or last (-1) actions: result, primes won, last state, decisions."""
    state = game.apply(game.initial(), Chance("shuffle " + " ".join(map(str, EXAMPLE_DECK))))
    primes, asked = [], 0
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, SeatTurn):
            legal = game.legal_actions(state, turn.seats[0])
            asked += len(legal) > 1
            after = game.apply(state, Moves(((turn.seats[0], legal[choice]),)))
            primes += [sum(after.scores) - sum(state.scores)] if after.scores != state.scores else []
        else:
            after = game.apply(state, game.sample_chance(state, LastOfAll()))
        state = after
    return turn, primes, state, asked


def test_full_game_of_first_actions() -> None:
    """Worked example 12: a whole game with a recycle, down to every prime."""
    game = game_of()
    dealt = game.apply(game.initial(), Chance("shuffle " + " ".join(map(str, EXAMPLE_DECK))))
    assert dealt.hands[1] == (-2, -2, 1, 4, 4, 8, 25)
    assert dealt.table == (7,)
    assert dealt.hands[0] == tuple(sorted([-2, -2, 1, 1, 4, 7, 7, EXAMPLE_DECK[15]]))
    over, primes, state, asked = play_out(game, 0)
    assert primes == [11, 2, 2, 5, 5, 5, 11, 5, 5, 13, 11, 5, 23, 11, 2, 2, 23, 2, 5, 11, 29]
    assert (over.scores, state.turn + 1, state.recycles, asked) == ((112, 76), 51, 1, 61)


@pytest.mark.parametrize(
    ("seats", "scores", "turns", "recycles", "primes", "ranks"),
    [
        (2, (118, 93), 29, 0, [11, 41, 47, 11, 23, 11, 31, 5, 31], (1, 2)),
        (3, (11, 130, 5), 20, 0, [11, 47, 29, 17, 5, 37], (2, 1, 3)),
        (4, (101, 5, 11, 84), 25, 1, None, (1, 4, 3, 2)),
    ],
)
def test_full_games_of_last_actions(
    seats: int, scores: tuple[int, ...], turns: int, recycles: int, primes: list[int] | None, ranks: tuple[int, ...]
) -> None:
    """Worked example 13: whole games with 2, 3 and 4 seats."""
    over, won, state, asked = play_out(game_of(seats), -1)
    assert (over.scores, over.ranks, state.turn + 1, state.recycles) == (scores, ranks, turns, recycles)
    assert primes is None or won == primes
    assert seats != 2 or asked == 29


LEADING = at((), FILL)._replace(phase="lead")


@pytest.mark.parametrize(
    ("state", "seat", "action", "code"),
    [
        (at([8], (*FILL, 1)), 0, "play 4", "kind_not_allowed"),
        (at([7], (*FILL, 1)), 0, "play 1", "kind_not_allowed"),
        (at([8], (*FILL, 1)), 0, "discard 4", "must_play"),
        (LEADING, 0, "play 4", "wrong_phase"),
        (LEADING, 0, "discard 4", "wrong_phase"),
        (at([8], (*FILL, 1)), 0, "lead 4", "wrong_phase"),
        (at([7], (*FILL, 1)), 0, "play 26", "card_not_in_hand"),
        (at([7], (*FILL, 1)), 1, "play 4", "not_your_turn"),
        (at([7], (*FILL, 1)), 0, "play 3", "malformed_action"),
        (at([7], (*FILL, 1)), 0, "play '4'", "malformed_action"),
        (at([7], (*FILL, 1)), 0, "play", "malformed_action"),
        (at([7], (*FILL, 1)), 0, "play 4 4", "malformed_action"),
        (at([7], (*FILL, 1)), 0, "pass", "malformed_action"),
        (at([7], (*FILL, 1)), 0, "play +7", "malformed_action"),
        (at([7], (*FILL, 1)), 1, "play 3", "malformed_action"),
        (at([8], (*FILL, 1)), 1, "lead 26", "not_your_turn"),
        (at([8], (*FILL, 1)), 0, "lead 26", "wrong_phase"),
        (at([8], (*FILL, 1)), 0, "discard 26", "card_not_in_hand"),
        (at([8], (4, 4, 8, 10, 20, 25, 26, 26)), 0, "play 4", "kind_not_allowed"),
        (at((), FILL)._replace(phase="over"), 1, "play 4", "game_over"),
        (at((), FILL)._replace(phase="recycle"), 0, "play 4", "not_your_turn"),
    ],
)
def test_refusals(state: State, seat: int, action: str, code: str) -> None:
    """Every row of the rule file's table, and the order of its checks."""
    game = game_of()
    with pytest.raises(IllegalAction) as refusal:
        game.check(state, seat, action)
    assert (refusal.value.code, refusal.value.seat) == (code, seat)
    with pytest.raises(IllegalAction):
        game.apply(state, Moves(((seat, action),)))


def test_last_lead_needs_no_recycle() -> None:
    """At the cap of turns no shuffle stands behind the last decision."""
    state = at((), FILL)._replace(phase="lead", turn=19, hands=((4,) * 7, FILL), library=())
    over = game_of(max_rounds=10).turn(act(state, 1, "lead 4", max_rounds=10))
    assert over == GameOver((0, 0), (1, 1))


@pytest.mark.parametrize("outcome", ["shuffle 1 2 3", "draw 1", "shuffle " + " ".join(map(str, DECK[1:]))])
def test_damaged_shuffle_is_no_state(outcome: str) -> None:
    """A record whose shuffle is not of the deck is damaged; nor is a shuffle welcome where none is due."""
    game = game_of()
    for state in (game.initial(), at([8], FILL)):
        with pytest.raises(ValueError, match="chance outcome"):
            game.apply(state, Chance(outcome))


@pytest.mark.parametrize(("seats", "options"), OPTION_SETS)
def test_kit(seats: int, options: dict[str, Any]) -> None:
    """Secrecy, purity, replay and refusals of every option set."""
    check_game(create("prime_cards", seats, **options), games=2)


@pytest.mark.parametrize(("seats", "options"), OPTION_SETS)
def test_invariants(seats: int, options: dict[str, Any]) -> None:
    """The rule file's invariants 1-9 hold in random play."""
    for number in range(5):
        taken = [(moment, step) for moment, step in moments(game_of(seats, **options), number, 7)]
        for moment, _ in taken[1:]:
            check_state(moment)
        for (before, step), (after, _) in pairwise(taken):
            check_step(before.state, step, after.state)


def check_state(moment: Moment) -> None:
    state, game = moment.state, moment.game
    acting, size = state.turn % game.seats, game.spec.options["hand_size"]
    piles = [*state.hands, state.table, state.library, state.discards, *state.won]
    assert sorted(card for pile in piles for card in pile) == list(DECK)
    for seat, hand in enumerate(state.hands):
        owes = state.phase == "recycle" and seat == acting and state.players == (seat,)
        assert len(hand) == size + (seat == acting and state.phase == "play") - owes or state.phase == "over"
    kinds = [card in COMPOSITES for card in state.table]
    assert sum(kinds) <= 1
    assert not state.table or any(kinds[:2]) or kinds == [False]
    assert bool(state.table) or state.phase in ("lead", "over")
    assert state.sum == sum(state.table)
    assert state.needs == ("operation" if any(kinds) else "composite")
    if any(kinds):
        assert state.sum >= 4
        assert not is_prime(state.sum)
    if state.phase == "play":
        wanted = OPERATIONS if any(kinds) else COMPOSITES
        verb = "play" if wanted & set(state.hands[acting]) else "discard"
        assert {action.split()[0] for action in game.legal_actions(state, acting)} == {verb}
        assert moment.acting() == (state.turn % game.seats,)
    if state.recycles == 0:
        assert state.scores == tuple(map(sum, state.won))


def check_step(before: State, step: Any, after: State) -> None:
    for old, new in zip(before.scores, after.scores, strict=True):
        gain = new - old
        assert gain == 0 or (is_prime(gain) and gain <= 113 and gain == before.sum + int(step.by_seat[0][1][5:]))
    if after.recycles > before.recycles:
        assert isinstance(step, Chance)
        assert len(after.table) == 1
        assert after.discards == ()
        assert not any(after.won)


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, number))


def test_view_counts_what_is_unseen() -> None:
    """A view's counts add up: own hand, table, piles and the unseen are the 60 cards; drawn is shown to its seat."""
    game = game_of(3)
    for moment, _ in [*moments(game, 1, 1)][1:]:
        for seat in (0, 1, 2, None):
            view = game.view(moment.state, seat)
            piles = [view.discards, *view.won, view.unseen]
            piles += [tuple(cards.count(value) for value in VALUES) for cards in (view.hand, view.table)]
            assert tuple(map(sum, zip(*piles, strict=True))) == tuple(DECK.count(value) for value in VALUES)
            assert (view.drawn is not None) == (seat in moment.acting())


def test_render_shows_chosen_hands_alone() -> None:
    """A person sees the trick, and only the hands asked for."""
    state = at([8], (*FILL, 26), scores=(12, 0))
    assert game_of().render(state, (0,)).splitlines() == [
        "turn 1: table 8, sum 8, takes an operation; 4 cards in the library",
        "> seat 0  points  12  hand -2 1 4 7 8 10 25 26",
        "  seat 1  points   0  hand 7",
    ]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("seats", "asked", "first", "turns"), [(2, 31, 52.7, 27), (3, 40, 34.2, 33), (4, 52, 26.7, 42)]
)
def test_random_play_matches_the_rule_file(seats: int, asked: float, first: float, turns: float) -> None:
    """10,000 random games end within the bound, with the decisions and first-seat share of the rule file."""
    game, stream, games = game_of(seats), Stream(bytes(32)), 10_000
    decisions = wins = finished = 0
    for _ in range(games):
        state, steps = game.initial(), 0
        while not isinstance(turn := game.turn(state), GameOver):
            if isinstance(turn, SeatTurn):
                legal = game.legal_actions(state, turn.seats[0])
                decisions += len(legal) > 1
                state = game.apply(state, Moves(((turn.seats[0], legal[stream.below(len(legal))]),)))
            else:
                state = game.apply(state, game.sample_chance(state, stream))
            steps += 1
        assert steps <= game.spec.steps_max
        wins += turn.ranks[0] == 1
        finished += state.turn + 1
    assert decisions / games == pytest.approx(asked, abs=0.7)
    assert finished / games == pytest.approx(turns, abs=0.7)
    assert 100 * wins / games == pytest.approx(first, abs=2.1)
