"""What an operator can get wrong, through the real command: exit status 2, words that help, nothing half-written."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import (
    ARENA,
    GAME,
    PATIENT,
    Commands,
    Ran,
    arena,
    builtin,
    count,
    finished,
    fixture,
    league,
    wait_for,
)

TRIO = [builtin("margin"), builtin("always-take"), fixture("first", "--policy", "first")]
SLOW = [fixture(name, "--sleep-ms", "4") for name in ("a", "b", "c")]


def refused(cwd: Path, *words: str | Path) -> str:
    """Run a command that must be refused; return what it said. Nothing is on stdout but, at most, the plan."""
    ran = arena(*words, cwd=cwd)
    assert ran.status == 2, ran
    assert "Traceback" not in ran.err
    return ran.err


MISTAKES = """\
[league]
name = "spring"
shedule = "round-robin"
in_flight = 65
[[game]]
id = "no_thanks"
seats = 9
deals = "many"
[limits]
move_ms = 1
[[bot]]
builtin = "carefull"
[[bot]]
builtin = "margin"
[[bot]]
builtin = "margin"
name = "MARGIN"
"""


def test_all_problems_of_a_file_are_said_at_once_each_with_file_line_key_value_and_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "spring.toml").write_text(MISTAKES)
    words = refused(tmp_path, "run-league", "spring.toml")
    for line, says in [
        (3, "[league] shedule"), (3, "did you mean 'schedule'?"), (8, "[[game]] deals = \"many\""), (10, "move_ms = 1"),
    ]:  # fmt: skip
        assert any(f"spring.toml:{line}:" in found and says in found for found in words.splitlines()), (line, words)
    (tmp_path / "spring.toml").write_text(
        MISTAKES.replace("shedule", "schedule").replace('"many"', "3").replace("move_ms = 1", "move_ms = 100")
    )
    words = refused(tmp_path, "run-league", "spring.toml")
    for line, says in [
        (4, "in_flight = 65: accepted is auto, or a whole number, 1..64"), (7, "3..7"),
        (12, "did you mean 'careful'?"), (17, "'MARGIN': the bot of line 13 is called 'margin'"),
    ]:  # fmt: skip
        assert any(f"spring.toml:{line}:" in found and says in found for found in words.splitlines()), (line, words)
    assert sorted(os.listdir(tmp_path)) == ["spring.toml"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "spring.toml: no such file"),
        ("[[game]\n", "spring.toml:1: not valid TOML"),
        ("\xff", "not UTF-8"),
        (GAME.format(deals=1) + "".join(TRIO[:2]), "only 2 of the bots play no_thanks; it needs 3 at a table"),
        (
            GAME.format(deals=1).replace("rounds = 1", "rounds = 0") + "".join(TRIO),
            "spring.toml:5: [[game]] options.rounds = 0",
        ),
    ],
)
def test_a_league_file_that_cannot_be_played(tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "spring.toml").write_bytes(text.encode("latin-1"))
    assert words in refused(tmp_path, "run-league", "spring.toml")
    assert not (tmp_path / "results").exists()


def test_programs_that_cannot_run_are_refused_before_any_game_with_the_path_they_were_resolved_to(
    tmp_path: Path,
    started: Commands,
) -> None:
    """Both problems come at once, no bot has started, and no results folder is left."""
    (tmp_path / "plain.sh").write_text("#!/bin/sh\n")
    bots = ['[[bot]]\nname = "a"\ncommand = ["./gone"]\n', '[[bot]]\nname = "b"\ncommand = ["./plain.sh"]\n']
    bots.append('[[bot]]\nname = "c"\ncommand = ["no-such-program"]\n')
    words = refused(tmp_path, "run-league", league(tmp_path / "spring.toml", bots))
    assert f"there is no file {tmp_path}/gone" in words
    assert f"{tmp_path}/plain.sh is not executable" in words
    assert "no program 'no-such-program' in PATH (" in words
    assert os.listdir(tmp_path / "results") == []


BROKEN = '[[bot]]\nname = "broken"\ncommand = ["{python}", "broken.py"]\n'


def test_a_bot_that_cannot_import_shows_its_trace_and_can_be_mended(tmp_path: Path) -> None:
    """No league has begun with it: the mended bot is no other bot, and no standings are found before."""
    file = league(tmp_path / "spring.toml", [*TRIO[:2], BROKEN], deals=1)
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    words = arena("run-league", file, "--json", cwd=tmp_path)
    assert (words.status, words.out) == (2, "")
    assert "bot 'broken' did not start: the process ended with exit status 1" in words.err
    assert "ModuleNotFoundError: No module named 'no_such_module'" in words.err
    assert sorted(os.listdir(tmp_path / "results/spring")) == ["bots", "lock", "logs"]
    assert "no results here yet" in refused(tmp_path, "standings")
    (tmp_path / "broken.py").write_text("from arena.sdk import run\nrun(lambda request: request.legal_actions[0])\n")
    mended = arena("run-league", file, "--json", cwd=tmp_path)
    assert (mended.status, mended.document["stored"]) == (0, 6)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``spring.toml`` and its finished results; tests copy what they damage."""
    base = tmp_path_factory.mktemp("played")
    ran = arena("run-league", league(base / "spring.toml", TRIO, deals=1), cwd=base)
    assert ran.status == 0, ran.err
    return base


def copied(played: Path, to: Path) -> Path:
    shutil.copytree(played, to, dirs_exist_ok=True)
    return to / "results/spring"


def test_results_of_another_league_are_refused_and_kept(tmp_path: Path, played: Path) -> None:
    results = copied(played, tmp_path)
    other = league(tmp_path / "spring.toml", TRIO, deals=1, tail=PATIENT.replace("60000", "900"))
    words = refused(tmp_path, "run-league", other)
    assert "holds the results of another league" in words
    assert "[limits] move_ms was 60000, is 900" in words
    assert count(results) == 6
    assert "move_ms = 60000" in (results / "league.toml").read_text()
    assert arena("run-league", "spring.toml", "--fresh", "--dry-run", cwd=tmp_path).status == 0
    assert count(results) == 6


@pytest.mark.parametrize("command", ["run-league", "standings"])
@pytest.mark.parametrize(("damage", "words"), [("newer", "written by a newer arena"), ("text", "is no database")])
def test_a_database_that_cannot_be_read_is_left_as_it_is(
    tmp_path: Path, played: Path, command: str, damage: str, words: str
) -> None:
    journal = copied(played, tmp_path) / "league.db"
    if damage == "text":
        journal.write_bytes(b"no database at all, whatever its name says" * 100)
    else:
        connection = sqlite3.connect(journal)
        with connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.close()
    before = journal.read_bytes()
    argument = "spring.toml" if command == "run-league" else "results/spring"
    assert words in refused(tmp_path, command, argument)
    assert journal.read_bytes() == before


def test_folders_that_are_no_results(tmp_path: Path, played: Path) -> None:
    """A file, a folder of something else and a folder that nobody can write are refused, and left alone."""
    file = league(tmp_path / "spring.toml", TRIO, deals=1)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/thesis.tex").touch()
    assert "this folder cannot be written" in refused(tmp_path, "run-league", file, "--results", "spring.toml")
    assert "has other files (thesis.tex, ...)" in refused(tmp_path, "run-league", file, "--results", "thesis")
    assert "this folder cannot be written" in refused(tmp_path, "run-league", file, "--results", "/proc/spring")
    assert "no results of a league here" in refused(tmp_path, "standings", "thesis")
    assert os.listdir(tmp_path / "thesis") == ["thesis.tex"]


def test_two_runs_of_one_folder(tmp_path: Path, started: Commands) -> None:
    """The second is refused with the process of the first, which goes on; it is held, so that it cannot end before."""
    file = league(tmp_path / "spring.toml", TRIO, deals=1, tail="seatings = 3\n" + PATIENT)
    first = started("run-league", file, "--json", cwd=tmp_path)
    wait_for(lambda: count(tmp_path / "results/spring"))
    first.send_signal(signal.SIGSTOP)
    assert f"another run works in this folder (process {first.pid})" in refused(tmp_path, "run-league", file)
    first.send_signal(signal.SIGCONT)
    done = finished(first)
    assert (done.status, done.document["stored"]) == (0, 3)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nosuch",), "No such command 'nosuch'"),
        (("run-league", "--workers", "0"), "0 is not in the range"),
        (("standings", "--format", "pdf"), "'pdf' is not one of"),
        (("games", "no_thank"), "did you mean 'no_thanks'?"),
        (("play", "no_thanks", "random", "random"), "2 bots: no_thanks is played by 3 to 7; name more"),
        (("play", "no_thanks", "random", "randon", "random"), "did you mean 'random'?"),
        (("play", "no_thanks", "random", "random", "x='"), "cannot be split into words"),
        (("play", "no_thanks", "random", "random", "x=no-such-program"), "no program 'no-such-program' in PATH"),
        (("play", "no_thanks", "random", "random", "random", "--option", "round=1"), "did you mean 'rounds'?"),
        (("play", "no_thanks", "random", "random", "random", "--option", "rounds=0"), "rounds = 0"),
        (("replay", "nowhere", "1234"), "no results of a league here"),
    ],
)
def test_usage(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    assert says in refused(tmp_path, *words)
    assert os.listdir(tmp_path) == []


def test_where_results_go_is_said_when_it_is_not_beside_the_league(tmp_path: Path) -> None:
    """Who runs the same file from another folder begins anew there, and should know."""
    (tmp_path / "leagues").mkdir()
    missing = '[[bot]]\nname = "a"\ncommand = ["no-such-program"]\n'
    league(tmp_path / "leagues/spring.toml", [missing, builtin("random"), builtin("margin")])
    said = f"results go to {tmp_path}/results/spring, below the working directory"
    assert said in refused(tmp_path, "run-league", "leagues/spring.toml")
    assert said not in refused(tmp_path / "leagues", "run-league", "spring.toml")


def test_wrong_names_in_results(played: Path) -> None:
    assert "no stored game has an id that starts with 'zz'" in refused(played, "replay", "results/spring", "zz")
    assert "no such game in this league" in refused(played, "standings", "--game", "no_thank")
    assert "cannot be written" in refused(played, "standings", "--format", "csv", "--out", "nowhere/x.csv")
    (played / "noise").write_bytes(b"\x00\xff{}")
    noise = arena("replay", "noise", cwd=played)
    assert noise.status == 1
    assert "Traceback" not in noise.err


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", os.fsencode(place), b"tmpfs", 0, b"size=1m") != 0:
        pytest.skip("mounting a file system needs root")
    yield place
    assert libc.umount2(os.fsencode(place), 2) == 0


def space(disk: Path) -> int:
    status = os.statvfs(disk)
    return status.f_bavail * status.f_frsize


def test_a_full_disk_in_mid_league_stops_it_with_words_and_loses_nothing(
    small_disk: Path, tmp_path: Path, started: Commands
) -> None:
    """Space made, the same command goes on to the end with every game once."""
    file = league(tmp_path / "spring.toml", SLOW, deals=1, tail="seatings = 4\n" + PATIENT)
    results = small_disk / "spring"
    running = started("run-league", file, "--results", results, "--json", cwd=tmp_path)
    wait_for(lambda: count(results))
    (small_disk / "filler").write_bytes(b"x" * space(small_disk))
    full = finished(running)
    assert (full.status, full.out) == (2, ""), full.err
    assert "the disk" in full.err
    assert "Traceback" not in full.err
    (small_disk / "filler").unlink()
    before = count(results)
    assert 0 < before < 4
    done = arena("run-league", file, "--results", results, "--json", cwd=tmp_path)
    assert (done.status, done.document["stored"]) == (0, 4), done.err
    assert f"resuming: {before} of 4 games are stored" in done.err


def test_a_full_disk_before_the_first_game(small_disk: Path, tmp_path: Path) -> None:
    """Nothing half-written is left but the lock."""
    (small_disk / "filler").write_bytes(b"x" * (space(small_disk) - 8192))
    file = league(tmp_path / "spring.toml", TRIO, deals=1)
    words = refused(tmp_path, "run-league", file, "--results", small_disk / "spring")
    assert "No space left on device" in words or "the disk is full" in words
    left = {path.name for path in (small_disk / "spring").rglob("*")} if (small_disk / "spring").exists() else set()
    assert not left & {"league.db", "secret", "league.toml"}


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """The journal may not grow: the run ends with words, and its bots with it."""
    file = league(tmp_path / "spring.toml", TRIO, deals=40)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, resource.RLIM_INFINITY))

    ran = arena("run-league", file, cwd=tmp_path, preexec_fn=limit)
    assert ran.status == 2, ran
    assert "Traceback" not in ran.err


def test_output_that_cannot_be_written(played: Path) -> None:
    """A full device is said in words; a closed one is nobody's error."""
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [*ARENA, "standings"], cwd=played, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert Ran(ran.returncode, "", ran.stderr) == Ran(2, "", "error: [Errno 28] No space left on device\n")
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *ARENA, "standings"], cwd=played, capture_output=True, check=False
    )
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")
