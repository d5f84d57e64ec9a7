"""Bots that break the transport: frame by frame, as no gRPC library can, beside honest ones that must not notice.

The fixture bot in ``transport/`` is a second implementation of the contract, in Go: it speaks HTTP/2 itself.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from arena.league.bots import read_bot
from arena.league.snapshot import snapshot
from arena.players.base import Limits, Program
from arena.players.process import marked
from tests.bots.toolchains import BUILD_S, building, require, with_users_caches
from tests.commands import ONE_SITTING, arena, fixture, league
from tests.faults.phases import nothing_left
from tests.league.sittings import Played, job, program, run

LIMITS = Limits(start_s=10, move_ms=1500, margin_ms=700)
BOUND_S = 40.0
"""A start that comes to nothing, and a decision that is waited for twice, on a machine that does other things, too."""
GROWTH_MB = 50
OVERRUN_MB = 400
"""Of the 1,600 MB that are written beyond the window gRPC keeps none, but has some in hand, by the machine's load."""
HONEST = (program("b"), program("c"))

TOLERATED = (
    # messages that are what they should be, however they are cut, packed and surrounded
    *("compressed", "empty", "byte-by-byte", "content-type"),
    # frames that are nothing to HTTP/2, or of which a peer may send as many as it likes
    *("unknown-frames", "settings-flood", "priority-flood", "stream-zero", "window-overflow", "goaway", "goaway-error"),
    # streams and connections beside the one that counts; dials with wrong tokens
    *("second-stream", "second-dial", "streams", "silent-streams", "rapid-reset", "big-metadata", "tokens"),
    *("sockets", "mute-sockets", "http1-sockets", "crowd"),
)
"""Faults that change nothing: the record of the game is that of the same bot without them, byte by byte."""

PROTOCOL = (
    *("bomb", "short-bomb", "zip-garbage", "zip-tail", "short-prefix", "utf8", "trailing"),
    *("strays", "empty-lists", "overrun"),  # the last is frames of zeros, each of which is thousands of empty messages
)
DISCONNECT = (
    # gRPC ends the stream unread: too long, or marked as compressed where nothing was agreed upon
    *("vast", "longest", "flag"),
    # the bot ends it, while its process lives on
    *("rst", "cut", "cut-off", "half-close", "answer-close", "trailers"),
    # gRPC ends the connection of one that floods it, or that speaks no HTTP/2
    *("ping-flood", "empty-frames", "padded-frames", "continuation", "noise", "old-stream"),
)
TIMEOUT = ("drown", "slow", "long-prefix", "loose", "flags", "deaf", "closed-window")
"""No answer ever is complete, or the bot never reads the question: the clock rules."""
NO_SHOW = ("deflate", "many-tokens")
"""A compression that is not spoken, and a bot that spends its time on guessing: nobody says Hello."""
WORDS = {
    **dict.fromkeys(TOLERATED, "normal"),
    **dict.fromkeys(PROTOCOL, "protocol"),
    **dict.fromkeys(DISCONNECT, "disconnect"),
    **dict.fromkeys(TIMEOUT, "timeout"),
    **dict.fromkeys(NO_SHOW, "no-show"),
}
SIBLINGS = (
    *("empty", "content-type", "priority-flood", "stream-zero", "window-overflow", "goaway-error", "second-dial"),
    *("silent-streams", "mute-sockets", "http1-sockets", "short-bomb", "zip-tail", "trailing", "empty-lists"),
    *("longest", "flag", "cut-off", "answer-close", "trailers", "empty-frames", "padded-frames"),
    *("old-stream", "loose", "flags", "slow", "many-tokens"),
)
"""Faults of which another of the same kind is played in every run."""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The fixture bot, built once."""
    require("go", install="Go 1.26 or later")
    with building("faults/transport", tmp_path_factory) as folder:
        return snapshot(read_bot("transport", Path(__file__).parent), folder, with_users_caches)


def with_flags(wire: Program, *flags: str) -> Program:
    return replace(wire, name="odd", command=(*wire.command, *flags))


@cache
def played_honestly(wire: Program) -> Played:
    """Return the game of the fixture bot without a fault."""
    return run(job([with_flags(wire), *HONEST], 1, LIMITS, in_flight=1))


def memory_mb(field: str) -> int:
    """Return ``VmRSS`` or ``VmHWM`` of this process in megabytes."""
    (kilobytes,) = re.findall(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(kilobytes) >> 10


def faults(played: Played) -> list[tuple[int, str, str]]:
    """Return seat, word and words of all faults of the first game."""
    return [(item["seat"], item["word"], item["words"]) for item in json.loads(played.games[0].trace)["faults"]]


def play_beside(wire: Program, fault: str) -> Played:
    """Play a fault; nothing but the records is left of it, and the referee has not grown."""
    threads = lasting_threads()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = memory_mb("VmRSS")
    sitting = job([with_flags(wire, "--fault", fault), *HONEST], 1, LIMITS, in_flight=1)
    with nothing_left():
        played = run(sitting)
    assert memory_mb("VmHWM") - before < (OVERRUN_MB if fault == "overrun" else GROWTH_MB)
    assert lasting_threads() <= threads
    assert list(marked(sitting.mark)) == []
    assert played.seconds < BOUND_S
    return played


def lasting_threads() -> set[threading.Thread]:
    """Return the threads of this process that somebody must end; gRPC has one of its own that nobody need."""
    return {thread for thread in threading.enumerate() if not thread.daemon}


@pytest.mark.timeout(BUILD_S)
def test_every_fault_of_the_fixture_bot_has_its_word(wire: Program) -> None:
    said = subprocess.run([*wire.command, "-h"], capture_output=True, text=True, check=False).stderr
    (listed,) = re.findall(r"one of:\n\s*(.*) \(default", said)
    assert set(listed.split()) == set(WORDS) | {"keep"}  # what children of "crowd" do


@pytest.mark.timeout(BUILD_S)
def test_without_a_fault_it_plays_to_the_end(wire: Program) -> None:
    played = played_honestly(wire)
    assert [played.words(seat) for seat in range(3)] == [["normal"]] * 3
    assert faults(played) == []


@pytest.mark.timeout(BUILD_S)
@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=[pytest.mark.soak] if fault in SIBLINGS else []) for fault in WORDS]
)
def test_a_fault_of_the_transport_costs_its_bot_alone(wire: Program, fault: str) -> None:
    played = play_beside(wire, fault)
    assert [played.words(seat) for seat in range(3)] == [[WORDS[fault]], ["normal"], ["normal"]], faults(played)
    assert {seat for seat, _, _ in faults(played)} <= {0}
    if fault in TOLERATED:
        assert played.games[0].record == played_honestly(wire).games[0].record


@pytest.mark.timeout(BUILD_S)
def test_what_breaks_a_stream_leaves_no_word_on_the_operators_terminal(wire: Program, tmp_path: Path) -> None:
    """Of itself, gRPC would quote the peer."""
    bot = f"odd={wire.command[0]} --fault goaway-error --at 1"
    ran = arena("play", "no_thanks", bot, "margin", "random", "--seed", "7", cwd=tmp_path)
    assert ran.status == 0
    assert "goaway" not in ran.err.replace(bot, "").lower()


@pytest.mark.timeout(BUILD_S)
def test_guesses_at_tokens_are_counted_where_the_organiser_looks(wire: Program, tmp_path: Path) -> None:
    """Ninety in the sitting, and in the introduction before it."""
    command = json.dumps([*wire.command, "--fault", "tokens"])
    guessing = f'[[bot]]\nname = "odd"\ncommand = {command}\n'
    league(tmp_path / "spring.toml", [guessing, fixture("b"), fixture("c")], deals=1, tail=ONE_SITTING)
    ran = arena("run-league", "spring.toml", "--json", cwd=tmp_path)
    assert (ran.status, ran.document["stored"]) == (0, 1), ran.err
    shown = arena("standings", "results/spring", "--integrity", cwd=tmp_path)
    assert f"{2 * 90} dials with a wrong token" in shown.out


@pytest.mark.timeout(BUILD_S)
@pytest.mark.parametrize("fault", ["vast", "cut"])
def test_a_broken_stream_is_told_with_both_its_possible_reasons(wire: Program, fault: str) -> None:
    """The referee cannot tell them apart (see ``arena.players.remote``); the bot's own log can."""
    played = play_beside(wire, fault)
    ((_, _, words),) = faults(played)
    assert "the stream broke" in words
    assert "a stream whose message is larger than 4 MiB: see the bot's log" in words
    assert ("Received message larger than max" in played.end.logs[0]) == (fault == "vast")
