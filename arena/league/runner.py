"""A league from its plan to its last stored game, in the one process that writes.

The parent plans, hands out sittings, stores what comes back in groups of half a second, and reports to an observer. It
never imports grpc. Resuming is the same run again: what is stored is not planned anew.
"""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from time import monotonic
from types import FrameType
from typing import Protocol

from arena.errors import UsageError
from arena.league.badge import require_badges
from arena.league.builds import Builds, users_cache
from arena.league.folder import ResultsFolder
from arena.league.job import AUTO, GameJob, Job, SittingEnd, new_mark
from arena.league.pool import AtTable, Item, Pool, WorkerFailed
from arena.league.snapshot import remove_unfinished, snapshots
from arena.league.steps import step_sandbox
from arena.league.values import GamePlan, League
from arena.players.base import Program, environment
from arena.players.levels import resolve_level
from arena.players.log import NOTHING
from arena.players.process import end_marked
from arena.records.record import Conduct, Finished, Void
from arena.schedules.line_ups import Entrant
from arena.schedules.plan import PlannedGame, remaining
from arena.seeds import bot_seed, commitment, deal_key, wire_id
from arena.storage.reader import STRANGERS
from arena.storage.store import Store

STORE_S = 0.5
GREET_AT_ONCE = 4
VOIDS_PAUSE = 3
TRACE_LINES = 20
TOKEN_BYTES = 16


@dataclass(slots=True)
class Tally:
    """What a run has done so far; what sittings cost is added up as they end.

    Attributes:
        planned: games of the plan.
        stored: games that are stored, those of earlier runs included.
        before: games that were stored when this run began.
        void: games of this run that did not count.
        decisions: answers that were taken in sittings that have ended.
        lists: messages with requests that were sent in them.
        start_seconds: their time until all bots were ready.
        seconds: their time.
        restarts: bot processes started after a death.
        sittings: sittings that have ended.
        sitting_games: games that were theirs.
        playing: what is played now.
    """

    planned: int
    stored: int = 0
    before: int = 0
    void: int = 0
    decisions: int = 0
    lists: int = 0
    start_seconds: float = 0.0
    seconds: float = 0.0
    restarts: int = 0
    sittings: int = 0
    sitting_games: int = 0
    playing: tuple[AtTable, ...] = ()

    def add(self, end: SittingEnd, games: int) -> None:
        """Add the cost of a sitting of so many games."""
        self.sittings += 1
        self.sitting_games += games
        self.decisions += end.decisions
        self.lists += end.lists
        self.start_seconds += end.start_seconds
        self.seconds += end.seconds
        self.restarts += end.restarts

    @property
    def list_size(self) -> float:
        """Mean number of requests in a message."""
        return self.decisions / self.lists if self.lists else 0.0


class Observer(Protocol):
    """What a run tells whoever shows it; every call is quick."""

    def preparing(self, words: str) -> None:
        """A step before the first game has begun."""
        ...

    def begun(self, tally: Tally, commitment: str) -> None:
        """Everything is valid; games follow. The commitment is the SHA-256 of the secret."""
        ...

    def progress(self, tally: Tally, store: Store) -> None:
        """Time has passed, or games were stored."""
        ...

    def stopping(self, *, decided: bool) -> None:
        """Running games finish: the user has asked to stop or the run pauses, or enough is known (decided)."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        tally: what it did.
        complete: every planned game is stored.
        interrupted: the user stopped it.
        paused: why it stopped by itself, "" if it did not.
    """

    tally: Tally
    complete: bool
    interrupted: bool
    paused: str = ""


class Enough(Protocol):
    """Decides, from what has been stored, whether to stop before the plan is played."""

    def __call__(self, store: Store, batch: Sequence[tuple[PlannedGame, Finished]]) -> bool:
        """Return whether no more games are needed, after a batch that is stored already."""
        ...


def _never(store: Store, batch: Sequence[tuple[PlannedGame, Finished]]) -> bool:
    return False


@dataclass
class _Run:
    league: League
    folder: ResultsFolder
    store: Store
    programs: dict[str, Program]
    secret: bytes
    level: str
    tally: Tally
    observer: Observer
    planned: dict[str, PlannedGame] = field(default_factory=dict)
    batch: list[tuple[PlannedGame, Finished]] = field(default_factory=list)
    conduct: list[tuple[str, str, Conduct]] = field(default_factory=list)
    voids: dict[str, int] = field(default_factory=dict)
    void_now: set[str] = field(default_factory=set)
    again: list[Job] = field(default_factory=list)
    stored_at: float = field(default_factory=monotonic)
    paused: str = ""
    stopping: bool = False
    enough: Enough = _never
    stopped: bool = False


def run_league(
    league: League, results: Path, observer: Observer, *, workers: int, enough: Enough | None = None
) -> Outcome:
    """Play what is left of a league.

    Args:
        league: a valid league.
        results: its results folder.
        observer: is told how it goes.
        workers: worker processes, one or more.
        enough: is shown every batch of stored games, and first none; once it returns True no more are begun.

    Raises:
        UsageError: before the first game, for anything that the operator can mend; nothing half-written is left.
    """
    with ResultsFolder.open(results) as folder, folder.until_begun(), folder.open_store() as store:
        run = _prepare(league, folder, store, observer)
        run.enough = enough or run.enough
        run.stopped = run.enough(store, ())
        if run.stopped or run.tally.stored >= run.tally.planned:
            observer.begun(run.tally, commitment(run.secret))
            return Outcome(run.tally, complete=run.tally.stored >= run.tally.planned, interrupted=False)
        with folder.scratch() as scratch:
            interrupted = _play_by(run, workers, scratch)
        complete = run.tally.stored >= run.tally.planned
        stopped = interrupted and not complete and not run.stopped
        return Outcome(run.tally, complete, interrupted=stopped, paused=run.paused)


def _play_by(run: _Run, workers: int, scratch: Path) -> bool:
    """Start workers, play what is left and end them; return whether the user has stopped it."""
    pool = Pool(
        workers,
        listen=run.league.lobby,
        scratch=scratch,
        on_lobby=lambda address: run.observer.preparing(_invitation(run, address)),
        on_strangers=lambda more: _count_strangers(run.store, more),
    )
    try:
        with _interruptible(pool) as interrupted:
            _greet(run, pool)
            run.observer.begun(run.tally, commitment(run.secret))
            began = monotonic()
            _play(run, pool)
            _keep_speed(run, monotonic() - began)
    except KeyboardInterrupt:
        _abort(run, pool, "the run was stopped at once")
        raise
    except WorkerFailed:
        _abort(run, pool, "the run ended by an error of its own")
        raise
    finally:
        pool.close()
    return bool(interrupted)


def _prepare(league: League, folder: ResultsFolder, store: Store, observer: Observer) -> _Run:
    remove_unfinished(folder.bots)
    end_marked(_run_mark(folder))
    observer.preparing(f"copying and building {len(league.bots)} bots")
    level = resolve_level(league.limits.sandbox)
    builds = Builds(users_cache(), level, observer.preparing)
    programs = snapshots(league.bots, folder.bots, step_sandbox(level), builds)
    require_badges(league, {program.name: program.digest for program in programs})
    secret = folder.secret(store, league.secret)
    planned = league.plan().games
    folder.refuse_if_published(store, planned)
    folder.claim(store, league, programs, secret)
    names = {game.ruleset: game.name for game in league.games}
    levels = " ".join(sorted({*store.meta().get("sandbox", "").split(), level}))
    store.set_meta({"planned": str(planned), "games": json.dumps(names), "sandbox": levels})
    counts = store.counts()
    tally = Tally(planned=planned, stored=counts.stored, before=counts.stored)
    everyone = {program.name: program for program in (*programs, *_by_hand(league))}
    return _Run(league, folder, store, everyone, secret, level, tally, observer)


def _by_hand(league: League) -> Iterator[Program]:
    """Yield the bots that are started by hand, each with a token of its own for this run."""
    for bot in league.bots:
        if bot.connect:
            yield Program(
                bot.name, bot.version, bot.author, (), "", (), bot.connect, bot.games, token=token_hex(TOKEN_BYTES)
            )


def _invitation(run: _Run, address: str) -> str:
    """Return how to start the bots that are awaited, one a line."""
    certificate = run.league.lobby.certificate
    trust = f" ARENA_CERTIFICATE={certificate}" if certificate else ""
    return "\n".join(
        f"bot {program.name!r} is awaited: start it with ARENA_ADDRESS={address} ARENA_TOKEN={program.token}{trust}"
        for program in run.programs.values()
        if program.token
    )


def _count_strangers(store: Store, more: int) -> None:
    """Add to the dials with a wrong token: who made them cannot be known, that they were made can be shown."""
    store.set_meta({STRANGERS: str(int(store.meta().get(STRANGERS, "0")) + more)})


def _keep_speed(run: _Run, seconds: float) -> None:
    """Add the games and seconds of this run to those of earlier ones: what a plan of more games reckons with."""
    games, before = json.loads(run.store.meta().get("speed", "[0, 0]"))
    speed = [games + run.tally.stored - run.tally.before, before + seconds]
    run.store.set_meta({"speed": json.dumps(speed)})


def _run_mark(folder: ResultsFolder) -> str:
    """Return what the marks of all processes of this results folder begin with: left-overs are found by it."""
    status = folder.path.stat()
    return f"{status.st_dev:x}-{status.st_ino:x}/"


def _greet(run: _Run, pool: Pool) -> None:
    """Start every bot once; a league does not begin with one that cannot say Hello.

    Raises:
        UsageError: naming every such bot, with why and the last lines of its output.
    """
    run.observer.preparing(f"starting each of {len(run.programs)} bots once")
    programs = list(run.programs.values())
    groups = [tuple(programs[at : at + GREET_AT_ONCE]) for at in range(0, len(programs), GREET_AT_ONCE)]
    problems: list[str] = []
    for item in _played(run, pool, iter([_job(run, group, ()) for group in groups])):
        if item is not None and isinstance(item.content, SittingEnd):
            problems += _greeting_problems(run, item.job.programs, item.content)
    if problems:
        raise UsageError("\n".join(sorted(problems)))


def _greeting_problems(run: _Run, programs: Sequence[Program], end: SittingEnd) -> Iterator[str]:
    for program, failure, log, declared in zip(programs, end.failures, end.logs, end.declared, strict=True):
        if failure:
            lines = log.splitlines()[-TRACE_LINES:]
            shown = "".join(f"\n    {line}" for line in lines) or f" {NOTHING}"
            again = f"\n  to see it again (without the sandbox, which was {run.level}): {by_itself(program)}"
            told = f"bot {program.name!r} did not start: {failure}; the last lines it printed:{shown}"
            yield told + (again if program.command else "")
        for game in {game.id for game in run.league.games}:
            if declared and game not in declared and (not program.games or game in program.games):
                yield f"bot {program.name!r} says it cannot play {game}, only {', '.join(declared)}"


def by_itself(program: Program) -> str:
    """Return a line for a shell that runs a bot alone: in its folder, with its command and its whole environment."""
    variables = (f"{name}={value}" for name, value in environment(program, {}).items())
    return f"cd {shlex.quote(program.directory)} && {shlex.join(['env', '-i', *variables, *program.command])}"


def _played(run: _Run, pool: Pool, jobs: Iterator[Job]) -> Iterator[Item | None]:
    """Yield what comes back from the workers; say once that the run is being stopped."""
    for item in pool.play(jobs):
        if pool.stopping and not run.stopping:
            run.stopping = True
            run.observer.stopping(decided=run.stopped)
        yield item


def _play(run: _Run, pool: Pool) -> None:
    for item in _played(run, pool, _WithRepeats(run)):
        if item is not None:
            _take(run, item)
        if run.paused or run.stopped:
            pool.stop()
        if monotonic() - run.stored_at >= STORE_S:
            _flush(run)
            run.tally.playing = pool.playing()
            run.observer.progress(run.tally, run.store)
    _flush(run)
    run.tally.playing = ()
    run.observer.progress(run.tally, run.store)


def _take(run: _Run, item: Item) -> None:
    content = item.content
    if isinstance(content, Finished):
        run.batch.append((run.planned.pop(content.game_id), content))
        run.void_now.discard(content.game_id)
    elif isinstance(content, Void):
        run.store.add_voids([content])
        run.tally.void += 1
        run.void_now.add(content.game_id)
        run.voids[content.game_id] = run.voids.get(content.game_id, 0) + 1
        if run.voids[content.game_id] >= VOIDS_PAUSE:
            run.paused = f"game {content.game_id} was void {VOIDS_PAUSE} times; the last time: {content.evidence}"
    else:
        run.tally.add(content, len(item.job.games))
        run.conduct += [
            (bot.name, bot.digest, seen) for bot, seen in zip(item.job.programs, content.conduct, strict=True)
        ]
        _repeat_voids(run, item.job)


def _repeat_voids(run: _Run, job: Job) -> None:
    """Let one new sitting with fresh processes play the void games of a sitting that has ended."""
    games = tuple(game for game in job.games if game.game_id in run.void_now)
    run.void_now.difference_update(game.game_id for game in games)
    if games:
        run.again.append(replace(job, games=games, mark=_run_mark(run.folder) + new_mark()))


class _WithRepeats:
    """The jobs of a run: those of the plan, and before them whatever must be played again by now.

    Unlike a generator it may have more to give after it had nothing.
    """

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._planned = _jobs(run)

    def __iter__(self) -> _WithRepeats:
        return self

    def __next__(self) -> Job:
        return self._run.again.pop() if self._run.again else next(self._planned)


def _flush(run: _Run) -> None:
    if run.conduct:
        run.store.add_conduct(run.conduct)
        run.conduct = []
    if run.batch:
        run.tally.stored += run.store.add_games(run.batch)
        run.stopped = run.enough(run.store, run.batch) or run.stopped
        run.batch = []
    run.stored_at = monotonic()


def _abort(run: _Run, pool: Pool, words: str) -> None:
    """Store what has ended, and that the games which were open will not end; they are played by the next run."""
    _flush(run)
    run.store.add_voids(pool.aborted(words))


def _jobs(run: _Run) -> Iterator[Job]:
    """Yield what is left to play, as it is needed."""
    for sitting in remaining(run.league.plan().sittings(), run.store.stored_ids):
        games = tuple(sitting.games())
        run.planned.update((game.game_id, game) for game in games)
        plan = run.league.games[sitting.game]
        yield _job(run, _seated(run, sitting.seated), _game_jobs(run.secret, plan, games), plan)


def _seated(run: _Run, seated: Iterable[Entrant]) -> tuple[Program, ...]:
    return tuple(run.programs[entrant.name] for entrant in seated)


def _game_jobs(secret: bytes, plan: GamePlan, games: Iterable[PlannedGame]) -> tuple[GameJob, ...]:
    return tuple(
        GameJob(
            game.game_id,
            game.deal,
            deal_key(secret, plan.ruleset, game.deal),
            tuple(bot_seed(secret, game.game_id, seat) for seat in range(plan.seats)),
            wire_id(secret, game.game_id),
        )
        for game in games
    )


def _job(
    run: _Run,
    programs: tuple[Program, ...],
    games: tuple[GameJob, ...],
    plan: GamePlan | None = None,
) -> Job:
    league = run.league
    plan = plan or league.games[0]
    return Job(
        game=plan.id,
        options=plan.options,
        programs=programs,
        games=games,
        limits=replace(league.limits, sandbox=run.level),
        policy=league.faults,
        in_flight=AUTO if league.in_flight == "auto" else int(league.in_flight),
        ask_forced=league.ask_forced,
        commitment=commitment(run.secret),
        logs=str(run.folder.logs),
        mark=_run_mark(run.folder) + new_mark(),
    )


@contextmanager
def _interruptible(pool: Pool) -> Iterator[list[int]]:
    """Let the first Ctrl-C (or SIGTERM) finish the running games and the second stop at once.

    The handler only notes what is wanted: it may be called in the middle of a message to a worker or to the user.
    """
    interrupts: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt
        pool.stop()

    handlers: dict[int, Callable[[int, FrameType | None], object] | int | None] = {
        number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield interrupts
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
