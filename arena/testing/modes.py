"""The modes of a game, found through what its options accept, for tests that must forget none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from arena.games import game_class
from arena.games.options import option_fields


def mode_options(game_id: str) -> Iterator[tuple[str, Any]]:
    """Yield (option, value) for every value, other than the default, of each option that takes words or a flag."""
    for option, accepts in option_fields(game_class(game_id).options_type):
        for word in accepts.words.split(" | ") if " | " in accepts.words else ():
            value = json.loads(word) if word in ("true", "false") or word.startswith("[") else word
            if (tuple(value) if isinstance(value, list) else value) != option.default:
                yield option.name, value
