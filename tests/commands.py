"""The real command, ``python -m arena ...``, in a folder of its own, and small leagues for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import Termination, UsageError
from arena.players.process import marked
from arena.records.record import Void
from arena.storage.store import Store

ARENA = (sys.executable, "-m", "arena")
PATIENCE_S = 100.0
"""How long a command may take on a machine that is busy with other things."""
GAME = '[[game]]\nid = "no_thanks"\nseats = 3\ndeals = {deals}\noptions = {{ rounds = 1 }}\n'
PATIENT = "[limits]\nstart_s = 60\nmove_ms = 60000\n"
"""Limits that no bot breaks because the machine is busy with other things."""
ONE_SITTING = f"seatings = 1\n{PATIENT}"
"""For what is the same in all six seatings: each is a sitting, for which three bots are started."""
SECRET = "[league]\nsecret = 'known'\n"


@dataclass(frozen=True)
class Ran:
    """What came of a command: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; no constant beyond JSON is accepted."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def arena(*words: str | Path, cwd: Path, **rest: Any) -> Ran:
    """Run a command to its end; there is never a traceback of the arena's own on stderr."""
    done = subprocess.run(
        [*ARENA, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S, check=False, **rest
    )
    assert "arena/cli" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


class Commands:
    """Commands that were started and run on; whatever still runs at the end of a test is killed."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[str]] = []

    def __call__(self, *words: str | Path, cwd: Path) -> subprocess.Popen[str]:
        """Start a command in a session of its own."""
        running = subprocess.Popen(
            [*ARENA, *map(str, words)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._running.append(running)
        return running

    def close(self) -> None:
        """Kill what still runs."""
        for running in self._running:
            running.kill()
            running.communicate()


def said_by(running: subprocess.Popen[str], words: str) -> None:
    """Wait until a command has printed a line with these words to stderr; what was read until then is consumed."""
    assert running.stderr is not None
    for line in running.stderr:
        if words in line:
            return
    raise AssertionError(f"it ended with {running.wait()} and never said {words!r}")


def finished(running: subprocess.Popen[str]) -> Ran:
    """Wait for the end of a command that was started."""
    out, err = running.communicate(timeout=PATIENCE_S)
    assert "arena/cli" not in err, err
    return Ran(running.returncode, out, err)


def fixture(name: str, *flags: str) -> str:
    """Return the ``[[bot]]`` of a fixture bot with these flags."""
    command = json.dumps(["{python}", "-m", "arena.testing.bots", *flags])
    return f'[[bot]]\nname = "{name}"\ncommand = {command}\n'


def builtin(name: str, called: str | None = None) -> str:
    """Return the ``[[bot]]`` of a bot that comes with the arena, under its own or another name."""
    return f'[[bot]]\nbuiltin = "{name}"\n' + (f'name = "{called}"\n' if called else "")


def league(path: Path, bots: Sequence[str], deals: int = 4, head: str = SECRET, tail: str = PATIENT) -> Path:
    """Write a league file of one-round games of No Thanks! at tables of three."""
    path.write_text(head + GAME.format(deals=deals) + tail + "".join(bots), encoding="utf-8")
    return path


def stored(results: Path) -> dict[str, bytes]:
    """Return the records of all stored games by id; each replays to its scores."""
    with Store.open(results / "league.db") as store:
        ids = [row.game_id for row in store.games()]
        assert len(ids) == len(set(ids))
        return {game_id: store.record_bytes(game_id) for game_id in ids}


def voids(results: Path, reason: Termination) -> list[Void]:
    """Return the stored attempts that did not count for one of the two reasons."""
    with Store.open(results / "league.db") as store:
        return [void for void in store.voids() if void.reason is reason]


def count(results: Path) -> int:
    """Return how many games are stored now, 0 while there is no journal."""
    try:
        with Store.open(results / "league.db") as store:
            return store.counts().stored
    except UsageError:
        return 0


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def left_over(results: Path) -> list[int]:
    """Return the pids of the bots of a results folder, none while there is no folder."""
    if not results.exists():
        return []
    status = results.stat()
    return list(marked(f"{status.st_dev:x}-{status.st_ino:x}/"))


def children(pid: int) -> list[int]:
    """Return the pids of the children of a process, such as the workers of a league's parent."""
    words = (Path(f"/proc/{task}/children").read_text() for task in _tasks(pid))
    return [int(child) for text in words for child in text.split()]


def _tasks(pid: int) -> list[str]:
    return [f"{pid}/task/{task}" for task in os.listdir(f"/proc/{pid}/task")]
