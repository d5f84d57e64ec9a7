"""Where in a TOML file a key stands, and the problems of a file, all at once, each with its line.

Neither ``tomllib`` nor ``pydantic`` keeps lines. The locator reads the raw text once more and needs to know only
table headers and the keys that begin a line; a key inside an inline table or a list has the line of the key before it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from arena.errors import UsageError

KeyPath: TypeAlias = tuple[str | int, ...]
"""The way to a value: ``("game", 0, "options", "rounds")``."""

_PART = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_KEY})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_KEY})\s*=")
_VALUE_SHOWN = 60
_DEPTH_MOST = 50
"""Far deeper than any key of ours, and far from where copying, checking or showing a value would give up."""
_HAS_MARK = "it begins with a byte order mark, which TOML has not; save it as UTF-8 without BOM"
_QUOTES = '; text stands in quotes, as in name = "spring"'
_TOO_DEEP = "tables or lists are nested too deeply to be read"


class TomlFile:
    """A TOML file that was read, and the problems found in it.

    Attributes:
        path: the file, as it was given.
        text: its content.
        document: its content as values; empty when it could not be parsed.
        problems: (line, words) of what is wrong with it.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.problems: list[tuple[int, str]] = []
        self.document: dict[str, Any] = {}
        self._lines = key_lines(text)
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"line (\d+)", str(error))
            hint = _QUOTES if str(error).startswith("Invalid value") else ""
            words = _HAS_MARK if text.startswith("\ufeff") else f"{error}{hint}"
            self.problems.append((int(found[1]) if found else text.count("\n") + 1, f"not valid TOML: {words}"))
        except RecursionError:
            self.problems.append((1, _TOO_DEEP))
        else:
            if _is_deep(document):
                self.problems.append((1, _TOO_DEEP))
            else:
                self.document = document

    @classmethod
    def read(cls, path: Path) -> TomlFile:
        """Read a file.

        Raises:
            UsageError: when it is missing, unreadable, not UTF-8, or no file but a pipe, which may never end.
        """
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise UsageError(f"{path}: is no file")
            return cls(path, path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise UsageError(f"{path}: no such file") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not UTF-8 text ({error})") from error
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error
        except ValueError as error:  # a path with a NUL character
            raise UsageError(f"{str(path)!r}: no such file: {error}") from error

    def line(self, keys: KeyPath) -> int:
        """Return the line (from 1) of a key, else of the nearest thing around it."""
        for length in range(len(keys), 0, -1):
            if keys[:length] in self._lines:
                return self._lines[keys[:length]]
        return 1

    def add(self, keys: KeyPath, words: str) -> None:
        """Note a problem: ``line``, ``[table] key = value`` as written, and in words what is accepted."""
        value = self._value(keys)
        shown = "" if isinstance(value, dict) or value is None else f" = {_shown(value)}"
        problem = (self.line(keys), f"{_key_words(keys)}{shown}: {words}")
        if problem not in self.problems:
            self.problems.append(problem)

    def _value(self, keys: KeyPath) -> Any:
        value: Any = self.document
        for key in keys:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return None if isinstance(value, list) and value and isinstance(value[0], dict) else value


def raise_problems(files: Sequence[TomlFile]) -> None:
    """Raise all problems of all files, one a line as ``file:line: words``, if there are any.

    Raises:
        UsageError: with every problem.
    """
    lines = [f"{file.path}:{line}: {words}" for file in files for line, words in sorted(file.problems)]
    if lines:
        raise UsageError("\n".join(lines))


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table header and of every key that begins a line."""
    lines: dict[KeyPath, int] = {}
    counts: Counter[KeyPath] = Counter()
    table: KeyPath = ()
    quotes = ""
    for number, line in enumerate(text.splitlines(), 1):
        if quotes:
            quotes = "" if quotes in line else quotes
            continue
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] += 1
            table = _indexed(table, counts)
            lines.setdefault(table, number)
            if header[1] == "[[":
                lines.setdefault(table[:-1], number)  # the list as a whole, where its first element is
        elif key := _ASSIGNMENT.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
        quotes = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
    return lines


def toml_value(value: Any) -> str:
    """Return a text, number, truth value or list of them as TOML writes it.

    JSON and TOML write these alike, but for two things: TOML has no surrogate pairs, which JSON in ASCII makes of all
    beyond U+FFFF, and no DEL in a string. A text with a lone surrogate (a file name that is not UTF-8) has no TOML.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_deep(document: dict[str, Any]) -> bool:
    """Return whether tables and lists are nested beyond all use, as a key of many dots makes them too."""
    level: list[Any] = [document]
    for _ in range(_DEPTH_MOST):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    return bool(level)


def _indexed(table: KeyPath, counts: Counter[KeyPath]) -> KeyPath:
    """Put the number of the current element behind every part of a header that names a list of tables."""
    out: list[str | int] = []
    for length, part in enumerate(table, 1):
        out.append(part)
        if counts[table[:length]]:
            out.append(counts[table[:length]] - 1)
    return tuple(out)


def _parts(key: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in re.findall(_PART, key))


def _key_words(keys: KeyPath) -> str:
    """``("game", 0, "seats")`` as ``[[game]] seats``, ``("limits", "move_ms")`` as ``[limits] move_ms``."""
    if not keys:
        return "the file"
    if len(keys) == 1:
        return str(keys[0])
    table, *rest = keys
    listed = isinstance(rest[0], int)
    names = ".".join(str(key) for key in rest if isinstance(key, str))
    return f"{'[[' if listed else '['}{table}{']]' if listed else ']'}{' ' if names else ''}{names}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _VALUE_SHOWN else f"{text[: _VALUE_SHOWN - 3]}..."
