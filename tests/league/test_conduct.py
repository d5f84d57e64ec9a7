"""What bots do beside their answers: computing between turns, processes left behind, attempts to reach a network."""

from __future__ import annotations

import pytest

from arena.players.base import Limits
from arena.records.record import Conduct
from tests.league.sittings import Played, play, program
from tests.players.levels import need_level

HONEST = (program("b", "--sleep-ms", "20"), program("c", "--sleep-ms", "20"))
GAMES = 3


def conduct(*flags: str, **limits: object) -> Conduct:
    """Play a bot with these flags beside two honest ones that take their time; return what was seen of it."""
    return played(*flags, **limits).end.conduct[0]


def played(*flags: str, **limits: object) -> Played:
    made = Limits(**({"start_s": 60, "move_ms": 20_000, "margin_ms": 1000} | limits))  # type: ignore[arg-type]
    found = play([program("odd", *flags), *HONEST], GAMES, made, in_flight=1)
    assert all(found.words(seat) == ["normal"] * GAMES for seat in range(3))
    return found


def test_an_honest_bot_computes_hardly_anything_between_its_turns() -> None:
    seen = conduct()
    assert seen.idle_ns > 500_000_000
    assert seen.idle_cpu_ns < 0.2 * seen.idle_ns
    assert (seen.left_over, seen.network_attempts) == (0, 0)


def test_computing_between_turns_is_measured_and_pausing_prevents_it() -> None:
    """Both in one test, as ratios of one run: the machine is shared."""
    spinning = conduct("--fault", "spin", "--at", "1")
    paused = conduct("--fault", "spin", "--at", "1", pause=True)
    assert spinning.idle_cpu_ns > 0.15 * spinning.idle_ns  # a bot is nice: a busy machine gives it a quarter
    assert paused.idle_ns > 500_000_000
    assert paused.idle_cpu_ns < 0.1 * paused.idle_ns


def test_a_paused_bot_hears_the_end_and_leaves_by_itself() -> None:
    """Stopped processes would sit out every patience: SIGTERM, then SIGKILL."""
    found = played(pause=True)
    assert found.end.restarts == 0
    assert found.end.failures == ("", "", "")


@pytest.mark.parametrize("level", ["landlock", "none"])
def test_what_a_bot_leaves_behind_is_counted(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is counted of a bot that goes by itself: this one is given the time."""
    need_level(level)
    monkeypatch.setattr("arena.players.process.LEAVE_S", 30)
    assert conduct("--fault", "fork", "--at", "1", sandbox=level).left_over == 1


def test_attempts_to_reach_the_network_are_counted_where_a_bot_has_none() -> None:
    need_level("bwrap")
    assert conduct("--fault", "network", "--at", "1", sandbox="bwrap").network_attempts >= 1
    assert conduct("--fault", "network", "--at", "1", sandbox="bwrap", network="allow").network_attempts == 0
