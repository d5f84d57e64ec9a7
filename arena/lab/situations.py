"""The situations of one game that every bot must get through, each a short script for the driver.

Every one of them is something that a league does: games begin in the middle after a restart, are announced again after
a broken stream, end while the bot is thinking; later versions of the contract add fields.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from arena.errors import Termination
from arena.games import Game
from arena.lab.driver import Reply
from arena.lab.positions import Asked, Position, positions
from arena.lab.session import IN_FLIGHT_MOST, Session
from arena.protocol.convert import Bundle
from arena.seeds import Stream, derive

TIGHT_MS = 150
TIGHT_TRIES = 3
REST_S = 0.1
LATE_DECISION = 1_000_000
FLUSH_LEAST_S = 0.15
FLUSH_TRIES = 3
FLUSH_AFTER_S = 0.001
"""How long an answer may wait for others, by the contract: so many messages can never come in less time."""
LIST_TRIES = 5
"""That answers are sent one by one is shown by one attempt; a machine that stands still only hides it."""
SAME = 24
SLOW_US = 20_000
POSITIONS_S = 30.0
FORCED_LEAST = 2
FORCED_SHARE = 4
"""Positions without a choice, as a share of the random ones."""


@dataclass
class Scene:
    """One game for the situations: where positions come from.

    Attributes:
        rules: the game with its seats and options.
        title: how findings call it.
        key: all random choices derive from it.
        random_positions: how many of them are compared with the rules.
        positions: those that were not drawn yet.
    """

    rules: Game[Any, Any]
    title: str
    key: bytes
    random_positions: int
    positions: Iterator[Position] = field(init=False)
    _seeds: Stream = field(init=False)

    def __post_init__(self) -> None:
        self.positions = positions(self.rules, derive(self.key, "positions"))
        self._seeds = Stream(derive(self.key, "seeds"))

    def draw(self, session: Session, count: int = 1, **changes: Any) -> list[Asked]:
        """Return positions that were not asked before, as games with fresh ids and seeds."""
        return [self.asked(session, position, **changes) for position in islice(self.positions, count)]

    def asked(self, session: Session, position: Position, **changes: Any) -> Asked:
        """Return a position as a game with a fresh id."""
        given = {"decision": position.decision, "bot_seed": self._seeds.below(1 << 53), **changes}
        return Asked(session.name(), position, **given)

    def first(self, session: Session) -> Asked:
        """Return the first decision of a game."""
        return next(item for item in iter(lambda: self.draw(session)[0], None) if item.decision == 0)


Situation = Callable[[Session, Scene, str], Awaitable[None]]


async def first_decision(session: Session, scene: Scene, name: str) -> None:
    """The first request of a game, alone."""
    asked = [scene.first(session)]
    await session.ask(name, asked)
    session.close(asked)


async def middle(session: Session, scene: Scene, name: str) -> None:
    """A game that begins in the middle, without events, as for the process that replaces a lost one."""
    asked = [item for item in scene.draw(session, 12) if item.decision > 0][:3]
    await session.ask(name, asked)
    session.close(asked)


async def forced(session: Session, scene: Scene, name: str) -> None:
    """Requests with a single legal action, as a league with ``ask_forced`` sends."""
    found = positions(scene.rules, derive(scene.key, "forced"), forced=True)
    most = max(FORCED_LEAST, scene.random_positions // FORCED_SHARE)
    if not await _compare(session, scene, name, found, most):
        session.report.skipped[name] = "random play has no such position"


async def numbers(session: Session, scene: Scene, name: str) -> None:
    """Decisions of one number in several games, and a large number."""
    asked = [*scene.draw(session, 2, decision=3), *scene.draw(session, 1, decision=LATE_DECISION)]
    await session.ask(name, asked)
    session.close(asked)


async def long_list(session: Session, scene: Scene, name: str) -> None:
    """As many requests at once as the bot accepts; how they are answered is advice, that they are is not.

    A machine that stands still makes a list last longer, and nothing else. So one attempt shows that answers are sent
    one by one, however often a machine hides it; but all attempts have to show that they are kept.
    """
    size = await _in_flight(session, name)
    held_back = 0
    for attempt in range(LIST_TRIES):
        asked = scene.draw(session, size)
        reply = await session.ask(name, asked)
        session.close(asked)
        if reply.missing or reply.death or size == 1:
            return
        if attempt == 0:
            _first_list(session, name, asked, reply)
        if len(reply.messages) == size and reply.seconds < (size - 1) * FLUSH_AFTER_S:
            words = f"{size} requests in one message were answered with {size} messages"
            session.report.note("lists", name, words)
            return
        is_held = len(reply.messages) == 1 and reply.seconds >= FLUSH_LEAST_S
        held_back += is_held
        if held_back == attempt + 1 == FLUSH_TRIES:
            words = (
                f"{size} decisions took {reply.seconds * 1000:.0f} ms and came in one message: the first is charged "
                "for all of them; send what is ready once 1 ms has passed"
            )
            session.report.note("flush", name, words)
            return
        # A bot that thinks has every right to send its answers alone, and is not made to think for nothing.
        may_be_one_by_one = len(reply.messages) == size and reply.seconds < size * SLOW_US / 1e6
        if not is_held and not may_be_one_by_one:
            return


def _first_list(session: Session, name: str, asked: list[Asked], reply: Reply) -> None:
    """Keep the facts of the first list that a bot was asked, and look at the order of its answers."""
    session.report.facts.setdefault("list", len(asked))
    session.report.facts.setdefault("list_messages", len(reply.messages))
    if reply.order != [item.key for item in asked]:
        words = "the clock runs for the oldest request: others first cost that one their time"
        session.report.note("order", name, words)


async def overlapping(session: Session, scene: Scene, name: str) -> None:
    """Several lists, sent one after the other without waiting for answers."""
    asked = scene.draw(session, min(8, await _in_flight(session, name)))
    await session.ask(name, asked, split=2)
    session.close(asked)


async def tight(session: Session, scene: Scene, name: str) -> None:
    """A decision near the deadline: the request gives far less than the limit of a move."""
    used = 0.0
    for _ in range(TIGHT_TRIES):
        asked = scene.draw(session, 1, budget_ms=TIGHT_MS)
        reply = await session.ask(name, asked)
        session.close(asked)
        if reply.missing or reply.death:
            return
        used = reply.charges_ns[asked[0].key] / 1e6
        if used <= TIGHT_MS + session.limits.margin_ms:
            return
    session.report.note("timeout", name, f"a decision took {used:.0f} ms where budget_ms was {TIGHT_MS}")


async def one_bundle(session: Session, scene: Scene, name: str) -> None:
    """The end of one game, the beginning of another and its request in one message."""
    old, new = scene.draw(session, 2)
    await session.ask(name, [old])
    await session.ask(name, [new], after=old.over)
    session.close([new])


async def announced_twice(session: Session, scene: Scene, name: str) -> None:
    """A game that is announced again, as after a broken stream."""
    asked = scene.draw(session, 1)
    await session.ask(name, asked, before=asked[0].announce)
    session.close(asked)


async def cancelled(session: Session, scene: Scene, name: str) -> None:
    """A game that ends void while it waits for an answer; that one may still come, and the next game is played."""
    lost, other = scene.draw(session, 2)

    def begin(bundle: Bundle) -> None:
        lost.announce(bundle)
        lost.request(bundle, session.limits)

    await session.ask(name, [other], before=begin, after=lost.void, cancelled=[lost])
    session.close([other])


async def over_unknown(session: Session, scene: Scene, name: str) -> None:
    """The end of a game that the process has never heard of, and a list with nothing in it."""
    asked, unknown = scene.draw(session, 2)
    await session.ask(name, [asked], before=unknown.over)
    await session.ask(name, [], before=_nothing)
    other = scene.draw(session)
    await session.ask(name, other)
    session.close([asked, *other])


async def notice(session: Session, scene: Scene, name: str) -> None:
    """A notice that an answer was not taken."""
    asked = scene.draw(session, 1)

    def tell(bundle: Bundle) -> None:
        bundle.notice(asked[0].game_id, max(0, asked[0].decision - 1), Termination.TIMEOUT, "timeout: a notice to try")

    await session.ask(name, asked, after=tell)
    session.close(asked)


async def unknown_fields(session: Session, scene: Scene, name: str) -> None:
    """Fields that a later contract may add to messages."""
    asked = scene.draw(session, 2)
    await session.ask(name, asked, after=lambda bundle: bundle.extend())
    session.close(asked)


async def new_view_fields(session: Session, scene: Scene, name: str) -> None:
    """Fields that a later contract may add to views."""
    asked = scene.draw(session, 2)
    await session.ask(name, asked, after=lambda bundle: bundle.extend(views=True))
    session.close(asked)


async def silence(session: Session, scene: Scene, name: str) -> None:
    """Nothing is asked for a moment: nothing may be answered."""
    asked = scene.draw(session, 1)
    await session.ask(name, asked)
    session.close(asked)
    driver = await session.bot(name)
    strays = [answer for answer in await driver.rest(REST_S) if answer.game_id]
    session.judge_strays(name, asked, strays, [item.key for item in asked])
    await session.bot(name)


async def same_seed(session: Session, scene: Scene, name: str) -> None:
    """The same positions with the same seeds, in another order: the same actions."""
    first = scene.draw(session, SAME)
    again = [Asked(session.name(), item.position, item.decision, item.bot_seed) for item in first]
    size = await _in_flight(session, name)
    chosen = []
    for asked in (first, again[::-1]):
        actions = {}
        for at in range(0, len(asked), size):
            reply = await session.ask(name, asked[at : at + size])
            session.close(asked[at : at + size])
            actions.update({key[0]: answer.action for key, answer in reply.answers.items()})
        chosen.append(actions)
    pairs = [(chosen[0].get(one.game_id), chosen[1].get(two.game_id)) for one, two in zip(first, again, strict=True)]
    differ = [(one, two) for one, two in pairs if one is not None and two is not None and one != two]
    if differ:
        words = f"{len(differ)} of {len(pairs)} positions got another action, such as {differ[0][0]!r}, then "
        session.report.note("seed", name, f"{words}{differ[0][1]!r}: a game cannot be played again")


async def random_positions(session: Session, scene: Scene, name: str) -> None:
    """Many positions of random play, every answer compared with the rules."""
    tried = await _compare(session, scene, name, scene.positions, scene.random_positions)
    session.report.facts["positions"] = int(session.report.facts.get("positions", 0)) + tried


async def _compare(session: Session, scene: Scene, name: str, found: Iterator[Position], most: int) -> int:
    """Ask about positions in lists, as many at once as the bot accepts; return how many it was asked about."""
    size = await _in_flight(session, name)
    left, tried = most, 0
    while asked := [scene.asked(session, position) for position in islice(found, min(left, size))]:
        before = len(session.charges_us)
        reply = await session.ask(name, asked)
        session.close(asked)
        left, tried = left - len(asked), tried + len(asked)
        if reply.missing or reply.death:
            break
        mean_us = sum(session.charges_us[before:]) / len(asked)
        if mean_us > SLOW_US and left * mean_us > POSITIONS_S * 1e6:
            left = int(POSITIONS_S * 1e6 / mean_us)  # a bot that thinks is not made to think for an hour
    return tried


def _nothing(_: Bundle) -> None:
    """Leave a message empty."""


async def _in_flight(session: Session, name: str) -> int:
    hello = (await session.bot(name)).hello
    assert hello is not None
    return min(hello.max_in_flight, IN_FLIGHT_MOST)


SITUATIONS: dict[str, Situation] = {
    "first decision": first_decision,
    "a game that begins in the middle": middle,
    "a single legal action": forced,
    "decision numbers": numbers,
    "a long list": long_list,
    "lists that overlap": overlapping,
    "near the deadline": tight,
    "end, beginning and request in one message": one_bundle,
    "a game announced twice": announced_twice,
    "a game that ends while it waits": cancelled,
    "the end of an unknown game": over_unknown,
    "a notice": notice,
    "unknown fields": unknown_fields,
    "new fields in views": new_view_fields,
    "nothing to do": silence,
    "the same seed": same_seed,
    "random positions": random_positions,
}
"""The situations of a game by name, in the order in which they are tried: what explains most comes first."""
