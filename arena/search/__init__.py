"""Information-set search for bots: play imagined games on, and see which action does best.

A bot has a view and no state. ``Game.imagine`` draws states that fit the view; each iteration plays one of them on.
Budgets are iterations, never time, and every draw comes from the stream that is handed in: the same view, stream and
knowledge give the same answer on every machine.

* ``flat_search`` compares the actions at hand in the same imagined games and drops the weaker half as it goes: the
  better choice for some dozens of iterations, which is what two milliseconds hold.
* ``tree_search`` also learns what everyone does next: worth it from some hundreds of iterations on.

Both return the actions best first::

    lines = flat_search(game, view, seat, stream, iterations=40, knowledge=Knowledge(policy=my_policy))
    return lines[0].action
"""

from arena.search.flat import flat_search
from arena.search.knowledge import (
    Knowledge,
    by_margin,
    by_rank,
    random_policy,
)
from arena.search.lines import Line
from arena.search.playout import Dice, playout
from arena.search.tree import tree_search

__all__ = [
    "Dice",
    "Knowledge",
    "Line",
    "by_margin",
    "by_rank",
    "flat_search",
    "playout",
    "random_policy",
    "tree_search",
]
