"""Search picks what its imagined games favour, from its stream alone, and beats random play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from arena.games import Action, Chance, ChanceTurn, Game, GameOver, Moves, Seat, SeatTurn, Source, create, game_ids
from arena.games.base import Step, Turn, ranks_of
from arena.search import Dice, Knowledge, Line, by_margin, by_rank, flat_search, playout, random_policy, tree_search
from arena.search.knowledge import lead_values
from arena.seeds import Stream, derive

Search = Callable[..., tuple[Line, ...]]
Made = tuple[tuple[tuple[Seat, Action], ...], ...]
Courses = dict[tuple[Action, ...], tuple[int, int]]
SEARCHES = [flat_search, tree_search]


@dataclass(frozen=True)
class Nothing:
    """The options of a game without any."""


@dataclass(frozen=True, slots=True)
class Seen:
    """All moves so far: nothing is hidden."""

    made: Made


class Table(Game[Made, Seen]):
    """A game of two seats that is a table: who acts when, what they may do, and the scores of every course."""

    id: ClassVar[str] = "table"
    seat_counts: ClassVar[range] = range(2, 3)
    options_type: ClassVar[type[Any]] = Nothing

    def __init__(self, order: Sequence[tuple[Seat, ...]], scores: Mapping[tuple[Action, ...], tuple[int, int]]) -> None:
        super().__init__(2, Nothing())
        self.order, self.scores = order, scores
        self.spec = self._spec(len(order))

    def initial(self) -> Made:
        return ()

    def turn(self, state: Made) -> Turn:
        if len(state) < len(self.order):
            return SeatTurn(self.order[len(state)])
        scores = self.scores[self.words(state)]
        return GameOver(scores, ranks_of(scores))

    @staticmethod
    def words(state: Made) -> tuple[Action, ...]:
        return tuple(action for by_seat in state for _, action in by_seat)

    def legal_actions(self, state: Made, seat: Seat) -> tuple[Action, ...]:
        if len(state) == len(self.order) or seat not in self.order[len(state)]:
            return ()
        before = self.words(state)
        place = len(before) + self.order[len(state)].index(seat)
        fits = [course for course in self.scores if course[: len(before)] == before]
        return tuple(dict.fromkeys(course[place] for course in fits))

    def apply(self, state: Made, step: Step) -> Made:
        assert isinstance(step, Moves)
        return (*state, step.by_seat)

    def view(self, state: Made, seat: Seat | None) -> Seen:
        return Seen(state)

    def imagine(self, view: Seen, stream: Source) -> Made:
        return view.made

    def check(self, state: Made, seat: Seat, action: Action) -> Action:
        return action

    def redact(self, before: Made, step: Step, seat: Seat | None) -> Step:
        return step

    def reshuffle_unseen(self, state: Made, seat: Seat | None, stream: Source) -> Made:
        return state

    def sample_chance(self, state: Made, stream: Source) -> Chance:
        raise NotImplementedError

    def render(self, state: Made, shown: Sequence[Seat]) -> str:
        return " ".join(self.words(state))


TRAP = Table(
    ((0,), (1,)),
    {
        ("safe", "end"): (1, 1),
        ("risky", "help"): (2, 0),
        ("risky", "shrug"): (2, 0),
        ("risky", "refute"): (0, 2),
    },
)
DILEMMA = Table(
    ((0, 1),),
    {("keep", "keep"): (3, 3), ("keep", "break"): (0, 5), ("break", "keep"): (5, 0), ("break", "break"): (1, 1)},
)


def lines(search: Search, game: Game[Any, Any], seat: Seat = 0, key: int = 0, **given: Any) -> tuple[Line, ...]:
    return search(game, game.view(game.initial(), seat), seat, Stream(bytes([key] * 32)), **given)


def test_tree_expects_the_best_reply() -> None:
    """Random replies make the risky move look good; the tree learns that the other seat refutes it."""
    assert lines(flat_search, TRAP, iterations=300)[0].action == "risky"
    assert lines(tree_search, TRAP, iterations=300)[0].action == "safe"


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("seat", [0, 1])
def test_simultaneous_choice(search: Search, seat: Seat) -> None:
    """Seats that act at once choose by themselves: breaking pays whatever the other does."""
    best, worst = lines(search, DILEMMA, seat, iterations=200, knowledge=Knowledge(utility=by_margin(5)))
    assert (best.action, worst.action) == ("break", "keep")
    assert best.mean > worst.mean


def first_choice(game: Game[Any, Any]) -> tuple[Any, Seat]:
    """Return the first state in which a seat has a choice, and that seat."""
    state, dice = game.initial(), Dice(0)
    for _ in range(game.spec.steps_max):
        turn = game.turn(state)
        if isinstance(turn, SeatTurn):
            free = [seat for seat in turn.seats if len(game.legal_actions(state, seat)) > 1]
            if free:
                return state, free[-1]
            state = game.apply(state, Moves(tuple((seat, game.legal_actions(state, seat)[0]) for seat in turn.seats)))
        else:
            state = game.apply(state, game.sample_chance(state, dice))
    raise AssertionError("nobody had a choice")


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", game_ids())
def test_same_stream_same_answer(search: Search, name: str) -> None:
    """In every game, play is reproducible from the stream, and nothing but the stream decides what is drawn."""
    game = create(name, 3)
    state, seat = first_choice(game)
    view = game.view(state, seat)
    first, again, other = (search(game, view, seat, Stream(bytes([key] * 32)), iterations=24) for key in (1, 1, 2))
    assert first == again
    assert first != other
    assert {line.action for line in first} == set(game.legal_actions(state, seat))


@pytest.mark.parametrize("search", SEARCHES)
def test_only_a_seat_to_act_is_searched(search: Search) -> None:
    """A search for a seat that is not asked is a mistake of the caller; a forced action needs no games."""
    with pytest.raises(ValueError, match="seat 1 is not to act"):
        lines(search, TRAP, 1)
    forced = Table(((0,),), {("only",): (1, 0)})
    assert lines(search, forced) == (Line("only", 0, 0.0),)


def test_flat_search_spends_its_budget_on_what_is_close() -> None:
    """Every action is tried, the weaker half is dropped at each turn, and the budget is kept."""
    courses: Courses = {(f"a{number}",): (number, 4) for number in range(8)}
    found = lines(flat_search, Table(((0,),), courses), iterations=48, knowledge=Knowledge(utility=by_margin(8)))
    assert [line.action for line in found[:4]] == ["a7", "a6", "a5", "a4"]
    assert [line.visits for line in found] == [14, 14, 6, 6, 2, 2, 2, 2]
    assert sum(line.visits for line in found) == 48
    assert found[0].mean == pytest.approx(0.5 + 3 / 16)


def test_flat_search_compares_in_equal_conditions() -> None:
    """Two actions of the same worth get the same mean: they meet the same deals and the same dice."""
    courses: Courses = {
        (mine, reply): (score, 0) for mine in ("x", "y") for reply, score in (("lo", 0), ("mid", 1), ("hi", 2))
    }
    first, second = lines(flat_search, Table(((0,), (1,)), courses), knowledge=Knowledge(utility=by_margin(2)))
    assert first.mean == second.mean
    assert 0.5 < first.mean < 1


@pytest.mark.parametrize("search", SEARCHES)
def test_candidates_limit_the_search(search: Search) -> None:
    """A bot may search a short list of many legal actions."""
    known = Knowledge(candidates=lambda game, state, seat: game.legal_actions(state, seat)[:1])
    assert [line.action for line in lines(search, DILEMMA, knowledge=known)] == ["keep"]


def test_horizon_stops_a_playout_for_judgement() -> None:
    """After the horizon's decisions, forced ones included, the evaluation judges instead of the result."""
    game = create("no_thanks", 3)
    state = game.apply(game.initial(), game.sample_chance(game.initial(), Stream(bytes(32))))
    seen: list[int] = []

    def evaluate(game: Game[Any, Any], state: Any) -> tuple[float, ...]:
        seen.append(state.pot)
        return (0.1, 0.2, 0.3)

    def always_pass(game: Game[Any, Any], state: Any, seat: Seat, source: Source) -> Action:
        return "pass"

    for horizon in (0, 4):
        known = Knowledge(policy=always_pass, horizon=horizon, evaluate=evaluate)
        assert playout(game, state, known, Dice(1)) == (0.1, 0.2, 0.3)
    assert seen == [0, 4]


@pytest.mark.parametrize("given", [{"horizon": 3}, {"horizon": -1, "evaluate": lambda game, state: ()}])
def test_horizon_needs_an_evaluation(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="horizon"):
        Knowledge(**given)


def test_rank_utility() -> None:
    """The share of the other bots beaten, half for a shared rank; a seat that the rules play does not count."""
    three = create("no_thanks", 3)
    assert by_rank(three, GameOver((3, 2, 1), (1, 2, 3))) == (1.0, 0.5, 0.0)
    assert by_rank(three, GameOver((3, 3, 1), (1, 1, 3))) == (0.75, 0.75, 0.0)
    assert by_rank(create("prime_reversal", 2), GameOver((5, 4, 9), (2, 3, 1))) == (1.0, 0.0)


def test_margin_utility() -> None:
    """A lead of the scale over the others' mean is worth 1, none 1/2, and more than that no more."""
    assert lead_values((10, 0, 0), 20) == (0.75, 0.375, 0.375)
    assert lead_values((100, 0), 20) == (1.0, 0.0)
    assert by_margin(8)(create("prime_reversal", 2), GameOver((6, 2, 14), (2, 3, 1))) == (0.75, 0.25)


def test_dice_are_uniform_enough() -> None:
    """Quick dice reach every number about equally often, and repeat from their seed."""
    dice = Dice.of(Stream(bytes(32)))
    counts = [0] * 6
    for _ in range(6000):
        counts[dice.below(6)] += 1
    assert all(850 < count < 1150 for count in counts)
    one, two = Dice(7), Dice(7)
    assert [one.below(50) for _ in range(20)] == [two.below(50) for _ in range(20)]


def share_won(game: Game[Any, Any], choose: Callable[[Any, Seat, Stream], Action], games: int) -> float:
    """Return the share of random opponents that a chooser beats; every deal is played from every seat in turn."""
    won = 0.0
    for number in range(games):
        key = derive(bytes(32), game.spec.ruleset, number // game.seats)
        mine, random, state, steps = number % game.seats, Dice(number), game.initial(), 0
        while not isinstance(turn := game.turn(state), GameOver):
            steps += 1
            stream = Stream(derive(key, steps))
            if isinstance(turn, ChanceTurn):
                state = game.apply(state, game.sample_chance(state, stream))
                continue
            (seat,) = turn.seats
            searches = seat == mine and len(game.legal_actions(state, seat)) > 1
            action = (
                choose(game.view(state, seat), seat, stream) if searches else random_policy(game, state, seat, random)
            )
            state = game.apply(state, Moves(((seat, action),)))
        won += by_rank(game, turn)[mine]
    return won / games


def chooser(search: Search, game: Game[Any, Any], known: Knowledge) -> Callable[[Any, Seat, Stream], Action]:
    """Return a player that searches 24 imagined games a decision."""

    def choose(view: Any, seat: Seat, stream: Stream) -> Action:
        return search(game, view, seat, stream, iterations=24, knowledge=known)[0].action

    return choose


def scores_now(game: Game[Any, Any], state: Any) -> tuple[float, ...]:
    return lead_values(state.scores, 60)


def points_now(game: Game[Any, Any], state: Any) -> tuple[float, ...]:
    points = [sum(map(len, piles)) for piles in zip(*state.face_up, strict=True)]
    return lead_values(points[: game.seats], 6)


CASES: list[tuple[str, int, dict[str, Any], Knowledge]] = [
    ("no_thanks", 3, {"rounds": 1}, Knowledge(utility=by_margin(40))),
    ("prime_cards", 2, {}, Knowledge(utility=by_margin(60), horizon=6, evaluate=scores_now)),
    ("prime_reversal", 2, {}, Knowledge(utility=by_margin(6), horizon=8, evaluate=points_now)),
]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("name", "seats", "options", "known"), CASES, ids=[case[0] for case in CASES])
def test_beats_random_play(search: Search, name: str, seats: int, options: dict[str, Any], known: Knowledge) -> None:
    """24 imagined games a decision beat most random opponents: 1/2 would be no better than they are."""
    game = create(name, seats, **options)

    assert share_won(game, chooser(search, game, known), 18) >= 0.7


@pytest.mark.soak
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("name", "seats", "options", "known"), CASES, ids=[case[0] for case in CASES])
def test_beats_random_play_at_length(
    search: Search, name: str, seats: int, options: dict[str, Any], known: Knowledge
) -> None:
    """The same over 240 games, where chance is small."""
    game = create(name, seats, **options)
    assert share_won(game, chooser(search, game, known), 240) >= 0.75
