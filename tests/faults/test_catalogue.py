"""The catalogue of misbehaviour, case by case: which test covers it, and the cases that had none.

``COVERED`` names a test for every case; what the arena does not promise, or does not have yet, is in ``NOT_COVERED``
with the reason, and nowhere else.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from arena.players.base import Limits
from arena.players.levels import LEVELS
from arena.players.process import marked
from tests.commands import ONE_SITTING, arena, fixture, league, stored
from tests.league.sittings import Played, job, play, program, run
from tests.players.levels import need_level

SITTING, RUNNER, CONFIG = "league.test_sitting", "league.test_runner", "league.test_config"
RESOURCES, SANDBOX = "league.test_resources", "players.test_sandbox"
HERE = "faults.test_catalogue"

COVERED = {
    "V01": (SITTING, "test_a_bot_that_never_says_hello_keeps_the_others_waiting_once"),
    "V02": (
        "cli.test_bad_input",
        "test_programs_that_cannot_run_are_refused_before_any_game_with_the_path_they_were_resolved_to",
    ),
    "V03": (SITTING, "test_a_bot_that_does_not_start_is_a_no_show_with_its_reason"),
    "V04": (SITTING, "test_start_up_has_its_own_limit"),
    "V05": (HERE, "test_v05_a_second_stream_is_refused_and_the_first_plays_on"),
    "V06": (CONFIG, "test_bad_input"),
    "V07": (HERE, "test_v07_the_name_of_the_league_file_is_the_identity"),
    "V08": (SITTING, "test_a_bot_that_does_not_start_is_a_no_show_with_its_reason"),
    "V09": (SITTING, "test_a_late_answer_is_a_strike_and_the_next_decision_is_played"),
    "V10": (SITTING, "test_a_silent_bot_is_retired_benched_and_delays_only_as_long_as_the_rules_allow"),
    "V11": (HERE, "test_v11_slow_but_never_late_is_ended_by_the_time_for_the_game"),
    "V13": ("league.test_host", "test_a_stalled_worker_voids_games_and_blames_no_bot"),
    "V14": (HERE, "test_v14_v19_v22_fields_that_the_protocol_does_not_have_are_ignored"),
    "V15": ("referee.test_canary", "test_the_machine_s_sleep_is_seen_by_two_clocks"),
    "V16": (SITTING, "test_an_illegal_action_retires_at_once_with_code_bytes_and_legal_list"),
    "V17": (SITTING, "test_strays_are_counted_and_more_than_ten_in_a_game_are_a_protocol_fault"),
    "V18": (SITTING, "test_a_few_strays_are_tolerated"),
    "V19": (HERE, "test_v14_v19_v22_fields_that_the_protocol_does_not_have_are_ignored"),
    "V20": (SITTING, "test_an_answer_that_is_no_action_is_one_strike"),
    "V21": (HERE, "test_v21_v23_an_answer_of_another_game_is_one_strike"),
    "V22": (HERE, "test_v14_v19_v22_fields_that_the_protocol_does_not_have_are_ignored"),
    "V23": (HERE, "test_v21_v23_an_answer_of_another_game_is_one_strike"),
    "V24": (SITTING, "test_what_a_bot_says_beside_its_action_is_in_its_log_and_nowhere_else"),
    "V25": ("sdk.test_sdk", "test_an_exception_in_decide_prints_its_trace_and_is_a_crash"),
    "V26": (HERE, "test_v26_a_vast_message_costs_its_sender_alone_and_no_memory"),
    "V27": (SITTING, "test_bytes_that_are_no_message_are_a_protocol_fault"),
    "V28": (SITTING, "test_a_hung_up_stream_of_a_living_process_is_a_disconnect"),
    "V29": (SITTING, "test_a_broken_stream_may_come_back_once_and_gets_its_open_games_again"),
    "V30": (SITTING, "test_a_flood_of_output_neither_blocks_the_bot_nor_fills_the_disk"),
    "V31": (SITTING, "test_a_death_retires_the_seat_in_one_game_and_the_restarted_process_plays_the_others"),
    "V32": (SITTING, "test_a_death_retires_the_seat_in_one_game_and_the_restarted_process_plays_the_others"),
    "V33": (SITTING, "test_left_over_grandchildren_in_sessions_of_their_own_are_ended"),
    "V34": (SITTING, "test_a_bot_that_ignores_sigterm_is_killed_within_two_seconds"),
    "V35": (RESOURCES, "test_what_exceeds_a_limit_is_ended_with_the_word_resource"),
    "V36": (HERE, "test_v36_stderr_without_end_neither_blocks_the_bot_nor_fills_the_disk"),
    "V37": (RESOURCES, "test_what_exceeds_a_limit_is_ended_with_the_word_resource"),
    "V38": (HERE, "test_v38_a_crash_leaves_no_core"),
    "V39": (SANDBOX, "test_namespaces_block_every_attack"),
    "V40": (SANDBOX, "test_a_league_may_allow_the_network"),
    "V41": ("test_seeds", "test_streams_are_the_documented_construction"),
    "V42": (SANDBOX, "test_a_bot_gets_a_known_environment_and_nothing_else"),
    "V43": (HERE, "test_v43_deals_do_not_depend_on_what_bots_do"),
    "V44": (SANDBOX, "test_each_start_has_an_empty_home"),
    "V45": (CONFIG, "test_authors_apart"),
    "V46": ("league.test_snapshot", "test_same_program_under_two_names"),
    "V47": (HERE, "test_v47_v50_names_of_every_script_are_kept_as_they_are"),
    "V48": (CONFIG, "test_bad_input"),
    "V49": (CONFIG, "test_bad_input"),
    "V50": (HERE, "test_v47_v50_names_of_every_script_are_kept_as_they_are"),
    "V51": (CONFIG, "test_bad_input"),
    "V52": (RUNNER, "test_kill_9_of_everything_at_once"),
    "V53": ("league.test_folder", "test_changed_program"),
    "V54": ("cli.test_rematch", "test_the_first_other_answer_is_shown_with_its_table"),
}
"""Case → the module below ``tests`` and the function that covers it."""

NOT_COVERED = {
    "V12": "processor time outside a bot's turns is not measured apart: bots share a core by turns, see the baton",
}
"""Case → why there is no test of it."""

HONEST = (program("b"), program("c"))
LIMITS = Limits(start_s=30, move_ms=5000, margin_ms=500)


def beside_honest(*flags: str, games: int = 1, limits: Limits = LIMITS, **rest: object) -> Played:
    """Play a bot with these flags beside two honest ones, which must not notice."""
    played = play([program("odd", *flags), *HONEST], games, limits, **({"in_flight": 1} | rest))
    assert [played.words(seat) for seat in (1, 2)] == [["normal"] * games] * 2
    return played


def faults(played: Played) -> list[dict[str, object]]:
    """Return the evidence in the trace of the first game."""
    found: list[dict[str, object]] = json.loads(played.games[0].trace)["faults"]
    return found


@pytest.mark.parametrize("case", [f"V{number:02}" for number in range(1, 55)])
def test_every_case_has_a_test_or_a_reason(case: str) -> None:
    if case in NOT_COVERED:
        assert case not in COVERED
        return
    module, name = COVERED[case]
    assert callable(getattr(importlib.import_module(f"tests.{module}"), name))


def test_v05_a_second_stream_is_refused_and_the_first_plays_on() -> None:
    played = beside_honest("--fault", "second-stream")
    assert played.words(0) == ["normal"]
    assert "the second stream ended with ALREADY_EXISTS" in played.end.logs[0]


def test_v07_the_name_of_the_league_file_is_the_identity() -> None:
    """All fixture bots say that they are called ``fixture``."""
    assert [player.name for player in beside_honest().records[0].players] == ["odd", "b", "c"]


def test_v11_slow_but_never_late_is_ended_by_the_time_for_the_game() -> None:
    played = beside_honest("--sleep-ms", "150", limits=Limits(start_s=30, move_ms=5000, margin_ms=500, game_s=0.5))
    assert played.words(0) == ["timeout"]
    assert "time for the whole game is used up" in str(faults(played)[0]["words"])
    assert played.end.restarts == 0


def test_v14_v19_v22_fields_that_the_protocol_does_not_have_are_ignored() -> None:
    """Another seat, a time of day and a text of a newer SDK change nothing: the games are those without them."""
    odd, plain = beside_honest("--fault", "extra", "--at", "1", games=2), beside_honest(games=2)
    assert [game.record for game in odd.games] == [game.record for game in plain.games]


@pytest.mark.parametrize("fault", ["number", "resign"])
def test_v21_v23_an_answer_of_another_game_is_one_strike(fault: str) -> None:
    played = beside_honest("--fault", fault)
    assert played.words(0) == ["normal"]
    assert [(fault.word, fault.cost) for fault in played.records[0].faults] == [("protocol", "default")]


def test_v26_a_vast_message_costs_its_sender_alone_and_no_memory() -> None:
    """The transport ends the stream without reading the message, so this is one that broke."""
    before = peak_mb()
    played = beside_honest("--fault", "vast", limits=Limits(start_s=30, move_ms=1500, margin_ms=500))
    assert played.words(0) == ["disconnect"]
    assert peak_mb() - before < 50


def peak_mb() -> int:
    """Return the most memory that this process has ever had, in megabytes."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) >> 10


def test_v36_stderr_without_end_neither_blocks_the_bot_nor_fills_the_disk(tmp_path: Path) -> None:
    played = beside_honest("--fault", "chatter", "--at", "1", logs=str(tmp_path))
    assert played.words(0) == ["normal"]
    (log,) = (tmp_path / "odd").iterdir()
    assert 128 << 10 <= log.stat().st_size < 130 << 10


@pytest.mark.parametrize("level", LEVELS)
def test_v38_a_crash_leaves_no_core(level: str, tmp_path: Path) -> None:
    """Neither in its folder nor in the scratch folder, which goes with it."""
    need_level(level)
    limits = Limits(start_s=30, move_ms=5000, margin_ms=500, sandbox=level)
    sitting = job([program("odd", "--fault", "abort"), *HONEST], 1, limits, in_flight=1)
    played = run(sitting)
    assert played.words(0) == ["crash"]
    assert "signal SIG" in str(faults(played)[0]["words"])
    assert not [path for path in Path().glob("core*") if path.is_file()]
    assert not list(marked(sitting.mark))


def test_v43_deals_do_not_depend_on_what_bots_do() -> None:
    first, last = (beside_honest("--policy", policy, games=3) for policy in ("first", "last"))
    for one, other in zip(first.records, last.records, strict=True):
        assert one.entries[0] == other.entries[0]
        assert one.entries != other.entries


NAMES = ("🃏 蛇の道", "e\u0301clair", "<script>alert(1)</script>")


def test_v47_v50_names_of_every_script_are_kept_as_they_are(tmp_path: Path) -> None:
    """Emoji, CJK, combining marks and markup: in records and in the document, letter by letter."""
    league(tmp_path / "spring.toml", [fixture(name) for name in NAMES], deals=1, tail=ONE_SITTING)
    ran = arena("run-league", "spring.toml", "--json", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert {row["name"] for row in ran.document["ladders"][0]["rows"]} == set(NAMES)
    assert len(stored(tmp_path / "results/spring")) == 1
    shown = arena("standings", "results/spring", cwd=tmp_path)
    assert shown.status == 0, shown.err
    assert all(name in shown.out for name in NAMES)
