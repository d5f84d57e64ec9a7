"""A sitting: one line-up in one seating over some deals, played by bot processes started for it.

``play_sitting(job)`` is the whole interface of a worker: an asynchronous iterator of finished games, then one
``SittingEnd``. What is here is the order of things and the rulings; whose turn it is to be asked is the baton's
(``arena.league.baton``), lateness is seen by the watch (``arena.league.watch``).

**A death costs one game**: that of the oldest open request, else that of the last answer. The other games wait, without
clocks, for the restarted process, which from then on gets one request at a time.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from statistics import median
from time import monotonic, process_time_ns
from typing import Any

from arena.errors import Termination
from arena.games import Game, Seat, create
from arena.league.baton import Baton
from arena.league.guard import guarded
from arena.league.job import Job, SittingEnd
from arena.league.lobby import Lobby, SeatedGuest
from arena.league.play import Play
from arena.league.seated import Seated, Stage
from arena.league.watch import Watch
from arena.league.world import REAL, World
from arena.players.remote import Server
from arena.players.scratch import make_folder
from arena.players.tasks import to_its_end
from arena.protocol.convert import Answer
from arena.records.record import Finished, Void
from arena.referee.clock import MS, Key

FAULTED_IN_A_ROW = 10
FAILED_STARTS = 3
LATE_WINDOWS = 3
STRAYS = 10


async def play_sitting(job: Job) -> AsyncIterator[Finished | Void | SittingEnd]:
    """Play a job; yield every game as it ends, then what the sitting cost."""
    async for item in Sitting(job).play():
        yield item


class Sitting:
    """The games and bots of one job; see the module's docstring for its rules.

    Args:
        job: what is played.
        game: its rules, if not those that the job names.
        lobby: where bots that are started by hand are met.
        world: clock, server and processes.
        on_open: is told the id of every game that begins, before its first step.
    """

    def __init__(
        self,
        job: Job,
        game: Game[Any, Any] | None = None,
        lobby: Lobby | None = None,
        world: World = REAL,
        on_open: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._world = world
        self._on_open = on_open
        self._results: asyncio.Queue[Finished | Void | SittingEnd | None] = asyncio.Queue()
        self._job = job
        self._lobby = lobby
        self._game = game or (create(job.game, len(job.programs), **job.options) if job.games else None)
        self._queue = deque(range(len(job.games)))
        self._open: dict[str, Play] = {}
        self._faulted: list[list[bool | None]] = [[None] * len(job.games) for _ in job.programs]
        self._bots: list[Seated] = []
        self._playing = False
        self._started = asyncio.Event()
        self._done = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failure: BaseException | None = None
        self._begun = monotonic()
        self._start_seconds = self._play_seconds = 0.0
        self._referee_cpu_ns = 0

    # -- from start to end --------------------------------------------------------------------------------------------

    async def play(self) -> AsyncGenerator[Finished | Void | SittingEnd, None]:
        """Yield every game as it ends, then what the sitting cost; closing the generator ends all processes."""
        runner = asyncio.ensure_future(self._run())
        try:
            while (item := await self._results.get()) is not None:
                yield item
            await runner
        finally:
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)

    async def _run(self) -> None:
        """Play all games, end all processes, put the ``SittingEnd``."""
        folder = make_folder("arena-", room=4)
        server = self._world.server()
        try:
            addresses = [f"unix://{folder}/{seat}" for seat in range(len(self._job.programs))]
            await server.start(addresses)
            self._bots = [self._seated(seat, server, at) for seat, at in enumerate(addresses)]
            race = self._game is not None and self._game.race_timing is not None
            self._baton = Baton(self._bots, self._job.in_flight, race=race)
            self._watch = Watch(self._bots, self._job.limits, self._world, self._slept, self._overdue)
            for bot in self._bots:
                bot.start()
            await self._play_all()
        except BaseException as error:
            self._failure = self._failure or error  # so that nobody is told what a sitting cost that was none
            raise
        finally:
            await to_its_end(self._tidy_up(folder, server))
        if self._failure is not None:
            raise self._failure

    async def _tidy_up(self, folder: str, server: Server) -> None:
        """End all that was started, then say what it cost."""
        self._done.set()  # also when this is cancelled: nothing may be started beside
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(bot.leave("all games are over") for bot in self._bots), return_exceptions=True)
        await server.stop()
        shutil.rmtree(folder, ignore_errors=True)
        if self._failure is None:
            self._results.put_nowait(self._cost())
        self._results.put_nowait(None)

    def _seated(self, seat: Seat, server: Server, address: str) -> Seated:
        program = self._job.programs[seat]
        if not program.token:
            return Seated(seat, self._job, self, server, address, self._world)
        assert self._lobby is not None
        return SeatedGuest(seat, self._job, self, self._lobby.guest(program))

    async def _play_all(self) -> None:
        self._spawn(self._watch.keep())
        await self._started.wait()
        self._start_seconds = monotonic() - self._begun
        played_from, cpu_from = monotonic(), process_time_ns()
        self._playing = True
        for bot in self._bots:
            self._spawn(self._revive(bot))
        self._act()
        await self._done.wait()
        self._play_seconds = monotonic() - played_from
        self._referee_cpu_ns = process_time_ns() - cpu_from

    def stop(self) -> None:
        """Open no more games; the sitting ends with those that are open, and waits for no bot if none is."""
        self._queue.clear()
        self._started.set()
        self._act()

    def _cost(self) -> SittingEnd:
        return SittingEnd(
            seconds=monotonic() - self._begun,
            start_seconds=self._start_seconds,
            play_seconds=self._play_seconds,
            referee_cpu_ns=self._referee_cpu_ns,
            decisions=sum(len(bot.charges_us) for bot in self._bots),
            lists=sum(bot.lists for bot in self._bots),
            cpu_ns=sum(bot.cpu_ns for bot in self._bots),
            restarts=sum(bot.starts - 1 for bot in self._bots),
            logs=tuple(bot.process.log.last_lines() if bot.process else "" for bot in self._bots),
            charges_us=tuple(
                (len(bot.charges_us), round(median(bot.charges_us or [0])), max(bot.charges_us, default=0))
                for bot in self._bots
            ),
            failures=tuple(bot.failure for bot in self._bots),
            declared=tuple(bot.declared for bot in self._bots),
            conduct=tuple(bot.conduct for bot in self._bots),
        )

    @guarded
    def _act(self) -> None:
        """Do what is due."""
        if self._playing and not self._done.is_set():
            self._open_games()
            self._baton.pass_on(self._open.values())

    def on_failure(self, error: BaseException) -> None:
        """End the sitting for a failure of ours; the first is the one that is told, the others may come of it."""
        self._failure = self._failure or error
        self._done.set()
        self._started.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Let some work go on beside, unless all ends: what ends everything would not know of it."""
        if self._done.is_set():
            work.close()
            return
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished_task)

    def _finished_task(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.on_failure(error)

    # -- games --------------------------------------------------------------------------------------------------------

    def _open_games(self) -> None:
        while self._game is not None and self._queue and len(self._open) < self._baton.window:
            play = Play(self._job, self._game, self._queue.popleft())
            self._open[play.wire_id] = play
            self._on_open(play.game_id)
            self._progress(play)
        if not self._open and not self._queue:
            self._done.set()

    def _progress(self, play: Play) -> None:
        """Play on until bots must be asked, or to the end of the game."""
        while asked := play.table.advance():
            for seat in asked:
                self._due(self._bots[seat], play)
        if play.table.over is not None:
            self._close_game(play)

    def _due(self, bot: Seated, play: Play) -> None:
        """Let a bot be asked in a game, unless it has lost the right to be."""
        if bot.benched or bot.no_shows:
            bot.no_shows = max(0, bot.no_shows - 1)
            words = f"the bot was not ready in time: {bot.failure}"
            self._retire(bot, play, Termination.NO_SHOW, words, **bot.failure_seen)
        elif any(wire_id == play.wire_id for wire_id, _ in bot.unanswered):
            self._retire(bot, play, Termination.TIMEOUT, "the bot still owes the answer that was ruled late before")
        else:
            bot.pending.append(play)

    def _close_game(self, play: Play) -> None:
        if self._open.pop(play.wire_id, None) is None:
            return
        for bot, word in zip(self._bots, play.table.terminations, strict=True):
            bot.tell_over(play)
            bot.unanswered = {key for key in bot.unanswered if key[0] != play.wire_id}
            self._faulted[bot.seat][play.number] = word is not Termination.NORMAL
            if not bot.benched and self._faults_in_a_row(bot.seat, play.number) >= FAULTED_IN_A_ROW:
                self._bench(bot, f"benched after {FAULTED_IN_A_ROW} faulted games in a row")
        self._results.put_nowait(play.finished())

    def _faults_in_a_row(self, seat: Seat, number: int) -> int:
        """Return the length of the run of faulted games, in deal order, around one game."""
        row = self._faulted[seat]
        first = last = number
        if not row[number]:
            return 0
        while first > 0 and row[first - 1]:
            first -= 1
        while last + 1 < len(row) and row[last + 1]:
            last += 1
        return last - first + 1

    def _bench(self, bot: Seated, words: str) -> None:
        """Ask a bot no more; what it has open is a no-show."""
        bot.benched, bot.failure = True, words
        bot.clock.clear()
        waiting = [*bot.asks.values(), *bot.pending]
        bot.asks.clear()
        bot.pending.clear()
        for play in waiting:
            self._retire(bot, play, Termination.NO_SHOW, words, **bot.failure_seen)
            self._progress(play)
        self._spawn(bot.leave(words))

    # -- answers ------------------------------------------------------------------------------------------------------

    def on_list(self, bot: Seated, answers: Sequence[Answer], now_ns: int) -> None:
        """Take a list of answers, then pass the baton."""
        bot.speak(now_ns)
        taken = used = 0
        for answer in answers:
            if (charged := self._take(bot, answer, now_ns)) is not None:
                taken += 1
                used += charged
        bot.sample(taken, used)
        bot.rest(now_ns)
        self._baton.adapt(bot)
        self._act()

    def _take(self, bot: Seated, answer: Answer, now_ns: int) -> int | None:
        """Take one answer; return the time it was charged, or None when it answered no open request."""
        key = (answer.game_id, answer.decision)
        play = bot.asks.get(key)
        if play is None:
            self._stray(bot, key)
            return None
        allowance = play.clocks[bot.seat].allowance_ns
        used = bot.close(key, now_ns)
        bot.last_play = play
        if answer.note:
            bot.keep_note(play, answer)
        if used > allowance:
            self._late(bot, play, used, now_ns)
            return used
        play.charge(bot.seat, used)
        bot.charges_us.append(used // 1000)
        self._judge(bot, play, answer, used)
        self._progress(play)
        return used

    def _judge(self, bot: Seated, play: Play, answer: Answer, used: int) -> None:
        """Let the table take an answer in time, or rule why not."""
        if play.clocks[bot.seat].game_time_over:
            self._retire(bot, play, Termination.TIMEOUT, "the time for the whole game is used up")
            return
        play.late_in_a_row[bot.seat] = 0
        tick = used // (play.race.tick_ms * MS) if play.race else 0
        refused = play.table.answer(bot.seat, answer.action, tick)
        if refused is not None:
            sent = answer.action[:200]
            words = f"{sent!r}: {refused.words} ({refused.code})"
            self._rule(bot, play, refused.word, words, answer=sent, code=refused.code, used_us=used // 1000)

    def _stray(self, bot: Seated, key: Key) -> None:
        """Count an answer to no open request; more than ten in one game are a fault."""
        bot.unanswered.discard(key)
        play = self._open.get(key[0])
        if play is None:
            return
        play.strays[bot.seat] += 1
        if play.strays[bot.seat] > STRAYS and not play.table.retired(bot.seat):
            self._drop(bot, play)
            self._retire(bot, play, Termination.PROTOCOL, f"more than {STRAYS} answers to no open request")
            self._progress(play)

    def _late(self, bot: Seated, play: Play, used: int, now_ns: int) -> None:
        delay = self._watch.delay(bot, play.key(bot.seat), used, now_ns)
        if excuse := self._watch.excuse(delay):
            bot.speak(now_ns)
            self._void(play, f"seat {bot.seat} was late by this machine's fault: {excuse}")
            return
        play.charge(bot.seat, used)
        if play.race is not None and self._misses_window(bot, play):
            self._progress(play)
            return
        limit = play.clocks[bot.seat].limits
        words = f"{used // MS} ms where {limit.move_ms} ms and {limit.margin_ms} ms margin were allowed"
        quickest = {"quickest_us": min(bot.charges_us)} if bot.charges_us else {}
        self._rule(bot, play, Termination.TIMEOUT, words, used_us=used // 1000, **delay.evidence(), **quickest)
        self._progress(play)

    def _misses_window(self, bot: Seated, play: Play) -> bool:
        """Take a late answer of mode ``race`` as a pass; return False for the third in a row, which is a strike."""
        play.late_in_a_row[bot.seat] += 1
        if play.late_in_a_row[bot.seat] % LATE_WINDOWS == 0:
            return False
        play.table.default(bot.seat)
        return True

    def _rule(self, bot: Seated, play: Play, word: Termination, words: str, **evidence: Any) -> None:
        decision = play.key(bot.seat)[1]
        play.note(bot.seat, word, words, **evidence)
        cost = play.table.rule(bot.seat, word)
        bot.tell(play, decision, word, f"{word}: {words}; {COSTS[cost]}")

    def _retire(self, bot: Seated, play: Play, word: Termination, words: str, **evidence: Any) -> None:
        decision = play.key(bot.seat)[1]
        play.note(bot.seat, word, words, **evidence)
        play.table.retire(bot.seat, word)
        bot.tell(play, max(0, decision), word, f"{word}: {words}; {COSTS['retire']}")

    def _drop(self, bot: Seated, play: Play) -> None:
        """Take back what a bot is asked, or about to be asked, in a game."""
        key = play.key(bot.seat)
        if key in bot.asks:
            bot.close(key, self._world.now_ns())
        bot.pending = [other for other in bot.pending if other is not play]

    # -- time ---------------------------------------------------------------------------------------------------------

    def _slept(self, words: str) -> None:
        for play in list(self._open.values()):
            self._void(play, words)
        self._act()  # no bot may have anything left to say

    def _overdue(self, bot: Seated, key: Key, now_ns: int) -> None:
        """Rule a request late that has not been answered."""
        if bot.broken_since_ns is not None:
            bot.stop_for(
                Termination.DISCONNECT, "the stream broke and the bot did not come back before its clock ran out"
            )
            return
        play, since = bot.asks[key], bot.clock.since_ns
        assert since is not None
        used = bot.close(key, now_ns)
        bot.last_play = play
        if play.race is None:
            bot.unanswered.add(key)
        if bot.last_message_ns < since and play.race is None:
            bot.clock.stand()
            bot.silent_since_ns = now_ns
        self._late(bot, play, used, now_ns)
        self._act()

    def _void(self, play: Play, words: str) -> None:
        """Take a game off the table that does not count; it is played again by fresh processes."""
        del self._open[play.wire_id]
        for bot in self._bots:
            self._drop(bot, play)
            bot.tell_void(play)
            bot.unanswered = {key for key in bot.unanswered if key[0] != play.wire_id}
        self._results.put_nowait(Void(play.game_id, Termination.HOST, words))

    # -- starts and deaths --------------------------------------------------------------------------------------------

    def on_ready(self, bot: Seated) -> None:
        """Begin when every bot has said Hello or failed; a guest may be here before others are even started."""
        if all(other.starts and other.stage is not Stage.STARTING for other in self._bots):
            self._started.set()
        self._act()

    def on_death(self, bot: Seated, word: Termination, words: str) -> None:
        """Rule the end of a process, and start it again if it is still needed."""
        self._baton.take_from(bot)
        if bot.greeted:
            self._rule_death(bot, word, words)
        else:
            self._rule_failed_start(bot, words)
        self._spawn(self._revive(bot))
        self.on_ready(bot)

    def _rule_death(self, bot: Seated, word: Termination, words: str) -> None:
        """Retire the seat in the one game that a death costs; let the others wait for the restarted process."""
        interrupted = [bot.asks[key] for key in bot.clock.clear() if key in bot.asks]
        interrupted += [play for play in bot.asks.values() if play not in interrupted]
        bot.asks.clear()
        bot.unanswered.clear()
        bot.one_by_one = True
        bot.pending = [*interrupted, *bot.pending]
        guilty = interrupted[0] if interrupted else bot.last_play
        if guilty is not None and guilty.wire_id in self._open and not guilty.table.retired(bot.seat):
            self._retire_for_death(bot, guilty, word, words)

    def _retire_for_death(self, bot: Seated, play: Play, word: Termination, words: str) -> None:
        self._drop(bot, play)
        self._retire(bot, play, word, words, **bot.last_seen())
        self._progress(play)

    def _rule_failed_start(self, bot: Seated, words: str) -> None:
        """Charge a start that came to nothing to the game that waits for it, else to the next one."""
        bot.failed_starts += 1
        bot.failure, bot.failure_seen = words, bot.last_seen()
        if bot.failed_starts >= FAILED_STARTS and self._playing:
            self._bench(bot, f"benched after {FAILED_STARTS} failed starts in a row; the last: {words}")
        elif bot.pending:
            play = min(bot.pending, key=lambda waiting: waiting.number)
            self._retire_for_death(bot, play, Termination.NO_SHOW, words)
        else:
            bot.no_shows += 1

    async def _revive(self, bot: Seated) -> None:
        """Bury a dead process and start the bot again, unless there is nothing left for it to play.

        A bot that fails before the first game is started again once the others play: they wait for it once.
        """
        if bot.stage is not Stage.GONE:
            return
        await bot.bury()
        needed = self._queue or any(not play.table.retired(bot.seat) for play in self._open.values())
        if self._playing and needed and bot.stage is Stage.GONE and not bot.benched and not self._done.is_set():
            bot.start()


COSTS = {
    "default": "the default action was played and a strike noted",
    "retire": "the seat is retired for the rest of this game",
}
