"""A fuzz bot among honest ones: the league goes on, and the games without it are as if it were not there."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from arena.records.codec import decode
from arena.records.record import Record
from tests.commands import Commands, arena, children, count, finished, fixture, league, left_over, stored

HONEST = [fixture(name, "--policy", policy) for name, policy in (("a", "first"), ("b", "last"), ("c", "random"))]
LIMITS = "[limits]\nmove_ms = 500\nmargin_ms = 300\nstart_s = 30\n"
GAMES_A_DEAL = 18
"""With the fuzz bot: three line-ups in six seatings; six more games are without it."""
GROWTH_MB = 50
SETTLED_LOOKS = 10


def fuzzer(seed: int) -> str:
    command = json.dumps(["{python}", "-m", "arena.testing.fuzz", "--seed", str(seed)])
    return f'[[bot]]\nname = "fuzz"\ncommand = {command}\n'


def memory_mb(pid: int) -> int:
    """Return the memory of a process in megabytes, 0 once it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 >> 20
    except OSError:
        return 0


def growth_while(running: subprocess.Popen[str], results: Path) -> int:
    """Return by how many megabytes a worker has grown at most, its first seconds after a first game aside."""
    sizes: dict[int, list[int]] = {}
    while running.poll() is None:
        time.sleep(0.5)
        if count(results):
            with suppress(OSError):  # it has just ended
                for pid in children(running.pid):
                    sizes.setdefault(pid, []).append(memory_mb(pid))
    return max(max(seen) - max(seen[:SETTLED_LOOKS]) for seen in sizes.values())


def survives(folder: Path, own_tmp: Path, started: Commands, deals: int) -> None:
    """Play the league with and without the fuzz bot and compare."""
    alone, together = folder / "alone", folder / "together"
    for place, bots in ((alone, HONEST), (together, [*HONEST, fuzzer(7)])):
        place.mkdir()
        league(place / "spring.toml", bots, deals=deals, tail=LIMITS)
    assert arena("run-league", "spring.toml", cwd=alone).status == 0
    running = started("run-league", "spring.toml", "--json", cwd=together)
    growth = growth_while(running, together / "results/spring")
    ran = finished(running)
    assert ran.status == 0, ran.err
    assert ran.document["stored"] == deals * (GAMES_A_DEAL + 6)
    records = stored(together / "results/spring")
    without = {
        game_id: record
        for game_id, record in records.items()
        if "fuzz" not in {player.name for player in decode(record).players}
    }
    assert without == stored(alone / "results/spring")
    assert_only_the_fuzzer_failed([decode(record) for record in records.values()])
    assert growth < GROWTH_MB
    assert left_over(together / "results/spring") == []
    assert list(own_tmp.iterdir()) == []


def assert_only_the_fuzzer_failed(records: list[Record]) -> None:
    guilty = {record.players[fault.seat].name for record in records for fault in record.faults}
    assert guilty == {"fuzz"}
    words = {fault.word for record in records for fault in record.faults}
    assert len(words) >= 4, words


def test_a_hundred_games(tmp_path: Path, own_tmp: Path, started: Commands) -> None:
    survives(tmp_path, own_tmp, started, deals=6)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_thousand_games(tmp_path: Path, own_tmp: Path, started: Commands) -> None:
    survives(tmp_path, own_tmp, started, deals=56)
