"""What processes have used so far, and what they have waited for: processor time, and networks that they have not."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from arena.players.watchdog import UNREADABLE, living_way

NO_ROUTE = ("OutNoRoutes", "Ip6OutNoRoutes")
"""Counters of the kernel, IPv4 and IPv6: something was to be sent to where no way leads (RFC 4293, OutNoRoutes)."""


class TreeTime:
    """Processor time of a tree of processes; what an ended one had used when it was last looked at stays counted."""

    def __init__(self) -> None:
        self._used_ns: dict[int, int] = {}
        self._ended_ns = 0

    def look(self, pids: Iterable[int]) -> None:
        """Take notice of which processes there are."""
        pids = set(pids)
        for pid in self._used_ns.keys() - pids:
            self._ended_ns += self._used_ns.pop(pid)
        for pid in pids:
            self._used_ns.setdefault(pid, 0)

    def now_ns(self) -> int:
        """Return what the processes that are known have used until now, in nanoseconds; a microsecond of work each."""
        for pid in self._used_ns:
            with suppress(OSError):  # it may have ended: what was last read stays true
                self._used_ns[pid] = time.clock_gettime_ns((~pid << 3) | 2)
        return self.known_ns

    @property
    def known_ns(self) -> int:
        """What was known to be used at the last reading."""
        return self._ended_ns + sum(self._used_ns.values())


def run_delays(pid: int) -> dict[int, int]:
    """Return for how long each thread of a process could have run but had no processor, in nanoseconds.

    The kernel adds a wait when it ends; what waits now is in ``ready``.
    """
    return {thread: delay for thread, _, delay in _threads(pid)}


def ready(pid: int) -> dict[int, int]:
    """Return the threads of a process that run or could run, with the time for which each has run, in nanoseconds.

    One that is here twice with the same time has waited for a processor in between.
    """
    return {thread: ran for thread, ran, _ in _threads(pid) if _is_ready(pid, thread)}


def _threads(pid: int) -> Iterator[tuple[int, int, int]]:
    """Yield (thread, time run, time waited for a processor), nanoseconds; nothing where the kernel does not count."""
    with suppress(*UNREADABLE):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(*UNREADABLE, ValueError):  # it has ended in the meantime
                with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                    ran, delay, _ = file.read().split()
                yield int(thread), int(ran), int(delay)


def _is_ready(pid: int, thread: int) -> bool:
    with suppress(*UNREADABLE), open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
        return file.read().rpartition(b") ")[2][:1] == b"R"
    return False


def attempts_to_leave(pid: int) -> int:
    """Return how often something in the network namespace of a process was to be sent where no way leads.

    In a namespace of its own without a network each such attempt is a bot's: a connection, a datagram, a name that was
    looked up.
    """
    way = living_way(pid)
    if not way:
        return 0
    found = 0
    with suppress(*UNREADABLE):
        with open(f"{way}/net/snmp", encoding="ascii") as file:
            names, values = [line.split() for line in file if line.startswith("Ip:")]
        found += int(values[names.index(NO_ROUTE[0])])
    with suppress(*UNREADABLE), open(f"{way}/net/snmp6", encoding="ascii") as file:
        found += sum(int(line.split()[1]) for line in file if line.startswith(f"{NO_ROUTE[1]} "))
    return found
