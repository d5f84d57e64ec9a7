"""What a worker does: it plays sittings one after the other, and tells its parent what comes of them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from multiprocessing.connection import Connection

from arena.league.job import Job
from arena.league.lobby import Lobby
from arena.league.messages import ITEM, LOBBY, OPENED, PLAY, READY, STOP, STRANGERS
from arena.league.sitting import Sitting
from arena.league.world import World
from arena.players.base import Listen
from arena.players.remote import Server


class Service:
    """The service of a worker; made in the loop in which it serves.

    Args:
        pipe: the socket to the parent; its words are those of ``arena.league.messages``.
        listen: where bots that are started by hand dial in.
    """

    def __init__(self, pipe: Connection, listen: Listen) -> None:
        self._pipe = pipe
        self._loop = asyncio.get_running_loop()
        self._inbox: asyncio.Queue[Job] = asyncio.Queue()
        self._ended = self._loop.create_future()
        self._lobby = Lobby(listen, lambda address: pipe.send((LOBBY, address)))
        self._servers: list[Server] = []
        self._sitting: Sitting | None = None
        self._stopping = False

    async def serve(self) -> None:
        """Play the jobs that come through the pipe until it ends.

        Raises:
            UsageError: for what the operator can mend, such as an address at which nothing can listen.
            BrokenPipeError: when the parent has gone.
        """
        self._loop.add_reader(self._pipe.fileno(), self._read)
        work = asyncio.ensure_future(self._work())
        await asyncio.wait([work, self._ended], return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            work.result()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        await self._lobby.close()

    def _read(self) -> None:
        try:
            while self._pipe.poll():
                word, content = self._pipe.recv()
                if word == PLAY:
                    self._inbox.put_nowait(content)
                elif word == STOP:
                    self._stop()
        except (EOFError, OSError):
            self._loop.remove_reader(self._pipe.fileno())
            self._ended.set_result(None)

    def _stop(self) -> None:
        self._stopping = True
        if self._sitting is not None:
            self._sitting.stop()

    async def _work(self) -> None:
        try:
            while True:
                self._pipe.send((READY, None))
                await self._play(await self._inbox.get())
        finally:  # while the loop runs: without one gRPC cannot take leave of its servers
            self._sitting = None
            self._servers.clear()

    async def _play(self, job: Job) -> None:
        await self._lobby.open(job.programs)
        self._sitting = Sitting(job, lobby=self._lobby, world=World(server=self._server), on_open=self._tell_opened)
        if self._stopping:  # it was told before there was a sitting
            self._sitting.stop()
        async with aclosing(self._sitting.play()) as items:
            async for item in items:
                self._pipe.send((ITEM, item))
        self._sitting = None
        if strangers := self._lobby.take_strangers() + sum(server.strangers for server in self._servers):
            self._pipe.send((STRANGERS, strangers))
        self._servers.clear()

    def _server(self) -> Server:
        self._servers.append(Server())
        return self._servers[-1]

    def _tell_opened(self, game_id: str) -> None:
        with suppress(OSError):  # the parent has gone: the pipe's end is read next, and ends everything
            self._pipe.send((OPENED, game_id))
