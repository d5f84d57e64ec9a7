"""A pipe between a bot and the referee that can be cut, as a network would cut it: in the middle of anything."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

CHUNK_BYTES = 1 << 16
MESSAGE_LEAST_BYTES = 100
"""HTTP/2 says less than this between the messages; no message with a request is so short."""


class Relay:
    """Passes bytes between connections to one socket file and another.

    Args:
        outside: the socket file that is made here.
        inside: the socket file that is connected to for each connection.
    """

    def __init__(self, outside: Path, inside: Path) -> None:
        self._outside = outside
        self._inside = inside
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._behind: asyncio.Event | None = None
        self._at_once = False

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_unix_server(self._accept, self._outside)

    def cut(self) -> None:
        """Cut every connection that exists; new ones are taken."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def cut_behind(self, patience_s: float, after_s: float) -> None:
        """Cut every connection behind the next message that goes from the inside to the outside.

        Args:
            patience_s: they are cut all the same when none has come within this time.
            after_s: how long after the message; 0: at once, before whoever reads it can have answered.
        """
        self._behind = passed = asyncio.Event()
        self._at_once = not after_s
        with suppress(TimeoutError):
            await asyncio.wait_for(passed.wait(), patience_s)
        self._behind = None
        await asyncio.sleep(after_s)
        self.cut()

    async def stop(self) -> None:
        """Cut everything and listen no more."""
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            there, back = await asyncio.open_unix_connection(self._inside)
        except OSError:
            # The referee has gone: so has what is behind this pipe.
            writer.transport.abort()
            return
        self._writers.add(back)
        for source, sink in ((reader, back), (there, writer)):
            task = asyncio.create_task(self._pump(source, sink, outwards=sink is writer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, outwards: bool) -> None:
        with suppress(OSError):  # either end may go at any time
            while data := await source.read(CHUNK_BYTES):
                sink.write(data)
                if outwards and self._behind is not None and len(data) >= MESSAGE_LEAST_BYTES:
                    self._behind.set()
                    if self._at_once:
                        self.cut()
                await sink.drain()
        self._writers.discard(sink)
        sink.close()
