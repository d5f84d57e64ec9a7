"""What a sitting takes from outside: the clock, the server that bots dial, and how a bot's process is started.

``REAL`` is what leagues use. A test hands in others, and plays thousands of sittings with simulated bots in no time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from threading import get_native_id
from time import CLOCK_BOOTTIME, clock_gettime_ns, monotonic_ns, process_time_ns

from arena.players.process import BotProcess
from arena.players.remote import Server
from arena.players.usage import ready as ready_of


def boot_ns() -> int:
    """Return the clock that goes on while the machine sleeps, in nanoseconds."""
    return clock_gettime_ns(CLOCK_BOOTTIME)


def ready() -> dict[int, int]:
    """Return this process's other threads that run or could run, with the time for which each has run."""
    found = ready_of(os.getpid())
    found.pop(get_native_id(), None)
    return found


@dataclass(frozen=True, slots=True)
class World:
    """Where a sitting is played.

    Attributes:
        now_ns: the monotonic clock, which stands while the machine sleeps, in nanoseconds.
        boot_ns: the clock that goes on then, in nanoseconds.
        cpu_ns: processor time of the referee's process so far, in nanoseconds.
        ready: its other threads that run or could run, with the time for which each has run, in nanoseconds.
        server: makes what bots dial.
        process: starts a bot; takes and offers what ``BotProcess`` does.
    """

    now_ns: Callable[[], int] = monotonic_ns
    boot_ns: Callable[[], int] = boot_ns
    cpu_ns: Callable[[], int] = process_time_ns
    ready: Callable[[], dict[int, int]] = ready
    server: Callable[[], Server] = Server
    process: Callable[..., BotProcess] = BotProcess


REAL = World()
