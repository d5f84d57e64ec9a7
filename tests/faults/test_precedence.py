"""When several faults meet in one decision, the first of the list of design section 9 is recorded."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from arena.errors import Termination
from arena.players.base import Limits
from arena.referee.faults import FAULTS
from tests.league.sittings import play, program

LIMITS = Limits(start_s=30, move_ms=500, margin_ms=300, memory_mb=200)
STATED = ("resource", "crash", "disconnect", "timeout", "protocol", "illegal")
"""``host`` comes before them and voids the game; ``no-show`` is of a bot that is not there."""


def test_the_table_of_faults_has_the_stated_order() -> None:
    order = [str(kind.word) for kind in FAULTS if kind.word is not Termination.NO_SHOW]
    assert order == list(STATED)


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("late", "illegal", ["timeout"]),
        ("late", "crash", ["timeout", "crash"]),
        ("late", "half-close", ["timeout", "disconnect"]),
        ("late", "garbage", ["timeout", "protocol"]),
        ("illegal", "crash", ["crash"]),
        ("illegal", "memory", ["resource"]),
    ],
)
def test_two_faults_in_one_decision(first: str, then: str, words: list[str]) -> None:
    """A late decision is ruled when it is late; what the process does after that is a fault of its own."""
    bad = program("bad", "--fault", first, "--then", then, "--at", "3", "--late-ms", "1050")
    is_late = first == "late"  # then the others give it time to answer before its next decision
    slow = [program(name, "--sleep-ms", "200" if is_late else "0") for name in "bc"]
    played = play([bad, *slow], 1, LIMITS if is_late else replace(LIMITS, move_ms=20_000), in_flight=1)
    assert [played.words(seat) for seat in (1, 2)] == [["normal"], ["normal"]]
    assert [str(fault.word) for fault in played.records[0].faults] == words
    strikes_only = set(words) == {"timeout"}
    assert played.words(0) == (["normal"] if strikes_only else [words[-1]])
    assert all(STATED.index(later) <= STATED.index("protocol") for _, later in pairwise(words))
