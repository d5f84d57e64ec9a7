"""Rows as text: CSV, Markdown, JSON, or a plain aligned table. All four show the same columns of the same rows.

CSV and JSON carry unrounded numbers; Markdown and the plain table round the very same numbers to the column's decimals.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from arena.reports.rows import Cell, Column, Rows


def to_csv(table: Rows) -> str:
    """Return a heading line of keys and one line a row (RFC 4180 quoting, line feeds); None is an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    writer.writerows([[_exact(row[column.key]) for column in table.columns] for row in table.rows])
    return out.getvalue()


def to_json(table: Rows) -> str:
    """Return the rows as a JSON list of objects."""
    return json_text(plain_rows(table))


def plain_rows(table: Rows) -> list[dict[str, Cell]]:
    """Return the rows as dictionaries, keys in the order of the columns."""
    return [{column.key: row[column.key] for column in table.columns} for row in table.rows]


def json_text(document: Any) -> str:
    """Return a document as readable JSON with a line end.

    Raises:
        ValueError: for nan or an infinity anywhere in it.
    """
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_markdown(table: Rows) -> str:
    """Return a GitHub table; numbers are aligned to the right, and pipes in names are escaped."""
    lines = [_cells(column.title for column in table.columns)]
    lines.append(_cells("---:" if _is_number(table, column) else "---" for column in table.columns))
    lines.extend(_cells(shown(row[column.key], column) for column in table.columns) for row in table.rows)
    return "\n".join(lines) + "\n"


def to_table(table: Rows) -> str:
    """Return an aligned table for a terminal or a text file, numbers to the right, two spaces between columns."""
    columns = [
        _aligned([column.title, *(shown(row[column.key], column) for row in table.rows)], _is_number(table, column))
        for column in table.columns
    ]
    return "".join(f"{'  '.join(line).rstrip()}\n" for line in zip(*columns, strict=True))


def fitting(table: Rows, width: int) -> Rows:
    """Return a table whose lines are not wider, without details where need be: the least important first.

    What is no detail stays, whatever the width.
    """
    while max(map(len, to_table(table).splitlines()), default=0) > width:
        least = max(column.detail for column in table.columns)
        if not least:
            break
        table = table.without(least)
    return table


WRITERS: Mapping[str, Callable[[Rows], str]] = {
    "table": to_table,
    "csv": to_csv,
    "json": to_json,
    "md": to_markdown,
}
"""The formats of ``arena standings --format``, by name."""


def shown(cell: Cell, column: Column) -> str:
    """Return a cell for people: rounded, never ``-0.0``, empty for None."""
    if isinstance(cell, float):
        text = f"{cell:{'+' if column.signed else ''}.{column.decimals}f}"
        return text if float(text) else text.lstrip("+-")
    return "" if cell is None else _one_line(str(cell))


def _exact(cell: Cell) -> str:
    return "" if cell is None else _one_line(cell) if isinstance(cell, str) else repr(cell)


def _one_line(text: str) -> str:
    """Replace what would break a line or a terminal: control characters."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _is_number(table: Rows, column: Column) -> bool:
    return any(isinstance(row[column.key], int | float) for row in table.rows)


def _cells(texts: Any) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in texts)} |"


def _aligned(texts: list[str], right: bool) -> list[str]:
    width = max(map(len, texts))
    return [text.rjust(width) if right else text.ljust(width) for text in texts]
