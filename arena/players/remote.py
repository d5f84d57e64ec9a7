"""Bots behind gRPC streams: the referee serves, each bot process dials in with its token.

Messages cross gRPC as bytes and are parsed here, so that bytes which are no message are a bot's fault with evidence and
not an error inside the library. Each stream has one reader and one writer (a reader that also writes stalls,
performance.md); times are taken right before a write and right after a read.

**What a bot cannot do with the wire.** Compressed messages are inflated here, as far as a message may go. A bot that
does not read is not waited for: what stands behind a write that its window holds up counts as sent after a second. More
answers than a clumsy bot could send by mistake are a fault, since each costs the referee time. Who comes with a wrong
token, or with one that is in use, a hundred times is answered a second later each time. Pings, streams and connections
are limited by gRPC.

**Messages above 4 MiB** cannot be told from a broken stream. gRPC refuses one without reading it, and so without
memory; then ``read`` returns EOF and the handler is cancelled, exactly as after RST_STREAM or the end of the
connection. Looked at with grpcio 1.85: ``code``, ``details``, ``done`` and ``cancelled`` of the context say the same in
both cases, and ``write`` raises the same; the operation behind it all (RECEIVE_CLOSE_ON_SERVER) knows one bit, which is
set for both; channelz counts a failed stream for both, once the handler has ended, and nothing if the connection ends,
too; the call tracer of grpcio-observability ends both with the same status and the same bytes. That the connection
lives on proves nothing: that of a Python bot does, too, after ``channel.close()``, while the bot holds on to the call.
Without a limit the message would be read into memory as a whole. Only the bot is told (RESOURCE_EXHAUSTED), so the SDKs
print it, and the words of the ruling name both possibilities.
"""

from __future__ import annotations

import asyncio
import secrets
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic_ns
from typing import Any, NamedTuple, NoReturn, Protocol

import grpc

from arena.errors import Termination, UsageError
from arena.players.base import Listen
from arena.players.tasks import to_its_end
from arena.protocol.convert import Answer, Bundle, Hello, hear

PROTOCOL = 1
MESSAGE_BYTES = 64 << 10
"""Largest message of a bot, after decompression; a larger one is a protocol fault."""
TRANSPORT_BYTES = 4 << 20
"""gRPC ends a stream whose message exceeds this without reading it; that looks like any other broken stream."""
SETTLE_S = 0.02
CONNECTIONS = 16
"""Most connections to one address at once; a bot needs one, and another while it dials again."""
PING_MS = 10_000
PING_STRIKES = 2
"""More pings than this that come sooner after the last one, while nothing else is said, end the connection."""
HELD_UP_S = 1.0
"""After this time a write that the bot does not read holds up no more clocks."""
SPARE_ANSWERS, SPARE_A_REQUEST = 1000, 12
"""Answers that a stream may carry beyond those that were asked for. A game ends a bot's seat at the eleventh already;
this is the bound for answers to games that there are not, and for empty lists."""
PATIENT_REFUSALS = 100
"""Dials with a wrong token, or a second time with one, that are answered at once; later ones wait."""
REFUSAL_S = 1.0
GREETING_S = 0.1
"""How long the first message of a stream that is refused is waited for."""
METHOD = "arena.v1.ArenaService"
GZIP = b"\x1f\x8b"
"""No message begins so: it would be a field of a type that does not exist."""
SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", TRANSPORT_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.so_reuseport", 0),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", PING_MS),
    ("grpc.http2.max_ping_strikes", PING_STRIKES),
    ("grpc.per_message_decompression", 0),
    ("grpc.compression_enabled_algorithms_bitset", 0b101),  # none, and gzip
    ("grpc.server_handshake_timeout_ms", 10_000),
)
SOCKET_OPTIONS = (("grpc.max_allowed_incoming_connections", CONNECTIONS),)
NETWORK_OPTIONS = (
    ("grpc.max_allowed_incoming_connections", 16 * CONNECTIONS),
    ("grpc.keepalive_time_ms", 30_000),  # else a bot whose network broke is connected for ever
    ("grpc.keepalive_timeout_ms", 10_000),
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
OR_TOO_LONG = "gRPC also ends a stream whose message is larger than 4 MiB: see the bot's log"
"""What else a broken stream may mean."""
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
        self._held_up = False
        self._is_writing = self._is_over = False
        self._spare = SPARE_ANSWERS

    def post(self, bundle: Bundle) -> None:
        """Send a bundle, after those posted before it."""
        self._outbox.append(bundle)
        if self._held_up:
            self._tell_sent(bundle)
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
            self._is_over = True
            if not self._is_writing:
                writer.cancel()
            if not self._closing:
                self._listener.on_end(self, end)
            # A write that the bot does not read cannot be taken back, nor the stream ended meanwhile: gRPC would fail.
            await to_its_end(asyncio.wait([reader, writer]))

    async def _read(self) -> End:
        greeted = False
        while (data := await self._context.read()) is not grpc.aio.EOF:
            now = monotonic_ns()
            try:
                said = hear(_plain(data))
            except ValueError as error:
                return End(Termination.PROTOCOL, str(error), False)
            if isinstance(said, Hello) == greeted:
                words = "a second hello" if greeted else "answers before the hello"
                return End(Termination.PROTOCOL, words, False)
            if isinstance(said, Hello):
                greeted = True
                self._listener.on_hello(self, said)
                continue
            self._spare -= max(1, len(said))
            if self._spare < 0:
                return End(Termination.PROTOCOL, "far more answers than there were requests", False)
            self._listener.on_answers(said, now)
        return CLOSED

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while self._outbox and not self._is_over:
                bundle = self._outbox.pop(0)
                data = bundle.data()
                self._tell_sent(bundle)
                timer = loop.call_later(HELD_UP_S, self._hold_up)
                self._is_writing = True
                try:
                    await self._context.write(data)
                except grpc.aio.BaseError:
                    return
                finally:
                    timer.cancel()
                    self._is_writing = self._held_up = False
            if self._closing or self._is_over:
                return
            self._wake = loop.create_future()
            await self._wake

    def _tell_sent(self, bundle: Bundle) -> None:
        """Let the clocks of a bundle start, once."""
        keys, bundle.keys = bundle.keys, []
        if keys:
            self._spare += SPARE_A_REQUEST * len(keys)
            self._listener.on_sent(keys, monotonic_ns())

    def _hold_up(self) -> None:
        """Let clocks start though the bot does not read: what waits behind its window would wait for ever."""
        self._held_up = True
        for bundle in self._outbox:
            self._tell_sent(bundle)


def _plain(data: bytes) -> bytes:
    """Return a message as it was before compression.

    Raises:
        ValueError: when it is too long, or compressed in a way that cannot be undone.
    """
    if len(data) > MESSAGE_BYTES:
        raise ValueError(f"a message of {len(data)} bytes; accepted are {MESSAGE_BYTES}")
    if not data.startswith(GZIP):
        return data
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        plain = inflater.decompress(data, MESSAGE_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"{len(data)} bytes that are no compressed message: {error}") from error
    if len(plain) > MESSAGE_BYTES:
        raise ValueError(f"a compressed message of more than {MESSAGE_BYTES} bytes, which is what is accepted")
    if not inflater.eof or inflater.unused_data:
        raise ValueError("a compressed message that does not end where its bytes end")
    return plain


class Server:
    """One gRPC server on some addresses; each expected bot is known by its token alone.

    Args:
        options: ``SOCKET_OPTIONS``, or ``NETWORK_OPTIONS`` for a port that all bots share.

    Attributes:
        strangers: dials with a token that was never expected.
        doubles: dials with a token that is in use.
    """

    def __init__(self, options: Sequence[tuple[str, int]] = SOCKET_OPTIONS) -> None:
        self._server = grpc.aio.server(options=(*SERVER_OPTIONS, *options))
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(METHOD, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}),)
        )
        self._expected: dict[str, Listener] = {}
        self._connected: set[str] = set()
        self._forgotten: set[str] = set()
        self.strangers = 0
        self.doubles = 0
        self._refused = 0

    async def start(self, addresses: Sequence[str]) -> None:
        """Bind every address, then serve; gRPC serves nothing that is bound later."""
        for address in addresses:
            self._server.add_insecure_port(address)
        await self._server.start()

    async def start_tcp(self, listen: Listen) -> int:
        """Bind a TCP port, then serve; return the port.

        Raises:
            UsageError: when it cannot be bound, or the certificate or key cannot be read.
        """
        address, credentials = listen.at(listen.port), _credentials(listen)
        try:
            if credentials is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, credentials)
        except RuntimeError as error:
            words = "nothing can listen there: it is no address of this machine, or the port is in use"
            raise UsageError(f"[lobby] listen = {address}: {words}") from error
        await self._server.start()
        return port

    async def stop(self, grace: float | None = None) -> None:
        """End the server and all streams: at once, or those that have not ended by themselves after the grace (s)."""
        await self._server.stop(grace=grace)

    def expect(self, token: str, listener: Listener) -> None:
        """Let a bot with this token connect."""
        self._expected[token] = listener

    def forget(self, token: str) -> None:
        """Refuse this token from now on; a bot that was just dialling when it was told to go is no stranger."""
        if self._expected.pop(token, None) is not None:
            self._forgotten.add(token)
        self._connected.discard(token)

    async def _play(self, _: Any, context: Any) -> None:
        token = _token(context)
        try:
            if token not in self._expected:
                self.strangers += token not in self._forgotten
                await self._refuse(context, grpc.StatusCode.UNAUTHENTICATED, "unknown token: see ARENA_TOKEN")
            if token in self._connected:
                self.doubles += 1
                await self._refuse(context, grpc.StatusCode.ALREADY_EXISTS, "this bot is connected already")
            await self._serve(context, token)
        except asyncio.CancelledError:
            pass  # the bot has gone, or the server stops: gRPC would print a trace of it

    async def _refuse(self, context: Any, code: grpc.StatusCode, words: str) -> NoReturn:
        """Refuse a stream; one that tries again and again waits for it, and only few can wait at once.

        Its first message is taken before, if it comes at once: a client of gRPC for Python whose first write meets the
        refusal says INTERNAL, "Internal error from Core", and its author never reads why.
        """
        self._refused += 1
        with suppress(TimeoutError):
            await asyncio.wait_for(context.read(), GREETING_S)
        if self._refused > PATIENT_REFUSALS:
            await asyncio.sleep(REFUSAL_S)
        await context.abort(code, words)
        raise AssertionError("abort has returned")

    async def _serve(self, context: Any, token: str) -> None:
        self._connected.add(token)
        try:
            await Connection(context, self._expected[token], token).serve()
        finally:
            self._connected.discard(token)


def _credentials(listen: Listen) -> grpc.ServerCredentials | None:
    if not listen.certificate:
        return None
    try:
        key, certificate = Path(listen.key).read_bytes(), Path(listen.certificate).read_bytes()
    except OSError as error:
        raise UsageError(f"[lobby] {error.filename}: cannot be read: {error.strerror}") from error
    return grpc.ssl_server_credentials([(key, certificate)])


def _token(context: Any) -> str:
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return str(value).removeprefix("Bearer ")
    return ""
