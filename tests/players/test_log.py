"""What is kept of a bot's output."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.players.log import HEAD_BYTES, TAIL_BYTES, CappedLog, escaped


def written(path: Path, *parts: bytes) -> CappedLog:
    log = CappedLog(path)
    for part in parts:
        log.add(part)
    log.close()
    return log


def test_a_silent_bot_leaves_no_file(tmp_path: Path) -> None:
    written(tmp_path / "a/bot.log")
    written(tmp_path / "a/bot.log", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [1, HEAD_BYTES, HEAD_BYTES + 1, HEAD_BYTES + TAIL_BYTES])
@pytest.mark.parametrize("part", [1000, 1 << 20])
def test_what_fits_is_kept_whole(tmp_path: Path, size: int, part: int) -> None:
    data = bytes(number % 251 for number in range(size))
    written(tmp_path / "bot.log", *(data[at : at + part] for at in range(0, size, part)))
    assert (tmp_path / "bot.log").read_bytes() == data


@pytest.mark.parametrize("part", [999, 1 << 20])
def test_of_more_the_beginning_and_the_end_are_kept(tmp_path: Path, part: int) -> None:
    """Between the two stands how much was left out."""
    data = b"".join(b"%07d\n" % number for number in range(50_000))
    written(tmp_path / "bot.log", *(data[at : at + part] for at in range(0, len(data), part)))
    left_out = len(data) - HEAD_BYTES - TAIL_BYTES
    between = f"\n[... {left_out} bytes left out ...]\n".encode()
    assert (tmp_path / "bot.log").read_bytes() == data[:HEAD_BYTES] + between + data[-TAIL_BYTES:]


def test_the_head_is_there_before_the_end(tmp_path: Path) -> None:
    """The author can read what a bot printed while it runs."""
    log = CappedLog(tmp_path / "bot.log")
    log.add(b"hello\n")
    assert (tmp_path / "bot.log").read_bytes() == b"hello\n"


def test_last_lines_are_safe_to_show(tmp_path: Path) -> None:
    log = written(tmp_path / "bot.log", b"one\n\x1b[31mtwo\x00\xff\tthree\nfour")
    assert log.last_lines(2) == "\\x1b[31mtwo\\x00\ufffd\tthree\nfour"
    assert written(tmp_path / "b.log", b"x" * HEAD_BYTES, b"\nlast").last_lines(1) == "last"
    assert escaped("a\u202eb\r") == "a\\u202eb\\r"


@pytest.mark.parametrize("size", [HEAD_BYTES + 1, HEAD_BYTES + TAIL_BYTES])
def test_last_lines_are_whole_while_all_is_kept(tmp_path: Path, size: int) -> None:
    """Where the head ends and the tail begins is of no interest to whoever looks for the cause of a crash."""
    lines = [f"{number:0{size // 41}d}" for number in range(40)]
    lines.append("x" * (size - sum(len(line) + 1 for line in lines)))
    log = written(tmp_path / "bot.log", "\n".join(lines).encode())
    assert log.last_lines().splitlines() == lines


def test_a_place_that_cannot_be_written_costs_nobody_a_game(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = written(tmp_path / "file/bot.log", b"words\n")
    assert log.last_lines() == "words"
