"""Prime Reversal (rules/prime_reversal.md): two rounds of tricks in which the highest prime beats every number.

With two bots a third seat, the NPC, is played by the rules themselves: its plays and picks are forced moves of seat 2.
Cards played stand in no field of their own after their trick: the cards taken are the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

from arena.errors import IllegalAction
from arena.games.base import (
    CHANCE_TURN,
    SEAT_TURNS,
    Action,
    Chance,
    Game,
    GameOver,
    Guide,
    Moves,
    Seat,
    Source,
    Step,
    Turn,
    ranks_of,
)
from arena.games.cards import read_numbers, redact_shuffle, shuffle_outcome, shuffled, words
from arena.games.options import choice

Hands: TypeAlias = tuple[tuple[int, ...], ...]
"""Cards by seat."""

CARDS = tuple(range(10, 42))
PRIMES = frozenset(n for n in CARDS if all(n % d for d in range(2, n)))
HAND_SIZES = {3: 10, 4: 8}
NPC = 2
PLAY, PICK = "play", "pick"
DEAL, DRAW_PICK, DRAW_LEAD, SHUFFLE_NPC, OVER = "deal", "draw_pick", "draw_lead", "shuffle_npc", "over"
ACTIONS = {f"{verb} {card}": (verb, card) for verb in (PLAY, PICK) for card in CARDS}


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rule file, section "Players and options"."""

    npc_pick: str = choice(
        "prime_then_high", "highest", "random", says="how the third player picks as a loser; with two bots only"
    )


class State(NamedTuple):
    """One moment of a game.

    Attributes:
        phase: ``deal``, ``draw_pick``, ``draw_lead`` or ``shuffle_npc`` (chance is due), ``play``, ``pick``, ``over``.
        round: 1 or 2.
        trick_no: 1..hand size.
        leader: who leads this trick.
        hands: cards by seat, ascending; the NPC's from the top of its pile.
        trick: cards of this trick in play order.
        remaining: cards of this trick that nobody has taken yet, ascending; empty while it is played.
        pickers: seats that still have to take one, in order; the winner stands first.
        taken: by round, then seat: cards in the order taken.
        face_up: by round, then seat: those of the taken cards that count a point.
        drawn: the card that a random draw has chosen for the NPC's coming pick.
        aside: the two cards that are set aside with three players.
    """

    phase: str
    round: int
    trick_no: int
    leader: Seat
    hands: Hands
    trick: tuple[int, ...]
    remaining: tuple[int, ...]
    pickers: tuple[Seat, ...]
    taken: tuple[Hands, Hands]
    face_up: tuple[Hands, Hands]
    drawn: int | None
    aside: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may know of a game of Prime Reversal.

    Attributes:
        seat: the viewer; None for a spectator.
        npc_seat: the seat that the rules play, 2 with two bots, else None.
        phase: ``play`` or ``pick``; ``deal``, ``draw_pick``, ``draw_lead``, ``shuffle_npc`` or ``over`` between.
        round: 1 or 2.
        trick_no: number of the trick in its round, from 1.
        leader: who leads this trick.
        to_act: the seat to act, None when none is.
        trick: cards of this trick in play order.
        trick_seats: who played each of them.
        remaining: cards of the trick that nobody has taken yet, ascending; empty while it is played.
        pick_order: seats that still have to take one, in order; the winner stands first.
        hand: the viewer's cards, ascending; empty for a spectator.
        hand_sizes: cards by seat.
        known_hands: by seat, ascending: all hands in round 2, the viewer's own in round 1, else empty.
        taken_round_1: by seat: cards taken in round 1, in order.
        face_up_round_1: by seat: those of them that lie face up and count a point each.
        taken_round_2: by seat: cards taken in round 2, in order.
        face_up_round_2: by seat: those of them that lie face up and count a point each.
        points: by seat: points of round 1 and of round 2.
        drawn: the card that a random draw has chosen for the NPC's coming pick, else None.
    """

    seat: Seat | None
    npc_seat: Seat | None
    phase: str
    round: int
    trick_no: int
    leader: Seat
    to_act: Seat | None
    trick: tuple[int, ...]
    trick_seats: tuple[int, ...]
    remaining: tuple[int, ...]
    pick_order: tuple[int, ...]
    hand: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    known_hands: tuple[tuple[int, ...], ...]
    taken_round_1: tuple[tuple[int, ...], ...]
    face_up_round_1: tuple[tuple[int, ...], ...]
    taken_round_2: tuple[tuple[int, ...], ...]
    face_up_round_2: tuple[tuple[int, ...], ...]
    points: tuple[tuple[int, ...], ...]
    drawn: int | None


class PrimeReversal(Game[State, View]):
    """The rules of Prime Reversal for a number of bots and a set of options."""

    id: ClassVar[str] = "prime_reversal"
    title: ClassVar[str] = "Prime Reversal"
    seat_counts: ClassVar[range] = range(2, 5)
    options_type: ClassVar[type[Any]] = Options
    guide: ClassVar[Guide] = Guide(
        goal="Most points win: one for every card that you take face up, over two rounds.",
        turn=(
            "Play any card. The highest prime of the trick wins, without primes the highest number. The winner takes "
            "the lowest card, face up. Then the losers, who played lowest first, each pick one of the rest: primes "
            "lie face up, other cards face down. What you took in round 1 is your hand in round 2."
        ),
        actions=(
            ("play CARD", "play 37", "play a card of your hand to the trick"),
            ("pick CARD", "pick 40", "take one of the remaining cards of the trick"),
        ),
        notes=(
            "One card each of 10..41; the primes are 11, 13, 17, 19, 23, 29, 31, 37, 41.",
            "Equal points are broken by the highest card taken in round 2, so there are no draws.",
            "With two bots, seat 2 is played by the rules: it plays from the top of its shuffled pile.",
            "With three players two cards are set aside unseen; everybody knows all hands in round 2.",
        ),
    )
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        self.players = max(seats, 3)
        self.npc_seat = NPC if seats == 2 else None
        self.hand_size = HAND_SIZES[self.players]
        self.draws_picks = self.npc_seat is not None and options.npc_pick == "random"
        # A play and a pick of every player a trick, a random pick a trick; two shuffles and a drawn lead.
        self.spec = self._spec(2 * self.hand_size * (2 * self.players + 1) + 3, self.players)

    def initial(self) -> State:
        """Return the state before the deal."""
        none: Hands = ((),) * self.players
        return State(DEAL, 1, 1, 0, none, (), (), (), (none, none), (none, none), None, ())

    def turn(self, state: State) -> Turn:
        """Return the seat that plays or picks, the chance event that is due, or the end."""
        seat = self._to_act(state)
        if seat is not None:
            return SEAT_TURNS[seat]
        if state.phase != OVER:
            return CHANCE_TURN
        return GameOver(self._totals(state), self._ranks(state))

    def _to_act(self, state: State) -> Seat | None:
        if state.phase == PLAY:
            return (state.leader + len(state.trick)) % self.players
        return state.pickers[0] if state.phase == PICK else None

    def _totals(self, state: State) -> tuple[int, ...]:
        return tuple(len(one) + len(two) for one, two in zip(*state.face_up, strict=True))

    def _ranks(self, state: State) -> tuple[int, ...]:
        """Rank by points, then by the highest card of the final hand; cards stay below 64."""
        final = state.taken[1]
        return ranks_of([64 * total + max(cards) for total, cards in zip(self._totals(state), final, strict=True)])

    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Shuffle the deck or the NPC's hand, or draw the NPC's pick or the leader of round 2."""
        if state.phase in (DEAL, SHUFFLE_NPC):
            return shuffle_outcome(shuffled(_to_shuffle(state), stream))
        return Chance(f"draw {stream.below(len(_to_draw(state)))}")

    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return the plays or picks by ascending card; the winner of a trick and the NPC have one."""
        if seat != self._to_act(state):
            return ()
        return _listed(state.phase, self._choices(state, seat))

    def _choices(self, state: State, seat: Seat) -> tuple[int, ...]:
        """Return the cards that the seat to act may play or pick."""
        if state.phase == PLAY:
            return state.hands[seat][:1] if seat == self.npc_seat else state.hands[seat]
        if len(state.pickers) == self.players:
            return state.remaining[:1]
        return (self._npc_choice(state),) if seat == self.npc_seat else state.remaining

    def _npc_choice(self, state: State) -> int:
        if state.drawn is not None:
            return state.drawn
        primes = [card for card in state.remaining if card in PRIMES]
        return primes[-1] if primes and self.options.npc_pick == "prime_then_high" else state.remaining[-1]

    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Refuse in the order: malformed, game over, turn, phase, card."""
        if action not in ACTIONS:
            raise IllegalAction("malformed_action", "an action is play or pick and a card, such as 'play 37'", seat)
        verb, card = ACTIONS[action]
        if state.phase == OVER:
            raise IllegalAction("game_over", "the game is over", seat)
        if seat != self._to_act(state):
            raise IllegalAction("not_your_turn", "it is not this seat's turn", seat)
        if verb != state.phase:
            raise IllegalAction("wrong_phase", f"this seat must {state.phase} a card now", seat)
        if card not in self._choices(state, seat):
            if verb == PLAY:
                raise IllegalAction("card_not_in_hand", f"{card} is not in this hand", seat)
            raise IllegalAction("card_not_available", f"{card} is not among the cards that this seat may take", seat)
        return action

    def apply(self, state: State, step: Step) -> State:
        """Return the state after a shuffle, a draw, a play or a pick."""
        if isinstance(step, Chance):
            return self._settle(state, step.outcome)
        ((seat, action),) = step.by_seat
        verb, card = ACTIONS[self.check(state, seat, action)]
        return self._play(state, seat, card) if verb == PLAY else self._pick(state, seat, card)

    def _settle(self, state: State, outcome: str) -> State:
        if state.phase in (DEAL, SHUFFLE_NPC):
            order = read_numbers(outcome, _to_shuffle(state))
            return self._deal(state, order) if state.phase == DEAL else _with_npc_pile(state, order)
        if state.phase not in (DRAW_PICK, DRAW_LEAD):
            raise ValueError(f"chance outcome {outcome[:60]!r} where none is due")
        drawn = _read_draw(outcome, _to_draw(state))
        if state.phase == DRAW_PICK:
            return state._replace(phase=PICK, drawn=drawn)
        return state._replace(phase=self._phase_before_play(), leader=drawn)

    def _deal(self, state: State, order: tuple[int, ...]) -> State:
        size, dealt = self.hand_size, self.hand_size * self.players
        blocks = [order[first : first + size] for first in range(0, dealt, size)]
        hands = tuple(block if seat == self.npc_seat else tuple(sorted(block)) for seat, block in enumerate(blocks))
        return state._replace(phase=PLAY, hands=hands, aside=order[dealt:])

    def _play(self, state: State, seat: Seat, card: int) -> State:
        hand = tuple(other for other in state.hands[seat] if other != card)
        hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
        trick = (*state.trick, card)
        if len(trick) < self.players:
            return state._replace(hands=hands, trick=trick)
        remaining = tuple(sorted(trick))
        best = winning_card(trick)
        order = (best, *(other for other in remaining if other != best))
        pickers = tuple((state.leader + trick.index(other)) % self.players for other in order)
        return state._replace(phase=PICK, hands=hands, trick=trick, remaining=remaining, pickers=pickers)

    def _pick(self, state: State, seat: Seat, card: int) -> State:
        counts = card in PRIMES or len(state.pickers) == self.players
        pickers = state.pickers[1:]
        after = state._replace(
            phase=DRAW_PICK if self.draws_picks and len(pickers) > 1 and pickers[0] == NPC else PICK,
            remaining=tuple(other for other in state.remaining if other != card),
            pickers=pickers,
            taken=_grown(state.taken, state.round, seat, card),
            face_up=_grown(state.face_up, state.round, seat, card) if counts else state.face_up,
            drawn=None,
        )
        return after if pickers else self._end_trick(after)

    def _end_trick(self, state: State) -> State:
        if state.trick_no < self.hand_size:
            winner = (state.leader + state.trick.index(winning_card(state.trick))) % self.players
            return state._replace(phase=PLAY, trick_no=state.trick_no + 1, leader=winner, trick=())
        return self._end_first_round(state) if state.round == 1 else state._replace(phase=OVER, trick=())

    def _end_first_round(self, state: State) -> State:
        best = _best_of_first_round(state)
        return state._replace(
            phase=DRAW_LEAD if len(best) > 1 else self._phase_before_play(),
            round=2,
            trick_no=1,
            leader=best[0],
            hands=tuple(tuple(sorted(cards)) for cards in state.taken[0]),
            trick=(),
        )

    def _phase_before_play(self) -> str:
        return PLAY if self.npc_seat is None else SHUFFLE_NPC

    def view(self, state: State, seat: Seat | None) -> View:
        """Return what a seat may know (rule file, "Information")."""
        phase, number, trick_no, leader, hands, trick, remaining, pickers, taken, face_up, drawn, _ = state
        if number == 1:
            known: Hands = tuple(hand if place == seat else () for place, hand in enumerate(hands))
        elif self.npc_seat is None:
            known = hands
        else:
            known = (*hands[:NPC], tuple(sorted(hands[NPC])))
        return View(
            seat,
            self.npc_seat,
            phase,
            number,
            trick_no,
            leader,
            self._to_act(state),
            trick,
            tuple((leader + place) % self.players for place in range(len(trick))),
            remaining,
            pickers,
            known[seat] if seat is not None else (),
            tuple(map(len, hands)),
            known,
            taken[0],
            face_up[0],
            taken[1],
            face_up[1],
            tuple((len(one), len(two)) for one, two in zip(*face_up, strict=True)),
            drawn,
        )

    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Show of the deal the seat's own cards, of the NPC's shuffle nothing; all else is public."""
        if isinstance(step, Moves) or before.phase not in (DEAL, SHUFFLE_NPC):
            return step
        size = 0 if seat is None or before.phase != DEAL else self.hand_size
        return redact_shuffle(step.outcome, (), range((seat or 0) * size, ((seat or 0) + 1) * size))

    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Draw anew: in round 1 the other hands and the cards set aside, in round 2 the order of the NPC's pile."""
        if state.round == 2:
            return self._shuffle_pile(state, stream)
        others = (card for place, hand in enumerate(state.hands) if place != seat for card in hand)
        return self._redeal(state, seat, shuffled(sorted([*others, *state.aside]), stream))

    def _shuffle_pile(self, state: State, stream: Source) -> State:
        if self.npc_seat is None:
            return state
        return state._replace(hands=(*state.hands[:NPC], tuple(shuffled(sorted(state.hands[NPC]), stream))))

    def _redeal(self, state: State, seat: Seat | None, cards: list[int]) -> State:
        """Return the state with the unseen cards in this order: other hands by seat, then those set aside."""
        rest = iter(cards)
        hands = []
        for place, held in enumerate(state.hands):
            drawn = held if place == seat else tuple(next(rest) for _ in held)
            hands.append(drawn if place == self.npc_seat else tuple(sorted(drawn)))
        return state._replace(hands=tuple(hands), aside=tuple(rest))

    def imagine(self, view: View, stream: Source) -> State:
        """Place the unseen cards at random; in round 2 only the order of the NPC's pile is open."""
        if view.seat is None:
            raise ValueError("a spectator's view cannot be imagined")
        if view.phase == DEAL:
            return self.initial()
        seen = {card for cards in view.taken_round_1 for card in cards}
        if view.round == 1:
            seen.update(view.hand, view.trick)
        unseen = tuple(card for card in CARDS if card not in seen)
        blank = State(
            view.phase,
            view.round,
            view.trick_no,
            view.leader,
            view.known_hands if view.round == 2 else tuple((0,) * size for size in view.hand_sizes),
            view.trick,
            view.remaining,
            view.pick_order,
            (view.taken_round_1, view.taken_round_2),
            (view.face_up_round_1, view.face_up_round_2),
            view.drawn,
            unseen,
        )
        if view.round == 2:
            return self._shuffle_pile(blank, stream)
        hands = (*blank.hands[: view.seat], view.hand, *blank.hands[view.seat + 1 :])
        return self._redeal(blank._replace(hands=hands), view.seat, shuffled(unseen, stream))

    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return the trick and one line a seat: points, cards taken this round, and the hand where shown."""
        if state.phase == DEAL:
            return "before the deal"
        seats = ((state.leader + place) % self.players for place in range(len(state.trick)))
        plays = "  ".join(f"{seat}:{card}" for seat, card in zip(seats, state.trick, strict=True)) or "-"
        left = f"  left to take {words(state.remaining)}" if state.remaining else ""
        head = f"round {state.round}, trick {state.trick_no} of {self.hand_size}: {plays}{left}"
        return "\n".join([head, *(self._seat_line(state, seat, seat in shown) for seat in range(self.players))])

    def _seat_line(self, state: State, seat: Seat, is_shown: bool) -> str:
        mark = ">" if seat == self._to_act(state) else " "
        name = "NPC   " if seat == self.npc_seat else f"seat {seat}"
        hand = words(sorted(state.hands[seat])) if is_shown or state.round == 2 else len(state.hands[seat])
        up = state.face_up[state.round - 1][seat]
        taken = " ".join(str(c) if c in up else f"({c})" for c in state.taken[state.round - 1][seat]) or "-"
        return f"{mark} {name}  points {self._totals(state)[seat]:2}  hand {hand}  taken {taken}"


def winning_card(trick: Sequence[int]) -> int:
    """Return the card that wins a full trick: the highest prime, or the highest number where there is none."""
    return max([card for card in trick if card in PRIMES] or trick)


def _best_of_first_round(state: State) -> tuple[Seat, ...]:
    """Return the seats with most points in round 1, ascending."""
    points = [len(cards) for cards in state.face_up[0]]
    return tuple(seat for seat, count in enumerate(points) if count == max(points))


def _to_shuffle(state: State) -> tuple[int, ...]:
    return CARDS if state.phase == DEAL else tuple(sorted(state.hands[NPC]))


def _to_draw(state: State) -> tuple[int, ...]:
    """Return what the draw that is due chooses from: the cards left to the NPC, or the seats tied for the lead."""
    return state.remaining if state.phase == DRAW_PICK else _best_of_first_round(state)


def _read_draw(outcome: str, items: tuple[int, ...]) -> int:
    """Return the drawn item.

    Raises:
        ValueError: when the outcome is no draw from these items.
    """
    for number, item in enumerate(items):
        if outcome == f"draw {number}":
            return item
    raise ValueError(f"chance outcome {outcome[:60]!r} is no draw from {len(items)}")


def _with_npc_pile(state: State, order: tuple[int, ...]) -> State:
    return state._replace(phase=PLAY, hands=(*state.hands[:NPC], order))


def _grown(piles: tuple[Hands, Hands], number: int, seat: Seat, card: int) -> tuple[Hands, Hands]:
    """Return the piles with a card more on that of a seat in round ``number``."""
    before = piles[number - 1]
    after = (*before[:seat], (*before[seat], card), *before[seat + 1 :])
    return (after, piles[1]) if number == 1 else (piles[0], after)


@lru_cache(maxsize=1 << 15)
def _listed(verb: str, cards: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(f"{verb} {card}" for card in cards)
