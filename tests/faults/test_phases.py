"""Every fault in every phase has its own word, costs nobody else anything, ends in time and leaves nothing."""

from __future__ import annotations

import pytest

from arena.testing.bots import FAULTS, PHASES
from tests.faults import phases
from tests.faults.phases import BOUND_S, GAMES, KINDS, Case, everything, pairwise, play_case


def assert_ruled(case: Case) -> None:
    """Play a case and compare what came of it with what the rules say."""
    outcome = play_case(case)
    assert outcome.seconds < BOUND_S
    assert len(outcome.finished) + len(outcome.voids) == GAMES
    assert len(outcome.ends) == 1
    bad = case.seats - 1
    for seat in range(bad):
        assert set(outcome.words(seat)) <= {"normal"}
        assert outcome.faults(seat) == []
    assert set(outcome.words(bad)) | set(outcome.faults(bad)) <= case.words()
    if case.must_show() and not outcome.voids:  # a game that is void is another sitting's
        assert outcome.faults(bad)


def test_every_fault_has_its_word() -> None:
    """A new fault of the fixture bots must be placed here; the rest has tests of its own."""
    elsewhere = {
        "none",
        "vast",
        "breed",
        "shared-memory",
        "duplicate",
        "stale",
        "reverse",
        "mute",
        "extra",
        "spin",
        "network",
    }
    starts = {"never", "exit-early", "wrong-protocol", "no-games", "answers-first"}
    assert set(FAULTS) == set(phases.WORDS) | elsewhere | starts
    assert set(PHASES) == set(phases.PHASES)


@pytest.mark.parametrize("case", [case for case in pairwise(KINDS) if str(case)[:10] != "hang-start"], ids=str)
def test_pairs_of_faults_phases_and_tables(case: Case) -> None:
    assert_ruled(case)


@pytest.mark.soak
@pytest.mark.parametrize("case", list(everything()), ids=str)
def test_all_faults_in_all_phases_at_all_tables(case: Case) -> None:
    assert_ruled(case)
