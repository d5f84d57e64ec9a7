"""A bot before it is snapshotted: from a folder with ``bot.toml``, from the shipped ones, or from a command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import arena
from arena.errors import UsageError, nearest
from arena.games import game_class, game_ids
from arena.league.locate import KeyPath, TomlFile, raise_problems
from arena.league.names import NAME_MAX, folded, name_problem
from arena.league.tables import BotFile, BotTable, validated

MANIFEST = "bot.toml"


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot as it is declared.

    Attributes:
        name: unique in a league.
        version: its own word for the version, "" if none.
        author: "" if not said.
        command: program and arguments as written, ``{python}`` unresolved; empty for a bot started by hand.
        folder: what the command is relative to.
        owns_folder: the folder is the bot's own (it has a ``bot.toml``), so that all of it belongs to the bot unless
            ``files`` says less; else only what the command names does.
        fetch: commands that may use the network, run first.
        build: commands that make the program, run after.
        env: variables added to the empty environment, as sorted (name, value).
        games: ids of the games it plays; empty is all.
        files: globs of what belongs to it.
        connect: "tcp" for a bot that is started by hand, else "".
    """

    name: str
    version: str
    author: str
    command: tuple[str, ...]
    folder: Path
    owns_folder: bool
    fetch: tuple[tuple[str, ...], ...] = ()
    build: tuple[tuple[str, ...], ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    games: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    connect: str = ""

    def plays(self, game: str) -> bool:
        """Return whether it takes part in a game."""
        return not self.games or game in self.games


def shipped(path: str) -> Path:
    """Return a file or folder that comes with the arena, such as ``bots/python``: installed, or in the checkout."""
    package = Path(arena.__file__).parent
    installed = package / "_share" / path
    return installed if installed.exists() else package.parent / path


def builtin_names() -> tuple[str, ...]:
    """Return the names of the bots that come with the arena, sorted."""
    return tuple(sorted(manifest.parent.name for manifest in shipped("bots/python").glob(f"*/{MANIFEST}")))


def builtin_folder(name: str) -> Path:
    """Return the folder of a bot that comes with the arena."""
    return shipped("bots/python") / name


def is_bundled(bot: Bot) -> bool:
    """Return whether a bot is one that comes with the arena, in any language."""
    return bot.owns_folder and bot.folder.resolve().is_relative_to(shipped("bots").resolve())


def read_folder(folder: Path) -> tuple[Bot | None, TomlFile]:
    """Return the bot of a folder with ``bot.toml``, or None, and the file with its problems.

    Raises:
        UsageError: when the file cannot be read.
    """
    if folder.is_dir() and not (folder / MANIFEST).exists():
        raise UsageError(f"{folder}: a bot's folder has a {MANIFEST}; this one has none")
    file = TomlFile.read(folder / MANIFEST)
    table = validated(file, BotFile)
    if table is None:
        return None, file
    for key in ("name", "command"):
        if not getattr(table, key):
            file.add((key,), f"is missing: {BotFile.model_fields[key].description}")
    check_manifest(file, (), table)
    return bot_of(table, folder, owns_folder=True), file


def check_manifest(file: TomlFile, where: KeyPath, table: BotFile) -> None:
    """Note what is wrong with the values of a manifest that is found at ``where`` in a file."""
    if table.name and (problem := name_problem(table.name)):
        file.add((*where, "name"), problem)
    for key in ("version", "author"):
        text = getattr(table, key)
        if text and (problem := name_problem(text)):
            file.add((*where, key), problem)
    for game in table.games:
        if game not in game_ids():
            file.add((*where, "games"), f"no game {game!r}{nearest(game, game_ids())} (games: {', '.join(game_ids())})")
    for pattern in table.files:
        if not _is_glob(pattern):
            file.add((*where, "files"), f"no glob: {pattern!r}; ** stands alone between slashes, as in data/**/*.txt")
    for key in ("fetch", "build"):
        if not all(getattr(table, key)):
            file.add((*where, key), "accepted is a list of commands, none of them empty")
    texts = {"command": table.command, "files": table.files, "env": [*table.env.values()]}
    texts |= {key: [word for step in getattr(table, key) for word in step] for key in ("fetch", "build")}
    for key, words in texts.items():
        if any("\0" in word for word in words):
            file.add((*where, key), "has a NUL character, which no program can be given")
    for variable in table.env:
        if not re.fullmatch(r"[A-Za-z_]\w*", variable, re.ASCII) or variable.startswith("ARENA_"):
            file.add((*where, "env"), f"no name for a variable of a bot: {variable!r} (ARENA_ is the arena's own)")


def _is_glob(pattern: str) -> bool:
    """Return whether pathlib takes a glob, in every version of Python that we run on."""
    parts = PurePosixPath(pattern).parts
    return bool(parts) and all("**" not in part or part == "**" for part in parts)


def bot_of(table: BotFile, folder: Path, *, owns_folder: bool, connect: str = "") -> Bot:
    """Return the bot that a validated table declares."""
    return Bot(
        name=table.name,
        version=table.version,
        author=table.author,
        command=tuple(table.command),
        folder=folder,
        owns_folder=owns_folder,
        fetch=tuple(map(tuple, table.fetch)),
        build=tuple(map(tuple, table.build)),
        env=tuple(sorted(table.env.items())),
        games=tuple(table.games),
        files=tuple(table.files),
        connect=connect,
    )


def changed(bot: Bot, table: BotTable) -> Bot:
    """Return a folder's bot with the keys that a ``[[bot]]`` table gives in place of its own."""
    given = table.model_fields_set & set(BotFile.model_fields)
    other = bot_of(table, bot.folder, owns_folder=True)
    return replace(bot, **{key: getattr(other, key) for key in given})


def read_bot(text: str, base: Path) -> Bot:
    """Return the bot of one word of a command line: a folder with ``bot.toml``, a built-in name, or ``NAME=COMMAND``.

    Args:
        text: the word.
        base: the working directory, which a relative folder or command is relative to.

    Raises:
        UsageError: when it is none of these, or its ``bot.toml`` has problems.
    """
    if not text:
        raise UsageError(
            "bot '': accepted is a folder with a bot.toml ('.' is this one), NAME=COMMAND or a built-in bot"
        )
    folder = base / text
    if not (folder / MANIFEST).is_file():
        if text in builtin_names():
            folder = builtin_folder(text)
        elif "=" in text:
            return _from_command(text, base)
        elif not folder.is_dir():
            raise UsageError(
                f"bot {text!r}: no folder, no NAME=COMMAND and no built-in bot{nearest(text, builtin_names())} "
                f"(built-in: {', '.join(builtin_names())})"
            )
    bot, file = read_folder(folder)
    raise_problems([file])
    assert bot is not None
    return bot


def read_bots(texts: Sequence[str], base: Path) -> tuple[Bot, ...]:
    """Return the bots of a command line; a name that was there before gets ``_2``, ``_3`` and so on.

    Raises:
        UsageError: as ``read_bot``.
    """
    bots: list[Bot] = []
    taken: set[str] = set()
    for text in texts:
        bot = read_bot(text, base)
        name, number = bot.name, 1
        while folded(name) in taken:
            number += 1
            name = f"{bot.name[: NAME_MAX - 4]}_{number}"
        taken.add(folded(name))
        bots.append(replace(bot, name=name))
    return tuple(bots)


def require_players(bots: Sequence[Bot], game: str) -> None:
    """Refuse bots that do not play a game, or too few or many of them.

    Raises:
        UsageError: naming every one of them, and what it plays, or how many the game is for.
        BadOptions: for an unknown game.
    """
    counts = game_class(game).seat_counts
    if len(bots) not in counts:
        few = f"{len(bots)} bot{'' if len(bots) == 1 else 's'}: {game} is played by {_counted(counts)}"
        raise UsageError(f"{few}; {'name more' if len(bots) < counts[0] else 'name fewer'}, such as random or greedy")
    require_plays(bots, [game])


def require_plays(bots: Sequence[Bot], games: Sequence[str]) -> None:
    """Refuse bots that do not play some of these games.

    Raises:
        UsageError: naming every one of them, and what it plays.
    """
    strange = [(bot, game) for bot in bots for game in games if not bot.plays(game)]
    if strange:
        raise UsageError(
            "\n".join(f"bot {bot.name!r} does not play {game}, only {', '.join(bot.games)}" for bot, game in strange)
        )


def _counted(counts: Sequence[int]) -> str:
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _from_command(text: str, base: Path) -> Bot:
    name, _, command = text.partition("=")
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"bot {name!r}: the command {command!r} cannot be split into words: {error}") from error
    problem = name_problem(name)
    if problem or not words:
        raise UsageError(f"bot {text!r}: {problem or 'the command is empty'}")
    return Bot(name, "", "", words, base, owns_folder=False)
