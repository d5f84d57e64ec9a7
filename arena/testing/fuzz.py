"""A fuzz bot: plays legal actions and, every now and then, does the first bad thing that comes to mind.

``python -m arena.testing.fuzz --seed 7`` does the same again in every run: what it does with a request follows from the
seed and the request's name alone. One bot stands for all ways of misbehaving at once, in orders that nobody thought of.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from typing import Any

from arena.testing.bots import FOR_EVER_S, HUGE_BYTES, INSTEAD, Fixture, parser
from arena.v1 import arena_pb2

FLOOD_BYTES = 1 << 20
DELAY_MOST_S = 1.5
BYTES_MOST = 300
EXITS = (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGABRT)


class Fuzzer(Fixture):
    """The bot on its stream."""

    async def _answer(self, call: Any, request: arena_pb2.Request) -> list[arena_pb2.Answer]:
        draw = random.Random(f"{self.flags.seed}/{request.game_id}/{request.decision}")
        action = draw.choice(request.legal_actions)
        answer = arena_pb2.Answer(game_id=request.game_id, decision=request.decision, action=action)
        if draw.random() >= self.flags.share:
            return [answer]
        deed = draw.choice((self._say, self._do, self._break_stream))
        return await deed(call, answer, draw)

    async def _say(self, _: Any, answer: arena_pb2.Answer, draw: random.Random) -> list[arena_pb2.Answer]:
        """Answer something else, more than once, elsewhere, or nothing."""
        stray = arena_pb2.Answer(game_id=answer.game_id, decision=draw.getrandbits(32), action=answer.action)
        noise = draw.randbytes(draw.randrange(BYTES_MOST)).decode("utf-8", "replace")
        other = arena_pb2.Answer(game_id=answer.game_id, decision=answer.decision, action=noise, note=noise)
        illegal = arena_pb2.Answer(game_id=answer.game_id, decision=answer.decision, action=INSTEAD["illegal"])
        return draw.choice(([other], [illegal], [answer] * draw.randint(2, 20), [stray, answer], [answer, stray], []))

    async def _do(self, _: Any, answer: arena_pb2.Answer, draw: random.Random) -> list[arena_pb2.Answer]:
        """Be late, talk, leave a child behind, or end."""
        deed = draw.randrange(4)
        if deed == 0:
            time.sleep(draw.random() * DELAY_MOST_S)
        elif deed == 1:
            sys.stderr.write("x" * draw.randrange(FLOOD_BYTES))
        elif deed == 2:
            subprocess.Popen(["sleep", str(FOR_EVER_S)], start_new_session=draw.random() < 0.5)
        elif draw.random() < 0.5:
            os._exit(draw.randrange(256))
        else:
            os.kill(os.getpid(), draw.choice(EXITS))
        return [answer]

    async def _break_stream(self, call: Any, answer: arena_pb2.Answer, draw: random.Random) -> list[arena_pb2.Answer]:
        """Send what is no message, or end the stream in one way or another."""
        deed = draw.randrange(5)
        if deed == 0:
            await call.write(draw.randbytes(draw.randrange(BYTES_MOST)))
        elif deed == 1:
            await call.write(b"x" * HUGE_BYTES)
        elif deed == 2:
            await self._send(call, arena_pb2.PlayRequest(hello=arena_pb2.Hello(protocol=draw.randrange(3))))
        else:
            if deed == 3:
                await call.done_writing()
            else:
                call.cancel()
            await asyncio.sleep(draw.choice((0, FOR_EVER_S)))
        return [answer]


def arguments() -> argparse.Namespace:
    """Return the flags of the command line: those of the fixture bots, a seed, and how often to misbehave."""
    flags = parser()
    flags.add_argument("--seed", default="0", help="what it does follows from this and the request")
    flags.add_argument("--share", type=float, default=0.1, help="of its decisions, how many go wrong, 0 to 1")
    return flags.parse_args()


if __name__ == "__main__":
    asyncio.run(Fuzzer(arguments()).run())
