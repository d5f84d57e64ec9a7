"""How a bot is started, at three levels; which level was used is part of every game's record.

* ``bwrap``: namespaces of its own (files, processes, network, users), made by bubblewrap. It sees the system's
  programs, its own folder and the referee's socket, all read-only, and writes to memory of a limited size.
* ``landlock``: the kernel denies files outside those, TCP, signals and abstract sockets. UDP, sockets that are files
  and the list of processes stay open to it.
* ``none``: limits on each process, and nothing hidden.

A root referee drops to a uid of the bot's own first: limits on numbers of processes do not bind root, and two bots of
one uid could end one another. Programs between referee and bot get an empty environment, because a bot's ``env`` may
name libraries to load, which must not happen before the bot is confined.
"""

from __future__ import annotations

import marshal
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import arena
from arena.errors import UsageError
from arena.players.base import Limits, Program, environment
from arena.players.confine import boot
from arena.players.runtime import SYSTEM, runtime_places, settings

MARK = "ARENA_MARK"
OPEN_FILES = 256
SHM_BYTES = 8 << 20
DATA_TIMES = 3
"""The kernel lets each process have so many times the memory that the watchdog lets the tree have.

At twice that a bot could die of the kernel's limit, which looks like a crash, before the watchdog told what it used: a
bot can fill 70 MB in a tenth of a second, the stacks of its threads count 36 MB from the start, and on a busy machine a
look comes late by up to three tenths of a second.
"""
HELPERS = ("setpriv", "prlimit")
BOT, HOME, SOCKET = "/opt/bot", "/tmp/home", "/run/arena.sock"
"""Where a bot under ``bwrap`` finds its folder, its home, and the referee."""
UNIX = "unix://"
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
NAMESPACES = (
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--as-pid-1",
)


_PACKAGE = str(Path(arena.__file__).parent)


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start one bot process; the descriptors belong to the caller, who closes them.

    Attributes:
        argv: command, its program resolved.
        env: whole environment.
        cwd: working directory.
        inherited: descriptors that the process must inherit.
        tells_pid: read end of a pipe in which ``bwrap`` names the bot's own pid; None where the process is the bot.
        own_uid: the bot runs under the uid that ``confine.uid_of`` gives for the pid of this process.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    inherited: tuple[int, ...] = ()
    tells_pid: int | None = None
    own_uid: bool = False

    def close(self) -> None:
        """Close the descriptors that were for the child."""
        for descriptor in self.inherited:
            os.close(descriptor)


class Launcher(Protocol):
    """Starts bots at one level.

    Attributes:
        level: its name.
        disk: where the bot has a file system of its own, as it sees it; None where it writes to the scratch folder.
    """

    level: str
    disk: str | None

    def command(self, program: Program, address: str, scratch: str, added: Mapping[str, str]) -> Launch:
        """Return how to start a bot.

        Args:
            program: the bot.
            address: what it dials, as the referee sees it.
            scratch: an empty folder for its home where it has no file system of its own.
            added: variables besides HOME and ARENA_ADDRESS.
        """
        ...


def launcher(level: str, limits: Limits) -> Launcher:
    """Return the launcher of a level.

    Args:
        level: ``bwrap``, ``landlock`` or ``none``.
        limits: of memory, processes, disk and network.
    """
    launchers: dict[str, Callable[[Limits], Launcher]] = {"bwrap": Bubblewrap, "landlock": Landlocked, "none": Bare}
    return launchers[level](limits)


def helper(name: str) -> str:
    """Return the path of a program that starting bots needs.

    Raises:
        UsageError: when it is missing.
    """
    found = shutil.which(name)
    if found is None:
        package = "bubblewrap" if name == "bwrap" else "util-linux"
        raise UsageError(f"{name} not found: install the package {package}")
    return found


def rlimits(limits: Limits, *, processes: bool) -> list[tuple[str, int]]:
    """Return the limits of each process of a bot, by the names of ``setrlimit``.

    Memory is a multiple of that of the whole tree: it stops what grows faster than the watchdog looks, and leaves
    virtual machines the room that they reserve and never use. Addresses are not limited: programs of 100 MB reserve
    gigabytes.

    Args:
        limits: the league's.
        processes: limit their number, too; sensible only where the bot has a uid or a user namespace of its own.
    """
    wanted = [("CORE", 0), ("DATA", DATA_TIMES * limits.memory_mb << 20), ("FSIZE", limits.disk_mb << 20)]
    wanted.append(("NOFILE", OPEN_FILES))
    return [*wanted, ("NPROC", limits.processes)] if processes else wanted


def prlimit(sizes: Iterable[tuple[str, int]]) -> list[str]:
    """Return the words that put limits, by the names of ``setrlimit``, before a command."""
    return [helper("prlimit"), *(f"--{name.lower()}={size}:{size}" for name, size in sizes), "--"]


def temporary(folder: str) -> dict[str, str]:
    """Return the variables that let programs put temporary files into a folder where ``/tmp`` is closed to them."""
    return {"TMPDIR": folder, "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={folder}"}


class Bare:
    """Level ``none``: limits and the death signal by ``setpriv`` and ``prlimit``."""

    level = "none"
    disk: str | None = None

    def __init__(self, limits: Limits) -> None:
        self._prefix = (helper("setpriv"), "--pdeathsig", "KILL", "--no-new-privs", "--")
        self._limits = prlimit(rlimits(limits, processes=False))

    def command(self, program: Program, address: str, scratch: str, added: Mapping[str, str]) -> Launch:
        """Return how to start a bot."""
        env = environment(program, {"HOME": scratch, "ARENA_ADDRESS": address, **added})
        return Launch((*self._prefix, *self._limits, *program.command), env, program.directory)


class Landlocked:
    """Level ``landlock``: confined by the kernel alone, without another program."""

    level = "landlock"
    disk: str | None = None

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def command(self, program: Program, address: str, scratch: str, added: Mapping[str, str]) -> Launch:
        """Return how to start a bot; its home is the only place that it can write to."""
        is_root = os.geteuid() == 0
        runtime = [*runtime_places(program), program.directory]
        network = self._limits.network == "allow"
        home, imports = _home_and_imports(scratch)
        arenas = {"PYTHONPATH": imports} if _PACKAGE in runtime else {}
        env = environment(program, {"HOME": home, "ARENA_ADDRESS": address, **temporary(home), **arenas, **added})
        sockets = [address.removeprefix(UNIX)] if address.startswith(UNIX) else []
        spec = {
            "argv": program.command,
            "env": env,
            "cwd": program.directory,
            "places": [*runtime, home, imports, *sockets],
            "own": [home, *sockets],
            "rlimits": rlimits(self._limits, processes=is_root),
            "landlock": {
                "read": ["/usr", *SYSTEM, *settings(network=network), "/proc", *runtime, imports],
                "write": [home],
                "devices": DEVICES,
                "deny_tcp": not network,
            },
            "give_back": None,
        }
        return _confined(spec, own_uid=is_root)


def _home_and_imports(scratch: str) -> tuple[str, str]:
    """Make two folders in an empty one: a bot's home, and one from which Python imports the arena.

    The latter is for an arena that is installed as a checkout (``pip install -e``). Python looks for a module in the
    list of a folder's names; the folder around the package is not open to a bot, as it holds what is no bot's
    business, so a link to the package stands in one where nothing else is.
    """
    home, imports = Path(scratch, "home"), Path(scratch, "imports")
    home.mkdir(0o700)
    imports.mkdir()
    (imports / Path(_PACKAGE).name).symlink_to(_PACKAGE)
    os.chmod(scratch, 0o711)
    return str(home), str(imports)


class Bubblewrap:
    """Level ``bwrap``: namespaces of the bot's own."""

    level = "bwrap"
    disk: str | None = "/tmp"

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bwrap = helper("bwrap")
        self._prlimit = prlimit(rlimits(limits, processes=True))

    def command(self, program: Program, address: str, scratch: str, added: Mapping[str, str]) -> Launch:
        """Return how to start a bot; its disk is memory of its own, and ``scratch`` is not used."""
        read, write = os.pipe()
        runtime = runtime_places(program)
        sockets = [address.removeprefix(UNIX)] if address.startswith(UNIX) else []
        dialled = f"{UNIX}{SOCKET}" if sockets else address
        env = environment(program, {"HOME": HOME, "ARENA_ADDRESS": dialled, **added})
        binds = [*((place, place) for place in runtime), (program.directory, BOT), *((at, SOCKET) for at in sockets)]
        network = self._limits.network == "allow"
        options = [*view(binds, self._limits.disk_mb << 20, network=network), "--dir", HOME, "--chdir", BOT]
        options += ["--info-fd", str(write)]
        for name, value in env.items():
            options += ["--setenv", name, value]
        told = _in_memory(_as_arguments(options))
        words = [_as_seen(word, program.directory, runtime) for word in program.command]
        argv = (self._bwrap, "--args", str(told), "--", *self._prlimit, *words)
        # For a moment at its start bwrap has a child that waits for it, and for ever if the referee and it are killed
        # just then: by the mark that is found, too.
        own = {name: added[name] for name in (MARK,) if name in added}
        spec: dict[str, Any] = {
            "argv": argv,
            "env": own,
            "cwd": "/",
            "places": [*runtime, program.directory, *sockets],
            "own": sockets,
            "rlimits": [],
            "landlock": None,
            "give_back": None,
        }
        return _confined(spec, (told, write), read, own_uid=os.geteuid() == 0)


def view(binds: Sequence[tuple[str, str]], disk_bytes: int, *, network: bool, writable: str | None = None) -> list[str]:
    """Return the options of ``bwrap`` that make namespaces with the system's programs and some places, read-only.

    Args:
        binds: (path, where it is seen) pairs.
        disk_bytes: size of ``/tmp``, the only place that can be written to besides a small ``/dev/shm``.
        network: leave the network open.
        writable: a folder to be seen where it is, which may be written to as well.
    """
    options = [*NAMESPACES, *(["--share-net"] if network else []), "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr"]
    for name in SYSTEM:
        if os.path.islink(name):
            options += ["--symlink", os.readlink(name), name]
        else:
            options += ["--ro-bind-try", name, name]
    for name in settings(network=network):
        options += ["--ro-bind-try", name, name]
    options += ["--proc", "/proc", "--dev", "/dev", "--size", str(SHM_BYTES), "--tmpfs", "/dev/shm"]
    options += ["--size", str(disk_bytes), "--tmpfs", "/tmp"]
    for place, seen_at in binds:
        options += ["--ro-bind", place, seen_at]
    if writable is not None:
        options += ["--bind", writable, writable]
    return [*options, "--remount-ro", "/dev", "--remount-ro", "/"]


def _as_arguments(options: Sequence[str]) -> bytes:
    """Return options as ``bwrap --args`` reads them.

    Raises:
        ValueError: when one holds the character that ends them: its rest would be options that a bot's author wrote.
    """
    if strange := [option for option in options if "\0" in option]:
        raise ValueError(f"an option of bwrap with a NUL character: {strange[0]!r}")
    return b"".join(option.encode() + b"\0" for option in options)


def _as_seen(word: str, directory: str, runtime: tuple[str, ...]) -> str:
    """Return a word of a command with a path below the bot's folder as the bot sees it."""
    path = Path(word)
    if not path.is_relative_to(directory) or any(path.is_relative_to(place) for place in runtime):
        return word
    return str(BOT / path.relative_to(directory))


def _confined(
    spec: Mapping[str, Any],
    inherited: tuple[int, ...] = (),
    tells_pid: int | None = None,
    *,
    own_uid: bool,
) -> Launch:
    """Return a launch by way of ``confine``."""
    told = _in_memory(marshal.dumps(dict(spec)))
    return Launch(tuple(boot(told)), {}, "/", (*inherited, told), tells_pid, own_uid)


def _in_memory(data: bytes) -> int:
    """Return a descriptor that reads some bytes: command lines are seen by every user, and tokens are not for them."""
    descriptor = os.memfd_create("arena")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
