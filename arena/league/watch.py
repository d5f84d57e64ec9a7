"""The watch: looks at all clocks of a sitting every 10 ms, and at this machine while it does.

Deadlines cost nothing per decision this way, and a look that comes late is itself the sign of a stall.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from arena.errors import Termination
from arena.games import Seat
from arena.league.seated import Seated, Stage
from arena.league.world import World
from arena.players.base import Limits
from arena.referee.canary import Canary, Delay, Load
from arena.referee.clock import MS, Key

TICK_S = 0.010
LOAD_TICKS = 10
PRESENT = 0
"""Stands for the thread that waits now: the kernel counts its wait once that has ended. No thread has this number."""
PATIENCE_NS = 1_000 * MS
"""For how long a ruling waits at most for threads that could run and do not."""


@dataclass(slots=True)
class _Wait:
    """A ruling that waits: about what, since when, and the threads that were ready at the last look."""

    what: Hashable
    since_ns: int
    ready: dict[int, int]


class Watch:
    """Looks at the bots of a sitting; stops those that fail to start, come back or speak again.

    Args:
        bots: by seat.
        limits: of the league.
        world: its clocks.
        on_slept: is told in words that the machine slept.
        on_overdue: is told of a bot, a request of it that is late, and the time (ns).
    """

    def __init__(
        self,
        bots: Sequence[Seated],
        limits: Limits,
        world: World,
        on_slept: Callable[[str], None],
        on_overdue: Callable[[Seated, Key, int], None],
    ) -> None:
        self._bots = bots
        self._limits = limits
        self._world = world
        self._on_slept = on_slept
        self._on_overdue = on_overdue
        self._waits: dict[Seat, _Wait] = {}
        self._canary = Canary(limits.margin_ms, round(TICK_S * 1000))

    async def keep(self) -> None:
        """Look until cancelled."""
        ticks = 0
        while True:
            await asyncio.sleep(TICK_S)
            self._look(self._world.now_ns(), with_load=ticks % LOAD_TICKS == 0)
            ticks += 1

    def delay(self, bot: Seated, key: Key, used_ns: int, now_ns: int) -> Delay:
        """Return where the time of the decision went that was closed now."""
        load, wait = self._load(bot, now_ns), self._waits.get(bot.seat)
        if wait is not None and wait.what == key and now_ns - wait.since_ns >= PATIENCE_NS:
            load = replace(load, delays_ns={**load.delays_ns, PRESENT: now_ns - wait.since_ns})
        return self._canary.delay(now_ns - used_ns, now_ns, bot.before, load)

    def excuse(self, delay: Delay) -> str:
        """Return why a late decision is this machine's fault, "" when it is the bot's."""
        return self._canary.verdict(delay)

    def _look(self, now_ns: int, *, with_load: bool) -> None:
        slept = self._canary.tick(now_ns, self._world.boot_ns() - now_ns)
        if slept:
            self._on_slept(f"the machine slept for {slept // MS} ms")
        for bot in self._bots:
            if with_load and bot.stage in (Stage.STARTING, Stage.READY):
                bot.note(self._load(bot, now_ns))
            self._look_at(bot, now_ns)

    def _load(self, bot: Seated, now_ns: int) -> Load:
        delays, own = (bot.process.run_delays(), bot.process.cpu_ns()) if bot.process else ({}, 0)
        computed = sum(other.process.cpu_ns() for other in self._bots if other.process)
        return Load(now_ns, delays, own, computed, self._world.cpu_ns())

    def _must_wait(self, bot: Seated, what: Hashable, now_ns: int) -> bool:
        """Whether a ruling must wait for a moment: a thread of the bot or of this worker could run and does not.

        It may be the one that has, or brings, the answer; and only once it runs the kernel adds up for how long it
        could not. One that runs all the time does not hold up anything.
        """
        ready = self._world.ready() | (bot.process.ready() if bot.process else {})
        wait = self._waits.get(bot.seat)
        if wait is None or wait.what != what:
            self._waits[bot.seat] = _Wait(what, now_ns, ready)
            return bool(ready)
        if not any(wait.ready.get(thread) == ran for thread, ran in ready.items()):
            return False
        wait.ready = ready
        return now_ns - wait.since_ns < PATIENCE_NS

    def _look_at(self, bot: Seated, now_ns: int) -> None:
        limits = self._limits
        if bot.stage is Stage.STARTING:
            self._look_at_start(bot, now_ns)
        if bot.broken_since_ns is not None and now_ns - bot.broken_since_ns > (limits.move_ms + limits.margin_ms) * MS:
            bot.stop_for(Termination.DISCONNECT, "the stream broke and the bot did not come back within a decision")
        while (key := bot.clock.overdue(now_ns)) is not None and not self._must_wait(bot, key, now_ns):
            self._on_overdue(bot, key, now_ns)
        is_silent = bot.silent_since_ns is not None and now_ns - bot.silent_since_ns > limits.move_ms * MS
        if is_silent and not self._must_wait(bot, bot.silent_since_ns, now_ns):
            bot.stop_for(Termination.TIMEOUT, f"silent for another {limits.move_ms} ms after a late decision")

    def _look_at_start(self, bot: Seated, now_ns: int) -> None:
        """End a process that has not said Hello in time; time in which it could not run is given back."""
        if bot.is_awaited:
            return
        limit_ns = int(self._limits.start_s * 1000) * MS
        if now_ns - bot.started_ns < limit_ns:
            return
        delay = self._canary.delay(bot.started_ns, now_ns, bot.first, self._load(bot, now_ns))
        if now_ns - bot.started_ns > limit_ns + max(delay.stalled_ns, delay.kept_ns):
            bot.stop_for(Termination.NO_SHOW, f"no hello within {self._limits.start_s:g} s of its start")
