"""``check_game``: what every game keeps true, tried on random games; anyone who writes a game can run it.

Models: OpenSpiel ``tests/basic_tests.h`` and ``ResampleInfostateTest``, PettingZoo ``test/api_test.py``. A failure is
an AssertionError that begins with the name of the broken rule and ends with ruleset, seed, game and step, which find
it again: all choices derive from them.
"""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from functools import partial
from typing import Any

from arena.errors import IllegalAction, RecordError, Termination
from arena.games import Game, GameOver, Moves, Step
from arena.games.base import Turn
from arena.records.codec import decode, encode
from arena.records.record import Entry, Player, Record
from arena.records.replay import verify_replay
from arena.testing.playout import Moment, moments
from arena.testing.probes import MALFORMED, answer, distorted, probes, refused
from arena.testing.secrecy import (
    check_chance,
    check_imagined,
    check_redacted_form,
    check_reshuffled,
    check_transposed,
)

APPLIED = 4
"""Legal actions of a seat that are tried out at each state, beside the one that is played."""
NOT_ACTING = {"not_your_turn", "malformed_action", "action_not_in_variant"}
NO_FORM = {"malformed_action", "action_not_in_variant"}
NOT_ANY_MORE = {"game_over", "malformed_action"}
NEVER_ACTING = {"game_over", "not_your_turn"}
"""A rule file may test the phase before the form: then a verb of the game gets another code than ``NO_FORM``."""


def check_game(game: Game[Any, Any], *, games: int = 20, seed: int = 0) -> None:
    """Check that a game keeps the rules of ``arena.games.base.Game`` in random play.

    Legal actions, purity, determinism, replay through a record, results, refusals, secrecy (views, events, legal
    actions and error texts, for every seat and a spectator) and imagined states.

    Args:
        game: the rules, made for some seats and options; one call checks this ruleset alone.
        games: random games to play.
        seed: of all choices; the same seed makes the same games.

    Raises:
        AssertionError: naming the broken rule, the ruleset, the game and the step.
    """
    _check_spec(game)
    for number in range(games):
        steps = []
        for moment, step in moments(game, number, seed):
            _check_moment(moment, step)
            steps.append(step)
        *taken, _ = steps
        again = [step for _, step in moments(game, number, seed)]
        moment.require(again == steps, "determinism", "the same streams make another game")
        _check_over(moment, taken)
        _check_replay(moment, taken)


def _check_spec(game: Game[Any, Any]) -> None:
    spec = game.spec
    stored = json.loads(spec.ruleset)["options"]
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}
    again = type(game).make(spec.seats, given).spec
    assert again == spec, f"options: {stored} makes another game than {dict(spec.options)} ({spec.ruleset})"
    assert game.initial() == game.initial(), f"determinism: two initial states differ ({spec.ruleset})"
    assert spec.entries >= spec.seats, f"spec: entries {spec.entries} are fewer than the seats ({spec.ruleset})"


def _check_moment(moment: Moment, step: Step | None) -> None:
    checks = (
        _check_legal,
        _check_accepted,
        _check_refused,
        _check_shown,
        check_chance,
        check_redacted_form,
        check_reshuffled,
        check_transposed,
        check_imagined,
    )
    before, written = _fingerprint(moment), repr(moment.state)
    for check in checks:
        check(moment, step)
        name = check.__name__.removeprefix("_")
        moment.require(_fingerprint(moment) == before, "purity", f"{name} has changed the state")
    moment.require(repr(moment.state) == written, "purity", "the state has changed")


def _fingerprint(moment: Moment) -> int:
    try:
        return hash(moment.state)
    except TypeError as error:
        moment.fail("purity", f"the state is not frozen all through: {error}")


def _check_legal(moment: Moment, step: Step | None) -> None:
    """Legal actions are there exactly for the seats that act, once each, in the same order every time."""
    acting = moment.acting()
    moment.require(acting == tuple(sorted(set(acting))), "turn", f"seats {acting} are not ascending")
    for seat in range(moment.game.spec.entries):
        legal = moment.game.legal_actions(moment.state, seat)
        moment.require(isinstance(legal, tuple), "legal_actions", f"seat {seat} has no tuple but {legal!r}")
        moment.require(
            bool(legal) == (seat in acting), "legal_actions", f"seat {seat} has {legal}; to act are {acting}"
        )
        moment.require(len(set(legal)) == len(legal), "legal_actions", f"seat {seat} has one twice: {legal}")
        again = moment.game.legal_actions(moment.state, seat)
        moment.require(again == legal, "legal_actions", f"seat {seat} has another order when asked again")


def _check_accepted(moment: Moment, step: Step | None) -> None:
    """Every legal action passes ``check`` as it is, and ``apply``; so does the default action."""
    game = moment.game
    for seat in moment.acting():
        legal = game.legal_actions(moment.state, seat)
        moment.require(game.default_action(moment.state, seat) in legal, "default_action", f"of seat {seat} is illegal")
        for action in legal:
            form = _accepted(moment, seat, action)
            moment.require(form == action, "legal_actions", f"{action!r} is not canonical, {form!r} is")
        for action in [legal[moment.stream.below(len(legal))] for _ in range(APPLIED)]:
            moves = moment.moves_with(seat, action)
            first, second = _applied(moment, moves), _applied(moment, moves)
            moment.require(first == second, "determinism", f"applying {moves} twice gives two states")
        for action in filter(partial(_passes, moment, seat), probes(moment)):
            form = _accepted(moment, seat, action)
            moment.require(_accepted(moment, seat, form) == form, "check", f"{form!r} of {action!r} is not canonical")
            _applied(moment, moment.moves_with(seat, form))


def _passes(moment: Moment, seat: int, action: str) -> bool:
    """Tell whether an action is accepted, listed or not."""
    return len(answer(moment, moment.state, seat, action)) == 1


def _accepted(moment: Moment, seat: int, action: str) -> str:
    try:
        return moment.game.check(moment.state, seat, action)
    except IllegalAction as refusal:
        moment.fail("legal_actions", f"{action!r} is listed for seat {seat} and refused: {refusal}")


def _applied(moment: Moment, moves: Moves) -> Any:
    try:
        return moment.game.apply(moment.state, moves)
    except IllegalAction as refusal:
        moment.fail("legal_actions", f"{moves} is made of listed actions and refused: {refusal}")


def _check_refused(moment: Moment, step: Step | None) -> None:
    """Malformed texts are refused with a code, for seats that act, that do not, and after the end."""
    acting = moment.acting()
    over = isinstance(moment.turn, GameOver)
    verbs = {example.partition(" ")[0] for _, example, _ in moment.game.guide.actions}
    for seat in range(moment.game.seats):
        codes = NOT_ANY_MORE if over else NO_FORM if seat in acting else NOT_ACTING
        for text in MALFORMED:
            code = refused(moment, seat, text).code
            fits = code in codes or (seat in acting and text.partition(" ")[0] in verbs and code not in NEVER_ACTING)
            moment.require(fits, "refusal", f"{text[:60]!r} of seat {seat} gets {code!r}, not of {codes}")
        for action in _own_or_example(moment, seat):
            for text in distorted(action):
                refused(moment, seat, text)
    for seat in acting:
        _apply_refuses(moment, moment.moves_with(seat, MALFORMED[0]), seat)


def _own_or_example(moment: Moment, seat: int) -> list[str]:
    legal = moment.game.legal_actions(moment.state, seat)
    if not legal:
        return [moment.game.guide.actions[0][1]]
    return [legal[0], legal[moment.stream.below(len(legal))], legal[-1]]


def _apply_refuses(moment: Moment, moves: Moves, seat: int) -> IllegalAction:
    try:
        moment.game.apply(moment.state, moves)
    except IllegalAction as refusal:
        moment.require(refusal.seat == seat, "refusal", f"{moves} is blamed on seat {refusal.seat}")
        return refusal
    except Exception as error:  # whatever a game lets out is its author's to read, under the name of the rule
        moment.fail("refusal", f"applying {moves} raises {error!r} instead of IllegalAction")
    return moment.fail("refusal", f"{moves} is applied")


def _check_shown(moment: Moment, step: Step | None) -> None:
    """Views are frozen dataclasses, and the table can be printed for every seat and for nobody."""
    game = moment.game
    for seat in (*range(game.seats), None):
        view = game.view(moment.state, seat)
        moment.require(is_dataclass(view), "view", f"{type(view).__name__} is no dataclass")
        try:
            hash(view)
        except TypeError as error:
            moment.fail("view", f"the view of seat {seat} is not frozen all through: {error}")
    for shown in ((), range(game.spec.entries)):
        moment.require(isinstance(game.render(moment.state, shown), str), "render", "returns no text")


def _check_over(moment: Moment, steps: list[Any]) -> None:
    """Results obey the rules of ranks, and nobody can move any more."""
    over = moment.turn
    assert isinstance(over, GameOver)
    _check_ranks(moment, over)
    last = next((step for step in reversed(steps) if isinstance(step, Moves)), None)
    if last is None:
        return
    for seat, action in last.by_seat:
        if seat < moment.game.seats:
            code = refused(moment, seat, action).code
            moment.require(code == "game_over", "refusal", f"{action!r} after the end gets {code!r}")
    code = _apply_refuses(moment, last, last.by_seat[0][0]).code
    moment.require(code == "game_over", "refusal", f"applying {last} after the end gets {code!r}")


def _check_ranks(moment: Moment, over: GameOver) -> None:
    scores, ranks, entries = over.scores, over.ranks, moment.game.spec.entries
    whole = all(type(number) is int for number in (*scores, *ranks))
    moment.require(whole and len(scores) == len(ranks) == entries, "result", f"{over} is not {entries} whole numbers")
    shared = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
    moment.require(ranks == shared, "ranks", f"{ranks} are not 1-based with shared places repeated: {shared}")
    for score, rank in zip(scores, ranks, strict=True):
        behind = [other for other, place in zip(scores, ranks, strict=True) if other < score and place <= rank]
        moment.require(not behind, "ranks", f"{score} points rank no better than {behind}: {over}")


def _check_replay(moment: Moment, steps: list[Any]) -> None:
    """The record of the game is stable through its bytes, and replays without a generator to the same result."""
    game, over = moment.game, moment.turn
    assert isinstance(over, GameOver)
    record = record_of(game, over, steps, moment.number)
    data = encode(record)
    read = decode(data)
    moment.require(
        encode(read) == data and read.entries == record.entries, "replay", "the record's bytes are not stable"
    )
    try:
        verify_replay(read, game)
    except RecordError as error:
        moment.fail("replay", str(error))


def record_of(game: Game[Any, Any], over: Turn, steps: list[Any], number: int) -> Record:
    """Return the record of a game that was played without bots, every seat ``normal``."""
    assert isinstance(over, GameOver)
    return Record(
        game_id=f"{game.id}-{number}",
        game=game.id,
        rules_version=game.spec.rules_version,
        seats=game.seats,
        options=game.spec.options,
        deal=number,
        commitment="",
        sandbox="none",
        players=tuple(Player(f"random{seat}", "", "") for seat in range(game.seats)),
        entries=tuple(Entry(step) for step in steps),
        faults=(),
        terminations=(Termination.NORMAL,) * game.seats,
        scores=over.scores,
        ranks=over.ranks,
    )
