"""A referee that follows a script, to hear what one bot process says where no sitting would show it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Struct

from arena.players.base import Limits, Program
from arena.players.sandbox import launcher
from arena.v1 import arena_pb2

END_S = 60


@dataclass
class Stream:
    """One stream of the bot as a script sees it.

    Attributes:
        number: of this stream in the life of the process, from 0.
        token: what the bot sent as its token.
        hello: the bot's first message.
        heard: the messages that were read after it.
    """

    number: int
    token: str
    hello: arena_pb2.PlayRequest
    requests: Iterator[arena_pb2.PlayRequest]
    context: Any
    heard: list[arena_pb2.PlayRequest] = field(default_factory=list)

    def read(self) -> arena_pb2.PlayRequest:
        """Return the bot's next message."""
        self.heard.append(next(self.requests))
        return self.heard[-1]

    def answers(self, count: int) -> list[arena_pb2.Answer]:
        """Return the next answers, however many messages they take."""
        found: list[arena_pb2.Answer] = []
        while len(found) < count:
            found += self.read().answers
        return found

    def break_off(self) -> NoReturn:
        """End the stream as a lost connection does."""
        self.context.abort(grpc.StatusCode.UNAVAILABLE, "broken by the script")
        raise AssertionError


Script = Callable[[Stream], Iterator[arena_pb2.PlayResponse | bytes]]
"""Yields what the referee sends."""


@dataclass(frozen=True)
class Outcome:
    """How the process ended: exit status, all that it printed, the streams that it opened."""

    status: int
    printed: str
    streams: Sequence[Stream]


def converse(program: Program, script: Script) -> Outcome:
    """Start a bot as the arena does, serve it by a script, and wait until the process ends."""
    streams: list[Stream] = []

    def serve(requests: Iterator[arena_pb2.PlayRequest], context: Any) -> Iterator[arena_pb2.PlayResponse | bytes]:
        token = dict(context.invocation_metadata()).get("authorization", "").removeprefix("Bearer ")
        streams.append(Stream(len(streams), token, next(requests), requests, context))
        yield from script(streams[-1])

    with tempfile.TemporaryDirectory(prefix="arena-script-") as folder, ThreadPoolExecutor(4) as threads:
        address = f"unix://{folder}/referee.sock"
        server = _server(serve, address, threads)
        try:
            status, printed = _run(program, address, folder)
        finally:
            server.stop(None).wait()
    return Outcome(status, printed, streams)


def _server(serve: Callable[..., Any], address: str, threads: ThreadPoolExecutor) -> grpc.Server:
    handler = grpc.stream_stream_rpc_method_handler(
        serve,
        request_deserializer=arena_pb2.PlayRequest.FromString,
        response_serializer=lambda message: message if isinstance(message, bytes) else message.SerializeToString(),
    )
    server = grpc.server(threads, options=[("grpc.max_send_message_length", -1)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.v1.ArenaService", {"Play": handler}),))
    server.add_insecure_port(address)
    server.start()
    return server


def _run(program: Program, address: str, home: str) -> tuple[int, str]:
    launch = launcher("none", Limits()).command(program, address, home, {"ARENA_TOKEN": "the-token"})
    done = subprocess.run(
        launch.argv,
        cwd=launch.cwd,
        env=launch.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=END_S,
    )
    return done.returncode, done.stdout


def welcome() -> arena_pb2.PlayResponse:
    """Return the reply to Hello."""
    return arena_pb2.PlayResponse(welcome=arena_pb2.Welcome(move_ms=1000, margin_ms=150, game_ms=600_000))


def goodbye() -> arena_pb2.PlayResponse:
    """Return the end of the conversation."""
    return arena_pb2.PlayResponse(goodbye=arena_pb2.Goodbye(words="all games are over"))


def new_game(game_id: str, seed: int = 7) -> arena_pb2.NewGame:
    """Return the announcement of a game for two."""
    options = ParseDict({"rounds": 1, "token_view": "open"}, Struct())
    return arena_pb2.NewGame(game_id=game_id, game="no_thanks", seat=0, seats=2, options=options, bot_seed=seed)


def request(game_id: str, decision: int, actions: Sequence[str] = ("take", "pass")) -> arena_pb2.Request:
    """Return a request of a game that :func:`new_game` announced."""
    return arena_pb2.Request(game_id=game_id, decision=decision, budget_ms=1000, legal_actions=actions)
