"""A record becomes lines that a person can follow, and shows no more than it is asked to show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.errors import RecordError
from arena.games import Moves
from arena.records.record import Record
from arena.reports.game_sheet import game_sheet, natural_scores


def test_sheet_tells_the_whole_game(record: Record) -> None:
    """Every step has its line; the head says who sat where and the end who won, in points of the rules."""
    lines = list(game_sheet(record))
    assert lines[0] == "No Thanks! (no_thanks, rules version 1), game g7"
    assert lines[1].startswith("deal 7, variant = standard, rounds = 1")
    assert lines[2:5] == ["seat 0: alpha 1", "seat 1: beta 1", "seat 2: gamma 1"]
    numbered = [line for line in lines if line[:4].strip().isdigit() and line[4:6] == "  "]
    assert len(numbered) == len(record.entries)
    assert numbered[0].startswith("   0  chance: shuffle ")
    assert sum(line.endswith("(forced)") for line in numbered) == sum(entry.forced for entry in record.entries)


def test_result_shows_places_and_retirement(record: Record) -> None:
    """The retired seat is last whatever its points, and the word says why."""
    lines = list(game_sheet(record, tables=False))
    result = lines[lines.index("result:") + 1 :]
    assert len(result) == 3
    assert result[-1] == f"  3. beta (seat 1): {-record.scores[1]} points, retired (illegal)"
    assert result[0] == f"  1. gamma (seat 2): {-record.scores[2]} points"


def test_faults_stand_at_their_step(record: Record) -> None:
    """A strike says that the default action was played, a retirement that the seat retires."""
    lines = list(game_sheet(record, tables=False))
    strike = lines.index("      ! alpha (seat 0): timeout; a strike, the default action is played")
    assert lines[strike - 1].endswith("(default)")
    assert "      ! beta (seat 1): illegal; retires" in lines


def test_tables_follow_every_step_or_only_the_last(record: Record) -> None:
    """Without tables the sheet is short, with the final table alone."""
    short, full = list(game_sheet(record, tables=False)), list(game_sheet(record))
    assert len(full) - len(short) == (len(record.entries) - 1) * 4
    assert sum(line.startswith("      between rounds") for line in short) == 1


def test_a_seat_sees_the_shuffle_as_it_saw_it_in_the_game(record: Record) -> None:
    """Showing one seat, or none, must not show the deck."""
    for shown in ((0,), ()):
        chance = next(line for line in game_sheet(record, shown=shown) if "chance:" in line)
        assert chance.split().count("?") == 32
    assert "?" not in next(line for line in game_sheet(record) if "chance:" in line)


def test_a_damaged_record_is_refused(record: Record) -> None:
    """A sheet is a replay: a step that the rules refuse stops it."""
    entries = list(record.entries)
    last = entries[-1].step
    assert isinstance(last, Moves)
    entries[-1] = replace(entries[-1], step=Moves(((last.by_seat[0][0], "lay 11"),)))
    with pytest.raises(RecordError, match="lay belongs to the secret variant"):
        list(game_sheet(replace(record, entries=tuple(entries))))


def test_natural_scores() -> None:
    """Points of No Thanks! are shown as its rules count them."""
    assert natural_scores("no_thanks", (-20, 11, 0)) == (20, -11, 0)
