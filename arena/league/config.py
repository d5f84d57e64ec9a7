"""``league.toml``: read, validated as a whole, and handed on as frozen values.

Everything that can be known before a game is checked here, and all problems are reported at once, each with file,
line, key, value, what is accepted and the nearest name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    folded,
    name_problem,
    read_folder,
)
from arena.league.locate import TomlFile, raise_problems
from arena.league.tables import BotTable, FaultsTable, GameTable, LeagueFile, LeagueTable, validated
from arena.players.base import FaultPolicy, Limits
from arena.schedules.line_ups import Entrant, Field
from arena.schedules.plan import Plan, RulesetPlan
from arena.schedules.seatings import Policy, seatings

IN_FLIGHT_MOST = 64


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One ``[[game]]`` of a league.

    Attributes:
        id: id of the game.
        seats: bots at a table.
        deals: number of deals.
        seatings: ``balanced``, ``all``, ``rotations`` or a number.
        options: every option with its value, defaults included.
        ruleset: canonical text of game, seats, options and rules version.
    """

    id: str
    seats: int
    deals: int
    seatings: Policy
    options: Mapping[str, Any]
    ruleset: str


@dataclass(frozen=True, slots=True)
class League:
    """A league file that has no problems.

    Attributes:
        path: the file.
        text: its content, to be kept beside the results.
        name: name of the league.
        schedule: ``round-robin`` or ``gauntlet``.
        candidates: names of a gauntlet's candidates.
        secret: the 32 bytes that deals are keyed by; None when one is to be drawn.
        same_author: ``allow`` or ``never`` at one table.
        line_ups: 0 for all, else the size of a balanced subset.
        require_check: only bots with a badge of ``arena check`` may play.
        ask_forced: seats with one legal action are asked too.
        in_flight: ``auto`` or the games of a sitting that are open at once.
        games: what is played.
        limits: of every bot.
        faults: what they cost.
        bots: who plays, in the order of the file.
    """

    path: Path
    text: str
    name: str
    schedule: str
    candidates: tuple[str, ...]
    secret: bytes | None
    same_author: str
    line_ups: int
    require_check: bool
    ask_forced: bool
    in_flight: str | int
    games: tuple[GamePlan, ...]
    limits: Limits
    faults: FaultPolicy
    bots: tuple[Bot, ...]

    def field(self, game: GamePlan) -> Field:
        """Return the bots that play a game, and how line-ups are chosen among them."""
        players = [bot for bot in self.bots if bot.plays(game.id)]
        apart = self.same_author == "never"
        return Field(
            entrants=tuple(Entrant(bot.name) for bot in players),
            seats=game.seats,
            candidates=tuple(Entrant(bot.name) for bot in players if bot.name in self.candidates),
            authors=tuple((Entrant(bot.name), folded(bot.author)) for bot in players if apart and bot.author),
            number=self.line_ups,
        )

    def plan(self) -> Plan:
        """Return everything that the league plays."""
        return Plan(
            tuple(
                RulesetPlan(game.ruleset, self.field(game), seatings(game.seatings, game.seats), game.deals)
                for game in self.games
            )
        )


def read_league(path: Path) -> League:
    """Read and validate a league file and the ``bot.toml`` of its bots.

    Raises:
        UsageError: with every problem found, one a line.
    """
    file = TomlFile.read(path)
    table = validated(file, LeagueFile)
    if table is None:
        raise_problems([file])
        raise AssertionError("a file without a problem was not validated")
    bots, manifests = _bots(file, table.bot)
    games = [_game(file, number, game) for number, game in enumerate(table.game)]
    _check_league(file, table.league)
    _check_names(file, bots)
    _check_repeats(file, games)
    raise_problems([file, *manifests])
    league = _league(file, table, [game for game in games if game], [bot for bot in bots if bot])
    _check_who_plays(file, league)
    raise_problems([file])
    return league


def secret_bytes(text: str) -> bytes:
    """Return the 32 bytes of a secret given in a file: 64 hex digits as they are, other words by their SHA-256."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    return hashlib.sha256(text.encode()).digest()


def _league(file: TomlFile, table: LeagueFile, games: Sequence[GamePlan], bots: Sequence[Bot]) -> League:
    head = table.league
    return League(
        path=file.path,
        text=file.text,
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
    )


def _faults(table: FaultsTable) -> FaultPolicy:
    costs = (("illegal", table.illegal), ("timeout", table.timeout), ("protocol", table.protocol))
    return FaultPolicy(costs, table.strikes)


def _check_league(file: TomlFile, head: LeagueTable) -> None:
    name = head.name or file.path.stem
    if problem := name_problem(name) or ("accepted is a name for a folder" if _is_no_folder(name) else ""):
        file.add(("league", "name"), problem)
    if type(head.in_flight) is int and not 1 <= head.in_flight <= IN_FLIGHT_MOST:
        file.add(("league", "in_flight"), f"accepted is auto, or a whole number, 1..{IN_FLIGHT_MOST}")
    if head.schedule == "gauntlet" and not head.candidates:
        file.add(("league", "candidates"), "is missing: schedule = gauntlet needs the names of some bots")
    if head.schedule != "gauntlet" and head.candidates:
        file.add(("league", "candidates"), "accepted only with schedule = gauntlet")


def _is_no_folder(name: str) -> bool:
    return name.startswith(".") or any(sign in name for sign in "/\\")


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
    return GamePlan(table.id, table.seats, table.deals, table.seatings, dict(spec.options), spec.ruleset)


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
