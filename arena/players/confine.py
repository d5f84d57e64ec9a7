"""What runs between the referee and a bot: gives up rights, then becomes the bot.

A process of its own (``python -I -S -c …``), because the referee may not run Python between fork and exec. It begins
with the referee's rights, so its environment is empty and it reads nothing that a bot wrote. In this order: show the
private places, drop root, limits, Landlock, exec. It imports little, because every start of every bot waits for it.

**Private places.** Root drops to an unprivileged uid before the sandbox begins; then a runtime below a closed home, a
snapshot in a closed results folder or a socket in a folder of mode 0700 cannot be reached any more. In a mount
namespace of its own, each folder that bars the way is covered by an empty one that is open, and the places are bound
where they were: every path stays what it was, and nothing else of the closed folder is seen.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import sys

from arena.players import landlock

TYPE_CHECKING = False  # known to type checkers; ``typing`` alone would be a tenth of what this imports
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn

FAILED = 125
"""Exit status when a bot could not be confined; its output says why."""
UID_BASE = 1_000_000_000
"""A process gets the uid of this plus its pid: no two that live share one, so limits and signals are for it alone."""
NOBODY = 65_534
UMASK = 0o022

CLONE_NEWNS = 0x20000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG, SIGKILL = 1, 9
TMPFS = b"mode=0755,size=1m"

_libc = ctypes.CDLL(None, use_errno=True)


def boot(spec: Mapping[str, Any] | int) -> list[str]:
    """Return the command that runs this module with a specification, or with the descriptor that holds one.

    This process must be the one that runs it: without its parent it becomes no bot.

    Args:
        spec: what :func:`confine` takes. In the command it can be seen by every user of the machine.
    """
    code = "import sys; sys.path.append(sys.argv[1]); from arena.players import confine; confine.main(*sys.argv[2:])"
    what = str(spec) if isinstance(spec, int) else "=" + marshal.dumps(dict(spec)).hex()
    root = os.path.normpath(f"{__file__}/../../..")
    return [sys.executable, "-I", "-S", "-c", code, root, what, str(os.getpid())]


def uid_of(pid: int, uid_map: str = "/proc/self/uid_map") -> int:
    """Return the uid under which root runs the bot with this pid: its own one, or ``nobody`` where there are few uids.

    Args:
        pid: process id of the bot.
        uid_map: the file that says which uids exist here.
    """
    wanted = UID_BASE + pid
    with open(uid_map, encoding="ascii") as lines:
        ranges = [[int(number) for number in line.split()] for line in lines]
    return wanted if any(first <= wanted < first + count for first, _, count in ranges) else NOBODY


def barred(place: str) -> str | None:
    """Return the topmost folder above a place that only its owner may enter, None if there is none."""
    folder, bar = os.path.abspath(place), None
    while folder != "/":
        folder = os.path.dirname(folder)
        if not os.stat(folder).st_mode & 0o001:
            bar = folder
    return bar


def main(what: str, parent: str) -> NoReturn:
    """Confine this process as told and become the bot, while the process that started it lives."""
    try:
        if what.startswith("="):
            spec = marshal.loads(bytes.fromhex(what[1:]))
        else:
            with open(int(what), "rb") as file:
                spec = marshal.load(file)
        confine(spec, int(parent))
    except Exception as error:  # whatever it is, the bot must not run
        print(f"the bot cannot be confined: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    os._exit(FAILED)


def confine(spec: Mapping[str, Any], parent: int) -> None:
    """Give up rights and become a program; returns only by an error.

    Args:
        spec: ``argv``, ``env`` (None: this process's own) and ``cwd`` of the program; ``places`` that it must reach;
            ``own``, files that are to be its own; ``rlimits`` as (name, value) pairs; ``landlock``, arguments of
            ``landlock.restrict`` or None; ``give_back``: None, or a folder that is the program's while it runs, as a
            child, and root's again after that.
        parent: pid of the process with which this one shall end.
    """
    os.umask(UMASK)
    is_root = os.geteuid() == 0
    if is_root:
        reveal(spec["places"])
    uid = uid_of(os.getpid())
    if is_root and spec["give_back"] is not None:
        parent = _become_child(spec["give_back"], uid)
    if is_root:
        drop_root(uid, spec["own"])
    _end_with(parent)
    for name, value in spec["rlimits"]:
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    os.chdir(spec["cwd"])
    landlock.give_up_new_privileges()
    if spec["landlock"] is not None:
        landlock.restrict(**spec["landlock"])
    os.execve(spec["argv"][0], list(spec["argv"]), os.environ if spec["env"] is None else spec["env"])


def drop_root(uid: int, own: Iterable[str]) -> None:
    """Give some files to a uid, which must own nothing else, and become it."""
    for path in own:
        chown_tree(path, uid)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def chown_tree(path: str, uid: int) -> None:
    """Give a file, or a folder with all in it, to a uid."""
    os.lchown(path, uid, uid)
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            os.lchown(os.path.join(folder, name), uid, uid)


def _become_child(folder: str, uid: int) -> int:
    """Return in a child, with the pid of this process, which waits for its end, takes back a folder, and ends as it."""
    chown_tree(folder, uid)
    parent = os.getpid()
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if uid != NOBODY:
            _end_all_of(uid)
        chown_tree(folder, 0)
        os._exit(status if status >= 0 else 128 - status)
    return parent


def _end_all_of(uid: int) -> None:
    """End what a step has left running: while root gives files back, it could put links to others in their place."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setresuid(uid, uid, uid)
        os.kill(-1, SIGKILL)  # all that it may send signals to, but not itself
    finally:
        os._exit(0)  # with an error there is nothing left to end


def _end_with(parent: int) -> None:
    """Let the kernel end this process when its parent ends; end it now if that has ended already."""
    if _libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the death signal")
    if os.getppid() != parent:
        raise ProcessLookupError(f"process {parent}, which started it, is gone")


def reveal(places: Sequence[str]) -> None:
    """Make places that root alone can reach reachable for all, in a mount namespace of this process's own."""
    bars = {place: bar for place in places if os.path.exists(place) and (bar := barred(place)) is not None}
    if not bars:
        return
    if _libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), f"no mount namespace, and {', '.join(bars)} cannot be reached without")
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    opened = {place: os.open(place, os.O_PATH | os.O_CLOEXEC) for place in bars}
    for bar in sorted(set(bars.values())):
        _mount("tmpfs", bar, "tmpfs", 0, TMPFS)
    for place, descriptor in sorted(opened.items()):
        if not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if os.path.isdir(f"/proc/self/fd/{descriptor}"):
                os.mkdir(place)
            else:
                os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
            _mount(f"/proc/self/fd/{descriptor}", place, None, MS_BIND)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: bytes | None = None) -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    if _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), data):
        raise OSError(ctypes.get_errno(), f"mounting {target}: {os.strerror(ctypes.get_errno())}")
