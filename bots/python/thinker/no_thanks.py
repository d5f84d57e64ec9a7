"""No Thanks!: plays imagined auctions on for some decisions and sees who then has fewer points to expect.

Each iteration draws the cards to come and tries every action in the same order of the deck. All seats go on by a
margin: they take a card that costs them at most some points more than its tokens. A position is judged by points less
tokens, tokens being worth more while few are held, and by the cards to come that a row gets for nothing.

Measured against two of greedy, one round, in all seatings of fixed deals (95 % interval over deals): 90.8 ± 5.8 % (3
seats, a third is par; 60 deals), 1.5 ms a decision; 33 points on average against 79. The bot careful knows this game
better, in a fraction of the time.
"""

from __future__ import annotations

from math import exp
from typing import Any

from arena.games import Action, GameOver, Source
from arena.games.no_thanks import State, row_points
from arena.search import Dice, Knowledge, flat_search
from arena.search.knowledge import lead_values

ITERATIONS = 24
MARGIN = 10
"""Points more than its tokens at which everybody is expected to take a card."""
FREE_CARD = 3.0
"""Points expected from a card to come that is a neighbour of a row: the others pay for it in tokens."""
SCARCITY, SCARCITY_TOKENS = 20.0, 6.0
"""Points that a seat without tokens lacks, and the tokens in which the lack falls to 1/e, while cards are to come."""
LEAD_SCALE = 60.0
"""Points of lead that are worth everything."""
ROUNDS_AHEAD = 4
"""Decisions of every seat that are played on."""


def by_margin(game: Any, state: State, seat: int, dice: Source) -> Action:
    """Take a card that costs at most the margin, or when there is no token left."""
    if not state.tokens[seat]:
        return "take"
    return "take" if added_points(state.rows[seat], state.target) - state.pot <= MARGIN else "pass"


def added_points(row: tuple[int, ...], card: int) -> int:
    """Return what a card adds to the points of a row; runs count their lowest card alone."""
    return (0 if card - 1 in row else card) - (card + 1 if card + 1 in row else 0)


def evaluate(game: Any, state: State) -> tuple[float, ...]:
    """Return the guessed worth of a position by seat, in 0..1."""
    before = [sum(points) for points in zip(*state.round_scores, strict=True)] or [0] * game.seats
    coming = {*state.deck, state.target}
    expected = []
    for seat, row in enumerate(state.rows):
        tokens = state.tokens[seat]
        neighbours = coming.intersection({card + step for card in row for step in (-1, 1)})
        lack = SCARCITY * exp(-tokens / SCARCITY_TOKENS) if state.deck else 0.0
        expected.append(tokens - lack - row_points(row) - before[seat] + FREE_CARD * len(neighbours))
    return lead_values(expected, LEAD_SCALE)


def utility(game: Any, over: GameOver) -> tuple[float, ...]:
    """Return the worth of the end of the game by seat, in 0..1."""
    return lead_values(over.scores, LEAD_SCALE)


def choose(game: Any, view: Any, dice: Dice, iterations: int) -> Action:
    """Return the action that does best in the imagined auctions."""
    knowledge = Knowledge(policy=by_margin, utility=utility, horizon=ROUNDS_AHEAD * game.seats, evaluate=evaluate)
    return flat_search(game, view, view.seat, dice, iterations=iterations, knowledge=knowledge)[0].action
