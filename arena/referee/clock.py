"""Clocks: whose time a millisecond is (design section 9).

A bot process answers many games, so it owns a queue of open requests in sending order. Only the oldest one runs: its
clock starts when all earlier ones are closed, or at its sending when none is open. Only an accepted answer or a ruling
closes a request; late, duplicate and unknown answers move no clock, and an answer out of turn is charged nothing and
gains nothing. All times here are nanoseconds of a monotonic clock that the caller passes in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.players.base import Limits

MS = 1_000_000
US = 1_000
Key = tuple[str, int]
"""(game id, decision): what names a request."""


@dataclass(slots=True)
class SeatClock:
    """The time of one seat in one game.

    Attributes:
        limits: the league's limits.
        bank_ns: what is left of the reserve.
        spent_ns: charged so far in this game.
        last_ns: charged for the last decision.
    """

    limits: Limits
    bank_ns: int = 0
    spent_ns: int = 0
    last_ns: int = 0

    def __post_init__(self) -> None:
        self.bank_ns = self.limits.bank_ms * MS

    @property
    def budget_ns(self) -> int:
        """Time for the next decision, bank included, margin not, and never more than the game has left."""
        left = int(self.limits.game_s * 1000) * MS - self.spent_ns
        return max(0, min(self.limits.move_ms * MS + self.bank_ns, left))

    @property
    def allowance_ns(self) -> int:
        """Time after which a decision is late: the budget and the margin."""
        return self.budget_ns + self.limits.margin_ms * MS

    @property
    def times(self) -> tuple[int, int, int]:
        """What a request says: budget and bank in milliseconds, the charge of the last decision in microseconds."""
        return self.budget_ns // MS, self.bank_ns // MS, self.last_ns // US

    @property
    def game_time_over(self) -> bool:
        """Whether the game's time is used up."""
        return self.spent_ns >= int(self.limits.game_s * 1000) * MS

    def charge(self, used_ns: int) -> None:
        """Take the time of one decision: first the move's own, then the bank's; then refill the bank."""
        limits = self.limits
        over = max(0, used_ns - limits.move_ms * MS)
        self.bank_ns = max(0, self.bank_ns - over)
        self.bank_ns = min(limits.bank_ms * MS, self.bank_ns + limits.increment_ms * MS)
        self.spent_ns += used_ns
        self.last_ns = used_ns


@dataclass(slots=True)
class ProcessClock:
    """The open requests of one process in sending order, and since when the oldest one runs.

    Attributes:
        open: the seat's clock by request.
        since_ns: when the oldest request's clock started; None while nothing is open or the clocks stand.
        standing: the process fell silent and its clocks stand until its next message.
    """

    open: dict[Key, SeatClock] = field(default_factory=dict)
    since_ns: int | None = None
    standing: bool = False

    def sent(self, key: Key, clock: SeatClock, now_ns: int) -> None:
        """Take a request that is being sent."""
        if not self.open and not self.standing:
            self.since_ns = now_ns
        self.open[key] = clock

    def elapsed(self, key: Key, now_ns: int) -> int:
        """Return the time of an open request so far: zero unless it is the oldest one."""
        if self.since_ns is None or key != next(iter(self.open)):
            return 0
        return now_ns - self.since_ns

    def close(self, key: Key, now_ns: int) -> int:
        """Close a request by an accepted answer or a ruling; return its time."""
        used = self.elapsed(key, now_ns)
        if key == next(iter(self.open)) and not self.standing:
            self.since_ns = now_ns
        del self.open[key]
        if not self.open:
            self.since_ns = None
        return used

    def overdue(self, now_ns: int) -> Key | None:
        """Return the oldest request when it is late, else None."""
        if self.since_ns is None or not self.open:
            return None
        key, clock = next(iter(self.open.items()))
        return key if now_ns - self.since_ns > clock.allowance_ns else None

    def stand(self) -> None:
        """Stop the clocks of what is open, until ``resume``."""
        self.standing, self.since_ns = True, None

    def resume(self, now_ns: int) -> None:
        """Let the oldest open request's clock start anew."""
        self.standing = False
        self.since_ns = now_ns if self.open else None

    def clear(self) -> list[Key]:
        """Close everything without charging, as when the process has died; return what was open."""
        keys = list(self.open)
        self.open.clear()
        self.since_ns, self.standing = None, False
        return keys
