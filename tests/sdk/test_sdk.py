"""Bots of the SDK as real processes in real sittings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from arena.games import Moves
from arena.players.base import Limits, Program
from tests.league.sittings import ROOT, Played, play

PATIENT = Limits(start_s=30, move_ms=10_000)


def bot(name: str, called: str = "") -> Program:
    command = (sys.executable, "bots.py", name)
    return Program(called or name, "1", "", command, str(ROOT / "tests/sdk"), (), "0" * 64)


FIRSTS = (bot("first", "b"), bot("first", "c"))


def against_firsts(name: str, games: int = 2, limits: Limits = PATIENT, **rest: object) -> Played:
    return play([bot(name), *FIRSTS], games, limits, **rest)


def log_of(played: Played) -> list[str]:
    return played.end.logs[0].splitlines()


@pytest.mark.parametrize("name", ["slow", "sleepy"])
def test_a_bot_that_thinks_600_ms_under_a_limit_of_a_second_never_times_out_with_a_full_list(name: str) -> None:
    """Six requests come at once: each answer leaves before the next decision, so that none waits behind another.

    The margin gives a busy machine its due; it is less than the three decisions that a kept answer would wait for.
    """
    played = against_firsts(name, 6, Limits(move_ms=1000, margin_ms=700), in_flight=6)
    assert Counter(word for record in played.records for word in record.terminations) == {"normal": 18}
    assert not any(record.faults for record in played.records)
    _, _, longest_us = played.end.charges_us[0]
    assert longest_us >= 600_000


def test_an_exception_in_decide_prints_its_trace_and_is_a_crash() -> None:
    """No answer is made up in the bot's place: the seat is retired, and the restarted process plays on."""
    played = against_firsts("raising", in_flight=1)
    assert played.words(0) == ["crash", "crash"]
    assert "IndexError: list index out of range" in played.end.logs[0]
    assert "in raising" in played.end.logs[0]
    assert "the bot raised; see the trace above" in played.end.logs[0]


def test_a_trace_begins_at_the_authors_code_unless_the_whole_one_is_asked_for() -> None:
    """What the SDK and asyncio did before is left out, and a line says so; a cause keeps its own trace."""
    log = log_of(against_firsts("wrapping", games=1))
    files = [line.split('"')[1] for line in log if line.lstrip().startswith("File ")]
    assert [Path(file).name for file in files] == ["bots.py"] * 2
    assert "KeyError: 'plan'" in log
    assert any("BOT_FULL_TRACE" in line for line in log)
    whole = play([replace(bot("wrapping"), env=(("BOT_FULL_TRACE", "1"),)), *FIRSTS], 1, PATIENT).end.logs[0]
    assert "arena/sdk/stream.py" in whole
    assert "in wrapping" in whole


@pytest.mark.parametrize(
    ("name", "returned"),
    [
        ("nothing", "None (does every way through it end with a return?)"),
        ("counting", "7, of type int"),
        ("listing", "['pass'], of type list"),
    ],
)
def test_an_action_that_is_no_string_is_a_crash_that_names_the_function_and_its_line(name: str, returned: str) -> None:
    """There is no line at which it happened, so no trace; one line says all."""
    played = against_firsts(name, games=1)
    assert played.words(0) == ["crash"]
    line = (ROOT / "tests/sdk/bots.py").read_text().splitlines().index(f"def {name}(request: Request) -> str:") + 1
    words = "an action is a string, one of request.legal_actions, such as 'pass'"
    assert f"{name} (bots.py, line {line}) returned {returned}; {words}" in log_of(played)
    assert "Traceback" not in played.end.logs[0]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("run(None)", "run() was given None: it takes a function from request to action"),
        ("run(Bot)", "run() was given the class Bot, not a bot: make one with run(Bot())"),
        ("run(decide)", "decide (bot.py, line 2) is called with one argument, the request: def decide(request)"),
    ],
)
def test_what_is_no_bot_is_refused_before_the_first_game(tmp_path: Path, code: str, says: str) -> None:
    head = "from arena.sdk import run\ndef decide(view, legal): ...\nclass Bot:\n    def decide(self, request): ...\n"
    (tmp_path / "bot.py").write_text(head + code)
    env = {**os.environ, "ARENA_ADDRESS": "unix:///nowhere"}
    done = subprocess.run([sys.executable, "bot.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(says)
    assert len(done.stderr.splitlines()) == 1


def test_results_do_not_depend_on_how_games_interleave() -> None:
    """Each game has its own generator, seeded by the referee."""
    bots = [bot("dice", name) for name in "abc"]
    alone, together = (play(bots, 12, PATIENT, in_flight=number) for number in (1, 12))
    assert [game.record for game in alone.games] == [game.record for game in together.games]
    assert len({record.scores for record in alone.records}) > 1


def test_an_object_is_told_of_its_games() -> None:
    """Every game is announced once and ended once, with its options, scores and final places."""
    played = against_firsts("diary", games=3)
    said = [line.split(" ", 2) for line in log_of(played)]
    begun = {words[1]: words[2] for words in said if words[0] == "new"}
    over = {words[1]: words[2] for words in said if words[0] == "over"}
    assert set(begun.values()) == {"no_thanks 0 3 1"}
    assert len([words for words in said if words[0] == "new"]) == 3
    for record in played.records:
        assert record.game_id in begun
        if record.game_id in over:  # the last ones may be told by the goodbye
            assert over[record.game_id].endswith(f"{list(record.scores)} {list(record.ranks)}")
    assert len(over) == 3


def test_what_a_bot_prints_is_in_its_log_with_control_characters_escaped() -> None:
    played = against_firsts("talking", games=1)
    assert played.words(0) == ["normal"]
    assert any(line.startswith("thinking about ") for line in log_of(played))
    assert r"\x1b[31m" in played.end.logs[0]


@pytest.mark.parametrize("name", ["mute", "closed-from-the-start", "no-descriptor"])
def test_a_bot_may_close_its_stdout(name: str) -> None:
    """Printing is free, and so is not being able to."""
    played = against_firsts(name)
    assert played.words(0) == ["normal", "normal"]
    assert played.end.restarts == 0


def test_events_come_to_those_who_want_them(tmp_path: Path) -> None:
    """A bot that asks gets every step since its last request, what it may not know as a question mark."""
    played = against_firsts("events", games=1, logs=str(tmp_path))
    (log,) = (tmp_path / "events").iterdir()
    lines = log.read_text().splitlines()
    told = [json.loads(line.removeprefix("event ")) for line in lines if line.startswith("event ")]
    steps = [entry.step for entry in played.records[0].entries]
    moves = [[list(pair) for pair in step.by_seat] for step in steps if isinstance(step, Moves)]
    assert [found for found in told if isinstance(found, list)] == moves[: len(moves) - (len(steps) - len(told))]
    assert "asked" in lines
    assert played.end.logs[1] == ""


def test_the_ten_line_bot() -> None:
    """The bot that the SDK's own page shows is complete."""
    import arena.sdk

    text = (arena.sdk.__doc__ or "").partition("A complete bot::\n\n")[2].partition("\n\n``run``")[0]
    source = "\n".join(line.removeprefix("    ") for line in text.splitlines())
    assert len(source.splitlines()) <= 10
    command = (sys.executable, "-c", source)
    played = play([Program(name, "1", "", command, str(ROOT), (), "0" * 64) for name in "abc"], 2, PATIENT)
    assert [played.words(seat) for seat in range(3)] == [["normal", "normal"]] * 3


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        (None, 2, "ARENA_ADDRESS is not set: a bot is started by the arena"),
        ("unix:///nowhere/0", 1, "the stream to the referee failed: UNAVAILABLE"),
    ],
)
def test_started_by_hand_without_a_referee(tmp_path: Path, address: str | None, status: int, words: str) -> None:
    """One line says what is wrong, and no trace."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    if address:
        env["ARENA_ADDRESS"] = address
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/sdk/bots.py"), "first"],
        env=env, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(words)
    assert "Traceback" not in done.stderr
