"""Help, and the commands that need no league."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import cast

import click
import pytest
from click.testing import CliRunner

from arena import __version__
from arena.cli.main import COMMANDS
from arena.cli.main import arena as group
from arena.games import game_ids
from tests.commands import PATIENCE_S, Commands, arena, finished, said_by, wait_for


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    shown = CliRunner().invoke(group, [command, "--help"])
    assert shown.exit_code == 0
    assert f"arena {command}" in shown.output.partition("Example:")[2]


CHECKS = ("run-league", "match", "play", "check", "rematch", "verify", "rehearse", "bench", "doctor")
"""Commands whose exit status says how it went."""


@pytest.mark.parametrize("command", CHECKS)
def test_the_exit_status_is_in_the_help_of_whoever_checks_something(command: str) -> None:
    shown = CliRunner().invoke(group, [command, "--help"]).output
    assert re.search(r"[Ee]xit\s+status", shown)


def test_every_default_is_shown() -> None:
    """Of options with a value; where it is worked out, the words of the option say how."""
    for name in COMMANDS:
        shown = " ".join(CliRunner().invoke(group, [name, "--help"]).output.split())
        for option in cast(click.Command, group.get_command(click.Context(group), name)).params:
            if isinstance(option, click.Option) and isinstance(option.default, int | float) and not option.is_flag:
                assert f"[default: {option.default}" in shown, (name, option.name)
            if isinstance(option.type, click.Choice):
                assert f"[default: {option.default}]" in shown, (name, option.name)


def test_an_unknown_command_or_option_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    for words, near in ((("run-leage",), "run-league"), (("play", "--sede", "7"), "--seed"), (("zzzz",), "")):
        ran = arena(*words, cwd=tmp_path)
        assert (ran.status, ran.out) == (2, "")
        assert near in ran.err.splitlines()[-1]
        assert ("did you mean" in ran.err.lower()) is bool(near)


def test_the_help_of_the_group_imports_no_command(tmp_path: Path) -> None:
    """It is there at once: the words on each command are beside its name, by who uses it."""
    code = "import sys; sys.argv[1:] = ['--help']; from arena.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    code += "print(sorted(name for name in sys.modules if name.startswith('arena.cli.')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['arena.cli.main']"
    titles = ["For authors of bots:", "For organisers of leagues:", "For readers of standings:"]
    assert [line for line in done.stdout.splitlines() if line.startswith("For ")] == titles
    assert "..." not in done.stdout.partition("For authors")[2]


def test_the_group_names_all_commands_and_how_to_begin() -> None:
    shown = CliRunner().invoke(group, ["--help"]).output
    assert all(command in shown for command in COMMANDS)
    assert "arena run-league" in shown


def test_no_command_prints_the_help(tmp_path: Path) -> None:
    assert "For authors of bots:" in arena(cwd=tmp_path).err
    assert arena("--version", cwd=tmp_path).out == f"arena, version {__version__}\n"


@pytest.mark.parametrize("game", game_ids())
def test_the_page_of_a_game(game: str) -> None:
    """Goal, turn, notation, options, limits and the fields of its view."""
    page = CliRunner().invoke(group, ["games", game])
    assert page.exit_code == 0
    heads = ["Goal\n", "Turn\n", "Actions\n", "Options\n", "Notes\n", "View (request.view"]
    places = [page.output.index(head) for head in heads]
    assert places == sorted(places)
    assert page.output.startswith(f"{page.output.partition(' (')[0]} ({game}), ")


def test_the_list_of_games_and_faults() -> None:
    rows = CliRunner().invoke(group, ["games"]).output.strip().splitlines()[1:]
    assert tuple(row.split()[0] for row in rows) == game_ids()
    faults = CliRunner().invoke(group, ["games", "--faults"]).output
    assert all(word in faults for word in ("timeout", "illegal", "protocol", "crash", "disconnect", "no-show"))


def test_one_game_can_be_played_again_saved_and_replayed(tmp_path: Path) -> None:
    """The seed that is printed gives the same record; the saved file is replayed by itself."""
    bots = ("careful", "margin", "random")
    first = arena("play", "no_thanks", *bots, "--seed", "7", "--save", "a.json", cwd=tmp_path)
    assert (first.status, "the same game again: --seed 7" in first.err) == (0, True), first.err
    assert [line.split()[0] for line in first.out.strip().splitlines()[1:]] == ["1", "2", "3"]
    again = arena("play", "no_thanks", *bots, "--seed", "7", "--save", "b.json", "--show", cwd=tmp_path)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert arena("replay", "a.json", cwd=tmp_path).out == again.out
    record = json.loads((tmp_path / "a.json").read_bytes())
    assert [name for name, *_ in record["players"]] == list(bots)
    one_seat = arena("replay", "a.json", "--seat", "0", "--steps", cwd=tmp_path)
    assert 0 < len(one_seat.out) < len(again.out)
    assert arena("replay", "a.json", "--seat", "3", cwd=tmp_path).status == 2


def test_a_bot_that_fails_in_one_game_shows_its_trace(tmp_path: Path) -> None:
    """The game is played to its end, and the exit status says that something is wrong."""
    (tmp_path / "bot.py").write_text("import no_such_module\n")
    ran = arena("play", "no_thanks", "margin", "mine={python} bot.py", "margin", cwd=tmp_path)
    assert ran.status == 1
    assert "seat 1 (mine): no-show: the process ended with exit status 1 -> retired for the rest of the game" in ran.err
    assert "ModuleNotFoundError: No module named 'no_such_module'" in ran.err


def test_an_endless_loop_in_one_game_names_the_limit(tmp_path: Path) -> None:
    """What was allowed, at which decision, what it cost, and how to give the bot more time."""
    code = "def decide(request):\n    print('here')\n    while request.decision:\n        pass\n    return 'pass'\n"
    (tmp_path / "bot.py").write_text(f"from arena.sdk import run\n{code}run(decide)\n")
    game = ("play", "no_thanks", "margin", "mine={python} bot.py", "margin", "--move-ms", "300")
    runs = (arena(*game, cwd=tmp_path) for _ in range(10))
    ran = next(ran for ran in runs if "this machine is too busy" not in ran.err)
    assert ran.status == 1
    assert re.search(r"seat 1 \(mine\): timeout at decision 1: \d+ ms where 300 ms and 150 ms margin were", ran.err)
    assert "the bot still owes the answer that was ruled late before -> retired for the rest of the game" in ran.err
    assert "--move-ms gives it more time, --no-clock all of it" in ran.err
    assert "\n    here\n" in ran.err


def test_a_file_called_arena_in_the_working_directory_is_not_taken_for_the_arena(tmp_path: Path) -> None:
    """Everybody may call a file so; workers once imported it."""
    (tmp_path / "arena.py").write_text("raise SystemExit('this is not the arena')\n")
    command = [str(Path(sys.executable).parent / "arena"), "play", "no_thanks", "margin", "random", "margin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr


def test_ctrl_c_leaves_a_line_and_its_status(tmp_path: Path, started: Commands) -> None:
    """In mid-game, with a bot that never answers: words, status 130, no trace and no output by halves."""
    code = "def decide(request):\n    while True:\n        pass\n"
    (tmp_path / "endless.py").write_text(f"from arena.sdk import run\n{code}run(decide)\n")
    game = ("play", "no_thanks", "mine={python} endless.py", "margin", "margin", "--no-clock")
    running = started(*game, cwd=tmp_path)
    wait_for(lambda: computed_s("python[^ ]* endless.py$") > 2)
    running.send_signal(signal.SIGINT)
    done = finished(running)
    assert (done.status, done.out) == (130, "")
    assert done.err.strip() == "stopped with Ctrl-C"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_from_outside_leaves_nothing(
    own_tmp: Path, tmp_path: Path, started: Commands, number: signal.Signals
) -> None:
    """A step of a build that is under way ends, too, and no temporary folder is left."""
    (tmp_path / "bot").mkdir()
    marker = f"3591.{os.getpid()}"
    steps = f'build = [["sh", "-c", "sleep {marker}; true"]]'
    (tmp_path / "bot" / "bot.toml").write_text(f'name = "slow"\ncommand = ["{{python}}", "bot.py"]\n{steps}\n')
    usual = signal.signal(number, signal.SIG_DFL)  # below nohup, what is started ignores SIGHUP
    running = started("check", "bot", "--quick", cwd=tmp_path)
    signal.signal(number, usual)
    said_by(running, "building slow")
    wait_for(lambda: pids_of(f"^sleep {marker}$"))
    running.send_signal(number)
    done = finished(running)
    assert (done.status, done.out) == (128 + number, "")
    assert done.err.strip().endswith(f"stopped by {number.name}")
    assert not pids_of(f"^sleep {marker}$")
    assert list(own_tmp.iterdir()) == []


def pids_of(pattern: str) -> list[str]:
    """Return the processes whose command line a pattern matches."""
    return subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True, check=False).stdout.split()


def computed_s(pattern: str) -> float:
    """Return for how long, in seconds, the processes of a pattern have computed."""
    ticks = 0
    for pid in pids_of(pattern):
        with suppress(OSError):  # it has just ended
            ticks += int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])
    return ticks / os.sysconf("SC_CLK_TCK")


def test_a_pipe_gets_plain_text(tmp_path: Path) -> None:
    """No colours, no bars and no carriage returns where nobody looks at a terminal."""
    for words in (("games",), ("games", "--faults"), ("play", "no_thanks", "margin", "margin", "margin", "--show")):
        ran = arena(*words, cwd=tmp_path, env={**os.environ, "TERM": "xterm-256color", "FORCE_COLOR": ""})
        assert ran.status == 0
        assert not {"\x1b", "\r"} & set(ran.out + ran.err)


def test_output_pipes(tmp_path: Path) -> None:
    """A reader that goes early is no error of ours."""
    command = "set -o pipefail; python -m arena games --faults | head -1 && python -m arena games no_thanks | true"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
