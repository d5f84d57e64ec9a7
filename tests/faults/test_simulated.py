"""Thousands of sittings on a simulated machine: whatever happens at whatever moment, the right one is blamed."""

from __future__ import annotations

import pytest

from arena.records.codec import decode
from arena.records.replay import verify_replay
from arena.testing.simulated import LIMITS, MEANS, Simulation, simulate


def assert_right(played: Simulation) -> None:
    """Every game ends once; honest seats are never blamed, bad ones for what they did, the machine for its stalls."""
    machine = played.machine
    assert machine.errors == []
    assert len(played.ends) == 1
    ids = [game.game_id for game in played.finished] + [void.game_id for void in played.voids]
    assert sorted(ids) == [game.game_id for game in played.job.games]
    for game in played.finished:
        record = decode(game.record)
        verify_replay(record)
        blamed = {fault.seat for fault in record.faults}
        assert blamed <= machine.bad, f"{game.game_id}: honest seats {blamed - machine.bad} are blamed"
        for seat in blamed:
            found = {str(fault.word) for fault in record.faults if fault.seat == seat}
            allowed = {"no-show"}.union(*(MEANS[deed] for deed in machine.done[seat]))
            assert found <= allowed, f"{game.game_id}: seat {seat} did {machine.done[seat]}, found are {found}"
    if machine.slept_s == 0 and machine.stalled_s * 1000 <= LIMITS.margin_ms / 2:
        assert played.voids == [], "games are void though the machine was never late"


def try_seeds(seeds: range) -> None:
    for seed in seeds:
        try:
            assert_right(simulate(seed))
        except BaseException as error:
            raise AssertionError(f"repeat with simulate({seed}): {error!r}") from error


def test_a_seed_repeats_its_sitting() -> None:
    once, again = simulate(3), simulate(3)
    assert [game.record for game in once.finished] == [game.record for game in again.finished]
    assert [game.trace for game in once.finished] == [game.trace for game in again.finished]
    assert once.seconds == again.seconds


def test_two_hundred_seeds() -> None:
    try_seeds(range(200))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("thousand", range(10))
def test_ten_thousand_seeds(thousand: int) -> None:
    try_seeds(range(1000 * thousand, 1000 * (thousand + 1)))
