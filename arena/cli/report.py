"""Tables with headings and notes, in every format: what ``standings`` and ``rate`` print or write."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.out import print_rows, tell
from arena.cli.page import page
from arena.errors import UsageError
from arena.reports.rated import Rated
from arena.reports.rows import Rows
from arena.reports.sections import FULL, SECTIONS
from arena.reports.writers import WRITERS

FORMATS = ("table", "csv", "json", "md", "html")
HELP = {
    "crosstable": "Bot against bot: points, games, rating difference with its 95 % interval; TB1 to TB3.",
    "matrix": "All rating differences with their 95 % half widths.",
    "los": "Likelihood of superiority of every bot over every other.",
    "seats": "What each bot makes of each seat.",
    "neighbours": "What each bot makes of who sits one seat before it (tables of three and more).",
    "plan": "How many more deals, games and hours would separate neighbours at 95 %.",
}
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Block:
    """One table.

    Attributes:
        title: its heading.
        people: the table for people.
        programs: the same numbers for CSV.
        notes: the lines under it.
    """

    title: str
    people: Rows
    programs: Rows
    notes: tuple[str, ...] = ()


def section_options(command: Command) -> Command:
    """Add one flag for every table beside the ladder, ``--full`` for all, and the format."""
    command = click.option("--wide", is_flag=True, help="All columns of a table, however wide the terminal is.")(
        command
    )
    command = click.option("--full", is_flag=True, help="The ladder and all tables beside it.")(command)
    for name in reversed(tuple(SECTIONS)):
        command = click.option(f"--{name}", name, is_flag=True, help=HELP[name])(command)
    command = click.option("--out", type=click.Path(path_type=Path), help="Write to a file instead of stdout.")(command)
    command = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(command)
    return click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)(command)


def sections_asked(flags: dict[str, bool], form: str) -> tuple[str, ...]:
    """Return the tables that are wanted beside the ladder, or, without ``--full``, in its place."""
    everything = flags["full"] or (form == "html" and not any(flags.values()))
    return tuple(name for name in SECTIONS if flags[name] or (everything and name in FULL))


def section_blocks(title: str, rated: Rated, sections: Iterable[str]) -> list[Block]:
    """Return the tables asked for; one that would be empty (neighbours at tables of two) is left out."""
    blocks = []
    for name in sections:
        section = SECTIONS[name]
        people = section.people(rated)
        if people.rows:
            blocks.append(Block(f"{title}: {section.title}", people, section.programs(rated), section.legend(rated)))
    return blocks


def emit(
    title: str, blocks: Sequence[Block], foot: Sequence[str], form: str, out: Path | None, *, wide: bool = False
) -> None:
    """Print the tables on stdout, without the details that do not fit unless they are wanted, or write them to a file.

    Raises:
        UsageError: when the file cannot be written.
    """
    if form == "table" and out is None:
        _print(blocks, foot, wide=wide)
    else:
        write(text_of(title, blocks, foot, form), out)


def _print(blocks: Sequence[Block], foot: Sequence[str], *, wide: bool) -> None:
    for block in blocks:
        print_rows(block.people, block.title, wide=wide)
        click.echo("".join(f"{note}\n" for note in block.notes))
    for line in foot:
        click.echo(line)


def write(text: str, out: Path | None) -> None:
    """Print a text on stdout, or write it to a file.

    Raises:
        UsageError: when the file cannot be written.
    """
    if out is None:
        click.echo(text, nl=False)
        sys.stdout.flush()
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from error
    tell(f"written: {out}")


def text_of(title: str, blocks: Sequence[Block], foot: Sequence[str], form: str) -> str:
    """Return the tables as one text; CSV has no notes, and headings only where there is more than one table."""
    if form == "html":
        return page(title, [(block.title, block.people, block.notes) for block in blocks], foot)
    if form == "csv":
        heads = [f"# {block.title}\n" if len(blocks) > 1 else "" for block in blocks]
        return "".join(head + WRITERS[form](block.programs) for head, block in zip(heads, blocks, strict=True))
    mark, bullet = ("### ", "* ") if form == "md" else ("", "")
    parts = []
    for block in blocks:
        notes = "".join(f"{bullet}{note}\n" for note in block.notes)
        parts.append(f"{mark}{block.title}\n\n{WRITERS[form](block.people)}\n{notes}")
    return "\n".join([*parts, "".join(f"{line}\n" for line in foot)])
