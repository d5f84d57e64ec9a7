"""Prime Reversal: plays imagined games to their end and takes the action that wins most of them.

Each iteration deals the unseen cards (in round 2 only the order of the NPC's pile is unknown), tries every action in
that deal, and lets all seats go on by a rule of thumb: win the trick if a card does, else dump the least useful one;
as a loser take the highest prime. It finds out by itself that a low card is often worth more than a high one, since the
first loser picks the winner's prime, and that what is taken in round 1 must be played in round 2.

The course after the first move is followed here on plain lists, ten times as fast as by ``Game.apply``.

Measured against greedy in all seatings of fixed deals (95 % intervals over deals): 81.0 ± 4.5 % with two bots (150
deals), 2.2 ms a decision; against two of greedy 72.5 ± 7.4 % (a third is par; 40 deals).
"""

from __future__ import annotations

from typing import Any

from ends import worths

from arena.games import Action, GameOver
from arena.games.prime_reversal import CARDS, NPC, PICK, PRIMES, State, winning_card
from arena.search import Dice, Knowledge, flat_search

ITERATIONS = 30
LEAD_SCALE = 8.0
"""Points of lead that are worth all that a lead is worth."""
STRENGTH = tuple(card + (len(CARDS) + CARDS[0]) * (card in PRIMES) for card in range(CARDS[-1] + 1))
"""What decides a trick, by card."""


class Course:
    """A game that is followed to its end.

    Attributes:
        npc: how the NPC picks, "" without one.
        dice: for the NPC and for tied leads.
        hands: by seat, weakest card first; the NPC's from the top of its pile.
        points: by seat, of both rounds.
        taken: cards taken in this round, by seat.
        leader: who leads the trick.
    """

    def __init__(self, game: Any, state: State, dice: Dice) -> None:
        self.npc = game.options.npc_pick if game.npc_seat is not None else ""
        self.dice = dice
        self.hands = [
            list(hand) if self.npc and seat == NPC else sorted(hand, key=STRENGTH.__getitem__)
            for seat, hand in enumerate(state.hands)
        ]
        self.points = [len(one) + len(two) for one, two in zip(*state.face_up, strict=True)]
        self.taken = [list(cards) for cards in state.taken[state.round - 1]]
        self.leader = state.leader

    def run(self, state: State) -> Course:
        """Follow the game from the state that it was made of to its end, and return it."""
        self.finish_trick(state)
        for number in range(state.round, 3):
            while self.hands[self.leader]:
                self.play([])
            if number == 1:
                self.begin_second_round()
        return self

    def finish_trick(self, state: State) -> None:
        """Bring the trick that has begun to its end."""
        if state.phase == PICK:
            self.leader = (state.leader + state.trick.index(winning_card(state.trick))) % len(self.hands)
            self.share(list(state.remaining), list(state.pickers))
        elif state.trick:
            self.play(list(state.trick))

    def begin_second_round(self) -> None:
        """Take up the cards of round 1; the seat with most points leads."""
        most = max(self.points)
        best = [seat for seat, count in enumerate(self.points) if count == most]
        self.leader = best[self.dice.below(len(best))] if len(best) > 1 else best[0]
        for seat, cards in enumerate(self.taken):
            self.hands[seat] = sorted(cards, key=STRENGTH.__getitem__)
        if self.npc:
            pile = self.hands[NPC]
            for place in range(len(pile) - 1, 0, -1):
                other = self.dice.below(place + 1)
                pile[place], pile[other] = pile[other], pile[place]
        self.taken = [[] for _ in self.hands]

    def play(self, trick: list[int]) -> None:
        """Complete a trick and share it out."""
        players = len(self.hands)
        top = max([STRENGTH[card] for card in trick], default=0)
        for place in range(len(trick), players):
            seat = (self.leader + place) % players
            hand = self.hands[seat]
            card = hand.pop(-1 if STRENGTH[hand[-1]] > top and not (self.npc and seat == NPC) else 0)
            top = max(top, STRENGTH[card])
            trick.append(card)
        order = sorted(trick)
        best = max(trick, key=STRENGTH.__getitem__)
        seats = [(self.leader + trick.index(card)) % players for card in order if card != best]
        self.leader = (self.leader + trick.index(best)) % players
        self.share(order, [self.leader, *seats])

    def share(self, cards: list[int], seats: list[int]) -> None:
        """Give the remaining cards (ascending) to the seats in order; the winner of the trick takes the lowest."""
        for seat in seats:
            if len(cards) == len(self.hands):
                card = cards[0]
                self.points[seat] += 1
            else:
                card = self.npc_pick(cards) if self.npc and seat == NPC else max(cards, key=STRENGTH.__getitem__)
                self.points[seat] += card in PRIMES
            cards.remove(card)
            self.taken[seat].append(card)

    def npc_pick(self, cards: list[int]) -> int:
        """Return what the NPC picks."""
        if self.npc == "random":
            return cards[self.dice.below(len(cards))]
        return cards[-1] if self.npc == "highest" else max(cards, key=STRENGTH.__getitem__)

    def places(self) -> list[tuple[int, int]]:
        """Return by seat what ranks it: points, then the highest card of the final hand."""
        return [(points, max(cards)) for points, cards in zip(self.points, self.taken, strict=True)]


def choose(game: Any, view: Any, dice: Dice, iterations: int) -> Action:
    """Return the action that does best in the imagined games."""

    def evaluate(game: Any, state: State) -> tuple[float, ...]:
        return worths(Course(game, state, dice).run(state).places()[: game.seats], LEAD_SCALE)

    def utility(game: Any, over: GameOver) -> tuple[float, ...]:
        scored = zip(over.scores[: game.seats], over.ranks, strict=False)
        return worths([(score, -rank) for score, rank in scored], LEAD_SCALE)

    knowledge = Knowledge(utility=utility, horizon=0, evaluate=evaluate)
    return flat_search(game, view, view.seat, dice, iterations=iterations, knowledge=knowledge)[0].action
