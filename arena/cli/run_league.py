"""``arena run-league``: validate, plan, play with live progress, print the standings."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.main import EXIT_INTERRUPTED
from arena.cli.out import print_rows, tell
from arena.cli.progress import Show, exit_status, terminal_show
from arena.errors import UsageError
from arena.league.badge import digests, require_badges, unchecked
from arena.league.bots import shipped
from arena.league.config import read_league
from arena.league.folder import ResultsFolder, set_aside
from arena.league.runner import Outcome
from arena.league.runner import run_league as run
from arena.league.values import League
from arena.reports.planned import plan_rows, plan_words
from arena.reports.writers import json_text
from arena.storage.store import Store

if TYPE_CHECKING:
    from arena.reports.league import LeagueStandings

DEMO = "bots/leagues/demo.toml"


@click.command("run-league")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), help="Results folder; default: results/NAME.")
@click.option("--workers", type=click.IntRange(1, 256), help="Worker processes; default: one a core.")
@click.option("--dry-run", is_flag=True, help="Validate and print the plan; play nothing.")
@click.option("--fresh", is_flag=True, help="Begin anew; old results are renamed, never deleted.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def run_league(
    file: Path | None, results: Path | None, workers: int | None, dry_run: bool, fresh: bool, as_json: bool
) -> None:
    """Play the league of FILE, or the bundled demo league, and print its standings.

    The same command again resumes what was stopped. Ctrl-C lets running games finish; a second one stops at once. Exit
    status 0 when all games are played, 1 when the league paused, with why, 130 when it was stopped.

    \b
    Example:
        arena run-league                        the demo, in about half a minute
        arena run-league spring.toml --workers 2
    """
    league = read_league(file or shipped(DEMO))
    require_badges(league, digests(league.bots))  # and once more of what is built: here before anything is moved
    if by_hand := unchecked(league):
        tell(f"require_check = true: no badge is asked of {', '.join(by_hand)}: what is started by hand is not rated")
    results = results or Path("results") / league.name
    workers = workers or len(os.sched_getaffinity(0))
    if not as_json:
        print_rows(plan_rows(league), f"league {league.name}")
    tell(plan_words(league, workers))
    if dry_run:
        return
    if fresh and (old := set_aside(results)) is not None:
        tell(f"the old results are now in {old}")
    if file is not None and not results.exists() and file.resolve().parent != Path.cwd():
        tell(f"results go to {results.resolve()}, below the working directory")
    command = shlex.join(["arena", *(word for word in sys.argv[1:] if word != "--fresh")])
    try:
        with terminal_show(league) as show:
            outcome = run(league, results, show, workers=workers)
    except KeyboardInterrupt:
        tell(f"stopped at once; this goes on: {command}")
        sys.exit(EXIT_INTERRUPTED)
    status = exit_status(outcome)
    _finish(league, results, outcome, show, as_json=as_json)
    if outcome.paused:
        tell(f"paused: {outcome.paused}\nonce that is mended, this goes on: {command}")
    elif outcome.interrupted:
        tell(f"stopped; this goes on: {command}")
    sys.exit(status)


def _finish(league: League, results: Path, outcome: Outcome, show: Show, *, as_json: bool) -> None:
    from arena.cli.report import emit  # this and the next load SciPy: what is refused is refused at once
    from arena.cli.standings import foot, league_blocks, warned
    from arena.reports.integrity import integrity_notes
    from arena.reports.league import league_standings

    with Store.open(results / "league.db") as store:
        standings = league_standings(store)
        notes = integrity_notes(store, standings)
    write_derived(results, standings)
    if as_json:
        click.echo(json_text(standings.document()), nl=False)
    else:
        lines = [*warned(notes), foot(standings)]
        emit(f"Standings of {league.name}", league_blocks(standings, ()), lines, "table", None)
    tell(show.summary(outcome))
    tell(f"results: {results}/   next: arena standings {results} --wide, or --crosstable")


def write_derived(results: Path, standings: LeagueStandings) -> None:
    """Write ``standings.{txt,json,csv,html}`` of a results folder, each replaced as a whole.

    Raises:
        UsageError: when they cannot be written.
    """
    from arena.cli.report import text_of  # as above
    from arena.cli.standings import foot, league_blocks
    from arena.reports.sections import FULL

    if not results.is_dir():
        raise UsageError(f"{results}: no such folder")
    title, ladders = f"Standings of {standings.progress.league}", league_blocks(standings, ())
    everything = league_blocks(standings, FULL)
    with ResultsFolder.open(results) as folder:
        folder.write("standings.txt", text_of(title, ladders, [foot(standings)], "table").encode())
        folder.write("standings.json", json_text(standings.document()).encode())
        folder.write("standings.csv", text_of(title, ladders, [], "csv").encode())
        folder.write("standings.html", text_of(title, everything, [foot(standings)], "html").encode())
