"""All formats show the same numbers, and none of them shows nonsense."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from arena.reports.rows import Column, Rows, number, percent
from arena.reports.writers import WRITERS, json_text, shown, to_csv, to_json, to_markdown, to_table

COLUMNS = (Column("name", "bot"), Column("elo", "Elo", 1, signed=True), Column("games", "games"))
TABLE = Rows(
    COLUMNS,
    (
        {"name": "alpha", "elo": 123.456, "games": 40},
        {"name": "be|ta, \x1b[31m", "elo": -0.04, "games": 7},
        {"name": "gamma", "elo": None, "games": 0},
    ),
)


def test_csv_carries_whole_numbers_and_quotes_names() -> None:
    """A script reads back exactly what was computed."""
    rows = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert [row["elo"] for row in rows] == ["123.456", "-0.04", ""]
    assert rows[1]["name"] == "be|ta, \N{REPLACEMENT CHARACTER}[31m"
    assert to_csv(TABLE).count("\n") == 4


def test_json_carries_the_same_numbers_as_csv() -> None:
    """One set of rows: what CSV says, JSON says."""
    from_json = json.loads(to_json(TABLE))
    from_csv = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert [row["elo"] for row in from_json] == [float(row["elo"]) if row["elo"] else None for row in from_csv]
    assert list(from_json[0]) == ["name", "elo", "games"]


def test_markdown_rounds_aligns_and_escapes() -> None:
    """A name with a pipe must not break the table, and numbers stand to the right."""
    assert to_markdown(TABLE).splitlines() == [
        "| bot | Elo | games |",
        "| --- | ---: | ---: |",
        "| alpha | +123.5 | 40 |",
        "| be\\|ta, \N{REPLACEMENT CHARACTER}[31m | 0.0 | 7 |",
        "| gamma |  | 0 |",
    ]


def test_table_is_aligned() -> None:
    """The plain table is readable in a terminal; control characters of a name do not reach it."""
    lines = to_table(TABLE).splitlines()
    assert lines[0] == "bot              Elo  games"
    assert lines[1] == "alpha         +123.5     40"
    assert "\x1b" not in to_table(TABLE)


def test_every_format_writes_an_empty_table() -> None:
    """A league without a finished game has standings too."""
    empty = Rows(COLUMNS, ())
    assert {name: write(empty) for name, write in WRITERS.items()} == {
        "table": "bot  Elo  games\n",
        "csv": "name,elo,games\n",
        "json": "[]\n",
        "md": "| bot | Elo | games |\n| --- | --- | --- |\n",
    }


@pytest.mark.parametrize(("value", "text"), [(-0.04, "0.0"), (-0.06, "-0.1"), (0.0, "0.0"), (0.06, "+0.1"), (7, "7")])
def test_rounding_never_shows_a_signed_zero(value: float, text: str) -> None:
    """-0.0 and +0.0 are never printed."""
    assert shown(value, Column("elo", "Elo", 1, signed=True)) == text


def test_numbers_that_cannot_be_shown_are_absent() -> None:
    """Nan and infinities never reach a table, and JSON refuses them."""
    assert [number(value) for value in (math.nan, math.inf, -math.inf, None)] == [None] * 4
    assert math.copysign(1, number(-0.0) or 0.0) == 1
    assert percent(0.25) == 25.0
    with pytest.raises(ValueError, match="JSON compliant"):
        json_text({"elo": math.nan})
