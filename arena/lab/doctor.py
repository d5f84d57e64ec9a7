"""What this machine can enforce, found by trying it: every attack at every sandbox level, and what a league needs.

``examine()`` takes about a minute and changes nothing.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from arena.lab.siege import Outcome, Verdict, attacker, besiege, run_bot
from arena.players import landlock
from arena.players.levels import LEVELS, resolve_level, why_not

PACKAGES = {"setpriv": "util-linux", "prlimit": "util-linux", "bwrap": "bubblewrap"}
FORKS = 50
FORK_S = 60
FORK_TRIAL = f"""
import asyncio, subprocess, time
import grpc
async def main():
    server = grpc.aio.server()
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    began = time.monotonic()
    for _ in range({FORKS}):
        subprocess.run(["/bin/true"], check=True, timeout=5)
    print(f"{{(time.monotonic() - began) * 1000 / {FORKS}:.1f}} ms")
    await server.stop(None)
asyncio.run(main())
"""
"""Starts programs beside a running gRPC server, as workers do."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something a league needs.

    Attributes:
        name: what.
        ok: whether it is as it should be.
        words: what was found, and what to do about it.
    """

    name: str
    ok: bool
    words: str


@dataclass(frozen=True, slots=True)
class Row:
    """One attack.

    Attributes:
        attack: its name.
        outcomes: what came of it, by level, in the order of ``Findings.levels``.
    """

    attack: str
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found.

    Attributes:
        levels: names of the levels, from the strongest to the weakest.
        reasons: by level, why it does not work here; "" if it does.
        league: the level that a league with ``sandbox = "auto"`` uses.
        rows: the attacks.
        checks: what else a league needs.
    """

    levels: tuple[str, ...]
    reasons: tuple[str, ...]
    league: str
    rows: tuple[Row, ...]
    checks: tuple[Check, ...]


def examine(levels: Sequence[str] = LEVELS) -> Findings:
    """Attack this machine from inside every level, and check what else a league needs."""
    reasons = tuple(why_not(level) for level in levels)
    outcomes = [{} if reason else besiege(level) for level, reason in zip(levels, reasons, strict=True)]
    attacks = dict.fromkeys(name for found in outcomes for name in found)
    rows = tuple(
        Row(
            name,
            tuple(
                found.get(name, Outcome(Verdict.UNTESTED, reason))
                for found, reason in zip(outcomes, reasons, strict=True)
            ),
        )
        for name in attacks
    )
    starts = (_start(level) for level, reason in zip(levels, reasons, strict=True) if not reason)
    return Findings(tuple(levels), reasons, resolve_level("auto"), rows, (*checks(), *starts))


def checks() -> tuple[Check, ...]:
    """Check programs, libraries, kernel and cores."""
    return (*map(_program, PACKAGES), _kernel(), _landlock(), _memory(), _cores(), _upb(), _grpc(), _forks())


def _program(name: str) -> Check:
    found = shutil.which(name)
    return Check(name, found is not None, found or f"not found: install the package {PACKAGES[name]}")


def _kernel() -> Check:
    return Check("kernel", sys.platform == "linux", f"{platform.system()} {platform.release()}, {platform.machine()}")


def _landlock() -> Check:
    found = landlock.abi()
    missing = "files only" if found < landlock.TCP_ABI else "no signals" if found < landlock.SCOPES_ABI else "complete"
    return Check("landlock", found > 0, f"version {found}: {missing}" if found else "this kernel has none")


def _memory() -> Check:
    """The watchdog needs the exact memory of a process, and its children."""
    needed = [Path(f"/proc/self/{name}") for name in ("smaps_rollup", f"task/{os.getpid()}/children")]
    missing = [str(path) for path in needed if not path.exists()]
    return Check("watchdog", not missing, f"not in this kernel: {', '.join(missing)}" if missing else "memory by tree")


def _cores() -> Check:
    count = len(os.sched_getaffinity(0))
    return Check("cores", count >= 1, f"{count}: a league uses as many workers")


def _start(level: str) -> Check:
    """Start a small Python program at a level, and one with the arena's SDK, which says that nobody has started it."""
    ran, sdk = run_bot(level, attacker("hello")), run_bot(level, (sys.executable, "-c", "import arena.sdk"))
    good = ran.output == "hello" and sdk.status == "exit status 0"
    said = f"{ran.start_s * 1000:.0f} ms {ran.output!r}, the SDK {sdk.output or 'imported'}"
    return Check(f"start at level {level}", good, said)


def _upb() -> Check:
    from google.protobuf.internal import api_implementation

    found = api_implementation.Type()
    return Check("protobuf", found == "upb", f"{version('protobuf')}, {found}; bundles need upb, the compiled one")


def _grpc() -> Check:
    try:
        return Check("grpc", True, version("grpcio"))
    except PackageNotFoundError as error:
        return Check("grpc", False, str(error))


def _forks() -> Check:
    """Start programs beside a gRPC server; a process of its own does it, so that this one may go on without grpc."""
    try:
        run = subprocess.run(
            [sys.executable, "-c", FORK_TRIAL], capture_output=True, text=True, timeout=FORK_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("starting programs beside gRPC", False, f"{FORKS} starts took more than {FORK_S} s")
    words = run.stdout.strip() or run.stderr.strip()[-200:]
    return Check("starting programs beside gRPC", not run.returncode, f"{FORKS} starts, {words} each")
