"""What a league prints, in every form and in odd surroundings, with the real command."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ARENA, PATIENCE_S, SECRET, Ran, arena, builtin, count, fixture, league, left_over, stored

NAMES = ("two words", "Zoë {x} [red]", "../up 日本")
"""A path that leaves the folder, a format, a markup, and signs that are two columns wide."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a space in its name, a league file in another one, and the results of a league of odd names."""
    base = tmp_path_factory.mktemp("odd place") / "a b"
    (base / "files").mkdir(parents=True)
    bots = [builtin("margin", NAMES[0]), builtin("always-take", NAMES[1]), fixture(NAMES[2])]
    league(base / "files/odd.toml", bots, deals=1, head=SECRET + 'name = "odd {y} [bold]"\nin_flight = 64\n')
    ran = arena("run-league", "files/odd.toml", "--results", "my results/x", cwd=base, env=bare())
    assert ran.status == 0, ran.err
    assert ran.out.count("odd {y} [bold]: no_thanks") == 1
    return base


def bare() -> dict[str, str]:
    """Return an environment without a home, a language or a terminal."""
    return {"PATH": os.environ["PATH"], "TERM": "dumb"}


def shown(base: Path, *words: str, **rest: Any) -> Ran:
    ran = arena("standings", "my results/x", *words, cwd=base, **rest)
    assert (ran.status, ran.err) == (0, ""), ran
    return ran


def test_names_stay_in_the_results_folder(base: Path) -> None:
    """Logs of a bot called ``../up`` are below the results; nothing else is written, and nothing is left running."""
    assert sorted(os.listdir(base)) == ["files", "my results"]
    assert sorted(os.listdir(base / "my results")) == ["x"]
    assert {row["name"] for row in shown(base, "--json").document["ladders"][0]["rows"]} == set(NAMES)
    assert left_over(base / "my results/x") == []
    assert "known" not in (base / "my results/x/league.toml").read_text()


def test_json_csv_and_markdown_agree_number_for_number(base: Path) -> None:
    rows = shown(base, "--json").document["ladders"][0]["rows"]
    (table,) = [list(csv.DictReader(io.StringIO(shown(base, "--format", "csv").out)))]
    assert [cells(row) for row in rows] == [list(row.values()) for row in table]
    assert list(table[0]) == list(rows[0])
    for line, row in zip(markdown_rows(shown(base, "--format", "md").out), rows, strict=True):
        assert len(line) == len(row)
        assert all(says_the_same(cell, value) for cell, value in zip(line, row.values(), strict=True))


def says_the_same(cell: str, value: Any) -> bool:
    """Whether a cell for people is a value, rounded to the digits that it shows."""
    if isinstance(value, str) or value is None:
        return cell == (value or "")
    return float(cell) == pytest.approx(round(value, len(cell.partition(".")[2])), abs=1e-9)


def cells(row: dict[str, Any]) -> list[str]:
    return ["" if value is None else str(value) for value in row.values()]


def markdown_rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip().replace("\\", "") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_crosstable_agrees_in_every_form(base: Path) -> None:
    """The cells for people say the points, the games and the rounded difference of the rows for programs."""
    pairs = shown(base, "--crosstable", "--json").document["ladders"][0]["crosstable"]
    table = list(csv.DictReader(io.StringIO(shown(base, "--crosstable", "--format", "csv").out)))
    assert len(pairs) == len(NAMES) * (len(NAMES) - 1)
    assert [cells(pair) for pair in pairs] == [list(row.values()) for row in table]
    people = markdown_rows(shown(base, "--crosstable", "--format", "md").out)
    found = [cell.rstrip("*") for line in people for cell in line if "±" in cell]
    assert found == [
        f"{pair['points']:g}/{pair['games']} {pair['difference']:+.0f} ±{pair['error']:.0f}" for pair in pairs
    ]


def test_derived_files_are_what_the_commands_print(base: Path) -> None:
    results = base / "my results/x"
    assert (results / "standings.json").read_text() == shown(base, "--json").out
    assert (results / "standings.csv").read_text() == shown(base, "--format", "csv").out
    assert (results / "standings.txt").read_text().splitlines()[1] in shown(base).out
    assert shown(base, "--format", "json").out == shown(base, "--json").out


def test_json_is_one_document_and_nothing_else(base: Path, tmp_path: Path) -> None:
    """Also when the league is complete; progress is on stderr."""
    ran = arena("run-league", "files/odd.toml", "--results", "my results/x", "--json", cwd=base)
    assert ran.document["complete"]
    assert ran.document["stored"] == ran.document["planned"] == 6
    assert re.fullmatch(r"[0-9a-f]{64}", ran.document["digest"])
    assert "complete: 6 of 6 games are stored" in ran.err
    dry = arena("run-league", base / "files/odd.toml", "--dry-run", cwd=tmp_path)
    assert (dry.status, list(tmp_path.iterdir())) == (0, [])
    assert "6 games in 6 sittings" in dry.err


def test_a_terminal_or_a_language_that_can_do_little(base: Path) -> None:
    """What cannot be encoded is escaped; a narrow or dumb terminal gets plain text."""
    poor = shown(base, env=bare() | {"PYTHONIOENCODING": "latin-1"}, encoding="latin-1")
    assert "Zoë {x} [red]" in poor.out
    assert "../up \\u65e5\\u672c" in poor.out
    for columns, term in (("40", "xterm"), ("200", "dumb"), ("200", "xterm-256color")):
        text = on_terminal(["standings", "my results/x"], base, {"COLUMNS": columns, "TERM": term})
        assert all(name in text for name in NAMES), (columns, term)


def test_the_live_display(base: Path, tmp_path: Path) -> None:
    """On a terminal a bar and the names as they are, and at the end the standings alone."""
    text = on_terminal(
        ["run-league", str(base / "files/odd.toml"), "--results", str(tmp_path / "y")], tmp_path, {"COLUMNS": "200"}
    )
    assert "odd {y} [bold]: no_thanks" in text
    assert "6 of 6 games, 0 void" in text


def test_the_live_display_outlives_a_bot_that_is_killed_while_it_starts(tmp_path: Path) -> None:
    """It goes on with the next games, and shows whose fault it was."""
    bots = [fixture("starter", "--start-ms", "700"), builtin("margin"), builtin("always-take")]
    league(tmp_path / "spring.toml", bots, deals=2)
    killed_at: list[int] = []
    killer = threading.Thread(target=kill_a_start, args=(tmp_path / "results/spring", killed_at))
    killer.start()
    try:
        text = on_terminal(["run-league", "spring.toml", "--workers", "1"], tmp_path, {"COLUMNS": "200"})
    finally:
        killer.join()
    assert killed_at
    assert any(int(done) > killed_at[0] for done in re.findall(r"(\d+)/12", text))
    assert "12 of 12 games, 0 void" in text
    (rows,) = arena("standings", "results/spring", "--json", cwd=tmp_path).document["ladders"]
    assert {row["name"]: row["faults"] for row in rows["rows"]} == {"starter": 1, "margin": 0, "always-take": 0}


def kill_a_start(results: Path, killed_at: list[int]) -> None:
    """Kill a bot in the first half second of its life, once some games are stored; note how many."""
    deadline = time.monotonic() + PATIENCE_S
    while not killed_at and time.monotonic() < deadline:
        time.sleep(0.02)
        stored_now = count(results)
        for pid in left_over(results) if stored_now else ():
            with suppress(OSError):  # it has just gone
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if b"--start-ms" in words and words[0].startswith(b"/") and age_s(pid) < 0.5:
                    os.kill(pid, signal.SIGKILL)
                    killed_at.append(stored_now)


def age_s(pid: int) -> float:
    """Return how long a process has lived."""
    ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def test_who_is_waited_for_is_shown(tmp_path: Path) -> None:
    """A table at which nothing happens is named, with the limits that will end it."""
    bots = [fixture("slow", "--fault", "late", "--late-ms", "8000", "--at", "2"), builtin("margin"), builtin("random")]
    head = f"{SECRET}in_flight = 1\n"
    tail = "seatings = 2\n[limits]\nstart_s = 60\nmove_ms = 20000\nmargin_ms = 150\ngame_s = 90\n"
    ran = arena("run-league", league(tmp_path / "spring.toml", bots, deals=1, head=head, tail=tail), cwd=tmp_path)
    assert ran.status == 0, ran.err
    found = re.findall(r"begun or ended for (\d+) s at the table of (.+) \(1 game open", ran.err)
    assert {int(seconds) for seconds, _ in found} <= {3, 4, 5, 6, 7, 8}
    assert {name for _, names in found for name in names.split(", ")} == {"slow", "margin", "random"}
    assert "a bot has 20.15 s for a decision and 90 s for a game" in ran.err


def on_terminal(words: Sequence[str], cwd: Path, env: dict[str, str]) -> str:
    """Run a command on a pseudo-terminal to its end with status 0; return all it showed."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [*ARENA, *words],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm"} | env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    text = b""
    try:
        while data := os.read(ours, 1 << 16):
            text += data
    except OSError:
        pass  # how a terminal says that its last program has gone
    os.close(ours)
    assert running.wait(PATIENCE_S) == 0, text.decode()
    return text.decode()


def test_replay_of_a_stored_game(base: Path) -> None:
    """The beginning of an id is enough; the seats' names are shown."""
    game_id = next(iter(stored(base / "my results/x")))
    ran = arena("replay", "my results/x", game_id[:12], cwd=base)
    assert (ran.status, ran.err) == (0, "")
    assert sum(name in ran.out for name in NAMES) == 3
