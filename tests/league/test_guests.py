"""Bots that are started by hand at a table with bots that the arena starts; with a real lobby and real processes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from arena.errors import Termination
from arena.league.job import SittingEnd
from arena.league.lobby import Guest, Lobby
from arena.league.seated import Seated
from arena.league.sitting import Sitting
from arena.players.base import AT_HOME, Limits, Program
from arena.players.remote import End
from arena.records.record import Finished, Void
from arena.v1 import arena_pb2
from tests.league.sittings import job, program

ME, YOU = (Program(name, "1", "", (), "", (), "0" * 64, token=f"by hand: {name}") for name in ("me", "you"))
PATIENT = Limits(start_s=60, move_ms=60_000)


@asynccontextmanager
async def lobby_with(*programs: Program) -> AsyncIterator[Lobby]:
    """Yield a lobby in which bots that were started by hand wait for their first sitting."""
    addresses: list[str] = []
    lobby = Lobby(AT_HOME, addresses.append)
    await lobby.open(programs)
    bots = [await start_bot(addresses[0], program) for program in programs]
    try:
        while any(lobby.guest(program).connection is None for program in programs):
            await asyncio.sleep(0.01)
        yield lobby
    finally:
        await lobby.close()
        await asyncio.wait_for(asyncio.gather(*(bot.wait() for bot in bots)), 30)


async def start_bot(address: str, program: Program) -> asyncio.subprocess.Process:
    """Start a fixture bot as a person does."""
    variables = os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": program.token}
    return await asyncio.create_subprocess_exec(sys.executable, "-m", "arena.testing.bots", env=variables)


def most_requests(logs: Path) -> int:
    """Return the greatest number of requests in a list that a bot has dumped."""
    lists = [arena_pb2.PlayResponse.FromString(bytes.fromhex(line)) for line in logs.read_text().split()]
    return max(len(sent.requests) for sent in lists)


def test_a_sitting_with_a_guest_begins_when_all_others_have_said_hello(tmp_path: Path) -> None:
    """Before that nobody knows how many games at once they can play; the guest is there at once."""
    slow = [program(name, "--start-ms", "500", "--in-flight", "1", "--dump") for name in "bc"]
    sitting = job([ME, *slow], 8, PATIENT, in_flight=48, logs=str(tmp_path))

    async def play() -> list[Finished | Void | SittingEnd]:
        async with lobby_with(ME) as lobby:
            return [item async for item in Sitting(sitting, lobby=lobby).play()]

    *games, end = asyncio.run(asyncio.wait_for(play(), 60))
    assert [type(game) for game in games] == [Finished] * 8
    (b,), (c,) = (list((tmp_path / name).glob("*.log")) for name in "bc")
    assert (most_requests(b), most_requests(c)) == (1, 1)
    assert isinstance(end, SittingEnd)
    assert end.start_seconds > 0.5


def test_a_guest_that_is_lost_while_its_sitting_is_closed_is_not_seated_there_again() -> None:
    """Its stream breaks the rules just when the other guest has been told to leave, and it has not yet."""
    seats: list[Seated | None] = []

    async def play() -> None:
        async with lobby_with(ME, YOU) as lobby:
            me, you = lobby.guest(ME), lobby.guest(YOU)

            def sit_me(seated: Seated | None) -> None:
                Guest.sit(me, seated)
                if seated is None and you.connection is not None:
                    you.on_end(you.connection, End(Termination.PROTOCOL, "garbage", False))

            def sit_you(seated: Seated | None) -> None:
                seats.append(seated)
                Guest.sit(you, seated)

            me.sit, you.sit = sit_me, sit_you  # type: ignore[method-assign]
            playing = Sitting(job([ME, YOU, program("b")], 200, PATIENT, in_flight=1), lobby=lobby).play()
            assert isinstance(await anext(playing), Finished)
            await playing.aclose()

    asyncio.run(asyncio.wait_for(play(), 60))
    assert len(seats) == 2, "it has taken its seat and left it"
    assert seats[-1] is None
