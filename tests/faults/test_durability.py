"""What is stored stays, whatever ends the program or the machine; what is derived follows from it alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import pytest

from arena.errors import Termination
from arena.records.codec import decode
from arena.reports.league import league_standings
from arena.storage.store import Store
from tests.commands import (
    Commands,
    arena,
    builtin,
    children,
    count,
    finished,
    fixture,
    league,
    left_over,
    stored,
    voids,
    wait_for,
)
from tests.league.test_runner import RESULTS, moved_on

BOTS = [fixture(name, "--policy", name, "--sleep-ms", "3") for name in ("first", "last")] + [builtin("margin")]
DEALS = 3


def power_cuts(folder: Path, running: subprocess.Popen[str], times: int) -> list[tuple[Path, int]]:
    """Copy the results at some moments of a run, all its processes held; return copies and games known before."""
    copies = []
    for number in range(times):
        wait_for(partial(moved_on, folder, count(folder / RESULTS), running))
        known = count(folder / RESULTS)
        os.kill(running.pid, signal.SIGSTOP)
        copy = folder / f"cut-{number}"
        shutil.copytree(folder / RESULTS, copy)
        os.kill(running.pid, signal.SIGCONT)
        copies.append((copy, known))
    return copies


def test_a_power_cut_costs_the_running_games_at_most_and_a_torn_end_is_mended(
    tmp_path: Path, started: Commands
) -> None:
    """Of every copy all games that had been seen are there; torn in its last write it is a journal all the same."""
    file = league(tmp_path / "spring.toml", BOTS, deals=DEALS)
    running = started("run-league", file, cwd=tmp_path)
    copies = power_cuts(tmp_path, running, 3)
    assert finished(running).status == 0
    whole = stored(tmp_path / RESULTS)
    draw = Random(1)
    for copy, known in copies:
        assert len(found := stored(copy)) >= known
        assert found.items() <= whole.items()
        tear(copy / "league.db-wal", draw.randrange(1, FRAME))
        assert stored(copy).items() <= whole.items()
    ran = arena("run-league", file, "--results", copies[0][0], cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert stored(copies[0][0]) == whole


FRAME = 4096 + 24
"""Bytes of a page in the write-ahead log, with its header."""


def tear(log: Path, size: int) -> None:
    """Take some bytes off the end of a write-ahead log, as when its last frame was not wholly written."""
    if log.exists() and log.stat().st_size:
        os.truncate(log, log.stat().st_size - size)


STORM = """
import json, signal, sys
from pathlib import Path
from arena.league.folder import ResultsFolder

is_saving = False

def interrupt(number, frame):
    if is_saving:
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupt)
folder, number, cut = ResultsFolder.open(Path(sys.argv[1])), 0, 0
print("ready", flush=True)
while not Path(sys.argv[2]).exists():
    number += 1
    try:
        is_saving = True
        folder.write("standings.json", json.dumps({"number": number, "rows": ["x"] * 20_000}).encode())
    except KeyboardInterrupt:
        cut += 1
    finally:
        is_saving = False
print(cut, flush=True)
"""


def interrupted_while_saving(folder: Path, times: int) -> None:
    """Interrupt a program that saves all the time: whoever reads meanwhile finds a whole file."""
    enough = folder / "enough"
    command = [sys.executable, "-c", STORM, str(folder / "results"), str(enough)]
    saver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert saver.stdout is not None
        assert saver.stdout.readline() == "ready\n"
        file, draw = folder / "results" / "standings.json", Random(1)
        numbers: set[int] = set()
        wait_for(file.exists)
        done = 0
        while done < times or len(numbers) <= times / 20:  # a busy machine saves seldom
            done += 1
            time.sleep(draw.uniform(0, 0.006))
            saver.send_signal(signal.SIGINT)
            document = json.loads(file.read_text())
            assert len(document["rows"]) == 20_000
            numbers.add(document["number"])
        enough.touch()
        cut = int(saver.stdout.readline())
        assert saver.wait(30) == 0
    finally:
        saver.kill()
        saver.communicate()
    assert cut > times / 4


def test_a_hundred_interrupts_while_saving(tmp_path: Path) -> None:
    interrupted_while_saving(tmp_path, 100)


@pytest.mark.soak
def test_a_thousand_interrupts_while_saving(tmp_path: Path) -> None:
    interrupted_while_saving(tmp_path, 1000)


def test_a_game_that_the_machine_spoiled_has_its_attempts_beside_one_result(tmp_path: Path, started: Commands) -> None:
    """Both workers stand still: games are void, played again with the cards of their deal, and nobody is blamed."""
    bots = [fixture(name, "--policy", name, "--sleep-ms", "10") for name in ("first", "last")] + [builtin("margin")]
    league(tmp_path / "spring.toml", bots, deals=2, tail="[limits]\nstart_s = 60\nmove_ms = 300\nmargin_ms = 150\n")
    running = started("run-league", "spring.toml", "--json", cwd=tmp_path)
    wait_for(lambda: count(tmp_path / RESULTS) or running.poll() is not None)
    while running.poll() is None and not voids(tmp_path / RESULTS, Termination.HOST):
        stall(children(running.pid), 1.2)
        time.sleep(0.3)
    ran = finished(running)
    assert ran.status == 0, ran.err
    assert (ran.document["stored"], ran.document["complete"]) == (12, True)
    assert ran.document["void"] >= 1
    assert {row["faults"] for row in ran.document["ladders"][0]["rows"]} == {0}
    attempts = Counter(void.game_id for void in voids(tmp_path / RESULTS, Termination.HOST))
    assert attempts.total() == ran.document["void"]
    records = {game_id: decode(record) for game_id, record in stored(tmp_path / RESULTS).items()}
    assert attempts.keys() <= records.keys()
    assert len({(record.deal, record.entries[0]) for record in records.values()}) == 2


def test_a_worker_that_dies_after_it_has_spoiled_games_costs_nothing(tmp_path: Path, started: Commands) -> None:
    """What was void, and what was open then, is played once more, and not twice: the next sitting has all of it."""
    bots = [fixture(name, "--policy", name, "--sleep-ms", "10") for name in ("first", "last")] + [builtin("margin")]
    tail = "seatings = 1\n[limits]\nstart_s = 60\nmove_ms = 300\nmargin_ms = 150\n"
    league(tmp_path / "spring.toml", bots, deals=24, tail=tail)
    running = started("run-league", "spring.toml", "--json", "--workers", "1", cwd=tmp_path)
    wait_for(lambda: count(tmp_path / RESULTS) or running.poll() is not None)
    while running.poll() is None and not voids(tmp_path / RESULTS, Termination.HOST):
        stall(children(running.pid), 1.2)
        time.sleep(0.1)
    os.kill(children(running.pid)[0], signal.SIGKILL)
    ran = finished(running)
    assert ran.status == 0, ran.err
    assert (ran.document["stored"], ran.document["complete"]) == (24, True)
    assert voids(tmp_path / RESULTS, Termination.ABORTED)
    assert {row["faults"] for row in ran.document["ladders"][0]["rows"]} == {0}


def stall(pids: list[int], seconds: float) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def test_a_league_with_bots_that_fail_counts_their_faults_and_is_whole_at_every_moment(
    tmp_path: Path, started: Commands
) -> None:
    """With bots that crash, cheat and fall silent: what is finished is stored, and what is stored is counted.

    Crash, illegal action and time-out are columns of the table; the honest bot has none and is first.
    """
    bots = [
        builtin("margin"),
        fixture("crasher", "--policy", "first", "--fault", "crash", "--at", "9", "--every"),
        fixture("cheat", "--policy", "first", "--fault", "illegal", "--at", "3", "--every"),
        fixture("sleeper", "--policy", "first", "--fault", "hang", "--at", "12", "--every"),
    ]
    tail = "seatings = 2\n[limits]\nstart_s = 60\nmove_ms = 300\nmargin_ms = 600\n"
    league(tmp_path / "spring.toml", bots, deals=1, tail=tail)
    running = started("run-league", "spring.toml", "--json", cwd=tmp_path)
    looks = 0
    while running.poll() is None:
        if count(tmp_path / RESULTS):
            assert_counted(tmp_path / RESULTS)
            looks += 1
        time.sleep(0.1)
    ran = finished(running)
    assert (ran.status, ran.document["void"]) == (0, 0), ran.err
    assert looks > 1
    assert_counted(tmp_path / RESULTS)
    assert ran.document["stored"] == count(tmp_path / RESULTS) == len(stored(tmp_path / RESULTS)) == 8
    rows = {row["name"]: row for row in ran.document["ladders"][0]["rows"]}
    assert sum(row["games"] for row in rows.values()) == 3 * 8
    assert rows["margin"]["faults"] == 0
    assert rows["crasher"]["crash"] > 0
    assert rows["cheat"]["illegal"] > 0
    assert rows["sleeper"]["timeout"] > 0
    assert next(iter(rows)) == "margin"
    assert left_over(tmp_path / RESULTS) == []


def assert_counted(results: Path) -> None:
    """The journal is read once: its games, and the games of the standings made of it."""
    with Store.open(results / "league.db") as store:
        standings = league_standings(store)
        known = store.counts().stored
    games = [row["games"] for ladder in standings.games for row in ladder.rows.rows]
    seats = sum(number for number in games if isinstance(number, int))
    assert seats % 3 == 0
    assert seats / 3 <= standings.progress.stored <= known


KILOBYTE = 1024


def takes_little_room(folder: Path, games: int) -> None:
    """Clean games leave no logs, and less than a kilobyte each beside their records."""
    bots = [builtin("always-take"), builtin("margin"), builtin("random")]
    ran = arena("run-league", league(folder / "spring.toml", bots, deals=-(-games // 6)), "--json", cwd=folder)
    assert ran.status == 0, ran.err
    results = folder / RESULTS
    with sqlite3.connect(results / "league.db") as connection:
        rows, records = connection.execute("SELECT count(*), sum(length(data)) FROM records").fetchone()
    connection.close()
    sizes = [path.stat().st_size for path in results.rglob("*") if path.is_file() and "bots" not in path.parts]
    assert rows >= games
    assert (sum(sizes) - records) / rows < KILOBYTE
    assert not list((results / "logs").rglob("*.log"))


def test_six_hundred_clean_games_take_little_room(tmp_path: Path) -> None:
    takes_little_room(tmp_path, 600)


@pytest.mark.soak
def test_ten_thousand_clean_games_take_little_room(tmp_path: Path) -> None:
    takes_little_room(tmp_path, 10_000)
