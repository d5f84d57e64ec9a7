"""A worker: one process on one core that plays sittings one after the other and tells its parent.

It runs in a session of its own (the kernel shares a core by session, performance.md) and speaks pickles over the
socket that it inherits. When the parent is gone, the socket ends; the worker then ends its bots and itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from contextlib import aclosing, suppress
from multiprocessing.connection import Connection

from arena.errors import UsageError
from arena.league.job import Job
from arena.league.messages import FAILED, ITEM, LOBBY, OPENED, PLAY, READY, REFUSED, STOP, STRANGERS
from arena.players.base import Listen
from arena.protocol.convert import require_upb


async def serve(pipe: Connection, listen: Listen) -> None:
    """Play the jobs that come through the pipe until it ends."""
    from arena.league.lobby import Lobby
    from arena.league.sitting import Sitting
    from arena.league.world import World
    from arena.players.remote import Server

    servers: list[Server] = []

    def server() -> Server:
        servers.append(Server())
        return servers[-1]

    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[Job] = asyncio.Queue()
    lobby = Lobby(listen, lambda address: pipe.send((LOBBY, address)))
    ended = loop.create_future()
    sitting: Sitting | None = None
    stopping = False

    def read() -> None:
        nonlocal stopping
        try:
            while pipe.poll():
                message = pipe.recv()
                if message[0] == STOP:
                    stopping = True
                    if sitting is not None:
                        sitting.stop()
                elif message[0] == PLAY:
                    inbox.put_nowait(message[1])
        except (EOFError, OSError):
            loop.remove_reader(pipe.fileno())
            ended.set_result(None)

    def tell_opened(game_id: str) -> None:
        with suppress(OSError):  # the parent has gone: the pipe's end is read next, and ends everything
            pipe.send((OPENED, game_id))

    async def work() -> None:
        nonlocal sitting
        try:
            await play_all()
        finally:  # while the loop runs: without one gRPC cannot take leave of its servers
            sitting = None
            servers.clear()

    async def play_all() -> None:
        nonlocal sitting
        while True:
            pipe.send((READY, None))
            job = await inbox.get()
            await lobby.open(job.programs)
            sitting = Sitting(job, lobby=lobby, world=World(server=server), on_open=tell_opened)
            if stopping:  # it was told while the lobby opened
                sitting.stop()
            async with aclosing(sitting.play()) as items:
                async for item in items:
                    pipe.send((ITEM, item))
            sitting = None
            if strangers := lobby.take_strangers() + sum(one.strangers for one in servers):
                pipe.send((STRANGERS, strangers))
            servers.clear()

    loop.add_reader(pipe.fileno(), read)
    worker = asyncio.ensure_future(work())
    await asyncio.wait([worker, ended], return_when=asyncio.FIRST_COMPLETED)
    if worker.done():
        worker.result()
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    await lobby.close()


def main(argv: list[str]) -> int:
    """Run a worker.

    Args:
        argv: the inherited descriptor, the core that it and its bots stay on, and a ``Listen`` as JSON.
    """
    pipe, core, listen = Connection(int(argv[0])), int(argv[1]), Listen(**json.loads(argv[2]))
    os.sched_setaffinity(0, {core})
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # else what a bot does to its stream is on the operator's terminal
    try:
        require_upb()
        asyncio.run(serve(pipe, listen))
    except UsageError as error:
        return _tell(pipe, REFUSED, str(error))
    except BrokenPipeError:
        return 1
    except Exception:  # ours: the parent must show it and stop the run, whatever it is
        return _tell(pipe, FAILED, traceback.format_exc())
    return 0


def _tell(pipe: Connection, kind: str, words: str) -> int:
    try:
        pipe.send((kind, words))
    except OSError:
        print(words, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
