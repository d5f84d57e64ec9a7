"""What a hostile bot tries, one function each; ``python -m arena.testing.attacks`` tries them where it runs.

``tries TARGET`` prints one line an attack: its name, ``done`` or ``blocked``, and words, between tabs. Other names do
one deed that may not return: eat memory, breed, fill the disk, leave a daemon. Nothing here needs more than Python, and
nothing outlasts its process but what a sandbox should have prevented; what root would certainly achieve is not done.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass

FOR_EVER_S = 3600
MEGABYTE = 1 << 20
EAT_S = 0.001
SHM_FILLER_MB = 32
CHILDREN, CHILD_BYTES = 8, 48 * MEGABYTE
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
CLONE_NEWUSER = 0x10000000
ADJ_TICK, TIMEX_BYTES, USUAL_TICK_US = 0x4000, 208, 10_000
REPLY_S = 0.5
SETTLE_S = 1.0
WAITING = "waiting"
"""The last word of a deed that has been done and does not end."""

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Target:
    """What is worth attacking on this machine.

    Attributes:
        referee: pid of the process that started the attacker.
        home: the operator's home folder.
        entries: how many entries it has.
        secret: a file that everybody may read.
        tcp: a port on which the referee listens, on 127.0.0.1.
        udp: another.
        abstract: name of an abstract socket on which it listens.
        socket: path of a socket on which it listens, not the attacker's own.
    """

    referee: int
    home: str
    entries: int
    secret: str
    tcp: int
    udp: int
    abstract: str
    socket: str

    def as_argument(self) -> str:
        """Return it as a word of a command line."""
        return json.dumps(asdict(self))


def _wait() -> None:
    """Say that nothing more will come, and wait for ever."""
    print(WAITING, flush=True)
    time.sleep(FOR_EVER_S)


class Blocked(Exception):
    """An attack that came to nothing; an ``OSError`` says the same."""


class PermissionGranted(Exception):
    """An attack that root need not try."""


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return f"read {len(file.read(4096))} bytes of {path}"


def read_passwords(_: Target) -> str:
    """Read the file of users."""
    return _read("/etc/passwd")


def list_home(target: Target) -> str:
    """List the operator's home; an interpreter that lies in it may be shown, and nothing else."""
    seen = len(os.listdir(target.home))
    if seen < target.entries:
        raise Blocked(f"{seen} of {target.entries} entries of {target.home} are shown")
    return f"{seen} entries of {target.home}"


def read_another_folder(target: Target) -> str:
    """Read a file that is not the bot's, such as another bot's."""
    return _read(target.secret)


def read_through_proc(target: Target) -> str:
    """Read it through the root of the first process."""
    return _read(f"/proc/1/root{target.secret}")


def read_environments(_: Target) -> str:
    """Read the environment of any process that is not a bot."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            words = file.read()
            if words and b"ARENA_MARK=" not in words:
                return f"read the environment of process {pid}"
    raise Blocked("no environment but its own can be read")


def see_processes(target: Target) -> str:
    """See the command line of the referee."""
    return _read(f"/proc/{target.referee}/cmdline")


def signal_referee(target: Target) -> str:
    """Send the referee a signal, here one without effect."""
    os.kill(target.referee, signal.SIGWINCH)
    return "the signal was sent"


def trace_referee(target: Target) -> str:
    """Become the tracer of the referee."""
    _call(_libc.ptrace(PTRACE_SEIZE, target.referee, None, None))
    _libc.ptrace(PTRACE_DETACH, target.referee, None, None)
    return "it traced the referee"


def connect_tcp(target: Target) -> str:
    """Connect to a port of this machine."""
    socket.create_connection(("127.0.0.1", target.tcp), REPLY_S).close()
    return "connected"


def send_udp(target: Target) -> str:
    """Send a datagram to a port of this machine: refused where nobody listens on it, else without an answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(REPLY_S)
        sender.connect(("127.0.0.1", target.udp))
        sender.send(b"?")
        with suppress(TimeoutError):
            sender.recv(1)
    return "sent"


def connect_abstract(target: Target) -> str:
    """Connect to a socket that has a name but no file."""
    return _connect_unix("\0" + target.abstract)


def connect_file(target: Target) -> str:
    """Connect to a socket file of this machine that is not the bot's."""
    return _connect_unix(target.socket)


def _connect_unix(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(address)
    return "connected"


def mount(_: Target) -> str:
    """Mount a file system."""
    _not_as_root()
    _call(_libc.mount(b"tmpfs", os.environ["HOME"].encode(), b"tmpfs", ctypes.c_ulong(0), None))
    return "mounted"


def new_users(_: Target) -> str:
    """Make a user namespace, in which it would be root; in a child, which ends."""
    child = os.fork()
    if child == 0:
        os._exit(1 if _libc.unshare(CLONE_NEWUSER) else 0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise Blocked("no user namespace")
    return "made a user namespace"


def set_clock(_: Target) -> str:
    """Set the length of the clock's tick, to what it usually is."""
    _not_as_root()
    words = (ctypes.c_long * (TIMEX_BYTES // 8))(ADJ_TICK)
    words[11] = USUAL_TICK_US
    _call(_libc.adjtimex(words))
    return "the clock obeys"


def go_first(_: Target) -> str:
    """Take the highest priority."""
    os.setpriority(os.PRIO_PROCESS, 0, -20)
    return "it has priority -20"


def raise_limits(_: Target) -> str:
    """Lift the limit on its memory."""
    resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "its memory has no limit"


def become_root(_: Target) -> str:
    """Become root."""
    os.setuid(0)
    return "it is root"


def write_system(_: Target) -> str:
    """Write among the system's programs."""
    _not_as_root()
    return _write("/usr/arena-attack")


def write_own_folder(_: Target) -> str:
    """Change its own program's folder, which other games run from."""
    return _write(os.path.abspath("arena-attack"))


def write_beside_socket(_: Target) -> str:
    """Write into the folder of the referee's socket."""
    return _write(os.path.join(os.path.dirname(os.environ["ARENA_ADDRESS"].removeprefix("unix://")), "arena-attack"))


def write_root(_: Target) -> str:
    """Write into the root folder."""
    return _write("/arena-attack")


def fill_shared_memory(_: Target) -> str:
    """Put 32 MB into ``/dev/shm``, which are the machine's memory."""
    with ExitStack() as files:
        for number in range(SHM_FILLER_MB):
            path = f"/dev/shm/arena-attack-{number}"
            file = files.enter_context(open(path, "wb", buffering=0))
            os.unlink(path)
            file.write(b"x" * MEGABYTE)
    return f"wrote {SHM_FILLER_MB} MB"


def _write(path: str) -> str:
    with open(path, "xb") as file:
        file.write(b"x")
    os.unlink(path)
    return f"wrote {path}"


def _not_as_root() -> None:
    if os.geteuid() == 0:
        raise PermissionGranted("it is root")


def _call(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


TRIES: dict[str, Callable[[Target], str]] = {
    "read /etc/passwd": read_passwords,
    "list the operator's home": list_home,
    "read files of others": read_another_folder,
    "read them through /proc/1/root": read_through_proc,
    "read the referee's environment": read_environments,
    "see the referee's command line": see_processes,
    "signal the referee": signal_referee,
    "trace the referee": trace_referee,
    "connect by TCP": connect_tcp,
    "send UDP": send_udp,
    "connect to abstract sockets": connect_abstract,
    "connect to socket files of others": connect_file,
    "mount": mount,
    "make a user namespace": new_users,
    "set the clock": set_clock,
    "take a higher priority": go_first,
    "lift its limits": raise_limits,
    "become root": become_root,
    "write to /usr": write_system,
    "write to its program's folder": write_own_folder,
    "write beside the socket": write_beside_socket,
    "write to /": write_root,
    "fill /dev/shm": fill_shared_memory,
}
"""Attacks that return, by the name under which they are reported."""


def try_all(target: Target) -> None:
    """Try all attacks that return and print what came of each."""
    for name, attack in TRIES.items():
        try:
            outcome, words = "done", attack(target)
        except PermissionGranted as reason:
            outcome, words = "done", str(reason)
        except (OSError, ValueError, Blocked) as error:
            outcome, words = "blocked", str(error)
        print(name, outcome, words, sep="\t", flush=True)


def eat(*, shared: bool) -> None:
    """Use more and more memory, a megabyte at a time."""
    eaten = []
    while True:
        block = mmap.mmap(-1, MEGABYTE, mmap.MAP_SHARED if shared else mmap.MAP_PRIVATE)
        block.write(b"x" * MEGABYTE)
        eaten.append(block)
        time.sleep(EAT_S)


def eat_as_files() -> None:
    """Use more and more memory as files that have no name and are in no process's memory."""
    while True:
        file = os.memfd_create("eaten")
        for _ in range(4):
            os.write(file, b"x" * MEGABYTE)
        time.sleep(4 * EAT_S)


def eat_by_children() -> None:
    """Let children that are modest each use too much together."""
    for _ in range(CHILDREN):
        if os.fork() == 0:
            eaten = bytearray(os.urandom(1)) * CHILD_BYTES
            time.sleep(FOR_EVER_S)
            del eaten
    time.sleep(FOR_EVER_S)


def breed() -> None:
    """Start processes as long as that goes, then say how many, and wait."""
    started = 0
    with suppress(OSError):
        while True:
            subprocess.Popen(["sleep", str(FOR_EVER_S)], start_new_session=True)
            started += 1
    print(started, flush=True)
    time.sleep(SETTLE_S)
    _wait()


def fill_disk() -> None:
    """Write to its home until the disk is full, and wait for what comes of it."""
    number = 0
    with suppress(OSError):
        while True:
            with open(os.path.join(os.environ["HOME"], f"filler{number}"), "wb", buffering=0) as file:
                file.write(b"x" * MEGABYTE)
            number += 1
    time.sleep(FOR_EVER_S)


def leave_daemon(name: str) -> None:
    """Leave a process with a name that has left its session, its parent and its environment, and end."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 3)
            os.execve("/bin/sleep", [name, str(FOR_EVER_S)], {})
        os._exit(0)
    os.wait()
    time.sleep(0.2)


def be_stopped() -> None:
    """Be a process that stops: by its own child, as a tracer that ends no more than it."""
    parent = os.getpid()
    if os.fork() == 0:
        _libc.ptrace(PTRACE_SEIZE, parent, None, None)
        os.kill(parent, signal.SIGSTOP)
        _wait()
    time.sleep(FOR_EVER_S)


def go_deaf() -> None:
    """Ignore every signal that can be ignored, and wait."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError):
            signal.signal(number, signal.SIG_IGN)
    _wait()


DEEDS: dict[str, Callable[..., None]] = {
    "hello": lambda: print("hello", flush=True),
    "memory": lambda: eat(shared=False),
    "shared-memory": lambda: eat(shared=True),
    "memory-files": eat_as_files,
    "memory-of-children": eat_by_children,
    "breed": breed,
    "fill-disk": fill_disk,
    "daemon": leave_daemon,
    "stop": be_stopped,
    "deaf": go_deaf,
}
"""Attacks that may not return, by the word that starts them."""


def main(words: list[str]) -> None:
    """Do as the words say."""
    if words[0] == "tries":
        try_all(Target(**json.loads(words[1])))
    else:
        DEEDS[words[0]](*words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
