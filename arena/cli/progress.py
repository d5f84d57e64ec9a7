"""The live display of a league: a bar over the standings on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from arena.cli.main import EXIT_FAILED, EXIT_INTERRUPTED, STATUS
from arena.cli.out import rich_table, tell
from arena.league.runner import Outcome, Tally
from arena.league.values import League
from arena.reports.planned import duration, time_left
from arena.reports.rows import Rows
from arena.storage.store import Store

LINE_S = 5.0
QUIET_S = 3.0
"""Users see who is waited for once nothing has happened at a table for this long."""
TABLE_S = 3.0
LIVE_COLUMNS = ("rank", "name", "bound", "elo", "error", "points", "games", "faults")


class Show:
    """What is shown of a running league; the plain form of it.

    Attributes:
        extra: words that are shown after the pace, such as how far a test is.
    """

    def __init__(self, league: League) -> None:
        self._plan = league.plan()
        self._limits = league.limits
        self._began = monotonic()
        self._line_at = 0.0
        self.extra = ""

    def preparing(self, words: str) -> None:
        """Say what is done before the first game."""
        tell(words)

    def begun(self, tally: Tally, commitment: str) -> None:
        """Say what the league is bound to, and where it resumes."""
        self._began = monotonic()
        tell(f"the deals are fixed by a secret whose SHA-256 is {commitment}")
        if tally.before:
            done = "complete: " if tally.before >= tally.planned else "resuming: "
            tell(f"{done}{tally.before} of {tally.planned} games are stored")

    def progress(self, tally: Tally, store: Store) -> None:
        """Print a line every few seconds."""
        if monotonic() - self._line_at >= LINE_S:
            self._line_at = monotonic()
            tell(self.line(tally))

    def stopping(self, *, decided: bool) -> None:
        """Say that running games finish, and why."""
        tell(_stopping(decided=decided))

    def line(self, tally: Tally) -> str:
        """Return how far the league is, and how long it will take."""
        waiting = self.waiting(tally)
        return f"{tally.stored} of {tally.planned} games, {self.pace(tally)}{waiting and '; '}{waiting}"

    def pace(self, tally: Tally) -> str:
        """Return games per second and the time left."""
        return f"{self._pace(tally)}{self.extra and '; '}{self.extra}"

    def waiting(self, tally: Tally) -> str:
        """Name the table at which nothing has happened for longest, with the limits that end it; "" if none is slow."""
        table = max(tally.playing, key=lambda table: table.seconds, default=None)
        if table is None or table.seconds < QUIET_S:
            return ""
        limit = (self._limits.move_ms + self._limits.bank_ms + self._limits.margin_ms) / 1000
        games = f"{table.games} {'game' if table.games == 1 else 'games'}"
        return (
            f"no game has begun or ended for {duration(table.seconds)} at the table of {', '.join(table.names)} "
            f"({games} open; a bot has {limit:g} s for a decision and {self._limits.game_s:g} s for a game)"
        )

    def _pace(self, tally: Tally) -> str:
        played, seconds = tally.stored - tally.before, monotonic() - self._began
        if not played or seconds < 1:
            return "starting"
        pace = f"{played / seconds:.3g} games/s"
        left = time_left(self._plan, tally.planned - tally.stored, played, tally, seconds)
        return pace if left is None else f"{pace}, about {duration(left)} left"

    def summary(self, outcome: Outcome) -> str:
        """Return what the run did."""
        tally, seconds = outcome.tally, monotonic() - self._began
        played = tally.stored - tally.before
        if not played:
            return "complete: nothing was left to play" if outcome.complete else "no game was played"
        share = 100 * tally.start_seconds / tally.seconds if tally.seconds else 0
        return (
            f"{played} games in {duration(seconds)} ({played / seconds:.0f} games/s, {tally.decisions} decisions, "
            f"{tally.list_size:.1f} requests a message, {share:.0f} % of the time starting bots, "
            f"{tally.restarts} restarts, {tally.void} void)"
        )


class LiveShow(Show):
    """The display on a terminal."""

    def __init__(self, league: League, console: Console) -> None:
        super().__init__(league)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            console=console,
        )
        self._task = self._bar.add_task(league.name, total=None, pace="")
        self._tables: list[Rows] = []
        self._tables_at = 0.0
        self._words, self._waiting = Text(), Text()
        self.live = Live(self._render(), console=console, refresh_per_second=4, transient=True)

    def preparing(self, words: str) -> None:
        """Show the step under the bar."""
        self._words = Text(words)
        self.live.update(self._render())

    def begun(self, tally: Tally, commitment: str) -> None:
        """Show the bar with its total."""
        super().begun(tally, commitment)
        self._words = Text()
        self._bar.update(self._task, total=tally.planned, completed=tally.stored)

    def progress(self, tally: Tally, store: Store) -> None:
        """Move the bar; rate what is stored every few seconds."""
        self._bar.update(self._task, completed=tally.stored, pace=self.pace(tally))
        self._waiting = Text(self.waiting(tally))
        if monotonic() - self._tables_at >= TABLE_S and tally.stored:
            from arena.reports.league import league_standings  # loads SciPy: not before there is something to rate

            self._tables = [
                standing.rows for standing in league_standings(store, checks=False).games if standing.rows.rows
            ]
            self._tables_at = monotonic()
        self.live.update(self._render())

    def stopping(self, *, decided: bool) -> None:
        """Show that running games finish, and why."""
        self._words = Text(_stopping(decided=decided), style="yellow")
        self.live.update(self._render())

    def _render(self) -> Group:
        return Group(self._bar, *(rich_table(_narrow(table)) for table in self._tables[:2]), self._waiting, self._words)


def exit_status(outcome: Outcome) -> int:
    """Return the exit status of a run; it is kept, so that it is true though nobody reads what is printed next."""
    status = EXIT_FAILED if outcome.paused else EXIT_INTERRUPTED if outcome.interrupted else 0
    click.get_current_context().meta[STATUS] = status
    return status


def _stopping(*, decided: bool) -> str:
    if decided:
        return "decided: running games finish, Ctrl-C stops at once"
    return "stopping: running games finish; Ctrl-C again stops at once"


def _narrow(table: Rows) -> Rows:
    columns = tuple(column for column in table.columns if column.key in LIVE_COLUMNS)
    return Rows(columns, table.rows)


@contextmanager
def terminal_show(league: League) -> Iterator[Show]:
    """Return the live display on a terminal, the plain one elsewhere; nothing of it goes to stdout."""
    if not sys.stderr.isatty():
        yield Show(league)
        return
    show = LiveShow(league, Console(stderr=True))
    with show.live:
        yield show
