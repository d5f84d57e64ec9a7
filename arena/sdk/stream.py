"""The bot's end of the stream: lists of requests in, lists of answers out.

Answers are sent when the list at hand is done, or when 1 ms has passed since the last sending or receipt: an answer
that waits behind a slow decision would be charged for it. After such a sending the loop is entered once, so that the
message really leaves before the next decision takes the interpreter.

**A write that fails decides nothing.** While the bot thinks, nothing is read: the stream may have broken meanwhile, or
ended in order because the bot thought longer than its games lasted. gRPC says the same of both to whoever writes next.
So only the reading side ends a stream: it first has what the referee said before, such as Goodbye, and then the end.
"""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import grpc

from arena.sdk.bot import Bot, Decide, Game, Request, Result
from arena.sdk.words import failure, no_action, no_bot
from arena.v1 import arena_pb2, arena_pb2_grpc

PROTOCOL = 1
SDK = "arena-python 1"
CERTIFICATE = "ARENA_CERTIFICATE"
FLUSH_S = 0.001
REDIAL_S = 0.1
MAY_RETURN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
WRITE_FAILED = (grpc.StatusCode.INTERNAL, "Internal error from Core")
"""What gRPC itself says of a stream that had ended before it was written to; the true status is mostly lost by that."""
MAX_IN_FLIGHT = 64
CHANNEL_OPTIONS = (("grpc.max_receive_message_length", 64 << 20),)


def run(
    bot: Bot | Decide,
    *,
    name: str = "",
    version: str = "",
    games: Sequence[str] = (),
    wants_events: bool = False,
    max_in_flight: int = MAX_IN_FLIGHT,
) -> NoReturn:
    """Connect to the referee, play until it says goodbye, and end the process.

    The process ends with status 0 after Goodbye; with 1 and a trace on stderr when the bot raises, which the referee
    rules a crash (no action is ever answered in the bot's place); with 1 and one line when the stream fails; with 2 and
    one line when this is no bot, or no referee is named. The trace begins at the bot's own code; BOT_FULL_TRACE=1 in
    its environment shows the SDK's frames, too.

    Args:
        bot: a function from request to action, or an object with ``decide``.
        name: a caption; the league's name for the bot is what counts.
        version: the bot's own version.
        games: ids of the games it can play; empty is all.
        wants_events: ask for the steps since the previous request.
        max_in_flight: games that it accepts at once.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.closed:
        sys.stdout.reconfigure(line_buffering=True)
    address, token = os.environ.get("ARENA_ADDRESS"), os.environ.get("ARENA_TOKEN", "")
    if not address:
        _leave(2, "ARENA_ADDRESS is not set: a bot is started by the arena, for instance 'arena play no_thanks ...'")
    player = _Player(bot)
    if problem := no_bot(bot, player.decide):
        _leave(2, problem)
    hello = arena_pb2.Hello(
        protocol=PROTOCOL,
        name=name,
        version=version,
        sdk=SDK,
        games=games,
        max_in_flight=max_in_flight,
        wants_events=wants_events,
    )
    try:
        words = asyncio.run(_play(player, address, token, hello))
    except grpc.aio.AioRpcError as error:
        _leave(1, f"the stream to the referee failed: {error.code().name}: {error.details()}{_hint(address)}")
    except Exception as error:  # the bot's own code may raise anything: its author sees the trace, the referee a crash
        _leave(1, failure(error, __file__))
    _leave(0 if words is None else 1, words)


def _hint(address: str) -> str:
    """Return what may be wrong with TLS when a dial over a network fails."""
    if address.startswith("unix:") or os.environ.get(CERTIFICATE):
        return ""
    return f" (a referee on another machine speaks TLS: {CERTIFICATE} names the file of the certificate to trust)"


def _leave(status: int, words: str | None) -> NoReturn:
    """End the process at once: waiting for gRPC's threads would cost 46 ms a bot (performance.md)."""
    with suppress(OSError, ValueError, AttributeError):  # a bot may have closed its output, or have none
        if words:
            print(words, file=sys.stderr)
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(status)


async def _play(player: _Player, address: str, token: str, hello: arena_pb2.Hello) -> str | None:
    """Play to the end; a stream that breaks is dialled once more, and the referee sends again what is open."""
    for patience in (REDIAL_S, None):
        try:
            return await _converse(player, address, token, hello)
        except grpc.aio.AioRpcError as error:
            if patience is None or not player.is_playing or not _has_broken(error):
                raise
            print(f"the stream broke ({error.code().name}); dialling again", file=sys.stderr)
            await asyncio.sleep(patience)
    raise AssertionError("the second try either returns or raises")


def _has_broken(error: grpc.aio.AioRpcError) -> bool:
    """Return whether a stream has ended with a status after which it may be dialled again."""
    return error.code() in MAY_RETURN or (error.code(), error.details()) == WRITE_FAILED


async def _converse(player: _Player, address: str, token: str, hello: arena_pb2.Hello) -> str | None:
    """Play one stream; return None after Goodbye, else what went wrong in words."""
    async with _channel(address) as channel:
        stub: Any = arena_pb2_grpc.ArenaServiceStub(channel)  # type: ignore[no-untyped-call, unused-ignore]
        call = stub.Play(metadata=(("authorization", f"Bearer {token}"),))
        is_open = await _write(call, arena_pb2.PlayRequest(hello=hello))
        async for response in call:  # after a write that failed, call.read() would not read on
            if response.HasField("refusal"):
                return f"the referee refused this bot: {response.refusal.words}"
            player.hear(response)
            is_open = is_open and await _answer(player, call, response.requests)
            if response.HasField("goodbye"):
                return None
        return "the referee closed the stream without a goodbye"


async def _write(call: Any, message: arena_pb2.PlayRequest) -> bool:
    """Write a message; return whether the stream has taken it. If it has not, the reading side will say why."""
    try:
        await call.write(message)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the second, when its end has been seen already
        return False
    return True


def _channel(address: str) -> grpc.aio.Channel:
    """Return a channel to the referee: by TLS if ARENA_CERTIFICATE says what to trust."""
    trusted = os.environ.get(CERTIFICATE)
    if not trusted:
        return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
    try:
        roots = Path(trusted).read_bytes()
    except OSError as error:
        _leave(2, f"{CERTIFICATE} = {trusted}: cannot be read: {error.strerror}")
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(roots), options=CHANNEL_OPTIONS)


async def _answer(player: _Player, call: Any, requests: Sequence[arena_pb2.Request]) -> bool:
    """Decide a list of requests and send the answers by the flush rule.

    Returns:
        Whether the stream is still there. When it is not, the rest is not decided: nobody would hear it, and what is
        still open is asked again once the bot has dialled again.
    """
    answers: list[arena_pb2.Answer] = []
    last = monotonic()
    waiting = len(requests)
    for request in requests:
        waiting -= 1
        answers.append(player.answer(request))
        if not waiting or monotonic() - last > FLUSH_S:
            if not await _write(call, arena_pb2.PlayRequest(answers=answers)):
                return False
            if waiting:
                await asyncio.sleep(0)
            answers, last = [], monotonic()
    return True


class _Player:
    """The bot with the games it is in.

    Attributes:
        decide: the bot's own function.
        is_playing: the referee has spoken, so that a broken stream may be dialled again.
    """

    def __init__(self, bot: Bot | Decide) -> None:
        self.decide: Decide = getattr(bot, "decide", bot)  # type: ignore[arg-type]
        self._new_game: Callable[[Game], object] = getattr(bot, "new_game", _ignore)
        self._game_over: Callable[[Result], object] = getattr(bot, "game_over", _ignore)
        self._games: dict[str, Game] = {}
        self.is_playing = False

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        """Take notice of ended games, begun games and notices, in this order.

        A game that is announced again after a broken stream keeps its generator.
        """
        self.is_playing = True
        for over in response.game_overs:
            game = self._games.pop(over.game_id, None)
            if game is not None:
                self._game_over(Result(over, game))
        for announced in response.new_games:
            if announced.game_id not in self._games:
                game = self._games[announced.game_id] = Game(announced)
                self._new_game(game)
        for notice in response.notices:
            print(f"notice: game {notice.game_id}, decision {notice.decision}: {notice.words}", file=sys.stderr)

    def answer(self, message: arena_pb2.Request) -> arena_pb2.Answer:
        """Return the bot's answer to one request."""
        action: object = self.decide(Request(message, self._games[message.game_id]))
        if not isinstance(action, str):
            raise no_action(self.decide, action, message.legal_actions)
        return arena_pb2.Answer(game_id=message.game_id, decision=message.decision, action=action)


def _ignore(_: object) -> None:
    pass
