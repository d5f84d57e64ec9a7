"""Information-set Monte Carlo tree search: one tree over what is played, a fresh imagined deal for every iteration.

After Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012): a node counts how often each
action could have been tried, since different deals allow different ones, and UCB1 uses that count. Chance is not
branched on: it is part of the imagined deal. Seats that act at once choose by arms of their own (decoupled UCT), so
nobody answers what it cannot have seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Any

from arena.games import Action, ChanceTurn, Game, GameOver, Moves, Seat, Source
from arena.search.knowledge import Knowledge
from arena.search.lines import Arm, Line
from arena.search.playout import Dice, playout


class Node:
    """One situation of the tree.

    Attributes:
        arms: by seat, then action: what is known about it here.
        children: the situations that follow, by the moves of all seats that act.
    """

    __slots__ = ("arms", "children")

    def __init__(self) -> None:
        self.arms: dict[Seat, dict[Action, Arm]] = {}
        self.children: dict[tuple[tuple[Seat, Action], ...], Node] = {}

    def offer(self, seat: Seat, actions: Sequence[Action]) -> dict[Action, Arm]:
        """Return the arms of the actions that an imagined deal allows, each counted as offered."""
        known = self.arms.setdefault(seat, {})
        offered = {action: known.setdefault(action, Arm()) for action in actions}
        for arm in offered.values():
            arm.offered += 1
        return offered


def tree_search(
    game: Game[Any, Any],
    view: Any,
    seat: Seat,
    stream: Source,
    *,
    iterations: int = 400,
    knowledge: Knowledge | None = None,
    exploration: float = 0.7,
) -> tuple[Line, ...]:
    """Return the candidate actions of a seat, most visited first, then by mean.

    Args:
        game: the rules.
        view: what the seat sees; it must be to act.
        seat: the seat.
        stream: the only randomness.
        iterations: imagined games to play.
        knowledge: how to play on and judge; None knows the rules alone.
        exploration: weight of what was seldom tried, for a worth in 0..1; the paper's value.

    Raises:
        ValueError: when the seat is not to act.
    """
    known = knowledge or Knowledge()
    dice = Dice.of(stream)
    actions = known.actions_at(game, game.imagine(view, dice), seat)
    root = Node()
    for _ in range(iterations if len(actions) > 1 else 0):
        _iterate(game, game.imagine(view, dice), root, known, dice, exploration)
    arms = root.arms.get(seat, {})
    found = [(action, arms.get(action) or Arm()) for action in actions]
    lines = [Line(action, arm.visits, arm.mean) for action, arm in found]
    return tuple(sorted(lines, key=lambda line: (-line.visits, -line.mean)))


def _iterate(game: Game[Any, Any], state: Any, node: Node, known: Knowledge, dice: Source, exploration: float) -> None:
    """Walk down the tree to something new, play on from there, and add the worth to all that was chosen."""
    chosen: list[tuple[Seat, Arm]] = []
    is_new = False
    while not is_new and not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, dice))
            continue
        by_seat = []
        for seat in turn.seats:
            actions = known.candidates(game, state, seat)
            action = actions[0]
            if len(actions) > 1:
                action, arm = _select(node.offer(seat, actions), dice, exploration)
                chosen.append((seat, arm))
                is_new = is_new or not arm.visits
            by_seat.append((seat, action))
        moves = tuple(by_seat)
        state = game.apply(state, Moves(moves))
        node = node.children.setdefault(moves, Node())
    worth = playout(game, state, known, dice)
    for seat, arm in chosen:
        arm.add(worth[seat])


def _select(offered: dict[Action, Arm], dice: Source, exploration: float) -> tuple[Action, Arm]:
    """Return an untried action, drawn at random, or the one with the highest upper confidence bound."""
    untried = [pair for pair in offered.items() if not pair[1].visits]
    if untried:
        return untried[dice.below(len(untried))]
    return max(
        offered.items(),
        key=lambda pair: pair[1].mean + exploration * sqrt(log(pair[1].offered) / pair[1].visits),
    )
