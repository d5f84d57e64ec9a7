"""The situations of a bot's process, whatever it plays: start, idleness, a broken stream, unknown games, the end."""

from __future__ import annotations

from arena.errors import Termination
from arena.lab.driver import REDIAL_S, Driver
from arena.lab.session import Session, check_hello, said
from arena.lab.situations import Scene
from arena.protocol.convert import Bundle
from arena.referee.clock import SeatClock

IDLE_S = 0.4
IDLE_SHARE = 0.5
IDLE_TRIES = 3
THINKS_S = (0.0, 0.02)
"""How long after a request its stream breaks: at once, for a bot that answers in no time, and when one that thinks has
surely begun to."""
GOODBYE_S = 5.0
LEAVE_S = 2.0
"""After Goodbye a league leaves half a second; on a busy machine that may be short, and nothing is lost by it."""
UNKNOWN = "a game that it cannot know"


async def handshake(session: Session) -> None:
    """Start it: the time to its Hello, and what that says."""
    name = "start and Hello"
    session.report.situations[name] = True
    driver = await session.bot(name)
    hello = driver.hello
    assert hello is not None
    facts = session.report.facts
    facts["hello_s"] = round(driver.hello_s, 3)
    facts["protocol"] = hello.protocol
    facts["sdk"] = said(hello.sdk)
    facts["max_in_flight"] = hello.max_in_flight
    check_hello(session, name, hello)


async def idle(session: Session, name: str) -> None:
    """Ask it nothing, while no game is open: it should wait, not compute."""
    driver = await session.bot(name)
    session.report.situations[name] = True
    share = 1.0
    for _ in range(IDLE_TRIES):  # what it does after its start may go on for a while on a busy machine
        before = _computing_ns(driver)
        session.judge_strays(name, (), await driver.rest(IDLE_S))
        share = (_computing_ns(driver) - before) / (IDLE_S * 1e9)
        if driver.death:
            await session.bot(name)
            return
        if share <= IDLE_SHARE:
            return
    words = f"it computed, or wanted to, for {min(1.0, share):.0%} of the time in which it was asked nothing"
    session.report.note("idle", name, words)


def _computing_ns(driver: Driver) -> int:
    """Return the time in which it computed or wanted to: on a busy machine the second is most of it."""
    return driver.process.cpu_ns() + driver.process.queued_ns()


async def unknown_game(session: Session) -> None:
    """Announce a game that nobody knows, with a request: a legal action will do, or an end with words."""
    name = UNKNOWN
    driver = await session.bot(name)
    assert driver.hello is not None
    if driver.hello.games:
        session.report.skipped[name] = "its Hello names its games, so it is never asked for others"
        return
    session.report.situations[name] = True
    bundle = Bundle()
    game_id = session.name()
    bundle.new_game(game_id, "solitaire-3000", 0, 2, {"jokers": 2}, 7)
    bundle.request_plain((game_id, 0), (session.limits.move_ms, 0, 0), ("wait", "move 1"), {"cards": [1, 2, 3]})
    patience = session.limits.move_ms / 1000 + 2
    reply = await driver.ask([bundle], {(game_id, 0): SeatClock(session.limits)}, patience)
    answer = reply.answers.get((game_id, 0))
    if answer is not None and answer.action not in ("wait", "move 1"):
        session.report.note("unknown-game", name, f"it answered {answer.action[:80]!r}, which was not listed")
    if answer is None:
        _judge_refusal(session, driver, name)
        await session.drop()
    else:
        over = Bundle()
        over.game_over(game_id, [0, 0], [1, 1], [Termination.ABORTED] * 2)
        driver.post(over)


def _judge_refusal(session: Session, driver: Driver, name: str) -> None:
    if not driver.death:
        session.report.note("unknown-game", name, "it neither answered nor ended: a league would wait until its clock")
    elif not driver.printed():
        session.report.note("unknown-game", name, f"{driver.death} without a word")


async def broken_stream(session: Session, scene: Scene) -> None:
    """Break its stream while a game is open: it should dial again and be given the game and the request anew."""
    name = "a broken stream"
    asked = scene.draw(session, 2)
    driver = await session.bot(name)
    session.report.situations[name] = True
    reply = await session.ask(name, asked)
    if reply.missing or reply.death:
        return
    if not await driver.break_stream():
        await _stays_away(session, driver, name)
        return
    again = [item.next() for item in asked]
    await session.ask(name, again)
    session.close(again)
    for after_s in THINKS_S:
        if not await _broken_while_it_thinks(session, scene, after_s):
            return


async def _broken_while_it_thinks(session: Session, scene: Scene, after_s: float) -> bool:
    """Break its stream behind a request, so that the answer meets none; return whether it has dialled again.

    A process that has dialled again once need not do it twice, so this is tried with a fresh one. That is asked
    something before: a bot may dial again once it has heard the welcome.
    """
    name = "a broken stream while it thinks"
    await session.drop()
    driver = await session.bot(name)
    session.report.situations.setdefault(name, True)
    first = scene.draw(session)
    reply = await session.ask(name, first)
    session.close(first)
    if reply.missing or reply.death:
        return False
    asked, bundle = scene.draw(session, 2), Bundle()
    for item in asked:
        item.announce(bundle)
    for item in asked:
        item.request(bundle, session.limits)
    before = await driver.break_behind(bundle, after_s, len(asked) * session.limits.move_ms / 1000)
    if before is None:
        await _stays_away(session, driver, name)
        return False
    answered = {(answer.game_id, answer.decision) for answer in before.strays}
    again = [item.next() if item.key in answered else item for item in asked]  # what is not open is not asked twice
    reply = await session.ask(name, again)
    session.close(again)
    return not reply.missing and not reply.death


async def _stays_away(session: Session, driver: Driver, name: str) -> None:
    words = driver.death or f"no new Hello within {REDIAL_S:g} s"
    session.report.note("reconnect", name, f"{words}: the break costs it a game")
    await session.drop()


async def goodbye(session: Session, scene: Scene) -> None:
    """Say goodbye while it thinks, with the end of its last game, and to a fresh process that has nothing to do."""
    await _goodbye_while_it_thinks(session, scene)
    name = "Goodbye with the end of a game"
    asked, last = scene.draw(session), Bundle()
    await session.ask(name, asked)
    for item in asked:
        item.over(last)
    await _goodbye(session, name, last)
    await _goodbye(session, "Goodbye", Bundle())


async def _goodbye_while_it_thinks(session: Session, scene: Scene) -> None:
    name = "Goodbye while it thinks"
    driver = await session.bot(name)
    session.report.situations[name] = True
    bundle, last = Bundle(), Bundle()
    for item in scene.draw(session):
        item.announce(bundle)
        item.request(bundle, session.limits)
        item.void(last)
    driver.post(bundle)
    seconds, status = await driver.goodbye(last, GOODBYE_S + session.limits.move_ms / 1000)
    if status == "running":  # how it ends does not matter: an answer that meets a closed stream may be an error
        session.report.note("leave", name, f"it was still there {seconds:.1f} s after Goodbye")
    await session.drop()


async def _goodbye(session: Session, name: str, last: Bundle) -> None:
    driver = await session.bot(name)
    session.report.situations.setdefault(name, True)
    seconds, status = await driver.goodbye(last, GOODBYE_S)
    if status == "running":
        session.report.note("leave", name, f"it was still there {seconds:.1f} s after Goodbye")
    elif status != "exit status 0":
        session.report.note("leave", name, f"it ended with {status}")
    elif seconds > LEAVE_S:
        words = f"it ended {seconds:.1f} s after Goodbye; a league ends it after half a second"
        session.report.note("leave", name, words)
    session.report.facts["goodbye_s"] = round(seconds, 3)
    await session.drop()
