"""Landlock by ``ctypes``: a process gives up the rights to files, TCP and signals that it does not need, for good.

Numbers and structures are those of ``linux/landlock.h``; the three system calls have these numbers on every machine.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

TYPE_CHECKING = False  # see ``confine``
if TYPE_CHECKING:
    from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
FIRST_RIGHTS, MAKE_DEVICES = (1 << 13) - 1, 1 << 6 | 1 << 11
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
"""The rights that a rule for something else than a folder may name."""
TCP_ABI, SCOPES_ABI = 4, 6
BIND_AND_CONNECT = 0b11
ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

_libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """Make a system call.

    Raises:
        OSError: when it fails.
    """
    result = int(_libc.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def abi() -> int:
    """Return the version of Landlock that the kernel offers, 0 for none."""
    try:
        return call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(ASK_VERSION))
    except OSError:
        return 0


def handled_rights(version: int) -> int:
    """Return all rights to files that this version of Landlock can take away."""
    later = ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEVICE))
    return FIRST_RIGHTS | sum(right for since, right in later if version >= since)


def give_up_new_privileges() -> None:
    """Let no program that this process starts gain rights by its set-user-id bit."""
    if _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")


def restrict(read: Iterable[str], write: Iterable[str], devices: Iterable[str], *, deny_tcp: bool) -> None:
    """Give up everything but these files, for this process and all that it starts; needs ``no_new_privs``.

    Abstract sockets and signals reach only what is restricted along with it (since version 6). UDP and sockets that
    are files cannot be denied.

    Args:
        read: files and folders that may be read and run; a missing one is left out.
        write: folders in which everything but device files may be done.
        devices: files that may be read and written.
        deny_tcp: give up TCP, too (since version 4).

    Raises:
        OSError: when the kernel has no Landlock, or refuses.
    """
    version = abi()
    rights = handled_rights(version)
    tcp = BIND_AND_CONNECT if deny_tcp and version >= TCP_ABI else 0
    scopes = ABSTRACT_SOCKETS_AND_SIGNALS if version >= SCOPES_ABI else 0
    known = 8 * (1 + (version >= TCP_ABI) + (version >= SCOPES_ABI))
    attributes = struct.pack("=QQQ", rights, tcp, scopes)[:known]
    ruleset = call(CREATE_RULESET, attributes, ctypes.c_size_t(known), ctypes.c_uint32(0))
    for paths, allowed in ((read, READ), (write, rights & ~MAKE_DEVICES), (devices, READ_FILE | WRITE_FILE)):
        for path in paths:
            _allow(ruleset, path, allowed & rights)
    call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= OF_FILES
    rule = struct.pack("=Qi", rights, place)
    call(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), rule, ctypes.c_uint32(0))
    os.close(place)
