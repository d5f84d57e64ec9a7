"""Explanations of cases that are rare in play: strikes, banks, escapes, voids, missing evidence."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import Termination
from arena.league.case import Case
from arena.players.base import FaultPolicy, Limits
from arena.records.record import Record, Void
from arena.reports.explain import explanation, explanation_lines

LIMITS = Limits(bank_ms=500, increment_ms=20)


@pytest.fixture
def case(record: Record) -> Case:
    """Alpha's first decision took 1.3 s with a bank of 0.5 s; beta's last answer was illegal and tried to colour."""
    late, illegal = record.faults
    trace: dict[str, Any] = {
        "decisions": [[0, late.step, 1_700_000, 20_000]],
        "faults": [
            {
                "step": late.step, "seat": 0, "word": "timeout", "words": "1700 ms where 1000 ms were allowed",
                "decision": 0, "legal": ["pass", "take"], "bank_us": 20_000, "spent_us": 1_700_000,
                "used_us": 1_700_000,
            },
            {
                "step": illegal.step, "seat": 1, "word": "illegal", "words": "'\x1b[31m'", "decision": 7,
                "legal": ["take"], "bank_us": 500_000, "spent_us": 9, "answer": "\x1b[31m", "output": "a\x07b\nc",
                "peak_memory_mb": 12,
            },
        ],
        "strays": [0, 3, 0],
    }  # fmt: skip
    voids = (Void(record.game_id, Termination.HOST, "the worker stood still"),)
    return Case(record, trace, LIMITS, FaultPolicy(), ask_forced=False, voids=voids)


def test_a_strike_says_its_number_and_the_bank(case: Case) -> None:
    (strike, _) = explanation(case)["faults"]
    assert strike["rule"] == "[faults] timeout = default: a strike, number 1 of this seat; strike 3 retires"
    assert (strike["charged_ms"], strike["bank_before_ms"], strike["bank_after_ms"]) == (1700, 500, 20)
    assert strike["cost"] == "default"
    assert strike["played"] is not None
    text = "\n".join(explanation_lines(explanation(case)))
    assert "1000 ms a decision, a bank of 500 ms (+20 ms a decision), 150 ms margin" in text
    assert "charged 1700.0 ms; bank 500.0 ms before, 20.0 ms after" in text


def test_what_a_bot_sent_or_printed_is_escaped(case: Case) -> None:
    found = explanation(case)
    text = "\n".join(explanation_lines(found))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "came back   '\\x1b[31m'" in text
    assert found["faults"][1]["output"] == ["a\\x07b", "c"]


def test_voids_strays_and_unknown_evidence_are_told(case: Case) -> None:
    text = "\n".join(explanation_lines(explanation(case)))
    assert "played again after a void attempt: host: the worker stood still" in text
    assert "answers to no open request (late or repeated ones): seat 1: 3" in text
    assert "peak memory mb  12" in text


def test_a_fault_without_evidence_is_still_told(record: Record) -> None:
    bare = Case(record, {}, LIMITS, FaultPolicy(), ask_forced=False)
    text = "\n".join(explanation_lines(explanation(bare)))
    assert "no evidence was kept" in text
    assert "nothing of this game was open for it" in text
