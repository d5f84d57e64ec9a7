"""What a bot's tree of processes has used so far: processor time, and attempts to reach a network that it has not."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress

from arena.players.watchdog import UNREADABLE

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


def attempts_to_leave(pid: int) -> int:
    """Return how often something in the network namespace of a process was to be sent where no way leads.

    In a namespace of its own without a network each such attempt is a bot's: a connection, a datagram, a name that was
    looked up.
    """
    found = 0
    with suppress(*UNREADABLE):
        with open(f"/proc/{pid}/net/snmp", encoding="ascii") as file:
            names, values = [line.split() for line in file if line.startswith("Ip:")]
        found += int(values[names.index(NO_ROUTE[0])])
    with suppress(*UNREADABLE), open(f"/proc/{pid}/net/snmp6", encoding="ascii") as file:
        found += sum(int(line.split()[1]) for line in file if line.startswith(f"{NO_ROUTE[1]} "))
    return found
