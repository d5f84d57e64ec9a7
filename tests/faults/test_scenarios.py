"""Scenarios that users of other runners met, row by row: which test shows that they do not happen here.

``COVERED`` names the tests of every row; what the arena does not promise, or does otherwise, is in ``NOT_COVERED``
with the reason, and nowhere else.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.league.config import read_league
from arena.league.folder import read_secret
from arena.players.base import Limits
from arena.players.levels import LEVELS
from arena.records.codec import decode
from arena.seeds import wire_id
from tests.commands import PATIENT, arena, builtin, fixture, league, stored
from tests.league.sittings import Played, job, play, play_until_whole, program, run
from tests.players.levels import need_level
from tests.players.test_sandbox import run_python

LIMITS = Limits(start_s=60, move_ms=10_000, margin_ms=500)
HONEST = (program("b"), program("c"))
RESULTS = Path("results/spring")

DEATHS, TIME, STOPS, SPAWNING = "faults.test_deaths", "faults.test_time", "faults.test_stops", "faults.test_spawning"
DURABILITY, RACES, EVERY_GAME = "faults.test_durability", "faults.test_races", "faults.test_every_game"
SIMULATED, FUZZ, PHASES, CATALOGUE = (f"faults.test_{name}" for name in ("simulated", "fuzz", "phases", "catalogue"))
SITTING, RUNNER, CONFIG, FOLDER, HOST = (
    f"league.test_{name}" for name in ("sitting", "runner", "config", "folder", "host")
)
SNAPSHOT, STEPS, CONDUCT, SEATED = (f"league.test_{name}" for name in ("snapshot", "steps", "conduct", "seated"))
SANDBOX, PROCESS, REMOTE = "players.test_sandbox", "players.test_process", "players.test_remote"
BAD_INPUT, OUTPUT, STANDINGS, EXPLAIN = (f"cli.test_{name}" for name in ("bad_input", "output", "standings", "explain"))
STORE, ENGINE, PLAN, LINE_UPS, SEATINGS = (
    "storage.test_store", "storage.test_engine", "schedules.test_plan", "schedules.test_line_ups",
    "schedules.test_seatings",
)  # fmt: skip
HERE = "faults.test_scenarios"

Test = tuple[str, str]
COVERED: dict[str, list[Test]] = {
    "A04": [("faults.test_precedence", "test_two_faults_in_one_decision")],
    "A05": [(TIME, "test_fifty_games_of_bots_that_use_half_of_the_limit")],
    "A09": [(EXPLAIN, "test_a_late_answer_says_whose_time_it_was")],
    "A10": [(TIME, "test_every_kind_of_bot_has_the_same_limit")],
    "A11": [(TIME, "test_nine_tenths_of_the_start_limit_are_enough_and_eleven_are_not")],
    "A13": [(TIME, "test_eight_bots_that_load_at_once_are_all_ready")],
    "A15": [(TIME, "test_what_is_charged_is_what_was_slept_whatever_was_heard_between")],
    "A16": [
        (HERE, "test_a_clock_of_nothing_is_refused_with_its_key"),
        (TIME, "test_every_decision_has_its_audit_line_and_the_bot_is_told_the_same"),
    ],
    "A17": [(TIME, "test_every_decision_has_its_audit_line_and_the_bot_is_told_the_same")],
    "A18": [(CONFIG, "test_everything")],
    "A19": [(SIMULATED, "test_two_hundred_seeds")],
    "A20": [(EVERY_GAME, "test_whatever_happens_to_bots_of_any_game_the_right_one_is_blamed")],
    "A22": [(TIME, "test_one_that_drags_its_games_holds_up_nobody_elses")],
    "B01": [(DEATHS, "test_an_end_at_any_moment_is_seen_within_a_second_and_the_slot_plays_on")],
    "B02": [(DEATHS, "test_an_end_at_any_moment_is_seen_within_a_second_and_the_slot_plays_on")],
    "B04": [(FUZZ, "test_a_hundred_games")],
    "B05": [
        (DEATHS, "test_a_bot_that_crashes_in_every_game_uses_up_no_slot"),
        (STOPS, "test_a_stop_in_the_middle_of_thinking_takes_less_than_two_seconds"),
    ],
    "B06": [
        (BAD_INPUT, "test_programs_that_cannot_run_are_refused_before_any_game_with_the_path_they_were_resolved_to")
    ],
    "B07": [
        (STOPS, "test_bots_that_are_gone_keep_no_command_from_ending"),
        ("ratings.test_checks", "test_games_in_which_everybody_was_retired_compare_nobody"),
    ],
    "B08": [(DURABILITY, "test_a_league_with_bots_that_fail_counts_their_faults_and_is_whole_at_every_moment")],
    "B09": [(OUTPUT, "test_the_live_display_outlives_a_bot_that_is_killed_while_it_starts")],
    "B10": [
        (SITTING, "test_a_death_retires_the_seat_in_one_game_and_the_restarted_process_plays_the_others"),
        (DURABILITY, "test_a_game_that_the_machine_spoiled_has_its_attempts_beside_one_result"),
    ],
    "B11": [(DEATHS, "test_two_bots_that_die_at_once_lose_together_in_whatever_order")],
    "B12": [(CATALOGUE, "test_v11_slow_but_never_late_is_ended_by_the_time_for_the_game")],
    "B14": [
        (PHASES, "test_every_fault_has_its_word"),
        (PHASES, "test_pairs_of_faults_phases_and_tables"),
        (HOST, "test_a_stalled_worker_voids_games_and_blames_no_bot"),
    ],
    "B15": [(RACES, "test_a_game_may_end_before_or_after_its_request_is_sent_or_answered")],
    "B17": [
        (DEATHS, "test_a_bot_that_dies_before_it_is_asked_is_not_started_again_and_again"),
        (DEATHS, "test_a_bot_that_crashes_in_every_game_uses_up_no_slot"),
    ],
    "B18": [
        (STOPS, "test_bots_that_are_gone_keep_no_command_from_ending"),
        (STOPS, "test_a_bot_that_never_connects_keeps_no_command_from_ending"),
    ],
    "B19": [
        (SEATED, "test_what_dials_after_the_end_of_the_process_gets_a_refusal_and_no_request"),
        (REMOTE, "test_a_token_that_is_forgotten_is_refused_and_counts_as_no_strangers"),
    ],
    "B21": [(SIMULATED, "test_two_hundred_seeds"), (FUZZ, "test_a_hundred_games")],
    "B22": [(OUTPUT, "test_who_is_waited_for_is_shown")],
    "B23": [(SITTING, "test_a_bot_that_does_not_start_is_a_no_show_with_its_reason")],
    "C01": [
        (STOPS, "test_nothing_is_left_three_seconds_after_the_end_of_a_run_with_deaf_bots"),
        (STOPS, "test_a_stop_in_the_middle_of_thinking_takes_less_than_two_seconds"),
    ],
    "C03": [(PHASES, "test_pairs_of_faults_phases_and_tables")],
    "C04": [(STOPS, "test_a_bot_by_hand_ends_by_itself_when_its_arena_is_gone")],
    "C05": [(RUNNER, "test_kill_9_of_everything_at_once")],
    "C06": [(STOPS, "test_nothing_is_left_three_seconds_after_the_end_of_a_run_with_deaf_bots")],
    "C07": [(CONDUCT, "test_computing_between_turns_is_measured_and_pausing_prevents_it")],
    "C09": [
        (SANDBOX, "test_a_namesake_of_a_bots_process_is_left_alone"),
        (PROCESS, "test_marks_end_what_carries_them_and_nothing_else"),
    ],
    "D01": [(SPAWNING, "test_two_thousand_starts_in_the_midst_of_traffic")],
    "D02": [
        (SPAWNING, "test_nothing_forks_where_grpc_may_have_threads"),
        (SITTING, "test_a_silent_bot_is_retired_benched_and_delays_only_as_long_as_the_rules_allow"),
    ],
    "D03": [
        (SANDBOX, "test_a_bot_gets_a_known_environment_and_nothing_else"),
        (STOPS, "test_a_stop_in_the_middle_of_thinking_takes_less_than_two_seconds"),
    ],
    "E01": [
        (HERE, "test_twenty_megabytes_of_output_in_one_decision"),
        (HERE, "test_what_bots_print_is_neither_an_action_nor_in_the_output_of_the_arena"),
    ],
    "E03": [(HERE, "test_no_fault_is_without_evidence")],
    "E04": [(HERE, "test_a_bot_that_does_not_start_is_told_with_a_line_that_shows_it_again")],
    "E05": [(HERE, "test_what_bots_print_is_neither_an_action_nor_in_the_output_of_the_arena")],
    "E06": [(DURABILITY, "test_six_hundred_clean_games_take_little_room")],
    "E07": [(OUTPUT, "test_json_is_one_document_and_nothing_else")],
    "E09": [(ENGINE, "test_kill_the_writer")],
    "E11": [(HERE, "test_what_bots_print_is_neither_an_action_nor_in_the_output_of_the_arena")],
    "F02": [
        (RUNNER, "test_a_first_signal_finishes_the_running_games"),
        (STANDINGS, "test_an_incomplete_block_waits_and_is_told"),
    ],
    "F05": [
        (DURABILITY, "test_a_power_cut_costs_the_running_games_at_most_and_a_torn_end_is_mended"),
        (ENGINE, "test_a_batch_is_on_the_disk_before_it_counts"),
    ],
    "F06": [(DURABILITY, "test_a_hundred_interrupts_while_saving")],
    "F07": [(RUNNER, "test_a_first_signal_finishes_the_running_games"), (RUNNER, "test_a_second_signal_stops_at_once")],
    "F08": [
        (RUNNER, "test_a_first_signal_finishes_the_running_games"),
        (STOPS, "test_nothing_is_left_three_seconds_after_the_end_of_a_run_with_deaf_bots"),
    ],
    "F10": [
        (RUNNER, "test_a_run_that_is_held_goes_on"),
        (SIMULATED, "test_two_hundred_seeds"),
    ],
    "F11": [(DURABILITY, "test_a_game_that_the_machine_spoiled_has_its_attempts_beside_one_result")],
    "F12": [(DURABILITY, "test_a_game_that_the_machine_spoiled_has_its_attempts_beside_one_result")],
    "F13": [(STORE, "test_round_trip"), (FOLDER, "test_fingerprint_is_json")],
    "F14": [(FOLDER, "test_set_aside"), (BAD_INPUT, "test_results_of_another_league_are_refused_and_kept")],
    "F15": [(RUNNER, "test_kill_9_of_a_worker"), (RUNNER, "test_killed_again_and_again")],
    "F16": [(DEATHS, "test_an_end_at_any_moment_is_seen_within_a_second_and_the_slot_plays_on")],
    "G01": [(SEATINGS, "test_balanced_pairs"), (LINE_UPS, "test_subset_uses_bots_equally")],
    "G02": [(SEATINGS, "test_number_is_as_even_as_can_be"), (PLAN, "test_every_game_once")],
    "G04": [(LINE_UPS, "test_all_line_ups"), (PLAN, "test_every_game_once")],
    "G05": [(LINE_UPS, "test_all_line_ups"), (BAD_INPUT, "test_a_league_file_that_cannot_be_played")],
    "G07": [(PLAN, "test_playing_order")],
    "G08": [(RUNNER, "test_the_order_of_the_bots_means_nothing")],
    "G12": [(LINE_UPS, "test_gauntlet_subset_is_even")],
    "G13": [("cli.test_match", "test_a_decided_match_stops_and_stays_decided")],
    "G15": [(SITTING, "test_a_silent_bot_is_retired_benched_and_delays_only_as_long_as_the_rules_allow")],
    "H01": [
        ("ratings.test_properties", "test_any_league_has_a_finite_ladder"),
        (STANDINGS, "test_no_format_shows_nonsense"),
    ],
    "H04": [("ratings.test_properties", "test_order_and_names_do_not_matter"), (STORE, "test_digest_by_hand")],
    "H06": [("cli.test_verify", "test_bots_that_have_changed_seats_are_named")],
    "H08": [(STANDINGS, "test_void_games_are_counted_beside_the_ladder"), (STORE, "test_digest_by_hand")],
    "H09": [("reports.test_standings", "test_faults_are_counted_by_word_and_in_all")],
    "H10": [("ratings.test_ladder", "test_counts_of_rows")],
    "H11": [(STANDINGS, "test_all_formats_show_the_same_numbers")],
    "H12": [("ratings.test_coverage", "test_coverage_of_differences")],
    "H13": [(BAD_INPUT, "test_all_problems_of_a_file_are_said_at_once_each_with_file_line_key_value_and_nearest_name")],
    "H14": [("league.test_lobby", "test_a_bot_started_by_hand_plays_all_its_sittings_on_one_stream_and_is_not_rated")],
    "H16": [(STANDINGS, "test_crosstable_has_points_differences_and_tie_breaks")],
    "I01": [
        (HOST, "test_a_stalled_worker_voids_games_and_blames_no_bot"),
        (DURABILITY, "test_a_game_that_the_machine_spoiled_has_its_attempts_beside_one_result"),
        ("faults.test_stalls", "test_every_stall_is_blamed_on_the_right_one"),
    ],
    "I05": [(SPAWNING, "test_workers_and_their_bots_stay_on_cores_of_their_own")],
    "J03": [
        (HERE, "test_a_secret_repeats_its_league_from_wherever_the_command_is_given"),
        (SNAPSHOT, "test_programs_are_resolved"),
        (SNAPSHOT, "test_same_program_under_two_names"),
    ],
    "J05": [(HERE, "test_a_secret_repeats_its_league_from_wherever_the_command_is_given")],
    "J06": [("cli.test_new", "test_new_league_uncommented_is_a_league_too")],
    "K02": [
        (HERE, "test_a_secret_repeats_its_league_from_wherever_the_command_is_given"),
        (FOLDER, "test_resume_keeps_the_secret"),
    ],
    "K03": [(EVERY_GAME, "test_a_deal_changes_the_cards_and_nothing_else")],
    "K04": [("golden.test_golden", "test_the_golden_record_stands"), ("test_seeds", "test_a_deal")],
    "K05": [
        (SPAWNING, "test_nothing_draws_from_the_global_generator"),
        (SITTING, "test_lists_grow_on_their_own_and_the_results_do_not_depend_on_them"),
    ],
    "L05": [(SITTING, "test_three_strikes_retire"), (SITTING, "test_a_strict_league_retires_at_the_first_strike")],
    "L06": [(SITTING, "test_strays_are_counted_and_more_than_ten_in_a_game_are_a_protocol_fault")],
    "L07": [
        (EVERY_GAME, "test_all_seats_of_every_game_go_wrong"),
        (EVERY_GAME, "test_whatever_happens_to_bots_of_any_game_the_right_one_is_blamed"),
    ],
    "L08": [(HERE, "test_every_test_has_a_limit_of_time")],
    "M01": [
        (HERE, "test_what_one_bot_writes_no_other_finds_nor_itself_later"),
        (SANDBOX, "test_each_start_has_an_empty_home"),
    ],
    "M02": [
        (STEPS, "test_a_step_sees_no_files_of_others_and_writes_nowhere_else"),
        (STEPS, "test_the_network_is_for_fetch_alone"),
    ],
    "M03": [
        (STEPS, "test_a_step_that_hangs_or_fails_is_an_error_with_its_words"),
        (SNAPSHOT, "test_steps_have_limits"),
    ],
    "M05": [
        (HERE, "test_nothing_that_a_bot_hears_tells_who_the_others_are"),
        (HERE, "test_ids_that_bots_are_told_do_not_follow_from_the_league_file"),
        (HERE, "test_a_bots_folder_and_environment_name_nobody"),
        (CONFIG, "test_authors_apart"),
    ],
}
"""Row → the tests, module below ``tests`` and function, that show it does not happen here."""

NOT_COVERED = {
    "A24": "the check names its clock in its document and tells must from should; there is no league to take one from",
    "A25": "no log of messages: the evidence of a late decision splits its time (A09), and gRPC has traces of its own",
    "G09": "there is no knockout: no game depends on the result of another",
    "H05": "ratings are of the whole league, never of a round; nothing drifts from a starting value",
    "H15": "no decay and no re-entry: the entrants of a league are fixed when it begins",
}
"""Row → why there is no test of it."""

ROWS = {
    "A": (4, 5, 9, 10, 11, 13, 15, 16, 17, 18, 19, 20, 22, 24, 25),
    "B": (1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 19, 21, 22, 23),
    "C": (1, 3, 4, 5, 6, 7, 9),
    "D": (1, 2, 3),
    "E": (1, 3, 4, 5, 6, 7, 9, 11),
    "F": (2, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16),
    "G": (1, 2, 4, 5, 7, 8, 9, 12, 13, 15),
    "H": (1, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16),
    "I": (1, 5),
    "J": (3, 5, 6),
    "K": (2, 3, 4, 5),
    "L": (5, 6, 7, 8),
    "M": (1, 2, 3, 5),
}
"""Section → the numbers of its rows."""


@pytest.mark.parametrize("row", [f"{section}{number:02}" for section, numbers in ROWS.items() for number in numbers])
def test_every_row_has_tests_or_a_reason(row: str) -> None:
    assert (row in COVERED) is not (row in NOT_COVERED)
    for module, name in COVERED.get(row, ()):
        assert callable(getattr(importlib.import_module(f"tests.{module}"), name))


# -- pipes and logs ---------------------------------------------------------------------------------------------------


def floods(folder: Path, megabytes: int) -> None:
    """Write so much in one decision: nobody blocks, nobody else is charged, and the log is capped and says so."""
    flags = ("--fault", "flood", "--flood-mb", str(megabytes), "--at", "3", "--one-by-one", "--tell")
    plain = play([program("a"), *HONEST], 1, LIMITS, in_flight=1)
    flooded = play([program("a", *flags), *HONEST], 1, LIMITS, in_flight=1, logs=str(folder))
    assert flooded.words(0) == ["normal"]
    assert [entry.step for entry in flooded.records[0].entries] == [entry.step for entry in plain.records[0].entries]
    assert all(largest < 1_000_000 for _, _, largest in flooded.end.charges_us[1:])
    (log,) = (folder / "a").iterdir()
    assert log.stat().st_size < 130 << 10
    left_out = int(log.read_bytes().partition(b"[... ")[2].partition(b" bytes left out")[0])
    assert left_out > (megabytes - 1) << 20


def test_twenty_megabytes_of_output_in_one_decision(tmp_path: Path) -> None:
    floods(tmp_path, 20)


@pytest.mark.soak
def test_two_hundred_megabytes_of_output_in_one_decision(tmp_path: Path) -> None:
    floods(tmp_path, 200)


NOISE = """
import sys, threading
from arena.sdk import run
def decide(request):
    print("take", flush=True)
    print("pass", file=sys.stderr, flush=True)
    return request.legal_actions[0]
run(decide)
"""


def test_what_bots_print_is_neither_an_action_nor_in_the_output_of_the_arena(tmp_path: Path) -> None:
    """It is in a log of its own for every process, named by bot, first game and seat, without being asked for."""
    (tmp_path / "noise.py").write_text(NOISE)
    noisy = '[[bot]]\nname = "noisy"\ncommand = ["{python}", "noise.py"]\n'
    file = league(tmp_path / "spring.toml", [noisy, builtin("margin"), builtin("random")], deals=1)
    ran = arena("run-league", file, "--json", cwd=tmp_path)
    assert (ran.status, ran.document["stored"]) == (0, 6), ran.err
    assert {row["faults"] for row in ran.document["ladders"][0]["rows"]} == {0}
    logs = tmp_path / RESULTS / "logs" / "noisy"
    names = sorted(path.name for path in logs.iterdir())
    assert {name.rpartition("-seat")[2] for name in names} == {"0-1.log", "1-1.log", "2-1.log"}
    assert set(logs.joinpath(names[0]).read_text().split()) == {"take", "pass"}
    records = [decode(record) for record in stored(tmp_path / RESULTS).values()]
    assert {names_of.game_id for names_of in records} == {name.split("-")[1] for name in names}


def test_a_bot_that_does_not_start_is_told_with_a_line_that_shows_it_again(tmp_path: Path) -> None:
    """Program, folder and environment are in the line; run by a shell it fails as it failed in the league."""
    (tmp_path / "my bots").mkdir()
    (tmp_path / "my bots/broken.py").write_text("import os\nprint(os.environ['MOOD'])\nimport no_such_module\n")
    manifest = 'name = "broken"\nversion = "1"\ncommand = ["{python}", "broken.py"]\nenv = { MOOD = "so so" }\n'
    (tmp_path / "my bots/bot.toml").write_text(manifest)
    file = league(tmp_path / "spring.toml", ['[[bot]]\npath = "my bots"\n', builtin("margin"), builtin("random")])
    ran = arena("run-league", file, cwd=tmp_path)
    assert ran.status == 2
    (line,) = [line for line in ran.err.splitlines() if "to see it again" in line]
    again = subprocess.run(
        line.partition("): ")[2], shell=True, cwd="/", capture_output=True, text=True, timeout=60, check=False
    )
    assert again.returncode == 1
    assert again.stdout == "so so\n"
    assert "ModuleNotFoundError: No module named 'no_such_module'" in again.stderr


# -- evidence ---------------------------------------------------------------------------------------------------------

SHORT = Limits(start_s=5, move_ms=400, margin_ms=200, memory_mb=200)
EVIDENCE: dict[str, dict[str, Any]] = {
    "crash": {"status": "exit status 3"},
    "memory": {},
    "hang": {"charged_ms": 600},
    "illegal": {"answer": "lay 11"},
    "half-close": {},
    "exit-early": {"status": "exit status 1"},
}


@pytest.mark.parametrize("fault", EVIDENCE)
def test_no_fault_is_without_evidence(fault: str) -> None:
    """When, what was asked, what came, how long, what the limit was, and how the process ended if it did."""
    limits = replace(SHORT, move_ms=20_000) if fault == "memory" else SHORT
    played = play_until_whole([program("bad", "--fault", fault, "--at", "2"), *HONEST], 1, limits, in_flight=1)
    first = json.loads(played.games[0].trace)["faults"][0]
    assert first.keys() >= {"step", "seat", "word", "words", "decision", "legal", "bank_us", "spent_us"}
    assert len(first["words"]) > 10
    assert first["decision"] >= 0
    wanted = EVIDENCE[fault]
    if "charged_ms" in wanted:
        assert first["used_us"] / 1000 >= wanted["charged_ms"]
        assert "400 ms and 200 ms margin" in first["words"]
    assert {key: first[key] for key in wanted if key in ("status", "answer")} == {
        key: value for key, value in wanted.items() if key in ("status", "answer")
    }
    if first["word"] in ("crash", "resource", "disconnect", "protocol", "no-show") and "used_us" not in first:
        assert first["status"]
        assert "cpu_ms" in first


# -- what bots can know -----------------------------------------------------------------------------------------------

WRITE = """
import os
for place in (os.environ["HOME"], "/tmp", "/var/tmp", "/dev/shm", os.getcwd()):
    try:
        open(os.path.join(place, "{name}"), "w").write("secret")
    except OSError:
        pass
    try:
        print(*sorted(set(os.listdir(place)) & {{"note-a", "note-b"}} - {{"{name}"}}))
    except OSError:
        print()
"""


@pytest.mark.parametrize("level", ["bwrap", "landlock"])
def test_what_one_bot_writes_no_other_finds_nor_itself_later(level: str) -> None:
    """In its home, in the places for temporary files, in shared memory and in its own folder."""
    need_level(level)
    for name in ("note-a", "note-b", "note-a"):
        assert run_python(level, WRITE.format(name=name)).output.split() == []
    for place in ("/tmp", "/var/tmp", "/dev/shm"):
        assert not {"note-a", "note-b"} & set(os.listdir(place))


def heard(names: tuple[str, str]) -> str:
    """Return all that the first bot is told in two games against bots of these names."""
    bots = [program("me", "--dump", "--policy", "first")]
    bots += [replace(program(name, "--policy", "last"), version=f"of {name}", author=name) for name in names]
    sitting = job(bots, 2, LIMITS, in_flight=1)
    played = run(sitting)
    assert played.words(0) == ["normal", "normal"]
    return played.end.logs[0]


def test_nothing_that_a_bot_hears_tells_who_the_others_are() -> None:
    """Byte for byte the same against bots of other names, versions and authors: seats are all that it knows."""
    assert heard(("b", "c")) == heard(("somebody else", "🃏"))


def test_ids_that_bots_are_told_do_not_follow_from_the_league_file(tmp_path: Path) -> None:
    """They are keyed by the secret: a bot whose author has the file cannot look up who sits where."""
    code = "from arena.sdk import run\ndef decide(request):\n    print(request.game_id)\n"
    (tmp_path / "tells.py").write_text(code + "    return request.legal_actions[0]\nrun(decide)\n")
    tells = '[[bot]]\nname = "tells"\ncommand = ["{python}", "tells.py"]\n'
    file = league(tmp_path / "spring.toml", [tells, builtin("margin"), builtin("random")], deals=2)
    assert arena("run-league", file, cwd=tmp_path).status == 0
    results = tmp_path / RESULTS
    told = {line for log in (results / "logs/tells").iterdir() for line in log.read_text().split()}
    planned = {game_id for sitting in read_league(file).plan().sittings() for game_id in sitting.game_ids()}
    assert planned == set(stored(results))
    assert len(told) == len(planned)
    assert not told & planned
    assert told == {wire_id(read_secret(results), game) for game in planned}
    found = arena("explain", results, min(told), "--json", cwd=tmp_path).document
    assert (found["wire_id"], found["id"] in planned) == (min(told), True)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bots_folder_and_environment_name_nobody(level: str, tmp_path: Path) -> None:
    """Neither the others' names nor those of the league and its files."""
    need_level(level)
    code = "import os; print(dict(os.environ), os.getcwd()); raise SystemExit(1)"
    tells = replace(program("tells"), command=(sys.executable, "-c", code))
    played: Played = play([tells, program("others-name")], 0, replace(LIMITS, sandbox=level))
    assert "ARENA_TOKEN" in played.end.logs[0]
    assert "others-name" not in played.end.logs[0]


@pytest.mark.parametrize("key", ["start_s", "move_ms", "game_s", "memory_mb", "processes"])
def test_a_clock_of_nothing_is_refused_with_its_key(tmp_path: Path, key: str) -> None:
    """So is a limit on sizes; a bank, its increment and the margin may be nothing."""
    file = league(tmp_path / "spring.toml", [builtin("random")], tail=f"[limits]\n{key} = 0\n")
    with pytest.raises(UsageError, match=rf"\[limits\] {key} = 0: accepted is"):
        read_league(file)


def test_every_test_has_a_limit_of_time(pytestconfig: pytest.Config) -> None:
    """A bot that hangs is a failure with the output of both ends, and no night without a result."""
    assert 0 < float(pytestconfig.getini("timeout")) <= 120


# -- configuration and seeds ------------------------------------------------------------------------------------------


def test_a_secret_repeats_its_league_from_wherever_the_command_is_given(tmp_path: Path) -> None:
    """Drawn, committed to and kept; given again, it deals the same cards to the same programs.

    Paths are relative to the league file, with spaces, whatever lies in the caller's folder under the same name.
    """
    home, elsewhere = tmp_path / "my league", tmp_path / "elsewhere"
    for place, action in ((home, 0), (elsewhere, -1)):
        (place / "a bot").mkdir(parents=True)
        (place / "a bot/bot.toml").write_text('name = "a"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n')
        code = f"from arena.sdk import run\nrun(lambda request: request.legal_actions[{action}])\n"
        (place / "a bot/bot.py").write_text(code)
    bots = ['[[bot]]\npath = "a bot"\n', builtin("margin"), fixture("last", "--policy", "last")]
    tail = f"seatings = 2\n{PATIENT}"
    league(home / "drawn.toml", bots, deals=1, tail=tail, head='[league]\nname = "x"\n')
    first = arena("run-league", "drawn.toml", "--results", tmp_path / "one", cwd=home)
    assert first.status == 0, first.err
    secret = (tmp_path / "one/secret").read_text().strip()
    league(home / "given.toml", bots, deals=1, tail=tail, head=f'[league]\nname = "x"\nsecret = "{secret}"\n')
    again = arena("run-league", "../my league/given.toml", "--results", tmp_path / "two", cwd=elsewhere)
    assert again.status == 0, again.err
    found = stored(tmp_path / "one")
    assert found == stored(tmp_path / "two")
    assert {decode(record).commitment in first.err for record in found.values()} == {True}
