"""``arena explain``: one screen that says what was asked, what came back, when, by which rule, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from arena.errors import Termination
from arena.records.record import places
from tests.cli.running import Run, records, with_fault
from tests.commands import ONE_SITTING, SECRET, fixture, league
from tests.commands import arena as command

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
    limits = "[limits]\nstart_s = 60\nmove_ms = 300\nmargin_ms = 1000\n[faults]\ntimeout = 'retire'\n"
    slow = {"sleeps": "--sleep-ms", "computes": "--think-ms"}
    bots = [fixture("a"), *(fixture(name, flag, "1600", "--in-flight", "1") for name, flag in slow.items())]
    league(tmp_path / "spring.toml", bots, deals=1, tail="seatings = 1\n" + limits)
    runs = (command("run-league", "spring.toml", cwd=tmp_path) for _ in range(10))
    assert next(ran for ran in runs if "this machine" not in ran.err).status == 0  # a game of a busy machine is void
    results = tmp_path / "results/spring"
    game = with_fault(results, Termination.TIMEOUT)
    faults = json.loads(command("explain", results, game.game_id, "--json", cwd=tmp_path).out)["faults"]
    assert {game.players[fault["seat"]].name for fault in faults} == slow.keys()
    for fault in faults:
        delay = fault["delay"]
        assert fault["charged_ms"] > 1300
        assert delay["kept_ms"] <= 500
        assert delay["stalled_ms"] <= 500
        assert (delay["computed_ms"] > 600) == (game.players[fault["seat"]].name == "computes")
    out = command("explain", results, game.game_id, cwd=tmp_path).out
    assert out.count("whose time  the bot's") == len(faults)


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


def test_without_a_game_it_is_the_last_one_with_a_fault(played: Path, arena: Arena) -> None:
    """Of any bot, or of one; which game it is stands on stderr."""
    for words, name in (((), None), (("--bot", "wreck"), "wreck")):
        run = arena("explain", played, *words)
        assert run.status == 0
        assert run.err.startswith(f"the last game with a fault{f' of {name}' if name else ''}: {played} ")
        game = next(game for game in records(played) if game.game_id == run.err.split()[-1])
        faulted = {game.players[fault.seat].name for fault in game.faults}
        assert faulted if name is None else name in faulted
        later = [other for other in records(played) if other.faults and other.deal > game.deal]
        assert not later or name is not None


def test_without_a_fault_it_is_the_last_game_in_which_the_bot_came_last(played: Path, arena: Arena) -> None:
    """An ordinary loss is a question, too; a bot that has none is told where its games are."""
    lost = [
        game.game_id
        for game in records(played)
        for player, place in zip(game.players, places(game.ranks, game.terminations), strict=True)
        if player.name == "honest" and place == max(places(game.ranks, game.terminations)) > 1
    ]
    run = arena("explain", played, "--bot", "honest")
    if lost:
        assert (run.status, run.err) == (
            0,
            f"no fault of honest; the last game in which it came last: {played} {lost[-1]}\n",
        )
    else:
        assert (run.status, run.out) == (2, "")
        assert f"'arena export {played} --format csv' lists them" in run.err
    assert "did you mean 'honest'?" in arena("explain", played, "--bot", "honesty").err


def test_a_benched_bot_is_not_said_to_have_been_late(tmp_path: Path) -> None:
    """After ten games lost by fault it sits out the rest of the sitting, which is stored as a no-show."""
    (tmp_path / "cheat.py").write_text("from arena.sdk import run\nrun(lambda request: 'lay 11')\n")
    cheat = '[[bot]]\nname = "cheat"\ncommand = ["{python}", "cheat.py"]\n'
    bots = [fixture("a"), fixture("b"), cheat]
    league(tmp_path / "spring.toml", bots, deals=13, head=SECRET + "in_flight = 1\n", tail=ONE_SITTING)
    ran = command("run-league", "spring.toml", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert "A no-show is also what a benched bot gets, in every game that it sits out." in ran.out
    results = tmp_path / "results/spring"
    game = with_fault(results, Termination.NO_SHOW)
    out = command("explain", results, game.game_id, cwd=tmp_path).out
    assert "retired (no-show: benched)" in out
    assert "came back   benched after 10 faulted games in a row" in out
    assert "rule        no-show: was benched: it sat this game out" in out
    assert "not ready in time" not in out
    last = command("explain", results, cwd=tmp_path)
    assert "illegal, at step" in last.out
