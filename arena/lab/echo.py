"""A bare gRPC bidirectional echo: what any referee in Python must pay for transport (performance.md).

The server writes requests of 400 bytes and the client, a process of its own like a bot, answers each with 30 bytes.
``python -m arena.lab.echo ADDRESS`` is the client.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time_ns
from typing import Any

import grpc

from arena.players.scratch import make_folder, remove_tree

REQUEST, REPLY = bytes(400), bytes(30)
METHOD = "/arena.lab.Echo/Play"
WARM_UP_S = 0.2


@dataclass(slots=True)
class Echoed:
    """What was measured: requests answered, in how many seconds, messages sent, and both sides' processor time."""

    decisions: int = 0
    seconds: float = 0.0
    messages: int = 0
    referee_cpu_ns: int = 0
    bot_cpu_ns: int = 0


class _Server:
    """Keeps ``in_flight`` requests open, each in a message of its own or all that are due in one list."""

    def __init__(self, in_flight: int, *, lists: bool, seconds: float) -> None:
        self._in_flight = in_flight
        self._lists = lists
        self._seconds = seconds
        self.echoed = Echoed()
        self.done = asyncio.Event()

    async def play(self, _: Any, context: Any) -> None:
        due = self._in_flight
        begin, cpu = monotonic() + WARM_UP_S, 0
        while True:
            if self._lists:
                await context.write(REQUEST * due)
                self.echoed.messages += 1
            else:
                for _ in range(due):
                    await context.write(REQUEST)
                self.echoed.messages += due
            reply = await context.read()
            due = len(reply) // len(REPLY)
            now = monotonic()
            if not cpu and now > begin:
                begin, cpu = now, process_time_ns()
                self.echoed.decisions = self.echoed.messages = 0
            self.echoed.decisions += due
            if cpu and now - begin > self._seconds:
                break
        self.echoed.seconds = now - begin
        self.echoed.referee_cpu_ns = process_time_ns() - cpu
        self.done.set()


async def measure(in_flight: int, *, lists: bool, seconds: float) -> Echoed:
    """Run the echo for some seconds in this process with one client process."""
    serving = _Server(in_flight, lists=lists, seconds=seconds)
    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(serving.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.lab.Echo", {"Play": handler}),))
    with ExitStack() as stack:
        folder = make_folder("arena-echo-")
        stack.callback(remove_tree, folder)
        address = f"unix://{folder}/echo"
        server.add_insecure_port(address)
        await server.start()
        client = subprocess.Popen([sys.executable, "-m", "arena.lab.echo", address], start_new_session=True)
        try:
            await asyncio.wait_for(serving.done.wait(), seconds + 30)
            serving.echoed.bot_cpu_ns = _cpu_ns(client.pid)
        finally:
            client.kill()
            client.wait()
            await server.stop(None)
    return serving.echoed


def _cpu_ns(pid: int) -> int:
    """Return the processor time of a process, its start included."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


async def _client(address: str) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        play: Any = channel.stream_stream(METHOD)
        call = play()
        while (message := await call.read()) is not grpc.aio.EOF:
            await call.write(REPLY * (len(message) // len(REQUEST)))


if __name__ == "__main__":
    asyncio.run(_client(sys.argv[1]))
