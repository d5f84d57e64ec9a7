"""Rows: the one form in which a table leaves this package, whatever it is written as afterwards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None
"""A value of a table; None where there is nothing to say. Floats are finite and never -0.0."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        key: name in CSV and JSON; stable, lower case.
        title: heading for people.
        decimals: digits after the point for people; CSV and JSON carry the whole number.
        signed: for people, positive numbers get a plus sign.
        detail: how early it is left out where a line is too narrow for everything: the highest first; 0 stays.
    """

    key: str
    title: str
    decimals: int = 0
    signed: bool = False
    detail: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """A table.

    Attributes:
        columns: in the order in which they are shown.
        rows: each a mapping of every column's key to its cell.
    """

    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]

    def without(self, detail: int) -> Rows:
        """Return the table without the details from one level on."""
        return Rows(tuple(column for column in self.columns if column.detail < detail), self.rows)


def number(value: float | None) -> float | None:
    """Return a number that can be shown: None for nan and infinities, 0.0 for -0.0."""
    if value is None or not math.isfinite(value):
        return None
    return float(value) + 0.0


def percent(share: float | None) -> float | None:
    """Return a share of 0..1 in percent; None stays None."""
    return number(None if share is None else 100 * share)
