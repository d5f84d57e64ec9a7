"""The bench of languages measures every starter in a real sitting; its figures are no test, since machines differ."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.lab.languages import LeftOut, Sample, rounds, summary
from arena.league.starters import languages
from arena.league.toolchains import TOOLCHAINS
from arena.players.base import Program
from tests.bots.toolchains import BUILD_S, built, require_language
from tests.commands import arena


@pytest.mark.timeout(BUILD_S)
def test_a_row_for_every_language(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each is played, in lists, and its costs are numbers that can be; builds that are kept are taken."""
    for language in languages():
        require_language(language)
        built(f"{language}/random", tmp_path_factory)
    words = ("bench", "--languages", "--rounds", "1", "--seconds", "0.3", "--json")
    ran = arena(*words, cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert "building random" not in ran.err
    document = json.loads(ran.out)
    assert (document["rounds"], document["left_out"], document["floors"]) == (1, [], [])
    assert sorted(row["language"] for row in document["rows"]) == list(languages())
    for row in document["rows"]:
        assert 0 < row["low"] <= row["rate"] <= row["high"] < 1e6, row
        assert 1 <= row["start_ms"] < 30_000, row
        assert 0 < row["bot_us"] < 100_000, row
        assert 0 < row["referee_us"] < 100_000, row
        assert 1 < row["list_size"] <= 16, row
    (python,) = [row for row in document["rows"] if row["language"] == "python"]
    assert python["ratio"] == 1


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """Without a toolchain the others are measured, and it is said what to install."""
    for program in filter(shutil.which, ("bwrap", "prlimit", "setpriv")):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    words = ("bench", "--languages", "--rounds", "1", "--seconds", "0.2")
    ran = arena(*words, cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert ran.status == 0, ran.err
    (row,) = ran.out.strip().splitlines()[1:]
    assert row.split()[0] == "python"
    for language, tools in TOOLCHAINS.items():
        assert not tools.programs or f"left out: {language}: " in ran.err
        assert tools.install in ran.err


def test_one_at_a_time(tmp_path: Path) -> None:
    assert "measured one at a time" in arena("bench", "--languages", "--rules", cwd=tmp_path).err


def test_a_bot_that_does_not_start_is_left_out(tmp_path: Path) -> None:
    """The others are measured on; its last lines are shown."""
    bad = Program("bad", "", "", ("/usr/bin/env", "sh", "-c", "echo no library here; exit 3"), str(tmp_path), (), "")
    failed: list[LeftOut] = []
    assert list(rounds({"cpp": bad}, 2, 0.1, failed.append)) == [{}, {}]
    (found,) = failed
    assert (found.language, found.missing) == ("cpp", ())
    assert "no library here" in found.words
    assert "it needs g++ cmake" in found.words


def test_summary() -> None:
    """Ratios are formed within a round, the fastest is first, and what was not measured throughout has no row."""

    def sample(rate: float) -> Sample:
        return Sample(rate, 1, 2, 3, 4)

    measured = [
        {"python": sample(10), "go": sample(30), "cpp": sample(1)},
        {"python": sample(20), "go": sample(40)},
        {"python": sample(40), "go": sample(160)},
    ]
    rows = summary(measured)
    assert [(row["language"], row["rate"], row["low"], row["high"], row["ratio"]) for row in rows] == [
        ("go", 40, 30, 160, 3),
        ("python", 20, 10, 40, 1),
    ]
