"""Which sandbox level works on this machine, found by trying it once: a program that is installed may still fail."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

from arena.errors import UsageError
from arena.players.base import Limits, Program
from arena.players.sandbox import UNIX, launcher
from arena.players.scratch import make_folder

LEVELS = ("bwrap", "landlock", "none")
"""From the strongest to the weakest."""
TRIAL_S = 20
TRIAL = """
import os, socket, sys
address = os.environ["ARENA_ADDRESS"].removeprefix("unix://")
referee = socket.socket(socket.AF_UNIX)
referee.connect(address)
try:
    open("/etc/passwd").close()
    sys.exit("it can read /etc/passwd")
except OSError:
    referee.send(b"confined")
"""
"""What a bot must be able to do, and must not."""


def level_of(limits: Limits) -> str:
    """Return the level at which bots with these limits run; ``auto`` is resolved here, a given one is not tried."""
    return resolve_level("auto") if limits.sandbox == "auto" else limits.sandbox


def resolve_level(wanted: str) -> str:
    """Return the level to use: the one that is wanted, or for ``auto`` the strongest that works here.

    Raises:
        UsageError: when the wanted one does not work here, and why.
    """
    if wanted == "auto":
        return next(level for level in LEVELS if not why_not(level))
    if why := why_not(wanted):
        best = resolve_level("auto")
        raise UsageError(f"sandbox = {wanted!r} does not work on this machine: {why}; what works is {best!r}")
    return wanted


@cache
def why_not(level: str) -> str:
    """Return why a level does not work here, "" if it does; tried once in the life of a process."""
    if level == "none":
        return ""
    folder = make_folder("arena-trial-")
    try:
        return _try(level, Path(folder))
    except (UsageError, OSError) as error:
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _try(level: str, folder: Path) -> str:
    """Start Python at a level as a bot is started: behind closed folders, with a socket to dial."""
    bot, scratch, address = folder / "bot", folder / "scratch", folder / "socket"
    bot.mkdir(mode=0o755)
    scratch.mkdir()
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as referee:
        referee.bind(str(address))
        referee.listen()
        program = Program("trial", "", "", (sys.executable, "-I", "-S", "-c", TRIAL), str(bot), (), "")
        launch = launcher(level, Limits()).command(program, f"{UNIX}{address}", str(scratch), {})
        try:
            run = subprocess.run(
                launch.argv,
                cwd=launch.cwd,
                env=launch.env,
                pass_fds=launch.inherited,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TRIAL_S,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"it did not start within {TRIAL_S} s"
        finally:
            launch.close()
            if launch.tells_pid is not None:
                os.close(launch.tells_pid)
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        if run.returncode:
            return lines[-1] if lines else f"a program confined by it ends with exit status {run.returncode}"
        referee.settimeout(1)
        connection, _ = referee.accept()
        with connection:
            return "" if connection.recv(16) == b"confined" else "a program confined by it cannot reach the referee"
