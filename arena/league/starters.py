"""``arena new-bot``: a starter of a language, copied and named, with the place to edit pointed out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import UsageError, nearest
from arena.games import game_class
from arena.league.bots import MANIFEST, read_bot, shipped
from arena.league.locate import TomlFile, toml_value
from arena.league.names import name_problem
from arena.league.sources import copy_sources, source_files
from arena.league.toolchains import TOOLCHAINS, Toolchain
from arena.league.view_words import view_words

STARTER = "random"
ALIASES: Mapping[str, str] = {
    "c++": "cpp",
    "cxx": "cpp",
    "golang": "go",
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "ts": "javascript",
    "typescript": "javascript",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
}
"""Other words for a language."""


SDK_FOLDER = "arena"
"""The part of a starter that is no business of its author, wherever its language wants it: SDK and contract."""
_EDIT = re.compile(r"legal_?actions", re.IGNORECASE)
_HASH_COMMENTS = frozenset([".py", ".rb"])


@dataclass(frozen=True, slots=True)
class Made:
    """A bot that was made.

    Attributes:
        folder: its folder.
        files: its files outside the SDK, relative to the folder, sorted.
        edit: the file where its action is chosen, relative to the folder, and the line, from 1.
        toolchain: what it needs to be built and run.
    """

    folder: Path
    files: tuple[str, ...]
    edit: tuple[str, int]
    toolchain: Toolchain


def next_commands(folder: Path | str, game: str) -> tuple[str, str]:
    """Return the two commands that come after ``arena new-bot``, as it and the README say them."""
    bot = shlex.quote(str(folder))
    return f"arena check {bot} --quick", f"arena play {game} {bot} random random --show"


def languages() -> tuple[str, ...]:
    """Return the languages that have a starter, sorted."""
    return tuple(sorted(path.parents[1].name for path in shipped("bots").glob(f"*/{STARTER}/{MANIFEST}")))


def language_of(word: str) -> str:
    """Return the language that a word of the command line means.

    Raises:
        UsageError: for one without a starter, with the nearest that has one.
    """
    known = languages()
    language = ALIASES.get(word.lower(), word.lower())
    if language not in known:
        raise UsageError(
            f"--lang {word}: no starter in this language{nearest(word.lower(), [*known, *ALIASES])} "
            f"(languages: {', '.join(known)}); in any other, proto/README.md is all that a bot needs"
        )
    return language


def make_bot(folder: Path, language: str, game: str | None = None) -> Made:
    """Copy the starter of a language into a new folder and name it after the folder.

    Args:
        folder: does not exist, or is empty.
        language: as ``language_of`` returns it.
        game: id of the game that the bot is for; None for all.

    Raises:
        UsageError: when the folder is taken or no name for a bot, or cannot be written.
        BadOptions: for an unknown game, with the nearest.
    """
    name = folder.resolve().name
    if problem := name_problem(name):
        raise UsageError(f"{folder}: a bot is called as its folder, and {name!r} will not do: {problem}")
    if game is not None:
        game_class(game)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is there already and not empty; give another name")
    starter = read_bot(str(shipped("bots") / language / STARTER), Path.cwd())
    files = source_files(starter)
    try:
        copy_sources(starter, files, folder)
        own = tuple(str(path) for path in files if SDK_FOLDER not in path.parts)
        _name(folder / MANIFEST, name, game)
        edit = _prepare(folder, own, list(view_words(game, language)))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from error
    return Made(folder, own, edit, TOOLCHAINS[language])


def _name(manifest: Path, name: str, game: str | None) -> None:
    """Put name and game into a manifest, and leave the rest of its text as it is."""
    file = TomlFile.read(manifest)
    lines = file.text.splitlines()
    lines[file.line(("name",)) - 1] = f"name = {toml_value(name)}"
    if game is not None and "games" not in file.document:
        lines.append(f"games = {toml_value([game])}")
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _prepare(folder: Path, files: tuple[str, ...], words: Sequence[str]) -> tuple[str, int]:
    """Find where the action is chosen, and write these words above it as comments."""
    for name in files:
        path = folder / name
        lines = re.sub(r"  # noqa: .*", "", path.read_text(encoding="utf-8", errors="replace")).splitlines()
        mark = "#" if path.suffix in _HASH_COMMENTS else "//"
        for number, line in enumerate(lines):
            if _EDIT.search(line) and not line.lstrip().startswith((mark, '"', "*", "/*")):
                indent = line[: len(line) - len(line.lstrip())]
                above = [f"{indent}{mark} {line}".rstrip() for line in words]
                path.write_text("\n".join([*lines[:number], *above, *lines[number:]]) + "\n", encoding="utf-8")
                return name, number + len(above) + 1
    raise AssertionError(f"the starter in {folder} never looks at its legal actions")
