"""What a bot's whole tree of processes uses, read from ``/proc`` a few times a second by the referee's own loop.

Limits of the kernel bind one process each (or need a control group, which an ordinary user has not); memory, processes
and files of the tree are added up here. Shared memory counts once: what matters is what the machine loses.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from arena.players.base import Limits
from arena.players.count import Count, Steps

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SELDOM = 10
"""Files in memory and in folders are counted at every tenth look: that reads more than the rest together."""
FILES_MOST = 10_000
"""Empty files fill no disk, but each takes a kilobyte of the kernel's memory."""
KEPT_OPEN = 64
"""Of folders within one another so many are open at once, while they are counted."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
UNREADABLE = (FileNotFoundError, ProcessLookupError, PermissionError)
"""A process that has ended in the meantime, or is another user's."""


@dataclass(frozen=True, slots=True)
class Disk:
    """Where a bot may write.

    Attributes:
        path: a folder, or a file system of the bot's own as the bot sees it.
        seen_by: the bot's process where it is a file system of its own, which is full by itself at the limit.
    """

    path: str
    seen_by: int | None = None


def ways(pid: int) -> Iterator[str]:
    """Yield the folders that tell of a process: its own first, then those of its other threads.

    A process goes on while one of its threads does. Once the first one has ended, the process's own folder says that it
    is a zombie without memory, environment and open files.
    """
    yield f"/proc/{pid}"
    yield from (f"/proc/{pid}/task/{thread}" for thread in _threads(pid) if thread != str(pid))


def living_way(pid: int) -> str:
    """Return the first of these folders whose thread has not ended, "" for a process that has ended."""
    for way in ways(pid):
        with suppress(*UNREADABLE):
            if _read(f"{way}/stat").rpartition(b") ")[2][:1] not in (b"Z", b"X"):
                return way
    return ""


def tree(roots: Iterable[int]) -> dict[int, int]:
    """Return the number of threads of each process below some, and of those."""
    found: dict[int, int] = {}
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            threads = _threads(pid)
            found[pid] = len(threads)
            waiting += children(pid, threads)
    return found


def children(pid: int, threads: Iterable[str] | None = None) -> Iterator[int]:
    """Yield the children of a process."""
    for thread in _threads(pid) if threads is None else threads:
        with suppress(*UNREADABLE):
            yield from map(int, _read(f"/proc/{pid}/task/{thread}/children").split())


def _threads(pid: int) -> list[str]:
    with suppress(*UNREADABLE):
        return os.listdir(f"/proc/{pid}/task")
    return []


def resident_bytes(pids: Iterable[int]) -> int:
    """Return what memory processes have, what they share counted for each: it is quick, and no less than the truth."""
    return sum(_resident(pid) for pid in pids)


def memory_bytes(pids: Iterable[int]) -> Steps[int]:
    """Count the memory that processes use together: exact, but the kernel looks at every page of each for it."""
    used = 0
    for pid in pids:
        used += _proportional(pid)
        yield used


def _resident(pid: int) -> int:
    for way in ways(pid):
        with suppress(*UNREADABLE):
            if pages := int(_read(f"{way}/statm").split()[1]):
                return pages * PAGE_BYTES
    return 0


def _proportional(pid: int) -> int:
    for way in ways(pid):
        with suppress(*UNREADABLE):
            for line in _read(f"{way}/smaps_rollup").splitlines():
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) << 10
    return _resident(pid)


def nameless_bytes(pids: Iterable[int]) -> Steps[int]:
    """Count the size of files without a name that live in memory alone and are open in some processes."""
    sizes: dict[tuple[int, int], int] = {}
    used = 0
    for pid in pids:
        yield used
        for path in _open_files(pid):
            with suppress(*UNREADABLE):
                if os.readlink(path).startswith("/memfd:"):
                    status = os.stat(path)
                    file = status.st_dev, status.st_ino
                    used += status.st_blocks * 512 - sizes.get(file, 0)
                    sizes[file] = status.st_blocks * 512
            yield used


def _open_files(pid: int) -> list[str]:
    for way in ways(pid):
        with suppress(*UNREADABLE):
            if found := os.listdir(f"{way}/fd"):
                return [f"{way}/fd/{number}" for number in found]
    return []


def folder_use(folder: str) -> Steps[tuple[int, int]]:
    """Count (bytes, files) in a folder, and no further once there are far too many files."""
    used = count = 0
    with closing(walk(folder)) as folders:
        for entries in folders:
            count += 1
            for entry in entries:
                if not _is_folder(entry):
                    with suppress(OSError):  # it is gone, or cannot be sized
                        used += entry.stat(follow_symlinks=False).st_blocks * 512
                    count += 1
                yield used, count
            yield used, count
            if count > FILES_MOST:
                break


def walk(folder: str) -> Generator[list[os.DirEntry[str]]]:
    """Yield what is in a folder and in each below it, but for those that cannot be read; follow no link.

    A bot may nest folders deeper than Python's calls, than the longest path and than the number of files that may be
    open, and it may move and remove them meanwhile.
    """
    with suppress(OSError), _Descent(folder) as descent:
        while (here := descent.here) is not None:
            entries = here.entries()
            yield entries
            here.waiting = [entry.name for entry in entries if _is_folder(entry)]
            descent.go_on()


class _Descent:
    """The folders from the topmost one down to one below it; of those far down only the last one is kept open."""

    def __init__(self, folder: str) -> None:
        self._levels = [_Level(folder)]

    @property
    def here(self) -> _Level | None:
        return self._levels[-1] if self._levels else None

    def go_on(self) -> None:
        """Enter the next folder that waits and can be read, in this one or the next one above."""
        while self._levels:
            level = self._levels[-1]
            while level.waiting:
                with suppress(OSError):
                    self._levels.append(_Level(level.waiting.pop(), level.descriptor))
                    if len(self._levels) > KEPT_OPEN:
                        level.close()
                    return
            self._leave()

    def _leave(self) -> None:
        """Go back to the folder above; where the bot has moved this one, to the next one that was kept open."""
        left = self._levels.pop()
        if self._levels and not self._levels[-1].is_open:
            self._levels[-1].open_from(left)
        left.close()
        while self._levels and not self._levels[-1].is_open:
            self._levels.pop()

    def __enter__(self) -> _Descent:
        return self

    def __exit__(self, *_: object) -> None:
        for level in self._levels:
            level.close()


class _Level:
    """A folder on the way down; ``waiting`` are those in it that are to be entered."""

    def __init__(self, folder: str, within: int | None = None) -> None:
        self.descriptor = os.open(folder, FOLDER, dir_fd=within)
        self.is_open = True
        self.waiting: list[str] = []
        self._status = os.fstat(self.descriptor)

    def entries(self) -> list[os.DirEntry[str]]:
        with suppress(OSError), os.scandir(self.descriptor) as entries:  # it may have been removed
            return list(entries)
        return []

    def open_from(self, below: _Level) -> None:
        """Open this folder again from one that was in it, if that still is."""
        with suppress(OSError):
            above = os.open("..", FOLDER, dir_fd=below.descriptor)
            if os.path.samestat(os.fstat(above), self._status):
                self.descriptor, self.is_open = above, True
            else:
                os.close(above)

    def close(self) -> None:
        if self.is_open:
            os.close(self.descriptor)
            self.is_open = False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):  # it is gone
        return entry.is_dir(follow_symlinks=False)
    return False


class Watchdog:
    """Compares what a bot uses with its limits.

    Attributes:
        peak_bytes: most memory seen.
        peak_tasks: most processes and threads seen.
        seen: the processes that there were at the last look.
        disk: where the bot may write, None until that is known.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._looks = 0
        self._nameless, self._exact, self._files = Count(0), Count(0), Count((0, 0))
        self.peak_bytes = 0
        self.peak_tasks = 0
        self.seen: tuple[int, ...] = ()
        self.disk: Disk | None = None

    def excess(self, roots: Iterable[int]) -> str:
        """Look once; return in words which limit is exceeded, "" if none is.

        Args:
            roots: the bot's first process, and those of its processes that no longer descend from it.
        """
        found = tree(roots)
        self.seen = tuple(found)
        limit = self._limits.memory_mb << 20
        seldom = self._looks % SELDOM == 0
        self._looks += 1
        self._nameless.go_on(lambda: nameless_bytes(found), anew=seldom)
        nameless = max(self._nameless.part, self._nameless.whole)
        memory = self._memory(found, limit - nameless) + nameless
        self.peak_bytes = max(self.peak_bytes, memory)
        self.peak_tasks = max(self.peak_tasks, sum(found.values()))
        if memory > limit:
            return f"{memory >> 20} MB of memory where {self._limits.memory_mb} MB were allowed"
        if sum(found.values()) > self._limits.processes:
            return f"{sum(found.values())} processes and threads where {self._limits.processes} were allowed"
        return self._excess_on_disk(seldom=seldom)

    def _memory(self, pids: Iterable[int], limit: int) -> int:
        """Return what processes use; the truth is counted only where that which is read quickly exceeds the limit."""
        if (resident := resident_bytes(pids)) <= limit:
            self._exact.close()  # it is of another time
            return resident
        self._exact.go_on(lambda: memory_bytes(pids))
        return self._exact.part

    def close(self) -> None:
        """Leave off counting."""
        for count in (self._nameless, self._exact, self._files):
            count.close()

    def _excess_on_disk(self, *, seldom: bool) -> str:
        if self.disk is None:
            return ""
        if self.disk.seen_by is not None:
            way = living_way(self.disk.seen_by)
            return self._excess_on_own(f"{way}/root{self.disk.path}") if way else ""
        path = self.disk.path
        self._files.go_on(lambda: folder_use(path), anew=seldom)
        used, files = self._files.part
        return self._words(used >= self._limits.disk_mb << 20, files)

    def _excess_on_own(self, path: str) -> str:
        with suppress(OSError):  # it goes when the bot ends
            status = os.statvfs(path)
            # Until the bot's own one is mounted there, it is the machine's.
            if status.f_blocks * status.f_frsize == self._limits.disk_mb << 20:
                return self._words(status.f_bfree == 0, status.f_files - status.f_ffree)
        return ""

    def _words(self, is_full: bool, files: int) -> str:
        if is_full:
            return f"its files fill the {self._limits.disk_mb} MB that were allowed"
        return f"{files} files where {FILES_MOST} were allowed" if files > FILES_MOST else ""


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
