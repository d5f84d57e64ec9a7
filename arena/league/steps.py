"""The sandbox of ``fetch`` and ``build`` steps: compilers run code of a bot's author, so they are confined like a bot.

A step sees the system, the tools in the operator's PATH (read-only) and the copy of its sources, where it works. Only
``fetch`` has a network. A root referee gives the copy to an unprivileged uid for the time of the step.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.league.build import DISK_BYTES, MEMORY_BYTES, Wrap, limited, step_environment
from arena.players.confine import boot
from arena.players.runtime import SYSTEM, outermost, places_of, settings
from arena.players.sandbox import DEVICES, helper, prlimit, temporary, view

PROCESSES = 512
TMP_BYTES = 1 << 30
FETCH = "fetch"
TOOLS = ("RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR")
TOOL_SETTINGS = ("/etc/maven/m2.conf", "/etc/maven/logging")
"""Where Debian keeps what its Maven does not start without; not the settings beside it, which may hold passwords."""
LIMITS = [("CORE", 0), ("DATA", MEMORY_BYTES), ("FSIZE", DISK_BYTES)]


def step_sandbox(level: str) -> Wrap:
    """Return what puts the sandbox of a level around each step of a bot.

    Args:
        level: ``bwrap``, ``landlock`` or ``none``, which limits sizes alone.
    """
    return {"bwrap": _in_namespaces, "landlock": _landlocked, "none": limited}[level]


def tool_places(program: str, folder: Path) -> tuple[str, ...]:
    """Return the folders outside ``/usr`` that a step may read: of its program, of PATH, and of installed tool chains.

    Args:
        program: path of the program that the step runs.
        folder: the copy of the sources, which is not one of them.
    """
    env = step_environment(folder, os.environ)

    def found() -> Iterator[Path]:
        yield from places_of(Path(program))
        yield from map(Path, TOOL_SETTINGS)
        yield from (Path(env[name]) for name in TOOLS if name in env)
        for word in env["PATH"].split(os.pathsep):
            yield Path(word)
            if (Path(word).parent / "pyvenv.cfg").is_file():
                yield from places_of(Path(word) / "python")

    too_much = (Path("/"), Path(os.path.expanduser("~")))
    return outermost(
        path
        for path in found()
        if path.is_absolute() and path.exists() and path not in too_much
        if not any(path.is_relative_to(inside) for inside in (folder, Path("/usr"), *map(Path, SYSTEM)))
    )


def _in_namespaces(kind: str, command: Sequence[str], folder: Path) -> Sequence[str]:
    tools = tool_places(command[0], folder)
    seen = view([(tool, tool) for tool in tools], TMP_BYTES, network=kind == FETCH, writable=str(folder))
    argv = [helper("bwrap"), *seen, "--chdir", str(folder), "--", *prlimit([*LIMITS, ("NPROC", PROCESSES)]), *command]
    if os.geteuid():
        return argv
    return boot(
        {
            "argv": argv,
            "env": None,
            "cwd": "/",
            "places": [*tools, str(folder)],
            "own": [],
            "rlimits": [],
            "landlock": None,
            "give_back": str(folder),
        }
    )


def _landlocked(kind: str, command: Sequence[str], folder: Path) -> Sequence[str]:
    tools = tool_places(command[0], folder)
    scratch = folder / ".cache" / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    network = kind == FETCH
    is_root = os.geteuid() == 0
    return boot(
        {
            "argv": list(command),
            "env": {**step_environment(folder, os.environ), **temporary(str(scratch))},
            "cwd": str(folder),
            "places": [*tools, str(folder)],
            "own": [],
            "rlimits": [*LIMITS, ("NPROC", PROCESSES)] if is_root else LIMITS,
            "landlock": {
                "read": ["/usr", *SYSTEM, *settings(network=network), "/proc", *tools],
                "write": [str(folder)],
                "devices": DEVICES,
                "deny_tcp": not network,
            },
            "give_back": str(folder) if is_root else None,
        }
    )
