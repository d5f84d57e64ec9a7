"""A referee that follows a script: one bot process on a real stream, asked whatever a situation wants to ask.

Where a sitting plays games, the driver only sends and listens; what is expected of the bot is judged elsewhere. It
keeps the same clock as a sitting, so the times it reports are those that a league would charge. Time in which this
process stood still, stopped by its user or by a machine that slept, is charged to nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from types import MappingProxyType

from arena.errors import Termination
from arena.lab.relay import Relay
from arena.league.job import new_mark
from arena.players.base import Limits, Program
from arena.players.log import CappedLog
from arena.players.process import BotProcess
from arena.players.remote import Connection, End, Server, new_token
from arena.protocol.convert import Answer, Bundle, Hello
from arena.referee.clock import Key, ProcessClock, SeatClock

SETTLE_S = 0.15
"""How long the end of a process may come after the end of its stream, for the two to be one crash."""
REDIAL_S = 8.0
"""How long a bot has to dial again when the check broke its stream."""
RETURN_S = 2.5
"""The same when the stream broke by itself: less than any request waits, so that this is not called silence."""
BREAKS = 1
"""Broken streams that a league overlooks, in each sitting."""
LOOK_S = 0.25
"""How often a wait looks whether this process stood still."""
STALL_S = 0.1
"""A look that is less late than this was delayed as on any busy machine."""
LINES = 50
NO_REQUESTS: Mapping[Key, SeatClock] = MappingProxyType({})


@dataclass(slots=True)
class Reply:
    """What came of a list of requests.

    Attributes:
        answers: the first answer to each request.
        charges_ns: what a league would have charged each.
        messages: numbers of answers in each message.
        order: requests in the order in which they were answered.
        strays: answers to nothing that was open.
        missing: requests that were not answered.
        seconds: from the sending to the last answer.
        death: why no more can come, "" while the bot lives.
        broke: the stream broke since the last list, and the bot has dialled again: what is missing was lost.
    """

    answers: dict[Key, Answer] = field(default_factory=dict)
    charges_ns: dict[Key, int] = field(default_factory=dict)
    messages: list[int] = field(default_factory=list)
    order: list[Key] = field(default_factory=list)
    strays: list[Answer] = field(default_factory=list)
    missing: list[Key] = field(default_factory=list)
    seconds: float = 0.0
    death: str = ""
    broke: bool = False

    def add(self, later: Reply) -> None:
        """Add what came when the missing requests were sent again."""
        self.answers |= later.answers
        self.charges_ns |= later.charges_ns
        self.messages += later.messages
        self.order += later.order
        self.strays += later.strays
        self.missing, self.death = later.missing, later.death
        self.seconds += later.seconds


class Driver:
    """One process of a bot; a ``Listener`` of its stream.

    Args:
        program: what to run.
        limits: what its welcome says, and of its memory and disk.
        folder: where its socket file is made.

    Attributes:
        hello: its introduction, None before it has come.
        hello_s: seconds from its start to its introduction.
        hellos: introductions so far; more than one after a broken stream.
        word: the kind of fault that ended it, ``normal`` while nothing did.
        death: why it can be asked no more, in words; "" while it can.
        strangers: connections without its token.
        breaks: how often its stream broke by itself.
    """

    def __init__(self, program: Program, limits: Limits, folder: Path) -> None:
        self.program = program
        self.hello: Hello | None = None
        self.hello_s = 0.0
        self.hellos = 0
        self.word = Termination.NORMAL
        self.death = ""
        self.breaks = 0
        self._limits = limits
        self._folder = folder
        self._server = Server()
        self._token = ""
        self._relay: Relay | None = None
        self._connection: Connection | None = None
        self._cut: Connection | None = None
        self._clock = ProcessClock()
        self._due: dict[Key, SeatClock] = {}
        self._cancelled: dict[Key, SeatClock] = {}
        self._reply = Reply()
        self._returned = False
        self._changed = asyncio.Event()
        self._stalled_s = 0.0
        self._leaving = False
        self._log = CappedLog(None)

    # -- life ---------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the process and wait for its Hello, a failure, or the end of ``start_s``."""
        inside, outside = f"unix://{self._folder}/referee", self._folder / "bot"
        await self._server.start([inside])
        self._relay = Relay(outside, self._folder / "referee")
        await self._relay.start()
        self._token = token = new_token()
        self._server.expect(token, self)
        began = self._now()
        self.process = BotProcess(
            self.program,
            self._limits,
            f"unix://{outside}",
            token,
            new_mark(),
            self._log,
            self._exited,
            self._exceeds,
        )
        if not await self._until(lambda: self.hello is not None or bool(self.death), self._limits.start_s):
            self._fail(Termination.NO_SHOW, f"no Hello within {self._limits.start_s:g} s of its start")
        self.hello_s = self._now() - began

    def welcome(self) -> None:
        """Send the welcome with the limits."""
        limits = self._limits
        self.post(
            Bundle().welcome(
                move_ms=limits.move_ms,
                bank_ms=limits.bank_ms,
                increment_ms=limits.increment_ms,
                margin_ms=limits.margin_ms,
                game_ms=int(limits.game_s * 1000),
            )
        )

    async def refuse(self, words: str) -> None:
        """Refuse the bot, as a league would, and leave it time to read why."""
        self._leaving = True
        self.post(Bundle().refuse(words))
        if self._connection is not None:
            self._connection.close()
        await self._until(lambda: not self.process.alive, 1.0)

    async def goodbye(self, last: Bundle, patience_s: float) -> tuple[float, str]:
        """Say goodbye; return how long the process took to end, and how it ended (``running`` if it did not).

        Args:
            last: what is said with it.
            patience_s: how long it is waited for.
        """
        self._leaving = True
        began = self._now()
        self.post(last.goodbye("the check is over"))
        if self._connection is not None:
            self._connection.close()
        self._server.forget(self._token)
        await self._until(lambda: not self.process.alive, patience_s)
        return self._now() - began, self.process.status

    async def end(self) -> None:
        """End the process with its whole tree, and the server."""
        self._leaving = True
        self.process.kill()
        await self.process.end()
        if self._relay is not None:
            await self._relay.stop()
        await self._server.stop()

    async def break_stream(self) -> bool:
        """Break the connection under the stream once; return whether the bot has dialled in again with a Hello."""
        assert self._relay is not None
        before = self._let_go()
        self._relay.cut()
        return await self._dials_again(before, REDIAL_S)

    async def break_behind(self, bundle: Bundle, after_s: float, thought_s: float) -> Reply | None:
        """Send a bundle and break the connection behind it.

        Args:
            bundle: its answers meet a stream that is no more.
            after_s: how long after it the connection breaks; 0: at once.
            thought_s: how long the bot may think about it, before it has to see that the stream broke.

        Returns:
            The answers that came before the break, as strays; None if the bot has not dialled in again.
        """
        assert self._relay is not None
        self._reply = reply = Reply()
        self.post(bundle)
        before = self._let_go()
        await self._relay.cut_behind(RETURN_S, after_s)
        return reply if await self._dials_again(before, thought_s + REDIAL_S) else None

    def _let_go(self) -> int:
        """Take the end of the present stream for no fault; return the number of introductions until now."""
        self._connection, self._cut = None, self._connection
        return self.hellos

    async def _dials_again(self, before: int, patience_s: float) -> bool:
        has_returned = await self._until(lambda: self.hellos > before or bool(self.death), patience_s)
        self._returned = False
        return has_returned and not self.death

    @property
    def strangers(self) -> int:
        """Connections that were refused for their token."""
        return self._server.strangers

    def printed(self) -> str:
        """Return the last lines that the bot printed."""
        return self._log.last_lines(LINES)

    def _exited(self) -> None:
        if not self._leaving:
            self._fail(Termination.CRASH, f"the process ended with {self.process.status}")
        self._changed.set()

    def _exceeds(self, words: str) -> None:
        self._fail(Termination.RESOURCE, words)
        self.process.kill()

    def _fail(self, word: Termination, words: str) -> None:
        if not self.death:
            self.word, self.death = word, words
        self._connection = None
        self._changed.set()

    # -- asking -------------------------------------------------------------------------------------------------------

    def post(self, bundle: Bundle) -> None:
        """Send a bundle, if there is still a stream."""
        if self._connection is not None:
            self._connection.post(bundle)

    async def ask(
        self,
        bundles: Sequence[Bundle],
        clocks: Mapping[Key, SeatClock],
        patience_s: float,
        cancelled: Mapping[Key, SeatClock] = NO_REQUESTS,
    ) -> Reply:
        """Send bundles at once, and wait until every request is answered, the bot is gone or patience is over.

        Args:
            bundles: sent one after the other.
            clocks: the clock of each of their requests.
            patience_s: since the last answer.
            cancelled: the clocks of requests that need no answer, because the bundles end their games; an answer may
                come all the same, even later, and until then what stands behind them costs no time.
        """
        self._reply = reply = Reply()
        self._due = dict(clocks)
        self._cancelled.update(cancelled)
        self._clock = ProcessClock()
        await self._until(lambda: self._connection is not None or bool(self.death), RETURN_S)
        reply.broke, self._returned = self._returned, False
        began, stalled_s = self._now(), self._stalled_s
        for bundle in bundles:
            self.post(bundle)
        while self._due and not self.death and not self._returned:
            if not await self._until(partial(self._fewer_than, self._awaited), patience_s):
                break
            reply.seconds = self._now() - began
        reply.missing, self._due, reply.broke = list(self._due), {}, reply.broke or self._returned
        self._returned = False
        if stalled_ns := int((self._stalled_s - stalled_s) * 1e9):
            reply.charges_ns = {key: max(0, charge - stalled_ns) for key, charge in reply.charges_ns.items()}
        if self.death:
            await asyncio.sleep(SETTLE_S)
        reply.death = self.death
        return reply

    async def rest(self, seconds: float) -> list[Answer]:
        """Ask nothing for some time; return the answers that came all the same."""
        before = len(self._reply.strays)
        await self._until(lambda: bool(self.death), seconds)
        return self._reply.strays[before:]

    @property
    def _awaited(self) -> int:
        return len(self._due) + len(self._cancelled)

    def _fewer_than(self, awaited: int) -> bool:
        return self._awaited < awaited or bool(self.death) or self._returned

    async def _until(self, done: Callable[[], bool], patience_s: float) -> bool:
        """Wait until something is true, but no longer than this; return whether it is."""
        end = self._now() + patience_s
        while not done():
            self._changed.clear()
            began, look_s = monotonic(), min(LOOK_S, end - self._now())
            if look_s <= 0:
                return False
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), look_s)
            late_s = monotonic() - began - look_s
            self._stalled_s += late_s if late_s > STALL_S else 0.0
        return True

    def _now(self) -> float:
        """Return the time in seconds, less that in which this process stood still."""
        return monotonic() - self._stalled_s

    # -- the stream ---------------------------------------------------------------------------------------------------

    def on_hello(self, connection: Connection, hello: Hello) -> None:
        """Take the bot's introduction; one that has dialled again is welcomed again."""
        self._connection = connection
        self._returned = self.hello is not None
        self.hello = hello
        self.hellos += 1
        if self._returned:
            self.welcome()
        self._changed.set()

    def on_answers(self, answers: Sequence[Answer], now_ns: int) -> None:
        """Sort a list of answers into those that were wanted and the others."""
        self._reply.messages.append(len(answers))
        for answer in answers:
            key = (answer.game_id, answer.decision)
            charge_ns = self._clock.close(key, now_ns) if key in self._clock.open else 0
            if self._cancelled.pop(key, None) is not None:
                continue
            if self._due.pop(key, None) is None:
                self._reply.strays.append(answer)
                continue
            self._reply.answers[key] = answer
            self._reply.charges_ns[key] = charge_ns
            self._reply.order.append(key)
        self._changed.set()

    def on_sent(self, keys: Sequence[Key], now_ns: int) -> None:
        """Start the clocks."""
        for key in keys:
            clock = self._due.get(key) or self._cancelled.get(key)
            if clock is not None:
                self._clock.sent(key, clock, now_ns)

    def on_end(self, connection: Connection, end: End) -> None:
        """Take the end of the stream; whether the process ends, too, shows within moments."""
        if self._leaving or connection is self._cut:
            return
        self._connection = None
        if end.word is not Termination.DISCONNECT:
            self._fail(end.word, end.words)
            return
        may_return = end.may_return and self.hello is not None and self.breaks < BREAKS
        if end.may_return and self.hello is not None:
            self.breaks += 1
        asyncio.get_running_loop().call_later(RETURN_S if may_return else SETTLE_S, self._hung_up, end.words)

    def _hung_up(self, words: str) -> None:
        if not self._leaving and (self._connection is None or self.breaks > BREAKS):
            self._fail(Termination.DISCONNECT, words)
