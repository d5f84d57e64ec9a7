"""Bots that are started by hand at a table with bots that the arena starts; with a real lobby and real processes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from arena.league.job import SittingEnd
from arena.league.lobby import Lobby
from arena.league.sitting import Sitting
from arena.players.base import AT_HOME, Limits, Program
from arena.records.record import Finished, Void
from arena.v1 import arena_pb2
from tests.league.sittings import job, program

ME = Program("me", "1", "", (), "", (), "0" * 64, token="by hand")
PATIENT = Limits(start_s=60, move_ms=60_000)


@asynccontextmanager
async def lobby_with_guest() -> AsyncIterator[Lobby]:
    """Yield a lobby in which a bot that was started by hand waits for its first sitting."""
    addresses: list[str] = []
    lobby = Lobby(AT_HOME, addresses.append)
    await lobby.open([ME])
    variables = os.environ | {"ARENA_ADDRESS": addresses[0], "ARENA_TOKEN": ME.token}
    bot = await asyncio.create_subprocess_exec(sys.executable, "-m", "arena.testing.bots", env=variables)
    try:
        while lobby.guest(ME).connection is None:
            await asyncio.sleep(0.01)
        yield lobby
    finally:
        await lobby.close()
        await asyncio.wait_for(bot.wait(), 30)


def most_requests(logs: Path) -> int:
    """Return the greatest number of requests in a list that a bot has dumped."""
    lists = [arena_pb2.PlayResponse.FromString(bytes.fromhex(line)) for line in logs.read_text().split()]
    return max(len(sent.requests) for sent in lists)


def test_a_sitting_with_a_guest_begins_when_all_others_have_said_hello(tmp_path: Path) -> None:
    """Before that nobody knows how many games at once they can play; the guest is there at once."""
    slow = [program(name, "--start-ms", "500", "--in-flight", "1", "--dump") for name in "bc"]
    sitting = job([ME, *slow], 8, PATIENT, in_flight=48, logs=str(tmp_path))

    async def play() -> list[Finished | Void | SittingEnd]:
        async with lobby_with_guest() as lobby:
            return [item async for item in Sitting(sitting, lobby=lobby).play()]

    *games, end = asyncio.run(asyncio.wait_for(play(), 60))
    assert [type(game) for game in games] == [Finished] * 8
    (b,), (c,) = (list((tmp_path / name).glob("*.log")) for name in "bc")
    assert (most_requests(b), most_requests(c)) == (1, 1)
    assert isinstance(end, SittingEnd)
    assert end.start_seconds > 0.5
