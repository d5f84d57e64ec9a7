"""Line-ups against brute force over all sets of bots."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedules.line_ups import Entrant, Field, LineUp, line_up_evenness


def bots(number: int, letter: str = "b") -> tuple[Entrant, ...]:
    return tuple(Entrant(f"{letter}{index:03}") for index in range(number))


def brute(field: Field) -> set[LineUp]:
    """All allowed line-ups, by trying every set."""
    authors = dict(field.authors)
    found = set()
    for chosen in combinations(sorted(field.entrants), field.seats):
        known = [authors[bot] for bot in chosen if authors.get(bot)]
        hosts = sum(bot in field.candidates for bot in chosen)
        if len(known) == len(set(known)) and (not field.candidates or hosts == 1):
            found.add(chosen)
    return found


@st.composite
def fields(draw: st.DrawFn) -> Field:
    entrants = bots(draw(st.integers(2, 8)))
    seats = draw(st.integers(1, 4))
    candidates = tuple(bot for bot in entrants if draw(st.booleans())) if draw(st.booleans()) else ()
    authors = tuple((bot, draw(st.sampled_from(["", "ann", "bo", "cy"]))) for bot in entrants)
    return Field(entrants, seats, candidates, authors if draw(st.booleans()) else ())


@given(fields())
@settings(max_examples=150)
def test_all_line_ups(field: Field) -> None:
    """Round-robin and gauntlet, with and without authors kept apart: each line-up once, and the formula counts them."""
    found = list(field.line_ups())
    assert len(found) == len(set(found)) == field.count
    assert set(found) == brute(field)
    assert all(list(line_up) == sorted(line_up) for line_up in found)


@given(fields(), st.data())
@settings(max_examples=150)
def test_subset(field: Field, data: st.DataObject) -> None:
    """A subset has the asked size, repeats nothing, and holds allowed line-ups alone."""
    total = len(brute(field))
    number = data.draw(st.integers(1, 40))
    part = Field(field.entrants, field.seats, field.candidates, field.authors, number)
    found = list(part.line_ups())
    assert len(found) == len(set(found)) == part.count == min(number, total)
    assert set(found) <= brute(field)


@given(st.integers(3, 14), st.integers(2, 5), st.integers(1, 60))
@settings(max_examples=40)
def test_subset_uses_bots_equally(number_of_bots: int, seats: int, number: int) -> None:
    """Every bot equally often (within one when the places do not divide), so that no rating rests on fewer games."""
    if seats > number_of_bots:
        return
    even = line_up_evenness(Field(bots(number_of_bots), seats, number=number))
    assert even.bot[1] - even.bot[0] <= 1


@pytest.mark.parametrize(
    ("number_of_bots", "seats", "number", "pair"),
    [
        (7, 3, 7, (1, 1)),
        (9, 3, 12, (1, 1)),
        (7, 3, 14, (2, 2)),
        (10, 3, 40, (2, 3)),
        (10, 5, 20, (4, 5)),
        (30, 4, 97, (1, 2)),
        (10, 3, 100, (6, 7)),
    ],
)
def test_subset_meets_equally(number_of_bots: int, seats: int, number: int, pair: tuple[int, int]) -> None:
    """Pairs as even as the sizes allow; the first rows are Steiner systems, which exist and are found."""
    field = Field(bots(number_of_bots), seats, number=number)
    assert line_up_evenness(field).pair == pair


def test_gauntlet_subset_is_even() -> None:
    """In a gauntlet's subset candidates are used equally often, and so is the field."""
    candidates = bots(3, "c")
    field = Field(candidates + bots(9), 3, candidates, number=27)
    used = Counter(bot for line_up in field.line_ups() for bot in line_up)
    assert {used[bot] for bot in candidates} == {9}
    assert {used[bot] for bot in bots(9)} == {6}


def test_order_of_bots_means_nothing() -> None:
    """The same bots in another order of the file are the same league."""
    entrants = bots(9)
    for number in (0, 20, 70):
        there, back = (Field(given, 3, number=number) for given in (entrants, entrants[::-1]))
        assert list(there.line_ups()) == list(back.line_ups())


def test_versions_are_different_entrants() -> None:
    """A new version of a bot may meet the old one, and sorts after it."""
    old, new = Entrant("alpha"), Entrant("alpha", 2)
    assert list(Field((new, old), 2).line_ups()) == [(old, new)]


def test_lazy() -> None:
    """A league of 2,000 bots at tables of seven starts at once: nothing is listed."""
    field = Field(bots(2000), 7)
    assert field.count == comb(2000, 7)
    assert next(islice(field.line_ups(), 5, None))[-1].name == "b011"


@pytest.mark.soak
def test_large_subset() -> None:
    """2,000 line-ups of 200 bots: every bot 40 times, no pair more than twice (the mean is 0.6)."""
    even = line_up_evenness(Field(bots(200), 4, number=2000))
    assert even.bot == (40, 40)
    assert even.pair[1] <= 2
