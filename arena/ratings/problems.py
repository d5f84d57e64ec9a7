"""Errors of a results file with their places, collected so that all can be told at once."""

from __future__ import annotations

from arena.errors import UsageError

ERRORS_SHOWN = 20


class ErrorList:
    """Errors with their places, so that all can be told at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[str] = []

    def add(self, line: int, column: int | None, text: str) -> None:
        """Note an error; lines and columns (cells of a line) count from 1."""
        place = f"{self.name}:{line}" + ("" if column is None else f", column {column}")
        self.found.append(f"{place}: {text}")

    def check(self) -> None:
        """Raise what was found.

        Raises:
            UsageError: with the first ``ERRORS_SHOWN`` errors, one a line.
        """
        if self.found:
            more = len(self.found) - ERRORS_SHOWN
            tail = [f"and {more} more"] if more > 0 else []
            raise UsageError("\n".join([*self.found[:ERRORS_SHOWN], *tail]))
