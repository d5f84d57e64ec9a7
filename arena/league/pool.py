"""The parent's side of the workers: hands out jobs, collects what comes back, replaces workers that die.

This process never imports grpc: it starts the workers, and a process with gRPC threads should start nothing but bots.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from arena.errors import ArenaError, Termination, UsageError
from arena.league.job import Job, SittingEnd
from arena.league.messages import FAILED, ITEM, LOBBY, OPENED, PLAY, READY, REFUSED, STOP, STRANGERS
from arena.players.base import AT_HOME, Listen
from arena.players.process import end_marked, exit_words
from arena.players.scratch import make_folder, remove_tree
from arena.records.record import Finished, Void

BUFFER_BYTES = 4 << 20
END_S = 5.0
DEATHS_IN_A_ROW = 3
FOR_FIRST = 1000


class WorkerFailed(ArenaError):
    """A worker met an error of our own, or died again and again over the same games; the run stops."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something a worker told: a game, a void game, or the end of a sitting, with the job it belongs to."""

    job: Job
    content: Finished | Void | SittingEnd


@dataclass(frozen=True, slots=True)
class AtTable:
    """What a worker plays now.

    Attributes:
        names: the bots by seat.
        games: games that are open.
        seconds: how long none has begun or ended.
    """

    names: tuple[str, ...]
    games: int
    seconds: float


@dataclass(slots=True)
class _Worker:
    number: int
    core: int
    scratch: str
    process: subprocess.Popen[bytes]
    pipe: Connection
    job: Job | None = None
    idle: bool = False
    finished: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    heard_at: float = field(default_factory=monotonic)


class Pool:
    """Some workers and the jobs they play.

    Args:
        workers: number of worker processes, one or more; they take the cores of this process in turn.
        listen: where bots that are started by hand dial in.
        scratch: an existing folder for what workers and bots write for a while; each worker has a part of its own,
            which goes with it. None: where the system has such files.
        on_lobby: is told the address for bots that are started by hand, each time a worker opens one.
        on_strangers: is told how many dials with a wrong token there have been since it was told last.
    """

    def __init__(
        self,
        workers: int,
        *,
        listen: Listen = AT_HOME,
        scratch: Path | None = None,
        on_lobby: Callable[[str], object] = lambda _: None,
        on_strangers: Callable[[int], object] = lambda _: None,
    ) -> None:
        self._listen = json.dumps(asdict(listen))
        self._scratch = scratch
        self._cores = sorted(os.sched_getaffinity(0))
        self._workers = [self._start(number) for number in range(workers)]
        self._stopping = self._told = False
        self._exhausted = False
        self._again: list[Job] = []
        self._for_first: deque[Job] = deque()
        self._on_lobby = on_lobby
        self._on_strangers = on_strangers
        self._deaths = 0

    def _start(self, number: int) -> _Worker:
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        core = self._cores[number % len(self._cores)]
        scratch = make_folder("arena-worker-", within=self._scratch)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.league.worker", str(theirs.fileno()), str(core), self._listen],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            env={**os.environ, "TMPDIR": scratch},
        )
        theirs.close()
        return _Worker(number, core, scratch, process, Connection(ours.detach()))

    def play(self, jobs: Iterator[Job], *, patience_s: float = 0.5) -> Iterator[Item | None]:
        """Play jobs; yield what comes back, and None whenever nothing came for ``patience_s`` or a round is over.

        Raises:
            UsageError: when a worker refuses for a reason that the operator can mend.
            WorkerFailed: for an error of our own.
        """
        self._exhausted = False
        self._hand_out(jobs)
        while any(worker.job for worker in self._workers) or (not self._stopping and self._has_more):
            ready = wait([worker.pipe for worker in self._workers], timeout=patience_s)
            for worker in list(self._workers):
                if worker.pipe in ready:
                    yield from self._read(worker)
            if self._stopping and not self._told:
                self._tell_stop()
            self._hand_out(jobs)
            yield None

    @property
    def _has_more(self) -> bool:
        return not self._exhausted or bool(self._for_first)

    def stop(self) -> None:
        """Let running games finish and start no more; may be called by a signal's handler."""
        self._stopping = True

    @property
    def stopping(self) -> bool:
        """Whether no more games are started."""
        return self._stopping

    def _tell_stop(self) -> None:
        """Tell the workers, here and not in ``stop``, which may interrupt the sending of another message."""
        self._told = True
        for worker in self._workers:
            with suppress(OSError):  # a worker that has just died needs no telling
                worker.pipe.send((STOP, None))

    def playing(self) -> tuple[AtTable, ...]:
        """Return what each worker that has open games plays now."""
        return tuple(
            AtTable(
                tuple(program.name for program in worker.job.programs), len(worker.open), monotonic() - worker.heard_at
            )
            for worker in self._workers
            if worker.job is not None and worker.open
        )

    def aborted(self, words: str) -> tuple[Void, ...]:
        """Return the games that have begun and will not end, with why, as attempts that do not count."""
        return tuple(void for worker in self._workers for void in _aborted(worker, words))

    def close(self) -> None:
        """End all workers; their bots go with them."""
        for worker in self._workers:
            worker.pipe.close()
        deadline = monotonic() + END_S
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            if worker.job is not None:
                end_marked(worker.job.mark)
            remove_tree(worker.scratch)

    def _hand_out(self, jobs: Iterator[Job]) -> None:
        for worker in self._workers:
            if worker.job is None and worker.idle and not self._stopping:
                job = self._next_for(worker, jobs)
                if job is None:
                    continue
                worker.job, worker.idle, worker.finished = job, False, set()
                with suppress(OSError):  # it has just died; its end is read next, and the job played again
                    worker.pipe.send((PLAY, job))

    def _next_for(self, worker: _Worker, jobs: Iterator[Job]) -> Job | None:
        """Return the next job for a worker; those with a bot that is started by hand are worker 0's, in turn."""
        if worker.number == 0 and self._for_first:
            return self._for_first.popleft()
        while len(self._for_first) < FOR_FIRST:
            job = self._again.pop() if self._again else next(jobs, None)
            if job is None:
                self._exhausted = True
                return None
            if worker.number == 0 or not any(program.token for program in job.programs):
                return job
            self._for_first.append(job)
        return None

    def _read(self, worker: _Worker) -> Iterator[Item]:
        try:
            while worker.pipe.poll():
                word, content = worker.pipe.recv()
                worker.heard_at = monotonic()
                if word == ITEM:
                    yield self._item(worker, content)
                elif word == OPENED:
                    worker.open.add(content)
                elif word == LOBBY:
                    self._on_lobby(content)
                elif word == STRANGERS:
                    self._on_strangers(content)
                elif word == READY:
                    worker.job, worker.idle = None, True
                else:
                    self._refuse(word, content)
        except (EOFError, OSError):
            yield from self._replace(worker)

    def _item(self, worker: _Worker, content: Any) -> Item:
        assert worker.job is not None
        self._deaths = 0
        if isinstance(content, Finished):
            worker.finished.add(content.game_id)
        if isinstance(content, Finished | Void):
            worker.open.discard(content.game_id)
        return Item(worker.job, content)

    def _refuse(self, word: str, words: str) -> None:
        if word == REFUSED:
            raise UsageError(words)
        assert word == FAILED, word
        raise WorkerFailed(f"a worker failed; no game was scored for it:\n{words}")

    def _replace(self, worker: _Worker) -> Iterator[Item]:
        """Start a worker in the place of a dead one; what it had not finished is played again.

        Not while the run is being stopped: whoever stops a service tells the workers, too, to end.

        Yields:
            The games that were open when it died, as attempts that do not count.
        """
        status = worker.process.wait()
        worker.pipe.close()
        if worker.job is not None:
            for void in _aborted(worker, f"the worker that played it ended with {exit_words(status)}"):
                yield Item(worker.job, void)
            worker.open.clear()
        if not self._stopping:
            self._count_death()
        if worker.job is not None:
            end_marked(worker.job.mark)
            left = tuple(game for game in worker.job.games if game.game_id not in worker.finished)
            if left or not worker.job.games:
                self._again.append(replace(worker.job, games=left))
                self._exhausted = False
        remove_tree(worker.scratch)
        at = self._workers.index(worker)
        self._workers[at : at + 1] = [] if self._stopping else [self._start(worker.number)]

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths >= DEATHS_IN_A_ROW:
            raise WorkerFailed(f"{self._deaths} workers died in a row without finishing a game")


def _aborted(worker: _Worker, words: str) -> tuple[Void, ...]:
    return tuple(Void(game_id, Termination.ABORTED, words) for game_id in sorted(worker.open))
