"""The doctor's findings on this machine; that the attacks are what they say is shown by ``tests/players``."""

from __future__ import annotations

import pytest

from arena.lab.doctor import Row, examine
from arena.lab.siege import Outcome, Verdict
from arena.players import levels


def test_what_a_league_needs_is_here() -> None:
    """Everything that this suite needs to run at all is found in order, with words for a person."""
    findings = examine(())
    found = {check.name: check for check in findings.checks}
    for name in (
        "setpriv",
        "prlimit",
        "kernel",
        "watchdog",
        "cores",
        "protobuf",
        "grpc",
        "starting programs beside gRPC",
    ):
        assert found[name].ok, found[name].words
        assert found[name].words
    assert findings.league == levels.resolve_level("auto")
    assert findings.rows == ()


def test_a_level_that_does_not_work_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its attacks are neither blocked nor done."""
    blocked = Outcome(Verdict.BLOCKED, "tried")
    monkeypatch.setattr("arena.lab.doctor.why_not", lambda level: "" if level == "landlock" else "not found")
    monkeypatch.setattr("arena.lab.doctor.besiege", lambda level: {"mount": blocked})
    findings = examine(("bwrap", "landlock"))
    assert findings.reasons == ("not found", "")
    assert findings.rows == (Row("mount", (Outcome(Verdict.UNTESTED, "not found"), blocked)),)
