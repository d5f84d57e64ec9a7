"""The files that are a bot: which ones belong to it, their digest, and copying them."""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from arena.errors import UsageError
from arena.league.bots import Bot, shipped
from arena.league.whole import unfinished
from arena.records.codec import canonical_json

BADGE = ".arena-badge.json"
"""What ``arena check`` leaves in a bot's folder; it names the digest of the rest."""
NOT_SOURCES = frozenset(
    [
        BADGE,
        unfinished(Path(BADGE)).name,
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "target",
        "__pycache__",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        ".idea",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        ".gradle",
        ".cache",
        ".DS_Store",
    ]
)
"""Names, anywhere in a bot's folder, of what tools make or keep: no part of its identity, and not copied."""
JOURNAL = "league.db"
"""A folder that holds this has the results of a league."""
FILES_MOST, BYTES_MOST = 20_000, 1 << 30
"""More than this is no bot but a forgotten ``files``."""


def source_files(bot: Bot) -> tuple[PurePosixPath, ...]:
    """Return the files of a bot, relative to its folder, sorted.

    ``files`` decides if it is given. A folder with a ``bot.toml`` belongs to its bot as a whole. Of any other folder,
    that which holds a file named in the command does: with all below it, or, if it is the folder of the league file or
    the working directory itself, alone. Links are what they lead to, so that bots beside each other can share a
    folder, but never to a file that others may not read: whoever wrote the bot may not either, and its copy is open to
    the bot. A link that leads back to a folder around it is left out. League files and results are no part of a bot
    wherever they are: they may hold the secret, and change while the bot does not.

    Raises:
        UsageError: when ``files`` finds nothing or leaves the folder, a link leads to a file that is private, or there
            is far too much.
    """
    if bot.files:
        found = set(_globbed(bot))
    elif bot.owns_folder:
        found = set(_below(bot.folder))
    else:
        found = {path for folder in _named_folders(bot) for path in _of_folder(bot.folder, folder)}
        if not found and (bot.fetch or bot.build):
            raise UsageError(f"bot {bot.name!r}: has steps to build it, but no sources: name them with files = [...]")
    _refuse_private(bot, found)
    sizes = sum((bot.folder / path).stat().st_size for path in found)
    if len(found) > FILES_MOST or sizes > BYTES_MOST:
        raise UsageError(
            f"bot {bot.name!r}: {len(found)} files with {sizes >> 20} MB in {bot.folder} are too many to copy; "
            f"name those that belong to it with files = [...]"
        )
    return tuple(sorted(PurePosixPath(path.as_posix()) for path in found))


def digest_of(bot: Bot, files: tuple[PurePosixPath, ...], program: Path | None) -> str:
    """Return the identity of a bot, hex: SHA-256 over its manifest and every source's path, mode and content.

    Name, version and author are no part of it: the same program entered twice is seen to be the same.

    Args:
        bot: the bot.
        files: its sources.
        program: a program outside its folder that its command names by path, whose content counts too.
    """
    manifest = {
        "command": bot.command,
        "fetch": bot.fetch,
        "build": bot.build,
        "env": bot.env,
        "files": [[str(path), _is_executable(bot.folder / path), _digest(bot.folder / path)] for path in files],
        "program": _digest(program) if program else "",
    }
    return hashlib.sha256(b"arena bot 1\n" + canonical_json(manifest)).hexdigest()


def copy_sources(bot: Bot, files: tuple[PurePosixPath, ...], to: Path) -> None:
    """Copy a bot's sources into an empty folder, contents and executable bits."""
    for path in files:
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bot.folder / path, to / path)
        (to / path).chmod(0o755 if _is_executable(bot.folder / path) else 0o644)


def _refuse_private(bot: Bot, files: Iterable[Path]) -> None:
    """Refuse links that lead out of a bot's folder to what others than its owner may not read.

    Folders around the bot's own may be closed, to it as to what the link leads to. What comes with the arena is open.
    """
    home = bot.folder.resolve()
    free = {home, *home.parents}
    ours = [shipped(part).resolve() for part in ("bots", "proto")]
    for path in files:
        real = (home / path).resolve()
        if any(real.is_relative_to(folder) for folder in (home, *ours)):
            continue
        closed = [folder for folder in real.parents if folder not in free and not folder.stat().st_mode & 0o001]
        if closed or not real.stat().st_mode & 0o004:
            private = closed[-1] if closed else real
            raise UsageError(
                f"bot {bot.name!r}: the link {path} leads to {real}, and {private} is not open to others: "
                "the bot could read it; copy the file, or 'chmod' it"
            )


def _globbed(bot: Bot) -> Iterator[Path]:
    for pattern in bot.files:
        parts = PurePosixPath(pattern).parts
        if pattern.startswith("/") or ".." in parts:
            raise UsageError(f"bot {bot.name!r}: files = {pattern!r} leaves its folder {bot.folder}")
        found = [path.relative_to(bot.folder) for path in bot.folder.glob(pattern)]
        files = [inner for path in found for inner in _of_glob(bot.folder, path)]
        if not files:
            raise UsageError(f"bot {bot.name!r}: files = {pattern!r} finds nothing in {bot.folder}")
        yield from files


def _of_glob(base: Path, path: Path) -> Iterator[Path]:
    """A folder found by a glob is all that is below it."""
    if NOT_SOURCES.isdisjoint(path.parts):
        yield from _below(base, path) if (base / path).is_dir() else [path]


def _named_folders(bot: Bot) -> set[Path]:
    return {Path(word).parent for word in bot.command if not os.path.isabs(word) and (bot.folder / word).is_file()}


def _of_folder(base: Path, folder: Path) -> Iterator[Path]:
    if folder == Path("."):
        yield from (path.relative_to(base) for path in base.iterdir() if path.is_file() and not _is_league_file(path))
    else:
        yield from _below(base, folder)


def _below(base: Path, folder: Path = Path(".")) -> Iterator[Path]:
    """Yield the files below a folder, relative to ``base``, without those that tools make."""
    for here, folders, files in os.walk(base / folder, followlinks=True):
        folders[:] = [name for name in folders if name not in NOT_SOURCES and _is_walked(Path(here, name))]
        for name in files:
            path = Path(here, name)
            # No sockets, pipes or broken links.
            if name not in NOT_SOURCES and path.is_file() and not _is_league_file(path):
                yield path.relative_to(base)


def _is_walked(path: Path) -> bool:
    """Return whether a folder is walked: not one of results, and no link that leads back, also by way of others."""
    leads_back = path.is_symlink() and any(around.resolve().is_relative_to(path.resolve()) for around in path.parents)
    return not leads_back and not (path / JOURNAL).exists()


def _is_league_file(path: Path) -> bool:
    if path.suffix != ".toml":
        return False
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError):
        return False  # no TOML at all
    return isinstance(document.get("game"), list) and isinstance(document.get("bot"), list)


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
