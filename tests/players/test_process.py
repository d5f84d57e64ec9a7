"""Bots as processes: what they are given, what limits them, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.players import sandbox
from arena.players.base import Limits, Program
from arena.players.log import CappedLog
from arena.players.process import NICE, BotProcess, end_marked, marked
from arena.players.sandbox import OPEN_FILES
from arena.players.strays import has_mark
from arena.players.watchdog import Disk

MARK = os.environ.get("TEST_MARK") or f"test-{os.getpid()}/"


def program(code: str, folder: Path, *env: tuple[str, str]) -> Program:
    return Program("bot", "1", "", (sys.executable, "-c", code), str(folder), env, "0" * 64)


def start(
    code: str,
    folder: Path,
    limits: Limits | None = None,
    *env: tuple[str, str],
    on_excess: Callable[[str], None] = print,
) -> tuple[BotProcess, CappedLog]:
    log = CappedLog(folder / "bot.log")
    process = BotProcess(
        program(code, folder, *env),
        replace(limits or Limits(), sandbox="none"),
        "unix:///x",
        "secret-token",
        MARK,
        log,
        lambda: None,
        on_excess,
    )
    return process, log


def output(code: str, folder: Path, limits: Limits | None = None, *env: tuple[str, str]) -> tuple[str, str]:
    """Let a program run to its end; return what it printed and how it ended."""

    async def run() -> tuple[str, str]:
        process, _ = start(code, folder, limits, *env)
        while process.alive:
            await asyncio.sleep(0.01)
        await process.end()
        return (folder / "bot.log").read_text() if (folder / "bot.log").exists() else "", process.status

    return asyncio.run(asyncio.wait_for(run(), 60))


def test_the_environment_is_empty_but_for_what_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATOR_PASSWORD", "hush")
    code = "import os, json; print(json.dumps(dict(os.environ))); print(os.path.isdir(os.environ['HOME']))"
    printed, _ = output(code, tmp_path, None, ("B", "2"))
    env = json.loads(printed.splitlines()[0])
    home = env.pop("HOME")
    env.pop("LC_CTYPE", None)  # Python's own
    assert env == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "GRPC_VERBOSITY": "NONE",
        "ARENA_ADDRESS": "unix:///x",
        "ARENA_TOKEN": "secret-token",
        "ARENA_MARK": MARK,
        "B": "2",
    }
    assert printed.splitlines()[1] == "True"
    assert not Path(home).exists()


def test_stdin_is_empty_and_the_folder_is_its_own(tmp_path: Path) -> None:
    printed, status = output("import os, sys; print(repr(sys.stdin.read()), os.getcwd())", tmp_path)
    assert (printed, status) == (f"'' {tmp_path}\n", "exit status 0")


def test_no_descriptor_leaks_into_it(tmp_path: Path) -> None:
    """Neither files of the referee nor the sockets of other bots."""
    inherited = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        printed, _ = output("import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))", tmp_path)
    finally:
        os.close(inherited)
    assert json.loads(printed) == [0, 1, 2, 3]  # the last one is of the listing itself


LIMITS = """
import json, os, resource
names = ("CORE", "NOFILE", "DATA", "FSIZE")
print(json.dumps([resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names]))
print(os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid(), os.getpriority(os.PRIO_PROCESS, 0))
"""


def test_the_limits_that_it_sees(tmp_path: Path) -> None:
    """No core dumps, few files, memory and disk as the league says; a session and group of its own, and nice."""
    printed, _ = output(LIMITS, tmp_path, Limits(memory_mb=300, disk_mb=7))
    limits, session = printed.splitlines()
    assert json.loads(limits) == [[0, 0], [OPEN_FILES] * 2, [3 * 300 << 20] * 2, [7 << 20] * 2]
    assert session == f"True True {NICE}"


def test_memory_and_file_sizes_are_enforced(tmp_path: Path) -> None:
    code = "try: bytearray(300 << 20)\nexcept MemoryError: print('no room')\nopen('f', 'wb').write(b'x' * (2 << 20))"
    printed, _ = output(code, tmp_path, Limits(memory_mb=100, disk_mb=1))
    assert "no room" in printed
    assert "File too large" in printed
    assert (tmp_path / "f").stat().st_size <= 1 << 20


async def excess_of(code: str, folder: Path, limits: Limits) -> str:
    """Let a program run until it exceeds a limit, which is returned in words, or ends: then how it ended."""
    told = asyncio.get_running_loop().create_future()
    process, _ = start(code, folder, limits, on_excess=told.set_result)
    while process.alive and not told.done():
        await asyncio.sleep(0.01)
    process.kill()
    await process.end()
    return str(told.result()) if told.done() else process.status


DEEP = """
import os, time
os.chdir(os.environ["HOME"])
for _ in range(20):
    os.mkdir("x" * 250)
    os.chdir("x" * 250)
for name in "ab":
    open(name, "wb").write(b"x" * (5 << 20))
time.sleep(3600)
"""


def test_no_path_is_too_long_for_the_watchdog(tmp_path: Path) -> None:
    """A file that no path leads to, as the kernel takes none of that length, fills the disk like any other."""
    words = asyncio.run(asyncio.wait_for(excess_of(DEEP, tmp_path, Limits(disk_mb=8)), 30))
    assert words == "its files fill the 8 MB that were allowed"


EAT_WHEN_TOLD = """
import os, time
while not os.path.exists("go"): time.sleep(0.01)
b = bytearray(150 << 20)
for at in range(0, len(b), 4096): b[at] = 1
time.sleep(3600)
"""


def test_an_error_in_one_look_does_not_leave_a_bot_unwatched(tmp_path: Path) -> None:
    async def run() -> str:
        loop = asyncio.get_running_loop()
        failed, told = loop.create_future(), loop.create_future()
        loop.set_exception_handler(lambda _, context: failed.set_result(context["exception"]))
        process, _ = start(EAT_WHEN_TOLD, tmp_path, Limits(memory_mb=100), on_excess=told.set_result)
        process._watchdog.disk = Disk("no path at all: \0")
        assert isinstance(await failed, ValueError)
        process._watchdog.disk = None
        (tmp_path / "go").touch()
        words = await told
        process.kill()
        await process.end()
        return str(words)

    assert "MB of memory" in asyncio.run(asyncio.wait_for(run(), 30))


def test_what_eats_faster_than_the_watchdog_looks_is_told_by_it(tmp_path: Path) -> None:
    """Two and a half times the limit, at once: the kernel leaves it that, so that its death has the right word."""
    code = "b = bytearray(250 << 20)\nfor at in range(0, len(b), 4096): b[at] = 1\nimport time; time.sleep(3600)"
    words = asyncio.run(asyncio.wait_for(excess_of(code, tmp_path, Limits(memory_mb=100)), 60))
    assert words.endswith("MB of memory where 100 MB were allowed")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(7)", "exit status 7"),
        ("import os; os.kill(os.getpid(), 11)", "signal SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "signal 40"),  # a real-time one, which has no name
    ],
)
def test_how_it_ended_in_words(tmp_path: Path, code: str, status: str) -> None:
    assert output(code, tmp_path)[1] == status
    assert not list(tmp_path.glob("core*"))


TREE = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleep = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(3600)"]
subprocess.Popen(sleep)
subprocess.Popen(sleep, start_new_session=True)
if os.fork() == 0:
    os.setsid()
    subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL)
    os._exit(0)
print("ready", flush=True)
time.sleep(3600)
"""


def test_its_whole_tree_is_ended(tmp_path: Path) -> None:
    """Children that ignore SIGTERM, left its group or its session, and hold its output open, all go."""

    async def run() -> float:
        process, log = start(TREE, tmp_path)
        while log.last_lines() != "ready" or len(list(marked(MARK))) < 4:
            await asyncio.sleep(0.02)
        began = asyncio.get_running_loop().time()
        await process.end()
        return asyncio.get_running_loop().time() - began

    seconds = asyncio.run(asyncio.wait_for(run(), 60))
    assert not list(marked(MARK))
    assert 1.5 <= seconds < 6  # the grace of 1.5 s is given; the rest is a busy machine's


def test_a_bot_that_goes_by_itself_is_not_waited_for_longer(tmp_path: Path) -> None:
    async def run() -> str:
        process, _ = start("print('done')", tmp_path)
        await process.end()
        await process.end()
        return process.status

    assert asyncio.run(run()) == "exit status 0"
    assert (tmp_path / "bot.log").read_text() == "done\n"


def test_a_second_end_touches_nothing_that_has_begun_since(tmp_path: Path) -> None:
    """The bot's pid, and with it its group and its uid, may be somebody else's by then."""

    async def run() -> int | None:
        process, _ = start("print('done')", tmp_path)
        await process.end()
        since = subprocess.Popen(["sleep", "3600"], env={sandbox.MARK: MARK})
        try:
            while not has_mark(since.pid, MARK):
                await asyncio.sleep(0.01)
            await process.end()
            since.terminate()  # a SIGKILL that was sent before would come first
            return since.wait()
        finally:
            since.kill()
            since.wait()

    assert asyncio.run(asyncio.wait_for(run(), 60)) == -signal.SIGTERM


def test_a_second_end_waits_for_the_first(tmp_path: Path) -> None:
    """Whichever of the two returns, nothing is left; also when the first one is called off."""

    async def run() -> list[bool]:
        process, log = start(TREE, tmp_path)
        while log.last_lines() != "ready":
            await asyncio.sleep(0.02)
        home = Path(f"/proc/{process.pid}/environ").read_bytes().partition(b"HOME=")[2].partition(b"\0")[0]
        ends = [asyncio.create_task(process.end()) for _ in range(3)]
        await asyncio.sleep(0)  # each has begun
        ends[0].cancel()
        await ends[2]
        return [process.alive, os.path.exists(home), ends[1].done(), bool(list(marked(MARK)))]

    assert asyncio.run(asyncio.wait_for(run(), 60)) == [False, False, True, False]


NEST = """
import os
os.chdir(os.environ["HOME"])
for _ in range(1200):
    os.mkdir("x")
    os.chdir("x")
"""


def test_a_home_that_is_deep_goes_with_its_bot(tmp_path: Path) -> None:
    """Python's own functions would call themselves for each folder within another, which ends with an error."""

    async def run() -> tuple[str, list[Path]]:
        process, _ = start(NEST, tmp_path)
        while process.alive:
            await asyncio.sleep(0.01)
        try:
            await process.end()
            return process.status, list(homes.iterdir())
        finally:
            subprocess.run(["rm", "-rf", "--", str(homes)], check=True)

    homes = tmp_path / "homes"
    homes.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(homes))
        assert asyncio.run(asyncio.wait_for(run(), 60)) == ("exit status 0", [])


def test_output_of_the_last_moment_is_kept(tmp_path: Path) -> None:
    """What a dying process printed is read to its end."""
    printed, _ = output("import sys; sys.stderr.write('x' * 60000 + 'end'); sys.exit(1)", tmp_path)
    assert printed.endswith("end")
    assert len(printed) == 60_003


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    """``kill -9`` of the process that started it leaves nothing."""
    code = f"""
import asyncio, sys
from pathlib import Path
from tests.players.test_process import start
async def main():
    global kept
    kept = start("import time; time.sleep(3600)", Path({str(tmp_path)!r}))
    print(kept[0].pid, flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"TEST_MARK": MARK},
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()

    async def gone() -> None:
        while pid in marked(MARK):
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(gone(), 30))


def test_marks_end_what_carries_them_and_nothing_else(tmp_path: Path) -> None:
    async def run() -> tuple[list[int], bool]:
        process, _ = start("import time; time.sleep(3600)", tmp_path)
        other = end_marked(f"{MARK}other")
        while list(marked(MARK)) != [process.pid]:
            await asyncio.sleep(0.02)
        assert end_marked(MARK[:-1]) == [process.pid]
        await process.end()
        return other, process.status == "signal SIGKILL"

    assert asyncio.run(asyncio.wait_for(run(), 60)) == ([], True)


def test_a_mark_is_seen_while_a_process_becomes_another_program(tmp_path: Path) -> None:
    """The kernel shows no environment then, for one look in twenty at a program that does nothing else."""
    itself = tmp_path / "itself"
    itself.write_text('#!/bin/sh\nexec "$0"\n')
    itself.chmod(0o755)
    mark = f"{MARK}itself/"
    running = subprocess.Popen([itself], env={sandbox.MARK: mark, "PATH": os.environ["PATH"]})
    try:
        assert all(has_mark(running.pid, mark) for _ in range(2_000))
    finally:
        running.kill()
        running.wait()
    assert not has_mark(running.pid, mark)


def test_a_program_that_cannot_be_started_is_the_operators_to_mend(tmp_path: Path) -> None:
    gone = Program("bot", "1", "", ("x",), str(tmp_path / "gone"), (), "0" * 64)

    async def run() -> None:
        BotProcess(gone, Limits(sandbox="none"), "", "", MARK, CappedLog(None), lambda: None, print)

    with pytest.raises(UsageError, match="bot bot: cannot start"):
        asyncio.run(run())


def test_times_of_a_process(tmp_path: Path) -> None:
    """Processor time counts what it computes and stays readable after its end."""

    async def run() -> tuple[int, int]:
        process, _ = start("import time\nwhile time.process_time() < 0.3: pass", tmp_path)
        while process.alive:
            await asyncio.sleep(0.01)
        await process.end()
        return process.cpu_ns(), process.queued_ns()

    computed, queued = asyncio.run(run())
    assert computed >= 0
    assert queued == 0
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime >= 0.3
