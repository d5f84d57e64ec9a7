"""PGN headers as results: White is seat 1, a ``Deal`` tag is the deal; movetext is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.ratings.problems import ErrorList
from arena.ratings.results import Result

TWO_SEAT_RANKS: dict[str, tuple[int, int]] = {"1-0": (1, 2), "1/2-1/2": (1, 1), "0-1": (2, 1)}
_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$')


def read_pgn(text: list[str], name: str) -> list[Result]:
    """Return the games of PGN headers; games without a result (``*``) are left out.

    Args:
        text: the lines, without line ends.
        name: the file's name, for messages.

    Raises:
        UsageError: with all errors of the file (the first 20).
    """
    errors = ErrorList(name)
    games: list[Result] = []
    for tags in _pgn_headers(text, errors):
        game = _pgn_game(tags, len(games) + 1, errors)
        if game is not None:
            games.append(game)
    if not games and not errors.found:
        errors.add(1, None, "there are no finished games in the file")
    errors.check()
    return games


def _pgn_headers(text: list[str], errors: ErrorList) -> Iterator[dict[str, tuple[str, int]]]:
    """Yield the tags of each game with their lines; a tag after movetext or a tag seen already begins the next game."""
    tags: dict[str, tuple[str, int]] = {}
    in_moves = False
    for number, line in enumerate(text, start=1):
        found = _TAG.match(line.strip())
        if found is None:
            if line.lstrip().startswith("[") and not in_moves:
                errors.add(number, 1, f"not a PGN tag: {line.strip()!r}")
            in_moves = in_moves or bool(line.strip())
            continue
        tag, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if tags and (in_moves or tag in tags):
            yield tags
            tags = {}
        in_moves = False
        tags[tag] = (value, number)
    if tags:
        yield tags


def _pgn_game(tags: dict[str, tuple[str, int]], number: int, errors: ErrorList) -> Result | None:
    line = min(place for _, place in tags.values())
    missing = [tag for tag in ("White", "Black", "Result") if not tags.get(tag, ("", 0))[0]]
    if missing:
        errors.add(line, None, f"the game has no {' and no '.join(missing)} tag")
        return None
    white, black, result = (tags[tag][0] for tag in ("White", "Black", "Result"))
    if white == black:
        errors.add(tags["Black"][1], None, f"{white!r} plays against itself")
    if result == "*":
        return None
    if result not in TWO_SEAT_RANKS:
        errors.add(tags["Result"][1], None, f"result {result!r}; accepted are {', '.join(TWO_SEAT_RANKS)} and *")
        return None
    if errors.found:
        return None
    return Result((white, black), TWO_SEAT_RANKS[result], deal=tags["Deal"][0] if "Deal" in tags else None)
