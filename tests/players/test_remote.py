"""The referee's end of the streams: who may connect, and what comes through, with real gRPC on a Unix socket."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.errors import Termination
from arena.games import create
from arena.players.remote import (
    CONNECTIONS,
    HELD_UP_S,
    MESSAGE_BYTES,
    PATIENT_REFUSALS,
    REFUSAL_S,
    SPARE_A_REQUEST,
    SPARE_ANSWERS,
    TRANSPORT_BYTES,
    Connection,
    End,
    Server,
    new_token,
)
from arena.protocol.convert import Answer, Bundle, Hello, SeatView
from arena.referee.clock import Key
from arena.v1 import arena_pb2

HELLO = arena_pb2.PlayRequest(hello=arena_pb2.Hello(protocol=1, sdk="test")).SerializeToString()
RULES = create("no_thanks", 3)
VIEW = RULES.view(RULES.initial(), 0)


class Ear:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.hellos: list[Connection] = []
        self.answers: list[str] = []
        self.sent: list[tuple[int, int]] = []
        self.ends: list[End] = []
        self.times: list[int] = []
        self.heard = asyncio.Event()

    def on_hello(self, connection: Connection, hello: Hello) -> None:
        """Keep the connection."""
        assert hello.sdk == "test"
        self.hellos.append(connection)
        self.heard.set()

    def on_answers(self, answers: Sequence[Answer], now_ns: int) -> None:
        """Keep the actions and the time."""
        self.answers += [answer.action for answer in answers]
        self.times.append(now_ns)
        self.heard.set()

    def on_sent(self, keys: Sequence[Key], now_ns: int) -> None:
        """Keep how many requests left, and when."""
        self.sent.append((len(keys), now_ns))

    def on_end(self, connection: Connection, end: End) -> None:
        """Keep how it ended."""
        assert connection in self.hellos or not self.hellos
        self.ends.append(end)
        self.heard.set()

    async def hear(self) -> None:
        """Wait until something is heard."""
        await asyncio.wait_for(self.heard.wait(), 30)
        self.heard.clear()


Dial = Callable[..., Any]


def talk(folder: Path, work: Callable[[Server, Ear, Dial], Awaitable[None]]) -> None:
    """Serve one expected bot with the token ``good``; let ``work`` dial in as often as it likes."""

    async def run() -> None:
        server, ear = Server(), Ear()
        address = f"unix://{folder}/0"
        await server.start([address])
        server.expect("good", ear)
        async with grpc.aio.insecure_channel(address) as channel:

            def dial(token: str | None) -> Any:
                play: Any = channel.stream_stream("/arena.v1.ArenaService/Play")
                return play(metadata=(("authorization", f"Bearer {token}"),) if token is not None else ())

            try:
                await work(server, ear, dial)
            finally:
                await server.stop()

    asyncio.run(asyncio.wait_for(run(), 60))


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    """Say hello as every bot does first, which may meet the refusal; return how the call ended."""
    with suppress(grpc.aio.AioRpcError):
        await call.write(HELLO)
    return await status(call)


async def status(call: Any) -> tuple[grpc.StatusCode, str]:
    """Return how a call ended."""
    return await call.code(), await call.details()


def test_tokens_are_unlike_each_other() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert {len(token) for token in tokens} == {32}


@pytest.mark.parametrize("token", ["bad", "", None, "good "])
def test_a_stranger_is_refused_and_counted(tmp_path: Path, token: str | None) -> None:
    async def work(server: Server, ear: Ear, dial: Dial) -> None:
        call = dial(token)
        assert await status(call) == (grpc.StatusCode.UNAUTHENTICATED, "unknown token: see ARENA_TOKEN")
        assert server.strangers == 1
        assert not ear.hellos
        assert not ear.ends

    talk(tmp_path, work)


def test_a_token_that_is_forgotten_is_refused_and_counts_as_no_strangers(tmp_path: Path) -> None:
    """A bot may be just dialling when its sitting ends."""

    async def work(server: Server, _: Ear, dial: Dial) -> None:
        server.forget("good")
        server.forget("bad")
        assert (await status(dial("good")))[0] is grpc.StatusCode.UNAUTHENTICATED
        assert server.strangers == 0
        assert (await status(dial("bad")))[0] is grpc.StatusCode.UNAUTHENTICATED
        assert server.strangers == 1

    talk(tmp_path, work)


def test_a_second_connection_with_the_same_token_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        first = dial("good")
        await first.write(HELLO)
        await ear.hear()
        assert await status(dial("good")) == (grpc.StatusCode.ALREADY_EXISTS, "this bot is connected already")
        await first.write(arena_pb2.PlayRequest(answers=[arena_pb2.Answer(action="take")]).SerializeToString())
        await ear.hear()
        assert ear.answers == ["take"]
        assert not ear.ends
        first.cancel()
        await ear.hear()
        again = dial("good")
        await again.write(HELLO)
        await ear.hear()
        assert len(ear.hellos) == 2

    talk(tmp_path, work)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([b"\xff\xfe no message"], "13 bytes that are no message: fffe206e6f"),
        ([HELLO, b"\xff"], "1 bytes that are no message: ff"),
        ([HELLO, HELLO], "a second hello"),
        ([b""], "answers before the hello"),
    ],
)
def test_what_is_no_conversation_is_a_protocol_fault(tmp_path: Path, messages: list[bytes], words: str) -> None:
    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        for message in messages:
            await call.write(message)
        while not ear.ends:
            await ear.hear()
        (end,) = ear.ends
        assert end.word is Termination.PROTOCOL
        assert end.words.startswith(words)

    talk(tmp_path, work)


def test_a_message_that_is_too_long_is_a_protocol_fault(tmp_path: Path) -> None:
    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        await call.write(b"x" * (MESSAGE_BYTES + 1))
        await ear.hear()
        (end,) = ear.ends
        assert (end.word, end.may_return) == (Termination.PROTOCOL, False)
        assert f"{MESSAGE_BYTES + 1} bytes" in end.words

    talk(tmp_path, work)


def test_a_message_that_the_transport_refuses_ends_the_stream_alone(tmp_path: Path) -> None:
    """It is never read; the next stream is served."""

    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        await call.write(b"x" * (TRANSPORT_BYTES + 1))
        await ear.hear()
        assert len(ear.ends) == 1
        assert (await status(call))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        again = dial("good")
        await again.write(HELLO)
        await ear.hear()
        assert len(ear.hellos) == 2

    talk(tmp_path, work)


@pytest.mark.parametrize("number", range(5))
def test_whoever_is_refused_reads_why(number: int, tmp_path: Path) -> None:
    """Up to four in a hundred clients, whose first write met the refusal, once read "Internal error from Core"."""

    async def guess() -> tuple[grpc.StatusCode, str]:
        async with grpc.aio.insecure_channel(f"unix://{tmp_path}/0") as channel:
            play: Any = channel.stream_stream("/arena.v1.ArenaService/Play")
            return await refused(play(metadata=(("authorization", f"Bearer bad{number}"),)))

    async def work(server: Server, ear: Ear, dial: Dial) -> None:
        for _ in range(PATIENT_REFUSALS // 4):
            seen = await asyncio.gather(*(guess() for _ in range(4)))
            assert set(seen) == {(grpc.StatusCode.UNAUTHENTICATED, "unknown token: see ARENA_TOKEN")}
        assert server.strangers == PATIENT_REFUSALS

    talk(tmp_path, work)


def test_many_wrong_tokens_wait_and_the_right_one_does_not(tmp_path: Path) -> None:
    """Each refusal beyond the first hundred costs a second, at a few streams at once: there is little work in it."""

    async def work(server: Server, ear: Ear, dial: Dial) -> None:
        began = time.monotonic()
        for _ in range(PATIENT_REFUSALS):
            await refused(dial("bad"))
        quick = time.monotonic() - began
        began = time.monotonic()
        late = [dial("bad") for _ in range(2)]
        good = dial("good")
        await good.write(HELLO)
        await ear.hear()
        assert time.monotonic() - began < REFUSAL_S
        for call in late:
            assert await status(call) == (grpc.StatusCode.UNAUTHENTICATED, "unknown token: see ARENA_TOKEN")
        assert time.monotonic() - began >= REFUSAL_S
        assert quick < PATIENT_REFUSALS * REFUSAL_S / 4
        assert (server.strangers, server.doubles) == (PATIENT_REFUSALS + 2, 0)
        assert await dial("good").code() is grpc.StatusCode.ALREADY_EXISTS
        assert (server.strangers, server.doubles) == (PATIENT_REFUSALS + 2, 1)

    talk(tmp_path, work)


def test_one_address_takes_few_connections_at_once(tmp_path: Path) -> None:
    """What a bot opens beyond them is closed, so that the referee keeps its descriptors for itself."""

    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        others = [socket.socket(socket.AF_UNIX) for _ in range(5 * CONNECTIONS)]
        for other in others:
            other.connect(f"{tmp_path}/0")
            other.setblocking(False)
        while sum(_is_open(other) for other in others) >= CONNECTIONS:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
        assert sum(_is_open(other) for other in others) == CONNECTIONS - 1
        await call.write(arena_pb2.PlayRequest(answers=[arena_pb2.Answer(action="take")]).SerializeToString())
        await ear.hear()
        assert ear.answers == ["take"]
        for other in others:
            other.close()

    talk(tmp_path, work)


def _is_open(connection: socket.socket) -> bool:
    try:
        while connection.recv(4096):  # the settings, with which a server begins
            pass
    except BlockingIOError:
        return True
    except ConnectionResetError:
        pass
    return False


def test_a_compressed_message_is_read_as_far_as_a_message_may_go(tmp_path: Path) -> None:
    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        answers = arena_pb2.PlayRequest(answers=[arena_pb2.Answer(action="take")]).SerializeToString()
        await call.write(gzip.compress(answers))
        while not ear.answers:
            await ear.hear()
        assert ear.answers == ["take"]
        await call.write(gzip.compress(bytes(MESSAGE_BYTES + 1)))
        while not ear.ends:
            await ear.hear()
        words = f"a compressed message of more than {MESSAGE_BYTES} bytes, which is what is accepted"
        assert ear.ends == [End(Termination.PROTOCOL, words, False)]

    talk(tmp_path, work)


def test_answers_far_beyond_the_requests_are_a_protocol_fault(tmp_path: Path) -> None:
    """Those that a request allows for are tolerated, and one more is not."""

    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        asking = Bundle()
        asking.request(("a", 0), (1000, 0, 0), ("pass", "take"), SeatView("no_thanks"), VIEW, ())
        ear.hellos[0].post(asking)
        await call.read()
        tolerated = SPARE_ANSWERS + SPARE_A_REQUEST
        await call.write(arena_pb2.PlayRequest(answers=[arena_pb2.Answer()] * tolerated).SerializeToString())
        while len(ear.answers) < tolerated:
            await ear.hear()
        await call.write(b"")
        while not ear.ends:
            await ear.hear()
        assert ear.ends == [End(Termination.PROTOCOL, "far more answers than there were requests", False)]

    talk(tmp_path, work)


def test_a_bot_that_does_not_read_holds_up_no_clocks_and_its_faults_are_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        ear.hellos[0].post(Bundle().goodbye("x" * (32 << 20)))
        posted = []
        for game_id in "ab":
            asking = Bundle()
            asking.request((game_id, 0), (1000, 0, 0), ("pass", "take"), SeatView("no_thanks"), VIEW, ())
            posted.append(time.monotonic_ns())
            ear.hellos[0].post(asking)
            while len(ear.sent) < len(posted):
                await asyncio.sleep(0.01)
        first, second = ((sent_ns - at) / 1e9 for (_, sent_ns), at in zip(ear.sent, posted, strict=True))
        assert first > HELD_UP_S / 2
        assert second < HELD_UP_S / 2  # at once, since it is known by now
        await call.write(b"no message")
        while not ear.ends:
            await ear.hear()
        assert ear.ends[0].word is Termination.PROTOCOL
        call.cancel()
        while len(ear.hellos) < 2:
            with suppress(grpc.aio.AioRpcError):  # the first stream is not quite over
                await dial("good").write(HELLO)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(ear.heard.wait(), 1)
            ear.heard.clear()
        assert caplog.text == ""

    talk(tmp_path, work)


@pytest.mark.parametrize("how", ["done", "cancel"])
def test_a_stream_that_ends_is_a_disconnect(tmp_path: Path, how: str) -> None:
    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        await (call.done_writing() if how == "done" else asyncio.sleep(0, call.cancel()))
        await ear.hear()
        (end,) = ear.ends
        assert (end.word, end.may_return) == (Termination.DISCONNECT, how == "cancel")

    talk(tmp_path, work)


def test_bundles_come_in_order_and_times_are_taken_beside_the_wire(tmp_path: Path) -> None:
    """What is posted at once arrives as posted; requests are timed before, answers after."""

    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        asking = Bundle()
        for game_id in "ab":
            asking.request((game_id, 0), (1000, 0, 0), ("pass", "take"), SeatView("no_thanks"), VIEW, ())
        ear.hellos[0].post(Bundle().welcome(move_ms=7))
        ear.hellos[0].post(asking)
        assert arena_pb2.PlayResponse.FromString(await call.read()).welcome.move_ms == 7
        assert len(arena_pb2.PlayResponse.FromString(await call.read()).requests) == 2
        answers = [arena_pb2.Answer(action="take"), arena_pb2.Answer(action="pass")]
        await call.write(arena_pb2.PlayRequest(answers=answers).SerializeToString())
        await ear.hear()
        assert ear.answers == ["take", "pass"]
        ((count, sent_ns),) = ear.sent
        assert count == 2
        assert sent_ns < ear.times[0]

    talk(tmp_path, work)


def test_the_last_words_are_written_before_the_end(tmp_path: Path) -> None:
    """A refusal reaches the bot, though the stream is closed in the same breath; it is no end to be ruled."""

    async def work(_: Server, ear: Ear, dial: Dial) -> None:
        call = dial("good")
        await call.write(HELLO)
        await ear.hear()
        ear.hellos[0].post(Bundle().refuse("go away"))
        ear.hellos[0].close()
        assert arena_pb2.PlayResponse.FromString(await call.read()).refusal.words == "go away"
        assert await call.read() is grpc.aio.EOF
        assert not ear.ends

    talk(tmp_path, work)
