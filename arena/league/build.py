"""The ``fetch`` and ``build`` steps of a bot, run in the copy of its sources with limits of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

from arena.errors import UsageError
from arena.league.bots import Bot
from arena.league.toolchains import advice
from arena.players.confine import NOBODY, uid_of
from arena.players.process import exit_words
from arena.players.sandbox import MARK
from arena.players.strays import end_marked, end_uid

STEP_S = 600
MEMORY_BYTES, DISK_BYTES = 4 << 30, 2 << 30
LINES_SHOWN, _TAIL_BYTES = 30, 16_384
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For tools that are Java programs and run for seconds: a second compiler and parallel collectors cost them double."""
LOG = ".arena-build.log"
CACHE = ".cache"

Wrap: TypeAlias = Callable[[str, Sequence[str], Path], Sequence[str]]
"""From the kind of a step (``fetch`` or ``build``), its command and the folder, to the command that is run."""


def limited(kind: str, command: Sequence[str], folder: Path) -> Sequence[str]:
    """Return the command of a step behind ``prlimit``: 4 GB of memory a process, 2 GB a file, no core dumps.

    Memory is RLIMIT_DATA: compilers and virtual machines reserve far more addresses than they use.
    """
    return ("prlimit", f"--data={MEMORY_BYTES}", f"--fsize={DISK_BYTES}", "--core=0", "--", *command)


class Caches(Protocol):
    """What is kept of the caches that the steps of a bot fill."""

    def take_caches(self, bot: Bot, folder: Path) -> int:
        """Make a folder of them; return its size in bytes, 0 for none."""
        ...

    def keep_caches(self, bot: Bot, folder: Path, taken: int) -> None:
        """Keep those in a folder; ``taken`` is what ``take_caches`` returned."""
        ...


def run_steps(
    bot: Bot, folder: Path, wrap: Wrap = limited, seconds: float = STEP_S, caches: Caches | None = None
) -> None:
    """Run the ``fetch``, then the ``build`` steps of a bot, and remove the caches that they filled.

    Args:
        bot: the bot.
        folder: the copy of its sources, where the steps work and leave the program.
        wrap: puts limits, or a sandbox, around each step.
        seconds: that each step may take.
        caches: filled before, and kept after success and failure alike; None to begin without any.

    Raises:
        UsageError: when a step cannot start, fails, takes too long or fills the disk; with its last lines.
    """
    if not bot.fetch and not bot.build:
        return
    taken = caches.take_caches(bot, folder / CACHE) if caches else 0
    try:
        _run_all(bot, folder, wrap, seconds)
    finally:
        if caches:
            caches.keep_caches(bot, folder / CACHE, taken)
    (folder / LOG).unlink(missing_ok=True)
    shutil.rmtree(folder / CACHE, ignore_errors=True)  # many times larger than what was made with it


def _run_all(bot: Bot, folder: Path, wrap: Wrap, seconds: float) -> None:
    for kind, steps in (("fetch", bot.fetch), ("build", bot.build)):
        for step in steps:
            command = [_program(bot, kind, step[0], folder), *step[1:]]
            _run(f"bot {bot.name!r}: {kind} step {' '.join(step)!r}", wrap(kind, command, folder), folder, seconds)


def step_environment(folder: Path, own: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a step: the operator's PATH, every cache inside the copy, no install scripts, a mark.

    Args:
        folder: the copy of the sources.
        own: the operator's environment.
    """
    cache = folder / CACHE
    env = {
        "PATH": own.get("PATH", os.defpath),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "XDG_CACHE_HOME": str(cache),
        "CARGO_HOME": str(cache / "cargo"),
        "GOPATH": str(cache / "go"),
        "GOCACHE": str(cache / "go-build"),
        "GOFLAGS": "-modcacherw",  # else it cannot be removed
        "GRADLE_USER_HOME": str(cache / "gradle"),
        "MAVEN_OPTS": f"-Dmaven.repo.local={cache / 'maven'} {JAVA}",
        "npm_config_cache": str(cache / "npm"),
        "npm_config_ignore_scripts": "true",
        "PIP_CACHE_DIR": str(cache / "pip"),
        MARK: _mark(folder),
    }
    # Tools that were installed for a user are found through these; they are read, not filled.
    tools = {"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "NVM_DIR": ".nvm"}
    for name, folder_name in tools.items():
        home = Path(own.get(name) or Path(own.get("HOME", "/")) / folder_name)
        if home.is_dir():
            env[name] = str(home)
    return env


def _program(bot: Bot, kind: str, word: str, folder: Path) -> str:
    found = str(folder / word) if "/" in word else shutil.which(word)
    if found is None or not os.access(found, os.X_OK):
        raise UsageError(
            f"bot {bot.name!r}: {kind} needs the program {word!r}: not found, or not executable{advice(word)}"
        )
    return found


def _run(what: str, command: Sequence[str], folder: Path, seconds: float) -> None:
    """Run one step in a session of its own, and end all of it when the time is over."""
    with (folder / LOG).open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=step_environment(folder, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end_session(process)
            _end_strays(process.pid, folder)
    if status is None:
        raise UsageError(f"{what} took longer than {seconds:g} s{_tail(folder / LOG)}")
    if status:
        raise UsageError(f"{what} failed ({exit_words(status)}){_tail(folder / LOG)}")
    used = sum(path.lstat().st_size for path in folder.rglob("*"))
    if used > DISK_BYTES:
        raise UsageError(f"{what} left {used >> 20} MB; accepted are {DISK_BYTES >> 20} MB{_tail(folder / LOG)}")


def _end_session(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):  # nothing of it is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _end_strays(pid: int, folder: Path) -> None:
    """End what has left the session of a step: by the uid that it has where root runs it in a sandbox, and by its mark.

    A daemon would compute beside the league, and change the program that the step has made.
    """
    if os.geteuid() == 0 and (uid := uid_of(pid)) != NOBODY:
        end_uid(uid)
    end_marked(_mark(folder))


def _mark(folder: Path) -> str:
    """Return what the steps in a folder carry in their environment; they run one after the other."""
    return f"build:{folder}:"


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        # The copy has a long name that tells its author nothing: files are named as in his folder.
        text = file.read().decode(errors="replace").replace(f"{log.parent}/", "")
        lines = text.splitlines()[-LINES_SHOWN:]
    return "; its last lines:\n" + "\n".join(f"    {line}" for line in lines) if lines else "; it printed nothing"
