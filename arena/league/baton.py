"""The baton: which bot of a sitting is asked next, and how many games run at once.

The bots of a sitting share the worker's core, so one bot at a time owes answers. When it has answered all, everything
that is pending for the bot with the longest queue goes out as one list: lists stay long although the bots take turns,
and nobody's clock runs while another computes (performance.md, "Trial of the design"). A bot that waits rather than
computes is served as soon as it owes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arena.league.job import AUTO
from arena.league.play import Play
from arena.league.seated import SAMPLES, Seated
from arena.referee.clock import MS

AUTO_MAX = 48
SLOW_NS = 5 * MS
"""Median processor time of a decision above which a bot is slow: only one game at a time is asked for then."""


class Baton:
    """Passes from bot to bot.

    Args:
        bots: by seat.
        in_flight: games at once, or ``AUTO``.
        race: the game's windows run for all seats at once, so all are asked at once, in one game at a time.
    """

    def __init__(self, bots: Sequence[Seated], in_flight: int, *, race: bool) -> None:
        self._bots = bots
        self._race = race
        self._grows = in_flight == AUTO and not race
        self._window = 1 if race or in_flight == AUTO else in_flight
        self._slow = False
        self._holder: Seated | None = None

    @property
    def window(self) -> int:
        """How many games may be open at once."""
        return min(self._window, *(bot.max_in_flight for bot in self._bots))

    def pass_on(self, games: Collection[Play]) -> None:
        """Serve the bots that wait rather than compute, and pass the baton when its holder owes nothing.

        Args:
            games: all that are open.
        """
        for bot in self._bots:
            if (bot.waits or self._race) and bot.can_be_asked and (plays := self._askable(bot, games)):
                _serve(bot, plays)
        if self._holder is not None and self._holder.owes:
            return
        queues = [(bot, self._askable(bot, games)) for bot in self._bots if bot.can_be_asked]
        self._holder, plays = max(queues, key=lambda item: len(item[1]), default=(None, []))
        if self._holder is not None and plays:
            _serve(self._holder, plays)

    def take_from(self, bot: Seated) -> None:
        """Take the baton from a bot that has ended."""
        if self._holder is bot:
            self._holder = None

    def _askable(self, bot: Seated, games: Collection[Play]) -> list[Play]:
        """Return the games in which a bot may be asked now."""
        if not bot.pending:
            return []
        if self._slow:
            lowest = min(play.number for play in games)
            return [play for play in bot.pending if play.number == lowest]
        return [min(bot.pending, key=lambda play: play.number)] if bot.one_by_one else bot.pending

    def adapt(self, bot: Seated) -> None:
        """Let more games run at once while all bots are quick; ask one game at a time once one is slow."""
        if not self._grows or self._slow:
            return
        if bot.median_cpu_ns > SLOW_NS:
            self._slow = True
        elif self._window < AUTO_MAX and sum(other.sampled for other in self._bots) >= SAMPLES * len(self._bots):
            self._window = min(AUTO_MAX, 2 * self._window)
            for other in self._bots:
                other.sampled = 0


def _serve(bot: Seated, plays: list[Play]) -> None:
    bot.pending = [play for play in bot.pending if play not in plays] if plays is not bot.pending else []
    bot.send(plays)
