"""A worker alone, as its parent starts it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from dataclasses import asdict
from multiprocessing.connection import Connection

from arena.league.job import SittingEnd
from arena.league.messages import ITEM, PLAY, READY, STOP
from arena.players.base import AT_HOME
from tests.league.sittings import job, program


def test_a_worker_that_is_told_to_stop_before_its_sitting_begins_plays_no_game() -> None:
    """Both messages are there at once, as when Ctrl-C comes just after a job was handed out."""
    ours, theirs = socket.socketpair()
    pipe = Connection(ours.detach())
    pipe.send((PLAY, job([program(name) for name in "abc"], 4)))
    pipe.send((STOP, None))
    words = [sys.executable, "-P", "-m", "arena.league.worker", str(theirs.fileno()), "0", json.dumps(asdict(AT_HOME))]
    with theirs, subprocess.Popen(words, pass_fds=[theirs.fileno()]) as worker:
        theirs.close()
        told = [pipe.recv()]
        while told[-1][0] != READY or len(told) == 1:
            told.append(pipe.recv())
        pipe.close()
        assert worker.wait(60) == 0
    assert [word for word, _ in told] == [READY, ITEM, READY], "no game was opened, and no bot called a stranger"
    assert isinstance(told[1][1], SittingEnd)
