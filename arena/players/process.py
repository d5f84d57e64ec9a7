"""A bot as a process: started without a shell, watched in the referee's own event loop, ended with its whole tree.

No ``preexec_fn`` and no fork of our own: a process with gRPC threads must not run Python between fork and exec, so
limits and the death signal come from an argv prefix (``setpriv``, ``prlimit``). A process's end is an event like its
answers: its pidfd is read by the same loop.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from arena.errors import UsageError
from arena.players.base import Limits, Program, environment
from arena.players.log import CappedLog

MARK = "ARENA_MARK"
NICE = 5
OPEN_FILES = 256
LEAVE_S = 0.5
TERM_S = 1.0
READ_BYTES = 1 << 16
HELPERS = ("setpriv", "prlimit")


def launch_prefix(limits: Limits) -> list[str]:
    """Return the argv prefix that sets the death signal and the limits of a bot.

    Raises:
        UsageError: when a program that it needs is missing.
    """
    missing = [name for name in HELPERS if shutil.which(name) is None]
    if missing:
        raise UsageError(f"{' and '.join(missing)} not found: install the package util-linux")
    setpriv, prlimit = (str(shutil.which(name)) for name in HELPERS)
    memory, disk = limits.memory_mb << 20, limits.disk_mb << 20
    sizes = [f"--data={memory}:{memory}", f"--fsize={disk}:{disk}", f"--nofile={OPEN_FILES}:{OPEN_FILES}"]
    return [setpriv, "--pdeathsig", "KILL", "--", prlimit, "--core=0:0", *sizes, "--"]


class BotProcess:
    """One process of a bot, from its start to the end of its whole tree.

    Args:
        program: what to run.
        limits: memory and disk sizes.
        address: what the bot dials, such as ``unix:///tmp/x/0.sock``.
        token: what it identifies itself with.
        mark: text in the environment of the bot and all its children, by which left-overs are found.
        log: where its output goes.
        on_exit: called in the loop once the process has ended.

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
    ) -> None:
        self.program = program
        self.log = log
        self._mark = mark
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._gone = self._loop.create_future()
        self._scratch = tempfile.mkdtemp(prefix="arena-home-")
        added = {"HOME": self._scratch, "ARENA_ADDRESS": address, "ARENA_TOKEN": token, MARK: mark}
        self._child = self._spawn([*launch_prefix(limits), *program.command], environment(program, added))
        self.pid = self._child.pid
        self._cpu_clock = (~self.pid << 3) | 2
        self._cpu_ns = 0
        self._ended = False
        self._watch()

    def _spawn(self, argv: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                argv,
                cwd=self.program.directory,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise UsageError(f"bot {self.program.name}: cannot start {argv[0]}: {error}") from error

    def _watch(self) -> None:
        os.setpriority(os.PRIO_PROCESS, self.pid, NICE)
        assert self._child.stdout is not None
        self._output = self._child.stdout.fileno()
        os.set_blocking(self._output, False)
        self._loop.add_reader(self._output, self._read)
        self._pidfd = os.pidfd_open(self.pid)
        self._loop.add_reader(self._pidfd, self._exited)

    def _read(self) -> None:
        with suppress(BlockingIOError):  # that was all for now
            data = os.read(self._output, READ_BYTES)
            self.log.add(data)
            if not data:
                self._loop.remove_reader(self._output)

    def _exited(self) -> None:
        self.cpu_ns()
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._child.wait()
        self._gone.set_result(None)
        self._on_exit()

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
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"

    def cpu_ns(self) -> int:
        """Return the processor time of the process so far, in nanoseconds; its children are not counted."""
        with suppress(OSError):  # the process may have ended: what was last read stays true
            self._cpu_ns = time.clock_gettime_ns(self._cpu_clock)
        return self._cpu_ns

    def queued_ns(self) -> int:
        """Return the time for which the threads of the process could have run but had no processor, in nanoseconds."""
        return sum(_run_delay_ns(task / "schedstat") for task in Path(f"/proc/{self.pid}/task").glob("*"))

    def kill(self) -> None:
        """End the process group at once; ``on_exit`` follows."""
        self._signal(signal.SIGKILL)

    async def end(self) -> None:
        """End the whole tree within two seconds: leave it time to go, then SIGTERM, then SIGKILL, then the strays.

        May be called again; the log is complete when it returns.
        """
        for patience, number in ((LEAVE_S, signal.SIGTERM), (TERM_S, signal.SIGKILL)):
            if await self._wait(patience):
                break
            self._signal(number)
        await self._wait(None)
        self._sweep()
        if not self._ended:
            self._ended = True
            self._drain()
            shutil.rmtree(self._scratch, ignore_errors=True)

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
        with suppress(ProcessLookupError):  # the group may have gone by itself
            os.killpg(self.pid, number)

    def _sweep(self) -> None:
        self._signal(signal.SIGKILL)
        end_marked(self._mark)


def _run_delay_ns(schedstat: Path) -> int:
    try:
        return int(schedstat.read_text().split()[1])
    except (OSError, IndexError, ValueError):
        # The thread has just ended, or this kernel does not count: nothing can be taken off then.
        return 0


def marked(mark: str) -> Iterator[int]:
    """Yield the pids of processes whose environment carries a mark that begins with this text."""
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                # It ended while we looked, or belongs to somebody else.
                continue
            if any(variable.startswith(wanted) for variable in variables):
                yield int(entry.name)


def end_marked(mark: str) -> list[int]:
    """Kill every process that carries this mark, and nothing else; return their pids."""
    ended = []
    for pid in marked(mark):
        if pid != os.getpid():
            with suppress(ProcessLookupError):  # it may have ended by itself
                os.kill(pid, signal.SIGKILL)
                ended.append(pid)
    return ended
