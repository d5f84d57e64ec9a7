"""``arena rematch``: a real process gets the recorded requests, and the first other answer is shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import Termination
from arena.lab.rematch import rematch
from arena.league.case import Case, read_case
from arena.players.base import Program
from arena.records.record import Record
from tests.cli.running import Run, with_fault
from tests.league.sittings import program

Arena = Callable[..., Run]
FIXTURE = f"{sys.executable} -m arena.testing.bots"


def seat_of(record: Record, name: str) -> int:
    return [player.name for player in record.players].index(name)


def case_of(played: Path, word: Termination | None) -> Case:
    return read_case(played, with_fault(played, word).game_id)


def test_the_same_bot_answers_as_recorded(played: Path, arena: Arena) -> None:
    """The fixture plays by its seed, which must be that of the league's game, and by its legal lists."""
    game = with_fault(played, None).game_id
    run = arena("rematch", played, game, "--bot", f"honest={FIXTURE}")
    assert run.status == 0
    assert "decisions as recorded; no difference" in run.out
    document = json.loads(arena("rematch", played, game, "--bot", f"honest={FIXTURE}", "--json").out)
    assert document["difference"] is None
    assert document["equal"] > 5


def test_the_first_other_answer_is_shown_with_its_table(played: Path, arena: Arena) -> None:
    game = with_fault(played, None)
    run = arena("rematch", played, game.game_id, "--bot", "honest=always-take")
    assert run.status == 1
    assert "then a difference\ndecision " in run.out
    assert f"> seat {seat_of(game, 'honest')}" in run.out
    assert "recorded  'pass'\nnow       'take'\n" in run.out


@pytest.mark.parametrize(
    ("word", "name", "flags"),
    [
        (Termination.ILLEGAL, "cheat", ("--fault", "illegal", "--at", "2")),
        (Termination.CRASH, "wreck", ("--policy", "first", "--fault", "crash")),
    ],
)
def test_a_recorded_fault_happens_again(played: Path, word: Termination, name: str, flags: tuple[str, ...]) -> None:
    """A crash is repeated at the decision of the game, which the process of the league reached after other games."""
    case = case_of(played, word)
    seat = seat_of(case.record, name)
    decision = next(found["decision"] for found in case.trace["faults"] if found["seat"] == seat)
    more = () if "--at" in flags else ("--at", str(decision + 1))
    outcome = rematch(case, seat, program(name, *flags, *more))
    assert outcome.difference is None
    assert outcome.repeated.startswith(str(word))
    assert outcome.repeated.endswith(f"at decision {decision}")


def test_a_mended_bot_differs_where_the_fault_was(played: Path) -> None:
    case = case_of(played, Termination.ILLEGAL)
    outcome = rematch(case, seat_of(case.record, "cheat"), program("cheat"))
    assert outcome.equal == 1
    assert outcome.difference is not None
    assert outcome.difference.decision == 1
    assert outcome.difference.recorded.startswith("illegal: 'lay 11'")
    assert outcome.difference.now in ("'pass'", "'take'")


@pytest.mark.parametrize(
    ("flags", "now"),
    [
        (("--fault", "crash", "--at", "2"), "crash: the process ended with exit status 3"),
        (("--fault", "hang", "--at", "2"), "timeout: no answer"),
        (("--fault", "empty", "--at", "2"), "''"),
        (("--fault", "cancel", "--at", "2"), "disconnect"),
        (("--fault", "garbage", "--at", "2"), "protocol"),
    ],
)
def test_new_faults_are_differences(played: Path, flags: tuple[str, ...], now: str) -> None:
    case = case_of(played, None)
    outcome = rematch(case, seat_of(case.record, "honest"), program("honest", *flags))
    assert outcome.difference is not None
    assert outcome.difference.decision == 1
    assert outcome.difference.now.startswith(now)


def test_a_bot_that_does_not_start_says_why(played: Path, arena: Arena) -> None:
    game = with_fault(played, None).game_id
    run = arena("rematch", played, game, "--bot", f"honest={FIXTURE} --fault exit-early")
    assert run.status == 1
    assert "it did not start: no-show: the process ended with exit status 1" in run.out
    assert "| ImportError: fixture: no module named as told" in run.out


def test_without_a_clock_a_slow_bot_is_left_alone(played: Path) -> None:
    """Its limit is 2 s and 150 ms; it takes longer over its first answer, as somebody in a debugger does."""
    case = case_of(played, None)
    slow: Program = program("honest", "--fault", "late", "--at", "1", "--late-ms", "2500")
    seat = seat_of(case.record, "honest")
    assert rematch(case, seat, slow, clock=False).difference is None
    held = rematch(case, seat, slow).difference
    assert held is not None
    assert held.now == "timeout: no answer"


def test_a_capsule_is_enough(played: Path, arena: Arena, tmp_path: Path) -> None:
    record = with_fault(played, Termination.ILLEGAL)
    file = tmp_path / "fault.json"
    seat = seat_of(record, "cheat")
    assert arena("export", played, "--fault", record.game_id, "--seat", seat, "--out", file).status == 0
    run = arena("rematch", file, "--bot", f"mine={FIXTURE} --fault illegal --at 2")
    assert run.status == 0
    assert "the same fault again: illegal: 'lay 11' at decision 1" in run.out


def test_what_cannot_be_played_is_the_users_error(played: Path, arena: Arena, tmp_path: Path) -> None:
    game = with_fault(played, None).game_id
    assert "choose a seat with --seat N" in arena("rematch", played, game, "--bot", "careful").err
    assert "this game has seats 0..2" in arena("rematch", played, game, "--bot", "careful", "--seat", 3).err
    assert "which game?" in arena("rematch", played, "--bot", "careful").err
    (tmp_path / "no.json").write_text('{"kind": "x"}')
    (tmp_path / "saved.json").write_text('{"players": []}')
    assert "a saved game, which 'arena replay" in arena("rematch", tmp_path / "saved.json", "--bot", "careful").err
    assert "no capsule" in arena("rematch", tmp_path / "no.json", "--bot", "careful").err
