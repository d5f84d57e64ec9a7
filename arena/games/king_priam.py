"""King Priam by David Parlett (rules/king_priam.md): 2-5 seats, simultaneous claims of primes from cards in a row.

A claim says a*b + c = p or a*b - c = p. All true claims are written once, at import, by their pair of one suit; those
of a row are kept, since every seat of a window asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

from arena.errors import IllegalAction
from arena.games.base import (
    CHANCE_TURN,
    Action,
    Chance,
    Game,
    GameOver,
    Guide,
    Moves,
    Seat,
    SeatTurn,
    Source,
    Step,
    Turn,
    ranks_of,
)
from arena.games.cards import UNKNOWN, redact_shuffle, shuffle_outcome, shuffled
from arena.games.options import choice, flag, whole, zero_or

SEALED, RACE = "sealed", "race"
CATCH_UP, ROTATING = "catch_up", "rotating"
CLAIM, PASS = "claim", "pass"
ONLY_PASS = (PASS,)
SUITS = "SCHD"
RANKS = range(1, 11)
NUMERALS = tuple(f"{suit}{rank}" for suit in SUITS for rank in RANKS)
"""The 40 cards in canonical order; the ace is 1."""
PLACE = {card: place for place, card in enumerate(NUMERALS)}
RANK = {card: int(card[1:]) for card in NUMERALS}
TARGETS = {
    "court12": (23, 29, 31, 37, 47, 53, 59, 61, 67, 71, 73, 79),
    "all14": (23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79),
}
FIRST_ROW = 3
WINDOWS_OF_A_ROW = len(NUMERALS) - FIRST_ROW + 1
_FORM = re.compile(r"claim ([1-9][0-9]{0,3}) ([SCHD](?:10|[1-9]))\*([SCHD](?:10|[1-9]))([+-])([SCHD](?:10|[1-9]))")


class Claim(NamedTuple):
    """A true claim; claims sort in canonical order.

    Attributes:
        order: target descending, then a, b (canonical card order), ``+`` before ``-``, then c.
        text: the action.
        target: the prime.
        third: c, the card that is added or subtracted.
    """

    order: tuple[int, int, int, bool, int]
    text: Action
    target: int
    third: str


def _claims_of(a: str, b: str) -> dict[str, tuple[Claim, ...]]:
    """Return the true claims of a pair of one suit, rank a < rank b, by their third card."""
    product = RANK[a] * RANK[b]
    found = {
        c: tuple(_claim(a, b, p > product, c, p) for p in TARGETS["all14"] if abs(p - product) == RANK[c])
        for c in NUMERALS
        if c not in (a, b)
    }
    return {c: claims for c, claims in found.items() if claims}


def _claim(a: str, b: str, plus: bool, c: str, target: int) -> Claim:
    order = (-target, PLACE[a], PLACE[b], not plus, PLACE[c])
    return Claim(order, f"{CLAIM} {target} {a}*{b}{'+' if plus else '-'}{c}", target, c)


CLAIMS_OF_PAIR = {(a, b): _claims_of(a, b) for a, b in combinations(NUMERALS, 2) if a[0] == b[0]}
TARGET_OF = {
    claim.text: claim.target for thirds in CLAIMS_OF_PAIR.values() for claims in thirds.values() for claim in claims
}
"""Target of every true claim, whatever the row."""


def true_claims(row: Sequence[str]) -> list[Claim]:
    """Return the true claims of a row for all 14 primes, in canonical order."""
    ordered = sorted(row, key=PLACE.__getitem__)
    found: list[Claim] = []
    for i, a in enumerate(ordered):
        for b in ordered[i + 1 :]:
            if a[0] != b[0]:
                break
            claims = CLAIMS_OF_PAIR[a, b]
            for third in claims.keys() & ordered:
                found += claims[third]
    return sorted(found)


@lru_cache(maxsize=1 << 12)
def legal_texts(row: tuple[str, ...], targets: tuple[int, ...]) -> tuple[Action, ...]:
    """Return the legal actions of a window: ``pass``, then every true claim of an open target."""
    claims = true_claims(row)
    return (PASS, *[claim.text for claim in claims if claim.target in targets]) if claims else ONLY_PASS


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rule file, section "Players and options"."""

    mode: str = choice(SEALED, RACE, says="sealed: all claims count as simultaneous; race: the earlier tick wins")
    priority: str = choice(
        CATCH_UP,
        ROTATING,
        says="who wins a dispute that is not replayed: the lowest score, or the first in the queue",
    )
    dispute_limit: int = whole(1, 0, 5, says="disputes in a row that throw the row away")
    end_sum: int = zero_or(50, 300, says="0: play for all targets; else the game ends when a seat has so many points")
    targets: str = choice("court12", "all14", says="all14: 41 and 43 are targets, too")
    stall_limit: int = whole(2, 1, 5, says="rows of all 40 cards without a claim that end the game")
    list_claims: bool | None = flag(None, says="requests list the true claims; unset: true in sealed, false in race")
    tick_ms: int = whole(50, 1, 1000, says="race only: milliseconds of a tick; answers within one are simultaneous")
    window_ms: int = whole(2000, 100, 60000, says="race only: milliseconds after which an answer is a pass")


class State(NamedTuple):
    """One moment of a game.

    Attributes:
        window: windows finished.
        row: face-up cards in the order in which they were turned; empty before the shuffle.
        pile: the other cards, top first.
        fresh: cards at the top of the pile that were never turned up.
        targets: open targets, ascending.
        captured: targets won by seat, in the order won.
        scores: sum of them by seat.
        queue: the seats by priority in disputes, first one first.
        disputes_in_row: disputes that threw the row away since the last target was won.
        stalls: rows of all 40 cards that ended without a true claim.
        over: the game has ended.
    """

    window: int
    row: tuple[str, ...]
    pile: tuple[str, ...]
    fresh: int
    targets: tuple[int, ...]
    captured: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    queue: tuple[Seat, ...]
    disputes_in_row: int
    stalls: int
    over: bool


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may know of a game of King Priam: all but the order of the cards that were never turned up.

    Attributes:
        seat: the viewer; None for a spectator.
        row: face-up cards in the order in which they were turned, such as ``S1`` or ``H10``.
        pile: the other cards, top first; ``?`` for one that was never turned up.
        pile_height: number of cards in the pile.
        open_targets: targets still to be won, ascending.
        captured: targets won by seat, in the order won.
        scores: sum of them by seat.
        queue: the seats by priority in disputes, first one first.
        disputes_in_row: disputes that threw the row away since the last target was won.
        stalls: rows of all 40 cards that ended without a true claim.
        window: windows finished.
    """

    seat: Seat | None
    row: tuple[str, ...]
    pile: tuple[str, ...]
    pile_height: int
    open_targets: tuple[int, ...]
    captured: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    queue: tuple[Seat, ...]
    disputes_in_row: int
    stalls: int
    window: int


class KingPriam(Game[State, View]):
    """The rules of King Priam for a number of seats and a set of options.

    ``options.list_claims`` is never None here: unset, it follows the mode. It does not change ``legal_actions``, which
    also decides who is asked; the referee looks at it when it writes a request.
    """

    id: ClassVar[str] = "king_priam"
    title: ClassVar[str] = "King Priam"
    seat_counts: ClassVar[range] = range(2, 6)
    options_type: ClassVar[type[Any]] = Options
    guide: ClassVar[Guide] = Guide(
        goal="Most points win; a target (a prime from 23 to 79) counts its number. Ties: the highest single target.",
        turn=(
            "Cards 1..10 of four suits lie in a row. All seats answer at once: claim a target as a*b+c or a*b-c with "
            "three cards of the row, a and b of one suit, or pass. The highest target claimed is won; if several "
            "claim it, the row is thrown away (dispute_limit times in a row), then priority decides. Without a claim "
            "the next card is turned up."
        ),
        actions=(
            ("pass", "pass", "hand in nothing in this window"),
            ("claim TARGET A*B+C", "claim 79 S8*S9+H7", "TARGET = A*B+C; rank of A below rank of B"),
            ("claim TARGET A*B-C", "claim 79 S8*S10-S1", "TARGET = A*B-C"),
        ),
        notes=(
            "A false claim (wrong sum, two suits, a target already won) is no fault; it counts as a pass.",
            "A row goes unshuffled to the bottom of the pile: cards once turned up are known in order.",
            "catch_up: of the seats in a dispute the lowest score wins, then the first in the queue, who goes last.",
            "list_claims = false: requests list 'pass' alone, and you find the claims yourself.",
        ),
    )
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        listed = options.mode == SEALED if options.list_claims is None else options.list_claims
        super().__init__(seats, replace(options, list_claims=listed))
        self.all_seats = SeatTurn(tuple(range(seats)))
        self.race = options.mode == RACE
        self.no_ticks = (0,) * seats
        self.targets = TARGETS[options.targets]
        rows = len(self.targets) * (1 + options.dispute_limit) + options.stall_limit
        self.spec = self._spec(1 + WINDOWS_OF_A_ROW * rows)

    def initial(self) -> State:
        """Return the state before the shuffle."""
        nothing: tuple[tuple[int, ...], ...] = ((),) * self.seats
        return State(0, (), (), 0, self.targets, nothing, (0,) * self.seats, self.all_seats.seats, 0, 0, False)

    def turn(self, state: State) -> Turn:
        """Return all seats, or the opening shuffle, or the end."""
        if state.over:
            keys = [(score, max(won, default=0)) for score, won in zip(state.scores, state.captured, strict=True)]
            order = sorted(set(keys))
            return GameOver(state.scores, ranks_of([order.index(key) for key in keys]))
        return self.all_seats if state.row else CHANCE_TURN

    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Shuffle the numerals, the only chance event of a game."""
        return shuffle_outcome(shuffled(NUMERALS, stream))

    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return ``pass``, then every true claim: target descending, a, b, ``+`` before ``-``, c.

        A well-formed claim that is false is legal, too, but it is not listed.
        """
        return legal_texts(state.row, state.targets) if self._acts(state, seat) else ()

    def _acts(self, state: State, seat: Seat) -> bool:
        return bool(state.row) and not state.over and 0 <= seat < self.seats

    def listed_actions(self, legal: tuple[Action, ...]) -> tuple[Action, ...]:
        """Return ``pass`` alone with ``list_claims = false``: bots are to find the claims themselves."""
        return legal if self.options.list_claims else (PASS,)

    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Refuse in the order: game over, turn, malformed, unknown target, card not on table."""
        if not self._acts(state, seat):
            if state.over:
                raise IllegalAction("game_over", "the game is over", seat)
            raise IllegalAction("not_your_turn", "it is not this seat's turn", seat)
        if action == PASS or action in legal_texts(state.row, state.targets):
            return action
        target, cards = _read(seat, action)
        if target not in self.targets:
            words = " ".join(map(str, self.targets))
            raise IllegalAction("unknown_target", f"{target} is no target of this game; these are {words}", seat)
        missing = [card for card in cards if card not in state.row]
        if missing:
            raise IllegalAction("card_not_on_table", f"{missing[0]} is not in the row", seat)
        return action

    def apply(self, state: State, step: Step) -> State:
        """Return the state after the opening shuffle or a window."""
        if isinstance(step, Chance):
            return self._deal(state, step.outcome)
        claims = self._claims(state, step)
        if not claims:
            return self._nothing_claimed(state)
        target = max(claims.values())
        return self._resolved(state, target, [seat for seat, claimed in claims.items() if claimed == target])

    def _deal(self, state: State, outcome: str) -> State:
        verb, *cards = outcome.split(" ")
        if state.row or verb != "shuffle" or sorted(cards) != sorted(NUMERALS):
            raise ValueError(f"chance outcome {outcome[:60]!r} is no shuffle of the 40 numerals, or none is due")
        return _new_row(state._replace(pile=tuple(cards), fresh=len(cards)))

    def _claims(self, state: State, moves: Moves) -> dict[Seat, int]:
        """Return the target by seat of the true claims with the lowest tick.

        Raises:
            ValueError: when a seat is missing or there twice, or the ticks are not aligned with the seats.
        """
        for seat, action in moves.by_seat:
            if action != PASS or not self._acts(state, seat):
                self.check(state, seat, action)
        if tuple([seat for seat, _ in moves.by_seat]) != self.all_seats.seats:
            raise ValueError(f"a window takes one submission of each of the seats 0..{self.seats - 1}")
        ticks = moves.ticks if self.race and moves.ticks else self.no_ticks
        true = {
            seat: (tick or 0, TARGET_OF[action])
            for (seat, action), tick in zip(moves.by_seat, ticks, strict=True)
            if action in TARGET_OF and TARGET_OF[action] in state.targets
        }
        if not true:
            return {}
        first = min(tick for tick, _ in true.values())
        return {seat: target for seat, (tick, target) in true.items() if tick == first}

    def _nothing_claimed(self, state: State) -> State:
        """Turn up a card; with all 40 in the row count a stall (rule file, "Resolution", 2)."""
        if state.pile:
            window, row, pile, fresh, targets, captured, scores, queue, disputes, stalls, over = state
            row, pile, fresh = (*row, pile[0]), pile[1:], max(0, fresh - 1)
            return State(window + 1, row, pile, fresh, targets, captured, scores, queue, disputes, stalls, over)
        stalled = state._replace(window=state.window + 1, stalls=state.stalls + 1)
        return stalled._replace(over=True) if stalled.stalls == self.options.stall_limit else _new_row(stalled)

    def _resolved(self, state: State, target: int, claimants: list[Seat]) -> State:
        """Return the state after seats have claimed the highest target (rule file, "Resolution", 4 to 6)."""
        if len(claimants) == 1:
            return self._won(state, target, claimants[0], state.queue)
        if state.disputes_in_row < self.options.dispute_limit:
            return _new_row(state._replace(window=state.window + 1, disputes_in_row=state.disputes_in_row + 1))
        if self.options.priority == CATCH_UP:
            lowest = min(state.scores[seat] for seat in claimants)
            claimants = [seat for seat in claimants if state.scores[seat] == lowest]
        winner = min(claimants, key=state.queue.index)
        return self._won(state, target, winner, (*(seat for seat in state.queue if seat != winner), winner))

    def _won(self, state: State, target: int, winner: Seat, queue: tuple[Seat, ...]) -> State:
        captured = tuple((*won, target) if seat == winner else won for seat, won in enumerate(state.captured))
        scores = tuple(score + target if seat == winner else score for seat, score in enumerate(state.scores))
        targets = tuple(other for other in state.targets if other != target)
        after = state._replace(
            window=state.window + 1, targets=targets, captured=captured, scores=scores, queue=queue, disputes_in_row=0
        )
        enough = self.options.end_sum and scores[winner] >= self.options.end_sum
        return after._replace(over=True) if enough or not targets else _new_row(after)

    def default_action(self, state: State, seat: Seat) -> Action:
        """Return ``pass`` (rule file, "Actions")."""
        return PASS

    def view(self, state: State, seat: Seat | None) -> View:
        """Return what everybody knows: all but the cards that were never turned up."""
        return View(
            seat,
            state.row,
            (UNKNOWN,) * state.fresh + state.pile[state.fresh :],
            len(state.pile),
            state.targets,
            state.captured,
            state.scores,
            state.queue,
            state.disputes_in_row,
            state.stalls,
            state.window,
        )

    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Show of the shuffle the first row; claims are public when a window is resolved."""
        return step if isinstance(step, Moves) else redact_shuffle(step.outcome, range(FIRST_ROW))

    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Return the state with the cards that were never turned up in another order."""
        known = state.pile[state.fresh :]
        unseen = sorted(state.pile[: state.fresh], key=PLACE.__getitem__)
        return state._replace(pile=(*shuffled(unseen, stream), *known))

    def imagine(self, view: View, stream: Source) -> State:
        """Put the cards that were never turned up in random order on top of the pile."""
        if view.seat is None:
            raise ValueError("a spectator's view cannot be imagined")
        known = tuple(card for card in view.pile if card != UNKNOWN)
        seen = {*view.row, *known}
        unseen = shuffled([card for card in NUMERALS if card not in seen], stream) if view.row else []
        return State(
            view.window,
            view.row,
            (*unseen, *known),
            len(unseen),
            view.open_targets,
            view.captured,
            view.scores,
            view.queue,
            view.disputes_in_row,
            view.stalls,
            self._is_over(view),
        )

    def _is_over(self, view: View) -> bool:
        enough = self.options.end_sum and max(view.scores) >= self.options.end_sum
        return bool(enough) or not view.open_targets or view.stalls == self.options.stall_limit

    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return row, targets and one line a seat; nothing here is private."""
        if not state.row:
            return "before the shuffle"
        queue = " ".join(map(str, state.queue))
        return "\n".join(
            [
                f"window {state.window + 1}: row {' '.join(state.row)}  ({len(state.pile)} cards in the pile)",
                f"open targets {' '.join(map(str, state.targets)) or '-'}",
                f"queue {queue}  disputes in a row {state.disputes_in_row}  stalls {state.stalls}",
                *(
                    f"  seat {seat}  points {score:3}  won {' '.join(map(str, state.captured[seat])) or '-'}"
                    for seat, score in enumerate(state.scores)
                ),
            ]
        )


def _new_row(state: State) -> State:
    """Put the row, as it lies, under the pile and turn up three cards."""
    return _turned_up(state._replace(row=(), pile=state.pile + state.row), FIRST_ROW)


def _turned_up(state: State, count: int) -> State:
    """Turn up cards from the top of the pile onto the end of the row."""
    pile, fresh = state.pile, state.fresh
    return state._replace(row=state.row + pile[:count], pile=pile[count:], fresh=max(0, fresh - count))


def _read(seat: Seat, action: Action) -> tuple[int, tuple[str, str, str]]:
    """Return target and cards of a well-formed claim, true or false.

    Raises:
        IllegalAction: ``malformed_action``.
    """
    form = _FORM.fullmatch(action)
    if form is None:
        message = "an action is pass, or claim TARGET A*B+C or A*B-C, such as 'claim 79 S8*S9+H7'"
        raise IllegalAction("malformed_action", message, seat)
    target, a, b, _, c = form.groups()
    if RANK[a] >= RANK[b] or c in (a, b):
        message = "a claim takes three different cards, the rank of the first below that of the second"
        raise IllegalAction("malformed_action", message, seat)
    return int(target), (a, b, c)
