"""The plan: identities of games, the cut into sittings, and resuming, against a model that lists everything."""

from __future__ import annotations

import hashlib
import pickle
import tracemalloc
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.records.codec import canonical_json
from arena.schedules.line_ups import Entrant, Field
from arena.schedules.plan import ID_LENGTH, Plan, PlannedGame, RulesetPlan, Sitting, chunks, game_id, remaining
from arena.schedules.seatings import seatings

ENTRANTS = tuple(map(Entrant, ("dora", "carl", "bea", "anna")))


def ruleset_plan(deals: int, name: str = "rules", seats: int = 3, number: int = 0) -> RulesetPlan:
    return RulesetPlan(name, Field(ENTRANTS, seats, number=number), seatings("balanced", seats), deals)


def nothing_stored(ids: object) -> frozenset[str]:
    return frozenset()


def planned(plan: Plan) -> list[PlannedGame]:
    return [game for sitting in plan.sittings() for game in sitting.games()]


def test_game_id_golden() -> None:
    """Ids are part of every stored league: they may never change."""
    line_up = (Entrant("anna"), Entrant("béa", 2))
    text = '["rules",[["anna",1],["béa",2]],[1,0],7]\n'.encode()
    assert canonical_json(["rules", line_up, (1, 0), 7]) == text
    assert game_id("rules", line_up, (1, 0), 7) == hashlib.sha256(text).hexdigest()[:ID_LENGTH]
    assert game_id("rules", line_up, (1, 0), 7) == "5d7f426d8719c7817c69"


def test_every_game_once() -> None:
    """Every line-up plays every deal in every seating, in either ruleset, and no id repeats."""
    plan = Plan((ruleset_plan(45), ruleset_plan(7, "other", 2)))
    games = planned(plan)
    assert len(games) == plan.games == 4 * 6 * 45 + 6 * 2 * 7
    assert plan.blocks == 4 * 45 + 6 * 7
    assert len({game.game_id for game in games}) == len(games)
    assert len({(game.ruleset, game.seated, game.deal) for game in games}) == len(games)
    assert all(
        game.game_id == game_id(game.ruleset, game.line_up, game.seating, game.deal) and game.deal < 45
        for game in games
    )


def test_playing_order() -> None:
    """Chunk of deals, then ruleset, line-up, seating: complete blocks of every line-up come early."""
    plan = Plan((ruleset_plan(45), ruleset_plan(7, "other", 2)))
    order = [(sitting.chunk, sitting.game, sitting.line_up, sitting.seating_index) for sitting in plan.sittings()]
    assert order == sorted(order)
    first = list(islice(plan.sittings(), 24))
    assert {(sitting.line_up, sitting.seating) for sitting in first} == {
        (line_up, seating) for line_up in Field(ENTRANTS, 3).line_ups() for seating in seatings("balanced", 3)
    }
    assert all(list(sitting.deals) == list(range(20)) for sitting in first)
    assert len(list(plan.sittings())) == sum(part.sittings for part in plan.rulesets) == 24 * 2 + 12


def test_seated() -> None:
    """``seating[s]`` is who of the sorted line-up sits on seat s."""
    line_up = (Entrant("anna"), Entrant("bea"), Entrant("carl"))
    sitting = Sitting("rules", 0, line_up, 3, (2, 0, 1), 0, range(1))
    assert [bot.name for bot in sitting.seated] == ["carl", "anna", "bea"]
    assert [game.seated for game in sitting.games()] == [sitting.seated]
    assert pickle.loads(pickle.dumps(sitting)) == sitting


@given(st.integers(0, 5000))
def test_chunks(deals: int) -> None:
    """The deals are cut without gap or repeat; the first cut is short, the later ones equal and at most 500."""
    cuts = chunks(deals)
    assert [deal for cut in cuts for deal in cut] == list(range(deals))
    assert all(len(cut) <= (500 if number else 20) for number, cut in enumerate(cuts))
    assert len({len(cut) for cut in cuts[1:]}) <= 2
    assert all(cuts)


def test_how_deals_are_cut_is_no_identity() -> None:
    """More deals keep the ids of those there were: a league can be extended."""
    few, many = ({game.game_id for game in planned(Plan((ruleset_plan(deals),)))} for deals in (30, 700))
    assert few < many


def test_start_up_share() -> None:
    """As designed: 0.26 s for the bots of a sitting, 1.7 ms a game."""
    plan = Plan((ruleset_plan(300),))
    share = plan.start_up_share(0.26, [0.0017])
    assert share == pytest.approx(0.26 * 48 / (0.26 * 48 + 7200 * 0.0017))
    assert Plan(()).start_up_share(0.26, []) == 0


def test_ten_million_games_cost_no_memory() -> None:
    """The plan of a huge league is never held; neither is that of its resume."""
    entrants = tuple(Entrant(f"bot {number:04}") for number in range(700))
    plan = Plan((RulesetPlan("rules", Field(entrants, 3), seatings("balanced", 3), 1000),))
    assert plan.games > 3e11
    tracemalloc.start()
    for sitting in islice(remaining(plan.sittings(), nothing_stored), 10_000):
        assert len(sitting.deals) == 20
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.soak
def test_ten_million_ids() -> None:
    """All ids of twenty million games are made in seconds, with no repeat among the first million."""
    entrants = tuple(Entrant(f"bot {number:04}") for number in range(60))
    plan = Plan((RulesetPlan("rules", Field(entrants, 3), seatings("balanced", 3), 100),))
    seen: set[str] = set()
    count = 0
    for sitting in plan.sittings():
        ids = sitting.game_ids()
        count += len(ids)
        if len(seen) < 1_000_000:
            assert seen.isdisjoint(ids)
            seen.update(ids)
    assert count == plan.games == 20_532_000


class Resuming(RuleBasedStateMachine):
    """A league that is stopped anywhere, resumed, extended by deals and reordered, always plays what is missing."""

    @initialize(deals=st.integers(1, 40), seats=st.integers(2, 3), number=st.integers(0, 4))
    def start(self, deals: int, seats: int, number: int) -> None:
        self.deals, self.seats, self.number = deals, seats, number
        self.entrants = list(ENTRANTS)
        self.stored: set[str] = set()
        self.queue: list[Sitting] = []

    def plan(self) -> Plan:
        field = Field(tuple(self.entrants), self.seats, number=self.number)
        return Plan((RulesetPlan("rules", field, seatings("balanced", self.seats), self.deals),))

    def found(self, ids: object) -> set[str]:
        assert isinstance(ids, tuple)
        return self.stored.intersection(ids)

    @rule(sittings=st.integers(1, 5))
    def begin(self, sittings: int) -> None:
        """Start the program: it takes the next sittings of the plan minus what is stored."""
        self.queue = list(islice(remaining(self.plan().sittings(), self.found), sittings))

    @precondition(lambda self: self.queue)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        """Play one sitting, perhaps not to its end and not in order; no game of it may be stored already."""
        games = list(self.queue.pop(0).games())
        assert not self.stored.intersection(game.game_id for game in games)
        cut = data.draw(st.integers(0, len(games)))
        for game in data.draw(st.permutations(games))[:cut]:
            self.stored.add(game.game_id)

    @rule(more=st.integers(1, 20))
    def extend(self, more: int) -> None:
        self.deals += more
        self.queue = []

    @rule(data=st.data())
    def reorder(self, data: st.DataObject) -> None:
        self.entrants = data.draw(st.permutations(self.entrants))

    @invariant()
    def what_remains_is_what_is_missing(self) -> None:
        ids = {game.game_id for game in planned(self.plan())}
        assert self.stored <= ids
        left = [game.game_id for sitting in remaining(self.plan().sittings(), self.found) for game in sitting.games()]
        assert len(left) == len(set(left))
        assert set(left) == ids - self.stored


TestResuming = Resuming.TestCase
TestResuming.settings = settings(max_examples=25, stateful_step_count=12)
