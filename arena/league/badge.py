"""Badges: that ``arena check`` has passed exactly this program; a league with ``require_check = true`` asks for them.

A badge is a file beside the bot's own, left out of its digest, or any file in the folder ``badges`` beside the league
file. It says what was checked, not who checked it: an organiser who needs to be sure runs the check again. Bots that
come with the arena need none: its own tests check them.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena import __version__
from arena.errors import BadOptions, UsageError
from arena.games import game_class
from arena.league.bots import MANIFEST, Bot, is_bundled, read_folder
from arena.league.snapshot import identity
from arena.league.sources import BADGE
from arena.league.values import League
from arena.league.whole import write_whole
from arena.players.base import Limits, Program

SCHEMA = 1
FOLDER = "badges"
PROGRAM_KEYS = ("command", "fetch", "build", "env", "files")
"""The keys of a manifest that are part of a program's digest."""
USUAL_MS = Limits().move_ms
"""The time for a decision that 'arena check' and a league give when nothing is said, and badges from before had."""


def write_badge(path: Path, program: Program, games: Iterable[str], move_ms: int = USUAL_MS) -> None:
    """Write the badge of a program that has passed in these games; a link in a bot's folder is replaced.

    The games of a badge that is there for the same program and clock stay, unless their rules have changed.

    Args:
        path: where to; its folder is made if missing.
        program: what was checked.
        games: ids of the games that it has passed in.
        move_ms: the time that it had for a decision; a league that gives less asks for another check.

    Raises:
        UsageError: when the file cannot be written, or is there and is no file.
    """
    passed = sorted({*games, *_kept(read_badge(path), program, move_ms)})
    assert passed, "a badge is for a game or more"
    document = {
        "schema": SCHEMA,
        "bot": program.name,
        "version": program.version,
        "digest": program.digest,
        "arena": __version__,
        "move_ms": move_ms,
        "games": {game: game_class(game).rules_version for game in passed},
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _may_replace(path):
            raise UsageError(f"{path}: the badge cannot be written: there is something else than a file")
        write_whole(path, (json.dumps(document, indent=2) + "\n").encode())
    except OSError as error:
        raise UsageError(f"{path}: the badge cannot be written: {error.strerror}") from error


def _kept(earlier: Mapping[str, Any] | None, program: Program, move_ms: int) -> Iterator[str]:
    """Yield the games of an earlier badge that are as good as those of this check."""
    if earlier is not None and (earlier["digest"], _move_ms(earlier)) == (program.digest, move_ms):
        yield from _covered(earlier)


def withdraw_badge(path: Path, program: Program, move_ms: int) -> str:
    """Remove the badge of exactly this program when it has failed with as much time as it once passed with, or more.

    Returns:
        What was done, or why it could not be done, in words; "" when there is no such badge.
    """
    badge = read_badge(path)
    if badge is None or badge["digest"] != program.digest or _move_ms(badge) > move_ms:
        return ""
    try:
        path.unlink()
    except OSError as error:
        return f"{path}: this badge is no longer deserved, and cannot be removed: {error.strerror}"
    return f"removed its badge, which was given for the same files: {path}"


def _may_replace(path: Path) -> bool:
    """Return whether a badge may take the place of what is there: a device, or a link to one, is not to be removed.

    The link that a bot's folder brings along is its author's, and no file that it leads to is the author's to choose.
    """
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return True
    return stat.S_ISREG(kind) or (stat.S_ISLNK(kind) and path.name == BADGE)


def read_badge(path: Path) -> Mapping[str, Any] | None:
    """Return a badge, or None when there is none or the file is no badge."""
    try:
        if not path.is_file():
            return None  # nobody may ever write into a pipe
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return None
    whole = isinstance(document.get("digest"), str) and isinstance(document.get("games"), dict)
    return document if whole and type(_move_ms(document)) is int else None


def _move_ms(badge: Mapping[str, Any]) -> Any:
    return badge.get("move_ms", USUAL_MS)


def has_badge(bot: Bot) -> bool:
    """Whether a badge lies beside a bot that is valid for its files as they are, and with the usual clock."""
    badge = read_badge(bot.folder / BADGE)
    if badge is None or _move_ms(badge) > USUAL_MS:
        return False
    return bool(badge["digest"] == digests((bot,)).get(bot.name))


def digests(bots: Iterable[Bot]) -> dict[str, str]:
    """Return the digests that programs of these bots would have, by name, of those that can be copied and run."""
    found = {}
    for bot in bots:
        if not bot.connect:
            with suppress(UsageError, OSError):  # what is wrong with its files or command is said where it is to run
                found[bot.name] = identity(bot)
    return found


def unchecked(league: League) -> tuple[str, ...]:
    """Return the names of the bots of which no badge is asked though others need one: they are started by hand."""
    return tuple(bot.name for bot in league.bots if league.require_check and bot.connect)


def require_badges(league: League, programs: Mapping[str, str]) -> None:
    """Refuse a league some of whose bots have no badge for the games they play in it.

    A bot that is started by hand has no files to check; its games are not rated.

    Args:
        league: the league; nothing is asked for when it does not demand badges.
        programs: digests of the programs by name of bot, those that are about to play or as ``digests`` foresees them.

    Raises:
        UsageError: naming each of them, with what to do.
    """
    if not league.require_check:
        return
    shared = [badge for path in sorted((league.path.parent / FOLDER).glob("*.json")) if (badge := read_badge(path))]
    problems = []
    for bot in league.bots:
        if bot.name not in programs or is_bundled(bot):
            continue
        own = read_badge(bot.folder / BADGE) if bot.owns_folder else None
        found = [own, *shared] if own else shared
        if problem := _problem(programs[bot.name], found, own, bot, league):
            problems.append(f"bot {bot.name!r}: {problem}; {_advice(bot, league)}")
    if problems:
        raise UsageError("require_check = true:\n" + "\n".join(problems))


def _problem(
    digest: str, badges: Sequence[Mapping[str, Any]], own: Mapping[str, Any] | None, bot: Bot, league: League
) -> str:
    fitting = [badge for badge in badges if badge["digest"] == digest]
    if not fitting and (keys := _given_keys(bot)):
        return f"the league file gives {keys}, with which it is another program than 'arena check' finds in its folder"
    if not fitting:
        return "it has changed since its badge was given" if own else "it has no badge"
    move_ms = league.limits.move_ms
    in_time = {game for badge in fitting if _move_ms(badge) <= move_ms for game in _covered(badge)}
    missing = sorted({game.id for game in league.games if bot.plays(game.id)} - in_time)
    slow = [_move_ms(badge) for badge in fitting if _move_ms(badge) > move_ms and set(missing) & set(_covered(badge))]
    if slow:
        return f"its badge was given with {min(slow)} ms a decision, this league allows {move_ms}"
    return f"its badge does not cover {', '.join(missing)} (with today's rules)" if missing else ""


def _covered(badge: Mapping[str, Any]) -> Iterator[str]:
    for game, version in badge["games"].items():
        try:
            if game_class(game).rules_version == version:
                yield game
        except BadOptions:
            continue  # a game that is not installed here


def _given_keys(bot: Bot) -> str:
    """Return the keys that a league file gives in place of a folder's own and that make the bot another program."""
    if not bot.owns_folder:
        return ""
    own = read_folder(bot.folder)[0]
    return " and ".join(key for key in PROGRAM_KEYS if own is not None and getattr(own, key) != getattr(bot, key))


def _advice(bot: Bot, league: League) -> str:
    move_ms = league.limits.move_ms
    clock = "" if move_ms == USUAL_MS else f" --move-ms {move_ms}"
    if bot.owns_folder:
        move = f"put {keys} into {bot.folder / MANIFEST} and " if (keys := _given_keys(bot)) else ""
        return f"{move}run 'arena check {bot.folder}{clock}'"
    file = league.path.parent / FOLDER / "NAME.json"
    return f"run 'arena check {bot.name}=COMMAND --badge {file}{clock}'"
