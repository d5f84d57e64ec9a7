"""Lag canaries: whether this machine stalled while a decision was timed (design section 9).

The worker's own 10 ms timer is one canary: when it comes late, nothing in this process ran, and an answer may have lain
unread. The other looks at a bot from outside: the time for which the thread that waited longest could have run but was
given no processor, less what the bots of the sitting computed themselves. A verdict of ``host`` needs more than half
the margin of either. A third sign is the machine's sleep: the clock that counts it moves ahead of the one that does
not.

All times are nanoseconds of a monotonic clock that the caller passes in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from arena.referee.clock import MS, US

KEEP_NS = 120_000 * MS
SLEPT_NS = 1_000 * MS


@dataclass(frozen=True, slots=True)
class Load:
    """What a bot and the sitting had used at one moment.

    Attributes:
        at_ns: when.
        delays_ns: for how long each of the bot's threads was ready to run and had no processor, so far.
        own_ns: processor time of the bot itself so far.
        computed_ns: processor time of all bots of the sitting so far.
        referee_cpu_ns: processor time of the worker so far.
    """

    at_ns: int
    delays_ns: Mapping[int, int]
    own_ns: int
    computed_ns: int
    referee_cpu_ns: int


@dataclass(frozen=True, slots=True)
class Delay:
    """Where the time of one decision went, as far as this machine saw it; nanoseconds.

    Attributes:
        stalled_ns: the worker stood still.
        kept_ns: the bot was ready to run and got no processor, though no bot of the sitting had it.
        own_ns: the bot computed, with all its threads; None when it was not looked at in time.
    """

    stalled_ns: int
    kept_ns: int
    own_ns: int | None

    def evidence(self) -> dict[str, int]:
        """Return the parts for a trace, in microseconds."""
        parts = {"stalled_us": self.stalled_ns, "kept_us": self.kept_ns, "computed_us": self.own_ns}
        return {name: value // US for name, value in parts.items() if value is not None}


class Canary:
    """The worker's timer and the machine's sleep.

    Args:
        margin_ms: the league's margin; a stall counts from half of it.
        tick_ms: period of the timer.
    """

    def __init__(self, margin_ms: int, tick_ms: int) -> None:
        self.threshold_ns = margin_ms * MS // 2
        self._tick_ns = tick_ms * MS
        self._last_ns: int | None = None
        self._sleep_ns: int | None = None
        self._stalls: deque[tuple[int, int]] = deque()

    def tick(self, now_ns: int, sleep_ns: int) -> int:
        """Take a tick of the timer; return for how long the machine slept since the last one, 0 if it did not.

        Args:
            now_ns: the monotonic clock, which stands while the machine sleeps.
            sleep_ns: by how much a clock that counts sleep is ahead of it.
        """
        late = 0 if self._last_ns is None else now_ns - self._last_ns - self._tick_ns
        slept = 0 if self._sleep_ns is None else sleep_ns - self._sleep_ns
        self._last_ns, self._sleep_ns = now_ns, sleep_ns
        if late > self.threshold_ns:
            self._stalls.append((now_ns, late))
        while self._stalls and self._stalls[0][0] < now_ns - KEEP_NS:
            self._stalls.popleft()
        return slept if slept > SLEPT_NS else 0

    def stalled(self, since_ns: int, until_ns: int) -> int:
        """Return for how long the worker stood still within an interval; a tick that is overdue now counts, too."""
        found = sum(min(late, at - since_ns) for at, late in self._stalls if since_ns < at <= until_ns)
        if self._last_ns is not None and until_ns - self._last_ns - self._tick_ns > self.threshold_ns:
            found += until_ns - max(since_ns, self._last_ns)
        return found

    def delay(self, since_ns: int, until_ns: int, before: Load | None, now: Load | None) -> Delay:
        """Return where the time of a decision went.

        Args:
            since_ns: when the decision's clock started.
            until_ns: when it was ruled.
            before: the load at the start of the decision or shortly before, None if it was not looked at.
            now: the load at the ruling.
        """
        stalled = self.stalled(since_ns, until_ns)
        if before is None or now is None:
            return Delay(stalled, 0, None)
        return Delay(stalled, starved(before, now), now.own_ns - before.own_ns)

    def verdict(self, delay: Delay) -> str:
        """Return why a late decision was this machine's fault, or "" when it was the bot's."""
        if delay.stalled_ns > self.threshold_ns:
            return f"the worker stood still for {delay.stalled_ns // MS} ms of the decision"
        if delay.kept_ns > self.threshold_ns:
            return f"the bot was ready to run for {delay.kept_ns // MS} ms of the decision and got no processor"
        return ""


def starved(before: Load, now: Load) -> int:
    """Return for how long others kept a bot from computing: its waiting in the run queue, as far as no bot ran then.

    It is that of the thread which waited longest: a runtime has a dozen that wait beside each other and delay nothing.
    Bots that compute too much starve each other and themselves; that is not the machine's fault. Nor is it what the
    referee does with all that a bot sends: its time counts as the bot's, as far as the bot itself was busy meanwhile.
    """
    flooded = min(now.referee_cpu_ns - before.referee_cpu_ns, now.own_ns - before.own_ns)
    idle_of_bots = (now.at_ns - before.at_ns) - (now.computed_ns - before.computed_ns) - flooded
    waited = max((delay - before.delays_ns.get(thread, 0) for thread, delay in now.delays_ns.items()), default=0)
    return max(0, min(waited, idle_of_bots))
