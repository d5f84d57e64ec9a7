"""Pure rules of the card games: no clock, file, network, log or global random.

A game is functions on a frozen state. ``create("no_thanks", seats=4, rounds=1)`` makes one; ``game_ids()`` lists them.
"""

from arena.errors import BadOptions, IllegalAction
from arena.games.base import (
    Action,
    Chance,
    ChanceTurn,
    Game,
    GameOver,
    Moves,
    Seat,
    SeatTurn,
    Source,
    Step,
)
from arena.games.registry import create, game_class, game_ids, one_round

__all__ = [
    "Action",
    "BadOptions",
    "Chance",
    "ChanceTurn",
    "Game",
    "GameOver",
    "IllegalAction",
    "Moves",
    "Seat",
    "SeatTurn",
    "Source",
    "Step",
    "create",
    "game_class",
    "game_ids",
    "one_round",
]
