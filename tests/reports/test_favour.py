"""The permutation test for favours: honest bots are named at most as often as promised, helped ones nearly always."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from arena.errors import Termination
from arena.reports.favour import FALSE_ALARM, Block, Favour, blocks_of, favour, favours
from arena.reports.standings import Played

NAMES = tuple("abcdef")
SEATINGS = np.array(list(permutations(range(3))))
PAIRS = tuple(permutations(range(3), 2))


def league(seed: int, help_nats: float = 0.0, deals: int = 20) -> list[Block]:
    """Simulate a round-robin of six bots of different strength at tables of three; a may help b.

    Places follow Plackett-Luce (utilities with Gumbel noise); a deal gives the same luck to the same seats at all
    tables. The help is added to the log-strength of b wherever a sits at the table, too.
    """
    generator = np.random.default_rng(seed)
    strength = generator.normal(0, 0.7, len(NAMES))
    luck = generator.normal(0, 0.7, (deals, 3))
    blocks = []
    for deal in range(deals):
        for table in combinations(range(len(NAMES)), 3):
            mean = strength[list(table)] + np.where(np.array(table) == 1, help_nats * (0 in table), 0.0)
            # row: seating; SEATINGS[row, who] is the seat of the bot `who`
            value = mean + luck[deal][SEATINGS] + generator.gumbel(size=(len(SEATINGS), 3))
            points = {
                (NAMES[table[one]], NAMES[table[two]]): float((value[:, one] > value[:, two]).mean())
                for one, two in PAIRS
            }
            blocks.append(Block(deal, points))
    return blocks


def favour_of(seed: int, help_nats: float = 0.0, deals: int = 20) -> tuple[Favour, Favour]:
    """Test a and b in both directions in a simulated league."""
    blocks, generator = league(seed, help_nats, deals), np.random.default_rng(seed)
    ab, ba = favour(blocks, "a", "b", generator), favour(blocks, "b", "a", generator)
    assert ab is not None
    assert ba is not None
    return ab, ba


def false_alarms(leagues: int) -> tuple[float, list[float]]:
    """Return the share of honest leagues whose pair is named, and all p-values."""
    found = [favour_of(seed) for seed in range(leagues)]
    alarms = sum(any(item.is_notable for item in pair) for pair in found)
    return alarms / leagues, [item.p for pair in found for item in pair]


def test_honest_bots_are_rarely_named_and_p_is_what_it_says() -> None:
    """In 150 leagues at 1 %: five alarms would come once in 50 such tests; p is uniform, so 5 % and 25 % lie below."""
    rate, p = false_alarms(150)
    assert rate <= 4 / 150
    assert 0.01 <= np.mean(np.array(p) <= 0.05) <= 0.10
    assert 0.17 <= np.mean(np.array(p) <= 0.25) <= 0.33


@pytest.mark.soak
def test_the_false_alarm_rate_at_full_size() -> None:
    rate, p = false_alarms(2000)
    assert rate <= FALSE_ALARM
    assert 0.04 <= np.mean(np.array(p) <= 0.05) <= 0.06
    assert 0.007 <= np.mean(np.array(p) <= 0.01) <= 0.013


def test_a_helped_bot_is_named_and_only_in_the_right_direction() -> None:
    """Help worth 120 Elo over 60 deals is found nearly always, and is never said of the helper."""
    found = [favour_of(seed, help_nats=0.7, deals=60) for seed in range(20)]
    assert sum(ab.is_notable for ab, _ in found) >= 18
    assert not any(ba.is_notable for _, ba in found)
    assert all(ab.gain > 0 for ab, _ in found)


def test_the_same_seed_gives_the_same_answer() -> None:
    assert favour_of(3) == favour_of(3)


def game(deal: int, players: tuple[str, ...], ranks: tuple[int, ...], *words: Termination) -> Played:
    return Played(deal, players, words or (Termination.NORMAL,) * len(players), (0,) * len(players), ranks)


def test_blocks_hold_mean_points_and_two_retired_seats_are_not_compared() -> None:
    crash, normal = Termination.CRASH, Termination.NORMAL
    (block,) = blocks_of(
        [game(4, ("a", "b", "c"), (1, 2, 2)), game(4, ("c", "b", "a"), (1, 2, 3), crash, crash, normal)]
    )
    assert block.deal == 4
    assert block.points["a", "b"] == 1.0
    assert block.points["b", "a"] == 0.0
    assert block.points["b", "c"] == 0.5


def test_without_third_parties_nothing_is_tested() -> None:
    two = [Block(deal, {("a", "b"): 0.0, ("b", "a"): 1.0}) for deal in range(50)]
    assert favour(two, "a", "b", np.random.default_rng(1)) is None
    assert favour(league(1), "nobody", "b", np.random.default_rng(1)) is None


def test_only_bots_of_one_author_are_tested() -> None:
    played = [game(deal, table, (1, 2, 3)) for deal in range(3) for table in combinations(NAMES[:4], 3)]
    generator = np.random.default_rng(1)
    authors = {"a": "Team", "b": "team", "c": "", "d": "", "e": "other"}
    assert {(item.helper, item.helped) for item in favours(played, authors, generator)} == {("a", "b"), ("b", "a")}
    assert list(favours(played, {"a": "", "b": ""}, generator)) == []
