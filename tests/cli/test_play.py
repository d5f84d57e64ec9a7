"""``arena play`` when its worker dies: no bot's doing, and not the end of the game."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from secrets import randbelow

from tests.commands import Commands, children, finished, wait_for

BOT = """
import subprocess
from arena.sdk import run

def decide(request):
    if request.decision == 0:
        subprocess.run(["sleep", "{seconds}"])
    return request.legal_actions[0]

run(decide)
"""
"""Thinks about its first decision until somebody ends its sleep."""


def test_a_game_whose_worker_dies_is_played_again(tmp_path: Path, started: Commands) -> None:
    """The memory of a machine is short, and the kernel kills a worker: a line says so, and the next attempt counts."""
    seconds = str(10**9 + randbelow(10**9))
    (tmp_path / "bot.py").write_text(BOT.format(seconds=seconds))
    running = started("play", "no_thanks", "mine={python} bot.py", "margin", "random", "--no-clock", cwd=tmp_path)
    (first,) = sleeping(seconds)
    (worker,) = [child for child in children(running.pid) if "arena.league.worker" in words_of(child)]
    os.kill(worker, signal.SIGKILL)
    (second,) = sleeping(seconds, but=first)
    os.kill(second, signal.SIGKILL)
    done = finished(running)
    assert (done.status, "Traceback" in done.err) == (0, False), done.err
    assert done.err.count("this attempt does not count: the worker that played it ended with signal SIGKILL") == 1
    assert [line.split()[-1] for line in done.out.strip().splitlines()] == ["ended", *["normal"] * 3]


def sleeping(seconds: str, but: int = 0) -> list[int]:
    """Wait for the process that sleeps this long, other than one; return its pid."""
    found: list[int] = []

    def look() -> bool:
        pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
        found[:] = [pid for pid in pids if pid != but and words_of(pid) == ["sleep", seconds]]
        return bool(found)

    wait_for(look)
    return found


def words_of(pid: int) -> list[str]:
    """Return the command line of a process, nothing of one that has just gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    return []
