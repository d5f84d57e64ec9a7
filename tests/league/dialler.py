"""A bot that opens more streams than it needs: ``python -m tests.league.dialler``, with ``--leave`` or ``--hurry``."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from argparse import Namespace
from typing import Any, NoReturn

import grpc

from arena.testing.bots import Fixture, parser
from arena.v1 import arena_pb2

PAUSE_S = 0.05
HEARD_S = 0.1
"""After this time an answer has been read, unless the machine is very busy: only then nothing is open any more."""

WELCOME = "welcome after"


def dial(channel: Any) -> Any:
    """Open a stream with the bot's token."""
    play = channel.stream_stream("/arena.v1.ArenaService/Play")
    return play(metadata=(("authorization", f"Bearer {os.environ['ARENA_TOKEN']}"),))


async def dial_and_leave(channel: Any) -> None:
    """Open a stream, say nothing on it, and break it."""
    call = dial(channel)
    await call.wait_for_connection()
    call.cancel()


class Leaver(Fixture):
    """Breaks its stream after its first answers, and from then on comes and goes without a word."""

    async def _take(self, call: Any, response: arena_pb2.PlayResponse) -> None:
        await super()._take(call, response)
        if response.requests:
            await asyncio.sleep(HEARD_S)
            call.cancel()
            await self._come_and_go()

    async def _come_and_go(self) -> NoReturn:
        async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
            while True:
                await asyncio.sleep(PAUSE_S)
                await dial_and_leave(channel)


class Hurrier(Fixture):
    """Leaves a first stream without a word, and plays as it should on the next one; prints when that was welcome."""

    async def run(self) -> None:
        """Dial twice."""
        async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
            self.left_at = time.monotonic()
            await dial_and_leave(channel)
        await super().run()

    async def _take(self, call: Any, response: arena_pb2.PlayResponse) -> None:
        if response.HasField("welcome"):
            print(f"{WELCOME} {time.monotonic() - self.left_at}", flush=True)
        await super()._take(call, response)


def main() -> None:
    """Run the bot that is named first; the other flags are those of the fixture bot."""
    kinds: dict[str, type[Fixture]] = {"--leave": Leaver, "--hurry": Hurrier}
    flags: Namespace = parser().parse_args(sys.argv[2:])
    asyncio.run(kinds[sys.argv[1]](flags).run())


if __name__ == "__main__":
    main()
