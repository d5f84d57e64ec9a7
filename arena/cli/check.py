"""``arena check``: whether a bot keeps the contract, in words."""

from __future__ import annotations

import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.main import EXIT_FAILED, EXIT_USAGE, STATUS
from arena.cli.options import move_ms_option
from arena.cli.out import tell
from arena.errors import UsageError
from arena.games import game_class, game_ids
from arena.league.badge import withdraw_badge, write_badge
from arena.league.bots import Bot, is_bundled, read_bot, require_plays
from arena.league.builds import Builds, users_cache
from arena.league.snapshot import snapshot
from arena.league.sources import BADGE
from arena.league.steps import step_sandbox
from arena.players.base import Limits
from arena.players.levels import resolve_level
from arena.reports.writers import json_text

if TYPE_CHECKING:
    from arena.lab.findings import Report

WIDTH = 110


@click.command()
@click.argument("bot")
@click.option("--game", "games", multiple=True, metavar="ID", help="A game to check; repeat. Default: all it plays.")
@click.option("--quick", is_flag=True, help="Few modes and positions, for while you write; gives no badge.")
@click.option("--badge", type=click.Path(path_type=Path), help=f"Where the badge goes; default: {BADGE} in its folder.")
@move_ms_option
@click.option("--rebuild", is_flag=True, help="Build it anew, though the same was built before.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def check(
    bot: str, games: tuple[str, ...], quick: bool, badge: Path | None, move_ms: int, rebuild: bool, as_json: bool
) -> None:
    """Put BOT into every situation that a league may; say what it must and should do better.

    Exit status 0 when every rule that must be kept was kept, 1 when not, 2 when the bot cannot be built or found. A
    bot that passes gets a badge, which a league with require_check = true asks for; it is valid until the bot's files
    change, where a decision may take --move-ms or longer. What its steps build is kept in the user's cache folder
    (arena/builds, at most 2 GB) until its files change.

    \b
    Example:
        arena check mybot --quick
        arena check mybot --game no_thanks --json
    """
    from arena.lab.check import Wanted, document
    from arena.lab.check import check as run_check

    for game in games:
        game_class(game)
    declared = read_bot(bot, Path.cwd())
    require_plays([declared], games)
    with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
        level = resolve_level("auto")
        builds = Builds(users_cache(), level, tell, rebuild, caches=True)
        program = snapshot(declared, Path(folder), step_sandbox(level), builds)
        wanted = Wanted(games or program.games, quick, Limits(move_ms=move_ms, sandbox=level))
        report = run_check(program, wanted, lambda words: tell(f"checking: {words}"))
    found = document(report, program, wanted)
    own = declared.folder / BADGE if declared.owns_folder and not is_bundled(declared) else None
    refused: UsageError | None = None
    if report.passed and not quick:
        path = (badge or own) if report.games else None
        try:
            if path is not None:
                write_badge(path, program, report.games, move_ms)
            found["badge"] = str(path or "")
        except UsageError as error:  # it is said after the report, which took minutes
            refused, found["badge"] = error, ""
    lost = withdraw_badge(own, program, move_ms) if own is not None and not quick and not report.passed else ""
    status = EXIT_USAGE if refused is not None else 0 if report.passed else EXIT_FAILED
    click.get_current_context().meta[STATUS] = status
    if as_json:
        click.echo(json_text(found), nl=False)
    else:
        click.echo("\n".join(_lines(report, found)))
        failing = {item.situation.partition(":")[0] for item in report.findings if item.level == "must"}
        if not games and not declared.games and failing & set(game_ids()) and set(report.games) - failing:
            tell(
                'it was tried in every game; games = ["no_thanks"] in its bot.toml, or --game ID, names those it plays'
            )
        if report.passed and not quick and not found["badge"] and refused is None:
            tell(f"no badge: {_why_none(declared, report)}")
    if quick and badge is not None:
        tell("no badge: a quick check gives none")
    if refused is not None:
        raise refused
    if not report.passed:
        if lost:
            tell(lost)
        sys.exit(EXIT_FAILED)


def _why_none(bot: Bot, report: Report) -> str:
    if not report.games:
        return "it was tried in no game"
    needs = "what comes with the arena needs none" if is_bundled(bot) else "the bot has no folder"
    return f"{needs}; --badge FILE writes one"


def _lines(report: Report, found: dict[str, Any]) -> Iterator[str]:
    from arena.lab.findings import RULES, Level

    facts = report.facts
    yield from _facts(facts)
    for level in Level:
        for item in report.of(level):
            yield f"{click.style(f'{level.upper()}:', bold=True)} {RULES[item.rule][1]} ({item.rule})"
            also = f" (and in {item.also} more)" if item.also else ""
            first, *rest = f"not so in {item.situation}{also}: {item.words}".splitlines()
            yield textwrap.fill(first, WIDTH, initial_indent="    ", subsequent_indent="    ")
            yield from (f"    {line}" for line in rest)
    yield from (f"left out: {name}: {words}" for name, words in report.skipped.items())
    if "stopped" in facts:
        yield f"stopped early: {facts['stopped']}"
    word = "PASS" if report.passed else "FAIL"
    advice = len(report.of(Level.SHOULD))
    good, tried = report.counts
    yield f"{word} {good} of {tried} situations" + (f", {advice} to improve" if advice else "")
    if found.get("badge"):
        yield f"badge: {found['badge']}"


def _facts(facts: dict[str, Any]) -> Iterator[str]:
    if "hello_s" in facts:
        sdk, at_once = f" ({facts['sdk']})" if facts["sdk"] else "", facts["max_in_flight"]
        yield f"Hello after {facts['hello_s']} s{sdk}, protocol {facts['protocol']}, {at_once} games at once"
    if "decisions" in facts:
        yield f"{facts['decisions']} decisions, {facts['mean_ms']} ms on average, the slowest {facts['slowest_ms']} ms"
    if "list_messages" in facts:
        messages = facts["list_messages"]
        yield f"a list of {facts['list']} requests came back in {messages} message{'' if messages == 1 else 's'}"
    if "positions" in facts:
        yield f"{facts['positions']} random positions were compared with the rules"
