"""thinker plays every game by what it counts and imagines: one module a game holds the idea and what it is worth.

The games with much to imagine share the search core ``arena.search``, and all read the rules from ``arena.games``; that
is why one bot plays them all. It counts imagined games and draws from the generator of the game, so the same game gives
the same play on every machine. A decision takes about 2 ms or less; ``--iterations N`` imagines N games a decision
instead (in games that are counted and not imagined it changes nothing).

What it was measured to win against greedy, and with how much luck, stands in the module of each game.
"""

import argparse
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from arena.games import create
from arena.protocol.convert import view_in
from arena.sdk import Request, run
from arena.search import Dice

SEEDS = 53
"""Bits of the seed of a decision."""


@cache
def module_of(game_id: str) -> Any:
    """Return the module of this bot for a game; it is loaded when first asked for, since some compute tables."""
    return import_module(game_id)


@lru_cache(maxsize=64)
def rules_of(game_id: str, seats: int, options: tuple[tuple[str, Any], ...]) -> Any:
    """Return the rules of a game; those of many games at once are the same."""
    return create(game_id, seats, **dict(options))


def thinker(iterations: int | None = None) -> Callable[[Request], str]:
    """Return the bot's answer to a request.

    Args:
        iterations: imagined games a decision; None takes the default of each game.
    """

    def decide(request: Request) -> str:
        game = request.game
        module = module_of(game.game)
        options = ((name, tuple(v) if isinstance(v, list) else v) for name, v in game.options.items())
        rules = rules_of(game.game, game.seats, tuple(options))
        dice = Dice(request.rng.getrandbits(SEEDS))
        return str(module.choose(rules, view_in(request.message), dice, iterations or module.ITERATIONS))

    return decide


def main() -> None:
    """Serve with the number of iterations of the command line."""
    parser = argparse.ArgumentParser(description="Plays every game of the arena by counting and imagining.")
    parser.add_argument("--iterations", type=int, metavar="N", help="imagined games a decision")
    run(thinker(parser.parse_args().iterations))


if __name__ == "__main__":
    main()
