"""Fixture bots: one program whose flags make it misbehave in every way that the referee must survive.

``python -m arena.testing.bots --fault crash --at 5`` plays legal actions and crashes at its fifth decision. It speaks
the protocol itself instead of using the SDK, so that it can break it.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import hashlib
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
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
FLOOD_MB = 4


def _exit(status: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _say_when() -> None:
    """Say at what moment of the machine's monotonic clock the process ends."""
    print(f"fixture: ending at {time.monotonic_ns()}", file=sys.stderr, flush=True)


def _end(status: int) -> NoReturn:
    _say_when()
    _exit(status)


def _crash() -> NoReturn:
    print("fixture: crashing as told", file=sys.stderr)
    _end(3)


def _segfault() -> None:
    """Read what is not there: the first process of a sandbox is deaf to signals that it sends to itself."""
    _say_when()
    ctypes.string_at(0)


def _be_killed() -> None:
    """Be ended by SIGKILL; in a sandbox only the kernel can do that, here for using a second of the processor."""
    _say_when()
    os.kill(os.getpid(), signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    _compute(ms=3_600_000)


def _hang() -> None:
    print("fixture: hanging", file=sys.stderr, flush=True)
    time.sleep(FOR_EVER_S)


def _flood(megabytes: int = FLOOD_MB) -> None:
    """Write half to stdout and half to stderr."""
    for stream in (sys.stdout, sys.stderr):
        for _ in range(megabytes // 2):
            stream.write("x" * (1 << 20))
        stream.flush()


def _chatter() -> None:
    """Write to stderr without end, beside the play."""

    def write() -> None:
        while True:
            sys.stderr.write("x" * CHATTER_BYTES)
            time.sleep(0.001)

    threading.Thread(target=write, daemon=True).start()


def _spin() -> None:
    """Compute without end beside the play, without keeping the interpreter from it."""
    threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"", b"", (1 << 31) - 1), daemon=True).start()


def _reach_out() -> None:
    """Try to reach the network: an address that nobody has (RFC 5737), and a name."""
    with suppress(OSError):
        socket.create_connection(("192.0.2.1", 80), timeout=0.2)
    with suppress(OSError):
        socket.getaddrinfo("arena.invalid", 80)


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
    "exit0": lambda: _end(0),
    "segfault": _segfault,
    "killed": _be_killed,
    "hang": _hang,
    "flood": _flood,
    "chatter": _chatter,
    "abort": os.abort,
    "spin": _spin,
    "network": _reach_out,
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
    made.add_argument("--sleeps", type=int, default=0, help="sleep at so many decisions alone, the first; 0: at all")
    made.add_argument("--start-ms", type=float, default=0, help="sleep this long before the hello")
    made.add_argument("--ready-s", type=float, default=0, help="say hello this long after the process was started")
    made.add_argument("--load-mb", type=int, default=0, help="fill this much memory before the hello")
    made.add_argument("--tell", action="store_true", help="note own time and what the request says of time, as JSON")
    made.add_argument("--flood-mb", type=int, default=FLOOD_MB, help="how much the fault 'flood' writes")
    made.add_argument("--dump", action="store_true", help="print all that is heard, measured times aside")
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
        self._load()
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

    def _load(self) -> None:
        """Take time and memory before the hello, as a bot that loads a model does."""
        time.sleep(self.flags.start_ms / 1000)
        self.model = b"x" * (self.flags.load_mb << 20)
        if self.flags.ready_s:
            print("fixture: loading a model", file=sys.stderr, flush=True)
            time.sleep(max(0.0, self.flags.ready_s - _age_s()))

    async def _converse(self) -> None:
        async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
            call = _dial(channel)
            await self._in_phase(call, "start")
            await self._greet(call)
            while (data := await call.read()) is not grpc.aio.EOF:
                response = arena_pb2.PlayResponse.FromString(data)
                if self.flags.dump:
                    _dump(response)
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
        began = time.monotonic_ns()
        _compute(self.flags.think_ms)
        if not self.flags.sleeps or self.decisions <= self.flags.sleeps:
            time.sleep(self.flags.sleep_ms / 1000)
        answer = arena_pb2.Answer(game_id=request.game_id, decision=request.decision, action=self._choose(request))
        if self.flags.tell:
            answer.note = _told(request, time.monotonic_ns() - began)
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
        elif fault == "flood":
            _flood(self.flags.flood_mb)
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


def _told(request: arena_pb2.Request, own_ns: int) -> str:
    """Return, as JSON, the bot's own time for a decision and what its request says of time."""
    said = {"budget_ms": request.budget_ms, "bank_ms": request.bank_ms, "last_us": request.last_answer_us}
    return json.dumps({"own_us": own_ns // 1000, **said})


def _dump(response: arena_pb2.PlayResponse) -> None:
    """Print a message; what the last answer was charged is measured and never twice the same."""
    shown = arena_pb2.PlayResponse()
    shown.CopyFrom(response)
    for request in shown.requests:
        request.ClearField("last_answer_us")
    print(shown.SerializeToString(deterministic=True).hex(), flush=True)


def _age_s() -> float:
    """Return how long ago this process was started, by the kernel's clock."""
    with open("/proc/self/stat", encoding="ascii") as stat:
        ticks = int(stat.read().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


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
