"""Lines of keys, as a person counts them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.locate import TomlFile, key_lines, raise_problems

TEXT = '''\
# a comment with [table] and key = value
title = "x"

[league]          # line 4
name = "spring"
words = """
[game]
name = "not a key"
"""
"quoted key" = 1
[[game]]
id = "a"
options = { rounds = 1, known = [
  2, 3] }
[[game]]
options.rounds = 3
[[bot]]
  name = "indented"
[bot.env]
KEY = "v"
[[bot]]
command = [
  "a = b",
]
'''


def test_key_lines() -> None:
    """Tables, lists of tables, dotted and quoted keys, and texts that only look like keys."""
    assert key_lines(TEXT) == {
        ("title",): 2,
        ("league",): 4,
        ("league", "name"): 5,
        ("league", "words"): 6,
        ("league", "quoted key"): 10,
        ("game",): 11,
        ("game", 0): 11,
        ("game", 0, "id"): 12,
        ("game", 0, "options"): 13,
        ("game", 1): 15,
        ("game", 1, "options", "rounds"): 16,
        ("bot",): 17,
        ("bot", 0): 17,
        ("bot", 0, "name"): 18,
        ("bot", 0, "env"): 19,
        ("bot", 0, "env", "KEY"): 20,
        ("bot", 1): 21,
        ("bot", 1, "command"): 22,
    }


def test_nearest_line() -> None:
    """A key that has no line of its own, or is missing, has that of what is around it."""
    file = TomlFile(Path("x.toml"), TEXT)
    assert file.line(("game", 0, "options", "rounds")) == 13
    assert file.line(("game", 1, "id")) == 15
    assert file.line(("nowhere",)) == 1


def test_problems_of_all_files() -> None:
    """Problems are listed by file and line, each once, with the value as it is written."""
    one, two = TomlFile(Path("one.toml"), TEXT), TomlFile(Path("two.toml"), "a = [")
    one.add(("bot", 0, "name"), "is bad")
    one.add(("league", "name"), "is worse")
    one.add(("league", "name"), "is worse")
    one.add(("game", 0), "twice")
    with pytest.raises(UsageError) as caught:
        raise_problems([one, two])
    assert str(caught.value).splitlines() == [
        'one.toml:5: [league] name = "spring": is worse',
        "one.toml:11: [[game]]: twice",
        'one.toml:18: [[bot]] name = "indented": is bad',
        'two.toml:1: not valid TOML: Invalid value (at end of document); text stands in quotes, as in name = "spring"',
    ]
    raise_problems([TomlFile(Path("three.toml"), TEXT)])


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 20_000, "a = " + "{a = " * 20_000, "a" + ".a" * 500 + " = 1"],
    ids=["lists", "tables", "dots"],
)
def test_nested_too_deeply(text: str) -> None:
    """What the parser, or any later reader, would give up on is a problem of the file."""
    with pytest.raises(UsageError, match=r"x\.toml:1: tables or lists are nested too deeply"):
        raise_problems([TomlFile(Path("x.toml"), text)])


def test_a_byte_order_mark(tmp_path: Path) -> None:
    """An editor that writes one is told of; the parser's words say nothing of what cannot be seen."""
    (tmp_path / "x.toml").write_text('name = "x"\n', encoding="utf-8-sig")
    assert TomlFile.read(tmp_path / "x.toml").problems == [
        (1, "not valid TOML: it begins with a byte order mark, which TOML has not; save it as UTF-8 without BOM")
    ]


def test_unreadable(tmp_path: Path) -> None:
    """A file that is missing, a folder, a pipe or no text is refused by name, before it is parsed."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    for path, words in [
        ("missing.toml", "no such file"),
        (".", "directory"),
        ("latin.toml", "not UTF-8"),
        ("pipe", "pipe: is no file"),
        ("nul\0", "no such file"),
    ]:
        with pytest.raises(UsageError, match=words):
            TomlFile.read(tmp_path / path)
