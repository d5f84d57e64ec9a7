"""A bot as a process: started without a shell, watched in the referee's own event loop, ended with its whole tree.

No ``preexec_fn`` and no fork of our own: a process with gRPC threads must not run Python between fork and exec, so
limits and confinement come from the programs that ``arena.players.sandbox`` puts before the bot. A process's end is an
event like its answers: its pidfd is read by the same loop. So is what it uses: ten looks a second, and a bot that uses
more than its limits is reported to its owner.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from arena.errors import UsageError
from arena.players import strays, usage
from arena.players.base import Limits, Program
from arena.players.confine import NOBODY, uid_of
from arena.players.levels import level_of
from arena.players.log import CappedLog
from arena.players.sandbox import MARK, Launch, launcher
from arena.players.scratch import remove_tree
from arena.players.strays import end_marked, marked
from arena.players.watchdog import Disk, Watchdog

__all__ = ["MARK", "BotProcess", "end_marked", "marked"]

NICE = 5
LEAVE_S = 0.5
TERM_S = 1.0
LOOK_S = 0.1
STRAY_LOOKS = 5
"""At every fifth look the processes are sought that no longer descend from the bot's first one."""
READ_BYTES = 1 << 16
OWN_PID = re.compile(rb'"child-pid": *([0-9]+)')
KILLED_S = 0.3
"""After the bot itself is killed, ``bwrap`` has this long to notice."""
SIGNALLED = 128
"""``bwrap`` ends with this plus the number of the signal that ended the bot."""


def exit_words(code: int) -> str:
    """Return how a process ended, as ``subprocess`` tells it, in words: ``exit status 1``, ``signal SIGSEGV``."""
    return f"signal {_signal_name(-code)}" if code < 0 else f"exit status {code}"


def _signal_name(number: int) -> str:
    """Return the name of a signal; the number of a real-time one, of which all but the first and last have no name."""
    return signal.Signals(number).name if number in set(signal.Signals) else str(number)


class BotProcess:
    """One process of a bot, from its start to the end of its whole tree.

    Args:
        program: what to run.
        limits: sizes, and the sandbox level (``auto`` is resolved).
        address: what the bot dials, such as ``unix:///tmp/x/0.sock``.
        token: what it identifies itself with.
        mark: text in the environment of the bot and all its children, by which left-overs are found.
        log: where its output goes.
        on_exit: called in the loop once the process has ended.
        on_excess: called in the loop, once, with words, when the bot's tree uses more than its limits.

    Attributes:
        left_over: processes that had to be ended after the bot had ended by itself; 0 where none can outlive it.
        network_attempts: how often it tried to reach the network that it has not, as far as that shows.

    Raises:
        UsageError: when the program cannot be started at all.
    """

    def __init__(
        self,
        program: Program,
        limits: Limits,
        address: str,
        token: str,
        mark: str,
        log: CappedLog,
        on_exit: Callable[[], None],
        on_excess: Callable[[str], None],
    ) -> None:
        strays.adopt_orphans()
        self.program = program
        self.log = log
        self._mark = mark
        self._on_exit = on_exit
        self._on_excess = on_excess
        self._loop = asyncio.get_running_loop()
        self._gone = self._loop.create_future()
        self._scratch = tempfile.mkdtemp(prefix="arena-home-")
        self._watchdog = Watchdog(limits)
        self._time = usage.TreeTime()
        self._ending = asyncio.Lock()
        self._ended = False
        self._paused = False
        self._went_by_itself = True
        self.left_over = 0
        self.network_attempts = 0
        self._has_network = limits.network == "allow"
        self._looks = 0
        self._orphans: list[int] = []
        self._bot: tuple[int, int] | None = None
        try:
            self._start(program, limits, address, {"ARENA_TOKEN": token, MARK: mark})
        except (OSError, UsageError) as error:
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise UsageError(f"bot {program.name}: cannot start {program.command[0]}: {error}") from error

    def _start(self, program: Program, limits: Limits, address: str, added: dict[str, str]) -> None:
        starter = launcher(level_of(limits), limits)
        launch = starter.command(program, address, self._scratch, added)
        try:
            self._child = _spawn(launch)
        except OSError:
            if launch.tells_pid is not None:
                os.close(launch.tells_pid)
            raise
        finally:
            launch.close()
        strays.started.add(self._child.pid)
        uid = uid_of(self._child.pid) if launch.own_uid else NOBODY
        self._uid = None if uid == NOBODY else uid
        self._disk_inside = starter.disk
        self._tells_pid = launch.tells_pid
        self._watch()

    def _watch(self) -> None:
        os.setpriority(os.PRIO_PROCESS, self._child.pid, NICE)
        assert self._child.stdout is not None
        self._output = self._child.stdout.fileno()
        os.set_blocking(self._output, False)
        self._loop.add_reader(self._output, self._read)
        self._pidfd = os.pidfd_open(self._child.pid)
        self._loop.add_reader(self._pidfd, self._exited)
        self._told = b""
        if self._tells_pid is None:
            self._found(self._child.pid)
        else:
            self._loop.add_reader(self._tells_pid, self._told_pid)
        self._timer = self._loop.call_later(LOOK_S, self._look)

    def _found(self, pid: int) -> None:
        """Take notice of the bot's own process, which may be a child of what was started."""
        with suppress(ProcessLookupError):  # it has ended already
            self._bot = (pid, os.pidfd_open(pid))
            os.setpriority(os.PRIO_PROCESS, pid, NICE)
            self._time.look([pid])
        inside = self._disk_inside
        self._watchdog.disk = Disk(self._scratch) if inside is None else Disk(inside, pid)

    def _told_pid(self) -> None:
        assert self._tells_pid is not None
        data = os.read(self._tells_pid, READ_BYTES)
        self._told += data
        if self._bot is None and (told := OWN_PID.search(self._told)):
            self._found(int(told[1]))
        if not data:  # not before: who tells does not like to be interrupted
            self._hear_no_more()

    def _hear_no_more(self) -> None:
        if self._tells_pid is not None:
            self._loop.remove_reader(self._tells_pid)
            os.close(self._tells_pid)
            self._tells_pid = None

    def _read(self) -> None:
        with suppress(BlockingIOError):  # that was all for now
            data = os.read(self._output, READ_BYTES)
            self.log.add(data)
            if not data:
                self._loop.remove_reader(self._output)

    def _look(self) -> None:
        """Compare what the tree uses with the limits; ten times a second, until it ends or uses too much."""
        excess = ""
        try:
            excess = self._excess()
        finally:
            if not excess:  # also after an error of ours: no bot goes unwatched for it
                self._timer = self._loop.call_later(LOOK_S, self._look)
        if excess:
            self._on_excess(excess)

    def _excess(self) -> str:
        self.cpu_ns()
        if self._looks % STRAY_LOOKS == 0:
            self._look_for_strays()
        self._looks += 1
        excess = self._watchdog.excess([self._bot[0], *self._orphans]) if self._bot is not None else ""
        self._time.look(self._watchdog.seen)
        if self._paused:
            self._signal_tree(signal.SIGSTOP)  # also what has joined since
        return excess

    def _look_for_strays(self) -> None:
        if self._has_namespaces:
            self._count_attempts()
            return
        strays.end_nameless_orphans()
        self._orphans = strays.orphans(self._mark, self._uid)

    def _count_attempts(self) -> None:
        if self._bot is not None and self._has_namespaces and not self._has_network:
            self.network_attempts = max(self.network_attempts, usage.attempts_to_leave(self._bot[0]))

    def _exited(self) -> None:
        self.cpu_ns()
        self._timer.cancel()
        self._hear_no_more()
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        if self._bot is not None:
            os.close(self._bot[1])
            self._bot = None
        self._child.wait()
        strays.started.discard(self._child.pid)
        self._gone.set_result(None)
        self._on_exit()

    @property
    def _has_namespaces(self) -> bool:
        return self._disk_inside is not None

    @property
    def pid(self) -> int:
        """Process id of the bot itself; of what starts it while that is not known."""
        return self._bot[0] if self._bot is not None else self._child.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended yet."""
        return not self._gone.done()

    @property
    def status(self) -> str:
        """How the process ended, in words: ``exit status 1``, ``signal SIGSEGV``; ``running`` before."""
        code = self._child.returncode
        if code is None:
            return "running"
        if self._has_namespaces and code - SIGNALLED in set(signal.Signals):
            code = SIGNALLED - code
        return exit_words(code)

    def evidence(self) -> dict[str, Any]:
        """Return what is known of the process when it has broken the rules or ended: sizes are the most seen."""
        return {
            "status": self.status,
            "cpu_ms": self._time.known_ns // 1_000_000,
            "peak_mb": self._watchdog.peak_bytes >> 20,
            "peak_tasks": self._watchdog.peak_tasks,
        }

    def cpu_ns(self) -> int:
        """Return the processor time of the bot and its children so far, in nanoseconds.

        A child counts from the look, ten a second, that first sees it.
        """
        return self._time.now_ns()

    def queued_ns(self) -> int:
        """Return the time for which the threads of the process could have run but had no processor, in nanoseconds."""
        return sum(self.run_delays().values())

    def run_delays(self) -> dict[int, int]:
        """Return for how long each of its threads could have run but had no processor, in nanoseconds."""
        return usage.run_delays(self.pid)

    def ready(self) -> dict[int, int]:
        """Return its threads that run or could run, with the time for which each has run, in nanoseconds."""
        return usage.ready(self.pid)

    def pause(self) -> None:
        """Let the bot and its children compute nothing until ``resume``."""
        if self.alive:
            self._paused = True
            self._signal_tree(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the bot go on."""
        if self._paused and self.alive:
            self._signal_tree(signal.SIGCONT)
        self._paused = False

    def _signal_tree(self, number: signal.Signals) -> None:
        for pid in {self.pid, *self._watchdog.seen}:
            with suppress(ProcessLookupError):  # it may have ended by itself
                os.kill(pid, number)

    def kill(self) -> None:
        """End the process and its group at once; ``on_exit`` follows."""
        self._count_attempts()
        self._signal(signal.SIGKILL)

    async def end(self) -> None:
        """End the whole tree within two seconds: leave it time to go, then SIGTERM, then SIGKILL, then the strays.

        May be called again, also meanwhile; the log is complete when it returns. What has begun after the end may have
        the pid that the bot had, so nothing is looked for again then.
        """
        async with self._ending:
            if not self._ended:
                await self._end()

    async def _end(self) -> None:
        self.resume()
        self._count_attempts()
        for patience, number in ((LEAVE_S, signal.SIGTERM), (TERM_S, signal.SIGKILL)):
            if await self._wait(patience):
                break
            self._signal(number)
        if not await self._wait(KILLED_S):
            self._signal_group(signal.SIGKILL)
        await self._wait(None)
        self._sweep()
        self._ended = True
        self._watchdog.close()
        self._drain()
        await asyncio.to_thread(remove_tree, self._scratch)  # a bot may have left ten thousand files there

    def _drain(self) -> None:
        """Take what is left in the pipe, now that nobody writes any more, and close it."""
        self._loop.remove_reader(self._output)
        assert self._child.stdout is not None
        with suppress(BlockingIOError):  # somebody outside our reach still holds the other end
            while data := os.read(self._output, READ_BYTES):
                self.log.add(data)
        self._child.stdout.close()
        self.log.close()

    async def _wait(self, patience: float | None) -> bool:
        await asyncio.wait([self._gone], timeout=patience)
        return self._gone.done()

    def _signal(self, number: signal.Signals) -> None:
        """Signal the bot: alone where its end is that of all its processes, else with its group."""
        self._went_by_itself = False
        if self._bot is not None and self._has_namespaces:
            with suppress(ProcessLookupError):  # it may have ended by itself
                signal.pidfd_send_signal(self._bot[1], number)
        else:
            self._signal_group(number)

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # the group may have gone by itself
            os.killpg(self._child.pid, number)

    def _sweep(self) -> None:
        left = set() if self._has_namespaces else set(strays.orphans(self._mark, self._uid))
        self._signal_group(signal.SIGKILL)
        left.update(strays.end_nameless_orphans())
        if not self._has_namespaces:  # the first process of a pid namespace takes all others with it
            left.update(strays.end_uid(self._uid) if self._uid is not None else end_marked(self._mark))
            left.update(strays.end_nameless_orphans())
        if self._went_by_itself:
            self.left_over = max(self.left_over, len(left))


def _spawn(launch: Launch) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        launch.argv,
        cwd=launch.cwd,
        env=launch.env,
        pass_fds=launch.inherited,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
    )
