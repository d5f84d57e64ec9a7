"""Fixture bots: one program whose flags make it misbehave in every way that the referee must survive.

``python -m arena.testing.bots --fault crash --at 5`` plays legal actions and crashes at its fifth decision. It speaks
the protocol itself instead of using the SDK, so that it can break it.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

import grpc

from arena.testing import attacks
from arena.v1 import arena_pb2

FOR_EVER_S = 3600
MOMENT_S = 0.02
HUGE_BYTES = 1 << 20
VAST_BYTES = 64 << 20
CHATTER_BYTES = 64 << 10
UNKNOWN_FIELDS = (
    bytes([0xAA, 0xF7, 0x01, 5]) + b"later" + bytes([0xB0, 0xF7, 0x01, 2]) + bytes([0xB9, 0xF7, 0x01]) + b"1" * 8
)
"""Fields 3957 to 3959, which no message has: a text, another seat, a time of day."""
FLOOD_BYTES = 4 << 20


def _exit(status: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _crash() -> NoReturn:
    print("fixture: crashing as told", file=sys.stderr)
    _exit(3)


def _segfault() -> None:
    """Read what is not there: the first process of a sandbox is deaf to signals that it sends to itself."""
    ctypes.string_at(0)


def _be_killed() -> None:
    """Be ended by SIGKILL; in a sandbox only the kernel can do that, here for using a second of the processor."""
    os.kill(os.getpid(), signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    _compute(ms=3_600_000)


def _hang() -> None:
    time.sleep(FOR_EVER_S)


def _flood() -> None:
    sys.stdout.write("x" * FLOOD_BYTES)
    sys.stdout.flush()


def _chatter() -> None:
    """Write to stderr without end, beside the play."""

    def write() -> None:
        while True:
            sys.stderr.write("x" * CHATTER_BYTES)
            time.sleep(0.001)

    threading.Thread(target=write, daemon=True).start()


def _fork() -> None:
    """Leave a grandchild in a session of its own behind."""
    code = f"import subprocess; subprocess.Popen(['sleep', '{FOR_EVER_S}'], start_new_session=True)"
    subprocess.run([sys.executable, "-c", code], check=True, start_new_session=True)


INSTEAD = {
    "illegal": "lay 11",
    "malformed": "PASS",
    "empty": "",
    "resign": "resign",
    "number": "2147483647",
    "long": "x" * 10_000,
}
"""Faults that send another action than a legal one."""

DEEDS: dict[str, Callable[[], None]] = {
    "crash": _crash,
    "exit0": lambda: _exit(0),
    "segfault": _segfault,
    "killed": _be_killed,
    "hang": _hang,
    "flood": _flood,
    "chatter": _chatter,
    "abort": os.abort,
    "fork": _fork,
    "memory": lambda: attacks.eat(shared=False),
    "shared-memory": lambda: attacks.eat(shared=True),
    "fill-disk": attacks.fill_disk,
    "breed": attacks.breed,
}
"""Faults that do something before the answer, if one still comes."""

STREAM = ("garbage", "huge", "vast", "half-close", "cancel", "cut", "second-hello", "second-stream")
"""Faults of the stream; ``cut`` dials again at once, as an SDK does."""

HABITS = ("duplicate", "stale", "reverse", "mute", "extra")
"""Faults in how answers are sent, from the decision named by ``--at`` on."""

STARTS = ("never", "exit-early", "wrong-protocol", "no-games", "answers-first")
"""Faults before the first game."""

PHASES = ("start", "idle", "thinking", "after", "goodbye")
"""When: before the hello, before the first request, instead of an answer, after one, at the goodbye."""

FAULTS = ("none", "late", *INSTEAD, *DEEDS, *STREAM, *HABITS, *STARTS)


def parser() -> argparse.ArgumentParser:
    """Return the command line of the fixture bot."""
    made = argparse.ArgumentParser(prog="python -m arena.testing.bots", description=__doc__)
    made.add_argument("--policy", choices=("first", "last", "random"), default="random", help="which legal action")
    made.add_argument("--fault", choices=FAULTS, default="none")
    made.add_argument("--then", choices=FAULTS, default="none", help="another fault in the same decision")
    made.add_argument("--when", choices=PHASES, default="thinking", help="in which phase the fault happens")
    made.add_argument("--at", type=int, default=5, help="decision at which the fault begins, from 1")
    made.add_argument("--every", action="store_true", help="repeat the fault at every later decision")
    made.add_argument("--late-ms", type=float, default=500, help="how late the fault 'late' is")
    made.add_argument("--think-ms", type=float, default=0, help="compute this long at every decision")
    made.add_argument("--sleep-ms", type=float, default=0, help="sleep this long at every decision")
    made.add_argument("--start-ms", type=float, default=0, help="sleep this long before the hello")
    made.add_argument("--in-flight", type=int, default=64)
    made.add_argument("--one-by-one", action="store_true", help="send every answer alone")
    made.add_argument("--ignore-term", action="store_true", help="ignore SIGTERM, and goodbyes")
    made.add_argument("--events", action="store_true", help="ask for events")
    return made


class Cut(Exception):
    """The stream was cut and is to be dialled again."""


class Fixture:
    """The bot on its stream."""

    def __init__(self, flags: argparse.Namespace) -> None:
        self.flags = flags
        self.decisions = 0
        self.seeds: dict[str, random.Random] = {}

    async def run(self) -> None:
        """Connect, play and misbehave."""
        if self.flags.ignore_term:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(self.flags.start_ms / 1000)
        if self.flags.fault == "never":
            _hang()
        if self.flags.fault == "exit-early":
            raise ImportError("fixture: no module named as told")
        try:
            await self._converse()
        except Cut:
            await self._converse()
        if self.flags.ignore_term:
            _hang()

    async def _converse(self) -> None:
        async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
            call = _dial(channel)
            await self._in_phase(call, "start")
            await self._greet(call)
            while (data := await call.read()) is not grpc.aio.EOF:
                response = arena_pb2.PlayResponse.FromString(data)
                await self._take(call, response)
                if response.HasField("goodbye") or response.HasField("refusal"):
                    await self._in_phase(call, "goodbye")
                    break

    async def _in_phase(self, call: Any, phase: str) -> None:
        """Misbehave outside of a decision, if this is the time for it; an answer then answers nothing."""
        if self.flags.when != phase or self.flags.fault == "none":
            return
        answer = arena_pb2.Answer(game_id="no game", action="take")
        await self._misbehave(call, answer, self.flags.fault)
        if self.flags.fault in INSTEAD:
            await self._send(call, arena_pb2.PlayRequest(answers=[answer]))

    async def _greet(self, call: Any) -> None:
        hello = arena_pb2.Hello(
            protocol=99 if self.flags.fault == "wrong-protocol" else 1,
            name="fixture",
            games=["solitaire"] if self.flags.fault == "no-games" else [],
            max_in_flight=self.flags.in_flight,
            wants_events=self.flags.events,
        )
        if self.flags.fault == "answers-first":
            await self._send(call, arena_pb2.PlayRequest(answers=[arena_pb2.Answer(action="take")]))
        await self._send(call, arena_pb2.PlayRequest(hello=hello))

    async def _send(self, call: Any, message: arena_pb2.PlayRequest) -> None:
        await call.write(message.SerializeToString())

    async def _take(self, call: Any, response: arena_pb2.PlayResponse) -> None:
        if response.HasField("welcome"):
            await self._in_phase(call, "idle")
        for game in response.new_games:
            self.seeds[game.game_id] = random.Random(game.bot_seed)
        answers: list[arena_pb2.Answer] = []
        requests = list(response.requests)
        if self.flags.fault == "reverse":
            requests.reverse()
        for request in requests:
            answers += await self._answer(call, request)
            if self.flags.one_by_one and answers:
                await self._send(call, arena_pb2.PlayRequest(answers=answers))
                answers = []
        if answers:
            await self._send(call, arena_pb2.PlayRequest(answers=answers))
        if requests and self._is_due():
            await self._in_phase(call, "after")

    def _is_due(self) -> bool:
        past: int = self.decisions - self.flags.at
        return past == 0 or (past > 0 and bool(self.flags.every))

    async def _answer(self, call: Any, request: arena_pb2.Request) -> list[arena_pb2.Answer]:
        self.decisions += 1
        _compute(self.flags.think_ms)
        time.sleep(self.flags.sleep_ms / 1000)
        answer = arena_pb2.Answer(game_id=request.game_id, decision=request.decision, action=self._choose(request))
        if self.flags.fault in HABITS and self.decisions >= self.flags.at:
            return self._by_habit(answer)
        if self.flags.when == "thinking" and self._is_due():
            await self._misbehave(call, answer, self.flags.fault)
            await self._misbehave(call, answer, self.flags.then)
        return [answer]

    def _choose(self, request: arena_pb2.Request) -> str:
        if self.flags.policy == "random":
            return self.seeds[request.game_id].choice(request.legal_actions)
        return request.legal_actions[0 if self.flags.policy == "first" else -1]

    async def _misbehave(self, call: Any, answer: arena_pb2.Answer, fault: str) -> None:
        if fault in INSTEAD:
            answer.action = INSTEAD[fault]
            answer.note = "I will take the card because it is cheap."
        elif fault in DEEDS:
            DEEDS[fault]()
        elif fault == "late":
            time.sleep(self.flags.late_ms / 1000)
        elif fault in STREAM:
            await self._break(call, fault)

    async def _break(self, call: Any, fault: str) -> None:
        if fault == "garbage":
            await call.write(b"\xff\xfe\xfd no message")
        elif fault == "huge":
            await call.write(b"x" * HUGE_BYTES)
        elif fault == "vast":
            await call.write(b"x" * VAST_BYTES)
            await asyncio.sleep(FOR_EVER_S)
        elif fault == "second-stream":
            await self._dial_twice()
        elif fault == "second-hello":
            await self._send(call, arena_pb2.PlayRequest(hello=arena_pb2.Hello(protocol=1)))
        elif fault == "half-close":
            await call.done_writing()
            await self._linger(fault)
        elif fault == "cut":
            call.cancel()
            await asyncio.sleep(0.1)
            raise Cut
        else:
            call.cancel()
            await self._linger(fault)

    async def _linger(self, fault: str) -> None:
        """Live on without a stream; only for a moment if another fault follows."""
        is_followed = self.flags.then not in ("none", fault)
        await asyncio.sleep(MOMENT_S if is_followed else FOR_EVER_S)

    async def _dial_twice(self) -> None:
        """Open another stream while the first one lives; say how that ended."""
        async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
            code = await _dial(channel).code()
            print(f"fixture: the second stream ended with {code.name}", file=sys.stderr, flush=True)

    def _by_habit(self, answer: arena_pb2.Answer) -> list[arena_pb2.Answer]:
        if self.flags.fault == "duplicate":
            return [answer, answer]
        if self.flags.fault == "stale":
            stale = arena_pb2.Answer(game_id=answer.game_id, decision=answer.decision + 7, action=answer.action)
            return [stale, arena_pb2.Answer(game_id="no such game", action="take"), answer]
        if self.flags.fault == "extra":
            answer.MergeFromString(UNKNOWN_FIELDS)
            return [answer]
        return [answer] if self.flags.fault == "reverse" else []


def _dial(channel: Any) -> Any:
    play = channel.stream_stream("/arena.v1.ArenaService/Play")
    return play(metadata=(("authorization", f"Bearer {os.environ['ARENA_TOKEN']}"),))


def _compute(ms: float) -> None:
    end = time.process_time() + ms / 1000
    while time.process_time() < end:
        pass


def main() -> None:
    """Run the fixture bot with the flags of the command line."""
    asyncio.run(Fixture(parser().parse_args()).run())
    _exit(0)


if __name__ == "__main__":
    main()
