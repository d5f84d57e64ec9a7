"""The commands of README.md for each language, run as they stand there: from nothing to a ladder."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from arena.league.starters import languages
from tests.bots.toolchains import BUILD_S, require_language
from tests.commands import ARENA

README = Path(__file__).parents[2] / "README.md"
QUICK = ("python",)
"""What is played in every run; of the others the steps are tested one by one elsewhere."""
BLOCK = re.compile(r"```console\n(\$ arena new-bot \w+ --lang (\w+).*?)```", re.DOTALL)
BLOCKS = {language: text for text, language in BLOCK.findall(README.read_text())}


def test_the_blocks_are_there() -> None:
    """One for every language but the one that has no SDK of the arena's."""
    assert set(BLOCKS) == set(languages()) - {"ruby"}


def run(command: str, folder: Path) -> str:
    """Run a command of the README to its end; return what it printed."""
    words = [*ARENA, *shlex.split(command, comments=True)[1:]]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=BUILD_S, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def follow(language: str, folder: Path) -> None:
    """Do what a block says; the league that it plays is cut down to one deal and six tables."""
    require_language(language)
    lines = [line.removeprefix("$ ") for line in BLOCKS[language].splitlines()]
    first, check, leagues = lines
    make, _, edit = first.partition("# then edit ")
    assert f"edit   {edit}:" in run(make, folder)
    assert "PASS" in run(check, folder)
    write, play = leagues.split(" && ")
    assert "1 bot found near it" in run(write, folder)
    path = folder / shlex.split(write)[2]
    text = re.sub(r"(?m)^deals = \d+", "deals = 1", path.read_text())
    path.write_text(text.replace("\n# line_ups = 0", "\nline_ups = 6"))
    name = shlex.split(make)[2]
    ladder = run(play, folder)
    assert re.search(rf"^\d+ +{name} ", ladder, re.MULTILINE), ladder
    assert " 0 seats lost by fault" in ladder, ladder


@pytest.mark.timeout(BUILD_S)
@pytest.mark.parametrize("language", QUICK)
def test_the_commands_for_a_language(language: str, tmp_path: Path) -> None:
    follow(language, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(3 * BUILD_S)
@pytest.mark.parametrize("language", sorted(set(BLOCKS) - set(QUICK)))
def test_the_commands_for_every_other_language(language: str, tmp_path: Path) -> None:
    follow(language, tmp_path)
