"""Tables as one HTML page: self-contained, readable without scripts, light or dark as the reader's system is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from arena.reports.rows import Cell, Column, Rows
from arena.reports.writers import shown

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fdfdfb; --line: #d5d5d0; --soft: #63635e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e2; --paper: #17181a; --line: #3a3b3e; --soft: #a3a39d; }
}
body { color: var(--ink); background: var(--paper); font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto;
       max-width: 100rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; }
th.n, td.n { text-align: right; }
ul, footer { color: var(--soft); padding-left: 1.2rem; max-width: 60rem; } footer { padding: 1rem 0; }
"""


def page(title: str, tables: Sequence[tuple[str, Rows, Sequence[str]]], foot: Sequence[str]) -> str:
    """Return the page.

    Args:
        title: its heading.
        tables: heading, rows and notes of each.
        foot: the lines at its end.
    """
    sections = "".join(_section(*table) for table in tables)
    lines = "<br>\n".join(escape(line) for line in foot)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{sections}<footer>\n{lines}\n</footer>\n</body>\n</html>\n"
    )


def _section(heading: str, rows: Rows, notes: Sequence[str]) -> str:
    numeric = {
        column.key: any(isinstance(row.get(column.key), int | float) for row in rows.rows) for column in rows.columns
    }
    head = "".join(
        f'<th scope="col"{_kind(numeric[column.key])}>{escape(column.title)}</th>' for column in rows.columns
    )
    body = "".join(f"<tr>{''.join(_cell(row, column, numeric) for column in rows.columns)}</tr>\n" for row in rows.rows)
    listed = "".join(f"<li>{escape(note)}</li>\n" for note in notes)
    return (
        f'<section>\n<h2>{escape(heading)}</h2>\n<div class="scroll">\n<table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n" + (f"<ul>\n{listed}</ul>\n" if notes else "") + "</section>\n"
    )


def _cell(row: Mapping[str, Cell], column: Column, numeric: Mapping[str, bool]) -> str:
    """Return one cell; a rounded number carries the whole one with it."""
    cell = row.get(column.key)
    text = escape(shown(cell, column))
    if isinstance(cell, float):
        text = f'<data value="{cell!r}">{text}</data>'
    return f"<td{_kind(numeric[column.key])}>{text}</td>"


def _kind(is_numeric: bool) -> str:
    return ' class="n"' if is_numeric else ""
