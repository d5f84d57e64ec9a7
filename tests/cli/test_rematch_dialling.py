"""``arena rematch`` with a bot that dials twice, as a league lets it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from arena.lab.rematch import rematch
from arena.league.case import read_case
from tests.cli.running import with_fault
from tests.league.test_dialling import dialler, is_quick


def test_a_bot_that_left_its_first_stream_without_a_word_plays_on_the_next_one(played: Path) -> None:
    """Nothing that it answers on the next one differs from what is recorded."""
    case = read_case(played, with_fault(played, None).game_id)
    seat = [player.name for player in case.record.players].index("honest")
    for _ in range(20):
        outcome = rematch(case, seat, replace(dialler("--hurry", "--sleep-ms", "20"), name="honest"), clock=False)
        if is_quick(outcome.output):
            assert (outcome.difference, outcome.repeated) == (None, "")
            assert outcome.equal > 5
            return
    raise AssertionError("the machine is too full to say anything")
