"""Sittings at each sandbox level: games are played, limits are ruled, and the level is recorded."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from arena.players.base import Limits
from arena.players.levels import LEVELS
from arena.players.strays import marked
from tests.league.sittings import job, play, program, run
from tests.players.levels import need_level

SMALL = Limits(start_s=20, move_ms=10_000, memory_mb=200, disk_mb=8, processes=40)
HONEST = program("b")


@pytest.mark.parametrize("level", LEVELS)
def test_games_are_played_over_grpc_at_every_level(level: str) -> None:
    """Sockets, interpreters and the SDK's libraries are reached from inside; the record names the level."""
    need_level(level)
    sitting = job([program("a"), HONEST, program("c")], 4, replace(SMALL, sandbox=level))
    played = run(sitting)
    assert [played.words(seat) for seat in range(3)] == [["normal"] * 4] * 3
    assert {record.sandbox for record in played.records} == {level}
    assert played.end.restarts == 0
    assert played.end.cpu_ns > 10_000_000
    assert not list(marked(sitting.mark))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("fault", "words"), [("memory", "MB of memory where 200 MB were allowed"), ("fill-disk", "fill the 8 MB")]
)
def test_what_exceeds_a_limit_is_ended_with_the_word_resource(level: str, fault: str, words: str) -> None:
    """The death costs one game, and its evidence is measured."""
    need_level(level)
    bots = [program("a", "--fault", fault, "--at", "3"), HONEST, program("c")]
    played = play(bots, 1, replace(SMALL, sandbox=level))
    assert [played.words(seat) for seat in range(3)] == [["resource"], ["normal"], ["normal"]]
    (found,) = json.loads(played.games[0].trace)["faults"]
    assert words in found["words"]
    assert found["peak_mb"] > 20
    assert found["peak_tasks"] >= 1
    assert found["cpu_ms"] > 0


@pytest.mark.parametrize("level", LEVELS)
def test_a_crash_keeps_its_word_and_its_evidence(level: str) -> None:
    need_level(level)
    bots = [program("a", "--fault", "segfault", "--at", "3"), HONEST, program("c")]
    played = play(bots, 1, replace(SMALL, sandbox=level))
    assert played.words(0) == ["crash"]
    (found,) = json.loads(played.games[0].trace)["faults"]
    assert found["status"] == "signal SIGSEGV"


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_breeds_harms_nobody_else(level: str) -> None:
    """The limit on processes is the kernel's, or the watchdog's where the kernel cannot count them for one bot."""
    need_level(level)
    bots = [program("a", "--fault", "breed", "--at", "3"), HONEST, program("c")]
    sitting = job(bots, 1, replace(SMALL, sandbox=level, move_ms=3000))
    played = run(sitting)
    # A machine that stood still under all the processes owes a new game, which is no harm either.
    assert played.words(0) in (["resource"], ["timeout"], [])
    assert {word for seat in (1, 2) for word in played.words(seat)} <= {"normal"}
    assert not list(marked(sitting.mark))
