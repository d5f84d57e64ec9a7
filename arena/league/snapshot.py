"""Snapshots: what a league runs is a copy of each bot, made once and named by its content.

So a bot cannot change in mid-league, and a record names the exact program. A snapshot is made in a folder of another
name and renamed when it is complete; one that exists is used as it is, and nothing is fetched or built again.
"""

from __future__ import annotations

import compileall
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from py_compile import PycInvalidationMode

from arena.errors import UsageError
from arena.league.bots import Bot
from arena.league.build import Wrap, limited, run_steps
from arena.league.builds import Builds
from arena.league.sources import copy_sources, digest_of, source_files
from arena.league.toolchains import advice
from arena.players.base import Program

PYTHON = "{python}"
_UNFINISHED = ".unfinished-"


def snapshot(bot: Bot, bots_folder: Path, wrap: Wrap = limited, builds: Builds | None = None) -> Program:
    """Return the program of a bot, copied and built in ``bots_folder/<digest>`` unless that is there already.

    Only one process may do this in a folder at a time (the lock of the results folder sees to it).

    Args:
        bot: a bot with a command.
        bots_folder: where snapshots are kept; made if missing.
        wrap: puts limits, or a sandbox, around fetch and build steps.
        builds: those that are kept, to take one from or add one to; None to build in any case.

    Raises:
        UsageError: when a program does not exist or is not executable (with the path it was resolved to), a step
            fails (with its last lines), or the copy cannot be written.
    """
    assert bot.command, "a bot that is started by hand has nothing to copy"
    elsewhere = _program_elsewhere(bot)
    try:
        files = source_files(bot)
        digest = _digest(bot, files, elsewhere)
        home = (bots_folder / digest).resolve()
        if not home.is_dir():
            _make(bot, files, home, wrap, builds)
    except OSError as error:
        raise UsageError(f"bot {bot.name!r}: cannot be copied to {bots_folder}: {error}") from error
    program = elsewhere or home / bot.command[0]
    words = (sys.executable if word == PYTHON else word for word in bot.command[1:])
    return Program(
        name=bot.name,
        version=bot.version,
        author=bot.author,
        command=(str(program), *words),
        directory=str(home),
        env=bot.env,
        digest=digest,
        games=bot.games,
    )


def identity(bot: Bot) -> str:
    """Return the digest that the program of a bot would have, without copying or building it.

    Raises:
        UsageError: when a program does not exist or is not executable.
        OSError: when a file cannot be read.
    """
    return _digest(bot, source_files(bot), _program_elsewhere(bot))


def _digest(bot: Bot, files: tuple[PurePosixPath, ...], elsewhere: Path | None) -> str:
    return digest_of(bot, files, elsewhere if "/" in bot.command[0] else None)


def snapshots(
    bots: Sequence[Bot], bots_folder: Path, wrap: Wrap = limited, builds: Builds | None = None
) -> tuple[Program, ...]:
    """Return the programs of all bots that have one (not those started by hand); all that cannot run are reported.

    Raises:
        UsageError: with the problems of every bot.
    """
    programs, problems = [], []
    for bot in filter(lambda bot: not bot.connect, bots):
        try:
            programs.append(snapshot(bot, bots_folder, wrap, builds))
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return tuple(programs)


def remove_unfinished(bots_folder: Path) -> None:
    """Remove what a killed run left of snapshots that it was making."""
    for left in bots_folder.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(left, ignore_errors=True)


def _make(bot: Bot, files: tuple[PurePosixPath, ...], home: Path, wrap: Wrap, builds: Builds | None) -> None:
    making = home.with_name(f"{_UNFINISHED}{home.name}")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)

    def build() -> None:
        copy_sources(bot, files, making)
        run_steps(bot, making, wrap, caches=builds)

    try:
        if builds is not None and (bot.fetch or bot.build):
            builds.fill(bot, home.name, making, build)
        else:
            build()
        if _is_inside(bot, bot.command[0]):
            _check_program(bot, making / bot.command[0], bot.folder / bot.command[0])
        _compile(making, home)
        _open_to_all(making)
        making.rename(home)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _open_to_all(folder: Path) -> None:
    """Let everybody read a snapshot, whatever the operator's umask: bots run under a uid of their own."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            runs = 0o111 if mode & 0o100 else 0
            path.chmod(mode & 0o7777 | 0o444 | runs)


def _program_elsewhere(bot: Bot) -> Path | None:
    """Return the program that a command runs, resolved, or None when it is one of the bot's own files."""
    word = bot.command[0]
    if word == PYTHON:
        return Path(sys.executable)
    if _is_inside(bot, word):
        return None
    found = str(bot.folder / word) if "/" in word else shutil.which(word)
    if found is None:
        raise UsageError(f"bot {bot.name!r}: no program {word!r} in PATH ({os.environ.get('PATH', '')}){advice(word)}")
    path = Path(os.path.abspath(found))
    _check_program(bot, path, path)
    # The link in a virtual environment is what tells Python which environment it is.
    return path if (path.parent.parent / "pyvenv.cfg").is_file() else path.resolve()


def _is_inside(bot: Bot, word: str) -> bool:
    return "/" in word and not os.path.isabs(word) and not os.path.normpath(word).startswith("..")


def _check_program(bot: Bot, path: Path, shown: Path) -> None:
    if not path.is_file():
        raise UsageError(f"bot {bot.name!r}: command {bot.command[0]!r}: there is no file {os.path.realpath(shown)}")
    if not os.access(path, os.X_OK):
        raise UsageError(f"bot {bot.name!r}: command {bot.command[0]!r}: {os.path.realpath(shown)} is not executable")


def _compile(folder: Path, home: Path) -> None:
    """Compile Python files once for all starts; a file that does not compile says so when the bot starts.

    The byte code is valid whatever the time of its source, and names the files where they will be.
    """
    compileall.compile_dir(
        folder,
        quiet=2,
        stripdir=str(folder),
        prependdir=str(home),
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )
