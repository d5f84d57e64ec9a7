"""The steps between referee and bot, one by one; that they hold together is shown by ``test_sandbox.py``."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.players import landlock
from arena.players.base import Limits, Program
from arena.players.confine import FAILED, NOBODY, UID_BASE, barred, boot, chown_tree, uid_of
from arena.players.runtime import outermost, places_of, runtime_places, settings
from arena.players.sandbox import rlimits
from arena.players.watchdog import living_way
from tests.players.levels import need_level

NOTHING: dict[str, object] = {"places": [], "own": [], "rlimits": [], "landlock": None, "give_back": None}
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def test_every_live_process_has_a_uid_of_its_own_where_there_are_enough(tmp_path: Path) -> None:
    """In a container with few uids the bots share ``nobody``."""
    uid_map = tmp_path / "uid_map"
    uid_map.write_text("         0          0 4294967295\n")
    assert uid_of(4_194_303, str(uid_map)) == UID_BASE + 4_194_303
    uid_map.write_text("0 100000 65536\n")
    assert uid_of(17, str(uid_map)) == NOBODY
    uid_map.write_text(f"0 100000 1\n{UID_BASE} 200000 100\n")
    assert [uid_of(pid, str(uid_map)) - UID_BASE for pid in (0, 99)] == [0, 99]
    assert uid_of(100, str(uid_map)) == NOBODY


def test_the_topmost_closed_folder_bars_the_way(tmp_path: Path) -> None:
    inner = tmp_path / "closed" / "open" / "closed"
    inner.mkdir(parents=True)
    for folder in [*inner.parents][: len(inner.parents) - len(tmp_path.parents)]:
        folder.chmod(0o755)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.getuid() and folder != Path("/") and "pytest" in folder.name:
            folder.chmod(0o755)
    assert barred(str(inner / "place")) is None
    inner.chmod(0o700)
    assert barred(str(inner / "place")) == str(inner)
    assert barred(str(inner)) is None
    (tmp_path / "closed").chmod(0o700)
    assert barred(str(inner / "place")) == str(tmp_path / "closed")


@root_only
def test_a_tree_is_given_away_without_following_links(tmp_path: Path) -> None:
    """A link that a bot made must not give it a file of the system's."""
    (tmp_path / "tree" / "deep").mkdir(parents=True)
    (tmp_path / "outside").write_text("x")
    (tmp_path / "tree" / "deep" / "link").symlink_to(tmp_path / "outside")
    chown_tree(str(tmp_path / "tree"), 4321)
    assert (tmp_path / "outside").stat().st_uid == 0
    assert {path.lstat().st_uid for path in (tmp_path / "tree").rglob("*")} == {4321}


def run(spec: dict[str, object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(boot({**NOTHING, **spec}), env={}, capture_output=True, text=True, timeout=30, check=False)


def test_what_cannot_be_confined_does_not_run(tmp_path: Path) -> None:
    """A limit that is refused, a folder or program that is missing: the end is told in words, with its own status."""
    made, missing = tmp_path / "made", str(tmp_path / "missing")
    reached = {"cwd": str(tmp_path), "places": [str(tmp_path)], "own": [str(tmp_path)]}
    spec: dict[str, object] = {"argv": ["/bin/sh", "-c", "echo > made"], "env": {}, **reached}
    for broken in ({"cwd": missing}, {"rlimits": [("NOSUCH", 1)]}, {"argv": [missing]}):
        ran = run({**spec, **broken})
        assert ran.returncode == FAILED
        assert "the bot cannot be confined: " in ran.stderr
        assert not made.exists()
    assert run(spec).returncode == 0
    assert made.exists()


STARTS = """
import subprocess, sys
from arena.players.confine import boot
child = subprocess.Popen(boot(int(sys.argv[1])), pass_fds=[int(sys.argv[1])])
print("started", flush=True)
if sys.argv[2] == "waits":
    child.wait()
"""


@pytest.mark.parametrize(("starter", "said"), [("waits", "ran\n"), ("is killed", "is gone\n")])
def test_a_bot_whose_starter_is_killed_first_does_not_run(starter: str, said: str) -> None:
    """The kernel tells a process of its parent's end only if that was alive when it asked to be told."""
    read, write = os.pipe()
    words = [sys.executable, "-c", STARTS, str(read), starter]
    with subprocess.Popen(words, pass_fds=[read], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as began:
        assert began.stdout is not None
        os.close(read)
        assert began.stdout.readline() == "started\n"
        if starter == "is killed":
            began.kill()
            began.wait()
        os.write(write, marshal.dumps({**NOTHING, "argv": ["/bin/echo", "ran"], "env": {}, "cwd": "/"}))
        os.close(write)
        assert began.stdout.read().endswith(said)


def test_it_imports_little() -> None:
    """Every start of every bot waits for it: these would cost as much again as all the rest."""
    code = "import sys; sys.path.append(sys.argv[1]); from arena.players import confine; print(*sys.modules)"
    words = [sys.executable, "-I", "-S", "-c", code, str(Path(__file__).parents[2])]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert "arena.players.confine" in loaded
    assert {"re", "enum", "typing", "pathlib"}.isdisjoint(loaded)


def test_the_environment_is_exactly_what_is_told() -> None:
    ran = run({"argv": ["/usr/bin/env"], "env": {"A": "1"}, "cwd": "/"})
    assert ran.stdout == "A=1\n"


def test_limits_and_privileges_are_given_up() -> None:
    words = ["/bin/sh", "-c", "ulimit -n; grep NoNewPrivs /proc/self/status"]
    ran = run({"argv": words, "env": {}, "cwd": "/", "rlimits": [("NOFILE", 77)]})
    assert ran.stdout.split() == ["77", "NoNewPrivs:", "1"]


@root_only
def test_files_are_the_operators_again_after_a_step(tmp_path: Path) -> None:
    """A step writes as nobody in particular; its status is passed on, a signal as 128 and its number."""
    words = ["/bin/sh", "-c", "id -u; touch made; exit 9"]
    ran = run(
        {
            "argv": words,
            "env": {"PATH": "/bin"},
            "cwd": str(tmp_path),
            "places": [str(tmp_path)],
            "give_back": str(tmp_path),
        }
    )
    assert ran.returncode == 9
    assert int(ran.stdout) >= UID_BASE or int(ran.stdout) == NOBODY
    assert (tmp_path / "made").stat().st_uid == 0
    killed = ["/bin/sh", "-c", "kill -KILL $$"]
    assert run({"argv": killed, "env": {}, "cwd": "/", "give_back": str(tmp_path)}).returncode == 137


@root_only
def test_nothing_of_a_step_runs_while_its_files_are_given_back(tmp_path: Path) -> None:
    """Root would follow a link that a daemon puts in the place of a folder."""
    if uid_of(os.getpid()) == NOBODY:
        pytest.skip("there are too few uids here for one of each step's own")
    daemon = "setsid sh -c 'echo $$ > daemon; exec sleep 99' > /dev/null 2>&1 &"
    words = ["/bin/sh", "-c", f"{daemon} until [ -s daemon ]; do :; done"]
    place = str(tmp_path)
    spec: dict[str, object] = {"argv": words, "env": {"PATH": "/bin"}, "cwd": place, "places": [place]}
    assert run({**spec, "give_back": place}).returncode == 0
    pid = int((tmp_path / "daemon").read_text())
    deadline = time.monotonic() + 10
    while living_way(pid) and time.monotonic() < deadline:
        time.sleep(0.01)  # what is killed has to run once more
    assert not living_way(pid)


def test_rights_that_landlock_can_take_away_by_version() -> None:
    """Numbers of bits in ``linux/landlock.h``: 13 at first, then REFER, TRUNCATE, IOCTL_DEV."""
    counts = [landlock.handled_rights(version).bit_count() for version in range(1, 8)]
    assert counts == [13, 14, 15, 15, 16, 16, 16]


@pytest.mark.parametrize("level", ["landlock"])
def test_landlock_opens_what_it_is_told_to(level: str, tmp_path: Path) -> None:
    """One folder to read, one to write; a missing place is no error."""
    need_level(level)
    for name in ("read", "write", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    code = (
        "cd $0; cat read/file; cat other/file; echo x > write/new && echo wrote; echo x > read/new || echo not; "
        "mv read/file write/ || echo stays"
    )
    here = str(tmp_path)
    tmp_path.chmod(0o755)
    read = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", f"{here}/read", "/nonexistent"]
    rules = {"read": read, "write": [f"{here}/write"], "devices": ["/dev/null"], "deny_tcp": True}
    spec = {"argv": ["/bin/sh", "-c", code, here], "env": {"PATH": "/bin"}, "cwd": "/", "landlock": rules}
    ran = run({**spec, "places": [here], "own": [f"{here}/write"]})
    assert ran.stdout.split() == ["readwrote", "not", "stays"], ran.stderr


def test_this_interpreter_is_found_with_its_library_and_the_arena() -> None:
    found = set(places_of(Path(sys.executable)))
    assert {Path(sys.prefix), Path(sys.base_prefix)} <= found
    assert Path(landlock.__file__).parents[1] in found


def test_an_environment_leads_to_its_interpreter(tmp_path: Path) -> None:
    """``pyvenv.cfg`` names the folder of the interpreter that the environment borrows."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "real" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}/real/bin\nversion = 3.11.7\n")
    (tmp_path / "venv" / "bin" / "python").symlink_to("/bin/true")
    found = set(places_of(tmp_path / "venv" / "bin" / "python"))
    assert {tmp_path / "venv", tmp_path / "real"} <= found


def test_a_program_in_a_home_shows_itself_and_not_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``~/bin/x`` and ``~/.local/bin/x`` are files of their own; ``~/tools/x/bin/x`` is an installation."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for place in ("bin", "lib", ".local/bin", ".local/lib", "tools/x/bin", "tools/x/lib"):
        (tmp_path / place).mkdir(parents=True)
    for place in ("bin", ".local/bin", "tools/x/bin"):
        (tmp_path / place / "x").write_text("")
    assert outermost(places_of(tmp_path / "bin/x")) == (f"{tmp_path}/bin/x",)
    assert outermost(places_of(tmp_path / ".local/bin/x")) == (f"{tmp_path}/.local/bin/x",)
    assert outermost(places_of(tmp_path / "tools/x/bin/x")) == (f"{tmp_path}/tools/x",)


def test_only_the_program_opens_places_and_its_own_folder_none(tmp_path: Path) -> None:
    program = Program("x", "", "", (f"{tmp_path}/bot", "/etc/shadow", "/root"), str(tmp_path), (), "")
    assert runtime_places(program) == ()
    python = Program("x", "", "", ("/bin/sh", sys.executable), str(tmp_path), (), "")
    assert sys.prefix in runtime_places(python)


def test_settings_for_names_come_with_the_network_alone() -> None:
    assert "/etc/resolv.conf" in settings(network=True)
    assert not {"/etc/resolv.conf", "/etc/hosts", "/etc/passwd"} & set(settings(network=False))


def test_limits_of_each_process() -> None:
    """The kernel's memory limit is thrice the tree's; processes are limited only where that binds the bot alone."""
    found = dict(rlimits(Limits(memory_mb=100, disk_mb=3, processes=9), processes=True))
    assert found == {"CORE": 0, "DATA": 300 << 20, "FSIZE": 3 << 20, "NOFILE": 256, "NPROC": 9}
    assert "NPROC" not in dict(rlimits(Limits(), processes=False))
