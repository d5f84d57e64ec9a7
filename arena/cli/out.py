"""What commands share: tables on stdout with colour on a terminal and plain text in a pipe, words on stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from arena.cli.main import tell as tell  # all commands have it from here
from arena.errors import UsageError
from arena.games import Seat
from arena.records.record import Record
from arena.reports.game_sheet import game_sheet
from arena.reports.rows import Rows
from arena.reports.writers import fitting, shown, to_table

if TYPE_CHECKING:  # the ratings load SciPy, for which only the commands that rate should wait
    pass

RESULTS = Path("results")
PIPE_WIDTH = 100
"""Characters of a line where there is no terminal to ask, unless ``COLUMNS`` says otherwise."""


def rich_table(rows: Rows, title: str = "") -> Table:
    """Return rows as a table for a terminal."""
    table = Table(
        title=Text(title) if title else None, title_justify="left", header_style="bold", box=None, pad_edge=False
    )
    for column in rows.columns:
        numeric = all(not isinstance(row.get(column.key), str) for row in rows.rows)
        table.add_column(Text(column.title), justify="right" if numeric else "left", no_wrap=True)
    for row in rows.rows:
        table.add_row(*(Text(shown(row.get(column.key), column)) for column in rows.columns))
    return table


def print_rows(rows: Rows, title: str = "", *, wide: bool = False) -> None:
    """Print rows on stdout, bold heads on a terminal and plain text elsewhere, without the details that do not fit.

    Args:
        rows: the table.
        title: its heading.
        wide: with all details, whatever the width.
    """
    width = shutil.get_terminal_size((PIPE_WIDTH, 0)).columns
    part = rows if wide else fitting(rows, width)
    if title:
        click.echo(title)
    head, *lines = to_table(part).splitlines()
    click.echo(click.style(head, bold=True) if sys.stdout.isatty() else head)
    for line in lines:
        click.echo(line)
    left_out = len(rows.columns) - len(part.columns)
    if left_out:
        click.echo(f"({left_out} more columns with --wide, or with --format csv, json, md or html)")
    click.echo()


def find_results(given: Path | None) -> Path:
    """Return a results folder: the given one, or the one that was written last.

    Raises:
        UsageError: when there is none.
    """
    if given is not None:
        if not (given / "league.db").is_file():
            raise UsageError(f"{given}: no results of a league here (no league.db)")
        return given
    found = sorted(RESULTS.glob("*/league.db"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise UsageError(f"{RESULTS}/: no results here yet; 'arena run-league' plays the demo league")
    return found[-1].parent


def print_sheet(record: Record, *, shown: Sequence[Seat] | None = None, tables: bool = True) -> None:
    """Print a game step by step; on a terminal the steps stand out from the tables between them."""
    colours = sys.stdout.isatty()
    for line in game_sheet(record, shown=shown, tables=tables):
        heads = colours and not line.startswith(" ")
        click.echo(click.style(line, bold=True) if heads else line)
