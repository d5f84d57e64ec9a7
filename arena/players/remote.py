"""Bots behind gRPC streams: the referee serves, each bot process dials in with its token.

Messages cross gRPC as bytes and are parsed here, so that bytes which are no message are a bot's fault with evidence and
not an error inside the library. Each stream has one reader and one writer (a reader that also writes stalls,
performance.md); times are taken right before a write and right after a read.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from time import monotonic_ns
from typing import Any, NamedTuple, Protocol

import grpc

from arena.errors import Termination
from arena.protocol.convert import Answer, Bundle, Hello, hear

PROTOCOL = 1
MESSAGE_BYTES = 64 << 10
"""Largest message of a bot, after decompression; a larger one is a protocol fault."""
TRANSPORT_BYTES = 4 << 20
"""gRPC ends a stream whose message exceeds this without reading it; that looks like any other broken stream."""
SETTLE_S = 0.02
METHOD = "arena.v1.ArenaService"
SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", TRANSPORT_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.so_reuseport", 0),
    ("grpc.max_concurrent_streams", 4),
)


def new_token() -> str:
    """Return a fresh token of 128 bits."""
    return secrets.token_hex(16)


class End(NamedTuple):
    """How a stream ended, the process being left aside.

    Attributes:
        word: the fault it is.
        words: what happened, for a person.
        may_return: the stream broke, and the bot may dial again; one that was closed in order, or had to be, is over.
    """

    word: Termination
    words: str
    may_return: bool


BROKEN = End(Termination.DISCONNECT, "the stream broke", True)
CLOSED = End(Termination.DISCONNECT, "the bot ended its stream while its process lived on", False)


class Listener(Protocol):
    """What the referee does with a bot's stream; every call comes from the event loop, none may block."""

    def on_hello(self, connection: Connection, hello: Hello) -> None:
        """Take the bot's introduction, its first message."""
        ...

    def on_answers(self, answers: Sequence[Answer], now_ns: int) -> None:
        """Take a list of answers, decoded at ``now_ns``."""
        ...

    def on_sent(self, keys: Sequence[tuple[str, int]], now_ns: int) -> None:
        """Take notice that a list of requests, (game id, decision) each, is being written at ``now_ns``."""
        ...

    def on_end(self, connection: Connection, end: End) -> None:
        """Take notice that a stream has ended, and how."""
        ...


class Connection:
    """The stream of one bot process, from its Hello to its end.

    Attributes:
        token: what the process identified itself with.
    """

    def __init__(self, context: Any, listener: Listener, token: str) -> None:
        self.token = token
        self._context = context
        self._listener = listener
        self._outbox: list[Bundle] = []
        self._wake: asyncio.Future[None] | None = None
        self._closing = False

    def post(self, bundle: Bundle) -> None:
        """Send a bundle, after those posted before it."""
        self._outbox.append(bundle)
        self._stir()

    def close(self) -> None:
        """End the stream once all that was posted is written."""
        self._closing = True
        self._stir()

    def say_goodbye(self, words: str) -> None:
        """Send a goodbye and end the stream."""
        self.post(Bundle().goodbye(words))
        self.close()

    def _stir(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def serve(self) -> None:
        """Read and write until either side ends the stream."""
        reader, writer = asyncio.create_task(self._read()), asyncio.create_task(self._write())
        end = BROKEN
        try:
            await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
            if reader.done() and not self._closing:
                end = reader.result()
                if end is CLOSED:
                    end = BROKEN
                    await asyncio.sleep(SETTLE_S)  # gRPC cancels us meanwhile if the stream broke instead
                    end = CLOSED
        finally:
            reader.cancel()
            writer.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)
            if not self._closing:
                self._listener.on_end(self, end)

    async def _read(self) -> End:
        greeted = False
        while (data := await self._context.read()) is not grpc.aio.EOF:
            now = monotonic_ns()
            if len(data) > MESSAGE_BYTES:
                words = f"a message of {len(data)} bytes; accepted are {MESSAGE_BYTES}"
                return End(Termination.PROTOCOL, words, False)
            try:
                said = hear(data)
            except ValueError as error:
                return End(Termination.PROTOCOL, str(error), False)
            if isinstance(said, Hello) == greeted:
                words = "a second hello" if greeted else "answers before the hello"
                return End(Termination.PROTOCOL, words, False)
            if isinstance(said, Hello):
                greeted = True
                self._listener.on_hello(self, said)
            else:
                self._listener.on_answers(said, now)
        return CLOSED

    async def _write(self) -> None:
        while True:
            while self._outbox:
                bundle = self._outbox.pop(0)
                data = bundle.data()
                if bundle.keys:
                    self._listener.on_sent(bundle.keys, monotonic_ns())
                try:
                    await self._context.write(data)
                except grpc.aio.BaseError:
                    return
            if self._closing:
                return
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake


class Server:
    """One gRPC server on some addresses; each expected bot is known by its token alone."""

    def __init__(self) -> None:
        self._server = grpc.aio.server(options=SERVER_OPTIONS)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(METHOD, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}),)
        )
        self._expected: dict[str, Listener] = {}
        self._connected: set[str] = set()
        self.strangers = 0

    async def start(self, addresses: Sequence[str]) -> None:
        """Bind every address, then serve; gRPC serves nothing that is bound later."""
        for address in addresses:
            self._server.add_insecure_port(address)
        await self._server.start()

    async def start_tcp(self, host: str) -> int:
        """Bind a free TCP port of a host, then serve; return the port."""
        port = self._server.add_insecure_port(f"{host}:0")
        await self._server.start()
        return port

    async def stop(self, grace: float | None = None) -> None:
        """End the server and all streams: at once, or those that have not ended by themselves after the grace (s)."""
        await self._server.stop(grace=grace)

    def expect(self, token: str, listener: Listener) -> None:
        """Let a bot with this token connect."""
        self._expected[token] = listener

    def forget(self, token: str) -> None:
        """Refuse this token from now on."""
        self._expected.pop(token, None)
        self._connected.discard(token)

    async def _play(self, _: Any, context: Any) -> None:
        token = _token(context)
        if token not in self._expected:
            self.strangers += 1
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "unknown token: see ARENA_TOKEN")
        if token in self._connected:
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "this bot is connected already")
        self._connected.add(token)
        try:
            await Connection(context, self._expected[token], token).serve()
        except asyncio.CancelledError:
            pass  # the bot has gone, or the server stops: gRPC would print a trace of it
        finally:
            self._connected.discard(token)


def _token(context: Any) -> str:
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return str(value).removeprefix("Bearer ")
    return ""
