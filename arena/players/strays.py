"""Processes that a bot leaves behind: found by what they cannot shed, and ended.

A child's own child may leave its session, its parent and its environment. Three things stay: the uid, where the bot has
one of its own; the pid namespace under ``bwrap``; and else that nothing in a bot's tree may gain new privileges, which
no process can undo. The referee's process adopts those whose parents have ended, so they are its children then.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.players.sandbox import MARK
from arena.players.watchdog import UNREADABLE, children, living_way, ways

PR_SET_CHILD_SUBREAPER = 36
ROUNDS, ROUND_S = 20, 0.001
"""A process that is being ended starts no more, so each round leaves fewer; a bound all the same.

One that is killed has to run once more before it is gone, for which each round leaves it time.
"""
EXEC_LOOKS = 20
EXEC_S = 0.001
"""So often, and so far apart, a process is looked at that is about to run another program."""
PF_EXITING, PF_KTHREAD = 0x4, 0x200000
"""Flags in ``/proc/<pid>/stat`` of what has no memory, and so no environment (Linux, ``include/linux/sched.h``)."""
FLAGS, END_CODE, ENV_START, ENV_END = 6, 24, 47, 48
"""Places in ``/proc/<pid>/stat`` behind the name: fields 9, 27, 50 and 51 of proc(5)."""


started: set[int] = set()
"""Children that this process has started as bots and waits for itself."""


@cache
def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def marked(mark: str) -> Iterator[int]:
    """Yield the pids of processes whose environment carries a mark that begins with this text."""
    yield from (pid for pid in _processes() if has_mark(pid, mark))


def has_mark(pid: int, mark: str) -> bool:
    """Whether the environment of a process carries a mark that begins with this text."""
    wanted = f"{MARK}={mark}".encode()
    return any(word.startswith(wanted) for word in _environment(pid).split(b"\0"))


def _environment(pid: int) -> bytes:
    """Return the environment of a process, as its program was given it."""
    for way in ways(pid):
        with suppress(*UNREADABLE):
            if environment := _environment_at(way):
                return environment
    return b""


def _environment_at(way: str) -> bytes:
    """Return what a thread shows of it.

    While a process runs ``execve``, the kernel shows none for some microseconds (more on a busy machine), though the
    program before it and the one after it carry the same mark.
    """
    for _ in range(EXEC_LOOKS):
        environment = Path(f"{way}/environ").read_bytes()
        if environment or not _is_to_have_environment(way):
            break
        time.sleep(EXEC_S)
    return environment


def _is_to_have_environment(way: str) -> bool:
    """Whether a thread is in ``execve`` or just out of it: not ended, not the kernel's own, not started without any.

    Where a program's code ends is the last that the kernel notes of a new program (``load_elf_binary``).
    """
    fields = Path(f"{way}/stat").read_text(errors="replace").rpartition(")")[2].split()
    if int(fields[FLAGS]) & (PF_EXITING | PF_KTHREAD):
        return False
    return fields[END_CODE] == "0" or fields[ENV_START] != fields[ENV_END]


def end_marked(mark: str) -> list[int]:
    """Kill every process that carries this mark, and nothing else; return their pids."""
    return _end_all(lambda pid: has_mark(pid, mark))


def end_uid(uid: int) -> list[int]:
    """Kill every process of a uid; return their pids."""
    return _end_all(lambda pid: _has_uid(pid, uid) and not _has_ended(pid))


def orphans(mark: str, uid: int | None) -> list[int]:
    """Return the adopted processes of one bot, as far as they have not ended: by its uid, else by its mark."""
    return [
        pid
        for pid in _adopted()
        if not _has_ended(pid) and (has_mark(pid, mark) or (uid is not None and _has_uid(pid, uid)))
    ]


def end_nameless_orphans() -> list[int]:
    """Kill the adopted processes of bots that have shed their mark, and take leave of adopted ones that have ended."""
    ended = []
    for pid in _adopted():
        if _has_ended(pid):
            with suppress(ChildProcessError):  # somebody else took leave of it
                os.waitpid(pid, os.WNOHANG)
        elif not has_mark(pid, ""):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                ended.append(pid)
    return ended


def _adopted() -> list[int]:
    """Return our children that are a bot's: we did not start them, and they may gain no privileges though we may."""
    if not _may_gain_privileges():
        return []
    return [pid for pid in children(os.getpid()) if pid not in started and _status(pid, "NoNewPrivs") == "1"]


@cache
def _may_gain_privileges() -> bool:
    return _status(os.getpid(), "NoNewPrivs") == "0"


def _end_all(belongs: Callable[[int], bool]) -> list[int]:
    """Kill processes until none is left that belongs; return their pids."""
    ended: set[int] = set()
    for _ in range(ROUNDS):
        found = {pid for pid in _processes() if belongs(pid)} - {os.getpid()}
        if not found:
            break
        for pid in found:
            with suppress(ProcessLookupError):  # it may have ended by itself
                os.kill(pid, signal.SIGKILL)
        ended |= found
        time.sleep(ROUND_S)
    return sorted(ended)


def _has_uid(pid: int, uid: int) -> bool:
    return _status(pid, "Uid").split()[:1] == [str(uid)]


def _has_ended(pid: int) -> bool:
    """Whether a process waits for nothing but its parent's leave."""
    return not living_way(pid)


def _status(pid: int, name: str) -> str:
    with suppress(*UNREADABLE):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith(f"{name}:"):
                return line.partition(":")[2].strip()
    return ""


def _processes() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())
