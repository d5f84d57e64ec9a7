"""What a seat may learn: nothing it is shown depends on what it may not know.

Two independent proofs. *Reshuffling*: the game's own ``reshuffle_unseen`` redraws what a seat does not know; view,
legal actions, answers and redacted steps must stay. *Transposing*: two words of a chance outcome change places, without
any help of the game; then the seat's view of the outcome and its redacted event must change together or not at all. So
an event tells no more than the view (where that shows a hand in ascending order, the event does: ``redact_shuffle`` has
``own`` for it), and a view tells no more than the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.errors import IllegalAction
from arena.games import Chance, ChanceTurn, GameOver, Moves, Step
from arena.seeds import Stream
from arena.testing.playout import Moment, play_on
from arena.testing.probes import answer, probes

TRANSPOSITIONS = 12
IMAGINED_STEPS = 8


def viewers(moment: Moment) -> tuple[int | None, ...]:
    """Return every bot's seat and None, the spectator."""
    return (*range(moment.game.seats), None)


def check_reshuffled(moment: Moment, step: Step | None) -> None:
    """Redraw what each viewer does not know: nothing that it is shown may change."""
    tried = probes(moment)
    for seat in viewers(moment):
        other = moment.game.reshuffle_unseen(moment.state, seat, moment.stream)
        if other == moment.state:
            continue
        _same_view(moment, other, seat)
        _same_turn(moment, other, seat)
        if seat is not None:
            _same_choices(moment, other, seat, tried)
        if step is not None:
            _same_event(moment, other, step, seat)


def _same_view(moment: Moment, other: Any, seat: int | None) -> None:
    before, after = moment.game.view(moment.state, seat), moment.game.view(other, seat)
    moment.require(before == after, "secret view", f"the view of {_who(seat)} depends on what it may not know")


def _same_turn(moment: Moment, other: Any, seat: int | None) -> None:
    turn = moment.game.turn(other)
    same = isinstance(turn, GameOver) if isinstance(moment.turn, GameOver) else turn == moment.turn
    moment.require(same, "secret turn", f"what is due depends on what {_who(seat)} may not know: {turn}")


def _same_choices(moment: Moment, other: Any, seat: int, tried: Sequence[str]) -> None:
    game = moment.game
    before, after = game.legal_actions(moment.state, seat), game.legal_actions(other, seat)
    moment.require(before == after, "secret choices", f"the legal actions of {_who(seat)} tell what it may not know")
    for action in tried:
        told, tells = answer(moment, moment.state, seat, action), answer(moment, other, seat, action)
        moment.require(
            told == tells, "secret answer", f"{action!r} of {_who(seat)} is answered by {told} or {tells}, which tells"
        )


def _same_event(moment: Moment, other: Any, step: Step, seat: int | None) -> None:
    """Compare the redacted step after both states, where the step is possible after both."""
    try:
        moment.game.apply(other, step)
    except (IllegalAction, ValueError):
        return
    same = moment.game.redact(moment.state, step, seat) == moment.game.redact(other, step, seat)
    moment.require(same, "secret event", f"the event {step} for {_who(seat)} depends on what it may not know")


def check_transposed(moment: Moment, step: Step | None) -> None:
    """Swap words of a chance outcome: view and event of each viewer change together or not at all."""
    if not isinstance(step, Chance):
        return
    verb, *words = step.outcome.split(" ")
    if len(words) < 2:
        return
    for _ in range(TRANSPOSITIONS):
        i, j = moment.stream.below(len(words)), moment.stream.below(len(words))
        if words[i] == words[j]:
            continue
        swapped = list(words)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        _compare(moment, step, Chance(" ".join([verb, *swapped])))


def _compare(moment: Moment, step: Chance, other: Chance) -> None:
    game = moment.game
    after, instead = game.apply(moment.state, step), game.apply(moment.state, other)
    for seat in viewers(moment):
        shown, shows = game.redact(moment.state, step, seat), game.redact(moment.state, other, seat)
        same_view = game.view(after, seat) == game.view(instead, seat)
        if same_view:
            moment.require(
                shown == shows, "secret event", f"{_who(seat)} is shown {shown} or {shows} where its view is the same"
            )
        elif shown == shows:
            moment.fail("secret view", f"the view of {_who(seat)} tells of a shuffle what its event {shown} hides")


def check_redacted_form(moment: Moment, step: Step | None) -> None:
    """A redacted step has the kind and length of the step; a hidden word is ``?``."""
    if step is None:
        return
    for seat in viewers(moment):
        event = moment.game.redact(moment.state, step, seat)
        if isinstance(step, Moves) or isinstance(event, Moves):
            seats = isinstance(event, Moves) and isinstance(step, Moves) and _seats(event) == _seats(step)
            moment.require(seats, "event form", f"{step} is shown to {_who(seat)} as {event}")
            continue
        words, shown = step.outcome.split(" "), event.outcome.split(" ")
        fits = len(words) == len(shown) and all(word == "?" or word in words for word in shown)
        moment.require(fits, "event form", f"{step} is shown to {_who(seat)} as {event}")


def check_imagined(moment: Moment, step: Step | None) -> None:
    """Draw states from each bot's view: they give the same view and choices, and can be played on."""
    game = moment.game
    if not moment.acting():
        return
    for seat in range(game.seats):
        view = game.view(moment.state, seat)
        state = game.imagine(view, moment.stream)
        moment.require(game.view(state, seat) == view, "imagine", f"the imagined view of {_who(seat)} is another")
        moment.require(game.turn(state) == moment.turn, "imagine", f"another turn is due in the state of {_who(seat)}")
        same = game.legal_actions(state, seat) == game.legal_actions(moment.state, seat)
        moment.require(same, "imagine", f"{_who(seat)} has other legal actions in its imagined state")
        _playable(moment, state, seat)
    _no_spectator(moment)


def _playable(moment: Moment, state: Any, seat: int) -> None:
    try:
        play_on(moment.game, state, IMAGINED_STEPS, Stream(moment.stream.below(1 << 63).to_bytes(32)))
    except Exception as error:  # any error of the rules means the same: no state to search in
        moment.fail("imagine", f"the imagined state of {_who(seat)} cannot be played: {error!r}")


def _no_spectator(moment: Moment) -> None:
    try:
        moment.game.imagine(moment.game.view(moment.state, None), moment.stream)
    except ValueError:
        return
    moment.fail("imagine", "a spectator's view is imagined; it must raise ValueError")


def check_chance(moment: Moment, step: Step | None) -> None:
    """A chance outcome comes from the stream alone, and a damaged one is refused with ValueError."""
    if not isinstance(moment.turn, ChanceTurn) or not isinstance(step, Chance):
        return
    game, key = moment.game, moment.stream.below(1 << 63).to_bytes(32)
    drawn = [game.sample_chance(moment.state, Stream(key)) for _ in range(2)]
    moment.require(drawn[0] == drawn[1], "determinism", "one stream gives two chance outcomes")
    for outcome in ("", "shuffle", "draw", "deal 1 2", f"{step.outcome} 1", f" {step.outcome}", step.outcome.upper()):
        try:
            game.apply(moment.state, Chance(outcome))
        except ValueError:
            continue
        moment.fail("damaged outcome", f"chance outcome {outcome[:60]!r} is accepted")


def _seats(moves: Moves) -> tuple[int, ...]:
    return tuple(seat for seat, _ in moves.by_seat)


def _who(seat: int | None) -> str:
    return "a spectator" if seat is None else f"seat {seat}"
