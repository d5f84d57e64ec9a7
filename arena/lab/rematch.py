"""A rematch: one bot, started as in a league, gets the requests of a stored game until it answers otherwise.

The process, its stream and its limits are the league's own (``arena.league.seated``); the other seats' actions and the
cards come from the record. Whatever the bot does that is not what was recorded ends the rematch: another action, an
answer that is late, a crash. So does the fault that was recorded, when it happens again.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any

from arena.errors import IllegalAction, Termination
from arena.games import Seat
from arena.league.again import decisions_of, job_again, open_again
from arena.league.case import Case
from arena.league.seated import Seated, Stage
from arena.players.base import Program
from arena.players.remote import Server
from arena.players.scratch import make_folder
from arena.protocol.convert import Answer
from arena.referee.clock import MS
from arena.referee.reenact import Decision

TICK_S = 0.010
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where the bot did not do what is recorded.

    Attributes:
        decision: requests to the seat before, None when the bot did not get that far.
        step: steps of the game before.
        legal: the legal actions.
        table: the table as the seat saw it, as text.
        recorded: what the bot did then.
        now: what it does now.
    """

    decision: int | None
    step: int | None
    legal: tuple[str, ...]
    table: str
    recorded: str
    now: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rematch ended.

    Attributes:
        equal: decisions that were answered as recorded.
        difference: the first that was not, None if there is none.
        repeated: the recorded fault that happened again, "" if none did.
        output: the last lines that the bot printed.
    """

    equal: int
    difference: Difference | None
    repeated: str
    output: str


def rematch(case: Case, seat: Seat, program: Program, *, clock: bool = True) -> Outcome:
    """Let a bot play its seat of a stored game again.

    Args:
        case: the game.
        seat: the seat that it takes.
        program: the bot.
        clock: hold it to the league's limits of time; without, it may stand still in a debugger.

    Raises:
        RecordError: when the record does not replay.
        UsageError: when the bot cannot be started.
    """
    return asyncio.run(Rematch(case, seat, program, clock=clock).play())


class Rematch:
    """One bot on one seat of a stored game; the host of a ``Seated``."""

    def __init__(self, case: Case, seat: Seat, program: Program, *, clock: bool) -> None:
        self._case, self._seat, self._clock = case, seat, clock
        self._job = job_again(case, {seat: program})
        self._play = open_again(case, self._job)
        self._decisions: Iterator[Decision] = decisions_of(case, self._play, seat)
        self._decision: Decision | None = None
        self._equal = 0
        self._difference: Difference | None = None
        self._repeated = ""
        self._done = asyncio.Event()
        self._failure: BaseException | None = None
        self._bot: Seated | None = None

    async def play(self) -> Outcome:
        """Start the bot, play until something differs or the game is over, and end the bot."""
        folder, server = make_folder("arena-"), Server()
        address = f"unix://{folder}/{self._seat}"
        ticker = asyncio.ensure_future(self._tick())
        try:
            await server.start([address])
            self._bot = bot = Seated(self._seat, self._job, self, server, address)
            bot.start()
            await ticker
        finally:
            ticker.cancel()
            if self._bot is not None:
                await self._bot.leave("the rematch is over")
            await server.stop()
            shutil.rmtree(folder, ignore_errors=True)
        if self._failure is not None:
            raise self._failure
        output = bot.process.log.last_lines() if bot.process else ""
        return Outcome(self._equal, self._difference, self._repeated, output)

    # -- what the bot does --------------------------------------------------------------------------------------------

    def on_ready(self, bot: Seated) -> None:
        """Ask the first question."""
        if bot.stage is Stage.READY and self._decision is None:
            self._next(bot)

    def on_list(self, bot: Seated, answers: Sequence[Answer], now_ns: int) -> None:
        """Compare answers to the open request; others are ignored, as in a league."""
        for answer in answers:
            key = (answer.game_id, answer.decision)
            if key in bot.asks and not self._done.is_set():
                allowance = self._play.clocks[self._seat].allowance_ns
                used = bot.close(key, now_ns)
                if self._clock and used > allowance:
                    self._ended(Termination.TIMEOUT, f"an answer after {used // MS} ms")
                else:
                    self._judge(bot, answer.action)

    def on_death(self, bot: Seated, word: Termination, words: str) -> None:
        """Compare the end of the process with what is recorded."""
        if not self._done.is_set():
            self._ended(word if bot.greeted else Termination.NO_SHOW, words)

    def on_failure(self, error: Exception) -> None:
        """End the rematch; what was wrong is told once the bot has been ended."""
        self._failure = self._failure or error
        self._done.set()

    async def _tick(self) -> None:
        while not self._done.is_set():
            await asyncio.sleep(TICK_S)
            if self._bot is not None and not self._done.is_set():
                self._look_at(self._bot, monotonic_ns())

    def _look_at(self, bot: Seated, now_ns: int) -> None:
        """Rule what takes too long; a broken stream that does not come back is one even without a clock."""
        limits = self._job.limits
        if bot.broken_since_ns is not None and now_ns - bot.broken_since_ns > limits.move_ms * MS:
            self._ended(Termination.DISCONNECT, "the stream broke and the bot did not come back")
        elif not self._clock or bot.broken_since_ns is not None:
            return
        elif bot.stage is Stage.STARTING and now_ns - bot.started_ns > limits.start_s * 1000 * MS:
            self._ended(Termination.NO_SHOW, f"no hello within {limits.start_s:g} s of its start")
        elif bot.clock.overdue(now_ns) is not None:
            self._ended(Termination.TIMEOUT, NO_ANSWER)

    # -- what follows -------------------------------------------------------------------------------------------------

    def _next(self, bot: Seated) -> None:
        self._decision = next(self._decisions, None)
        if self._decision is None:
            self._done.set()
        else:
            bot.send([self._play])

    def _judge(self, bot: Seated, action: str) -> None:
        """Compare an answer in time with the recorded one, and go on while they are equal."""
        decision = self._decision
        assert decision is not None
        if decision.fault is None:
            recorded, now = decision.action, self._canonical(action)
        else:
            evidence = self._evidence(decision)
            recorded = evidence.get("answer", str(decision.fault.word))
            now = action[:200] if "answer" in evidence else action
        if now != recorded:
            self._differs(self._recorded(decision), repr(action))
            return
        self._equal += 1
        if decision.fault is not None:
            self._repeated = f"{decision.fault.word}: {action!r} at decision {decision.number}"
        self._next(bot)

    def _canonical(self, action: str) -> str:
        table = self._play.table
        if action in table.legal(self._seat):
            return action
        try:
            return table.game.check(table.state, self._seat, action)
        except IllegalAction:
            return action

    def _ended(self, word: Termination, words: str) -> None:
        """Compare a fault other than an answer with the recorded one."""
        decision = self._decision
        if decision is not None and decision.fault is not None and decision.fault.word is word:
            self._repeated = f"{word}: {words} at decision {decision.number}"
            self._done.set()
        elif decision is None and self._case.record.terminations[self._seat] is word:
            self._repeated = f"{word}: {words}"
            self._done.set()
        else:
            self._differs(self._recorded(decision) if decision else "it came to the table", f"{word}: {words}")

    def _recorded(self, decision: Decision) -> str:
        if decision.fault is None:
            return repr(decision.action)
        words = self._evidence(decision).get("words", f"{decision.action!r} was played for it")
        return f"{decision.fault.word}: {words}"

    def _evidence(self, decision: Decision) -> dict[str, Any]:
        for found in self._case.trace.get("faults", ()):
            if (found.get("seat"), found.get("step")) == (self._seat, decision.step):
                return dict(found)
        return {}

    def _differs(self, recorded: str, now: str) -> None:
        decision, table = self._decision, self._play.table
        self._difference = Difference(
            decision.number if decision else None,
            decision.step if decision else None,
            table.legal(self._seat) if decision else (),
            table.game.render(table.state, (self._seat,)),
            recorded,
            now,
        )
        self._done.set()
