"""The plain sentences that go with a ladder: groups, open ratings, seats, repeats."""

from __future__ import annotations

import numpy as np

from arena.ratings.fit import Fit
from arena.ratings.prior import Prior
from arena.ratings.results import Results

GAMES_FOR_SEAT_WARNING = 10


def group_notes(fitted: Fit) -> list[str]:
    """Return what to know about groups that never met and players whose rating is open to one side."""
    notes = []
    if fitted.groups.weak_count > 1:
        notes.append(
            f"{fitted.groups.weak_count} groups of players never met: their ratings are not comparable with each other."
        )
    above = [name for name, mark in zip(fitted.names, fitted.groups.bound, strict=True) if mark == ">"]
    below = [name for name, mark in zip(fitted.names, fitted.groups.bound, strict=True) if mark == "<"]
    if above:
        notes.append(f"Never behind the rest of the group, so the rating has no upper limit: {_listed(above)}.")
    if below:
        notes.append(f"Never ahead of the rest of the group, so the rating has no lower limit: {_listed(below)}.")
    if above or below:
        notes.append(f"Between such players and the rest the {_prior_words(fitted)} sets the distance.")
    return notes


def _prior_words(fitted: Fit) -> str:
    return str(Prior() if fitted.prior.kind == "none" else fitted.prior)


def seat_notes(results: Results) -> list[str]:
    """Return a warning for players that always sat in one seat, whose rating cannot be told from the seat's worth."""
    stuck: set[int] = set()
    for table in results.tables():
        seat_games = np.stack(
            [np.bincount(table.player[:, seat], minlength=len(results.names)) for seat in range(table.seats)], axis=1
        )
        total = seat_games.sum(axis=1)
        stuck |= set(np.flatnonzero((total >= GAMES_FOR_SEAT_WARNING) & (seat_games.max(axis=1) == total)).tolist())
    if not stuck:
        return []
    names = _listed([results.names[index] for index in sorted(stuck)])
    return [f"Always in one seat, so that rating and seat cannot be told apart: {names}."]


def repeat_notes(repeats: int) -> list[str]:
    """Return how many games carry no new information, if any."""
    if not repeats:
        return []
    return [f"{repeats} games repeat another one (same deal, seating and result) and carry no new information."]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
