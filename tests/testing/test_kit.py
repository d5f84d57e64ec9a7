"""The conformance kit passes a sound game and catches each fault that is planted in one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arena.games import Chance, GameOver, IllegalAction, Step
from arena.games.base import Turn
from arena.games.no_thanks import NoThanks, Options, State, View
from arena.testing import check_game

SECRET = Options(variant="secret", rounds=1)


class SortedDeck(NoThanks):
    """Leaks in the view which cards are still to come: sorted, but without the removed ones."""

    def view(self, state: State, seat: int | None) -> View:
        return replace(super().view(state, seat), unseen=tuple(sorted(state.deck)))


class DeckOrder(NoThanks):
    """Leaks in the view the order of the deck: somebody forgot to sort."""

    def view(self, state: State, seat: int | None) -> View:
        view = super().view(state, seat)
        order = (*state.deck, *state.removed)
        return replace(view, unseen=tuple(sorted(view.unseen, key=lambda card: (*order, card).index(card))))


class CardInEvent(NoThanks):
    """Leaks in an event the lowest card of the deck to everyone."""

    def redact(self, before: State, step: Step, seat: int | None) -> Step:
        event = super().redact(before, step, seat)
        if isinstance(step, Chance) and isinstance(event, Chance):
            words = event.outcome.split(" ")
            words[-1] = step.outcome.split(" ")[-1]
            return Chance(" ".join(words))
        return event


class TellingChoices(NoThanks):
    """Leaks in the legal list whether the next card is low, by its order."""

    def legal_actions(self, state: State, seat: int) -> tuple[str, ...]:
        legal = super().legal_actions(state, seat)
        return legal[::-1] if state.deck[:1] < (12,) else legal


class TellingLength(NoThanks):
    """Leaks in an event the length of each hidden word."""

    def redact(self, before: State, step: Step, seat: int | None) -> Step:
        event = super().redact(before, step, seat)
        if isinstance(step, Chance) and isinstance(event, Chance):
            pairs = zip(step.outcome.split(" "), event.outcome.split(" "), strict=True)
            return Chance(" ".join("?" * len(word) if shown == "?" else shown for word, shown in pairs))
        return event


class TellingCount(NoThanks):
    """Leaks in an event, by one more hidden word, that the first removed card is low."""

    def redact(self, before: State, step: Step, seat: int | None) -> Step:
        event = super().redact(before, step, seat)
        if isinstance(step, Chance) and isinstance(event, Chance) and step.outcome.split(" ")[1] < "2":
            return Chance(event.outcome + " ?")
        return event


class TellingError(NoThanks):
    """Leaks in an error text that another seat holds the card."""

    def check(self, state: State, seat: int, action: str) -> str:
        try:
            return super().check(state, seat, action)
        except IllegalAction as refusal:
            if refusal.code == "card_not_held":
                holder = [place for place, cards in enumerate(state.secrets) if int(action[4:]) in cards]
                raise IllegalAction(refusal.code, f"that card is with {holder or 'nobody'}", seat) from None
            raise


LEAKS: list[tuple[type[NoThanks], str]] = [
    (SortedDeck, "secret view"),
    (DeckOrder, "secret view"),
    (CardInEvent, "secret event"),
    (TellingChoices, "(secret choices|imagine)"),
    (TellingLength, "event form"),
    (TellingCount, "(event form|secret event)"),
    (TellingError, "secret answer"),
]


@pytest.mark.parametrize(("leaky", "rule"), LEAKS)
def test_every_planted_leak_is_caught(leaky: type[NoThanks], rule: str) -> None:
    """A leak in a view, an event, a legal list, a length or an error text fails the kit under its own name."""
    with pytest.raises(AssertionError, match=f"^{rule}: "):
        check_game(leaky(3, SECRET), games=3)


def test_a_sound_game_passes() -> None:
    """The rules that the faults are planted in are themselves sound, so each failure is the fault's."""
    check_game(NoThanks(3, SECRET), games=3)


class TwoLegalForms(NoThanks):
    """Reads the card with int(), so that ``lay 011`` is taken for ``lay 11``."""

    def check(self, state: State, seat: int, action: str) -> str:
        verb, _, card = action.partition(" ")
        return super().check(state, seat, f"lay {int(card)}" if verb == "lay" and card.isdigit() else action)


class ForgetsTurn(NoThanks):
    """Lists actions for a seat that is not to act."""

    def legal_actions(self, state: State, seat: int) -> tuple[str, ...]:
        return super().legal_actions(state, state.seat)


class RaisesKeyError(NoThanks):
    """Lets a KeyError out where an action does not parse."""

    def check(self, state: State, seat: int, action: str) -> str:
        verbs = {"pass": 0, "take": 1, "lay": 2}
        if seat == state.seat and state.target:
            verbs[action.partition(" ")[0]]
        return super().check(state, seat, action)


class OwnDice(NoThanks):
    """Draws from a generator of its own."""

    def sample_chance(self, state: State, stream: Any) -> Chance:
        cards = list(self.cards)
        random.shuffle(cards)
        return Chance("shuffle " + " ".join(map(str, cards)))


class TooShort(NoThanks):
    """Promises fewer steps than a game takes."""

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        self.spec = replace(self.spec, steps_max=20)


class WrongRanks(NoThanks):
    """Ranks by seat, whatever the score."""

    def turn(self, state: State) -> Turn:
        turn = super().turn(state)
        return GameOver(turn.scores, tuple(range(1, self.seats + 1))) if isinstance(turn, GameOver) else turn


class SkipsPlaces(NoThanks):
    """Gives the place after a shared one to the next seat (1, 1, 2)."""

    def turn(self, state: State) -> Turn:
        turn = super().turn(state)
        return GameOver((0,) * self.seats, (1, 1, 2)) if isinstance(turn, GameOver) else turn


class Forgetful(NoThanks):
    """Imagines a state without the pot."""

    def imagine(self, view: View, stream: Any) -> State:
        return super().imagine(view, stream)._replace(pot=0)


class AnyOutcome(NoThanks):
    """Takes a damaged shuffle for a good one."""

    def apply(self, state: State, step: Step) -> State:
        if isinstance(step, Chance) and len(step.outcome.split(" ")) < 34:
            return state
        return super().apply(state, step)


class GoesOn(NoThanks):
    """Says after the end that it is not the seat's turn."""

    def check(self, state: State, seat: int, action: str) -> str:
        if not state.target:
            raise IllegalAction("not_your_turn", "wait", seat)
        return super().check(state, seat, action)


class Mutable(NoThanks):
    """Keeps a list in the state."""

    def initial(self) -> State:
        return super().initial()._replace(deck=[])  # type: ignore[arg-type]


FAULTS: list[tuple[type[NoThanks], str]] = [
    (TwoLegalForms, "refusal"),
    (ForgetsTurn, "legal_actions"),
    (RaisesKeyError, "refusal"),
    (OwnDice, "determinism"),
    (TooShort, "steps_max"),
    (WrongRanks, "ranks"),
    (SkipsPlaces, "ranks"),
    (Forgetful, "imagine"),
    (AnyOutcome, "damaged outcome"),
    (GoesOn, "refusal"),
    (Mutable, "purity"),
]


@pytest.mark.parametrize(("faulty", "rule"), FAULTS)
def test_every_planted_fault_is_caught(faulty: type[NoThanks], rule: str) -> None:
    """Each part of the contract of ``Game`` has a check that fails under its own name."""
    with pytest.raises(AssertionError, match=f"^{rule}: "):
        check_game(faulty(3, SECRET), games=3)


def test_a_failure_repeats() -> None:
    """The same seed gives the same failure, so that an author can come back to it."""

    def failure(run: Callable[[], None]) -> str:
        with pytest.raises(AssertionError) as caught:
            run()
        return str(caught.value)

    game = Forgetful(3, SECRET)
    assert failure(lambda: check_game(game, seed=7)) == failure(lambda: check_game(game, seed=7))
    assert "game 0 of seed 7, step " in failure(lambda: check_game(game, seed=7))
