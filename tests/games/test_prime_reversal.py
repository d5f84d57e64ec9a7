"""Prime Reversal: the rule file's worked examples, refusals and invariants, value for value."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from arena.games import Chance, ChanceTurn, GameOver, IllegalAction, Moves, SeatTurn, create
from arena.games.prime_reversal import CARDS, PRIMES, PrimeReversal, State
from arena.seeds import Stream
from arena.testing import check_game
from arena.testing.playout import Moment, moments

RULESETS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (2, {"npc_pick": "highest"}),
    (2, {"npc_pick": "random"}),
    (3, {}),
    (4, {}),
]


def game_of(seats: int, **options: Any) -> PrimeReversal:
    game = create("prime_reversal", seats, **options)
    assert isinstance(game, PrimeReversal)
    return game


def before_trick(game: PrimeReversal, leader: int, cards: dict[int, int], trick_no: int = 1) -> State:
    """Return a state before a trick in which each seat holds the card that it will play and a second one."""
    spare = iter(card for card in (12, 14, 15, 16, 18) if card not in cards.values())
    pairs = [(cards[seat], next(spare)) for seat in range(game.players)]
    hands = tuple(pair if seat == game.npc_seat else tuple(sorted(pair)) for seat, pair in enumerate(pairs))
    return game.initial()._replace(phase="play", hands=hands, leader=leader, trick_no=trick_no)


def act(game: PrimeReversal, state: State, *moves: tuple[int, str]) -> State:
    for seat, action in moves:
        assert game.turn(state) == SeatTurn((seat,))
        state = game.apply(state, Moves(((seat, action),)))
    return state


def points(state: State) -> list[int]:
    return [len(cards) for cards in state.face_up[0]]


Plays = list[tuple[int, int]]


@pytest.mark.parametrize(
    ("plays", "winner", "lowest", "order", "left"),
    [
        ([(0, 40), (1, 37), (2, 36), (3, 11)], 1, 11, (3, 2, 0), (36, 37, 40)),
        ([(2, 40), (3, 24), (0, 36), (1, 12)], 2, 12, (1, 3, 0), (24, 36, 40)),
        ([(1, 40), (2, 31), (0, 24)], 2, 24, (0, 1), (31, 40)),
        ([(0, 11), (1, 13), (2, 41), (3, 29)], 2, 11, (0, 1, 3), (13, 29, 41)),
        ([(3, 39), (0, 11), (1, 40), (2, 38)], 0, 11, (2, 3, 1), (38, 39, 40)),
        ([(0, 20), (1, 19), (2, 23)], 2, 19, (1, 0), (20, 23)),
    ],
)
def test_winner_take_and_order(
    plays: Plays, winner: int, lowest: int, order: tuple[int, ...], left: tuple[int, ...]
) -> None:
    """Worked examples 1-6: who wins, what the winner must take, and in which order the losers pick."""
    game = game_of(len(plays))
    state = act(game, before_trick(game, plays[0][0], dict(plays)), *((seat, f"play {card}") for seat, card in plays))
    assert game.legal_actions(state, winner) == (f"pick {lowest}",)
    state = act(game, state, (winner, f"pick {lowest}"))
    assert (state.pickers, state.remaining) == (order, left)
    assert points(state) == [int(seat == winner) for seat in range(len(plays))]
    assert game.legal_actions(state, order[0]) == tuple(f"pick {card}" for card in left)
    for seat in order:
        state = act(game, state, (seat, game.legal_actions(state, seat)[0]))
    assert (state.leader, state.trick_no, state.trick) == (winner, 2, ())


def after_picks(plays: Plays, *picks: tuple[int, int]) -> State:
    game = game_of(len(plays))
    state = act(game, before_trick(game, plays[0][0], dict(plays)), *((seat, f"play {card}") for seat, card in plays))
    return act(game, state, *((seat, f"pick {card}") for seat, card in picks))


def test_points_of_a_trick() -> None:
    """Worked examples 1, 3, 4, 5 and 6: a prime counts for whoever takes it, a white card for the winner alone."""
    faq = after_picks([(0, 40), (1, 37), (2, 36), (3, 11)], (1, 11), (3, 37), (2, 40), (0, 36))
    assert points(faq) == [0, 1, 0, 1]
    assert faq.taken[0] == ((36,), (11,), (40,), (37,))
    assert points(after_picks([(1, 40), (2, 31), (0, 24)], (2, 24), (0, 31), (1, 40))) == [1, 0, 1]
    primes = after_picks([(0, 11), (1, 13), (2, 41), (3, 29)], (2, 11), (0, 29), (1, 13), (3, 41))
    assert points(primes) == [1, 1, 1, 1]
    assert points(after_picks([(3, 39), (0, 11), (1, 40), (2, 38)], (0, 11), (2, 38), (3, 39), (1, 40))) == [1, 0, 0, 0]
    assert points(after_picks([(0, 20), (1, 19), (2, 23)], (2, 19), (1, 20), (0, 23))) == [1, 0, 1]


def test_round_score_counts_face_up_cards() -> None:
    """Worked example 7: 11, 16 and 24 face up, 38 and 22 face down are three points, primes or not."""
    state = (
        game_of(3)
        .initial()
        ._replace(
            phase="play",
            taken=(((11, 16, 24, 38, 22), (), ()), ((), (), ())),
            face_up=(((11, 16, 24), (), ()), ((), (), ())),
            hands=((12,), (13,), (14,)),
        )
    )
    view = game_of(3).view(state, None)
    assert view.points == ((3, 0), (0, 0), (0, 0))
    assert (view.taken_round_1[0], view.face_up_round_1[0]) == ((11, 16, 24, 38, 22), (11, 16, 24))


def before_last_pick(game: PrimeReversal, face_up: tuple[tuple[int, ...], ...], trick: tuple[int, ...]) -> State:
    """Return the state before the last, forced pick of round 1, seat 0's, with these points before it."""
    return game.initial()._replace(
        phase="pick",
        trick_no=game.hand_size,
        trick=trick,
        remaining=(40,),
        pickers=(0,),
        hands=((),) * game.players,
        taken=(face_up, ((),) * game.players),
        face_up=(face_up, ((),) * game.players),
    )


def test_tie_for_the_lead_is_drawn() -> None:
    """Worked example 8: below(2) = 1 among the tied seats 1 and 2 gives the lead to seat 2."""
    game = game_of(4)
    face_up = ((10, 11, 12, 13), (14, 15, 16, 17, 18, 19), (20, 21, 22, 23, 24, 25), (26, 27, 28))
    state = act(game, before_last_pick(game, face_up, (40, 30, 31, 32)), (0, "pick 40"))
    assert (points(state), game.turn(state)) == ([4, 6, 6, 3], ChanceTurn())
    assert game.sample_chance(state, LastOfAll()) == Chance("draw 1")
    after = game.apply(state, Chance("draw 1"))
    assert (after.round, after.trick_no, after.leader, game.turn(after)) == (2, 1, 2, SeatTurn((2,)))
    assert after.hands == ((10, 11, 12, 13, 40), *face_up[1:])
    for outcome in ("draw 2", "draw -1", "draw 01", "draw", "shuffle 1"):
        with pytest.raises(ValueError, match="draw"):
            game.apply(state, Chance(outcome))


def test_final_hand_breaks_ties() -> None:
    """Worked example 9: at 7 points each, the white 40 in the final hand beats the prime 37."""
    seven = tuple(range(10, 17))
    state = (
        game_of(4)
        .initial()
        ._replace(
            phase="over",
            face_up=(((),) * 4, (seven, seven, (), ())),
            taken=(((),) * 4, ((*seven, 37), (*seven, 40), (20,), (21,))),
        )
    )
    assert game_of(4).turn(state) == GameOver((7, 7, 0, 0), (2, 1, 4, 3))


@pytest.mark.parametrize(
    ("pick", "left", "choice"),
    [
        ("prime_then_high", (31, 40), 31),
        ("prime_then_high", (24, 40), 40),
        ("highest", (31, 40), 40),
    ],
)
def test_npc_picks(pick: str, left: tuple[int, ...], choice: int) -> None:
    """Worked example 10, and the policy ``highest``; another card of the trick is refused."""
    game = game_of(2, npc_pick=pick)
    state = game.initial()._replace(phase="pick", trick=(12, *left), remaining=left, pickers=(2, 0))
    assert game.legal_actions(state, 2) == (f"pick {choice}",)
    with pytest.raises(IllegalAction, match="card_not_available"):
        game.check(state, 2, f"pick {next(card for card in left if card != choice)}")


def test_random_npc_pick_is_a_chance_step() -> None:
    """A random pick is drawn, recorded and then forced; the last card of a trick needs no draw."""
    game = game_of(2, npc_pick="random")
    plays = {2: 20, 0: 36, 1: 37}
    state = act(game, before_trick(game, 2, plays), (2, "play 20"), (0, "play 36"), (1, "play 37"), (1, "pick 20"))
    assert game.turn(state) == ChanceTurn()
    drawn = game.apply(state, Chance("draw 1"))
    assert (game.legal_actions(drawn, 2), game.view(drawn, 0).drawn) == (("pick 37",), 37)
    after = act(game, drawn, (2, "pick 37"), (0, "pick 36"))
    assert (after.drawn, after.taken[0]) == (None, ((36,), (20,), (37,)))
    plays = {2: 36, 0: 20, 1: 37}
    last = act(game, before_trick(game, 2, plays), (2, "play 36"), (0, "play 20"), (1, "play 37"), (1, "pick 20"))
    last = act(game, last, (0, "pick 37"))
    assert game.turn(last) == SeatTurn((2,))


class LastOfAll:
    """A stub stream: shuffles change nothing, and draws take the last."""

    def below(self, k: int) -> int:
        return k - 1


@pytest.mark.parametrize(
    ("seats", "choice", "rounds", "totals", "highest", "order", "asked"),
    [
        (4, 0, [(2, 3), (3, 4), (3, 3), (6, 5)], (5, 7, 6, 11), [33, 39, 38, 41], [3, 1, 2, 0], 88),
        (4, -1, [(2, 5), (3, 2), (1, 2), (8, 4)], (7, 5, 3, 12), None, [3, 0, 1, 2], 88),
        (3, 0, [(2, 2), (4, 8), (8, 5)], (4, 12, 13), None, [2, 1, 0], 74),
        (2, -1, [(4, 9), (2, 2), (8, 5)], (13, 4, 13), [29, 38, 39], [2, 0, 1], 49),
    ],
)
def test_full_games(
    seats: int,
    choice: int,
    rounds: list[tuple[int, int]],
    totals: tuple[int, ...],
    highest: list[int] | None,
    order: list[int],
    asked: int,
) -> None:
    """Worked examples 11-13: whole games of first and last actions."""
    game = game_of(seats)
    state, decisions, first_trick = game.initial(), 0, []
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, SeatTurn):
            (seat,) = turn.seats
            legal = game.legal_actions(state, seat)
            decisions += len(legal) > 1
            first_trick.append((seat, legal[choice]))
            state = game.apply(state, Moves(((seat, legal[choice]),)))
        else:
            state = game.apply(state, game.sample_chance(state, LastOfAll()))
    view = game.view(state, None)
    assert (view.points, turn.scores, decisions) == (tuple(rounds), totals, asked)
    assert sorted(range(len(totals)), key=lambda seat: turn.ranks[seat]) == order
    assert highest is None or [max(cards) for cards in view.taken_round_2] == highest
    if (seats, choice) == (4, 0):
        expected = ["play 10", "play 18", "play 26", "play 34", "pick 10", "pick 18"]
        assert [action for _, action in first_trick[:6]] == expected
        assert [seat for seat, _ in first_trick[:6]] == [0, 1, 2, 3, 3, 0]


HELD = before_trick(game_of(4), 0, {0: 30, 1: 37, 2: 36, 3: 11})
PICKING = after_picks([(0, 40), (1, 37), (2, 36), (3, 11)], (1, 11))


@pytest.mark.parametrize(
    ("state", "seat", "action", "code"),
    [
        (HELD, 0, "play 31", "card_not_in_hand"),
        (PICKING, 3, "pick 11", "card_not_available"),
        (PICKING, 3, "play 12", "wrong_phase"),
        (HELD._replace(leader=1), 2, "play 36", "not_your_turn"),
        (HELD, 0, "play '12'", "malformed_action"),
        (HELD, 0, "play 9", "malformed_action"),
        (HELD, 0, "play 42", "malformed_action"),
        (HELD, 0, "play", "malformed_action"),
        (HELD, 0, "play 12 14", "malformed_action"),
        (HELD, 1, "play 9", "malformed_action"),
        (PICKING, 0, "play 40", "not_your_turn"),
        (HELD, 0, "pick 31", "wrong_phase"),
        (HELD._replace(phase="over"), 0, "play 12", "game_over"),
        (HELD._replace(phase="draw_lead"), 0, "play 12", "not_your_turn"),
    ],
)
def test_refusals(state: State, seat: int, action: str, code: str) -> None:
    """Every row of the rule file's table, and the order of its checks: malformed, turn, phase, card."""
    game = game_of(4)
    with pytest.raises(IllegalAction) as refusal:
        game.check(state, seat, action)
    assert (refusal.value.code, refusal.value.seat) == (code, seat)
    with pytest.raises(IllegalAction):
        game.apply(state, Moves(((seat, action),)))


def test_winner_must_take_the_lowest() -> None:
    """The forced take is a pick of the lowest card; the winner is refused any other."""
    game = game_of(4)
    plays = [(0, 40), (1, 37), (2, 36), (3, 11)]
    state = act(game, before_trick(game, 0, dict(plays)), *((seat, f"play {card}") for seat, card in plays))
    with pytest.raises(IllegalAction, match="card_not_available"):
        game.check(state, 1, "pick 37")


def test_chance_out_of_place() -> None:
    """A chance step where a seat must act marks a damaged record."""
    for outcome in ("draw 0", "shuffle 10 11"):
        with pytest.raises(ValueError, match="none is due"):
            game_of(4).apply(HELD, Chance(outcome))


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_kit(seats: int, options: dict[str, Any]) -> None:
    """Secrecy, purity, replay and refusals of every ruleset."""
    check_game(game_of(seats, **options), games=2)


@pytest.mark.parametrize(("seats", "options"), RULESETS)
def test_invariants(seats: int, options: dict[str, Any]) -> None:
    """The rule file's invariants 1-8 hold in random play."""
    for number in range(5):
        taken = [*moments(game_of(seats, **options), number, 3)]
        for moment, _ in taken[1:]:
            check_state(moment)
        states = [moment.state for moment, _ in taken]
        full = [state for state in states if len(state.pickers) == len(state.hands)]
        ends = [after for before, after in pairwise(states) if before.pickers and not after.pickers]
        assert len(full) == len(ends) == 2 * len(ends[-1].taken[1][0])
        for state, end in zip(full, ends, strict=True):
            check_trick(state, end)
        over = taken[-1][0].turn
        assert isinstance(over, GameOver)
        assert sorted(over.ranks) == list(range(1, len(over.ranks) + 1))


def check_state(moment: Moment) -> None:
    game, state = moment.game, moment.state
    held = [card for hand in state.hands for card in hand]
    gone = [card for cards in state.taken[state.round - 1] for card in cards]
    trick = state.remaining or (state.trick if state.phase == "play" else ())
    assert sorted([*held, *gone, *trick, *state.aside]) == list(CARDS)
    for cards, up in zip(state.taken, state.face_up, strict=True):
        for taken, shown in zip(cards, up, strict=True):
            assert {card for card in taken if card in PRIMES} <= set(shown) <= set(taken)
    for seat in moment.acting():
        assert seat < game.spec.entries
    if len(state.hands) == 4 and state.phase == "over":
        assert all(9 <= sum(map(len, up)) <= 17 for up in state.face_up)


def check_trick(full: State, after: State) -> None:
    """One card to each seat; points = 1 + primes, less one if the lowest is prime; a prime wins if one was played."""
    number, trick, players = full.round - 1, full.trick, len(full.trick)
    primes = PRIMES & set(trick)
    gained = sum(map(len, after.face_up[number])) - sum(map(len, full.face_up[number]))
    assert gained == 1 + len(primes) - (min(trick) in PRIMES)
    assert [len(cards) for cards in after.taken[number]] == [full.trick_no] * players
    winner = full.pickers[0]
    assert trick[(winner - full.leader) % players] == max(primes or trick)
    assert after.taken[number][winner][-1] == min(trick)
    assert after.phase != "play" or after.round != full.round or after.leader == winner


def test_second_round_is_played_with_what_was_taken() -> None:
    """Hands of round 2 are public sets, yet the order of the NPC's pile stays hidden."""
    game = game_of(2)
    for moment, _ in moments(game, 0, 0):
        view = game.view(moment.state, 0)
        if view.round == 2 and view.trick_no == 1 and not view.trick and view.phase == "play":
            assert view.known_hands == tuple(tuple(sorted(cards)) for cards in view.taken_round_1)
            assert moment.state.hands[2] != view.known_hands[2]
            assert game.redact(moment.state._replace(phase="shuffle_npc"), Chance("shuffle 1 2"), 0) == Chance(
                "shuffle ? ?"
            )
            return
    pytest.fail("no second round was seen")


def test_results_have_an_entry_for_the_npc() -> None:
    """Two bots have three scores and ranks; three and four bots one each."""
    assert [game_of(seats).spec.entries for seats in (2, 3, 4)] == [3, 3, 4]
    assert [game_of(seats).view(game_of(seats).initial(), None).npc_seat for seats in (2, 3, 4)] == [2, None, None]


def test_render_names_the_npc_and_hides_hands() -> None:
    """A person sees plays, what is left to take and face-down cards in brackets; hands of round 1 when asked for."""
    game = game_of(2)
    state = act(game, before_trick(game, 0, {0: 40, 1: 37, 2: 36}), (0, "play 40"), (1, "play 37"))
    state = act(
        game, state._replace(hands=(*state.hands[:2], (36, 12))), (2, "play 36"), (1, "pick 36"), (2, "pick 37")
    )
    assert game.render(state, (0,)).splitlines() == [
        "round 1, trick 1 of 10: 0:40  1:37  2:36  left to take 40",
        "> seat 0  points  0  hand 12  taken -",
        "  seat 1  points  1  hand 1  taken 36",
        "  NPC     points  1  hand 1  taken 37",
    ]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("seats", "options", "asked", "first", "npc"),
    [
        (2, {}, 49.8, 49.8, 64),
        (2, {"npc_pick": "highest"}, None, None, 38),
        (2, {"npc_pick": "random"}, None, None, 34),
        (3, {}, 74, 33.7, None),
        (4, {}, 88, 25.1, None),
    ],
)
def test_random_play_matches_the_rule_file(
    seats: int, options: dict[str, Any], asked: float | None, first: float | None, npc: float | None
) -> None:
    """10,000 random games: decisions, the first bot's share among the bots, and the NPC's share of first ranks."""
    game, stream, games = game_of(seats, **options), Stream(bytes(32)), 10_000
    decisions = wins = npc_wins = 0
    for _ in range(games):
        state = game.initial()
        while not isinstance(turn := game.turn(state), GameOver):
            if isinstance(turn, SeatTurn):
                legal = game.legal_actions(state, turn.seats[0])
                decisions += len(legal) > 1
                state = game.apply(state, Moves(((turn.seats[0], legal[stream.below(len(legal))]),)))
            else:
                state = game.apply(state, game.sample_chance(state, stream))
        wins += min(turn.ranks[:seats]) == turn.ranks[0]
        npc_wins += turn.ranks.index(1) == 2
    assert asked is None or decisions / games == pytest.approx(asked, abs=0.2)
    assert first is None or 100 * wins / games == pytest.approx(first, abs=2.1)
    assert npc is None or 100 * npc_wins / games == pytest.approx(npc, abs=2.1)
