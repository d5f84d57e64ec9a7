"""``league.toml``: read, validated as a whole, and handed on as frozen values.

Everything that can be known before a game is checked here, and all problems are reported at once, each with file,
line, key, value, what is accepted and the nearest name.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from arena.errors import BadOptions, UsageError, nearest
from arena.games import create, game_class
from arena.games.options import read_options
from arena.league.bots import (
    Bot,
    bot_of,
    builtin_folder,
    builtin_names,
    changed,
    check_manifest,
    read_folder,
)
from arena.league.listen import read_listen
from arena.league.locate import TomlFile, raise_problems
from arena.league.names import folded, league_name_problem, name_problem
from arena.league.tables import BotTable, FaultsTable, GameTable, LeagueFile, LeagueTable, validated
from arena.league.values import GamePlan, League, secret_bytes
from arena.players.base import FaultPolicy, Limits
from arena.schedules.seatings import seatings

IN_FLIGHT_MOST = 64
Table = TypeVar("Table", GameTable, BotTable)


def read_league(path: Path) -> League:
    """Read and validate a league file and the ``bot.toml`` of its bots.

    Raises:
        UsageError: with every problem found, one a line.
    """
    file = TomlFile.read(path)
    table = validated(file, LeagueFile)
    if table is None:
        raise_problems([file, *_check_what_is_valid(file)])
        raise AssertionError("a file without a problem was not validated")
    bots, manifests = _bots(file, table.bot)
    games = [_game(file, number, game) for number, game in enumerate(table.game)]
    _check_league(file, table.league)
    read_listen(file, table.lobby)
    text = _without_secret(file)
    _check_names(file, bots)
    _check_repeats(file, games)
    raise_problems([file, *manifests])
    league = _league(file, text, table, [game for game in games if game], [bot for bot in bots if bot])
    _check_who_plays(file, league)
    raise_problems([file])
    return league


def _check_what_is_valid(file: TomlFile) -> list[TomlFile]:
    """Check the games and bots of a file whose other tables have problems, so that all are told at once."""
    for number, game in _valid(file, "game", GameTable):
        _game(file, number, game)
    manifests = (_bot(file, number, bot)[1] for number, bot in _valid(file, "bot", BotTable))
    return [manifest for manifest in manifests if manifest]


def _valid(file: TomlFile, key: str, model: type[Table]) -> Iterator[tuple[int, Table]]:
    """Yield those tables of an array that are valid by themselves, with their numbers."""
    tables = file.document.get(key)
    for number, table in enumerate(tables if isinstance(tables, list) else ()):
        with suppress(ValidationError):  # its problems have been noted
            yield number, model.model_validate(table)


def _league(file: TomlFile, text: str, table: LeagueFile, games: Sequence[GamePlan], bots: Sequence[Bot]) -> League:
    head = table.league
    return League(
        path=file.path,
        text=text,
        name=head.name or file.path.stem,
        schedule=head.schedule,
        candidates=tuple(sorted(head.candidates)),
        secret=None if head.secret is None else secret_bytes(head.secret),
        same_author=head.same_author,
        line_ups=head.line_ups,
        require_check=head.require_check,
        ask_forced=head.ask_forced,
        in_flight=head.in_flight,
        games=tuple(games),
        limits=Limits(**table.limits.model_dump()),
        faults=_faults(table.faults),
        bots=tuple(bots),
        lobby=read_listen(file, table.lobby),
    )


def _faults(table: FaultsTable) -> FaultPolicy:
    costs = (("illegal", table.illegal), ("timeout", table.timeout), ("protocol", table.protocol))
    return FaultPolicy(costs, table.strikes)


def _check_league(file: TomlFile, head: LeagueTable) -> None:
    name = head.name or file.path.stem
    if problem := league_name_problem(name):
        file.add(("league", "name"), problem)
    if type(head.in_flight) is int and not 1 <= head.in_flight <= IN_FLIGHT_MOST:
        file.add(("league", "in_flight"), f"accepted is auto, or a whole number, 1..{IN_FLIGHT_MOST}")
    if head.schedule == "gauntlet" and not head.candidates:
        file.add(("league", "candidates"), "is missing: schedule = gauntlet needs the names of some bots")
    if head.schedule != "gauntlet" and head.candidates:
        file.add(("league", "candidates"), "accepted only with schedule = gauntlet")


def _without_secret(file: TomlFile) -> str:
    """Return the text of a league file without the line of its secret, which is kept in a file of its own."""
    document = copy.deepcopy(file.document)
    if document.get("league", {}).pop("secret", None) is None:
        return file.text
    lines = file.text.splitlines(keepends=True)
    lines[file.line(("league", "secret")) - 1] = "# the secret is kept in the file of this name\n"
    text = "".join(lines)
    try:
        if tomllib.loads(text) == document:
            return text
    except tomllib.TOMLDecodeError:
        pass  # the line was not all of it
    file.add(("league",), "accepted is a secret on a line of its own, so that it can be kept out of copies of the file")
    return ""


def _game(file: TomlFile, number: int, table: GameTable) -> GamePlan | None:
    """Check one game, option by option, so that each problem has its own line."""
    where = ("game", number)
    before = len(file.problems)
    try:
        rules = game_class(table.id)
    except BadOptions as error:
        file.add((*where, "id"), str(error))
        return None
    for key, seats, given in [
        ("seats", table.seats, {}),
        *((f"options {name}", rules.seat_counts[0], {name: value}) for name, value in table.options.items()),
    ]:
        try:
            read_options(table.id, rules.seat_counts, rules.options_type, seats, given)
        except BadOptions as error:
            file.add((*where, *key.split(" ")), _without_value(str(error)))
    if len(file.problems) > before:
        return None
    try:
        spec = create(table.id, table.seats, **table.options).spec
    except BadOptions as error:
        file.add((*where, "options"), str(error))
        return None
    try:
        seatings(table.seatings, table.seats)
    except UsageError as error:
        file.add((*where, "seatings"), _without_value(str(error)))
    if table.name and (problem := name_problem(table.name)):
        file.add((*where, "name"), problem)
    return GamePlan(
        table.id, table.name or table.id, table.seats, table.deals, table.seatings, dict(spec.options), spec.ruleset
    )


def _without_value(words: str) -> str:
    """Drop the ``key = value: `` that the message of a lower floor begins with: the file says it too."""
    return re.sub(r"^\w+ = .*?: ", "", words)


def _bots(file: TomlFile, tables: Sequence[BotTable]) -> tuple[list[Bot | None], list[TomlFile]]:
    bots: list[Bot | None] = []
    manifests: list[TomlFile] = []
    for number, table in enumerate(tables):
        bot, manifest = _bot(file, number, table)
        bots.append(bot)
        if manifest and manifest.path not in {seen.path for seen in manifests}:
            manifests.append(manifest)
    return bots, manifests


def _bot(file: TomlFile, number: int, table: BotTable) -> tuple[Bot | None, TomlFile | None]:
    where = ("bot", number)
    check_manifest(file, where, table)
    if table.path is not None and table.builtin is not None:
        file.add((*where, "builtin"), "accepted is either path or builtin")
        return None, None
    if table.builtin is not None and table.builtin not in builtin_names():
        known = ", ".join(builtin_names())
        file.add((*where, "builtin"), f"no such bot{nearest(table.builtin, builtin_names())} (built-in: {known})")
        return None, None
    if table.path is None and table.builtin is None:
        return _inline_bot(file, number, table), None
    folder = file.path.parent / (table.path or "") if table.builtin is None else builtin_folder(table.builtin)
    try:
        bot, manifest = read_folder(folder)
    except UsageError as error:
        file.add((*where, "path" if table.builtin is None else "builtin"), str(error))
        return None, None
    return bot and changed(bot, table), manifest


def _inline_bot(file: TomlFile, number: int, table: BotTable) -> Bot | None:
    where = ("bot", number)
    if not table.name:
        file.add((*where, "name"), "is missing: a bot has a path, a builtin, or a name of its own")
    if not table.command and not table.connect:
        file.add((*where, "command"), "is missing: a bot has a path, a builtin, or a command of its own")
    if table.command and table.connect:
        file.add((*where, "connect"), "accepted only without command: the bot is started by hand")
    return bot_of(table, file.path.parent, owns_folder=False, connect=table.connect or "")


def _check_names(file: TomlFile, bots: Sequence[Bot | None]) -> None:
    """Two bots of one name are both named by their lines; so are names that differ only in case or form."""
    first: dict[str, int] = {}
    for number, bot in enumerate(bots):
        if bot is None or not bot.name:
            continue
        earlier = first.setdefault(folded(bot.name), number)
        if earlier != number:
            line = file.line(("bot", earlier))
            other = bots[earlier]
            assert other is not None
            same = "has the same name" if other.name == bot.name else f"is called {other.name!r}: too much alike"
            file.add(("bot", number, "name"), f"{bot.name!r}: the bot of line {line} {same}; names are unique")


def _check_repeats(file: TomlFile, games: Sequence[GamePlan | None]) -> None:
    first: dict[str, int] = {}
    for number, game in enumerate(games):
        if game and first.setdefault(game.ruleset, number) != number:
            line = file.line(("game", first[game.ruleset]))
            file.add(("game", number), f"the same game, seats and options as in line {line}; give more deals there")
    named: dict[str, int] = {}
    for number, game in enumerate(games):
        if game and named.setdefault(folded(game.name), number) != number:
            line = file.line(("game", named[folded(game.name)]))
            file.add(
                ("game", number, "name"), f"{game.name!r}: the game of line {line} has that name; give another name"
            )


def _check_who_plays(file: TomlFile, league: League) -> None:
    names = {bot.name for bot in league.bots}
    for name in league.candidates:
        if name not in names:
            words = f"no bot {name!r}{nearest(name, names)} (bots: {', '.join(sorted(names))})"
            file.add(("league", "candidates"), words)
    for number, bot in enumerate(league.bots):
        if not any(bot.plays(game.id) for game in league.games):
            file.add(("bot", number, "games"), f"{bot.name!r} plays none of the games of this league")
    if file.problems:
        return
    for number, game in enumerate(league.games):
        field = league.field(game)
        if len(field.entrants) < game.seats:
            words = f"only {len(field.entrants)} of the bots play {game.id}; it needs {game.seats} at a table"
            file.add(("game", number, "seats"), words)
        elif league.schedule == "gauntlet" and not field.candidates:
            file.add(("league", "candidates"), f"no candidate plays {game.id}")
        elif not field.count:
            file.add(("game", number, "seats"), "no line-up is possible with these bots, candidates and authors")
