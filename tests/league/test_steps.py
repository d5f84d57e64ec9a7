"""The sandbox of fetch and build steps, with real compilers and steps that pry."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import sys
import time
from contextlib import closing, nullcontext, suppress
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.bots import Bot, read_folder
from arena.league.build import run_steps
from arena.league.snapshot import snapshot
from arena.league.steps import TOOL_SETTINGS, step_sandbox, tool_places
from arena.league.toolchains import TOOLCHAINS
from tests.bots.toolchains import require
from tests.players.levels import need_level

CONFINED = ("bwrap", "landlock")


def bot_with(folder: Path, **steps: list[list[str]]) -> Bot:
    folder.mkdir(exist_ok=True)
    lines = [f"{kind} = {json.dumps(commands)}\n" for kind, commands in steps.items()]
    (folder / "bot.toml").write_text('name = "x"\nversion = "1"\ncommand = ["./bot"]\n' + "".join(lines))
    bot, file = read_folder(folder)
    assert bot is not None, file.problems
    return bot


@pytest.mark.parametrize("level", CONFINED)
def test_a_compiled_bot_is_built_and_everybody_can_run_it(level: str, tmp_path: Path) -> None:
    """The operator's umask does not matter, and the files are the operator's again."""
    need_level(level)
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    bot = bot_with(tmp_path / "x", build=[["cc", "-O1", "-o", "bot", "bot.c"]])
    (tmp_path / "x" / "bot.c").write_text("int main(void) { return 0; }\n")
    before = os.umask(0o077)
    try:
        program = snapshot(bot, tmp_path / "bots", step_sandbox(level))
    finally:
        os.umask(before)
    made = Path(program.command[0])
    assert made.stat().st_mode & 0o777 == 0o755
    assert Path(program.directory).stat().st_mode & 0o777 == 0o755
    assert {path.stat().st_uid for path in Path(program.directory).rglob("*")} == {os.getuid()}


@pytest.mark.parametrize("level", CONFINED)
@pytest.mark.parametrize("program", sorted({name for tools in TOOLCHAINS.values() for name in tools.programs}))
def test_the_tools_of_the_starters_start_in_the_sandbox(level: str, program: str, tmp_path: Path) -> None:
    """Their own files are seen, wherever a distribution has put them, such as those of Maven below /etc."""
    need_level(level)
    require(program, install="the toolchains of all starters")
    words = {"go": "version", "grpc_cpp_plugin": "< /dev/null"}.get(program, "--version")
    folder = tmp_path / "x"
    bot = bot_with(folder, fetch=[["sh", "-c", f"{program} {words} > told 2>&1 || (cat told; exit 1)"]])
    run_steps(bot, folder, step_sandbox(level))
    assert "rror" not in (folder / "told").read_text()


@pytest.mark.parametrize("level", CONFINED)
def test_a_step_sees_no_files_of_others_and_writes_nowhere_else(level: str, tmp_path: Path) -> None:
    need_level(level)
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0o644)
    tries = [f"cat {tmp_path}/secret", f"touch {tmp_path}/made", "cat /etc/passwd", "touch /usr/made", "kill -0 1"]
    code = "".join(f"({line}) 2>&1 && echo done >> told\n" for line in tries) + "echo end >> told"
    folder = tmp_path / "x"
    run_steps(bot_with(folder, build=[["sh", "-c", code]]), folder, step_sandbox(level))
    if level == "landlock":
        assert (folder / "told").read_text() in ("end\n", "done\nend\n")  # without scopes a signal may pass
    else:
        assert (folder / "told").read_text().splitlines()[-1] == "end"
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("level", CONFINED)
def test_the_network_is_for_fetch_alone(level: str, tmp_path: Path) -> None:
    need_level(level)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)"
        step = [[sys.executable, "-S", "-c", code]]
        folder = tmp_path / "x"
        run_steps(bot_with(folder, fetch=step), folder, step_sandbox(level))
        with pytest.raises(UsageError, match=r"refused|denied|[Pp]ermission"):
            run_steps(bot_with(folder, build=step), folder, step_sandbox(level))


@pytest.mark.parametrize("level", ["bwrap", "landlock", "none"])
def test_a_step_that_hangs_or_fails_is_an_error_with_its_words(level: str, tmp_path: Path) -> None:
    need_level(level)
    folder = tmp_path / "x"
    with pytest.raises(UsageError, match=r"took longer than 2 s"):
        run_steps(bot_with(folder, build=[["sleep", "60"]]), folder, step_sandbox(level), seconds=2)
    with pytest.raises(UsageError, match=r"exit status 3.*\n.*sorry"):
        run_steps(bot_with(folder, build=[["sh", "-c", "echo sorry; exit 3"]]), folder, step_sandbox(level))


@pytest.mark.parametrize(("number", "words"), [(9, "signal SIGKILL"), (40, "signal 40")])
def test_a_step_that_a_signal_ends_is_an_error_with_its_words(number: int, words: str, tmp_path: Path) -> None:
    """Real-time signals have no names, and are an end like any other."""
    folder = tmp_path / "x"
    with pytest.raises(UsageError, match=rf"failed \({words}\)"):
        run_steps(bot_with(folder, build=[["sh", "-c", f"kill -{number} $$"]]), folder)


SHEDDING = "env -i"
"""Starts a program without the mark that its step carries; under landlock it is found by its uid, if root built it."""


@pytest.mark.parametrize(
    ("level", "before"),
    [
        ("bwrap", ""),
        ("bwrap", SHEDDING),
        ("landlock", ""),
        pytest.param("landlock", SHEDDING, marks=pytest.mark.skipif(os.geteuid() != 0, reason="no uid of its own")),
        ("none", ""),
    ],
)
@pytest.mark.parametrize("rest", ["", "; exit 3", "; sleep 99"])
def test_what_a_step_leaves_running_goes_with_it(level: str, before: str, rest: str, tmp_path: Path) -> None:
    """It has left its session and its parent, and would compute beside the league; also after a step that fails."""
    need_level(level)
    name = f"arena-left-{secrets.token_hex(8)}"
    code = f"{before} setsid sh -c 'echo > begun; sleep 99' {name} & until [ -e begun ]; do sleep 0.01; done{rest}"
    bot = bot_with(tmp_path / "x", build=[["sh", "-c", code]])
    with pytest.raises(UsageError) if rest else nullcontext():
        run_steps(bot, bot.folder, step_sandbox(level), seconds=5)
    assert (bot.folder / "begun").exists()
    deadline = time.monotonic() + 20  # with the first process of a namespace the kernel ends the others when it can
    while left := with_word(name):
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


def with_word(word: str) -> list[int]:
    """Return the processes with a word in their command."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):  # it has ended meanwhile
            if word.encode() in Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0"):
                found.append(int(entry))
    return found


@pytest.mark.parametrize("level", CONFINED)
def test_a_step_has_more_memory_than_a_bot_and_yet_a_limit(level: str, tmp_path: Path) -> None:
    need_level(level)
    folder = tmp_path / "x"
    run_steps(bot_with(folder, build=[[sys.executable, "-c", "bytearray(1 << 30)"]]), folder, step_sandbox(level))
    with pytest.raises(UsageError, match="MemoryError"):
        run_steps(bot_with(folder, build=[[sys.executable, "-c", "bytearray(5 << 30)"]]), folder, step_sandbox(level))


def test_tools_are_those_of_the_path_and_never_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for place in ("home/.rustup", "home/tools/bin", "copy/bin"):
        (tmp_path / place).mkdir(parents=True)
    words = [str(tmp_path / place) for place in ("home", "home/tools/bin", "copy/bin", "missing")]
    monkeypatch.setenv("PATH", os.pathsep.join([*words, "relative", "/usr/bin"]))
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    monkeypatch.delenv("NVM_DIR", raising=False)
    assert tool_places("/usr/bin/cc", tmp_path / "copy") == (
        *(place for place in sorted(TOOL_SETTINGS) if Path(place).exists()),
        f"{tmp_path}/home/.rustup",
        f"{tmp_path}/home/tools/bin",
    )
