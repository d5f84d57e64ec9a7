"""A stored game played again without its bots: the same requests to one seat, made anew from record and trace.

Cards and the actions of all seats come from the record, times and banks from the trace, so that a request is what the
bot got then, byte for byte (but for its events, which it gets only if it asks for them).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.games import Seat
from arena.league.case import Case
from arena.league.job import GameJob, Job
from arena.league.play import Play
from arena.players.base import Program
from arena.protocol.convert import Bundle
from arena.records.replay import game_of
from arena.referee.clock import US
from arena.referee.reenact import Decision, reenact, with_recorded_chance


def job_again(case: Case, programs: dict[Seat, Program]) -> Job:
    """Return a sitting of one stored game; seats without a program are played from the record."""
    record = case.record
    nobody = [Program(player.name, player.version, "", (), "", (), player.digest) for player in record.players]
    seeds = case.bot_seeds or (0,) * record.seats
    return Job(
        game=record.game,
        options=record.options,
        programs=tuple(programs.get(seat, program) for seat, program in enumerate(nobody)),
        games=(GameJob(record.game_id, record.deal, b"", seeds, case.wire_id),),
        limits=case.limits,
        policy=case.policy,
        in_flight=1,
        ask_forced=case.ask_forced,
        commitment=record.commitment,
    )


def open_again(case: Case, job: Job) -> Play:
    """Return a stored game as it was before its first step, dealt from its record.

    Raises:
        RecordError: when its rules are unknown here or of another version.
    """
    return Play(job, with_recorded_chance(game_of(case.record), case.record), 0)


def decisions_of(case: Case, play: Play, seat: Seat) -> Iterator[Decision]:
    """Play a game again; yield the decisions of a seat, each while it is asked, with its clock as it was then.

    Raises:
        RecordError: naming the first step that does not fit the rules.
    """
    charged = {(who, step): used for who, step, used, _ in case.trace.get("decisions", ())}
    for decision in reenact(case.record, play.table):
        if decision.seat == seat:
            yield decision
            if (seat, decision.step) in charged:
                play.charge(seat, charged[seat, decision.step] * US)


def requests_of(case: Case, seat: Seat) -> Iterator[dict[str, Any]]:
    """Yield the messages with requests that a seat got, in order, one a request, as JSON documents of the wire.

    The first one announces the game, too. Events are in them whether the bot asked for them or not.
    """
    play = open_again(case, job_again(case, {}))
    bundle = Bundle()
    play.announce(seat, bundle)
    for _ in decisions_of(case, play, seat):
        play.ask(seat, bundle, events=True)
        yield bundle.document()
        bundle = Bundle()
