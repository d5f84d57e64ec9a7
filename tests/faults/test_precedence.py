"""When several faults meet in one decision, the first of the list of design section 9 is recorded.

``MEETINGS`` has every pair of that list: what a bot must do for both to happen at once, or why they cannot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import pytest

from arena.errors import Termination
from arena.players.base import Limits
from arena.referee.faults import FAULTS
from tests.league.sittings import play_until_whole, program

LIMITS = Limits(start_s=30, move_ms=500, margin_ms=300, memory_mb=200)
STATED = ("resource", "crash", "disconnect", "timeout", "protocol", "illegal")
"""``host`` comes before them and voids the game; ``no-show`` is of a bot that is not there."""
PATIENT_MS = 20_000
SLEEPS = "4"
"""How many decisions the others take their time for: the bot's fault is in its third, and before its fourth they have
had one each."""


@dataclass(frozen=True)
class Meeting:
    """Two faults in one decision.

    Attributes:
        first: what the bot does.
        then: what it does next, at once.
        words: what its faults are, in order; several possibilities where the two really race.
        why: the rule.
    """

    first: str
    then: str
    words: tuple[tuple[str, ...], ...]
    why: str


def meets(first: str, then: str, *words: str, why: str) -> Meeting:
    return Meeting(first, then, tuple(tuple(one.split()) for one in words), why)


STALL = "host replaces timeout and no-show alone: that this machine stalled is no excuse for {}"
ABSENT = "no-show is of a bot that has said no Hello: it has no open decision in which anything else could happen"
LATE = "a decision is ruled when it is late; what the process does after that is a fault of its own"
UNSENT = "the answer is never sent: what ended the process, or the stream, came before it"

MEETINGS: dict[tuple[str, str], tuple[Meeting, ...] | str] = {
    ("host", "resource"): STALL.format("using too much"),
    ("host", "crash"): STALL.format("ending"),
    ("host", "disconnect"): STALL.format("hanging up"),
    ("host", "timeout"): "they are one and the same, and tests/league/test_host.py has it",
    ("host", "protocol"): STALL.format("what was sent in time; what was late is not looked at"),
    ("host", "illegal"): STALL.format("what was sent in time; what was late is not looked at"),
    ("host", "no-show"): "the time of a stall is given back to a start: tests/referee/test_canary.py has the clock",
    ("resource", "crash"): (
        meets("memory", "crash", "resource", why="the referee's kill is the end of the process, and no crash"),
    ),
    ("resource", "disconnect"): (
        meets("memory", "half-close", "resource", why="the process is ended before it can hang up"),
        meets("half-close", "memory", "disconnect", "resource", why="what ends the process first, within 0.1 s"),
    ),
    ("resource", "timeout"): (
        meets("late", "memory", "timeout resource", "timeout timeout", why=f"{LATE}; and it owes an answer"),
    ),
    ("resource", "protocol"): (
        meets("malformed", "memory", "resource", why=UNSENT),
        meets("garbage", "memory", "protocol", why="bytes that are no message end the process as they are read"),
    ),
    ("resource", "illegal"): (meets("illegal", "memory", "resource", why=UNSENT),),
    ("crash", "disconnect"): (
        meets("half-close", "crash", "crash", why="the end of a process may come 0.1 s after that of its stream"),
        meets("cancel", "exit0", "crash", why="the same, for a stream that broke"),
        meets("cancel", "segfault", "crash", why="the same, by a signal"),
    ),
    ("crash", "timeout"): (meets("late", "crash", "timeout crash", why=LATE),),
    ("crash", "protocol"): (
        meets("malformed", "crash", "crash", why=UNSENT),
        meets("garbage", "crash", "protocol", "crash", why="what the referee hears of first ends the process"),
    ),
    ("crash", "illegal"): (meets("illegal", "crash", "crash", why=UNSENT),),
    ("disconnect", "timeout"): (meets("late", "half-close", "timeout disconnect", why=LATE),),
    ("disconnect", "protocol"): (
        meets("malformed", "half-close", "disconnect", why=UNSENT),
        meets("garbage", "half-close", "protocol", why="a stream is read in its order"),
    ),
    ("disconnect", "illegal"): (meets("illegal", "half-close", "disconnect", why=UNSENT),),
    ("timeout", "protocol"): (
        meets("late", "malformed", "timeout", why="a late answer is not looked at"),
        meets("late", "garbage", "timeout protocol", why=LATE),
    ),
    ("timeout", "illegal"): (meets("late", "illegal", "timeout", why="a late answer is not looked at"),),
    ("protocol", "illegal"): (
        "an answer is no action of the game, or one that the rules refuse; of two answers to a request the first counts"
    ),
    **{(word, "no-show"): ABSENT for word in STATED},
}
PAIRS = [
    pytest.param(
        pair,
        meeting,
        id=f"{meeting.first}-{meeting.then}",
        marks=[pytest.mark.soak] if (meeting.first, meeting.then) == ("late", "garbage") else [],  # as late-malformed
    )
    for pair, meetings in MEETINGS.items()
    if not isinstance(meetings, str)
    for meeting in meetings
]


def test_the_table_of_faults_has_the_stated_order() -> None:
    order = [str(kind.word) for kind in FAULTS if kind.word is not Termination.NO_SHOW]
    assert order == list(STATED)


def test_every_pair_of_the_list_meets_or_has_a_reason_not_to() -> None:
    assert set(MEETINGS) == set(combinations(("host", *STATED, "no-show"), 2))


@pytest.mark.parametrize(("pair", "meeting"), PAIRS)
def test_two_faults_in_one_decision(pair: tuple[str, str], meeting: Meeting, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is recorded is what the table says, once; the others do not notice."""
    if (meeting.first, meeting.then) == ("half-close", "crash"):
        monkeypatch.setattr("arena.league.seated.BREAK_S", 5)  # a busy machine ends processes late
    flags = ("--fault", meeting.first, "--then", meeting.then, "--at", "3", "--late-ms", "1050")
    is_late = meeting.first == "late"  # then the others give it time to answer before its next decision
    slow = [program(name, "--sleep-ms", "200" if is_late else "0", "--sleeps", SLEEPS) for name in "bc"]
    limits = LIMITS if is_late else replace(LIMITS, move_ms=PATIENT_MS)
    played = play_until_whole([program("bad", *flags), *slow], 1, limits, in_flight=1)
    assert [played.words(seat) for seat in (1, 2)] == [["normal"], ["normal"]]
    assert {fault.seat for fault in played.records[0].faults} == {0}
    words = tuple(str(fault.word) for fault in played.records[0].faults)
    assert words in meeting.words, meeting.why
    assert set(words) <= set(pair)
    assert played.words(0) == (["normal"] if words == ("timeout",) else [words[-1]])
    assert all(STATED.index(later) <= STATED.index("protocol") for _, later in pairwise(words))
