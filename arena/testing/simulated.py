"""Sittings on a simulated machine: the real referee, bots that are coroutines, and a clock that jumps.

``simulate(seed)`` plays one sitting in which bots and machine do bad things at whatever moment they wait, all of it
drawn from the seed; minutes of silence take no time. The same seed is the same sitting again.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NoReturn

from arena.errors import Termination
from arena.league.job import AUTO, GameJob, Job, SittingEnd
from arena.league.sitting import Sitting
from arena.league.world import World
from arena.players.base import FaultPolicy, Limits, Program
from arena.players.remote import BROKEN, CLOSED, PROTOCOL, End
from arena.protocol.convert import Answer, Bundle, Hello
from arena.records.record import Finished, Void
from arena.seeds import derive
from arena.testing.bots import INSTEAD
from arena.v1 import arena_pb2

LIMITS = Limits(start_s=3, move_ms=400, margin_ms=150, sandbox="none")
FOR_EVER_S = 1e6
BOUND_S = 600.0
GARBAGE = End(Termination.PROTOCOL, "bytes that are no message", False)
NS = 1_000_000_000
Table = tuple[str, int, dict[str, Any]]
"""Game, seats, options."""
TABLES: tuple[Table, ...] = (
    ("no_thanks", 3, {"rounds": 1}),
    ("rainbow", 2, {}),
    ("rainbow", 3, {}),
)

MEANS = {
    "exit": {"crash"}, "hang": {"timeout"}, "delay": {"timeout"}, "break": {"disconnect"}, "return": {"disconnect"},
    "close": {"disconnect"}, "garbage": {"protocol"}, "excess": {"resource"}, "stray": {"protocol"},
    "illegal": {"illegal", "protocol"}, "empty": {"protocol"}, "malformed": {"protocol"}, "mute": {"timeout"},
    "twice": {"protocol"},
}  # fmt: skip
"""What a bot did → the words that its games may end with for it; a start that fails is a ``no-show``.

What is illegal in one game may be no action at all in another, which is a fault of protocol."""
MOMENTS = ("exit", "hang", "delay", "break", "return", "close", "garbage", "excess", "stray")
"""What may happen whenever a bot waits."""
SAYINGS = ("illegal", "empty", "malformed", "mute", "twice")
"""What may stand in the place of an answer."""


class Jumping(selectors.DefaultSelector):
    """A selector that does not wait: where nothing is ready, the clock jumps to when something is due."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready, or let the time pass."""
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everybody waits and nothing is due"
            self.now_s += max(0.0, timeout)
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on that clock."""

    def __init__(self) -> None:
        self.clock = Jumping()
        super().__init__(self.clock)

    def time(self) -> float:
        """Return the simulated time in seconds."""
        return self.clock.now_s


@dataclass
class Machine:
    """What all simulated bots of a sitting share.

    Attributes:
        loop: the loop with its clock.
        draw: everything that is left to chance.
        bad: seats that misbehave.
        share: how often they do, 0 to 1, whenever they could.
        done: by seat, what was done.
        listeners: who is told, by token.
        stalled_s: the longest time for which everything stood still.
        slept_s: for how long the machine slept.
        errors: what went wrong in the referee beside all that: nothing, always.
    """

    loop: JumpingLoop
    draw: Random
    bad: frozenset[int]
    share: float
    done: dict[int, set[str]] = field(default_factory=dict)
    listeners: dict[str, Any] = field(default_factory=dict)
    stalled_s: float = 0.0
    slept_s: float = 0.0
    errors: list[str] = field(default_factory=list)

    def now_ns(self) -> int:
        """Return the simulated time."""
        return int(self.loop.time() * NS)

    def world(self) -> World:
        """Return this machine as a sitting sees it."""
        return World(
            self.now_ns,
            lambda: self.now_ns() + int(self.slept_s * NS),
            lambda: 0,
            dict,
            lambda: Doorman(self),  # type: ignore[arg-type, return-value]
            lambda *words: Simulated(self, *words),  # type: ignore[arg-type]
        )

    async def trouble(self) -> NoReturn:
        """Let everything stand still, or the machine sleep, now and then."""
        while True:
            await asyncio.sleep(self.draw.uniform(0.05, 3))
            if self.draw.random() < 0.1:
                self.slept_s += self.draw.uniform(2, 1000)
            else:
                stall = self.draw.choice((0.03, 0.3, 1.0, 5.0))
                self.stalled_s = max(self.stalled_s, stall)
                self.loop.clock.now_s += stall


class Doorman:
    """The server: knows who is expected."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    async def start(self, addresses: list[str]) -> None:
        """Nothing needs to be bound."""

    async def stop(self) -> None:
        """Nothing needs to be let go."""

    def expect(self, token: str, listener: Any) -> None:
        """Let a bot with this token connect."""
        self._machine.listeners[token] = listener

    def forget(self, token: str) -> None:
        """Refuse this token from now on."""
        self._machine.listeners.pop(token, None)


class Stream:
    """The stream of a simulated bot, as ``Connection`` is that of a real one."""

    def __init__(self, machine: Machine, listener: Any, token: str) -> None:
        self.token = token
        self.inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._machine = machine
        self._listener = listener
        self._is_over = False

    def post(self, bundle: Bundle) -> None:
        """Send a bundle."""
        self._machine.loop.call_soon(self._write, bundle)

    def _write(self, bundle: Bundle) -> None:
        if self._is_over:
            return
        if bundle.keys:
            self._listener.on_sent(bundle.keys, self._machine.now_ns())
        self.inbox.put_nowait(bundle.data())

    def close(self) -> None:
        """End the stream once all that was posted is written."""
        self._machine.loop.call_soon(self._close)

    def _close(self) -> None:
        self._is_over = True
        self.inbox.put_nowait(None)

    def answer(self, answers: list[Answer]) -> None:
        """Let the referee have some answers."""
        if not self._is_over:
            self._listener.on_answers(answers, self._machine.now_ns())

    def end(self, end: End) -> None:
        """End the stream from the bot's side."""
        if not self._is_over:
            self._is_over = True
            self._listener.on_end(self, end)


class Simulated:
    """A bot's process, as ``BotProcess`` is a real one."""

    def __init__(
        self,
        machine: Machine,
        program: Program,
        limits: Limits,
        address: str,
        token: str,
        mark: str,
        log: Any,
        on_exit: Callable[[], None],
        on_excess: Callable[[str], None],
    ) -> None:
        self.log = log
        self.status = "running"
        self.left_over = self.network_attempts = 0
        self._machine = machine
        self._seat = int(program.name)
        self._token = token
        self._on_exit = on_exit
        self._on_excess = on_excess
        self._stream: Stream | None = None
        self._over: set[str] = set()
        self._told = asyncio.Event()
        self._task = asyncio.ensure_future(self._live())
        machine.done.setdefault(self._seat, set())

    # -- what the referee sees ----------------------------------------------------------------------------------------

    def cpu_ns(self) -> int:
        """Return no processor time: nobody computes."""
        return 0

    queued_ns = cpu_ns

    def run_delays(self) -> dict[int, int]:
        """Return the waiting of its one thread."""
        return {0: self.queued_ns()}

    def ready(self) -> dict[int, int]:
        """Return no threads: it has none."""
        return {}

    def pause(self) -> None:
        """Do nothing: between its turns a simulated bot waits for its stream."""

    resume = pause

    def evidence(self) -> dict[str, Any]:
        """Return how it ended."""
        return {"status": self.status}

    def kill(self) -> None:
        """End it at once."""
        self._exit("signal SIGKILL")

    async def end(self) -> None:
        """Leave it time to go, then end it."""
        if self.status == "running":
            await asyncio.wait([self._task], timeout=0.5)
        self.kill()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._told.wait()

    def _exit(self, status: str) -> None:
        if self.status != "running":
            return
        self.status = status
        self._task.cancel()
        later = self._machine.loop.call_later
        later(self._machine.draw.random() * 0.01, self._tell_exit)
        if self._stream is not None:
            later(self._machine.draw.random() * 0.01, self._stream.end, BROKEN)

    def _tell_exit(self) -> None:
        self._told.set()
        self._on_exit()

    # -- what it does -------------------------------------------------------------------------------------------------

    async def _live(self) -> None:
        await self._wait(self._machine.draw.uniform(0.05, 0.5))
        self._dial()
        while (data := await self._hear()) is not None:
            response = arena_pb2.PlayResponse.FromString(data)
            self._keep_count(response)
            await self._wait(0.0005)
            answers: list[Answer] = []
            for request in response.requests:
                await self._wait(0.005)
                answers += self._say(request)
            if answers and self._stream is not None:
                self._stream.answer(answers)
            await self._wait(0)
        self._exit("exit status 0")

    def _keep_count(self, response: arena_pb2.PlayResponse) -> None:
        """Note it as an error of the referee's when it speaks of a game that it has told to be over."""
        named = [item.game_id for items in (response.new_games, response.requests) for item in items]
        self._over.update(over.game_id for over in response.game_overs)
        self._machine.errors += [f"{game_id} goes on after its end" for game_id in named if game_id in self._over]

    def _dial(self) -> None:
        listener = self._machine.listeners.get(self._token)
        if listener is None:
            self._exit("exit status 1")
            self._stream = Stream(self._machine, None, self._token)
            return
        self._stream = Stream(self._machine, listener, self._token)
        listener.on_hello(self._stream, HELLO)

    async def _hear(self) -> bytes | None:
        assert self._stream is not None
        return await self._stream.inbox.get()

    def _is_time(self) -> bool:
        return self._seat in self._machine.bad and self._machine.draw.random() < self._machine.share

    async def _wait(self, seconds: float) -> None:
        """Wait; a bad bot may do something bad then."""
        await asyncio.sleep(seconds)
        if self._is_time():
            await self._misbehave(self._machine.draw.choice(MOMENTS))

    async def _misbehave(self, deed: str) -> None:
        self._machine.done[self._seat].add(deed)
        if deed == "exit":
            self._exit("exit status 3")
        elif deed == "excess":
            self._on_excess("999 MB of memory")
        elif deed == "delay":
            await asyncio.sleep(self._machine.draw.random() * 1.5)
            return
        elif self._stream is not None and self._act_on(self._stream, deed):
            return
        await asyncio.sleep(FOR_EVER_S)

    def _act_on(self, stream: Stream, deed: str) -> bool:
        """Do something with the stream; return whether the bot lives on as if nothing had been."""
        if deed == "stray":
            stream.answer([Answer("game-000", 999, "take", "")] * self._machine.draw.randint(1, 12))
        elif deed == "return":
            stream.end(BROKEN)
            self._dial()
        elif deed in ENDS:
            stream.end(ENDS[deed])
        return deed in ("stray", "return")

    def _say(self, request: arena_pb2.Request) -> list[Answer]:
        draw = self._machine.draw
        said = Answer(request.game_id, request.decision, draw.choice(request.legal_actions), "")
        if not self._is_time():
            return [said]
        deed = draw.choice(SAYINGS)
        self._machine.done[self._seat].add(deed)
        if deed in INSTEAD:
            return [said._replace(action=INSTEAD[deed])]
        return [said, said] if deed == "twice" else []


ENDS = {"break": BROKEN, "close": CLOSED, "garbage": GARBAGE}
HELLO = Hello(protocol=PROTOCOL, games=(), max_in_flight=64, wants_events=False, sdk="simulated")


@dataclass(frozen=True)
class Simulation:
    """What came of a sitting on a simulated machine, and what happened there."""

    job: Job
    machine: Machine
    finished: list[Finished]
    voids: list[Void]
    ends: list[SittingEnd]
    seconds: float


Trouble = Callable[[Machine], Coroutine[Any, Any, NoReturn]]


def simulate(seed: int, table: Table | None = None, trouble: Trouble | None = None) -> Simulation:
    """Play the sitting of a seed.

    Args:
        seed: of everything that is left to chance.
        table: game, seats and options; drawn if not given.
        trouble: what the machine does beside; whether it is the usual is drawn if not given.
    """
    draw = Random(seed)
    drawn = draw.choice(TABLES)
    game, seats, options = table or drawn
    bad = frozenset(seat for seat in range(seats) if draw.random() < 0.5)
    programs = tuple(Program(str(seat), "1", "", ("bot",), "/", (), "0" * 64) for seat in range(seats))
    games = tuple(
        GameJob(f"game-{deal:03}", deal, derive(b"simulated", deal), (deal,) * seats)
        for deal in range(draw.randint(1, 4))
    )
    job = Job(game, options, programs, games, LIMITS, FaultPolicy(), draw.choice((AUTO, 1, 3)))
    share, is_troubled = draw.choice((0.003, 0.02, 0.1)), draw.random() < 0.3
    if trouble is None and is_troubled:
        trouble = Machine.trouble
    machine = Machine(JumpingLoop(), draw, bad, share)
    return play_on(machine, job, machine.world(), trouble)


def play_on(machine: Machine, job: Job, world: World, trouble: Trouble | None = None) -> Simulation:
    """Play a sitting on a simulated machine.

    Args:
        machine: where.
        job: what.
        world: the machine as the sitting sees it.
        trouble: what the machine does beside; None if nothing.
    """
    machine.loop.set_exception_handler(lambda _, context: machine.errors.append(str(context)))

    async def collect() -> list[Finished | Void | SittingEnd]:
        beside = asyncio.ensure_future(trouble(machine)) if trouble is not None else None
        try:
            return [item async for item in Sitting(job, world=world).play()]
        finally:
            if beside is not None:
                beside.cancel()

    with asyncio.Runner(loop_factory=lambda: machine.loop) as runner:
        items = runner.run(asyncio.wait_for(collect(), BOUND_S))
        seconds = machine.loop.time()
    return Simulation(
        job,
        machine,
        [item for item in items if isinstance(item, Finished)],
        [item for item in items if isinstance(item, Void)],
        [item for item in items if isinstance(item, SittingEnd)],
        seconds,
    )
