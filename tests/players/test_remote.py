"""The referee's end of the streams: who may connect, and what comes through, with real gRPC on a Unix socket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.errors import Termination
from arena.games import create
from arena.players.remote import MESSAGE_BYTES, TRANSPORT_BYTES, Connection, End, Server, new_token
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


def test_a_token_that_is_forgotten_is_a_strangers(tmp_path: Path) -> None:
    async def work(server: Server, _: Ear, dial: Dial) -> None:
        server.forget("good")
        assert (await status(dial("good")))[0] is grpc.StatusCode.UNAUTHENTICATED

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
