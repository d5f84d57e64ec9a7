"""``arena rematch``: a bot meets a stored game again, up to the first answer that differs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import click

from arena.cli.main import EXIT_FAILED
from arena.cli.out import find_results, tell
from arena.errors import UsageError
from arena.games import Seat
from arena.lab.rematch import Outcome, rematch
from arena.league.bots import MANIFEST, Bot, builtin_names, read_bot
from arena.league.builds import Builds, users_cache
from arena.league.capsule import read_capsule
from arena.league.case import Case, read_case
from arena.league.snapshot import snapshot
from arena.league.steps import step_sandbox
from arena.players.levels import resolve_level
from arena.records.record import Record
from arena.reports.writers import json_text


@click.command("rematch")
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("game", required=False)
@click.option(
    "--bot", "text", required=True, metavar="BOT", help="A folder, a built-in bot, NAME=COMMAND, NAME=FOLDER."
)
@click.option("--seat", type=int, help="The seat that it takes; default: that of the bot of its name.")
@click.option("--no-clock", is_flag=True, help="No limits of time, for a debugger.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def rematch_command(
    results: Path, game: str | None, text: str, seat: int | None, no_clock: bool, as_json: bool
) -> None:
    """Feed the requests of GAME (its id, or the beginning of it) of RESULTS to a bot; stop where it answers otherwise.

    RESULTS may also be a capsule file, as 'arena export --fault' writes it; then no GAME is needed. Exit status 0 when
    the bot does all that is recorded of it, 1 at the first difference.

    \b
    Example:
        arena rematch results/demo 3f9a --bot mine=./mybot --seat 1
        arena rematch fault.json --bot ./mybot --no-clock
    """
    case, own = _case(results, game)
    bot = _bot(text)
    seat = _seat(case.record, bot, own if seat is None else seat)
    with tempfile.TemporaryDirectory(prefix="arena-rematch-") as folder:
        level = resolve_level("auto")
        program = snapshot(bot, Path(folder), step_sandbox(level), Builds(users_cache(), level, tell, caches=True))
        outcome = rematch(case, seat, program, clock=not no_clock)
    if as_json:
        click.echo(json_text({"schema": 1, "id": case.record.game_id, "seat": seat, **asdict(outcome)}), nl=False)
    else:
        click.echo("\n".join(_lines(case.record, seat, outcome)))
    if outcome.difference is not None:
        sys.exit(EXIT_FAILED)


def _case(results: Path, game: str | None) -> tuple[Case, Seat | None]:
    if results.is_file():
        return read_capsule(results)
    if game is None:
        raise UsageError(f"{results}: which game? Give the beginning of its id, or a capsule file")
    return read_case(find_results(results), game), None


def _bot(text: str) -> Bot:
    name, equals, rest = text.partition("=")
    if equals and ((Path.cwd() / rest / MANIFEST).is_file() or rest in builtin_names()):
        return replace(read_bot(rest, Path.cwd()), name=name)
    return read_bot(text, Path.cwd())


def _seat(record: Record, bot: Bot, given: int | None) -> Seat:
    names = [player.name for player in record.players]
    if given is not None:
        if not 0 <= given < record.seats:
            raise UsageError(f"--seat {given}: this game has seats 0..{record.seats - 1}")
        return given
    if bot.name not in names:
        raise UsageError(f"--bot: no {bot.name!r} sat at this table ({', '.join(names)}): choose a seat with --seat N")
    return names.index(bot.name)


def _lines(record: Record, seat: Seat, outcome: Outcome) -> Iterator[str]:
    head = f"game {record.game_id}, seat {seat} ({record.players[seat].name}): {outcome.equal} decisions as recorded"
    found = outcome.difference
    if found is None:
        yield f"{head}; {f'the same fault again: {outcome.repeated}' if outcome.repeated else 'no difference'}"
    elif found.decision is None:
        yield f"{head}; it did not start: {found.now}"
    else:
        yield f"{head}; then a difference"
        yield f"decision {found.decision} (from 0), step {found.step}; legal: {', '.join(found.legal)}"
        yield from (f"      {line}".rstrip() for line in found.table.splitlines())
        yield f"recorded  {found.recorded}"
        yield f"now       {found.now}"
    if outcome.output and (found is not None or outcome.repeated):
        yield "the last lines that the bot printed:"
        yield from (f"      | {line}" for line in outcome.output.splitlines())
