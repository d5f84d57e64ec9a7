"""What a search says about one action."""

from __future__ import annotations

from dataclasses import dataclass

from arena.games import Action


@dataclass(frozen=True, slots=True)
class Line:
    """One action as a search found it.

    Attributes:
        action: the action.
        visits: imagined games in which it was tried.
        mean: their mean worth for the acting seat, in 0..1; 0 when there was none.
    """

    action: Action
    visits: int
    mean: float


class Arm:
    """Running sums of one action while a search goes on.

    Attributes:
        visits: imagined games in which it was tried.
        total: sum of their worth.
        offered: times it could have been tried.
    """

    __slots__ = ("offered", "total", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.total = 0.0
        self.offered = 0

    @property
    def mean(self) -> float:
        """Mean worth; 0 before the first visit."""
        return self.total / self.visits if self.visits else 0.0

    def add(self, worth: float) -> None:
        """Count one imagined game."""
        self.visits += 1
        self.total += worth
