"""What is left undone when nobody reads what a command says: nothing, and its exit status is true."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import IO

import pytest

from tests.commands import ARENA, PATIENCE_S, Commands, builtin, count, league, wait_for

BOTS = [builtin("margin"), builtin("always-take"), builtin("random")]
FILES = ("standings.csv", "standings.html", "standings.json", "standings.txt")


def run(*words: str, cwd: Path, out: IO[str] | int) -> int:
    """Run a command whose stderr has no reader any more; return its exit status."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([*ARENA, *words], cwd=cwd, stdout=out, stderr=writer, timeout=PATIENCE_S).returncode
    finally:
        os.close(writer)


def written(results: Path) -> list[str]:
    return sorted(path.name for path in results.glob("standings.*"))


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_league_is_played_to_its_end_though_nobody_reads_its_progress(tmp_path: Path, flags: tuple[str]) -> None:
    """Its standings are on stdout all the same, and in its folder."""
    league(tmp_path / "spring.toml", BOTS, deals=2)
    with (tmp_path / "out").open("w") as out:
        assert run("run-league", "spring.toml", *flags, cwd=tmp_path, out=out) == 0
    results = tmp_path / "results/spring"
    assert count(results) == 12
    assert written(results) == [*FILES]
    text = (tmp_path / "out").read_text()
    assert json.loads(text)["complete"] if flags else "margin" in text


def test_a_match_is_played_to_its_end_though_nobody_reads_its_progress(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out:
        words = ("match", "margin", "always-take", "random", "--game", "no_thanks", "--deals", "2", "--json")
        assert run(*words, "--option", "rounds=1", "--results", "m", cwd=tmp_path, out=out) == 0
    assert json.loads((tmp_path / "out").read_text())["games"] == count(tmp_path / "m") == 12


def test_a_league_into_head_is_played_to_its_end(tmp_path: Path) -> None:
    """``arena run-league spring.toml --json 2>&1 | head -1``: the reader of both goes after the first line."""
    league(tmp_path / "spring.toml", BOTS, deals=2)
    words = [*ARENA, "run-league", "spring.toml", "--json"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.wait(PATIENCE_S) == 0
    assert count(tmp_path / "results/spring") == 12
    assert written(tmp_path / "results/spring") == [*FILES]


def test_a_league_that_was_stopped_says_so_though_nobody_reads_it(tmp_path: Path, started: Commands) -> None:
    """Neither stream has a reader any more; its status is all that a script has to go by."""
    league(tmp_path / "spring.toml", BOTS, deals=2000)
    results = tmp_path / "results/spring"
    running = started("run-league", "spring.toml", "--json", cwd=tmp_path)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    running.stderr.close()
    wait_for(lambda: count(results))
    running.send_signal(signal.SIGINT)
    assert running.wait(PATIENCE_S) == 130
    assert count(results) < 12_000
    assert written(results) == [*FILES]


def test_wrong_usage_has_its_status_though_nobody_reads_why(tmp_path: Path) -> None:
    """What click refuses, and what the arena refuses."""
    for words in (("run-leage",), ("run-league", "missing.toml")):
        assert run(*words, cwd=tmp_path, out=subprocess.DEVNULL) == 2
