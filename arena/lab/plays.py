"""Whole games with the bot in one seat and random legal play in the others, to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from arena.errors import Termination
from arena.games import Game, Seat
from arena.lab.positions import Asked, Position
from arena.lab.session import Session
from arena.players.base import FaultPolicy, Limits
from arena.protocol.convert import Bundle, SeatView
from arena.records.record import places
from arena.referee.clock import MS, SeatClock
from arena.referee.table import Table
from arena.seeds import Stream, derive


@dataclass
class _Play:
    """One game: the bot sits at ``seat``, with a clock as a league keeps it."""

    game_id: str
    rules: Game[Any, Any]
    seat: Seat
    key: bytes
    clock: SeatClock
    table: Table = field(init=False)
    view: SeatView = field(init=False)

    def __post_init__(self) -> None:
        self.table = Table(self.rules, derive(self.key, "deal"), FaultPolicy())
        self.view = SeatView(self.rules.spec.id)
        self._choices = Stream(derive(self.key, "choices"))

    def advance(self) -> bool:
        """Play on until the bot must be asked; return False when the game is over."""
        while asked := self.table.advance() or tuple(self.table.open_seats()):
            for seat in asked:
                if seat != self.seat:
                    legal = self.table.legal(seat)
                    self.table.answer(seat, legal[self._choices.below(len(legal))])
            if self.table.is_asked(self.seat):
                return True
        return False

    def position(self) -> Position:
        table = self.table
        return Position(self.rules, table.state, self.seat, table.decisions[self.seat] - 1, table.legal(self.seat))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked(Asked):
    """A decision of a whole game: announced once, asked with what has happened since."""

    play: _Play
    events: bool

    def clock(self, limits: Limits) -> SeatClock:
        """Return the clock of the seat: that of its game."""
        return self.play.clock

    def request(self, bundle: Bundle, limits: Limits) -> None:
        """Add the request, with events if they are wanted."""
        table = self.play.table
        news = table.news(self.position.seat) if self.events else ()
        view = table.view(self.position.seat)
        bundle.request(self.key, self.play.clock.times, self.position.listed, self.play.view, view, news)


async def play_games(
    session: Session, name: str, rules: Game[Any, Any], seats: Sequence[Seat], key: bytes, seconds: float
) -> None:
    """Play one game for each of these seats, at once unless the mode forbids it.

    Args:
        session: the bot under check.
        name: name of the situation.
        rules: the game.
        seats: where the bot sits, one game each.
        key: all random choices derive from it.
        seconds: after which games that are not over are broken off: a bot that thinks is not made to think for hours.
    """
    end = monotonic() + seconds
    limits = session.limits if rules.race_timing is None else replace(session.limits, bank_ms=0)
    plays = [_Play(session.name(), rules, seat, derive(key, seat), SeatClock(limits)) for seat in seats]
    groups = [[play] for play in plays] if rules.race_timing else [plays]
    for group in groups:
        if not await _play_out(session, name, group, end):
            return
    more = _Play(session.name(), rules, seats[0], derive(key, "more"), SeatClock(limits))
    if more.advance():
        asked = [_asked(more, events=False)]
        await session.ask(name, asked)  # who ends with its game does not answer, and is seen here
        session.close(asked)


async def _play_out(session: Session, name: str, plays: list[_Play], end: float) -> bool:
    """Play some games at once; return whether the bot has got through them."""
    hello = (await session.bot(name)).hello
    assert hello is not None
    told: set[str] = set()
    running = [play for play in plays if play.advance()]
    while running:
        now = running[: hello.max_in_flight]
        asked = [_asked(play, events=hello.wants_events) for play in now]
        fresh = [item for item in asked if item.game_id not in told]
        told |= {item.game_id for item in fresh}

        def announce(bundle: Bundle, fresh: Sequence[Asked] = fresh) -> None:
            for item in fresh:
                item.announce(bundle)

        reply = await session.ask(name, asked, before=announce if fresh else None, announced=True)
        if reply.missing or reply.death:
            return False
        for play, item in zip(now, asked, strict=True):
            _take(session, play, reply.answers[item.key].action, reply.charges_ns[item.key])
        over = [play for play in now if not play.advance()]
        running = [play for play in running if play not in over]
        await _tell_over(session, name, over)
        if running and monotonic() > end:
            session.close(asked)
            session.report.skipped[name] = "broken off: with the time that the bot takes it would last too long"
            break
    return True


def _asked(play: _Play, *, events: bool) -> Asked:
    seed = Stream(derive(play.key, "bot seed")).below(1 << 53)
    position = play.position()
    return _Asked(play.game_id, position, position.decision, seed, play=play, events=events)


def _take(session: Session, play: _Play, action: str, used_ns: int) -> None:
    play.clock.charge(used_ns)
    race = play.rules.race_timing
    tick = used_ns // (race.tick_ms * MS) if race else 0
    if play.table.answer(play.seat, action, tick) is not None:
        play.table.rule(play.seat, Termination.ILLEGAL)


async def _tell_over(session: Session, name: str, plays: Sequence[_Play]) -> None:
    bundle = Bundle()
    for play in plays:
        over, words = play.table.over, play.table.terminations
        assert over is not None
        bundle.game_over(play.game_id, over.scores, places(over.ranks, words), words)
    if plays:
        (await session.bot(name)).post(bundle)
