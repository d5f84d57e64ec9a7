"""Bots that are started by hand: they dial in by TCP, once a league, and stay from one sitting to the next.

The lobby lives in worker 0, which plays all their sittings in turn. Outside loopback it speaks TLS, since the token
would be readable there. A guest that is lost is awaited like a process that is started again.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from arena.errors import Termination
from arena.games import Seat
from arena.league.guard import guarded
from arena.league.job import Job
from arena.league.seated import Host, Seated, Stage
from arena.players.base import Listen, Program
from arena.players.remote import NETWORK_OPTIONS, Connection, End, Server
from arena.protocol.convert import Answer, Hello
from arena.referee.clock import Key

EVERYWHERE = ("0.0.0.0", "::")
GOODBYE_S = 1.0


class Guest:
    """One bot that is started by hand, with its stream; a ``Listener`` that hands everything to whoever seats it.

    Attributes:
        connection: its stream, None while it is away.
        hello: how it introduced itself.
        has_come: it has been here once, so that it is no longer awaited without limit.
    """

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.hello: Hello | None = None
        self.has_come = False
        self._seated: Seated | None = None

    def sit(self, seated: Seated | None) -> None:
        """Take a seat, or leave it with None."""
        self._seated = seated
        if seated is not None and self.connection is not None and self.hello is not None:
            seated.on_hello(self.connection, self.hello)

    def on_hello(self, connection: Connection, hello: Hello) -> None:
        """Keep the stream."""
        self.connection, self.hello, self.has_come = connection, hello, True
        if self._seated is not None:
            self._seated.on_hello(connection, hello)

    def on_answers(self, answers: Sequence[Answer], now_ns: int) -> None:
        """Hand on a list; between sittings nothing is open, and what comes is nobody's."""
        if self._seated is not None:
            self._seated.on_answers(answers, now_ns)

    def on_sent(self, keys: Sequence[Key], now_ns: int) -> None:
        """Hand on that a list is being written."""
        if self._seated is not None:
            self._seated.on_sent(keys, now_ns)

    def on_end(self, connection: Connection, end: End) -> None:
        """Hand on that the stream has ended."""
        if connection is self.connection:
            self.connection = None
        if self._seated is not None:
            self._seated.on_end(connection, end)


class Lobby:
    """The TCP server of a worker for bots that are started by hand.

    Args:
        listen: where it listens.
        tell: is told the address once it is known.
    """

    def __init__(self, listen: Listen, tell: Callable[[str], None]) -> None:
        self._listen = listen
        self._tell = tell
        self._server: Server | None = None
        self._guests: dict[str, Guest] = {}

    async def open(self, programs: Iterable[Program]) -> None:
        """Let these bots dial in; those that are started by the arena are passed over.

        Raises:
            UsageError: when nothing can listen there.
        """
        tokens = [program.token for program in programs if program.token]
        if tokens and self._server is None:
            self._server = Server(NETWORK_OPTIONS)
            self._tell(_seen_from_outside(self._listen).at(await self._server.start_tcp(self._listen)))
        for token in tokens:
            if token not in self._guests:
                assert self._server is not None
                self._guests[token] = Guest()
                self._server.expect(token, self._guests[token])

    def guest(self, program: Program) -> Guest:
        """Return the guest for a program."""
        return self._guests[program.token]

    def take_strangers(self) -> int:
        """Return how many dials had a wrong token since this was asked last."""
        if self._server is None:
            return 0
        strangers, self._server.strangers = self._server.strangers, 0
        return strangers

    async def close(self) -> None:
        """Say goodbye to all guests."""
        for guest in self._guests.values():
            if guest.connection is not None:
                guest.connection.say_goodbye("the league is over")
        if self._server is not None:
            await self._server.stop(grace=GOODBYE_S)


def _seen_from_outside(listen: Listen) -> Listen:
    """Return where a bot elsewhere must dial: an address that stands for all has this machine's name."""
    return replace(listen, host=socket.gethostname()) if listen.host in EVERYWHERE else listen


class SeatedGuest(Seated):
    """A guest on a seat for a sitting: no process is started, watched or ended."""

    def __init__(self, seat: Seat, job: Job, host: Host, guest: Guest) -> None:
        super().__init__(seat, job, host, None, "")
        self._guest = guest
        self._token = self.program.token
        self.waits = True

    @property
    def is_awaited(self) -> bool:
        """Whether its Hello is awaited without limit: until it has come once."""
        return not self._guest.has_come

    def _launch(self) -> None:
        self._guest.sit(self)

    def _turn_away(self, connection: Connection) -> None:
        """Let it wait: it is seated when it is started again."""

    async def leave(self, words: str) -> None:
        """Tell it what is left to tell; it stays for the next sitting."""
        if self._connection is not None:
            self._connection.post(self._bundle())
        self.stage = Stage.GONE
        self._guest.sit(None)

    @guarded
    def stop_for(self, word: Termination, words: str) -> None:
        """End its stream: a death with this word; it may dial again."""
        if self.stage in (Stage.STARTING, Stage.READY):
            connection, self._guest.connection = self._guest.connection, None
            if connection is not None:
                connection.say_goodbye(words)
            self._die(word, self._in_full(words))

    def sample(self, taken: int, used_ns: int) -> None:
        """Count its answers; how much it computes cannot be seen."""
        self.sampled += taken
