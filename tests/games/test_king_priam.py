"""King Priam: the worked examples and refusals of the rule file, value for value, its invariants, and the kit."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import BadOptions, Chance, ChanceTurn, GameOver, IllegalAction, Moves, create
from arena.games.cards import UNKNOWN
from arena.games.king_priam import NUMERALS, RANK, TARGET_OF, TARGETS, KingPriam, State, true_claims
from arena.seeds import Stream
from arena.testing import check_game
from arena.testing.playout import moments

FIXED_PILE = tuple(NUMERALS[7 * i % 40] for i in range(40))
"""The pile of examples 13 and 14."""


def made(seats: int = 2, **options: Any) -> KingPriam:
    game = create("king_priam", seats, **options)
    assert isinstance(game, KingPriam)
    return game


def window(game: KingPriam, row: str, **fields: Any) -> State:
    """Return a window with this row; the other cards are in the pile in canonical order."""
    cards = tuple(row.split(" "))
    pile = tuple(card for card in NUMERALS if card not in cards)
    return game.initial()._replace(**{"row": cards, "pile": pile, "fresh": len(pile), **fields})


def moves(*actions: str, ticks: tuple[int | None, ...] | None = None) -> Moves:
    return Moves(tuple(enumerate(actions)), ticks)


def listed(row: str) -> list[tuple[int, str]]:
    """Return (target, equation) of the true claims for the twelve targets."""
    game = made()
    texts = game.legal_actions(window(game, row), 0)[1:]
    return [(int(text.split(" ")[1]), text.split(" ")[2]) for text in texts]


@pytest.mark.parametrize(
    ("row", "claims"),
    [
        ("S9 S8 H7", [(79, "S8*S9+H7")]),
        ("S8 S10 S1", [(79, "S8*S10-S1")]),
        ("D2 S3 H4", []),
        ("H4 H7 H9", [(67, "H7*H9+H4"), (59, "H7*H9-H4"), (37, "H4*H7+H9"), (29, "H4*H9-H7")]),
        (
            "C7 C10 D9 C3",
            [
                (79, "C7*C10+D9"),
                (73, "C7*C10+C3"),
                (67, "C7*C10-C3"),
                (61, "C7*C10-D9"),
                (37, "C3*C10+C7"),
                (31, "C3*C7+C10"),
                (23, "C3*C10-C7"),
            ],
        ),
    ],
)
def test_true_claims_of_a_row(row: str, claims: list[tuple[int, str]]) -> None:
    """Examples 1 to 5, in canonical order."""
    assert listed(row) == claims


def test_without_a_claim_the_next_card_is_turned_up() -> None:
    """Example 3: nobody has a choice."""
    game = made()
    state = window(game, "D2 S3 H4")
    assert [game.legal_actions(state, seat) for seat in (0, 1)] == [("pass",), ("pass",)]
    state = game.apply(state, moves("pass", "pass"))
    assert (state.row, state.window) == (("D2", "S3", "H4", "S1"), 1)


ROW = "C7 C10 D9 C3 H1"
C79, C73, C61, C37, C23 = (
    "claim 79 C7*C10+D9",
    "claim 73 C7*C10+C3",
    "claim 61 C7*C10-D9",
    "claim 37 C3*C10+C7",
    "claim 23 C3*C10-C7",
)
FALSE = "claim 79 C7*C10-D9"
R = {"mode": "race"}
RESOLVED: list[tuple[dict[str, Any], dict[str, Any], Moves, tuple[int, ...], tuple[int, ...], int]] = [
    # options, state, moves; then scores, queue, disputes in a row
    ({}, {}, moves(C73, C79), (0, 79), (0, 1), 0),  # example 6
    ({}, {}, moves(C79, FALSE), (79, 0), (0, 1), 0),  # example 7
    ({}, {}, moves(C79, C79), (0, 0), (0, 1), 1),  # example 8
    ({}, {"disputes_in_row": 1}, moves(C37, C37), (37, 0), (1, 0), 0),  # example 9
    # example 10, catch_up: the lower score wins; rotating: the first in the queue
    ({}, {"disputes_in_row": 1, "scores": (37, 90), "queue": (1, 0)}, moves(C61, C61), (98, 90), (1, 0), 0),
    (
        {"priority": "rotating"},
        {"disputes_in_row": 1, "scores": (37, 90), "queue": (1, 0)},
        moves(C61, C61),
        (37, 151),
        (0, 1),
        0,
    ),
    # example 12: ticks
    (R, {}, moves(C23, C79, ticks=(3, 4)), (23, 0), (0, 1), 0),
    (R, {}, moves(C23, C79, ticks=(3, 3)), (0, 79), (0, 1), 0),
    (R, {}, moves(C79, C79, ticks=(3, 3)), (0, 0), (0, 1), 1),
    (R, {}, moves(FALSE, C23, ticks=(1, 9)), (0, 23), (0, 1), 0),
    # a pass has no tick, a missing one counts 0; sealed ignores what is recorded
    (R, {}, moves("pass", C23, ticks=(None, 9)), (0, 23), (0, 1), 0),
    (R, {}, moves(C23, C79, ticks=(None, 1)), (23, 0), (0, 1), 0),
    (R, {}, moves(C23, C79), (0, 79), (0, 1), 0),
    ({}, {}, moves(C23, C79, ticks=(3, 4)), (0, 79), (0, 1), 0),
    # a target that is won is no more to be claimed: a false claim
    ({}, {"targets": (23, 73)}, moves(C79, C23), (0, 23), (0, 1), 0),
    # no dispute is replayed with limit 0
    ({"dispute_limit": 0}, {}, moves(C79, C79), (79, 0), (1, 0), 0),
]


@pytest.mark.parametrize(("options", "fields", "step", "scores", "queue", "disputes"), RESOLVED)
def test_a_window_is_resolved(
    options: dict[str, Any],
    fields: dict[str, Any],
    step: Moves,
    scores: tuple[int, ...],
    queue: tuple[int, ...],
    disputes: int,
) -> None:
    """Examples 6 to 10 and 12: who wins, what becomes of the queue, and a new row every time."""
    game = made(**options)
    state = game.apply(window(game, ROW, **fields), step)
    assert (state.scores, state.queue, state.disputes_in_row) == (scores, queue, disputes)
    assert state.row == ("S1", "S2", "S3")
    assert state.pile[-5:] == tuple(ROW.split(" "))


def test_a_disputed_row_is_thrown_away_whole() -> None:
    """Example 11: the lower claim of a third seat does not win either."""
    game = made(3)
    row = ROW + " S5 S10 D3"  # 53 = S5*S10+D3
    state = game.apply(window(game, row), moves(C79, C79, "claim 53 S5*S10+D3"))
    assert (state.scores, state.disputes_in_row) == ((0, 0, 0), 1)


def play_first(game: KingPriam, dispute: bool = True) -> tuple[State, int, int, int]:
    """Play FIXED_PILE; every seat of an asked window submits the first true claim, or passes always.

    Returns:
        The last state, asked decisions, disputed windows, and thrown-away rows.
    """
    state = game.apply(game.initial(), Chance("shuffle " + " ".join(FIXED_PILE)))
    asked = disputes = thrown = 0
    while not isinstance(game.turn(state), GameOver):
        texts = [game.legal_actions(state, seat) for seat in range(game.seats)]
        asked += sum(len(legal) > 1 for legal in texts)
        actions = [legal[1] if dispute and len(legal) > 1 else "pass" for legal in texts]
        following = game.apply(state, moves(*actions))
        disputes += dispute and len(texts[0]) > 1
        thrown += following.disputes_in_row > state.disputes_in_row
        state = following
    return state, asked, disputes, thrown


def test_a_full_game() -> None:
    """Example 13."""
    state, asked, disputes, thrown = play_first(made())
    assert state.captured == ((37, 73, 53, 71, 61), (23, 31, 29, 47, 59, 67, 79))
    assert state.scores == (295, 335)
    assert (disputes, thrown, state.window, asked, state.queue) == (24, 12, 150, 48, (0, 1))


def test_the_full_game_begins_as_told() -> None:
    """Example 13: the first two rows in which there is a claim."""
    game = made()
    state = game.apply(game.initial(), Chance("shuffle " + " ".join(FIXED_PILE)))
    rows: list[tuple[str, str]] = []
    while len(rows) < 2:
        legal = game.legal_actions(state, 0)
        if len(legal) > 1:
            rows.append((" ".join(state.row), legal[1]))
        state = game.apply(state, moves(*[legal[-1 if len(legal) == 1 else 1]] * 2))
    assert rows[0] == ("S1 S8 C5 H2 H9", "claim 23 H2*H9+C5")
    assert rows[1][0] == "D6 S3 S10 C7"
    assert rows[1][1].startswith("claim 37 ")


@pytest.mark.parametrize(
    ("seats", "limit", "scores"),
    [
        (2, 0, (290, 340)),
        (3, 1, (204, 246, 180)),
        (3, 0, (239, 177, 214)),
        (5, 1, (108, 137, 90, 134, 161)),
    ],
)
def test_full_games_with_other_tables(seats: int, limit: int, scores: tuple[int, ...]) -> None:
    """Example 13, on."""
    state, asked, _, _ = play_first(made(seats, dispute_limit=limit))
    assert state.scores == scores
    if (seats, limit) == (2, 0):
        assert (state.window, asked) == (74, 24)


def test_everybody_passes() -> None:
    """Example 14: two stalls end the game, a draw of all."""
    game = made()
    state, _, _, _ = play_first(game, dispute=False)
    assert (state.window, state.stalls) == (76, 2)
    assert game.turn(state) == GameOver((0, 0), (1, 1))


def test_end_sum() -> None:
    """Example 15."""
    game = made(end_sum=100)
    state = game.apply(window(game, ROW, scores=(0, 79), captured=((), (79,))), moves("pass", C23))
    assert game.turn(state) == GameOver((0, 102), (2, 1))


@pytest.mark.parametrize(
    ("scores", "captured", "ranks"),
    [
        ((60, 60, 10), ((23, 37), (31, 29), (10,)), (1, 2, 3)),
        ((0, 0, 79), ((), (), (79,)), (2, 2, 1)),
        ((0, 0, 0), ((), (), ()), (1, 1, 1)),
    ],
)
def test_ranks(scores: tuple[int, ...], captured: tuple[tuple[int, ...], ...], ranks: tuple[int, ...]) -> None:
    """Equal scores: the highest single target decides; seats without any share a rank."""
    game = made(3)
    over = window(game, ROW, scores=scores, captured=captured, over=True)
    assert game.turn(over) == GameOver(scores, ranks)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("claim 79 S8*S9+H7", "card_not_on_table"),
        ("claim 79 C7*C10+H7", "card_not_on_table"),
        ("claim 79 C7*C10+C7", "malformed_action"),
        ("claim 79 C7*C10+C10", "malformed_action"),
        ("claim 79 C10*C7+D9", "malformed_action"),
        ("claim 79 C7*H7+D9", "malformed_action"),
        ("claim 79 C7*C10/D9", "malformed_action"),
        ("claim 79 C7*C10", "malformed_action"),
        ("claim C7*C10+D9", "malformed_action"),
        ("claim 79 C7*C10+D9 x", "malformed_action"),
        ("claim 79 c7*c10+d9", "malformed_action"),
        ("claim 79 S11*C10+D9", "malformed_action"),
        ("claim 79 C07*C10+D9", "malformed_action"),
        ("claim 079 C7*C10+D9", "malformed_action"),
        ("claim +79 C7*C10+D9", "malformed_action"),
        ("claim 79 C7 * C10 + D9", "malformed_action"),
        ("claim 79 C7*C10+D9\n", "malformed_action"),
        ("PASS", "malformed_action"),
        ("claim 41 C7*C10+D9", "unknown_target"),
        ("claim 65 C7*C10+D9", "unknown_target"),
        ("claim 83 C7*C10+D9", "unknown_target"),
        # the order of checks: malformed, unknown target, card not on table
        ("claim 83 C7*C10+C7", "malformed_action"),
        ("claim 83 S8*S9+H7", "unknown_target"),
    ],
)
def test_refusals(action: str, code: str) -> None:
    """The table of illegal actions, by ``check`` and by ``apply``."""
    game = made()
    state = window(game, ROW)
    with pytest.raises(IllegalAction) as refusal:
        game.check(state, 1, action)
    assert (refusal.value.code, refusal.value.seat) == (code, 1)
    with pytest.raises(IllegalAction) as refusal:
        game.apply(state, moves("pass", action))
    assert (refusal.value.code, refusal.value.seat) == (code, 1)


@pytest.mark.parametrize("action", ["claim 79 C3*D9+H1", FALSE, C23, "claim 31 H1*C3-D9"])
def test_a_false_claim_is_legal_and_void(action: str) -> None:
    """Two suits, wrong sums and targets already won are no faults: they count as a pass and are not listed."""
    game = made()
    state = window(game, ROW, targets=(31, 79))
    assert game.check(state, 0, action) == action
    assert action not in game.legal_actions(state, 0)
    assert game.apply(state, moves(action, "pass")) == game.apply(state, moves("pass", "pass"))


def test_all14_has_41_and_43() -> None:
    game = made(targets="all14")
    state = window(game, "S5 S8 D1 D3")
    assert game.legal_actions(state, 0) == ("pass", "claim 43 S5*S8+D3", "claim 41 S5*S8+D1", "claim 37 S5*S8-D3")
    assert sum(TARGETS["court12"]) == 630
    assert game.spec.steps_max == 1 + 1140


def test_the_claims_of_the_whole_deck() -> None:
    """Rank equations for each target, as counted in the rule file, and every true claim against its definition."""
    ranks = Counter(
        p
        for p in TARGETS["all14"]
        for a, b in combinations(range(1, 11), 2)
        for c in range(1, 11)
        for value in (a * b + c, a * b - c)
        if value == p
    )
    assert [ranks[p] for p in TARGETS["all14"]] == [15, 12, 12, 11, 9, 8, 8, 7, 5, 5, 4, 4, 4, 3]
    found = {
        f"claim {p} {a}*{b}{sign}{c}"
        for a, b in combinations(NUMERALS, 2)
        for c in NUMERALS
        for sign, p in (("+", RANK[a] * RANK[b] + RANK[c]), ("-", RANK[a] * RANK[b] - RANK[c]))
        if a[0] == b[0] and c not in (a, b) and p in TARGETS["all14"]
    }
    assert set(TARGET_OF) == found


def test_all_cards_reach_every_target() -> None:
    """With all 40 cards in the row every open target has a true claim, so a game cannot get stuck."""
    assert {claim.target for claim in true_claims(NUMERALS)} == set(TARGETS["all14"])


@pytest.mark.parametrize(
    ("seats", "options", "words"),
    [
        (1, {}, "takes 2..5"),
        (6, {}, "takes 2..5"),
        (2, {"players": 2}, "unknown option 'players'"),
        (2, {"dispute_limit": 6}, "0..5"),
        (2, {"end_sum": 49}, "0 or 50..300"),
        (2, {"end_sum": 301}, "0 or 50..300"),
        (2, {"end_sum": False}, "0 or 50..300"),
        (2, {"stall_limit": 0}, "1..5"),
        (2, {"targets": "all12"}, "court12 | all14"),
        (2, {"list_claims": "yes"}, "true | false"),
        (2, {"priority": "catchup"}, "catch_up | rotating"),
    ],
)
def test_bad_options(seats: int, options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadOptions) as refusal:
        create("king_priam", seats, **options)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "listed"),
    [
        ({}, True),
        ({"mode": "race"}, False),
        ({"mode": "race", "list_claims": True}, True),
        ({"list_claims": False}, False),
    ],
)
def test_list_claims_follows_the_mode(options: dict[str, Any], listed: bool) -> None:
    """The default is settled when the game is made, so that a record and a ruleset say it in full."""
    game = made(**options)
    assert game.spec.options["list_claims"] is listed
    assert made(**dict(game.spec.options)).spec.ruleset == game.spec.ruleset
    assert len(game.legal_actions(window(game, ROW), 0)) == 11


def test_a_window_takes_every_seat() -> None:
    """A record with a seat missing is damaged; it is no fault of a bot."""
    with pytest.raises(ValueError, match="one submission of each of the seats"):
        made().apply(window(made(), ROW), Moves(((1, "pass"),)))


@pytest.mark.parametrize("outcome", ["shuffle S1 S2", "draw 1", "shuffle " + " ".join(["S1"] * 40)])
def test_damaged_shuffles(outcome: str) -> None:
    with pytest.raises(ValueError, match="no shuffle of the 40 numerals"):
        made().apply(made().initial(), Chance(outcome))


RULESETS = [
    (2, {}),
    (3, {"priority": "rotating", "end_sum": 100}),
    (4, {"targets": "all14", "dispute_limit": 5}),
    (5, {"list_claims": False, "end_sum": 150}),
    (2, {"mode": "race", "dispute_limit": 0}),
    (3, {"mode": "race", "list_claims": True, "stall_limit": 1, "tick_ms": 10, "window_ms": 500}),
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
    """Invariants 1 to 6, 9 and 10 of the rule file along random games."""
    seats, options = ruleset
    game = made(seats, **options)
    for moment, step in moments(game, 0, seed):
        state = moment.state
        if not state.row:
            continue
        assert sorted(state.row + state.pile) == sorted(NUMERALS)
        assert 3 <= len(state.row) <= 40
        captured = [target for won in state.captured for target in won]
        assert sorted(captured + list(state.targets)) == list(game.targets)
        assert state.scores == tuple(map(sum, state.captured))
        assert state.disputes_in_row <= game.options.dispute_limit
        assert sorted(state.queue) == list(range(seats))
        _check_pile(game, state)
        if isinstance(step, Moves):
            _check_window(game, state, step)
    assert isinstance(moment.turn, GameOver)


def _check_pile(game: KingPriam, state: State) -> None:
    """Known entries of the pile are the truth, and unknown ones lie above them all."""
    seen = game.view(state, 0).pile
    assert len(seen) == len(state.pile)
    assert all(shown in (UNKNOWN, card) for shown, card in zip(seen, state.pile, strict=True))
    assert UNKNOWN not in seen[seen.count(UNKNOWN) :]


def _check_window(game: KingPriam, state: State, step: Moves) -> None:
    """A win closes one target by a true claim; ticks matter by their order alone, and so does nothing else."""
    following = game.apply(state, step)
    won = set(state.targets) - set(following.targets)
    claimed = {TARGET_OF.get(action) for _, action in step.by_seat}
    assert len(won) <= 1
    assert won <= claimed
    assert not won or following.disputes_in_row == 0
    if following.queue != state.queue:
        assert len(won) == 1
    if step.ticks is not None:
        slower = Moves(step.by_seat, tuple(None if tick is None else 7 * tick for tick in step.ticks))
        assert game.apply(state, slower) == following
    for seat in range(game.seats):
        alone = Moves(tuple((s, a if s == seat else "pass") for s, a in step.by_seat))
        claim = TARGET_OF.get(step.by_seat[seat][1])
        if claim is not None:
            assert game.apply(state, alone).captured[seat][-1] == claim


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_false_claims_change_nothing_but_the_record(seed: int) -> None:
    """A game in which false claims stand for passes is the same game."""
    game = made(3)
    for moment, step in moments(game, 0, seed):
        if isinstance(step, Moves):
            lie = _false_claim(moment.state, Stream(seed.to_bytes(32)))
            lied = Moves(tuple((seat, lie if action == "pass" else action) for seat, action in step.by_seat))
            assert game.apply(moment.state, lied) == game.apply(moment.state, step)


def _false_claim(state: State, stream: Stream) -> str:
    a, b, c = sorted(state.row[:3], key=RANK.__getitem__)
    if RANK[a] == RANK[b]:
        return "pass"
    text = f"claim {TARGETS['court12'][stream.below(12)]} {a}*{b}-{c}"
    return "pass" if text in TARGET_OF else text


def test_render() -> None:
    game = made()
    state = window(game, "S9 S8 H7", captured=((23, 29), ()), scores=(52, 0), targets=(31, 79))
    assert game.render(state, ()).splitlines() == [
        "window 1: row S9 S8 H7  (37 cards in the pile)",
        "open targets 31 79",
        "queue 0 1  disputes in a row 0  stalls 0",
        "  seat 0  points  52  won 23 29",
        "  seat 1  points   0  won -",
    ]
    assert isinstance(game.turn(game.initial()), ChanceTurn)
