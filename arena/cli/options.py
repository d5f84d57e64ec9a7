"""Options of a game as a command line gives them, and the option that several commands have."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

import click

from arena.errors import BadOptions, UsageError, nearest
from arena.games import game_class
from arena.games.options import option_fields
from arena.league.tables import MOVE_MS_LEAST, MOVE_MS_MOST

move_ms_option = click.option(
    "--move-ms",
    type=click.IntRange(MOVE_MS_LEAST, MOVE_MS_MOST),
    default=1000,
    show_default=True,
    help="Limit of a decision.",
)
"""``--move-ms``, with what a league file accepts."""


def game_options(game: str, given: Sequence[str]) -> dict[str, Any]:
    """Return the options of the command line, each read as its kind of value.

    Raises:
        UsageError: for one that is not NAME=VALUE.
        BadOptions: for an unknown name, with the nearest.
    """
    known = {option.name: option.default for option, _ in option_fields(game_class(game).options_type)}
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text}: accepted is NAME=VALUE, such as rounds=1")
        if name not in known:
            raise BadOptions(f"--option {text}: unknown option{nearest(name, known)} (options: {', '.join(known)})")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    """Return the value that a TOML file would hold: a number, a truth value, a list, else the word itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
