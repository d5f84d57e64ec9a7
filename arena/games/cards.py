"""Shuffles as chance outcomes: ``shuffle 13 29 ...``, the whole list after the shuffle, first element on top."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from arena.games.base import Chance, Source

Item = TypeVar("Item", int, str)
UNKNOWN = "?"


def shuffled(items: Sequence[Item], stream: Source) -> list[Item]:
    """Return the items in random order: Fisher-Yates from the last index down, j = below(i+1)."""
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def shuffle_outcome(order: Iterable[int | str]) -> Chance:
    """Return the chance step for a list after its shuffle."""
    return Chance("shuffle " + " ".join(map(str, order)))


def read_numbers(outcome: str, expected: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of a shuffle outcome.

    Args:
        outcome: ``shuffle`` and the numbers.
        expected: the numbers that must be there, ascending.

    Raises:
        ValueError: when the outcome is not a shuffle of exactly those numbers.
    """
    verb, *words = outcome.split(" ")
    try:
        order = tuple(map(int, words))
    except ValueError:
        order = ()
    if verb != "shuffle" or sorted(order) != list(expected):
        raise ValueError(f"chance outcome {outcome[:60]!r} is no shuffle of the {len(expected)} cards that are due")
    return order


def redact_shuffle(outcome: str, visible: Collection[int], own: Sequence[int] = ()) -> Chance:
    """Return a shuffle with ``?`` at every place (index from 0) that is not visible.

    Args:
        outcome: ``shuffle`` and whole numbers.
        visible: places whose words everyone may read.
        own: ascending places dealt to the viewer's hand; their numbers stand there in ascending order, since a view
            shows a hand in ascending order and an event tells no more than a view.
    """
    verb, *words = outcome.split(" ")
    shown = {place: words[place] for place in visible}
    shown |= zip(own, sorted((words[place] for place in own), key=int), strict=True)
    return Chance(" ".join([verb, *(shown.get(i, UNKNOWN) for i in range(len(words)))]))


def words(cards: Iterable[int]) -> str:
    """Return cards for a person to read, separated by spaces; ``-`` for none."""
    return " ".join(map(str, cards)) or "-"
