"""``arena explain``: one screen that says what was asked, what came back, when, by which rule, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from arena.errors import Termination
from tests.cli.running import Run, with_fault
from tests.commands import arena as arena_command
from tests.commands import fixture, league

Arena = Callable[..., Run]


def test_an_illegal_action_is_explained_on_one_screen(played: Path, arena: Arena) -> None:
    game = with_fault(played, Termination.ILLEGAL)
    fault = next(fault for fault in game.faults if fault.word is Termination.ILLEGAL)
    run = arena("explain", played, game.game_id[:8])
    assert run.status == 0
    assert len(run.out.splitlines()) < 40
    assert f"seat {fault.seat} (cheat): illegal, at step {fault.step}" in run.out
    assert "asked       decision 1 (from 0); legal: pass, take" in run.out
    assert "came back   'lay 11': lay belongs to the secret variant (action_not_in_variant)" in run.out
    assert "rule        illegal: sent an action that the rules refuse; [faults] illegal = retire" in run.out
    assert "the default action 'pass' was played" in run.out
    assert "last place, rated as a loss" in run.out


def test_a_late_answer_says_whose_time_it_was(tmp_path: Path) -> None:
    """One that slept, and one that computed: neither is the machine's fault, and the explanation shows which it was."""
    limits = "[limits]\nstart_s = 60\nmove_ms = 300\nmargin_ms = 200\n"
    for name, flags in (("sleeps", ("--sleep-ms", "0.7e3")), ("computes", ("--think-ms", "700"))):
        home = tmp_path / name
        home.mkdir()
        bots = [fixture("a"), fixture("b"), fixture(name, *flags, "--in-flight", "1")]
        league(home / "spring.toml", bots, deals=1, tail=limits)
        arena_command("run-league", "spring.toml", cwd=home)
        results = home / "results/spring"
        game = with_fault(results, Termination.TIMEOUT)
        (fault, *_) = json.loads(arena_command("explain", results, game.game_id, "--json", cwd=home).out)["faults"]
        delay = fault["delay"]
        assert fault["charged_ms"] > 500
        assert delay["kept_ms"] <= 100
        assert delay["stalled_ms"] <= 100
        assert (delay["computed_ms"] > 250) == (name == "computes")
        out = arena_command("explain", results, game.game_id, cwd=home).out
        assert "whose time  the bot's" in out


def test_a_crash_shows_exit_status_and_output(played: Path, arena: Arena) -> None:
    game = with_fault(played, Termination.CRASH)
    out = arena("explain", played, game.game_id).out
    assert "the process ended with exit status 3" in out
    assert "      | fixture: crashing as told" in out
    assert "always retires" in out


def test_a_clean_game_shows_the_slowest_decisions_of_every_seat(played: Path, arena: Arena) -> None:
    game = with_fault(played, None)
    out = arena("explain", played, game.game_id).out
    assert "no faults; the slowest decisions:" in out
    for seat, player in enumerate(game.players):
        assert f"seat {seat} ({player.name})" in out


def test_the_document_has_the_evidence_as_numbers(played: Path, arena: Arena) -> None:
    game = with_fault(played, Termination.ILLEGAL)
    document = json.loads(arena("explain", played, game.game_id, "--json").out)
    fault = next(fault for fault in document["faults"] if fault["word"] == "illegal")
    assert (fault["answer"], fault["decision"], fault["legal"]) == ("lay 11", 1, ["pass", "take"])
    assert 0 < fault["charged_ms"] < 2000
    assert fault["spent_ms"] >= fault["charged_ms"]
    assert fault["more"] == {"code": "action_not_in_variant"}
    assert [seat["place"] for seat in document["seats"]] != [1, 1, 1]
    for found in document["slowest"]:
        assert found["action"] in ("pass", "take")


def test_an_unknown_game_is_the_users_error(played: Path, arena: Arena) -> None:
    run = arena("explain", played, "zzz")
    assert run.status == 2
    assert "no stored game has an id that starts with 'zzz'" in run.err
