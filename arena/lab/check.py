"""``arena check``: the conformance lab. It runs the real bot and puts it into every situation that a league may.

A rule that *must* be kept fails the check; one that *should* be kept is advice. Nothing is judged by how fast this
machine happens to be: late answers are asked for again where that matters, and waits are generous.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from arena.games import create, game_class, game_ids, one_round
from arena.lab import process_checks
from arena.lab.findings import Enough, Level, Report
from arena.lab.plays import play_games
from arena.lab.session import Session
from arena.lab.situations import SITUATIONS, Scene
from arena.players.base import Limits, Program
from arena.seeds import derive
from arena.testing.modes import mode_options

SCHEMA = 1
POSITIONS, QUICK_POSITIONS = 1000, 64
PLAY_S, QUICK_PLAY_S = 60.0, 5.0
BANK_SHARE = 2
"""Whole games begin with a bank of this part of a move's limit; in all other situations it is used up already."""
KEY = b"arena check"
QUICK = ("first decision", "a long list", "random positions")
"""The situations that a quick check puts every game but the first into."""
IN_EVERY_MODE = ("a single legal action", "random positions")
"""The situations that a full check puts every mode of a game into."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be checked.

    Attributes:
        games: ids of the games.
        quick: fewer modes and positions; enough while a bot is written, not for a badge.
        limits: the clock, and the memory and disk, that the bot is held to.
    """

    games: tuple[str, ...]
    quick: bool
    limits: Limits


def check(program: Program, wanted: Wanted, tell: Tell) -> Report:
    """Check a bot; every finding is in the report.

    Args:
        program: its snapshot.
        wanted: games, thoroughness and limits.
        tell: is told in words what is tried.
    """
    return asyncio.run(_check(program, wanted, tell))


async def _check(program: Program, wanted: Wanted, tell: Tell) -> Report:
    report = Report()
    limits = replace(wanted.limits, bank_ms=wanted.limits.move_ms // BANK_SHARE)
    session = Session(program, limits, wanted.games, report)
    try:
        tell("start and Hello")
        await process_checks.handshake(session)
        await process_checks.idle(session, "waiting")
        games = await _games(session, wanted)
        for number, game in enumerate(games):
            tell(game)
            await _check_game(session, game, wanted, first=number == 0)
            report.games.append(game)
        scene = _scene(games[0], {}, wanted) if games else None
        tell("process")
        if games:
            await process_checks.idle(session, "waiting after the games")
        await process_checks.unknown_game(session)
        if scene is not None:
            await process_checks.broken_stream(session, scene)
            await process_checks.goodbye(session, scene)
    except Enough as enough:
        report.facts["stopped"] = str(enough)
    finally:
        await session.drop()
        session.facts()
    return report


async def _games(session: Session, wanted: Wanted) -> list[str]:
    """Return what is checked: the games it is entered for and its Hello names, else all that it names, else all."""
    hello = (await session.bot("start and Hello")).hello
    assert hello is not None
    claimed = [game for game in game_ids() if not hello.games or game in hello.games]
    return [game for game in claimed if not wanted.games or game in wanted.games]


async def _check_game(session: Session, game: str, wanted: Wanted, *, first: bool) -> None:
    scene = _scene(game, {}, wanted)
    for name, situation in SITUATIONS.items():
        if not wanted.quick or first or name in QUICK:
            await situation(session, scene, f"{game}: {name}")
    seconds = QUICK_PLAY_S if wanted.quick else PLAY_S
    for number, (words, seats, options) in enumerate(_tables(game, quick=wanted.quick)):
        rules = create(game, seats, **options)
        at = range(seats) if not wanted.quick else [number % seats]
        await play_games(session, f"{game}: whole games, {words}", rules, at, derive(KEY, game, words), seconds)
    for option, value in () if wanted.quick else mode_options(game):
        scene = _scene(game, {option: value}, wanted)
        for name in IN_EVERY_MODE:
            await SITUATIONS[name](session, scene, f"{game}: {name}, {option} = {_word(value)}")


def _scene(game: str, options: dict[str, Any], wanted: Wanted) -> Scene:
    seats = game_class(game).seat_counts
    rules = create(game, seats[0], **options)
    count = QUICK_POSITIONS if wanted.quick else POSITIONS
    key = derive(KEY, "scene", game, *options)
    return Scene(rules, game, key, count // 4 if options else count)


def _tables(game: str, *, quick: bool) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield (words, seats, options) of the whole games: every number of seats, a single round, and every mode."""
    counts = game_class(game).seat_counts
    for seats in counts[:1] if quick else counts:
        yield f"{seats} seats", seats, {}
    for option, value in [*one_round(game).items(), *(() if quick else mode_options(game))]:
        yield f"{option} = {_word(value)}", counts[0], {option: value}


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def document(report: Report, program: Program, wanted: Wanted) -> dict[str, Any]:
    """Return a report as a JSON document."""
    good, all_of_them = report.counts
    return {
        "schema": SCHEMA,
        "bot": program.name,
        "version": program.version,
        "digest": program.digest,
        "passed": report.passed,
        "quick": wanted.quick,
        "situations": all_of_them,
        "situations_passed": good,
        "findings": [
            {
                "rule": item.rule,
                "level": str(item.level),
                "situation": item.situation,
                "words": item.words,
                "also": item.also,
            }
            for level in Level
            for item in report.of(level)
        ],
        "skipped": report.skipped,
        "clock": {"move_ms": wanted.limits.move_ms, "margin_ms": wanted.limits.margin_ms},
        "facts": report.facts,
    }
