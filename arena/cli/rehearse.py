"""``arena rehearse``: a league's own set-up with one misbehaving bot of each kind, before it counts."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arena.cli.main import EXIT_FAILED
from arena.cli.out import print_rows, tell
from arena.errors import UsageError, nearest
from arena.lab.rehearse import Rehearsed, rehearse, short_limits
from arena.league.config import read_league
from arena.league.values import League
from arena.reports.rows import Column, Rows
from arena.reports.writers import json_text
from arena.testing.bots import FAULTS

COLUMNS = (
    Column("fault", "fault"),
    Column("game", "game"),
    Column("ruled", "ruled as"),
    Column("expected", "expected"),
    Column("survived", "survived"),
    Column("how", "how"),
)


@click.command("rehearse")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--fault", "faults", multiple=True, metavar="FAULT", help="Only this fault; repeat. Default: all.")
@click.option("--workers", type=click.IntRange(1, 256), help="Worker processes; default: one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def rehearse_command(file: Path, faults: tuple[str, ...], workers: int | None, as_json: bool) -> None:
    """Let one misbehaving bot of each kind play at the tables of the league of FILE, in under five minutes.

    Its bots, limits and settings are the league's own; nothing is stored. Exit status 1 if something did harm.

    \b
    Example:
        arena rehearse spring.toml
        arena rehearse spring.toml --fault hang --fault fork
    """
    unknown = [fault for fault in faults if fault not in FAULTS]
    if unknown:
        raise UsageError(f"--fault {unknown[0]}: no such fault{nearest(unknown[0], FAULTS)} ({', '.join(FAULTS)})")
    league = read_league(file)
    _tell_limits(league)
    with tempfile.TemporaryDirectory(prefix="arena-rehearse-") as folder:
        found = rehearse(
            league,
            Path(folder),
            workers=workers or len(os.sched_getaffinity(0)),
            faults=faults or FAULTS,
            tell=tell,
        )
    if as_json:
        click.echo(json_text({"schema": 1, "league": league.name, "rows": [asdict(item) for item in found]}), nl=False)
    else:
        _print(found)
    if not all(item.survived for item in found):
        sys.exit(EXIT_FAILED)


def _tell_limits(league: League) -> None:
    short = short_limits(league.limits)
    if short != league.limits:
        tell(f"limits shortened: {short.move_ms} ms a decision, {short.bank_ms} ms bank, {short.start_s:g} s to start")


def _print(found: Sequence[Rehearsed]) -> None:
    rows = [
        {
            "fault": item.fault,
            "game": item.game,
            "ruled": ", ".join(item.ruled),
            "expected": " or ".join(item.expected),
            "survived": "yes" if item.survived else "NO",
            "how": item.how,
        }
        for item in found
    ]
    print_rows(Rows(COLUMNS, tuple(rows)))
    harmed = sum(not item.survived for item in found)
    click.echo(f"survived {len(found) - harmed} of {len(found)}")
