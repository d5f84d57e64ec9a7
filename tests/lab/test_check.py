"""``arena check`` names what is wrong with a bot, and nothing that is not."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from arena.games import create
from arena.lab.check import Wanted, check, document
from arena.lab.findings import ENOUGH, RULES, Enough, Level, Report
from arena.lab.session import Session
from arena.lab.situations import SITUATIONS, Scene
from arena.players.base import Limits, Program
from arena.seeds import derive
from arena.testing.defects import DEFECTS, SOUND, rule_of

ROOT = Path(__file__).parents[2]
LIMITS = Limits(start_s=20)
QUICKLY_FOUND = (
    "no-module",
    "no-token",
    "no-hello",
    "garbage-first",
    "answers-first",
    "long-hello",
    "old-protocol",
    "other-games",
    "no-game",
    "garbage",
    "hangs-up",
    "redials",
    "redials-always",
    "huge",
    "crashes",
    "guesses",
    "shouts",
    "empty",
    "resigns",
    "twice",
    "again",
    "talks",
    "from-the-start",
    "list-fails",
    "overdraws",
    "no-result",
    "void-result",
    "second-round",
    "no-bank",
    "never-charged",
    "unasked",
    "strict",
    "one-by-one",
    "spins-later",
    "misses-goodbye",
    "gives-up",
)
"""Those whose check is short; the others wait for what never comes, or are slow themselves."""
SITUATION_OF = {
    "from-the-start": "a game that begins in the middle",
    "needs-choice": "a single legal action",
    "overdraws": "a single legal action",
    "list-fails": "a long list",
    "redials": "a long list",
    "deaf-to-budget": "near the deadline",
    "new-game-twice": "a game announced twice",
    "over-unknown": "the end of an unknown game",
    "empty-list": "the end of an unknown game",
    "noticed": "a notice",
    "strict": "unknown fields",
    "strict-views": "new fields in views",
    "void-result": "a game that ends while it waits",
    "no-result": "whole games, 3 seats",
    "second-round": "whole games, rounds = 1",
    "no-bank": "whole games, 3 seats",
    "never-charged": "whole games, 3 seats",
    "spins-later": "waiting after the games",
    "misses-goodbye": "Goodbye with the end of a game",
    "dawdles": "Goodbye with the end of a game",
    "silent-end": "a game that it cannot know",
}
"""Where a defect must be seen first, when only one situation shows it."""


def program(defect: str) -> Program:
    """Return a defective bot, or the sound one for ``none``."""
    command = (sys.executable, "-m", "arena.testing.defects", defect)
    return Program(defect, "1", "", command, str(ROOT), (), "0" * 64)


@cache
def checked(
    defect: str, start_s: float = LIMITS.start_s, move_ms: int = LIMITS.move_ms, margin_ms: int = LIMITS.margin_ms
) -> Report:
    """Return the report of a quick check in one game."""
    wanted = Wanted(("no_thanks",), True, Limits(start_s=start_s, move_ms=move_ms, margin_ms=margin_ms))
    return check(program(defect), wanted, lambda _: None)


def assert_named(defect: str, report: Report) -> None:
    """Assert that a check has named this defect, where it shows, and no other rule."""
    found = {item.rule: item for item in report.findings}
    assert list(found) == [rule_of(defect)], [(item.rule, item.situation, item.words) for item in report.findings]
    (item,) = found.values()
    assert item.words
    assert item.situation.endswith(SITUATION_OF.get(defect, ""))
    assert report.passed is (item.level is Level.SHOULD)


def test_there_are_enough_defects() -> None:
    """The lab is only as good as the defects that it was tried on; each breaks a rule that exists."""
    assert len(DEFECTS) >= 40
    assert {rule_of(name) for name in DEFECTS} == set(RULES)
    assert set(QUICKLY_FOUND) <= set(DEFECTS)
    assert len(QUICKLY_FOUND) >= 20


def test_a_sound_bot_passes() -> None:
    """No rule is found broken that is kept."""
    report = checked("none")
    assert report.findings == []
    assert report.passed
    good, tried = report.counts
    assert good == tried >= len(SITUATIONS)
    assert report.facts["list"] == 64
    assert report.facts["list_messages"] == 1
    assert report.games == ["no_thanks"]


@pytest.mark.parametrize("name", SOUND)
def test_unusual_bots_pass(name: str) -> None:
    """What the contract allows is not called a fault."""
    report = checked(name, move_ms=60, margin_ms=600)  # a busy machine stands still for longer than the usual margin
    assert report.findings == []


def test_a_check_that_stands_still_calls_no_answer_late() -> None:
    """As when it is stopped by Ctrl-Z, or its machine sleeps: what the bot said meanwhile is read afterwards."""
    command = (sys.executable, "-m", "arena.testing.bots", "--sleep-ms", "300")
    limits, report = Limits(start_s=20, move_ms=500), Report()
    session = Session(replace(program("none"), command=command), limits, ("no_thanks",), report)
    rules = create("no_thanks", 3)

    async def stand_still() -> None:
        asked = Scene(rules, "no_thanks", derive(bytes(32), "still"), 1).draw(session, 1)
        await session.bot("a decision")
        asyncio.get_running_loop().call_later(0.1, time.sleep, 5)
        try:
            reply = await session.ask("a decision", asked)
        finally:
            await session.drop()
        (charge_ns,) = reply.charges_ns.values()
        assert charge_ns < 1e9

    asyncio.run(stand_still())
    assert report.findings == []


@pytest.mark.parametrize("defect", QUICKLY_FOUND)
def test_defects_are_named(defect: str) -> None:
    """An author reads what is wrong, not merely that something is."""
    assert_named(defect, checked(defect))


@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize("defect", sorted(set(DEFECTS) - set(QUICKLY_FOUND)))
def test_slow_defects_are_named(defect: str) -> None:
    """As above, for defects that take their time."""
    assert_named(defect, checked(defect, start_s=10))


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_bundled_bots_pass_in_full(name: str) -> None:
    """What comes with the arena keeps its contract in every game, mode and number of seats."""
    folder = ROOT / "bots/python" / name
    bot = Program(name, "1", "", (sys.executable, str(folder / "bot.py")), str(folder), (), "0" * 64)
    report = check(bot, Wanted((), False, LIMITS), lambda _: None)
    assert report.of(Level.MUST) == []
    assert int(report.facts["positions"]) >= 7000
    assert len(report.games) == 7


def test_words_help() -> None:
    """The trace of an import error, the two protocol numbers, and the hint about printing reach the author."""
    assert "No module named 'no_such_module'" in checked("no-module").findings[0].words
    assert "protocol 99, this arena protocol 1: upgrade the arena" in checked("old-protocol").findings[0].words
    assert "which its Hello does not name (its Hello names rainbow)" in checked("other-games").findings[0].words
    assert "bytes that are no message: fffefd" in checked("garbage-first").findings[0].words
    assert "answers before the hello" in checked("answers-first").findings[0].words
    assert "bytes; accepted are 65536" in checked("long-hello").findings[0].words
    assert "its stream while its process lived on, and it had not said Hello" in checked("no-hello").findings[0].words
    assert "was answered again" in checked("again").findings[0].words
    words = checked("prints", start_s=4).findings[0].words
    assert "no Hello within 4 s" in words
    assert "stdout is not the protocol" in words
    assert "\n    take" in words


def test_a_hello_cannot_write_on_the_terminal() -> None:
    """What a bot says of itself is shown in one short line, without control characters."""
    assert checked("colours", move_ms=300).facts["sdk"] == "\\x1b[31m" + ("red" * 50)[:35]


def test_nothing_tried_is_no_pass() -> None:
    """A bot that is entered for nothing and names only games that do not exist was tried in none."""
    report = check(program("no-game"), Wanted((), True, LIMITS), lambda _: None)
    assert [item.rule for item in report.findings] == ["games"]
    assert "names no game that is known here: 'chess'; known: no_thanks, king_priam" in report.findings[0].words
    assert not report.passed


def test_report_counts_and_stops() -> None:
    """One rule broken everywhere is said once, and the rest is left out."""
    report = Report()
    report.situations = {"a": True, "b": True, "c": True}
    report.note("illegal", "a", "first")
    report.note("illegal", "a", "again")
    report.note("illegal", "b", "second")
    with pytest.raises(Enough):
        report.note("illegal", "c", "third")
    report.note("flush", "a", "advice never fails")
    assert [(item.rule, item.words, item.also) for item in report.findings] == [
        ("illegal", "first", ENOUGH - 1),
        ("flush", "advice never fails", 0),
    ]
    assert report.counts == (0, 3)
    assert not report.passed
    found = document(report, program("none"), Wanted((), True, LIMITS))
    assert [(item["level"], item["rule"]) for item in found["findings"]] == [("must", "illegal"), ("should", "flush")]
