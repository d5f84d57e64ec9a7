"""Final places: what a retirement costs, and what happens to a seat that the rules add."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import Termination
from arena.records.record import places

OK = Termination.NORMAL
CRASH, LATE, ABSENT = Termination.CRASH, Termination.TIMEOUT, Termination.NO_SHOW


@pytest.mark.parametrize(
    ("ranks", "terminations", "final"),
    [
        ((1, 2, 3), (OK, OK, OK), (1, 2, 3)),
        ((2, 1, 2), (OK, OK, OK), (2, 1, 2)),
        ((1, 1, 1), (OK, OK, OK), (1, 1, 1)),
        # a retired seat ranks below every other, whatever its points
        ((1, 2, 3), (CRASH, OK, OK), (3, 1, 2)),
        ((1, 1, 3), (CRASH, OK, OK), (3, 1, 2)),
        ((3, 1, 1), (OK, OK, LATE), (2, 1, 3)),
        # retired seats share the last place: they are never compared with each other
        ((1, 2, 3, 4), (CRASH, OK, LATE, OK), (3, 1, 3, 2)),
        ((1, 2, 3), (CRASH, LATE, ABSENT), (1, 1, 1)),
        ((2, 1), (OK, CRASH), (1, 2)),
        # a shared place of seats that stay is shared still
        ((2, 2, 1, 4), (OK, OK, CRASH, OK), (1, 1, 4, 3)),
        # a seat that the rules add (the NPC, last) is dropped and the places closed up
        ((2, 3, 1), (OK, OK), (1, 2)),
        ((1, 3, 2), (OK, OK), (1, 2)),
        ((2, 2, 1), (OK, OK), (1, 1)),
        ((1, 1, 1), (OK, OK), (1, 1)),
        ((1, 3, 2), (CRASH, OK), (2, 1)),
        ((1, 3, 2), (CRASH, LATE), (1, 1)),
    ],
)
def test_places(ranks: tuple[int, ...], terminations: tuple[Termination, ...], final: tuple[int, ...]) -> None:
    assert places(ranks, terminations) == final


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from([OK, CRASH, LATE])), min_size=1, max_size=7))
def test_places_are_places(seats: list[tuple[int, Termination]]) -> None:
    """Any result gives 1-based shared places, retired seats behind all others and level among themselves."""
    ranks, terminations = zip(*seats, strict=True)
    final = places(ranks, terminations)
    assert final == tuple(1 + sum(other < place for other in final) for place in final)
    retired = {place for place, word in zip(final, terminations, strict=True) if word is not OK}
    stayed = {place for place, word in zip(final, terminations, strict=True) if word is OK}
    assert len(retired) <= 1
    assert not retired or all(place < min(retired) for place in stayed)
