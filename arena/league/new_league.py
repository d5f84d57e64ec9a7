"""``arena new-league``: a commented league file of the bots that are near it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

from pydantic import BaseModel

from arena.errors import UsageError
from arena.games import game_class, game_ids
from arena.games.options import option_fields
from arena.league.bots import MANIFEST, Bot, builtin_folder, builtin_names, read_folder, shipped
from arena.league.locate import toml_value
from arena.league.names import folded, league_name_problem
from arena.league.sources import NOT_SOURCES
from arena.league.tables import FaultsTable, LeagueTable, LimitsTable, LobbyTable
from arena.schedules.seatings import seatings

DEPTH = 3
"""How far below the file bots are looked for."""
SEATS = 3
DEALS = (100, 50, 20, 10)
GAMES = 5000
"""A first league takes a minute or two: of the deals the most that make no more games than this."""
_SKIPPED = NOT_SOURCES | {"results", "badges", "tests"}
_EXAMPLES = {"name": "spring", "secret": "any words"}
"""Shown instead of a default that says nothing."""
_LEAGUE = {
    "name": "default: the name of this file; results go to results/NAME",
    "schedule": 'every line-up; "gauntlet": candidates against the others',
    "candidates": "names of bots, for a gauntlet",
    "secret": "what deals are drawn from; drawn and kept with the results when absent",
    "same_author": '"never": bots of one author do not meet at a table',
    "line_ups": "0: all of them; N: a balanced subset, when there are too many",
    "require_check": "true: only bots with a badge of 'arena check'",
    "ask_forced": "true: seats that have no choice are asked, too",
    "in_flight": "games of a table that are played at once: as many as pay, or 1..64",
}
_LIMITS = {
    "start_s": "from the start of a bot to its Hello",
    "move_ms": "hard limit of a decision",
    "bank_ms": "reserve that a decision may draw on",
    "increment_ms": "added to the bank after each decision, up to bank_ms",
    "margin_ms": "on top of it all, never charged",
    "game_s": "what a seat may use in a whole game",
    "memory_mb": "of a bot with all its processes",
    "processes": "with their threads",
    "disk_mb": "of files that a bot writes",
    "network": 'or "allow"',
    "reconnect": "a stream that broke may come back once a sitting",
    "pause": "true: a bot that owes no answer is stopped",
    "sandbox": 'the best that works here; or "bwrap", "landlock", "none"',
}
_FAULTS = {
    "illegal": 'the seat is retired; "default": the default action and a strike',
    "timeout": "the default action and a strike",
    "protocol": "the default action and a strike",
    "strikes": "that many in one game retire the seat",
}
_LOBBY = {
    "listen": 'where bots with connect = "tcp" dial in; other machines need TLS:',
    "certificate": "a file (PEM), relative to this one",
    "key": "its private key (PEM)",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A folder with a ``bot.toml``.

    Attributes:
        path: relative to the league file.
        bot: the bot, None when its manifest has problems.
        problem: what is wrong with it, or with entering it, in words; "" when it plays.
    """

    path: str
    bot: Bot | None
    problem: str


def near(base: Path) -> tuple[Found, ...]:
    """Return the bots in the folders below ``base``, sorted by path; of two with one name the second has a problem."""
    found: list[Found] = []
    taken: dict[str, str] = {}
    for folder in sorted(_folders(base)):
        path = folder.relative_to(base).as_posix()
        bot, problem = _read(folder) if _is_utf8(path) else (None, "its path is not UTF-8, as a league file is")
        if bot is not None:
            first = taken.setdefault(folded(bot.name), path)
            if first != path:
                problem = f"the name {bot.name!r} is taken by {first}"
        found.append(Found(path, bot, problem))
    return tuple(found)


def write_league(path: Path) -> tuple[Found, ...]:
    """Write a league of the bots near a file and the bundled ones; return those near it.

    Raises:
        UsageError: when the file exists, cannot be written or has no name for a league.
    """
    if problem := league_name_problem(path.stem):
        raise UsageError(f"{path}: a league is called as its file, and {path.stem!r} will not do: {problem}")
    found = near(path.parent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write("\n".join(_lines(found)) + "\n")
    except FileExistsError as error:
        raise UsageError(f"{path}: is there already; give another name") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    return found


def _folders(base: Path) -> Iterator[Path]:
    """Yield the folders of bots below one; those that come with the arena are built-in, and no finds."""
    for here, folders, files in os.walk(base):
        if Path(here).resolve() == shipped("bots").resolve():
            folders.clear()
            continue
        depth = len(Path(here).relative_to(base).parts)
        inside = MANIFEST in files and depth
        folders[:] = [] if inside or depth >= DEPTH else [n for n in folders if n not in _SKIPPED and n[0] != "."]
        if inside:
            yield Path(here)


def _is_utf8(path: str) -> bool:
    """Return whether a path can be written down; other bytes are lone surrogates in Python."""
    return not any("\ud800" <= sign <= "\udfff" for sign in path)


def _read(folder: Path) -> tuple[Bot | None, str]:
    try:
        bot, file = read_folder(folder)
    except UsageError as error:
        return None, str(error)
    problems = [f"line {line}: {words}" for line, words in sorted(file.problems)]
    return (None, problems[0]) if problems else (bot, "")


def _lines(found: Sequence[Found]) -> Iterator[str]:
    own = [item.bot for item in found if item.bot and not item.problem]
    names = {folded(bot.name) for bot in own}
    bundled = [bot for name in builtin_names() if (bot := _read(builtin_folder(name))[0])]
    everybody = [*own, *(bot for bot in bundled if folded(bot.name) not in names)]
    games = _played(own, everybody)
    yield "# A league: 'arena run-league' with this file plays it, and the same command again goes on where it stopped."
    yield "# Every key that is not needed stands here as a comment with its default."
    yield from _table("league", LeagueTable, _LEAGUE)
    yield from _games(games, everybody)
    yield from _table("limits", LimitsTable, _LIMITS)
    yield from _table("faults", FaultsTable, _FAULTS)
    yield from _table("lobby", LobbyTable, _LOBBY)
    yield "\n# Who plays: folders with a bot.toml, relative to this file, and bots that come with the arena."
    yield "# Keys of a bot.toml (name, version, author, command, env, games, ...) may stand here, too; they hold."
    for item in found:
        problem = item.problem or _idle(item.bot, games)
        yield from _entry("path", item.path, problem, f"{item.bot.name}, {_plays(item.bot)}" if item.bot else "")
    for bot in bundled:
        problem = f"the name {bot.name!r} is taken above" if folded(bot.name) in names else _idle(bot, games)
        yield from _entry("builtin", bot.name, problem, _plays(bot))


def _seats(game: str) -> int:
    counts = game_class(game).seat_counts
    return SEATS if SEATS in counts else counts[0]


def _played(own: Sequence[Bot], everybody: Sequence[Bot]) -> tuple[str, ...]:
    """Return the games of the league: the first that enough bots play, and one for each of one's own that needs it."""
    possible = [game for game in game_ids() if sum(bot.plays(game) for bot in everybody) >= _seats(game)]
    played = possible[:1] if not own else []
    for bot in own:
        if not any(bot.plays(game) for game in played):
            played += [game for game in possible if bot.plays(game)][:1]
    return tuple(played or possible[:1])


def _idle(bot: Bot | None, games: Sequence[str]) -> str:
    idle = bot is not None and not any(bot.plays(game) for game in games)
    return "it plays none of the games above" if idle else ""


def _deals(game: str, bots: int, games: int) -> int:
    """Return a number of deals for which this game, one of so many, takes its share of a first league."""
    block = comb(bots, _seats(game)) * len(seatings("balanced", _seats(game)))
    return next((deals for deals in DEALS if deals * block * games <= GAMES), DEALS[-1])


def _options(game: str) -> str:
    """Return the option that makes a game longer or shorter with its default, where it has one, as a league has it."""
    options = {item.name: item.default for item, _ in option_fields(game_class(game).options_type)}
    return f"{{ rounds = {options['rounds']} }}" if "rounds" in options else "{}"


def _games(played: Sequence[str], everybody: Sequence[Bot]) -> Iterator[str]:
    """Yield a table of each game; those that are not played are comments."""
    yield "\n# What is played: one [[game]] or more ('arena games ID' lists the options of a game)."
    for game in game_ids():
        counts = game_class(game).seat_counts
        mark = "" if game in played else "# "
        yield f"\n{mark}[[game]]\n{mark}id = {toml_value(game)}"
        yield f"{mark}seats = {_seats(game)}".ljust(31) + f"# {counts[0]}..{counts[-1]}"
        bots = sum(bot.plays(game) for bot in everybody)
        deals = f"deals = {_deals(game, bots, len(played))}"
        yield f"{mark}{deals}".ljust(31) + "# more separate the bots better; each is played in every seating"
        if game in played:
            yield '# seatings = "balanced"        # or "all", "rotations", or a number'
            yield f"# options = {_options(game)}".ljust(31) + f"# 'arena games {game}' has them all"


def _table(name: str, table: type[BaseModel], words: Mapping[str, str]) -> Iterator[str]:
    """Yield a table whose keys all have defaults: each as a comment with its default and what it does."""
    assert words.keys() == table.model_fields.keys(), name
    yield f"\n[{name}]"
    for key, said in words.items():
        value = _EXAMPLES.get(key, table.model_fields[key].default)
        yield f"# {key} = {toml_value(value)}".ljust(31) + f"# {said}"


def _entry(key: str, value: str, problem: str, words: str) -> Iterator[str]:
    if problem:
        yield f"\n# cannot play: {_comment(problem)}\n# [[bot]]\n# {key} = {_comment(toml_value(value))}"
    else:
        yield f"\n[[bot]]   # {words}\n{key} = {toml_value(value)}"


def _comment(text: str) -> str:
    """Return a text on one line, with an escape for each sign that even a comment of a TOML file may not have."""
    signs = (" " if sign.isspace() else sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
    return " ".join("".join(signs).split())


def _plays(bot: Bot) -> str:
    return f"plays {', '.join(bot.games)}" if bot.games else "plays every game"
