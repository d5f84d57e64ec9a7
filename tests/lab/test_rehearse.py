"""``arena rehearse``: every misbehaving bot is survived by a sound league, and harm to others is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.lab.rehearse import EXPECTED, NOTHING, Rehearsed, rehearse, short_limits
from arena.league.config import read_league
from arena.players.base import Limits
from arena.testing.bots import FAULTS

LEAGUE = """
[[game]]
id = "no_thanks"
seats = 3
options = { rounds = 1 }
[[game]]
id = "rainbow"
seats = 3
[limits]
move_ms = 300
start_s = 5
[[bot]]
name = "one"
command = ["{python}", "-m", "arena.testing.bots", FLAGS]
[[bot]]
name = "two"
command = ["{python}", "-m", "arena.testing.bots", FLAGS]
[[bot]]
name = "three"
command = ["{python}", "-m", "arena.testing.bots", FLAGS]
"""


def rehearsed(folder: Path, *faults: str, flags: str = '"--policy", "first"') -> dict[str, Rehearsed]:
    """Rehearse some faults with a league of three fixture bots and two games."""
    file = folder / "league.toml"
    file.write_text(LEAGUE.replace("FLAGS", flags))
    told: list[str] = []
    found = rehearse(read_league(file), folder / "bots", workers=2, faults=faults, tell=told.append)
    assert len(told) > len(faults)
    return {item.fault: item for item in found}


def test_every_fault_of_the_fixture_has_words_that_fit() -> None:
    assert set(EXPECTED) == set(FAULTS)


def test_faults_of_all_kinds_are_survived(tmp_path: Path) -> None:
    faults = ("none", "late", "illegal", "crash", "fork", "half-close", "stale", "exit-early")
    found = rehearsed(tmp_path, *faults)
    assert [fault for fault, item in found.items() if not item.survived] == []
    assert {item.game for item in found.values()} == {"no_thanks", "rainbow"}
    assert found["none"].ruled == (NOTHING,)
    assert found["crash"].ruled == ("crash",)
    assert "exit status 3" in found["crash"].how
    assert found["exit-early"].ruled == ("no-show",)


def test_harm_to_somebody_else_is_not_survived(tmp_path: Path) -> None:
    """The league's own bots crash here, which is what it looks like when a fault takes others along."""
    found = rehearsed(tmp_path, "none", flags='"--fault", "crash", "--at", "1"')
    assert not found["none"].survived
    assert found["none"].how.endswith("who did nothing, was retired: crash")


def test_long_limits_are_shortened_and_short_ones_kept() -> None:
    long = short_limits(Limits(move_ms=60_000, bank_ms=60_000, start_s=300, memory_mb=99))
    assert (long.move_ms, long.bank_ms, long.start_s, long.memory_mb) == (1500, 500, 10, 99)
    assert short_limits(Limits(move_ms=200)) == Limits(move_ms=200)


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_every_fault_is_survived(tmp_path: Path) -> None:
    assert [fault for fault, item in rehearsed(tmp_path, *FAULTS).items() if not item.survived] == []
