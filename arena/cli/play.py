"""``arena play``: one game between bots, at once."""

from __future__ import annotations

import json
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from arena.cli.main import EXIT_FAILED
from arena.cli.options import game_options, move_ms_option
from arena.cli.out import print_rows, print_sheet, tell
from arena.errors import Termination, UsageError
from arena.games import create, one_round
from arena.games.base import GameSpec
from arena.league.bots import read_bots, require_players
from arena.league.builds import Builds, users_cache
from arena.league.case import Case
from arena.league.job import GameJob, Job, SittingEnd, new_mark
from arena.league.pool import Pool
from arena.league.runner import VOIDS_PAUSE
from arena.league.snapshot import snapshots
from arena.league.steps import step_sandbox
from arena.league.tables import MOVE_MS_MOST
from arena.players.base import FaultPolicy, Limits, Program
from arena.players.levels import resolve_level
from arena.records.codec import decode
from arena.records.record import Finished, Record, Void, places
from arena.reports.explain import explanation, fault_words
from arena.reports.game_sheet import natural_scores
from arena.reports.rows import Cell, Column, Rows
from arena.seeds import bot_seed, deal_key, derive


@click.command()
@click.argument("game")
@click.argument("bots", nargs=-1, required=True)
@click.option("--seed", default=None, help="The deal and the bots' seeds: any word or number; drawn if not given.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeat.")
@click.option("--show", is_flag=True, help="Print the game step by step.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the record of the game to a file.")
@move_ms_option
@click.option("--no-clock", is_flag=True, help="No limits of time, for a debugger.")
def play(
    game: str,
    bots: tuple[str, ...],
    seed: str | None,
    options: tuple[str, ...],
    show: bool,
    save: Path | None,
    move_ms: int,
    no_clock: bool,
) -> None:
    """Play one GAME with a bot for each seat, in the order given.

    A BOT is a folder with a bot.toml, the name of a bundled bot, or NAME=COMMAND. Of a game that is played in rounds it
    is one round, unless --option rounds=N asks for more. Exit status 1 when a bot had a fault, with what it was.

    \b
    Example:
        arena play no_thanks careful margin random --seed 7 --show
        arena play no_thanks ./mybot margin random --option rounds=4 --save game.json
    """
    seed = seed if seed is not None else secrets.token_hex(4)
    read = read_bots(bots, Path.cwd())
    require_players(read, game)
    rules = create(game, len(bots), **one_round(game) | game_options(game, options))
    limits = Limits(move_ms=MOVE_MS_MOST, game_s=1_000_000) if no_clock else Limits(move_ms=move_ms)
    with tempfile.TemporaryDirectory(prefix="arena-play-") as folder:
        level = resolve_level(limits.sandbox)
        programs = snapshots(read, Path(folder), step_sandbox(level), Builds(users_cache(), level, tell, caches=True))
        finished, end = play_one(rules.spec, programs, seed, limits)
    record = decode(finished.record)
    if show:
        print_sheet(record)
    else:
        print_rows(_result(record))
    _tell_faults(Case(record, json.loads(finished.trace), limits, FaultPolicy(), ask_forced=False))
    _tell_output(record, end)
    if save is not None:
        _save(save, finished.record)
    tell(f"the same game again: --seed {seed}")
    if any(word is not Termination.NORMAL for word in record.terminations):
        sys.exit(EXIT_FAILED)


def play_one(spec: GameSpec, programs: Sequence[Program], seed: str, limits: Limits) -> tuple[Finished, SittingEnd]:
    """Play one game in a worker; return it with what the bots printed.

    Raises:
        UsageError: when this machine was at fault again and again, so that no attempt counts.
    """
    secret = derive(b"arena play", seed)
    game_id = derive(secret, spec.ruleset).hex()[:20]
    seeds = tuple(bot_seed(secret, game_id, seat) for seat in range(len(programs)))
    job = Job(
        game=spec.id,
        options=spec.options,
        programs=tuple(programs),
        games=(GameJob(game_id, 0, deal_key(secret, spec.ruleset, 0), seeds),),
        limits=limits,
        policy=FaultPolicy(),
    )
    pool = Pool(1)
    try:
        for _ in range(VOIDS_PAUSE):
            played = _attempt(pool, replace(job, mark=new_mark()))
            if played is not None:
                return played
    finally:
        pool.close()
    raise UsageError(
        f"the game was void {VOIDS_PAUSE} times: this machine is too busy for decisions in {limits.move_ms} ms; end "
        "other programs, or allow more time with --move-ms"
    )


def _attempt(pool: Pool, job: Job) -> tuple[Finished, SittingEnd] | None:
    """Play a job of one game; return None when the game was void, or its worker died after it.

    A game whose worker dies in it is void, too; but then the pool has played it again by itself, with a new worker.
    """
    finished: Finished | None = None
    end: SittingEnd | None = None
    for item in pool.play(iter([job])):
        match item and item.content:
            case Void() as void:
                tell(f"this attempt does not count: {void.evidence}")
            case Finished() as finished:
                pass
            case SittingEnd() as end:
                pass
    if finished is None:
        return None
    if end is None:
        tell("this attempt does not count: the worker that played it died before it told what the bots printed")
        return None
    return finished, end


def _result(record: Record) -> Rows:
    columns = (
        Column("place", "place"),
        Column("seat", "seat"),
        Column("name", "bot"),
        Column("score", "score"),
        Column("ended", "ended"),
    )
    final = places(record.ranks, record.terminations)
    scores = natural_scores(record.game, record.scores)
    rows: list[dict[str, Cell]] = [
        {"place": final[seat], "seat": seat, "name": player.name, "score": scores[seat], "ended": str(word)}
        for seat, (player, word) in enumerate(zip(record.players, record.terminations, strict=True))
    ]
    return Rows(columns, tuple(sorted(rows, key=lambda row: final[int(row["seat"] or 0)])))


def _tell_faults(case: Case) -> None:
    """Say of every fault what was asked, what came back and what it cost."""
    found = explanation(case)
    for fault in found["faults"]:
        tell(fault_words(fault))
    if any(fault["word"] == Termination.TIMEOUT for fault in found["faults"]):
        tell("an endless loop, or a decision that takes too long? --move-ms gives it more time, --no-clock all of it")


def _tell_output(record: Record, end: SittingEnd) -> None:
    """Show what each bot printed last: of a game that is played by hand there is no log."""
    for seat, (player, printed) in enumerate(zip(record.players, end.logs, strict=True)):
        if printed:
            tell(f"the last lines that seat {seat} ({player.name}) printed:")
            for line in printed.splitlines():
                tell(f"    {line}")


def _save(path: Path, record: bytes) -> None:
    try:
        path.write_bytes(record)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    tell(f"saved: {path}; replay it with 'arena replay {path}'")
