"""``arena rematch`` with a game that fails: it ends all the same, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.games.no_thanks import NoThanks
from arena.lab.rematch import rematch
from arena.league.case import read_case
from tests.cli.running import with_fault
from tests.league.sittings import program


@pytest.mark.parametrize("fault", ["illegal", "crash", "hang"])
def test_a_game_that_fails_ends_its_rematch(played: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """It cannot show the table, which is wanted where the bot does not do what is recorded."""

    def render(*_: object) -> str:
        raise AssertionError("the game failed")

    case = read_case(played, with_fault(played, None).game_id)
    seat = [player.name for player in case.record.players].index("honest")
    monkeypatch.setattr(NoThanks, "render", render)
    with pytest.raises(AssertionError, match="the game failed"):
        rematch(case, seat, program("honest", "--fault", fault, "--at", "2"))
