"""Badges: that ``arena check`` has passed exactly this program; a league with ``require_check = true`` asks for them.

A badge is a file beside the bot's own, left out of its digest, or any file in the folder ``badges`` beside the league
file. It says what was checked, not who checked it: an organiser who needs to be sure runs the check again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena import __version__
from arena.errors import BadOptions, UsageError
from arena.games import game_class
from arena.league.bots import Bot
from arena.league.snapshot import identity
from arena.league.sources import BADGE
from arena.league.values import League
from arena.players.base import Program

SCHEMA = 1
FOLDER = "badges"


def write_badge(path: Path, program: Program, games: Iterable[str]) -> None:
    """Write the badge of a program that has passed in these games.

    Raises:
        UsageError: when the file cannot be written.
    """
    document = {
        "schema": SCHEMA,
        "bot": program.name,
        "version": program.version,
        "digest": program.digest,
        "arena": __version__,
        "games": {game: game_class(game).rules_version for game in games},
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the badge cannot be written: {error.strerror}") from error


def read_badge(path: Path) -> Mapping[str, Any] | None:
    """Return a badge, or None when there is none or the file is no badge."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return None
    whole = isinstance(document.get("digest"), str) and isinstance(document.get("games"), dict)
    return document if whole else None


def has_badge(bot: Bot) -> bool:
    """Whether a badge lies beside a bot that is valid for its files as they are."""
    badge = read_badge(bot.folder / BADGE)
    try:
        return badge is not None and badge["digest"] == identity(bot)
    except (UsageError, OSError):
        return False  # what is wrong with its files or its command is said where it is to be run


def require_badges(league: League, programs: Sequence[Program]) -> None:
    """Refuse a league some of whose bots have no badge for the games they play in it.

    Raises:
        UsageError: naming each of them, with what to do.
    """
    bots = {bot.name: bot for bot in league.bots}
    shared = [badge for path in sorted((league.path.parent / FOLDER).glob("*.json")) if (badge := read_badge(path))]
    problems = []
    for program in programs:
        bot = bots[program.name]
        own = read_badge(bot.folder / BADGE) if bot.owns_folder else None
        found = [own, *shared] if own else shared
        problem = _problem(program, found, own, {game.id for game in league.games if bot.plays(game.id)})
        if problem:
            problems.append(f"bot {program.name!r}: {problem}; {_advice(bot, league)}")
    if problems:
        raise UsageError("require_check = true:\n" + "\n".join(problems))


def _problem(
    program: Program, badges: Sequence[Mapping[str, Any]], own: Mapping[str, Any] | None, games: set[str]
) -> str:
    fitting = [badge for badge in badges if badge["digest"] == program.digest]
    if not fitting:
        return "it has changed since its badge was given" if own else "it has no badge"
    covered = {game for badge in fitting for game in _covered(badge)}
    missing = sorted(games - covered)
    return f"its badge does not cover {', '.join(missing)} (with today's rules)" if missing else ""


def _covered(badge: Mapping[str, Any]) -> Iterator[str]:
    for game, version in badge["games"].items():
        try:
            if game_class(game).rules_version == version:
                yield game
        except BadOptions:
            continue  # a game that is not installed here


def _advice(bot: Bot, league: League) -> str:
    if bot.owns_folder:
        return f"run 'arena check {bot.folder}'"
    file = league.path.parent / FOLDER / "NAME.json"
    return f"run 'arena check {bot.name}=COMMAND --badge {file}'"
