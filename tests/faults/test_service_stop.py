"""The end of a league that runs as a service: the command and its workers get SIGTERM side by side."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from arena.errors import Termination
from tests.commands import Commands, children, finished, fixture, league, left_over, said_by, voids, wait_for
from tests.league.test_runner import RESULTS, gone

TABLES = 3
SEATINGS = f"seatings = {TABLES}\n[limits]\nstart_s = 60\nmove_ms = 3600000\ngame_s = 100000\n"


@pytest.mark.parametrize("together", [True, False])
def test_workers_that_end_by_the_signal_of_a_stop_are_no_failure(
    tmp_path: Path, started: Commands, together: bool
) -> None:
    """As systemd does it, or a moment later, as a user who loses patience might: one signal to each of them."""
    thinkers = [fixture(name, "--fault", "hang", "--at", "1") for name in "abc"]
    league(tmp_path / "spring.toml", thinkers, deals=1, tail=SEATINGS)
    running = started("run-league", "spring.toml", "--workers", str(TABLES), cwd=tmp_path)
    wait_for(lambda: hanging(tmp_path / RESULTS) == TABLES or running.poll() is not None)
    workers = children(running.pid)
    assert len(workers) == TABLES
    running.send_signal(signal.SIGTERM)
    if not together:
        said_by(running, "stopping:")
    for worker in workers:
        os.kill(worker, signal.SIGTERM)
    ran = finished(running)
    assert ran.status == 130, ran.err
    assert "stopped; this goes on: arena run-league spring.toml" in ran.err
    wait_for(lambda: all(map(gone, workers)) and not left_over(tmp_path / RESULTS))
    ended = voids(tmp_path / RESULTS, Termination.ABORTED)
    assert {void.evidence for void in ended} == {"the worker that played it ended with signal SIGTERM"}
    assert len(ended) == TABLES


def hanging(results: Path) -> int:
    """Return how many bots have been asked: their games are open."""
    return sum("fixture: hanging" in log.read_text() for log in results.glob("logs/*/*.log"))
