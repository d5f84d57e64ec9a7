"""What the seat sees in a game, in the words of a language: the comments that ``arena new-bot --game`` writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from arena.league.bots import shipped

_FIELD = re.compile(r"^  (?P<type>(?:optional |repeated )?[\w.]+) (?P<name>\w+) = \d+;")
LISTS = "repeated Numbers"


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _camel(name: str) -> str:
    return _pascal(name)[:1].lower() + _pascal(name)[1:]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language reads the view of a request.

    Attributes:
        view: the view of a game, which stands for ``{game}`` or, in capitals, for ``{Game}``.
        scalar: reads a field, ``{}`` in the language's own case.
        listed: as ``scalar``, for a list.
        first: the first item of a list, likewise.
        case: the language's own case of a field's name.
    """

    view: str
    scalar: str = "{}"
    listed: str = "{}"
    first: str = "{}[0]"
    case: Callable[[str], str] = str

    def field(self, kind: str, name: str) -> str:
        """Return how a field is read."""
        return (self.listed if kind.startswith("repeated ") else self.scalar).format(self.case(name))

    def of(self, game: str) -> str:
        """Return how the view of a game is read."""
        return self.view.format(game=game, Game=_pascal(game))


SPELLINGS: Mapping[str, Spelling] = {
    "cpp": Spelling("request.{game}()", "{}()", "{}()", "{}(0)"),
    "go": Spelling("request.Get{Game}()", case=_pascal),
    "java": Spelling("request.message().get{Game}()", "get{}()", "get{}List()", "get{}(0)", _pascal),
    "javascript": Spelling("request.view", case=_camel),
    "python": Spelling("request.view"),
    "ruby": Spelling("request.{game}"),
    "rust": Spelling("(if let Some(arena_sdk::View::{Game}(view)) = &request.view) view"),
}
"""By language."""


def view_words(game: str | None, language: str) -> Iterator[str]:
    """Yield what a bot sees and how its language reads it: of its game one line a field, of all an example.

    Args:
        game: id of a game; None for a bot that plays all.
        language: key of ``SPELLINGS``.
    """
    spelling = SPELLINGS[language]
    if game is None:
        example = f"{spelling.of('no_thanks')}.{spelling.field('uint32', 'target')}"
        yield f"What the seat sees ('arena games ID' lists the fields of a game), in No Thanks! such as {example}."
        return
    fields = list(view_fields(game))
    if not fields:
        return
    example = next(spelling.field(kind, name) for kind, name, _ in fields if not kind.startswith("optional "))
    yield f"What the seat sees ('arena games {game}' has the rules), such as {spelling.of(game)}.{example}:"
    for kind, name, meaning in fields:
        yield f"  {spelling.field(kind, name)} ({kind}): {meaning}"
    rows = next((name for kind, name, _ in fields if kind == LISTS), None)
    if rows is not None:
        row = f"{spelling.first.format(spelling.case(rows))}.{spelling.field('repeated ', 'values')}"
        yield f"Numbers is a list, too: {row} is the first of {spelling.field(LISTS, rows)}."


def view_fields(game: str) -> Iterator[tuple[str, str, str]]:
    """Yield (type, name, meaning) of the fields of a game's view, as the contract has them; none for other games."""
    path = shipped("proto") / f"arena/v1/{game}.proto"
    if not path.is_file():
        return
    words: list[str] = []
    inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        inside = (inside or (line.startswith("message ") and line.endswith("View {"))) and line != "}"
        if inside and line.startswith("  // "):
            words.append(line[5:])
        elif inside and (field := _FIELD.match(line)):
            yield field["type"], field["name"], " ".join(words)
            words = []
