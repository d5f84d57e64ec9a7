"""What a tree of processes uses, and what it leaves behind, seen on real processes."""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from arena.players import strays, watchdog
from arena.players.base import Limits
from arena.players.count import Steps
from arena.players.sandbox import MARK
from arena.players.watchdog import (
    KEPT_OPEN,
    Disk,
    Watchdog,
    folder_use,
    memory_bytes,
    nameless_bytes,
    resident_bytes,
    tree,
    walk,
)
from tests.players.deep import DEEP, make_deep, removed_after

MB = 1 << 20


Counted = TypeVar("Counted")


def whole(steps: Steps[Counted]) -> Counted:
    """Return what comes of a count that is done at once."""
    *_, last = steps
    return last


def until(condition: Callable[[], object]) -> None:
    """Wait for something that other processes do."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


@contextmanager
def python(code: str) -> Iterator[int]:
    """Run code in a child that then waits; yield its pid once it is there."""
    code += "\nimport time; print(flush=True); time.sleep(99)"
    command = [sys.executable, "-S", "-c", code]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    child.stdout.readline()
    try:
        yield child.pid
    finally:
        os.killpg(child.pid, 9)
        child.wait()
        child.stdout.close()


def test_the_tree_is_all_descendants_with_their_threads() -> None:
    code = "import os, threading, time\nif os.fork() == 0:\n  os.fork(); time.sleep(99)\n"
    code += "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()"
    with python(code) as pid:
        until(lambda: len(tree([pid])) == 3)
        found = tree([pid])
        assert found[pid] == 2
        assert sum(found.values()) == 4
    assert sum(tree([pid]).values()) == 0


def test_memory_is_exact_above_the_limit_and_never_less_below() -> None:
    """Three processes share 50 MB: resident memory says 150, the exact sum a third of that."""
    code = "import mmap, os, time\nb = mmap.mmap(-1, 50 << 20)\nfor _ in range(50): b.write(b'x' * (1 << 20))\n"
    code += "for _ in range(2):\n  if not os.fork():\n    b.seek(0)\n    while b.read(1 << 20): pass\n    break\n"
    with python(code) as pid:
        pids = list(tree([pid]))
        until(lambda: resident_bytes(pids) > 140 * MB)
        assert 50 * MB < whole(memory_bytes(pids)) < 100 * MB
        dog = Watchdog(Limits(memory_mb=40))
        assert dog.excess([pid]).endswith("MB of memory where 40 MB were allowed")
        assert dog.peak_bytes > 50 * MB
        assert Watchdog(Limits(memory_mb=140)).excess([pid]) == ""


def test_nameless_files_count_once() -> None:
    """Memory that no process maps is memory all the same."""
    code = "import os\nf = os.memfd_create('x')\nfor _ in range(8): os.write(f, b'x' * (1 << 20))\nos.dup(f); os.fork()"
    with python(code) as pid:
        assert whole(nameless_bytes(tree([pid]))) == 8 * MB


FIRST_ENDS = """
import ctypes, os, threading, time
def go_on():
    while open(f"/proc/{os.getpid()}/stat").read().rpartition(") ")[2][0] != "Z": time.sleep(0.01)
    block = bytearray(50 << 20)
    for at in range(0, len(block), 4096): block[at] = 1
    nameless = os.memfd_create("x")
    for _ in range(8): os.write(nameless, b"x" * (1 << 20))
    print(flush=True)
    time.sleep(99)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).pthread_exit(None)
"""
"""What ``/proc`` tells of a process is empty once its first thread has ended, though others go on."""


def test_a_process_without_its_first_thread_uses_what_it_uses() -> None:
    with python(FIRST_ENDS) as pid:
        assert resident_bytes([pid]) > 50 * MB
        assert whole(memory_bytes([pid])) > 50 * MB
        assert whole(nameless_bytes([pid])) == 8 * MB
        words = Watchdog(Limits(memory_mb=40)).excess([pid])
        assert words.endswith("MB of memory where 40 MB were allowed")


def test_processes_and_threads_are_counted_together() -> None:
    with python(
        "import os\nfor _ in range(3):\n  if not os.fork(): break\nimport time\nif _ < 2: time.sleep(99)"
    ) as pid:
        words = Watchdog(Limits(processes=2)).excess([pid])
        assert words.endswith("processes and threads where 2 were allowed")
        assert Watchdog(Limits(processes=50)).excess([pid]) == ""


def test_a_folder_is_full_at_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * MB)
    assert whole(folder_use(str(tmp_path))) == (MB, 3)
    dog = Watchdog(Limits(disk_mb=1))
    dog.disk = Disk(str(tmp_path))
    assert dog.excess([]) == "its files fill the 1 MB that were allowed"
    dog = Watchdog(Limits(disk_mb=2))
    dog.disk = Disk(str(tmp_path))
    assert dog.excess([]) == ""
    monkeypatch.setattr(watchdog, "FILES_MOST", 2)
    dog = Watchdog(Limits(disk_mb=2))
    dog.disk = Disk(str(tmp_path))
    assert dog.excess([]) == "3 files where 2 were allowed"


def test_files_count_however_deep_they_are(tmp_path: Path) -> None:
    """Beyond the longest path that the kernel takes, too, and beyond the deepest call that Python makes."""
    for depth, name in ((20, "x" * 250), (DEEP, "x")):
        with removed_after(tmp_path / name) as folder:
            make_deep(folder, depth, name, b"x" * MB)
            assert whole(folder_use(str(folder))) == (MB, depth + 2)


@pytest.mark.parametrize("depth", [1, 2 * KEPT_OPEN])
@pytest.mark.parametrize("deed", [shutil.rmtree, lambda end: end.rename(end.parents[-3] / f"{end.name}.moved")])
def test_folders_that_come_and_go_hide_no_others(depth: int, deed: Callable[[Path], object]) -> None:
    """Where the way back from a folder is lost, the walk goes on further up, and stays below where it began."""
    with tempfile.TemporaryDirectory() as outside:
        ends = {name: Path(outside, "top", name, *["in"] * depth, f"end-{name}") for name in "ab"}
        for name, end in ends.items():
            end.mkdir(parents=True)
            (end / f"in-{name}").touch()
        seen = []
        for entries in walk(f"{outside}/top"):
            names = [entry.name for entry in entries]
            seen += names
            for name in set(names) & {"in-a", "in-b"}:
                deed(ends[name.removeprefix("in-")])
    assert sorted(set(seen)) == ["a", "b", "end-a", "end-b", "in", "in-a", "in-b"]


def test_what_a_link_leads_to_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_bytes(b"x" * MB)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link").symlink_to("../other")
    assert whole(folder_use(str(tmp_path / "own"))) == (0, 2)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    assert list(folder_use(str(tmp_path / "link"))) == list(folder_use(str(tmp_path / "missing"))) == []


def test_a_long_count_goes_on_from_look_to_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look must be too short to be taken for a machine that stands still; what it has found so far counts."""
    monkeypatch.setattr("arena.players.count.LOOK_S", -1)  # a look is one step
    monkeypatch.setattr(watchdog, "FILES_MOST", 4)
    dog = Watchdog(Limits(disk_mb=1))
    dog.disk = Disk(str(tmp_path))
    for number in range(3):
        (tmp_path / f"{number}").touch()
    assert [dog.excess([]) for _ in range(2 * watchdog.SELDOM)] == [""] * 2 * watchdog.SELDOM
    for number in range(9):
        (tmp_path / f"{number}").touch()
    said = [dog.excess([]) for _ in range(5)]
    assert said == ["", "", "", "5 files where 4 were allowed", "6 files where 4 were allowed"]
    before = len(os.listdir("/proc/self/fd"))
    dog.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_another_file_system_than_the_bots_own_is_not_judged() -> None:
    """While its sandbox is made, the path leads to the machine's disk, whose files are not the bot's."""
    dog = Watchdog(Limits(disk_mb=1))
    dog.disk = Disk("/", os.getpid())
    assert dog.excess([]) == ""


def test_a_process_that_is_gone_uses_nothing() -> None:
    with python("pass") as pid:
        pass
    assert whole(memory_bytes([pid])) == whole(nameless_bytes([pid])) == 0
    assert Watchdog(Limits()).excess([pid]) == ""


LEAVE = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.execve(sys.argv[2], sys.argv[2:], dict([sys.argv[1].split("=")] if "=" in sys.argv[1] else []))
    os._exit(0)
os.wait()
"""


SLEEP = ("/bin/sleep", "99")
WITHOUT_FIRST = "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()\n"
WITHOUT_FIRST += "ctypes.CDLL(None).pthread_exit(None)"
GOES_ON = (sys.executable, "-S", "-c", WITHOUT_FIRST)
"""A process whose first thread ends, while another one sleeps."""


def is_asleep(pid: int) -> bool:
    """Whether a process has become one of the two above."""
    name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(") ")
    return name == "sleep" or rest[0] == "Z"


def adopted(variable: str, command: Sequence[str] = SLEEP, privileges: str = "--no-new-privs") -> int:
    """Let a child leave a daemon with one variable, or none; return its pid once it is ours."""
    strays.adopt_orphans()
    before = set(watchdog.children(os.getpid()))
    prefix = ["setpriv", privileges] if privileges else []
    subprocess.run([*prefix, sys.executable, "-S", "-c", LEAVE, variable, *command], check=True)
    until(lambda: set(watchdog.children(os.getpid())) - before)
    (pid,) = set(watchdog.children(os.getpid())) - before
    until(lambda: is_asleep(pid))
    return pid


@pytest.mark.parametrize("command", [SLEEP, GOES_ON])
def test_a_daemon_without_a_mark_is_ended_by_what_it_cannot_shed(command: Sequence[str]) -> None:
    """It has left its session, its parent and its environment."""
    pid = adopted("", command)
    assert strays.end_nameless_orphans() == [pid]
    until(lambda: strays.end_nameless_orphans() == [] and not Path(f"/proc/{pid}").exists())


@pytest.mark.parametrize("command", [SLEEP, GOES_ON])
def test_a_daemon_with_its_bots_mark_counts_as_the_bots_until_that_ends(command: Sequence[str]) -> None:
    pid = adopted(f"{MARK}=some-run/0-1/", command)
    assert strays.end_nameless_orphans() == []
    assert strays.orphans("some-run/0-1/", None) == [pid]
    assert strays.orphans("some-run/0-2/", None) == []
    assert list(strays.marked("some-run/")) == [pid]
    assert strays.end_marked("some-run/") == [pid]
    os.waitpid(pid, 0)


def test_a_child_that_is_no_bots_is_left_alone() -> None:
    """It may gain privileges, as everything may that was not started as a bot."""
    pid = adopted("", privileges="")
    try:
        assert strays.end_nameless_orphans() == []
        assert Path(f"/proc/{pid}").exists()
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


OF_A_UID = ["setpriv", "--reuid=1000004321", "--clear-groups", "sh", "-c", "env -i sleep 99 & env -i sleep 99 & wait"]
THREE_GO_ON = f"""
import ctypes, os, threading, time
os.setresuid(1000004321, 1000004321, 1000004321)
for _ in range(2):
    if not os.fork():
        break
{WITHOUT_FIRST}
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run processes of another uid")
@pytest.mark.parametrize("command", [OF_A_UID, [sys.executable, "-S", "-c", THREE_GO_ON]])
def test_all_processes_of_a_uid_are_ended(command: list[str]) -> None:
    child = subprocess.Popen(command, start_new_session=True)
    until(lambda: len(found := tree([child.pid])) == 3 and (command is OF_A_UID or all(map(is_asleep, found))))
    assert len(strays.end_uid(1_000_004_321)) == 3
    child.wait()
    until(lambda: strays.end_uid(1_000_004_321) == [])  # the kernel may still be at it


SPIN = "import os\nos.sched_setaffinity(0, {int(os.environ['CORE'])})\nfor _ in range(7):\n  if not os.fork(): break\n"
SPIN += "print(flush=True)\nwhile True: pass"


def test_what_is_ended_is_gone_when_that_is_said() -> None:
    """Eight processes on one core take turns to take notice that they are killed: a look at once saw some of them."""
    core = str(min(os.sched_getaffinity(0)))
    for _ in range(10):
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", SPIN],
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={MARK: "spinning/", "CORE": core},
        )
        assert child.stdout is not None
        with child.stdout:
            for _ in range(8):
                child.stdout.readline()
        assert len(strays.end_marked("spinning/")) == 8
        assert list(strays.marked("spinning/")) == []
        child.wait()


def test_page_size_is_the_kernels() -> None:
    assert watchdog.PAGE_BYTES == mmap.PAGESIZE
