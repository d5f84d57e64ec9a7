"""What a bot can and cannot do at each sandbox level, with real processes that try it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import arena
from arena.errors import UsageError
from arena.lab.siege import END_S, LIMITS, Outcome, Ran, Verdict, attacker, besiege, run_bot, target
from arena.players import landlock, levels, strays, watchdog
from arena.players.base import Limits, Program
from arena.players.levels import level_of, resolve_level
from arena.players.sandbox import launcher
from tests.players.levels import at_each, need_level

OPEN_UNDER_LANDLOCK = {
    "see the referee's command line",
    "send UDP",
    "connect to socket files of others",
    "make a user namespace",
}
ALWAYS_ENFORCED = {
    "eat memory",
    "eat shared memory",
    "eat memory as nameless files",
    "eat memory by children",
    "start processes without end",
    "fill the disk",
    "be stopped by a tracer",
    "ignore signals",
    "leave a daemon",
    "outlive the referee",
}
ROOMY = Limits(memory_mb=512, processes=64, disk_mb=64)


@cache
def siege(level: str) -> dict[str, Outcome]:
    """Attack a level once; whatever an attack does, no temporary file is left of it."""
    with tempfile.TemporaryDirectory(prefix="own-") as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder).chmod(0o755)
        patch.setattr(tempfile, "tempdir", folder)
        patch.setenv("TMPDIR", folder)
        found = besiege(level)
        assert os.listdir(folder) == []
        return found


def run_python(level: str, code: str, limits: Limits = ROOMY) -> Ran:
    return run_bot(level, (sys.executable, "-I", "-S", "-c", code), limits)


def open_to(level: str) -> dict[str, str]:
    return {name: found.words for name, found in siege(level).items() if found.verdict is not Verdict.BLOCKED}


@at_each("bwrap")
def test_namespaces_block_every_attack(level: str) -> None:
    """Files, processes, network, memory, disk and left-overs: the list of the design, each tried."""
    assert open_to(level) == {}
    assert len(siege(level)) > 30


@at_each("landlock")
def test_landlock_blocks_all_but_what_it_is_known_not_to(level: str) -> None:
    """What is promised of this level is exactly what it does; an old kernel may promise less."""
    if landlock.abi() < landlock.SCOPES_ABI:
        pytest.skip(f"this kernel has version {landlock.abi()} of Landlock")
    assert set(open_to(level)) <= OPEN_UNDER_LANDLOCK


@at_each("none")
def test_without_a_sandbox_sizes_and_ends_are_still_enforced(level: str) -> None:
    """A bot cannot eat the machine or outlive the league at any level."""
    assert not ALWAYS_ENFORCED & set(open_to(level))
    assert siege(level).keys() >= ALWAYS_ENFORCED


@at_each("bwrap")
def test_what_starts_a_bot_carries_its_mark(level: str, own_tmp: Path) -> None:
    """Killed with the referee in the moment of a start it leaves a child, which its mark alone finds."""
    mark = f"{own_tmp.name}/"
    command = [sys.executable, "-m", "arena.lab.siege", level, mark]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as referee:
        assert referee.stdout is not None
        bot = int(referee.stdout.readline())
        (parent,) = re.findall(r"^PPid:\t(\d+)", Path(f"/proc/{bot}/status").read_text(), re.M)
        found = set(strays.marked(mark))
        referee.kill()
    strays.end_marked(mark)
    shutil.rmtree(own_tmp)
    own_tmp.mkdir()
    assert {bot, int(parent)} <= found


@at_each("bwrap", "landlock")
def test_a_league_may_allow_the_network(level: str) -> None:
    with target() as goal:
        ran = run_bot(level, attacker("tries", goal.as_argument()), replace(LIMITS, network="allow"))
    assert "connect by TCP\tdone\tconnected" in ran.output
    assert "read /etc/passwd\tblocked" in ran.output


TELL = """
import json, os
descriptors = sorted(fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}"))
print(json.dumps([dict(os.environ), os.getcwd(), descriptors, os.getuid(), os.getpriority(os.PRIO_PROCESS, 0)]))
"""


@at_each()
def test_a_bot_gets_a_known_environment_and_nothing_else(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable, descriptor or priority of the referee reaches it."""
    monkeypatch.setenv("REFEREES_SECRET", "x")
    env, folder, descriptors, uid, nice = json.loads(run_python(level, TELL).output)
    assert set(env) - {"PWD", "TMPDIR", "JAVA_TOOL_OPTIONS", "PYTHONPATH"} == {
        *("PATH", "HOME", "LANG", "GRPC_VERBOSITY", "ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_MARK")
    }
    assert folder == "/opt/bot" if level == "bwrap" else folder.endswith("/bot")
    assert descriptors == ["0", "1", "2"]
    assert (uid == os.getuid()) is (level == "none" or os.getuid() != 0)
    assert nice == 5


LOOK_AROUND = """
import os, arena.sdk, arena.v1
around = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(arena.sdk.__file__))))
try:
    print(sorted(os.listdir(around)))
except PermissionError:
    print("closed")
"""
CHECKOUT = Path(arena.__file__).parents[1]


@at_each()
def test_a_bot_imports_the_sdk_and_sees_nothing_beside_it(level: str) -> None:
    """Also of a checkout that is installed with ``pip install -e``, around which the operator's files lie."""
    ran = run_bot(level, (sys.executable, "-c", LOOK_AROUND))
    assert ran.status == "exit status 0", ran.output
    if (CHECKOUT / "pyproject.toml").exists():
        assert ("README.md" in ran.output) is (level == "none"), ran.output


def test_a_nul_character_makes_no_options(tmp_path: Path) -> None:
    """The options of ``bwrap`` end with it: what comes after one in a bot's variable would be the author's options."""
    need_level("bwrap")
    program = Program("x", "", "", ("/bin/true",), str(tmp_path), (("KEY", "x\0--share-net"),), "")
    with pytest.raises(ValueError, match="an option of bwrap with a NUL character"):
        launcher("bwrap", LIMITS).command(program, "unix:///run/x", str(tmp_path), {})


@at_each()
def test_the_token_is_on_no_command_line(level: str, tmp_path: Path) -> None:
    """Every user of a machine sees all command lines."""
    tmp_path.chmod(0o755)
    program = Program("x", "", "", ("/bin/true",), str(tmp_path), (("KEY", "of-the-author"),), "")
    launch = launcher(level, ROOMY).command(program, "unix:///tmp/none", str(tmp_path), {"ARENA_TOKEN": "tok-en"})
    launch.close()
    if launch.tells_pid is not None:
        os.close(launch.tells_pid)
    words = " ".join(launch.argv)
    assert "tok-en" not in words
    assert "of-the-author" not in words
    if level != "none":
        assert "KEY" not in launch.env


@at_each("bwrap", "landlock")
def test_libraries_that_a_manifest_names_are_not_loaded_before_the_sandbox(level: str, tmp_path: Path) -> None:
    """LD_PRELOAD in ``env`` of a bot reaches the bot, and none of the programs that confine it."""
    tmp_path.chmod(0o755)
    program = Program("x", "", "", ("/bin/true",), str(tmp_path), (("LD_PRELOAD", "/opt/bot/evil.so"),), "")
    launch = launcher(level, ROOMY).command(program, "unix:///tmp/none", str(tmp_path), {})
    launch.close()
    if launch.tells_pid is not None:
        os.close(launch.tells_pid)
    assert launch.env == {}


@at_each()
def test_each_start_has_an_empty_home(level: str) -> None:
    """What a bot writes, its next process does not find."""
    code = "import os; home = os.environ['HOME']; print(os.listdir(home)); open(home + '/note', 'w').write('x')"
    assert [run_python(level, code).output for _ in range(2)] == ["[]", "[]"]


@at_each()
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import sys; sys.exit(7)", "exit status 7"),
        ("import ctypes; ctypes.string_at(0)", "signal SIGSEGV"),
        ("raise MemoryError", "exit status 1"),
    ],
)
def test_the_end_of_the_bot_is_told_and_not_that_of_what_starts_it(level: str, code: str, status: str) -> None:
    ran = run_python(level, code)
    assert (ran.ended, ran.excess, ran.status) == (True, "", status)


@at_each()
def test_the_processor_time_is_the_bots_own(level: str) -> None:
    """``bwrap`` waits while its child computes: the child is what counts."""
    code = "import time\nwhile time.process_time() < 0.4: pass\nprint('waiting', flush=True)\ntime.sleep(99)"
    assert run_python(level, code).cpu_s >= 0.3


@at_each()
def test_memory_that_is_shared_counts_once(level: str) -> None:
    """Four processes that share 90 MB use 90 MB, and 160 MB are allowed."""
    code = (
        "import mmap, os, time\nblock = mmap.mmap(-1, 90 << 20)\nfor _ in range(90): block.write(b'x' * (1 << 20))\n"
        "for _ in range(3):\n  if os.fork() == 0: block.read(); time.sleep(99)\n"
        "time.sleep(1)\nprint('waiting', flush=True)\ntime.sleep(99)"
    )
    ran = run_python(level, code, LIMITS)
    assert ran.excess == ""
    assert 90 <= ran.peak_mb <= 160


FIRST_ENDS = """
import ctypes, os, threading, time
def go_on():
    while open("/proc/self/stat").read().rpartition(") ")[2][0] != "Z": time.sleep(0.01)
    print("first has ended", flush=True)
    %s
    time.sleep(99)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@at_each()
@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("block = bytearray(250 << 20)\n    for at in range(0, len(block), 4096): block[at] = 1", "MB of memory"),
        ("os.chdir(os.environ['HOME'])\n    for name in range(12000): open(str(name), 'w').close()", "files where"),
    ],
    ids=["memory", "files"],
)
def test_a_bot_without_its_first_thread_is_watched(level: str, deed: str, words: str) -> None:
    """The folder of ``/proc`` that bears its pid says that it has ended; those of its other threads do not."""
    ran = run_python(level, FIRST_ENDS % deed, LIMITS)
    assert ran.output == "first has ended"
    assert words in ran.excess


DAEMON = """
import os, time
if os.fork():
    os.wait()
    time.sleep(99)
os.setsid()
if os.fork():
    os._exit(0)
"""


@at_each()
def test_a_daemon_without_its_first_thread_goes_with_its_bot(level: str) -> None:
    """Its parent has ended, so that it has become a child of this process where it is in no namespace of its own."""
    before = set(watchdog.children(os.getpid()))
    ran = run_python(level, DAEMON + FIRST_ENDS % "print('waiting', flush=True)")
    assert ran.output == "first has ended"
    left = set(watchdog.children(os.getpid())) - before
    assert [pid for pid in left if len(os.listdir(f"/proc/{pid}/task")) > 1] == []


@at_each("bwrap")
def test_many_empty_files_are_too_much(level: str) -> None:
    """They fill no disk, but the kernel keeps each in memory."""
    code = "import os, time\nos.chdir(os.environ['HOME'])\n"
    code += "for n in range(12000): open(str(n), 'w').close()\ntime.sleep(99)"
    assert "files where 10000 were allowed" in run_python(level, code).excess


@at_each()
@pytest.mark.parametrize(
    ("program", "words", "said"),
    [
        ("node", ["-e", "console.log('ready', require('os').totalmem() > 0)"], "ready true"),
        ("java", ["-Xshare:auto", "-XX:+UseSerialGC", "-version"], "ersion"),
        ("bash", ["-c", "echo $((6 * 7))"], "42"),
        ("perl", ["-e", "print 6 * 7"], "42"),
    ],
)
def test_other_runtimes_start(level: str, program: str, words: list[str], said: str) -> None:
    """Each needs files of its own: links below /etc, settings, a place for temporary files."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    ran = run_bot(level, (str(Path(found).resolve()), *words), ROOMY)
    assert said in ran.output
    assert ran.status == "exit status 0"


TEMPORARY = """
public class Temporary {
    public static void main(String[] words) throws Exception {
        System.out.println("made " + java.nio.file.Files.createTempFile("a", "b").toFile().exists());
    }
}
"""


@at_each()
def test_temporary_files_have_a_place(level: str, tmp_path: Path) -> None:
    """Java's libraries unpack themselves into one, and not where TMPDIR says."""
    assert run_python(level, "import tempfile; print(tempfile.TemporaryFile().write(b'x'))").output == "1"
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    code = f"f = open('T.java', 'w'); f.write({TEMPORARY!r}); f.close()"
    command = f"import os; os.chdir(os.environ['HOME']); {code}; os.execvp('java', ['java', 'T.java'])"
    assert "made true" in run_python(level, command).output


@at_each()
def test_a_runtime_in_a_closed_folder_starts(level: str, tmp_path: Path) -> None:
    """Root's own interpreter lies below a home that nobody else may enter, and the bot is nobody."""
    closed = tmp_path / "home"
    (closed / "tool" / "bin").mkdir(parents=True)
    (closed / "tool" / "lib").mkdir()
    (closed / "tool" / "lib" / "word").write_text("found")
    shutil.copy("/bin/cat", closed / "tool" / "bin" / "show")
    (closed / "secret").write_text("hush")
    closed.chmod(0o700)
    ran = run_bot(level, (f"{closed}/tool/bin/show", f"{closed}/tool/lib/word", f"{closed}/secret"), ROOMY)
    assert ran.output.startswith("found")
    assert ("hush" in ran.output) is (level == "none")


@at_each("bwrap", "landlock")
def test_what_an_author_names_in_a_command_is_not_shown(level: str, tmp_path: Path) -> None:
    """The words of a manifest come from the bot's author; they open no folder."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "secret").chmod(0o644)
    assert "secret\n" not in run_bot(level, ("/bin/cat", f"{tmp_path}/secret"), ROOMY).output + "\n"


@at_each()
def test_ending_takes_two_seconds_at_most_and_leaves_nothing(level: str) -> None:
    """A bot that ignores every signal it can."""
    ran = run_bot(level, attacker("deaf"))
    assert ran.end_s < END_S
    assert ran.left == ()


def test_a_namesake_of_a_bots_process_is_left_alone() -> None:
    """Clean-up goes by marks, never by names: this one's process has none."""
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        need_level("none")
        run_bot("none", ("/bin/sh", "-c", "sleep 60 & echo; exec true"), ROOMY)
        assert bystander.poll() is None
        assert strays.end_marked("no such mark/") == []
    finally:
        bystander.kill()
        bystander.wait()


def test_what_does_not_work_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program, ``bwrap`` is an error of the operator, and ``auto`` takes the next level that works."""
    monkeypatch.setenv("PATH", "/nonexistent")
    levels.why_not.cache_clear()
    try:
        with pytest.raises(UsageError, match="bwrap not found: install the package bubblewrap"):
            resolve_level("bwrap")
        assert resolve_level("auto") == level_of(Limits(sandbox="auto")) != "bwrap"
        assert resolve_level("none") == level_of(Limits(sandbox="none")) == "none"
        assert level_of(Limits(sandbox="bwrap")) == "bwrap"
    finally:
        monkeypatch.undo()
        levels.why_not.cache_clear()


@pytest.mark.parametrize("level", ["bwrap", "landlock"])
def test_levels_work_for_an_ordinary_user_too(level: str) -> None:
    """Most leagues are not run by root; the system's Python plays such a user."""
    need_level(level)
    python = "/usr/bin/python3"
    if os.geteuid() or not Path(python).exists():
        pytest.skip("only root can become an ordinary user, and needs a Python that all can run")
    if subprocess.check_output([python, "-c", "import sys; print(sys.version_info >= (3, 11))"]) != b"True\n":
        pytest.skip(f"{python} is older than 3.11")
    code = (
        f"import sys; sys.path.append({str(Path(__file__).parents[2])!r})\nfrom arena.players.levels import why_not\n"
    )
    code += f"print(why_not({level!r}) or 'works')"
    user = ["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", python, "-c", code]
    assert subprocess.check_output(user, cwd="/", env={}, text=True) == "works\n"


@at_each()
def test_starting_takes_little(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The time is told, not judged: it is the machine's."""
    began = time.monotonic()
    ran = run_bot(level, attacker("hello"))
    assert ran.output == "hello"
    with capsys.disabled():
        print(f" [{level}: started in {ran.start_s * 1000:.0f} ms of {time.monotonic() - began:.2f} s] ", end="")
