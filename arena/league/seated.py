"""One bot on its seat for a sitting: its process, its stream, its open requests, and what waits to be sent."""

from __future__ import annotations

import asyncio
import statistics
from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Any, Protocol

from arena.errors import Termination
from arena.games import Seat
from arena.league.guard import guarded
from arena.league.job import Job
from arena.league.names import file_name
from arena.league.play import Play
from arena.league.world import REAL, World
from arena.players.log import CappedLog, escaped
from arena.players.process import BotProcess
from arena.players.remote import OR_TOO_LONG, PROTOCOL, Connection, End, Server, new_token
from arena.protocol.convert import Answer, Bundle, Hello
from arena.records.record import Conduct
from arena.referee.canary import Load
from arena.referee.clock import MS, Key, ProcessClock

IN_FLIGHT_MAX = 64
NOTE_MAX = 500
EVIDENCE_LINES = 50
BREAK_S = 0.1
"""How long the end of a process may come after the end of its stream, for the two to be one crash."""
SAMPLES = 20
WAITS_NS = MS
"""A bot whose decisions take longer than this and mostly without computing is waiting for something."""
WAITS_SHARE = 0.25


class Stage(Enum):
    """Where a bot is in its life."""

    STARTING = auto()
    READY = auto()
    LEAVING = auto()
    GONE = auto()


class Host(Protocol):
    """What a seated bot tells its sitting."""

    def on_ready(self, bot: Seated) -> None:
        """Take notice that the bot has said Hello, or will not."""
        ...

    def on_list(self, bot: Seated, answers: Sequence[Answer], now_ns: int) -> None:
        """Take a list of answers."""
        ...

    def on_death(self, bot: Seated, word: Termination, words: str) -> None:
        """Take notice that the process has ended without leave, or must be ended."""
        ...

    def on_failure(self, error: Exception) -> None:
        """Take notice of an error of our own, or of the game's, while something was done about the bot."""
        ...


class Seated:
    """A bot on a seat; a ``Listener`` of its stream.

    Attributes:
        seat: the seat.
        stage: where it is in its life.
        clock: its open requests.
        asks: the game of every open request.
        pending: games in which it must be asked, in the order in which they became due.
        unanswered: requests that were ruled late and are still unanswered.
        no_shows: failed starts that have not cost a game yet.
        failed_starts: starts in a row that came to nothing: no hello, or an end before it was asked anything.
        failure: why the last start came to nothing.
        failure_seen: what was seen of its process then.
        declared: games that it says it can play; empty is all.
        greeted: the present process has said Hello.
        benched: asked no more in this sitting.
        one_by_one: restarted after a death: gets one request at a time.
        waits: it waits rather than computes, so others may run beside it.
        silent_since_ns: since when its clocks stand, None while it speaks.
        broken_since_ns: since when it has no stream though its process lives and may dial again.
        reconnected: it has done so once in this sitting.
        first: what its process and the sitting had used when that was noted first.
        latest: the same when it was noted last, every tenth of a second.
        before: what was the latest when the clock of the request started that was last closed.
    """

    def __init__(
        self, seat: Seat, job: Job, host: Host, server: Server | None, address: str, world: World = REAL
    ) -> None:
        self.seat = seat
        self.program = job.programs[seat]
        self.stage = Stage.GONE
        self.clock = ProcessClock()
        self.asks: dict[Key, Play] = {}
        self.pending: list[Play] = []
        self.unanswered: set[Key] = set()
        self.last_play: Play | None = None
        self.no_shows = 0
        self.failed_starts = 0
        self.failure = ""
        self.failure_seen: dict[str, Any] = {}
        self.declared: tuple[str, ...] = ()
        self.starts = 0
        self.greeted = False
        self._was_asked = False
        self.benched = False
        self.one_by_one = False
        self.waits = False
        self.last_message_ns = 0
        self.started_ns = 0
        self.silent_since_ns: int | None = None
        self.broken_since_ns: int | None = None
        self.reconnected = False
        self.first: Load | None = None
        self.latest: Load | None = None
        self.before: Load | None = None
        self._at_start: Load | None = None
        self.max_in_flight = IN_FLIGHT_MAX
        self.lists = 0
        self.charges_us: list[int] = []
        self.cpu_before_ns = 0
        self._conduct = Conduct()
        self._ended_cpu_ns = 0
        self._resting: tuple[int, int] | None = None
        self._samples: deque[tuple[int, int]] = deque(maxlen=SAMPLES)
        self.sampled = 0
        self.sampled_ever = 0
        self._wall_ns = 0
        self._suspected: tuple[int, int, int] | None = None
        self._job = job
        self._host = host
        self._server = server
        self._world = world
        self._address = address
        self._token = ""
        self._told: set[str] = set()
        self._next = Bundle()
        self._events = False
        self._connection: Connection | None = None
        self.process: BotProcess | None = None

    # -- life ---------------------------------------------------------------------------------------------------------

    def on_failure(self, error: Exception) -> None:
        """Hand on a failure of ours."""
        self._host.on_failure(error)

    def start(self) -> None:
        """Start a fresh process; ``on_ready`` of the host follows."""
        self._add_up()
        self.starts += 1
        self.stage = Stage.STARTING
        self.greeted = self._was_asked = False
        self.started_ns = self._world.now_ns()
        self._told, self._next = set(), Bundle()
        self.unanswered.clear()
        self.silent_since_ns = self.broken_since_ns = None
        self.first = self.latest = self.before = self._at_start = None
        self.cpu_before_ns = 0
        self._suspected = None
        self._launch()

    @property
    def is_awaited(self) -> bool:
        """Whether its Hello is awaited without limit."""
        return False

    def _launch(self) -> None:
        """Start the process that will say Hello."""
        assert self._server is not None
        self._token = new_token()
        self._server.expect(self._token, self)
        mark = f"{self._job.mark}{self.seat}-{self.starts}-{file_name(self.program.name)}/"
        self.process = self._world.process(
            self.program,
            self._job.limits,
            self._address,
            self._token,
            mark,
            self._log(),
            self._exited,
            lambda words: self.stop_for(Termination.RESOURCE, words),
        )

    def _log(self) -> CappedLog:
        if self._job.logs is None:
            return CappedLog(None)
        first = f"deal{self._job.games[0].deal}-{self._job.games[0].game_id}" if self._job.games else "hello"
        name = f"{first}-seat{self.seat}-{self.starts}.log"
        return CappedLog(Path(self._job.logs) / file_name(self.program.name) / name)

    async def leave(self, words: str) -> None:
        """Say what is left to say and goodbye, and end the process with its whole tree."""
        self._wake()
        self.stage = Stage.LEAVING
        if self._connection is not None:
            self._connection.post(self._bundle().goodbye(words))
            self._connection.close()
        await self._end()

    async def _end(self) -> None:
        if self._server is not None:
            self._server.forget(self._token)
        if self.process is not None:
            process, self._connection = self.process, None
            await process.end()
        if self.stage is Stage.LEAVING:
            self.stage = Stage.GONE

    async def bury(self) -> None:
        """End what is left of a dead process."""
        if self.process is not None:
            await self._end()

    @guarded
    def _exited(self) -> None:
        if self.stage in (Stage.STARTING, Stage.READY):
            assert self.process is not None
            self._die(Termination.CRASH, f"the process ended with {self.process.status}")

    def _die(self, word: Termination, words: str) -> None:
        self._wake()
        self.stage = Stage.GONE
        self._connection = None
        if self.process is not None and not self._was_asked:
            self.greeted = False  # else it would be started again and again, for nothing, while others think
        self._host.on_death(self, word, words)

    @guarded
    def stop_for(self, word: Termination, words: str) -> None:
        """End a process that broke the rules: a death with this word."""
        if self.process is not None and self.stage in (Stage.STARTING, Stage.READY):
            self.process.kill()
            self._die(word, self._in_full(words))

    def _in_full(self, words: str) -> str:
        """Return why a process is ended, with all that a broken stream may mean."""
        return words if self.broken_since_ns is None else f"{words} ({OR_TOO_LONG})"

    # -- the stream ---------------------------------------------------------------------------------------------------

    @guarded
    def on_hello(self, connection: Connection, hello: Hello) -> None:
        """Welcome the bot, or refuse it in words."""
        if self.stage is not Stage.STARTING and self.stage is not Stage.READY:
            self._turn_away(connection)
            return
        self.declared = tuple(map(escaped, hello.games))  # they are shown on terminals
        problem = self._problem(hello)
        if problem:
            connection.post(Bundle().refuse(problem))
            connection.close()
            self._die(Termination.NO_SHOW, problem)
            return
        self._events = hello.wants_events
        if self.greeted:
            self._return(connection)
            self._host.on_ready(self)
            return
        self._connection = connection
        self.max_in_flight = min(hello.max_in_flight, IN_FLIGHT_MAX)
        connection.post(self._welcome())
        self.stage = Stage.READY
        self.greeted = True
        self.failure = ""
        self._host.on_ready(self)

    def _turn_away(self, connection: Connection) -> None:
        """Refuse what dials when the process has ended already, such as a child that it has left behind."""
        connection.post(Bundle().refuse("this process is over: it has ended, or its games have"))
        connection.close()

    def _welcome(self) -> Bundle:
        limits = self._job.limits
        return Bundle().welcome(
            move_ms=limits.move_ms,
            bank_ms=limits.bank_ms,
            increment_ms=limits.increment_ms,
            margin_ms=limits.margin_ms,
            game_ms=int(limits.game_s * 1000),
        )

    def _problem(self, hello: Hello) -> str:
        if hello.protocol != PROTOCOL:
            return (
                f"bot {self.program.name} speaks protocol {hello.protocol}, this referee {PROTOCOL}: "
                "use the SDK that comes with this arena"
            )
        if self._job.games and hello.games and self._job.game not in hello.games:
            return f"bot {self.program.name} says it cannot play {self._job.game}, only {', '.join(self.declared)}"
        return ""

    @guarded
    def on_answers(self, answers: Sequence[Answer], now_ns: int) -> None:
        """Hand a list to the sitting."""
        if self.stage is Stage.READY:
            self.last_message_ns = now_ns
            self._host.on_list(self, answers, now_ns)

    @guarded
    def on_sent(self, keys: Sequence[Key], now_ns: int) -> None:
        """Start the clock: the list is being written."""
        self.lists += 1
        if not self.clock.open:
            self._at_start = self.latest
        for key in keys:
            play = self.asks.get(key)
            if play is not None and key not in self.clock.open:
                self.clock.sent(key, play.clocks[self.seat], now_ns)

    @guarded
    def on_end(self, connection: Connection, end: End) -> None:
        """Take the end of the stream: a crash if the process is ending too, which the pidfd tells."""
        if self.stage not in (Stage.STARTING, Stage.READY) or connection.token != self._token:
            return
        if end.word is not Termination.DISCONNECT:
            self.stop_for(end.word, end.words)
            return
        self._connection = None
        if end.may_return and self.greeted and self._job.limits.reconnect and not self.reconnected:
            if self.broken_since_ns is None:  # a stream that ends without a Hello brought nobody back
                self.broken_since_ns = self._world.now_ns()
        else:
            words = f"{end.words} ({OR_TOO_LONG})" if end.may_return else end.words
            asyncio.get_running_loop().call_later(BREAK_S, self._hung_up, self.starts, self.greeted, words)

    def _hung_up(self, start: int, greeted: bool, words: str) -> None:
        """End a process whose stream has ended for good, unless it ended meanwhile, or has said its first Hello."""
        if (self.starts, self.greeted) == (start, greeted):
            self.stop_for(Termination.DISCONNECT, words)

    def _return(self, connection: Connection) -> None:
        """Take back a bot whose stream broke: its games and open requests are sent again, its clocks ran on."""
        self._connection, self.broken_since_ns, self.reconnected = connection, None, True
        self._told, self._next = set(), Bundle()
        connection.post(self._welcome())
        if self.asks:
            self.send(list(self.asks.values()))

    # -- requests -----------------------------------------------------------------------------------------------------

    @property
    def owes(self) -> bool:
        """Whether it has requests to answer and its clocks run."""
        return bool(self.asks) and self._listens

    @property
    def can_be_asked(self) -> bool:
        """Whether a list could be sent to it now."""
        return not self.asks and self._listens

    @property
    def _listens(self) -> bool:
        return self.stage is Stage.READY and self._connection is not None and self.silent_since_ns is None

    def send(self, plays: Sequence[Play]) -> None:
        """Ask it for its decisions in these games, all in one list."""
        self._was_asked, self.failed_starts = True, 0
        self._wake()
        bundle = self._bundle()
        for play in plays:
            if play.wire_id not in self._told:
                self._told.add(play.wire_id)
                play.announce(self.seat, bundle)
            self.asks[play.key(self.seat)] = play
            play.ask(self.seat, bundle, events=self._events)
        assert self._connection is not None
        self._connection.post(bundle)

    def _bundle(self) -> Bundle:
        """Return the next bundle with what has collected for it."""
        bundle, self._next = self._next, Bundle()
        return bundle

    def tell_over(self, play: Play) -> None:
        """Let the next bundle carry the end of a game that this process knows of."""
        if play.wire_id in self._told:
            self._told.discard(play.wire_id)
            play.tell_over(self._next)

    def tell_void(self, play: Play) -> None:
        """Let the next bundle carry that a game does not count and is over for this process."""
        if play.wire_id in self._told:
            self._told.discard(play.wire_id)
            self._next.game_over(play.wire_id, (), (), [Termination.HOST] * len(play.clocks))

    def tell(self, play: Play, decision: int, word: Termination, words: str) -> None:
        """Let the next bundle carry a notice."""
        self._next.notice(play.wire_id, decision, word, words)

    def keep_note(self, play: Play, answer: Answer) -> None:
        """Put what a bot says with an answer into its log, for its author alone."""
        if self.process is not None:
            note = escaped(answer.note[:NOTE_MAX])
            self.process.log.add(f"[note] game {play.game_id}, decision {answer.decision}: {note}\n".encode())

    def close(self, key: Key, now_ns: int) -> int:
        """Close a request; return its time."""
        del self.asks[key]
        if key not in self.clock.open:
            return 0
        self.before, self._at_start = self._at_start, self.latest
        return self.clock.close(key, now_ns)

    def speak(self, now_ns: int) -> None:
        """Take notice that it speaks again, or need not have spoken: its clocks run on."""
        if self.silent_since_ns is not None:
            self.silent_since_ns = None
            self._at_start = self.latest
            self.clock.resume(now_ns)

    def last_seen(self) -> dict[str, Any]:
        """Return what is known of its present or last process, as evidence: how it ended, what it used and printed."""
        if self.process is None:
            return {}
        return {"output": self.process.log.last_lines(EVIDENCE_LINES), **self.process.evidence()}

    # -- between its turns ---------------------------------------------------------------------------------------------

    def rest(self, now_ns: int) -> None:
        """Take notice that it has answered; when it owes nothing more, it has nothing to do until it is asked again."""
        if self.process is None or self.stage is not Stage.READY:
            return
        if self.asks or self.unanswered or self.silent_since_ns is not None:
            return
        if self._resting is None:
            self._resting = now_ns, self.process.cpu_ns()
        if self._job.limits.pause:
            self.process.pause()

    def _wake(self) -> None:
        if self.process is None or self._resting is None:
            return
        since_ns, cpu_ns = self._resting
        self._resting = None
        rested = Conduct(self._world.now_ns() - since_ns, self.process.cpu_ns() - cpu_ns)
        self._conduct = self._conduct.plus(rested)
        self.process.resume()

    def _add_up(self) -> None:
        """Add what the process that has ended used and did to what those before it did."""
        if self.process is not None:
            self._conduct, self._ended_cpu_ns = self.conduct, self.cpu_ns
            self.process = None

    @property
    def conduct(self) -> Conduct:
        """What it has done beside its answers."""
        if self.process is None:
            return self._conduct
        return self._conduct.plus(Conduct(0, 0, self.process.left_over, self.process.network_attempts))

    @property
    def cpu_ns(self) -> int:
        """Processor time of all its processes in this sitting, in nanoseconds."""
        return self._ended_cpu_ns + (self.process.cpu_ns() if self.process else 0)

    # -- measuring ----------------------------------------------------------------------------------------------------

    def sample(self, taken: int, used_ns: int) -> None:
        """Note the processor and charged time of a list of answers that were taken."""
        if self.process is None or not taken:
            return
        cpu = self.process.cpu_ns()
        spent, self.cpu_before_ns = cpu - self.cpu_before_ns, cpu
        self.sampled += taken
        self.sampled_ever += taken
        self._samples.extend([(spent // taken, used_ns // taken)] * min(taken, SAMPLES))
        self._wall_ns += used_ns
        if len(self._samples) == SAMPLES:
            wall = sum(wall for _, wall in self._samples)
            computed = sum(cpu for cpu, _ in self._samples)
            self._judge_waiting(suspicious=wall > WAITS_NS * SAMPLES and computed < WAITS_SHARE * wall)

    def _judge_waiting(self, *, suspicious: bool) -> None:
        """Tell a bot that waits from one that is kept from computing because the machine is full.

        Little processor time in much charged time is only a suspicion: the time for which the bot's threads stood in
        the kernel's run queue is taken off, from one suspicion to the next.
        """
        if not suspicious:
            self._suspected, self.waits = None, False
            return
        if self._suspected is None:
            self._suspected = self._measured()
        elif self.sampled_ever - self._suspected[0] >= SAMPLES:
            before, now = self._suspected, self._measured()
            wall, busy = now[1] - before[1], now[2] - before[2]
            self._suspected, self.waits = now, busy < WAITS_SHARE * wall

    def _measured(self) -> tuple[int, int, int]:
        """Return decisions, charged time, and time in which it computed or wanted to, all so far."""
        assert self.process is not None
        return self.sampled_ever, self._wall_ns, self.cpu_before_ns + self.process.queued_ns()

    def note(self, load: Load) -> None:
        """Keep what it and the sitting have used now."""
        self.latest = load
        if self.first is None:
            self.first = load

    @property
    def median_cpu_ns(self) -> float:
        """Median processor time of the last 20 decisions; 0 while there are fewer."""
        if len(self._samples) < SAMPLES:
            return 0
        return statistics.median(cpu for cpu, _ in self._samples)
