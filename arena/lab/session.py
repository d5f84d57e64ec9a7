"""A bot under check: its present process, and the judgement of every answer that it gives."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from arena.errors import Termination, nearest
from arena.games import game_ids
from arena.lab.driver import Driver, Reply
from arena.lab.findings import ENOUGH, Enough, Report
from arena.lab.positions import Asked
from arena.players.base import Limits, Program
from arena.players.log import NOTHING, escaped
from arena.players.remote import OR_TOO_LONG, PROTOCOL
from arena.players.scratch import make_folder
from arena.protocol.convert import Answer, Bundle, Hello
from arena.referee.clock import MS, Key, SeatClock

NOTE_LONGEST = 500
IN_FLIGHT_MOST = 64
SLACK_S = 3.0
"""Waited beyond what the clock allows, so that a slow bot is called slow and not silent."""
SHOWN = 80
"""Characters that are shown of an action or an id."""
SAID = 40
"""Characters that are shown of a name in the Hello."""
PRINTED_LINES = 20
OWN_WORDS = (Termination.PROTOCOL, Termination.DISCONNECT, Termination.RESOURCE)
"""Ends of a process that are called so whenever they come; others are no-shows before its Hello, then crashes."""


@dataclass(slots=True)
class Session:
    """What a check works with.

    Attributes:
        program: the bot.
        limits: what it is told, and held to.
        entered: games that its bot.toml names, or that were asked for; it must play them.
        report: what was found.
        charges_us: what a league would have charged, for each decision so far.
        deaths: processes lost so far.
    """

    program: Program
    limits: Limits
    entered: tuple[str, ...]
    report: Report
    charges_us: list[int] = field(default_factory=list)
    deaths: int = 0
    _known: set[Key] = field(default_factory=set)
    _driver: Driver | None = None
    _folder: Path | None = None
    _number: int = 0

    # -- processes ----------------------------------------------------------------------------------------------------

    async def bot(self, situation: str) -> Driver:
        """Return a process that listens: the present one, or a fresh one that has said Hello.

        The end of a process that nothing was asked is noted here.

        Raises:
            Enough: when it cannot be started, or too many were lost.
        """
        if self._driver is not None and not self._driver.death:
            return self._driver
        if self._driver is not None:  # it ended between two situations
            self.lost(situation, self._driver)
        await self.drop()
        self._folder = Path(make_folder("arena-check-"))
        self._driver = driver = Driver(self.program, self.limits, self._folder)
        await driver.start()
        if driver.hello is None:
            self.report.note(_rule(driver.word, Termination.NO_SHOW), situation, _why_no_hello(driver))
            raise Enough("without a Hello nothing else can be tried")
        if problem := hello_problem(driver.hello):
            await driver.refuse(problem)
            self.report.note("hello", situation, problem)
            raise Enough("with another protocol nothing else can be tried")
        driver.welcome()
        return driver

    async def drop(self) -> None:
        """End the present process, if there is one."""
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def lost(self, situation: str, driver: Driver, words: str = "") -> None:
        """Note the end of a process that should have lived.

        Raises:
            Enough: when too many were lost.
        """
        printed = driver.printed()
        self.deaths += 1
        self.report.note(_rule(driver.word, Termination.CRASH), situation, f"{words or driver.death}{_quoted(printed)}")
        if self.deaths >= ENOUGH:
            raise Enough(f"{self.deaths} processes were lost")

    # -- asking -------------------------------------------------------------------------------------------------------

    def name(self) -> str:
        """Return the id of a game that was not used before."""
        self._number += 1
        return f"{self._number:08x}{'c0ffee' * 2}"

    async def ask(
        self,
        situation: str,
        asked: Sequence[Asked],
        *,
        before: Callable[[Bundle], object] | None = None,
        after: Callable[[Bundle], object] | None = None,
        announced: bool = False,
        split: int = 0,
        cancelled: Sequence[Asked] = (),
    ) -> Reply:
        """Ask about positions and judge what comes: silence, slowness, illegal actions, strays, deaths.

        Args:
            situation: name of the situation, for findings.
            asked: all in one list.
            before: adds to the first bundle before the games are announced.
            after: changes the first bundle when it is complete.
            announced: the games have been announced already.
            split: send bundles of this many requests one after the other instead of one; 0 for one.
            cancelled: asked about before these, by ``before``; their games end meanwhile.
        """
        driver = await self.bot(situation)
        self.report.situations.setdefault(situation, True)
        self._known.update(item.key for item in asked)
        size = split or max(1, len(asked))
        bundles = [self._bundle(asked[at : at + size], announced) for at in range(0, max(1, len(asked)), size)]
        if before is not None:
            first = Bundle()
            before(first)
            bundles.insert(0, first)
        if after is not None:
            after(bundles[-1])
        reply = await driver.ask(bundles, self._clocks(asked), self._patience_s(asked), self._clocks(cancelled))
        if reply.broke:
            words = "its stream broke and it dialled again, which a league allows once a sitting"
            self.report.note("disconnect", situation, f"{words} ({OR_TOO_LONG})")
            if again := [item for item in asked if item.key in reply.missing]:
                bundle = self._bundle(again, announced=False)
                reply.add(await driver.ask([bundle], self._clocks(again), self._patience_s(again)))
        self.judge(situation, asked, reply, driver)
        if reply.death or reply.missing:
            await self.drop()
        return reply

    def _budget_ms(self, asked: Iterable[Asked]) -> int:
        """Return the longest time that a decision may take: that of a move, or what one of these has with its bank."""
        return max([self.limits.move_ms, *(item.clock(self.limits).times[0] for item in asked)])

    def _patience_s(self, asked: Iterable[Asked]) -> float:
        return (self._budget_ms(asked) + self.limits.margin_ms) / 1000 + SLACK_S

    def _clocks(self, asked: Iterable[Asked]) -> dict[Key, SeatClock]:
        return {item.key: item.clock(self.limits) for item in asked}

    def _bundle(self, asked: Iterable[Asked], announced: bool) -> Bundle:
        bundle = Bundle()
        for item in asked:
            if not announced:
                item.announce(bundle)
        for item in asked:
            item.request(bundle, self.limits)
        return bundle

    def close(self, asked: Iterable[Asked]) -> None:
        """Tell the bot that these games are over, so that it can forget them."""
        if self._driver is not None:
            bundle = Bundle()
            for item in asked:
                item.over(bundle)
            self._driver.post(bundle)

    # -- judging ------------------------------------------------------------------------------------------------------

    def judge(self, situation: str, asked: Sequence[Asked], reply: Reply, driver: Driver) -> None:
        """Note what is wrong with a reply."""
        by_key = {item.key: item for item in asked}
        self.charges_us += [charge // 1000 for charge in reply.charges_ns.values()]
        for key, answer in reply.answers.items():
            self._judge_action(situation, by_key[key], answer)
        self.judge_strays(situation, asked, reply.strays, reply.answers)
        if reply.death:
            self.lost(situation, driver)
        elif reply.missing and not reply.strays:
            words = (
                f"{_silence(reply)} within {self._patience_s(asked):g} s (a league waits {self._budget_ms(asked)} ms "
                f"and {self.limits.margin_ms} ms margin){_printed(driver.printed(), by_key)}"
            )
            self.report.note("timeout", situation, words)
        clocks = {key: item.clock(self.limits) for key, item in by_key.items() if not item.budget_ms}
        late = [key for key, clock in clocks.items() if reply.charges_ns.get(key, 0) > clock.allowance_ns]
        if late:
            used = reply.charges_ns[late[0]] / MS
            words = f"decision {late[0][1]} took {used:.0f} ms where {clocks[late[0]].times[0]} ms were allowed"
            self.report.note("timeout", situation, words)

    def _judge_action(self, situation: str, asked: Asked, answer: Answer) -> None:
        refused = asked.position.refusal(answer.action)
        if refused is not None:
            legal = ", ".join(asked.position.listed[:6]) + (", ..." if len(asked.position.listed) > 6 else "")
            words = f"it answered {_cut(answer.action)}: {refused.words}; legal: {legal}"
            self.report.note(refused.word.value, situation, words)
        self.judge_note(situation, answer)

    def judge_note(self, situation: str, answer: Answer) -> None:
        """Note a note that is too long."""
        if len(answer.note) > NOTE_LONGEST:
            self.report.note("note", situation, f"a note of {len(answer.note)} characters")

    def judge_strays(
        self, situation: str, asked: Iterable[Asked], strays: Sequence[Answer], answered: Iterable[Key] = ()
    ) -> None:
        """Note answers that nothing was open for: a wrong number, or one answer too many."""
        numbers = {item.game_id: item.decision for item in asked}
        done = set(answered)
        for answer in strays:
            key, shown = (answer.game_id, answer.decision), f"game {_cut(answer.game_id)}, decision {answer.decision}"
            number = numbers.get(answer.game_id)
            if key in done:
                self.report.note("asked", situation, f"{shown} was answered twice")
            elif key in self._known and (number is None or (answer.game_id, number) in done):
                self.report.note("asked", situation, f"{shown} was answered again")
            elif number is not None:
                self.report.note("echo", situation, f"it answered {shown}, where decision {number} was asked")
            else:
                self.report.note("asked", situation, f"it answered {shown}, which it was not asked")

    def facts(self) -> None:
        """Put what was measured into the report."""
        if self.charges_us:
            self.report.facts["decisions"] = len(self.charges_us)
            self.report.facts["mean_ms"] = round(mean(self.charges_us) / 1000, 3)
            self.report.facts["slowest_ms"] = round(max(self.charges_us) / 1000, 3)


def hello_problem(hello: Hello) -> str:
    """Return why a bot with this introduction cannot be talked to, or the empty string."""
    if hello.protocol == PROTOCOL:
        return ""
    newer = hello.protocol > PROTOCOL
    step = "upgrade the arena" if newer else "build the bot anew with the SDK and the .proto files of this arena"
    return f"it speaks protocol {hello.protocol}, this arena protocol {PROTOCOL}: {step}"


def said(text: str) -> str:
    """Return what a bot says of itself so that it can be shown on a terminal."""
    return escaped(text[:SAID])


def check_hello(session: Session, situation: str, hello: Hello) -> None:
    """Note what a bot says of itself that does not fit the contract or its bot.toml."""
    names = [said(game) for game in hello.games]
    for game in session.entered:
        if hello.games and game not in hello.games:
            known = f"{nearest(game, names)} (its Hello names {', '.join(names)})"
            session.report.note("games", situation, f"it is entered for {game}, which its Hello does not name{known}")
    if hello.games and not set(hello.games) & set(game_ids()):
        words = f"its Hello names no game that is known here: {_cut(', '.join(hello.games))}"
        session.report.note("games", situation, f"{words}; known: {', '.join(game_ids())}")
        return
    for game in hello.games:
        if game not in game_ids():
            words = f"its Hello names a game that is not known here: {_cut(game)}{nearest(game, game_ids())}"
            session.report.note("caption", situation, words)
    if hello.max_in_flight == 1:
        words = "max_in_flight is 1, or not set: it gets no lists, and its games take longer"
        session.report.note("in-flight", situation, words)


def _why_no_hello(driver: Driver) -> str:
    printed = driver.printed()
    if driver.strangers:
        return (
            "it dialled in without its token: send the metadata 'authorization: Bearer TOKEN' with TOKEN from "
            f"ARENA_TOKEN{_quoted(printed)}"
        )
    hint = ""
    if driver.word is Termination.DISCONNECT:
        hint = ", and it had not said Hello, which is a bot's first message"
    elif printed and driver.word is Termination.NO_SHOW:
        hint = "; it printed something instead: stdout is not the protocol, answers travel on the stream"
    elif driver.death.endswith("exit status 0"):
        hint = " without having dialled ARENA_ADDRESS: a bot calls its SDK's run, and plays on the stream until Goodbye"
    return f"{driver.death}{hint}{_quoted(printed)}"


def _rule(word: Termination, otherwise: Termination) -> str:
    return (word if word in OWN_WORDS else otherwise).value


def _silence(reply: Reply) -> str:
    return f"{len(reply.missing)} of {len(reply.missing) + len(reply.answers)} requests were not answered"


def _printed(printed: str, asked: dict[Key, Asked]) -> str:
    listed = {action for item in asked.values() for action in item.position.listed}
    if any(line.strip() in listed for line in printed.splitlines()):
        return "; it printed an action: stdout is not the protocol, answers travel on the stream" + _quoted(printed)
    return _quoted(printed)


def _quoted(printed: str) -> str:
    if not printed:
        return f"; {NOTHING}"
    lines = printed.splitlines()
    left_out = ["[... more before]"] if len(lines) > PRINTED_LINES else []
    return "; the last lines it printed:" + "".join(f"\n    {line}" for line in (*left_out, *lines[-PRINTED_LINES:]))


def _cut(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")
