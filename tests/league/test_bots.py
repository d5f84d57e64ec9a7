"""Bots from folders and command lines, and names as parts of paths."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.league.bots import builtin_names, read_bot, read_bots, shipped
from arena.league.names import file_name, folded, name_problem
from tests.league.conftest import MakeBot


def test_forms_of_a_bot(tmp_path: Path, make_bot: MakeBot, built_in: Path) -> None:
    """A folder, a built-in name, NAME=COMMAND; a folder of the working directory comes before a built-in."""
    home = make_bot("alpha", 'version = "7"\n')
    assert read_bot("alpha", tmp_path) == read_bot(str(home), Path("/"))
    assert read_bot("alpha", tmp_path).version == "7"
    assert builtin_names() == ("careful", "random")
    assert read_bot("random", tmp_path).folder == built_in / "bots/python/random"
    command = read_bot("mine=python3 'my bot.py' --fast=1", tmp_path)
    assert (command.name, command.command) == ("mine", ("python3", "my bot.py", "--fast=1"))
    assert (command.folder, command.owns_folder) == (tmp_path, False)
    make_bot("random", 'version = "own"\n')
    assert read_bot("random", tmp_path).version == "own"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("carefull", r"no folder, no NAME=COMMAND and no built-in bot; did you mean 'careful'\?"),
        ("empty", "a bot's folder has a bot.toml; this one has none"),
        ("broken", r"bot.toml:1: nam = \"x\": unknown key; did you mean 'name'"),
        ("nameless", r"bot.toml:1: name: is missing"),
        ("mine=", "the command is empty"),
        ("=python3 x", "not only spaces"),
        ("mine=it's", "cannot be split into words: No closing quotation"),
    ],
)
def test_refused_forms(tmp_path: Path, built_in: Path, text: str, words: str) -> None:
    """What is no bot is refused in words that say what would be one."""
    for name, manifest in [("empty", None), ("broken", 'nam = "x"\n'), ("nameless", 'command = ["x"]\n')]:
        (tmp_path / name).mkdir()
        if manifest:
            (tmp_path / name / "bot.toml").write_text(manifest)
    with pytest.raises(UsageError, match=words):
        read_bot(text, tmp_path)


def test_repeated_names_get_a_number(tmp_path: Path, built_in: Path) -> None:
    """A bot may play itself: names derived from a command line are told apart without spaces or brackets."""
    bots = read_bots(["random", "random", "RANDOM=x", "random_2=y"], tmp_path)
    assert [bot.name for bot in bots] == ["random", "random_2", "RANDOM_3", "random_2_2"]
    long = "x" * 40
    assert [bot.name for bot in read_bots([f"{long}=a", f"{long}=b"], tmp_path)] == [long, "x" * 36 + "_2"]


def test_shipped() -> None:
    """In a checkout the bots and the protocol are those of the checkout."""
    assert (shipped("bots") / "README.md").is_file()
    assert (shipped("proto")).is_dir()


def test_names() -> None:
    """Emoji and letters of any script are names; blank, long, spoofing ones are not; look-alikes are equal."""
    for good in ("ß", "a b", "🤖 bot", "日本", "<script>", "x" * 40):
        assert name_problem(good) == ""
    for bad in ("", " ", "x" * 41, "a\nb", "a\x00", "\u2028", "\u202ea", " a", "a "):
        assert name_problem(bad)
    assert folded("Straße") == folded("STRASSE")
    assert folded("Bot") == folded("ＢＯＴ") == folded("bot")


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_file_names(one: str, other: str) -> None:
    """Any name is one safe part of a path, and two names are never the same file."""
    for name in (one, other):
        try:
            name.encode()
        except UnicodeEncodeError:
            return
        part = file_name(name)
        assert Path(part).name == part
        assert len(part.encode()) <= 120
        assert not part.startswith(".")
    assert (file_name(one) == file_name(other)) == (one == other)
    assert file_name("..") == "%2E."
