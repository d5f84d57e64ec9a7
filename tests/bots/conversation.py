"""The other end of one bot's stream, played by a test: what an SDK must do that no game between good bots shows.

The bot is a probe: a starter with a main file from ``tests/data/probes`` in place of its own. It does what the first
legal action of a request says: ``slow`` computes for 20 ms, ``long`` answers 2,000 characters, ``draw`` answers a
number from the game's generator, ``throw`` throws, ``nothing`` returns nothing where the language lets it.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.league.bots import read_bot
from arena.league.snapshot import snapshot
from arena.league.sources import copy_sources, source_files
from arena.players.base import Limits, Listen, Program
from arena.players.remote import MESSAGE_BYTES, Connection, End, Server
from arena.players.sandbox import launcher
from arena.protocol.convert import Answer, Bundle, Hello
from arena.referee.clock import Key
from arena.v1 import arena_pb2
from tests.bots.toolchains import BOTS, building, with_users_caches

__all__ = ["MESSAGE_BYTES", "Talk", "probe", "talk"]

PROBES = Path(__file__).parents[1] / "data" / "probes"
TOKEN = "a token"
PATIENCE_S = 60


def probe(starter: str, main: str, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of a starter with its main file replaced by the probe of that name.

    Args:
        starter: the starter, such as ``go/random``.
        main: its main file, such as ``main.go``.
        tmp_path_factory: where it is built.
    """
    bot = read_bot(starter, BOTS)
    with building(f"probe-{starter}", tmp_path_factory) as home:
        sources = home / "sources"
        copy_sources(bot, source_files(bot), sources)
        (sources / main).write_bytes((PROBES / Path(main).name).read_bytes())
        return snapshot(replace(bot, folder=sources), home, with_users_caches)


class Written(Bundle):
    """A bundle that is written by hand: its requests need not be those of a game."""

    def __init__(self, message: arena_pb2.PlayResponse) -> None:
        super().__init__()
        self._written = message

    def data(self) -> bytes:
        return self._written.SerializeToString()


class Talk:
    """A referee in the hands of a test; a ``Listener`` of the bot's stream.

    Attributes:
        hellos: the bot's introductions, one a stream.
        connection: the stream at hand.
        process: the bot.
    """

    def __init__(self) -> None:
        self.hellos: list[Hello] = []
        self.connection: Connection | None = None
        self.process: asyncio.subprocess.Process | None = None
        self._greeted = asyncio.Event()
        self._lists: asyncio.Queue[Sequence[Answer]] = asyncio.Queue()

    def on_hello(self, connection: Connection, hello: Hello) -> None:
        """Welcome the bot."""
        self.connection = connection
        self.hellos.append(hello)
        self._greeted.set()
        connection.post(Bundle().welcome(move_ms=1000))

    def on_answers(self, answers: Sequence[Answer], now_ns: int) -> None:
        """Keep a list."""
        self._lists.put_nowait(answers)

    def on_sent(self, keys: Sequence[Key], now_ns: int) -> None:
        """Nothing: there is no clock."""

    def on_end(self, connection: Connection, end: End) -> None:
        """Nothing: the test waits for what the bot does next."""

    async def greeted(self) -> None:
        """Wait for the bot's next Hello."""
        await asyncio.wait_for(self._greeted.wait(), PATIENCE_S)
        self._greeted.clear()

    def say(self, deeds: Sequence[str], first: int = 0, padding: str = "pass") -> None:
        """Announce a game, again if need be, and ask for decisions in it, all in one list; padding makes it long."""
        assert self.connection is not None
        game = arena_pb2.NewGame(game_id="game", game="no_thanks", seats=3, bot_seed=2**53 - 1)
        requests = [
            arena_pb2.Request(game_id="game", decision=first + number, legal_actions=[deed, padding])
            for number, deed in enumerate(deeds)
        ]
        self.connection.post(Written(arena_pb2.PlayResponse(new_games=[game], requests=requests)))

    async def lists(self, answers: int) -> list[list[Answer]]:
        """Wait for this many answers; return them as they came, one list a message."""
        found: list[list[Answer]] = []
        while sum(map(len, found)) < answers:
            found.append(list(await asyncio.wait_for(self._lists.get(), PATIENCE_S)))
        return found

    async def actions(self, answers: int) -> list[str]:
        """Wait for this many answers; return their actions."""
        return [answer.action for answers_sent in await self.lists(answers) for answer in answers_sent]

    def goodbye(self) -> None:
        """End the stream as a referee does."""
        assert self.connection is not None
        self.connection.post(Bundle().goodbye("all games are over"))
        self.connection.close()

    def refuse(self, words: str) -> None:
        """Refuse the bot."""
        assert self.connection is not None
        self.connection.post(Bundle().refuse(words))
        self.connection.close()

    def break_off(self) -> None:
        """End the stream without a goodbye."""
        assert self.connection is not None
        self.connection.close()

    def cpu_s(self) -> float:
        """Return the processor time of the process so far."""
        assert self.process is not None
        return time.clock_gettime((~self.process.pid << 3) | 2)  # the kernel's name for that process's clock

    async def ended(self) -> tuple[int, str]:
        """Wait for the end of the process; return its status and its output."""
        assert self.process is not None
        output, _ = await asyncio.wait_for(self.process.communicate(), PATIENCE_S)
        assert self.process.returncode is not None
        return self.process.returncode, output.decode()


Scenario = Callable[[Talk], Awaitable[None]]


def talk(program: Program, scenario: Scenario, *, token: str = TOKEN, tls: Listen | None = None) -> None:
    """Start a bot with the limits of a league, and let a scenario talk with it, over a socket file or by TLS."""

    async def run() -> None:
        async with _server(program, token, tls) as other_end:
            await scenario(other_end)

    asyncio.run(run())


@asynccontextmanager
async def _server(program: Program, token: str, tls: Listen | None) -> AsyncIterator[Talk]:
    other_end, server = Talk(), Server()
    server.expect(TOKEN, other_end)
    with TemporaryDirectory() as folder:
        variables = {"ARENA_TOKEN": token}
        if tls is None:
            address = f"unix://{folder}/0.sock"
            await server.start([address])
        else:
            address = tls.at(await server.start_tcp(tls))
            variables["ARENA_CERTIFICATE"] = tls.certificate
        launch = launcher("none", Limits()).command(program, address, folder, variables)
        other_end.process = await asyncio.create_subprocess_exec(
            *launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            yield other_end
        finally:
            if other_end.process.returncode is None:
                other_end.process.kill()
                await other_end.process.wait()
            await server.stop()
