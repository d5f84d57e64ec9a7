"""What a program needs besides its own folder: the interpreter's folders, wherever they lie, to be shown read-only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import arena
from arena.players.base import Program

SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Beside ``/usr``: links into it, or folders of their own on old systems."""
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf")
NETWORK_SETTINGS = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/etc/pki",
)


def settings(*, network: bool) -> tuple[str, ...]:
    """Return the files below ``/etc`` that programs need and that tell nothing about this machine's users.

    Debian keeps the settings of a Java runtime there, which does not start without them.

    Args:
        network: those for names and certificates, too.
    """
    java = (str(path) for path in sorted(Path("/etc").glob("java*")))
    return (*SETTINGS, *java, *(NETWORK_SETTINGS if network else ()))


def runtime_places(program: Program) -> tuple[str, ...]:
    """Return the folders and files outside ``/usr`` and its own folder that a program needs to start.

    The words after the first come from the bot's author, so none but the arena's own interpreter opens a folder.
    """
    inside = [Path(program.directory), Path("/usr")]
    found = set(places_of(Path(program.command[0])))
    if sys.executable in program.command:
        found |= set(places_of(Path(sys.executable)))
    return outermost(path for path in found if not any(path.is_relative_to(folder) for folder in inside))


def places_of(executable: Path) -> Iterator[Path]:
    """Yield what an executable file needs besides the system: itself, or the folders of the interpreter that it is."""
    if executable == Path(sys.executable):
        yield from (Path(sys.prefix), Path(sys.base_prefix), Path(arena.__file__).parent)
    environment = executable.parent.parent
    settings_file = environment / "pyvenv.cfg"
    if settings_file.is_file():
        yield environment
        for line in settings_file.read_text(errors="replace").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home":
                yield Path(value.strip()).parent
    real = executable.resolve()
    yield executable
    yield real
    if real.parent.name == "bin" and _is_installation(real.parent.parent):
        yield real.parent.parent


def _is_installation(folder: Path) -> bool:
    """Whether a folder with a ``bin`` holds one program with its files, and is nobody's home."""
    is_home = str(folder) in ("/", os.path.expanduser("~")) or folder.name == ".local" or folder.parent == Path("/home")
    return not is_home and ((folder / "lib").is_dir() or (folder / "share").is_dir())


def outermost(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return paths sorted, without those below another of them."""
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not kept or not path.is_relative_to(kept[-1]):
            kept.append(path)
    return tuple(str(path) for path in kept)
