"""The games by name: the arena's own in an explicit table, others through the entry-point group ``arena.games``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from arena.errors import BadOptions, nearest
from arena.games.base import Game
from arena.games.options import option_fields

_OWN = {
    "no_thanks": "arena.games.no_thanks:NoThanks",
    "king_priam": "arena.games.king_priam:KingPriam",
    "prime_cards": "arena.games.prime_cards:PrimeCards",
    "prime_reversal": "arena.games.prime_reversal:PrimeReversal",
    "unique": "arena.games.unique:Unique",
    "rainbow": "arena.games.rainbow:Rainbow",
    "classification": "arena.games.classification:Classification",
}


def game_ids() -> tuple[str, ...]:
    """Return the names of all games, the arena's own first, each group in order."""
    return (*_OWN, *sorted(set(_others()) - set(_OWN)))


def game_class(game_id: str) -> type[Game[Any, Any]]:
    """Return the class of a game.

    Raises:
        BadOptions: for an unknown name, with the nearest one.
    """
    if game_id in _OWN:
        module, _, name = _OWN[game_id].partition(":")
        found: type[Game[Any, Any]] = getattr(import_module(module), name)
        return found
    if game_id in _others():
        loaded: type[Game[Any, Any]] = _others()[game_id].load()
        return loaded
    known = ", ".join(game_ids())
    raise BadOptions(f"unknown game {game_id!r}{nearest(game_id, game_ids())} (games: {known})")


def create(game_id: str, seats: int, **options: Any) -> Game[Any, Any]:
    """Return a game for a number of seats, with options by name.

    Raises:
        BadOptions: for an unknown game or option, or a value outside its range.
    """
    return game_class(game_id).make(seats, options)


def one_round(game_id: str) -> dict[str, Any]:
    """Return the option that makes a game as short as it can be, where it is played in rounds.

    Raises:
        BadOptions: for an unknown name.
    """
    names = [option.name for option, _ in option_fields(game_class(game_id).options_type)]
    return {"rounds": 1} if "rounds" in names else {}


@cache
def _others() -> Mapping[str, Any]:
    return {point.name: point for point in entry_points(group="arena.games")}
