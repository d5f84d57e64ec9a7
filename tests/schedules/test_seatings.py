"""The balance of seatings is counted here one by one, not with the code that made them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.schedules.seatings import SEATS, evenness, seatings

LAMBDA = {2: 1, 3: 1, 4: 1, 5: 1, 6: 4, 7: 1}
"""How often a balanced set puts an ordered pair of bots on an ordered pair of seats."""


def pair_counts(chosen: tuple[tuple[int, ...], ...]) -> Counter[tuple[int, int, int, int]]:
    counts: Counter[tuple[int, int, int, int]] = Counter()
    for seating in chosen:
        for one, other in permutations(range(len(seating)), 2):
            counts[one, other, seating[one], seating[other]] += 1
    return counts


@pytest.mark.parametrize("k", LAMBDA)
def test_balanced_pairs(k: int) -> None:
    """The fairness of every league rests on it: no bot has a seat, or a neighbour, more often than another."""
    chosen = seatings("balanced", k)
    counts = pair_counts(chosen)
    assert len(counts) == (k * (k - 1)) ** 2
    assert set(counts.values()) == {LAMBDA[k]}
    assert len(chosen) == len(set(chosen)) == LAMBDA[k] * k * (k - 1)
    assert all(sorted(seating) == list(range(k)) for seating in chosen)


def test_balanced_triples_of_six() -> None:
    """PGL(2, 5) is sharply 3-transitive, so three neighbours are balanced too."""
    triples = Counter(
        (seats, tuple(seating[seat] for seat in seats))
        for seating in seatings("balanced", 6)
        for seats in permutations(range(6), 3)
    )
    assert len(triples) == 120**2
    assert set(triples.values()) == {1}


@pytest.mark.parametrize("k", SEATS)
def test_all_and_rotations(k: int) -> None:
    """``all`` is every permutation; rotations give every bot every seat once and keep the neighbours."""
    assert len(set(seatings("all", k))) == factorial(k)
    turned = seatings("rotations", k)
    assert len(turned) == k
    assert {(seat, bot) for seating in turned for seat, bot in enumerate(seating)} == {
        (seat, bot) for seat in range(k) for bot in range(k)
    }
    assert {(seating[1] - seating[0]) % k for seating in turned if k > 1} <= {1}


@pytest.mark.parametrize("k", [2, 3])
def test_small_tables_play_everything(k: int) -> None:
    """For two and three seats the balanced set is all seatings."""
    assert set(seatings("balanced", k)) == set(seatings("all", k))


@pytest.mark.parametrize("policy", ["balanced", "all", "rotations", 1])
def test_identity_first(policy: str | int) -> None:
    """The first seating is the line-up as it is sorted, whatever the policy: results are easy to look up."""
    for k in SEATS:
        assert seatings(policy, k)[0] == tuple(range(k))


@given(st.sampled_from([2, 3, 4, 5, 7]), st.data())
@settings(max_examples=60)
def test_number_is_as_even_as_can_be(k: int, data: st.DataObject) -> None:
    """A number of seatings never treats two bots more differently than by one game, on seats and on pairs of seats."""
    number = data.draw(st.integers(1, min(factorial(k), 400)))
    chosen = seatings(number, k)
    assert len(chosen) == len(set(chosen)) == number
    even = evenness(chosen)
    assert even.seat[1] - even.seat[0] <= 1
    assert even.pair[1] - even.pair[0] <= 1


@given(st.integers(1, 720))
@settings(max_examples=40)
def test_number_of_six(number: int) -> None:
    """Six seats have no best possible order: seats stay within one, pairs within four; multiples of 120 are even."""
    chosen = seatings(number, 6)
    assert len(set(chosen)) == number
    even = evenness(chosen)
    assert even.seat[1] - even.seat[0] <= 1
    assert even.pair[1] - even.pair[0] <= (2 if number <= 30 else 4)
    whole = number - number % 120
    assert not whole or evenness(chosen[:whole]).even


def test_more_seatings_keep_the_fewer() -> None:
    """A larger number starts with the smaller one's seatings, so that a league can be extended."""
    assert seatings(100, 5)[:33] == seatings(33, 5)
    assert seatings(20, 5) == seatings("balanced", 5)


def test_evenness_counts_and_words() -> None:
    """What the plan prints is what is there."""
    even = evenness(seatings(7, 4))
    counts = pair_counts(seatings(7, 4))
    assert even.pair == (0, max(counts.values())) == (0, 1)
    assert str(even) == "7 seatings: a bot has each seat 1 to 2 times, two bots have each two seats 0 to 1 times"
    assert not even.even
    assert str(evenness(seatings("balanced", 6))).endswith("seat 20 times, two bots have each two seats 4 times")


@pytest.mark.parametrize(
    ("policy", "k", "words"),
    [
        ("balancd", 3, "did you mean 'balanced'"),
        (0, 3, "a number from 1 to seats!"),
        (7, 3, "a number from 1 to seats!"),
        (True, 3, "balanced | all"),
        ("balanced", 8, "1..7 seats"),
        ("balanced", 0, "1..7 seats"),
    ],
)
def test_refused(policy: str | int, k: int, words: str) -> None:
    """What cannot be played is refused before the league, and the message says what can."""
    with pytest.raises(UsageError, match=words.replace("|", r"\|")):
        seatings(policy, k)
