"""The end of a run: whatever ends it and however deaf its bots are, it ends soon, and nothing is left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import ARENA, Commands, Ran, arena, builtin, children, count, fixture, left_over, said_by, wait_for
from tests.league.sittings import ROOT
from tests.league.test_lobby import invitation
from tests.league.test_runner import gone

GONE_S = 3.0
HURRY = 2.0
"""A machine that does other things beside is given this much more."""
FOUR = '[league]\nname = "spring"\n[[game]]\nid = "no_thanks"\nseats = 4\ndeals = 1\noptions = { rounds = 1 }\n'
THREE = FOUR.replace("seats = 4", "seats = 3\nseatings = 1")
HOUR = "[limits]\nstart_s = 60\nmove_ms = 3600000\ngame_s = 100000\n"
RESULTS = Path("results/spring")
THINKS = ("--policy", "first", "--fault", "hang", "--at", "1")


def bots_of(results: Path) -> set[str]:
    """Return the marks of the bots that run: run, sitting, seat, start and name of each."""
    found = set()
    for pid in left_over(results):
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        found |= {word.decode() for word in words if word.startswith(b"ARENA_MARK=")}
    return found


def eight_that_think(folder: Path, started: Commands, *flags: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a league whose bots think for an hour; return it and its workers once eight bots are at two tables."""
    bots = [fixture(name, *THINKS, *flags) for name in "abcd"]
    (folder / "spring.toml").write_text(FOUR + HOUR + "".join(bots))
    running = started("run-league", "spring.toml", "--workers", "2", cwd=folder)
    seen: list[set[str]] = []

    def all_are_there() -> bool:
        seen.append(bots_of(folder / RESULTS))
        return len(seen[-1]) == 8 or running.poll() is not None

    wait_for(all_are_there)
    said = sorted(mark.rstrip("/").rpartition("-")[2] for mark in seen[-1])
    assert said == sorted(2 * "abcd"), "processes say whose they are"
    workers = children(running.pid)
    assert len(workers) == 2
    return running, workers


def interrupt(running: subprocess.Popen[str], number: int) -> float:
    """Send a signal as a terminal does, to the whole group; twice if it is one that lets games finish.

    Return when the last one was sent.
    """
    os.killpg(running.pid, number)
    if number != signal.SIGKILL:
        said_by(running, "stopping:")
        os.killpg(running.pid, number)
    return time.monotonic()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_three_seconds_after_the_end_of_a_run_with_deaf_bots(
    tmp_path: Path, started: Commands, number: int
) -> None:
    """Bots that ignore SIGTERM and goodbyes go with the run; nobody is scored for a game that was cut."""
    running, workers = eight_that_think(tmp_path, started, "--ignore-term")
    stopped = interrupt(running, number)
    assert running.wait(60) == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    wait_for(lambda: all(map(gone, workers)) and not left_over(tmp_path / RESULTS))
    assert time.monotonic() - stopped < GONE_S * HURRY
    assert count(tmp_path / RESULTS) == 0


def test_a_stop_in_the_middle_of_thinking_takes_less_than_two_seconds(tmp_path: Path, started: Commands) -> None:
    """With eight live bots, from the second Ctrl-C to the end of the command."""
    running, workers = eight_that_think(tmp_path, started)
    stopped = interrupt(running, signal.SIGINT)
    assert running.wait(60) == 130
    assert time.monotonic() - stopped < 2.0 * HURRY
    assert all(map(gone, workers))
    assert left_over(tmp_path / RESULTS) == []
    assert count(tmp_path / RESULTS) == 0


EVERY = ("--at", "1", "--every")
GONE = (("dead", "crash"), ("silent", "hang"), ("cut", "cancel"))
WATCHDOG_S = 10.0
LIMITS = "[limits]\nstart_s = 5\nmove_ms = 500\nmargin_ms = 300\n"


def watched_run(folder: Path, bots: list[str]) -> Ran:
    """Run a league of one game, start to end within ten seconds; nothing is left of it."""
    (folder / "spring.toml").write_text(THREE + LIMITS + "".join(bots))
    began = time.monotonic()
    ran = arena("run-league", "spring.toml", "--json", cwd=folder)
    assert time.monotonic() - began < WATCHDOG_S * HURRY
    assert left_over(folder / RESULTS) == []
    return ran


def test_bots_that_are_gone_keep_no_command_from_ending(tmp_path: Path) -> None:
    """The dead, the silent and the one whose stream was cut at one table; their game is stored, and nobody won it."""
    ran = watched_run(tmp_path, [fixture(name, "--fault", fault, *EVERY) for name, fault in GONE])
    assert (ran.status, ran.document["stored"]) == (0, 1), ran.err
    rows = {row["name"]: row for row in ran.document["ladders"][0]["rows"]}
    assert all(
        rows[name][word] == 1 for name, word in (("dead", "crash"), ("silent", "timeout"), ("cut", "disconnect"))
    )
    assert len({row["points"] for row in rows.values()}) == 1


def test_a_bot_that_never_connects_keeps_no_command_from_ending(tmp_path: Path) -> None:
    bots = [fixture("gone", "--fault", "never"), builtin("margin"), builtin("always-take")]
    ran = watched_run(tmp_path, bots)
    assert (ran.status, count(tmp_path / RESULTS)) == (2, 0)
    assert "bot 'gone' did not start: no hello within 5 s of its start" in ran.err


def test_a_bot_by_hand_ends_by_itself_when_its_arena_is_gone(tmp_path: Path) -> None:
    """Bots of the SDK do not gather on a host: nobody is left who could say goodbye, and they end all the same."""
    one_by_one = THREE.replace("[[game]]", "in_flight = 1\n[[game]]").replace("deals = 1", "deals = 100")
    by_hand = '[[bot]]\nname = "me"\nconnect = "tcp"\n'
    # The games are of one sitting, and one of them does not end: what is killed while bwrap starts a bot leaves a child
    # of it that waits, which the next run would end.
    others = [fixture("a", "--fault", "hang", "--at", "300"), builtin("margin")]
    (tmp_path / "spring.toml").write_text(one_by_one + HOUR + by_hand + "".join(others))
    errors = tmp_path / "errors"
    with errors.open("w") as stderr:
        command = [*ARENA, "run-league", "spring.toml", "--workers", "1"]
        league = subprocess.Popen(command, cwd=tmp_path, stdout=stderr, stderr=stderr)
    try:
        invited = os.environ | invitation(errors)
        command = [sys.executable, "bots/python/random/bot.py"]
        bot = subprocess.Popen(command, cwd=ROOT, env=invited, stderr=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: count(tmp_path / RESULTS))
            for pid in (*children(league.pid), league.pid):
                os.kill(pid, signal.SIGKILL)
            said = bot.communicate(timeout=60)[1]
        finally:
            bot.kill()
            bot.wait()
    finally:
        league.kill()
        league.wait()
    assert bot.returncode == 1
    assert "the stream broke" in said
    wait_for(lambda: not left_over(tmp_path / RESULTS))
