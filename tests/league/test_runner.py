"""Whole leagues with the real command: the same games whatever happens to the machine, and nothing left running.

Deterministic bots and a known secret: every run of a league must store the same records, byte for byte.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.errors import Termination
from arena.records.codec import decode
from arena.records.record import Record
from tests.commands import (
    PATIENT,
    SECRET,
    Commands,
    Ran,
    arena,
    builtin,
    children,
    count,
    finished,
    fixture,
    league,
    left_over,
    said_by,
    stored,
    voids,
    wait_for,
)

DEALS = 12
SEATINGS = 3
"""Half of all: each is a sitting, for which three bots are started."""
GAMES = SEATINGS * DEALS
BOTS = (
    fixture("first", "--policy", "first", "--sleep-ms", "2"),
    fixture("last", "--policy", "last", "--sleep-ms", "2"),
    builtin("margin"),
)
RESULTS = Path("results/spring")


@dataclass(frozen=True)
class Reference:
    """An undisturbed run with one worker: its records by id and what it printed as JSON."""

    records: dict[str, bytes]
    document: dict[str, Any]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    base = tmp_path_factory.mktemp("undisturbed")
    ran = arena("run-league", written(base), "--workers", "1", "--json", cwd=base)
    assert ran.status == 0, ran.err
    assert left_over(base / RESULTS) == []
    return Reference(stored(base / RESULTS), ran.document)


def written(folder: Path, bots: Sequence[str] = BOTS, deals: int = DEALS, seatings: int = SEATINGS) -> Path:
    return league(folder / "spring.toml", bots, deals=deals, tail=f"seatings = {seatings}\n{PATIENT}")


def run(folder: Path, *words: str) -> Ran:
    return arena("run-league", "spring.toml", "--json", *words, cwd=folder)


def assert_same(folder: Path, ran: Ran, reference: Reference) -> None:
    """The same games once each, the same bytes, the same standings, and no process left."""
    assert ran.status == 0, ran.err
    assert stored(folder / RESULTS) == reference.records
    assert_same_standings(ran.document, reference.document)
    assert left_over(folder / RESULTS) == []


def assert_same_standings(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """The same ladders; attempts that did not count are shown there, too, but are no part of the result."""
    assert found["digest"] == wanted["digest"]
    for mine, theirs in zip(found["ladders"], wanted["ladders"], strict=True):
        for row, other in zip(mine["rows"], theirs["rows"], strict=True):
            assert row.keys() - {"void"} == other.keys() - {"void"}
            for key in row.keys() - {"void"}:
                value = row[key]
                number = isinstance(value, float)
                assert value == (pytest.approx(other[key], rel=1e-9, abs=1e-9) if number else other[key])


def in_mid_league(started: Commands, folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start the league; return when some games are stored."""
    running = started("run-league", written(folder), "--json", *words, cwd=folder)
    wait_for(lambda: count(folder / RESULTS) or running.poll() is not None)
    assert running.poll() is None, running.communicate()
    return running


def moved_on(folder: Path, before: int, running: subprocess.Popen[str]) -> bool:
    return count(folder / RESULTS) > before or running.poll() is not None


def workers_of(running: subprocess.Popen[str]) -> list[int]:
    found = children(running.pid)
    assert found
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended, or is a zombie that nobody has waited for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_again_is_complete_at_once_with_the_same_standings(undisturbed: Reference, tmp_path: Path) -> None:
    """Four workers, then the same command: no bot is started, nothing is played."""
    written(tmp_path)
    first = run(tmp_path, "--workers", "4")
    assert_same(tmp_path, first, undisturbed)
    again = run(tmp_path)
    assert (again.status, again.out) == (0, first.out)
    assert f"complete: {GAMES} of {GAMES} games are stored" in again.err
    assert "starting each of" not in again.err


def test_the_order_of_the_bots_means_nothing(undisturbed: Reference, tmp_path: Path) -> None:
    written(tmp_path, BOTS[::-1])
    assert_same(tmp_path, run(tmp_path), undisturbed)


def test_more_deals_go_on_with_the_same_games(undisturbed: Reference, tmp_path: Path) -> None:
    """A league of two deals that gets more keeps what it has; it ends where the longer one does."""
    written(tmp_path, deals=2)
    assert run(tmp_path).document["planned"] == 2 * SEATINGS
    written(tmp_path)
    ran = run(tmp_path)
    assert f"resuming: {2 * SEATINGS} of {GAMES} games are stored" in ran.err
    assert_same(tmp_path, ran, undisturbed)


def test_kill_9_of_the_parent(undisturbed: Reference, tmp_path: Path, started: Commands) -> None:
    """The workers and bots end by themselves; the same command plays the rest, every game once."""
    running = in_mid_league(started, tmp_path)
    workers = workers_of(running)
    running.kill()
    running.communicate()
    wait_for(lambda: all(map(gone, workers)) and not left_over(tmp_path / RESULTS))
    before = count(tmp_path / RESULTS)
    assert 0 < before < GAMES
    ran = run(tmp_path)
    assert f"resuming: {before} of {GAMES} games are stored" in ran.err
    assert_same(tmp_path, ran, undisturbed)


def test_kill_9_of_everything_at_once(undisturbed: Reference, tmp_path: Path, own_tmp: Path, started: Commands) -> None:
    """Parent and workers die together; the next run, at once, ends and removes what they left, and plays on."""
    running = in_mid_league(started, tmp_path)
    for pid in (*workers_of(running), running.pid):
        os.kill(pid, signal.SIGKILL)
    running.communicate()
    assert list(own_tmp.iterdir())
    assert_same(tmp_path, run(tmp_path), undisturbed)
    assert list(own_tmp.iterdir()) == []


def test_temporary_files_with_a_long_path(tmp_path: Path, own_tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no socket fits below them the league is played all the same, in the same sandbox, and leaves nothing."""
    deep = own_tmp / ("x" * 80)
    deep.mkdir()
    league(tmp_path / "spring.toml", BOTS, deals=1)
    levels = set()
    for folder in (own_tmp, deep):
        monkeypatch.setenv("TMPDIR", str(folder))
        ran = arena("run-league", "spring.toml", "--json", "--fresh", cwd=tmp_path)
        assert (ran.status, ran.document["complete"]) == (0, True), ran.err
        levels |= {decode(record).sandbox for record in stored(tmp_path / RESULTS).values()}
        assert list(own_tmp.iterdir()) == [deep]
    assert len(levels) == 1
    assert list(deep.iterdir()) == []


def test_kill_9_of_a_worker(undisturbed: Reference, tmp_path: Path, own_tmp: Path, started: Commands) -> None:
    """It is replaced, and what it had not finished is played again; the run does not stop.

    The games that were open are on record as attempts that did not count.
    """
    running = in_mid_league(started, tmp_path, "--workers", "1")
    os.kill(workers_of(running)[0], signal.SIGKILL)
    ran = finished(running)
    assert_same(tmp_path, ran, undisturbed)
    assert list(own_tmp.iterdir()) == []
    aborted = voids(tmp_path / RESULTS, Termination.ABORTED)
    assert 1 <= len(aborted) <= DEALS
    assert {void.evidence for void in aborted} == {"the worker that played it ended with signal SIGKILL"}
    assert ran.document["void"] >= len(aborted)


def test_a_run_that_is_held_goes_on(undisturbed: Reference, tmp_path: Path, started: Commands) -> None:
    """Held for a while, it costs nobody anything: the command alone, as by Ctrl-Z, and with all that it has started."""
    running = in_mid_league(started, tmp_path)
    everything = [running.pid, *workers_of(running), *left_over(tmp_path / RESULTS)]
    for held in ([running.pid], everything):
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in held:
                with suppress(ProcessLookupError):  # a bot that had just played its last game
                    os.kill(pid, number)
            time.sleep(1)
    assert_same(tmp_path, finished(running), undisturbed)


@pytest.mark.soak  # hits a game only by chance; the sitting's own test hits one for sure
def test_kill_9_of_a_bot_costs_it_one_game(undisturbed: Reference, tmp_path: Path, started: Commands) -> None:
    """Its seat is retired in exactly one game; all others have the bytes that they have in an undisturbed run.

    A process that is hit when it has played its last game costs nothing: then the league is begun anew.
    """
    written(tmp_path)
    changed: list[str] = []
    for _ in range(6):
        running = started("run-league", "spring.toml", "--json", "--workers", "1", "--fresh", cwd=tmp_path)
        while running.poll() is None and not hit(tmp_path / RESULTS, "first"):
            time.sleep(0.02)
        ran = finished(running)
        assert ran.status == 0, ran.err
        found = stored(tmp_path / RESULTS)
        assert found.keys() == undisturbed.records.keys()
        changed = [game_id for game_id in found if found[game_id] != undisturbed.records[game_id]]
        if changed:
            break
    assert len(changed) == 1
    assert faults(decode(found[changed[0]])) == {"first": "crash"}
    assert left_over(tmp_path / RESULTS) == []
    faults_by_name = {row["name"]: row["faults"] for row in ran.document["ladders"][0]["rows"]}
    assert faults_by_name == {"first": 1, "last": 0, "margin": 0}


def hit(results: Path, policy: str) -> bool:
    """Kill a fixture bot in mid-sitting, if one is: games were stored while it was there."""
    pid = a_bot(results, policy)
    before = count(results)
    while pid and not gone(pid) and count(results) == before:
        time.sleep(0.02)
    if not pid or gone(pid):
        return False
    os.kill(pid, signal.SIGKILL)
    return True


def a_bot(results: Path, policy: str) -> int:
    """Return the pid of a fixture bot with this policy, 0 if none runs."""
    for pid in left_over(results):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if policy.encode() in words and words[0].endswith(b"python"):
            return pid
    return 0


def faults(record: Record) -> dict[str, str]:
    words = zip(record.players, record.terminations, strict=True)
    return {player.name: str(word) for player, word in words if word != "normal"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_first_signal_finishes_the_running_games(
    undisturbed: Reference, tmp_path: Path, started: Commands, number: int
) -> None:
    """Exit status 130, standings of what is stored, and the command that goes on; it does.

    The signal goes to the whole group, as a terminal sends it: no bot is in it, so none is blamed for its end.
    """
    running = in_mid_league(started, tmp_path)
    os.killpg(running.pid, number)
    ran = finished(running)
    assert ran.status == 130, ran.err
    assert "stopping: running games finish; Ctrl-C again stops at once" in ran.err
    assert "stopped; this goes on: arena run-league" in ran.err
    assert not ran.document["complete"]
    assert 0 < ran.document["stored"] == count(tmp_path / RESULTS) < GAMES
    assert left_over(tmp_path / RESULTS) == []
    assert_same(tmp_path, run(tmp_path), undisturbed)


def test_a_second_signal_stops_at_once(tmp_path: Path, started: Commands) -> None:
    """Bots that would think for an hour are ended, and nothing is left of the run but what it has stored."""
    slow = [fixture(name, "--policy", "last", "--fault", "hang", "--at", "40") for name in ("a", "b", "c")]
    endless = "[limits]\nmove_ms = 3600000\ngame_s = 100000\n"
    league(tmp_path / "spring.toml", slow, head=f"{SECRET}in_flight = 1\n", tail=endless)
    running = started("run-league", "spring.toml", "--json", cwd=tmp_path)
    wait_for(lambda: count(tmp_path / RESULTS))
    workers = workers_of(running)
    running.send_signal(signal.SIGINT)
    said_by(running, "stopping:")
    running.send_signal(signal.SIGINT)
    ran = finished(running)
    assert (ran.status, ran.out) == (130, "")
    assert "stopped at once; this goes on: arena run-league" in ran.err
    aborted = voids(tmp_path / RESULTS, Termination.ABORTED)
    assert {void.evidence for void in aborted} == {"the run was stopped at once"}
    assert {void.game_id for void in aborted}.isdisjoint(stored(tmp_path / RESULTS))
    assert all(map(gone, workers))
    assert left_over(tmp_path / RESULTS) == []


def test_a_signal_before_the_first_game(tmp_path: Path, started: Commands) -> None:
    """Stopped while a bot keeps the others waiting for its hello: 130, and the league can begin later."""
    bots = [*BOTS[:2], fixture("late", "--policy", "first", "--start-ms", "1500")]
    league(tmp_path / "spring.toml", bots, deals=1, tail="seatings = 1\n" + PATIENT)
    running = started("run-league", "spring.toml", "--json", cwd=tmp_path)
    said_by(running, "0 of 1 games")  # each bot has been started once by itself
    wait_for(lambda: left_over(tmp_path / RESULTS))
    running.send_signal(signal.SIGINT)
    ran = finished(running)
    assert ran.status == 130, ran.err
    assert left_over(tmp_path / RESULTS) == []
    assert run(tmp_path).document["stored"] == 1


def test_identical_deterministic_bots_tie_exactly(tmp_path: Path) -> None:
    """In all seatings nobody has the better cards: the same rating to the last digit that matters, no faults."""
    bots = [fixture(name, "--policy", "first") for name in ("a", "b", "c")]
    written(tmp_path, bots, deals=3, seatings=6)
    rows = run(tmp_path).document["ladders"][0]["rows"]
    assert [row["points"] for row in rows] == [rows[0]["points"]] * 3
    assert [row["elo"] for row in rows] == pytest.approx([0, 0, 0], abs=1e-9)


def test_random_under_three_names_is_within_its_error_bars(tmp_path: Path) -> None:
    written(tmp_path, [builtin("random", name) for name in ("a", "b", "c")], deals=20)
    assert_within_errors(run(tmp_path))


def assert_within_errors(ran: Ran) -> None:
    rows = ran.document["ladders"][0]["rows"]
    assert [row["faults"] for row in rows] == [0, 0, 0]
    for row in rows:
        assert abs(row["elo"]) < 1.5 * row["error"]


@pytest.mark.soak
def test_random_under_three_names_at_length(tmp_path: Path) -> None:
    written(tmp_path, [builtin("random", name) for name in ("a", "b", "c")], deals=1000)
    ran = arena("run-league", "spring.toml", "--json", cwd=tmp_path)
    assert_within_errors(ran)
    assert ran.document["ladders"][0]["rows"][0]["error"] < 12


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_again_and_again(undisturbed: Reference, tmp_path: Path, started: Commands) -> None:
    """Whatever is killed whenever, by the tenth start the league has every game once."""
    written(tmp_path)
    for victims in range(10):
        before = count(tmp_path / RESULTS)
        running = started("run-league", "spring.toml", "--json", cwd=tmp_path)
        wait_for(partial(moved_on, tmp_path, before, running))
        workers = workers_of(running) if running.poll() is None else []
        for pid in (*workers[: victims % 3], running.pid):
            with suppress(ProcessLookupError):  # it has just played the last game
                os.kill(pid, signal.SIGKILL)
        running.communicate()
    assert_same(tmp_path, run(tmp_path), undisturbed)


def test_the_journal_is_a_database_that_others_can_read(undisturbed: Reference, tmp_path: Path) -> None:
    """One row a game, whatever program looks."""
    written(tmp_path, deals=1)
    assert run(tmp_path).status == 0
    connection = sqlite3.connect(tmp_path / RESULTS / "league.db")
    ids = {game_id for (game_id,) in connection.execute("SELECT id FROM games")}
    connection.close()
    assert len(ids) == SEATINGS
    assert ids <= undisturbed.records.keys()
