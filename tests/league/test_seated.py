"""One bot on its seat, with a real server and real streams: who is let in, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.league.seated import Seated, Stage
from arena.players.remote import Server
from arena.v1 import arena_pb2
from tests.league.sittings import job, program


class Quiet:
    """A sitting that only counts what it is told."""

    def __init__(self) -> None:
        self.told = 0

    def on_ready(self, *_: Any) -> None:
        self.told += 1

    on_list = on_death = on_failure = on_ready


async def dial(seated: Seated, server: Server, address: str) -> arena_pb2.PlayResponse:
    """Say hello with the bot's token; return the first thing that is said back."""
    server.expect("token", seated)
    async with grpc.aio.insecure_channel(address) as channel:
        play: Any = channel.stream_stream("/arena.v1.ArenaService/Play")
        call = play(metadata=(("authorization", "Bearer token"),))
        await call.write(arena_pb2.PlayRequest(hello=arena_pb2.Hello(protocol=1)).SerializeToString())
        response = arena_pb2.PlayResponse.FromString(await call.read())
        if response.HasField("refusal"):
            assert await call.read() is grpc.aio.EOF
        return response


@pytest.mark.parametrize("stage", [Stage.GONE, Stage.LEAVING])
def test_what_dials_after_the_end_of_the_process_gets_a_refusal_and_no_request(tmp_path: Path, stage: Stage) -> None:
    """Such as a child that the process has left behind: it takes nobody's seat, and the sitting does not notice."""

    async def run() -> None:
        server, host, address = Server(), Quiet(), f"unix://{tmp_path}/0"
        await server.start([address])
        seated = Seated(0, job([program("a")], 0), host, server, address)
        try:
            seated.stage = stage
            refused = await dial(seated, server, address)
            assert refused.refusal.words == "this process is over: it has ended, or its games have"
            assert (host.told, seated.stage, seated.greeted) == (0, stage, False)
            seated.stage = Stage.STARTING
            assert (await dial(seated, server, address)).HasField("welcome")
            assert host.told == 1
        finally:
            await server.stop()

    asyncio.run(asyncio.wait_for(run(), 60))
