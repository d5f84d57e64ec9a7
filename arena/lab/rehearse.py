"""A rehearsal: the league's own bots, limits and workers with one misbehaving bot of each kind at their table.

Every fault of ``arena.testing.bots`` sits down once, in a sitting as the league plays them. It is *survived* when all
games were finished, the fault was ruled with a word that fits it, nobody else was retired, and no process was left.
Limits that would make the rehearsal long are shortened; a league that survives shorter ones survives its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import cycle, islice
from pathlib import Path
from time import monotonic

from arena.errors import Termination, UsageError
from arena.games import create
from arena.league.bots import Bot
from arena.league.builds import Builds, users_cache
from arena.league.job import AUTO, GameJob, Job, SittingEnd, new_mark
from arena.league.pool import Pool
from arena.league.snapshot import PYTHON, snapshots
from arena.league.steps import step_sandbox
from arena.league.values import GamePlan, League
from arena.players.base import Limits, Program
from arena.players.levels import resolve_level
from arena.players.log import escaped
from arena.players.process import marked
from arena.records.codec import decode
from arena.records.record import Conduct, Finished, Record, Void
from arena.seeds import bot_seed, deal_key, derive
from arena.testing.bots import FAULTS, STARTS

BUDGET_S = 280.0
"""After this nothing new is begun; what is running ends within the limits, so that five minutes are enough."""
MOVE_MS_MOST, BANK_MS_MOST, START_S_MOST = 1500, 500, 10.0
SEAT, AT = 0, 1
"""Where the misbehaving bot sits and in which decision it begins: the first seat is asked in every game."""
GAMES = 2
ATTEMPTS = 3
NOTHING = "nothing"
# The fixture sends one text in all games: an action that another game knows is illegal, one that none knows is not.
# In a sandbox a bot can be killed, and use up what it may, only by computing: its clock can run out first.
_FAULTS_BY_WORDS = {
    (NOTHING,): "none flood chatter second-stream network",
    (NOTHING, "resource"): "fork",
    (NOTHING, "timeout"): "spin",
    (NOTHING, "disconnect"): "cut",
    (NOTHING, "protocol", "timeout"): "duplicate stale reverse extra",
    ("crash",): "crash exit0 segfault abort",
    ("crash", "timeout"): "killed",
    ("crash", "resource", "timeout"): "memory shared-memory fill-disk breed",
    ("timeout",): "late hang mute",
    ("illegal", "protocol"): "illegal malformed resign number long",
    ("protocol",): "empty garbage huge second-hello",
    ("protocol", "disconnect"): "vast",
    ("disconnect",): "half-close cancel",
    ("no-show",): "never exit-early wrong-protocol no-games answers-first",
}
EXPECTED = {fault: frozenset(words) for words, faults in _FAULTS_BY_WORDS.items() for fault in faults.split()}
"""Words that a fault may be ruled as, ``nothing`` where the rules allow it."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What came of one misbehaving bot.

    Attributes:
        fault: what it did.
        game: the game it did it in.
        ruled: the words of its faults, sorted; ``nothing`` if there were none.
        expected: the words that fit.
        survived: whether the league took no harm.
        how: how it ended, or what harm there was.
    """

    fault: str
    game: str
    ruled: tuple[str, ...]
    expected: tuple[str, ...]
    survived: bool
    how: str


@dataclass(slots=True)
class _Scene:
    """One misbehaving bot at its table, and what has come back so far."""

    fault: str
    plan: GamePlan
    job: Job
    finished: list[Finished] = field(default_factory=list)
    voids: list[Void] = field(default_factory=list)
    ends: list[SittingEnd] = field(default_factory=list)

    @property
    def left(self) -> tuple[GameJob, ...]:
        """The games that were not finished yet."""
        done = {game.game_id for game in self.finished}
        return tuple(game for game in self.job.games if game.game_id not in done)


def short_limits(limits: Limits) -> Limits:
    """Return limits under which a rehearsal ends in time."""
    return replace(
        limits,
        move_ms=min(limits.move_ms, MOVE_MS_MOST),
        bank_ms=min(limits.bank_ms, BANK_MS_MOST),
        start_s=min(limits.start_s, START_S_MOST),
    )


def rehearse(
    league: League, folder: Path, *, workers: int, faults: Sequence[str] = FAULTS, tell: Callable[[str], None]
) -> list[Rehearsed]:
    """Let every misbehaving bot play at the league's tables.

    Args:
        league: a valid league.
        folder: where its bots are copied and built; emptied by the caller.
        workers: worker processes, one or more.
        faults: which of the fixture's faults.
        tell: is told how it goes.

    Raises:
        UsageError: when a bot of the league cannot be copied or built.
        WorkerFailed: for an error of our own.
    """
    tell(f"copying and building {len(league.bots)} bots")
    level = resolve_level(league.limits.sandbox)
    league = replace(league, limits=replace(short_limits(league.limits), sandbox=level))
    made = snapshots(league.bots, folder, step_sandbox(level), Builds(users_cache(), level, tell))
    programs = {program.name: program for program in made}
    scenes = [_scene(league, programs, folder, number, fault) for number, fault in enumerate(faults)]
    began = monotonic()
    for _ in range(ATTEMPTS):
        open_scenes = [scene for scene in scenes if scene.left]
        if open_scenes and monotonic() - began < BUDGET_S:
            _play(open_scenes, workers, began, tell)
    return [_rehearsed(scene) for scene in scenes]


def _scene(league: League, programs: dict[str, Program], folder: Path, number: int, fault: str) -> _Scene:
    plan = league.games[number % len(league.games)]
    others = [programs[bot.name] for bot in league.bots if bot.plays(plan.id) and bot.name in programs]
    if not others:
        raise UsageError(f"{league.path}: no bot of this league that the arena can start plays {plan.name}")
    seated = list(islice(cycle(others[number % len(others) :] + others[: number % len(others)]), plan.seats))
    seated[SEAT] = _misbehaving(fault, league.limits, folder)
    secret = derive(b"arena rehearse", fault)
    games = tuple(
        GameJob(
            derive(secret, plan.ruleset, deal).hex()[:20],
            deal,
            deal_key(secret, plan.ruleset, deal),
            tuple(bot_seed(secret, str(deal), place) for place in range(plan.seats)),
        )
        for deal in range(1 if fault in STARTS else GAMES)
    )
    job = Job(
        game=plan.id,
        options=plan.options,
        programs=tuple(seated),
        games=games,
        limits=league.limits,
        policy=league.faults,
        in_flight=AUTO if league.in_flight == "auto" else int(league.in_flight),
        ask_forced=league.ask_forced,
    )
    return _Scene(fault, plan, job)


def _misbehaving(fault: str, limits: Limits, folder: Path) -> Program:
    late_ms = limits.move_ms + limits.bank_ms + limits.margin_ms + 200
    flags = ("--fault", fault, "--at", str(AT), "--late-ms", str(late_ms))
    command = (PYTHON, "-m", "arena.testing.bots", *flags)
    (program,) = snapshots([Bot(f"fixture {fault}", "", "", command, folder, owns_folder=False)], folder)
    return program


def _play(scenes: Iterable[_Scene], workers: int, began: float, tell: Callable[[str], None]) -> None:
    """Play what is left of some scenes, with fresh processes; stop to begin any when the time is over."""
    by_mark: dict[str, _Scene] = {}

    def jobs() -> Iterator[Job]:
        for scene in scenes:
            if monotonic() - began > BUDGET_S:
                return
            scene.voids.clear()
            job = replace(scene.job, games=scene.left, mark=new_mark())
            by_mark[job.mark] = scene
            yield job

    pool = Pool(workers)
    try:
        for item in pool.play(jobs()):
            if item is not None:
                _take(by_mark[item.job.mark], item.job, item.content, tell)
    finally:
        pool.close()


def _take(scene: _Scene, job: Job, content: Finished | Void | SittingEnd, tell: Callable[[str], None]) -> None:
    if isinstance(content, Finished):
        scene.finished.append(content)
    elif isinstance(content, Void):
        scene.voids.append(content)
    else:
        scene.ends.append(content)
        scene.job = replace(scene.job, mark=job.mark)
        tell(f"{scene.fault}: {len(scene.finished)} of {len(scene.job.games)} games")


def _rehearsed(scene: _Scene) -> Rehearsed:
    records = [decode(game.record) for game in scene.finished]
    words = {str(fault.word) for record in records for fault in record.faults if fault.seat == SEAT}
    ruled = tuple(sorted(words)) or (NOTHING,)
    expected = _expected(scene)
    harm = _harm(scene, records) or ("" if set(ruled) & expected else "ruled with a word that does not fit")
    return Rehearsed(
        scene.fault, scene.plan.name, ruled, tuple(sorted(expected)), not harm, harm or _how(scene, records)
    )


def _expected(scene: _Scene) -> frozenset[str]:
    """Return the words that fit; a window of mode ``race`` that is missed is only a pass."""
    race = create(scene.plan.id, scene.plan.seats, **scene.plan.options).race_timing is not None
    return EXPECTED[scene.fault] | ({NOTHING} if race else set())


def _harm(scene: _Scene, records: Sequence[Record]) -> str:
    """Return what harm the bot did beyond its own seat, "" for none."""
    if not scene.ends:
        return "not played: the time was over"
    if scene.left:
        words = f": {scene.voids[-1].evidence}" if scene.voids else ""
        return f"{len(scene.left)} of {len(scene.job.games)} games were not finished{words}"
    for record in records:
        for seat, word in enumerate(record.terminations):
            if seat != SEAT and word is not Termination.NORMAL:
                return f"{record.players[seat].name!r}, who did nothing, was retired: {word}"
    left = len(list(marked(scene.job.mark)))
    return f"{left} processes were left" if left else ""


def _how(scene: _Scene, records: Sequence[Record]) -> str:
    restarts = sum(end.restarts for end in scene.ends)
    costs = [fault.cost for record in records for fault in record.faults if fault.seat == SEAT]
    parts = ["all games finished"]
    counts = (("strike", costs.count("default")), ("restart", restarts))
    parts += [f"{count} {word}{'s' * (count > 1)}" for word, count in counts if count]
    seen = reduce(Conduct.plus, (end.conduct[SEAT] for end in scene.ends), Conduct())
    parts += [f"processes left behind and ended: {seen.left_over}"] * bool(seen.left_over)
    parts += [f"attempts to reach the network: {seen.network_attempts}"] * bool(seen.network_attempts)
    return "; ".join([", ".join(parts), *_words(scene)])


def _words(scene: _Scene) -> Iterator[str]:
    """Yield the referee's words about its first fault."""
    for game in sorted(scene.finished, key=lambda game: game.game_id):
        for found in json.loads(game.trace)["faults"]:
            if found["seat"] == SEAT:
                yield escaped(str(found["words"]))[:70]
                return
