"""Snapshots with real files, real programs and real build steps."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.bots import Bot, read_bot, read_folder
from arena.league.build import run_steps, step_environment
from arena.league.snapshot import remove_unfinished, snapshot, snapshots
from arena.league.sources import digest_of, source_files
from tests.league.conftest import MakeBot


def bot_in(folder: Path) -> Bot:
    bot, file = read_folder(folder)
    assert bot is not None, file.problems
    return bot


def names(folder: str | Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


def script(path: Path, text: str, mode: int = 0o755) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def test_program(tmp_path: Path, make_bot: MakeBot) -> None:
    """The program runs from the copy, with this interpreter, and carries what the manifest says."""
    home = make_bot("alpha", 'version = "2"\nauthor = "x"\nenv = { B = "2", A = "1" }\ngames = ["no_thanks"]\n')
    program = snapshot(bot_in(home), tmp_path / "bots")
    assert program.command == (sys.executable, "bot.py")
    assert (program.name, program.version, program.author, program.games) == ("alpha", "2", "x", ("no_thanks",))
    assert program.env == (("A", "1"), ("B", "2"))
    assert program.directory == str(tmp_path / "bots" / program.digest)
    assert subprocess.check_output(program.command, cwd=program.directory, text=True) == "a bot\n"


def test_a_bot_cannot_change_in_mid_league(tmp_path: Path, make_bot: MakeBot) -> None:
    """The copy stays as it was; the changed folder is another program with another digest."""
    home = make_bot("alpha")
    first = snapshot(bot_in(home), tmp_path / "bots")
    (home / "bot.py").write_text("print('changed')\n")
    assert subprocess.check_output(first.command, cwd=first.directory, text=True) == "a bot\n"
    second = snapshot(bot_in(home), tmp_path / "bots")
    assert second.digest != first.digest
    assert subprocess.check_output(second.command, cwd=second.directory, text=True) == "changed\n"
    assert sorted(path.name for path in (tmp_path / "bots").iterdir()) == sorted([first.digest, second.digest])


def test_what_is_no_source(tmp_path: Path, make_bot: MakeBot) -> None:
    """What tools keep in a folder is neither copied nor part of the identity; links to files are copied as files."""
    home = make_bot("alpha")
    before = digest_of(bot_in(home), source_files(bot_in(home)), None)
    for place in (".git/HEAD", "node_modules/x/index.js", "target/release/a", "__pycache__/b.pyc", "deep/.venv/c"):
        script(home / place, "x")
    os.mkfifo(home / "pipe")
    (home / "broken").symlink_to("nowhere")
    bot = bot_in(home)
    assert digest_of(bot, source_files(bot), None) == before
    script(tmp_path / "outside.py", "shared = 1\n")
    (home / "lib.py").symlink_to(tmp_path / "outside.py")
    (home / "loop").symlink_to(home)
    program = snapshot(bot_in(home), tmp_path / "bots")
    copied = [name for name in names(program.directory) if "__pycache__" not in name]
    assert copied == ["bot.py", "bot.toml", "lib.py"]
    assert not (Path(program.directory) / "lib.py").is_symlink()


def test_a_link_opens_no_private_file(tmp_path: Path, make_bot: MakeBot) -> None:
    """Whoever sends a bot may put links into it: to a league's secret, or into a folder that is closed."""
    home = make_bot("spy")
    secret = tmp_path / "secret"
    secret.write_text("b482e3ff")
    secret.chmod(0o600)
    (home / "s").symlink_to(secret)
    with pytest.raises(
        UsageError, match=f"bot 'spy': the link s leads to {secret}, and {secret} is not open to others"
    ):
        snapshot(read_bot(str(home), tmp_path), tmp_path / "bots")
    secret.chmod(0o644)
    snapshot(read_bot(str(home), tmp_path), tmp_path / "bots")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (home / "s").unlink()
    (home / "inner").symlink_to(closed)
    (closed / "notes").write_text("x")
    with pytest.raises(UsageError, match=f"the link inner/notes leads to {closed}/notes, and {closed} is not open"):
        snapshot(read_bot(str(home), tmp_path), tmp_path / "bots")
    (closed / "notes").unlink()
    (home / "own").write_text("x")
    (home / "own").chmod(0o600)
    snapshot(read_bot(str(home), tmp_path), tmp_path / "bots")


def test_bots_share_a_linked_folder(tmp_path: Path, make_bot: MakeBot) -> None:
    """A folder that is linked into a bot's belongs to it, by content; links in a circle are followed once."""
    home = make_bot("alpha")
    script(tmp_path / "sdk/deep/sdk.py", "shared = 1\n")
    (home / "arena").symlink_to("../sdk")
    (tmp_path / "sdk/deep/circle").symlink_to(tmp_path / "sdk/deep")
    (tmp_path / "sdk/back").symlink_to(home)
    program = snapshot(bot_in(home), tmp_path / "bots")
    copied = [name for name in names(program.directory) if "__pycache__" not in name]
    assert copied == ["arena/deep/sdk.py", "bot.py", "bot.toml"]
    assert not (Path(program.directory) / "arena").is_symlink()
    script(tmp_path / "sdk/deep/sdk.py", "shared = 2\n")
    assert snapshot(bot_in(home), tmp_path / "bots").digest != program.digest


@pytest.mark.parametrize("change", ["content", "mode", "new file", "command", "env"])
def test_identity_changes_with(make_bot: MakeBot, change: str) -> None:
    """Whatever can change what is run changes the digest."""
    home = make_bot("alpha")
    bot = bot_in(home)
    before = digest_of(bot, source_files(bot), None)
    if change == "content":
        (home / "bot.py").write_text("x")
    elif change == "mode":
        (home / "bot.py").chmod(0o755)
    elif change == "new file":
        (home / "data").write_text("")
    elif change == "command":
        bot = replace(bot, command=(*bot.command, "--fast"))
    else:
        bot = replace(bot, env=(("A", "1"),))
    assert digest_of(bot, source_files(bot), None) != before


def test_same_program_under_two_names(tmp_path: Path, make_bot: MakeBot) -> None:
    """A program that is entered twice has one snapshot and one digest, so that it is seen to be the same."""
    bot = bot_in(make_bot("alpha"))
    by_hand = replace(bot, name="by hand", command=(), connect="tcp")
    one, two = snapshots([bot, by_hand, replace(bot, name="beta", version="9", author="b")], tmp_path / "bots")
    assert (one.digest, one.directory) == (two.digest, two.directory)
    assert (one.name, two.name) == ("alpha", "beta")


def test_globs(tmp_path: Path, make_bot: MakeBot) -> None:
    """``files`` keeps a snapshot small; a glob that finds nothing, or leaves the folder, is a mistake."""
    home = make_bot("alpha", 'files = ["*.py", "data", "net/**/*.bin"]\n')
    for place in ("data/a/b.txt", "net/x/y.bin", "net/z.bin", "net/notes.md", "big.log", "data/__pycache__/x.pyc"):
        script(home / place, "x")
    program = snapshot(bot_in(home), tmp_path / "bots")
    copied = [name for name in names(program.directory) if "__pycache__" not in name]
    assert copied == ["bot.py", "data/a/b.txt", "net/x/y.bin", "net/z.bin"]
    for glob, words in [("*.rs", "finds nothing in"), ("../*", "leaves its folder"), ("/etc/*", "leaves its folder")]:
        with pytest.raises(UsageError, match=rf"bot 'alpha': files = '.*' {words}"):
            snapshot(replace(bot_in(home), files=(glob,)), tmp_path / "bots")


def test_command_without_a_folder(tmp_path: Path) -> None:
    """NAME=COMMAND copies what the command names: a sub-folder as a whole, of the working directory its files alone."""
    for place in ("src/bot.py", "src/lib/help.py", "main.py", "other.py", "results/big/league.db"):
        script(tmp_path / place, "x = 1\n")
    sub = snapshot(read_bot("a={python} src/bot.py", tmp_path), tmp_path / "bots")
    assert [name for name in names(sub.directory) if "__pycache__" not in name] == ["src/bot.py", "src/lib/help.py"]
    top = snapshot(read_bot("b={python} main.py", tmp_path), tmp_path / "bots")
    assert [name for name in names(top.directory) if "__pycache__" not in name] == ["main.py", "other.py"]
    none = snapshot(read_bot("c=sleep 5", tmp_path), tmp_path / "bots")
    assert names(none.directory) == []
    assert none.command == (os.path.realpath(shutil.which("sleep") or ""), "5")


@pytest.mark.parametrize("owns_folder", [True, False])
def test_league_files_and_results_are_no_part_of_a_bot(tmp_path: Path, make_bot: MakeBot, owns_folder: bool) -> None:
    """The secret of a league file beside a bot is not copied to where bots run; more deals do not change the bot."""
    home = make_bot("alpha")
    (home / "settings.toml").write_text("bot = 1")
    (home / "broken.toml").write_text("[[game]")
    bot = replace(bot_in(home), owns_folder=owns_folder)
    before = source_files(bot)
    assert [str(path) for path in before] == ["bot.py", "bot.toml", "broken.toml", "settings.toml"]
    (home / "spring.toml").write_text('[league]\nsecret = "x"\n[[game]]\nid = "no_thanks"\n[[bot]]\npath = "."\n')
    script(home / "results/spring/league.db", "")
    script(home / "results/spring/bots/abc/bot.py", "")
    assert source_files(bot) == before


def test_programs_are_resolved(tmp_path: Path, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """By PATH once, to a real path; by a path relative to the bot, in its copy; outside it, with its content."""
    script(tmp_path / "opt/real", "#!/bin/sh\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/engine").symlink_to(tmp_path / "opt/real")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    bot = bot_in(make_bot("alpha", 'command = ["engine", "{python}"]\n'))
    assert snapshot(bot, tmp_path / "bots").command == (str(tmp_path / "opt/real"), sys.executable)
    script(bot.folder / "run/go", "#!/bin/sh\n")
    own = snapshot(replace(bot, command=("run/go",)), tmp_path / "bots")
    assert own.command == (f"{own.directory}/run/go",)
    outside = replace(bot, command=("../opt/real",))
    before = snapshot(outside, tmp_path / "bots")
    assert before.command == (str(tmp_path / "opt/real"),)
    script(tmp_path / "opt/real", "#!/bin/sh\nexit 1\n")
    assert snapshot(outside, tmp_path / "bots").digest != before.digest


def test_python_of_a_virtual_environment(tmp_path: Path, make_bot: MakeBot) -> None:
    """The link to Python in an environment is kept: behind it there are other packages."""
    script(tmp_path / "env/pyvenv.cfg", "home = /usr/bin\n", 0o644)
    (tmp_path / "env/bin").mkdir()
    (tmp_path / "env/bin/python").symlink_to(sys.executable)
    bot = bot_in(make_bot("alpha", f'command = ["{tmp_path}/env/bin/python", "bot.py"]\n'))
    assert snapshot(bot, tmp_path / "bots").command[0] == f"{tmp_path}/env/bin/python"


def test_programs_that_cannot_run(tmp_path: Path, make_bot: MakeBot) -> None:
    """Refused before any game, all bots at once, with the path that was looked at; nothing is left behind."""
    home = make_bot("alpha")
    script(home / "plain", "x", 0o644)
    bot = bot_in(home)
    commands = {"a": "no-such-program", "b": "/no/such/program", "c": "./missing", "d": "./plain", "e": "/etc"}
    with pytest.raises(UsageError) as caught:
        snapshots([replace(bot, name=name, command=(word,)) for name, word in commands.items()], tmp_path / "bots")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("bot 'a': no program 'no-such-program' in PATH (")
    assert lines[1:] == [
        "bot 'b': command '/no/such/program': there is no file /no/such/program",
        f"bot 'c': command './missing': there is no file {home}/missing",
        f"bot 'd': command './plain': {home}/plain is not executable",
        "bot 'e': command '/etc': there is no file /etc",
    ]
    assert list((tmp_path / "bots").iterdir()) == []


BUILD = """
command = ["./bot"]
build = [["sh", "-c", "echo building; echo once >> %s; printf '#!/bin/sh\\necho built' > bot; chmod +x bot"]]
"""


def test_build_once(tmp_path: Path, make_bot: MakeBot) -> None:
    """A program that only the build makes is found; the build runs once per identity, never on resume."""
    count = tmp_path / "count"
    bot = bot_in(make_bot("alpha", BUILD % count))
    for _ in range(3):
        program = snapshot(bot, tmp_path / "bots")
        assert subprocess.check_output(program.command, text=True) == "built\n"
    assert count.read_text() == "once\n"
    assert names(program.directory) == ["bot", "bot.py", "bot.toml"] or "__pycache__" in str(names(program.directory))
    assert not (bot.folder / "bot").exists()


def test_failing_build_shows_its_last_lines(tmp_path: Path, make_bot: MakeBot) -> None:
    """The operator sees why, and no half-made snapshot stays; the next try starts afresh."""
    bot = bot_in(make_bot("alpha", 'build = [["sh", "-c", "seq 100; echo the reason >&2; exit 3"]]\n'))
    with pytest.raises(UsageError) as caught:
        snapshot(bot, tmp_path / "bots")
    lines = str(caught.value).splitlines()
    assert "bot 'alpha': build step 'sh -c seq 100; echo the reason >&2; exit 3' failed (exit status 3)" in lines[0]
    assert lines[-2:] == ["    100", "    the reason"]
    assert len(lines) == 31
    assert list((tmp_path / "bots").iterdir()) == []


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (["sh", "-c", "sleep 100 & sleep 100"], r"took longer than 0\.5 s; it printed nothing"),
        (["no-such-tool"], "build needs the program 'no-such-tool': not found, or not executable"),
        (["./bot.py"], r"build needs the program './bot\.py'"),
        (["sh", "-c", "kill -SEGV $$"], "signal SIGSEGV"),
        (["prlimit", "--fsize=2048", "sh", "-c", "head -c 3K /dev/zero > big"], "failed"),
        ([sys.executable, "-c", "bytearray(5 << 30)"], "MemoryError"),
    ],
)
def test_steps_have_limits(tmp_path: Path, make_bot: MakeBot, step: list[str], words: str) -> None:
    """A step that hangs, cannot start, dies, fills the disk or the memory ends, with what it started, in words."""
    bot = replace(bot_in(make_bot("alpha")), build=(tuple(step),))
    with pytest.raises(UsageError, match=words):
        run_steps(bot, bot.folder, seconds=0.5 if "sleep" in step[-1] else 60)


def test_steps_keep_their_caches_inside(tmp_path: Path, make_bot: MakeBot) -> None:
    """Caches are in the copy, and gone in the end; fetch runs before build; stdin is empty; nothing is inherited."""
    env = step_environment(tmp_path, {"PATH": "/bin", "HOME": "/root", "AWS_TOKEN": "secret"})
    assert env["PATH"] == "/bin"
    assert "AWS_TOKEN" not in env
    assert env["npm_config_ignore_scripts"] == "true"
    assert all(env[name].startswith(str(tmp_path)) for name in ("HOME", "CARGO_HOME", "GOPATH", "npm_config_cache"))
    bot = replace(
        bot_in(make_bot("alpha")),
        fetch=(("sh", "-c", "cat; echo fetched > order; mkdir -p $GOPATH; echo kept > $GOPATH/a"),),
        build=(("sh", "-c", "echo built >> order; env > env; cp $GOPATH/a ."),),
    )
    run_steps(bot, bot.folder)
    assert (bot.folder / "order").read_text() == "fetched\nbuilt\n"
    assert (bot.folder / "a").read_text() == "kept\n"
    assert not (bot.folder / ".cache").exists()
    assert f"HOME={bot.folder}" in (bot.folder / "env").read_text()


def test_compiled_once(tmp_path: Path, make_bot: MakeBot) -> None:
    """Python files are compiled in the copy, and traces name them where they are; one that is broken is left."""
    home = make_bot("alpha")
    script(home / "helper.py", "def fail():\n    raise ValueError\n")
    script(home / "broken.py", "def (:\n")
    script(home / "bot.py", "import helper\nhelper.fail()\n")
    program = snapshot(bot_in(home), tmp_path / "bots")
    assert list(Path(program.directory).glob("__pycache__/helper.*.pyc"))
    ran = subprocess.run(program.command, cwd=program.directory, capture_output=True, text=True, check=False)
    assert f'"{program.directory}/helper.py", line 2, in fail' in ran.stderr


def test_killed_while_copying(tmp_path: Path, make_bot: MakeBot) -> None:
    """What a killed run left half-made is removed, or made again; it is never taken for a snapshot."""
    bot = bot_in(make_bot("alpha"))
    program = snapshot(bot, tmp_path / "bots")
    left = tmp_path / "bots" / f".unfinished-{program.digest}"
    shutil.move(program.directory, left)
    (left / "bot.py").unlink()
    snapshot(bot, tmp_path / "bots")
    assert "bot.py" in names(program.directory)
    script(left / "x", "")
    remove_unfinished(tmp_path / "bots")
    assert not left.exists()


def test_too_much_to_copy(tmp_path: Path, make_bot: MakeBot) -> None:
    """A forgotten data set is refused with what to do, not copied into every results folder."""
    home = make_bot("alpha")
    with (home / "data.bin").open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(
        UsageError, match=r"2048 MB in .* are too many to copy; name those that belong to it with files"
    ):
        snapshot(bot_in(home), tmp_path / "bots")


def test_unwritable(tmp_path: Path, make_bot: MakeBot) -> None:
    """A place that cannot be written is named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="bot 'alpha': cannot be copied to"):
        snapshot(bot_in(make_bot("alpha")), tmp_path / "file")


def test_build_without_sources(tmp_path: Path) -> None:
    """An inline bot that is built must say what its sources are."""
    bot = Bot("x", "", "", ("./out",), tmp_path, owns_folder=False, build=(("true",),))
    with pytest.raises(UsageError, match=r"no sources: name them with files"):
        snapshot(bot, tmp_path / "bots")
