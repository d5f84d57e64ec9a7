"""What a bot is before it runs (``Program``), and the limits under which bots run and answer (``Limits``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A bot that can be started; picklable, so that it travels to workers.

    Attributes:
        name: the league's name for it.
        version: its version, "" if none was given.
        author: who wrote it, "" if not said.
        command: argument list with every program resolved to a real path.
        directory: working directory, the snapshot of its files.
        env: variables added to the empty environment, as (name, value).
        digest: sha256 of its files, manifest and command; the identity of what was run.
        games: ids of the games it plays; empty is all.
        token: what a bot that is started by hand identifies itself with; it has no command. "" for all others.
    """

    name: str
    version: str
    author: str
    command: tuple[str, ...]
    directory: str
    env: tuple[tuple[str, str], ...]
    digest: str
    games: tuple[str, ...] = ()
    token: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """The ``[limits]`` of a league file; times in the unit of their names.

    Attributes:
        start_s: from the start of a process to its Hello.
        move_ms: hard limit of a decision.
        bank_ms: reserve that a decision may draw on, for each seat and game.
        increment_ms: refills the bank after each decision, up to ``bank_ms``.
        margin_ms: never charged; covers transport and scheduling.
        game_s: charged time of one seat over one game.
        memory_mb: of a bot's whole process tree.
        processes: processes and threads of a bot.
        disk_mb: size of files that a bot may write.
        network: ``deny`` or ``allow``.
        reconnect: a broken stream of a living process may come back once a sitting.
        pause: a bot that owes no answer is stopped until it is asked.
        sandbox: ``auto``, ``bwrap``, ``landlock`` or ``none``.
    """

    start_s: float = 10
    move_ms: int = 1000
    bank_ms: int = 0
    increment_ms: int = 0
    margin_ms: int = 150
    game_s: float = 600
    memory_mb: int = 512
    processes: int = 64
    disk_mb: int = 64
    network: str = "deny"
    reconnect: bool = True
    pause: bool = False
    sandbox: str = "auto"


@dataclass(frozen=True, slots=True)
class Listen:
    """Where bots that are started by hand dial in, the ``[lobby]`` of a league file.

    Attributes:
        host: name or address of the interface.
        port: 0 for any that is free.
        certificate: path of the certificate chain (PEM), "" for no TLS.
        key: path of its private key (PEM), "" for no TLS.
    """

    host: str = "127.0.0.1"
    port: int = 0
    certificate: str = ""
    key: str = ""

    def at(self, port: int) -> str:
        """Return the address with this port, as gRPC spells it."""
        return f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"


AT_HOME = Listen()
"""This machine alone, at any free port."""


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """The ``[faults]`` of a league file: what each fault that can be a strike costs.

    Attributes:
        costs: (fault word, ``default`` or ``retire``) pairs; other faults always retire.
        strikes: strikes of one seat in one game that retire it.
    """

    costs: tuple[tuple[str, str], ...] = (
        ("illegal", "retire"),
        ("timeout", "default"),
        ("protocol", "default"),
    )
    strikes: int = 3

    def cost(self, word: str) -> str:
        """Return ``default`` or ``retire`` for a fault word."""
        return dict(self.costs).get(word, "retire")


def environment(program: Program, added: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a bot: four fixed variables, the arena's, its own."""
    fixed = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": program.directory, "LANG": "C.UTF-8"}
    return {**fixed, "GRPC_VERBOSITY": "NONE", **added, **dict(program.env)}
