"""Counts that a bot can make long: they go on from look to look, so that none of them holds up the referee.

A referee that reads for a tenth of a second is a machine that stands still for whoever has a decision open then. A bot
that has filled its limits with small files and open descriptors, or shares much memory among many processes, could
excuse its own late answers so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Generic, TypeAlias, TypeVar

Value = TypeVar("Value")
Steps: TypeAlias = Generator[Value, None, None]
"""A count, step by step: what has been counted so far."""
LOOK_S = 0.010
"""Processor time of one look at one count."""


class Count(Generic[Value]):
    """A count that is done again and again, at each look a piece of it.

    Attributes:
        part: what has been counted so far; the same as ``whole`` once all has.
        whole: what came of the last count that was done to its end.
    """

    def __init__(self, nothing: Value) -> None:
        self.part = self.whole = nothing
        self._nothing = nothing
        self._steps: Steps[Value] | None = None

    def go_on(self, begin: Callable[[], Steps[Value]], *, anew: bool = True) -> None:
        """Count on for a while.

        Args:
            begin: begins a count.
            anew: begin a count now if the last one was done to its end.
        """
        if self._steps is None:
            if not anew:
                return
            self._steps, self.part = begin(), self._nothing
        until = time.thread_time() + LOOK_S
        for part in self._steps:
            self.part = part
            if time.thread_time() > until:
                return
        self._steps, self.whole = None, self.part

    def close(self) -> None:
        """Leave off; what the count has open is closed."""
        if self._steps is not None:
            self._steps.close()
            self._steps = None
