"""Attacks on this machine from inside a sandbox, with the referee's own way of starting, watching and ending bots."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.players.base import Limits, Program
from arena.players.log import CappedLog
from arena.players.process import BotProcess, end_marked, marked
from arena.players.scratch import make_folder, remove_tree
from arena.testing import attacks
from arena.testing.attacks import Target

LIMITS = Limits(memory_mb=160, processes=40, disk_mb=8)
"""Small, so that the attacks reach them soon."""
PATIENCE_S = 12.0
END_S = 2.5
ORPHANED_S = 3.0
POLL_S = 0.005


class Verdict(StrEnum):
    """What came of an attack."""

    BLOCKED = "blocked"
    DONE = "not blocked"
    UNTESTED = "cannot test"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack, and why."""

    verdict: Verdict
    words: str


@dataclass(frozen=True, slots=True)
class Ran:
    """The life of a bot that ran without a game.

    Attributes:
        output: what it printed.
        excess: the limit for which it was ended, "" if for none.
        ended: it ended by itself.
        status: how, in words.
        peak_mb: most memory that was seen.
        cpu_s: processor time of its first process.
        start_s: from its start to its first output; 0 if there was none.
        end_s: how long ending it and all its processes took.
        left: processes with its mark that were there after that.
    """

    output: str
    excess: str
    ended: bool
    status: str
    peak_mb: int
    cpu_s: float
    start_s: float
    end_s: float
    left: tuple[int, ...]


def attacker(*words: str) -> tuple[str, ...]:
    """Return the command of a bot that does as ``arena.testing.attacks`` is told by these words."""
    return (sys.executable, "-I", "-S", str(Path(attacks.__file__)), *words)


def run_bot(level: str, command: Sequence[str], limits: Limits = LIMITS, patience_s: float = PATIENCE_S) -> Ran:
    """Start a bot without a game, wait until it ends, exceeds a limit or says ``waiting``, then end it.

    Args:
        level: of the sandbox.
        command: of the bot.
        limits: of the bot; their level is replaced.
        patience_s: how long to wait.
    """
    with _sites() as (folder, address):
        program = Program("attacker", "", "", tuple(command), str(folder), (), "")
        return asyncio.run(_run(program, address, replace(limits, sandbox=level), patience_s))


async def _run(program: Program, address: str, limits: Limits, patience_s: float) -> Ran:
    over, log = asyncio.Event(), CappedLog(None)
    excess = ""

    def exceeded(words: str) -> None:
        nonlocal excess
        excess = words
        process.kill()

    began = time.monotonic()
    mark = f"{secrets.token_hex(8)}/"
    process = BotProcess(program, limits, address, secrets.token_hex(16), mark, log, over.set, exceeded)
    start_s = 0.0
    while not over.is_set() and time.monotonic() - began < patience_s and log.last_lines(1) != attacks.WAITING:
        if not start_s and log.last_lines(1):
            start_s = time.monotonic() - began
        await asyncio.sleep(POLL_S)
    ended = not process.alive and not excess
    began = time.monotonic()
    await process.end()
    end_s = time.monotonic() - began
    return Ran(
        output=log.last_lines(1000).removesuffix(attacks.WAITING).rstrip(),
        excess=excess,
        ended=ended,
        status=process.status,
        peak_mb=process.evidence()["peak_mb"],
        cpu_s=process.cpu_ns() / 1e9,
        start_s=start_s,
        end_s=end_s,
        left=tuple(marked(mark)),
    )


@contextmanager
def _sites() -> Iterator[tuple[Path, str]]:
    """A bot's folder and the address of a referee's socket, both below a folder that only its owner may enter."""
    folder = Path(make_folder("arena-siege-"))
    try:
        (folder / "bot").mkdir(mode=0o755)
        with closing(socket.socket(socket.AF_UNIX)) as referee:
            referee.bind(str(folder / "socket"))
            referee.listen()
            yield folder / "bot", f"unix://{folder}/socket"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def target() -> Iterator[Target]:
    """Something to attack: sockets of every kind that listen, and a file that everybody may read."""
    with ExitStack() as stack:
        folder = Path(make_folder("arena-target-"))
        stack.callback(remove_tree, folder)
        folder.chmod(0o755)
        (folder / "secret").write_text("secret")
        name = secrets.token_hex(8)
        kinds: list[tuple[int, int, Any]] = [
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
            (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket")),
        ]
        sockets = [stack.enter_context(closing(socket.socket(family, kind))) for family, kind, _ in kinds]
        for listener, (_, kind, address) in zip(sockets, kinds, strict=True):
            listener.bind(address)
            if kind is socket.SOCK_STREAM:
                listener.listen(len(kinds))
        (folder / "socket").chmod(0o777)
        ports = [listener.getsockname()[1] for listener in sockets[:2]]
        home, here = Path.home(), str(folder)
        entries = len(list(home.iterdir()))
        yield Target(os.getpid(), str(home), entries, f"{here}/secret", ports[0], ports[1], name, f"{here}/socket")


def besiege(level: str) -> dict[str, Outcome]:
    """Try every attack from inside a level; return what came of each, by name."""
    with target() as goal:
        ran = run_bot(level, attacker("tries", goal.as_argument()))
    outcomes = _tried(ran)
    for word, name in DEEDS.items():
        outcomes[name] = _judged(word, run_bot(level, attacker(word)))
    outcomes["leave a daemon"] = _daemon(level)
    outcomes["outlive the referee"] = _orphan(level)
    return outcomes


DEEDS = {
    "memory": "eat memory",
    "shared-memory": "eat shared memory",
    "memory-files": "eat memory as nameless files",
    "memory-of-children": "eat memory by children",
    "breed": "start processes without end",
    "fill-disk": "fill the disk",
    "stop": "be stopped by a tracer",
    "deaf": "ignore signals",
}
"""Attacks that may not return, by word, with the name under which they are reported."""


def _tried(ran: Ran) -> dict[str, Outcome]:
    outcomes = {name: Outcome(Verdict.UNTESTED, f"the attacker failed: {ran.output[-200:]}") for name in attacks.TRIES}
    for line in ran.output.splitlines():
        name, _, rest = line.partition("\t")
        done, _, words = rest.partition("\t")
        if name in outcomes:
            outcomes[name] = Outcome(Verdict.DONE if done == "done" else Verdict.BLOCKED, words)
    return outcomes


def _judged(word: str, ran: Ran) -> Outcome:
    if word in ("stop", "deaf"):
        verdict = Verdict.BLOCKED if ran.end_s < END_S else Verdict.DONE
        return Outcome(verdict, f"ended within {ran.end_s:.1f} s")
    if ran.excess:
        return Outcome(Verdict.BLOCKED, f"ended: {ran.excess}")
    if word == "breed":
        started = ran.output.rpartition(" ")[2]
        if started.isdigit() and int(started) <= LIMITS.processes:
            return Outcome(Verdict.BLOCKED, f"{started} and no more")
    elif ran.ended:
        return Outcome(Verdict.BLOCKED, f"ended with {ran.status}")
    return Outcome(Verdict.DONE, f"went on, with {ran.peak_mb} MB of memory")


def _daemon(level: str) -> Outcome:
    name = f"arena-daemon-{secrets.token_hex(4)}"
    ran = run_bot(level, attacker("daemon", name))
    left = _named(name)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if left:
        return Outcome(Verdict.DONE, "the process was left over")
    return Outcome(Verdict.BLOCKED, f"gone {ran.end_s:.1f} s after the end of the bot")


def _named(name: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if (entry / "cmdline").read_bytes().startswith(name.encode() + b"\0"):
                    found.append(int(entry.name))
    return found


def _orphan(level: str) -> Outcome:
    """Kill a referee whose bot ignores all signals; a process of its own plays the referee."""
    scratch = make_folder("arena-orphan-", room=48)  # of one that is killed nobody else would remove
    try:
        return _orphan_within(level, scratch)
    finally:
        remove_tree(scratch)


def _orphan_within(level: str, scratch: str) -> Outcome:
    mark = f"{secrets.token_hex(8)}/"
    command = [sys.executable, "-m", "arena.lab.siege", level, mark]
    referee = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": scratch})
    assert referee.stdout is not None
    with referee.stdout:
        told = referee.stdout.readline().decode().strip()
        referee.kill()
        referee.wait()
    if not told.isdigit():
        return Outcome(Verdict.UNTESTED, "the bot did not start")
    began = time.monotonic()
    while Path(f"/proc/{told}").exists() and not _is_dead(told):
        if time.monotonic() - began > ORPHANED_S:
            end_marked(mark)
            return Outcome(Verdict.DONE, f"the bot lived {ORPHANED_S:.0f} s after the referee")
        time.sleep(POLL_S)
    return Outcome(Verdict.BLOCKED, f"ended {time.monotonic() - began:.1f} s after the referee")


def _is_dead(pid: str) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    return True


async def _be_referee(level: str, mark: str) -> None:
    with _sites() as (bot, address):
        program = Program("attacker", "", "", attacker("deaf"), str(bot), (), "")
        limits = replace(LIMITS, sandbox=level)
        log = CappedLog(None)
        process = BotProcess(program, limits, address, "", mark, log, lambda: None, lambda _: None)
        while log.last_lines() != attacks.WAITING:
            await asyncio.sleep(POLL_S)
        print(process.pid, flush=True)
        await asyncio.sleep(attacks.FOR_EVER_S)


if __name__ == "__main__":
    try:
        asyncio.run(_be_referee(*sys.argv[1:]))
    except UsageError as error:
        sys.exit(str(error))
