"""Seatings: the ways in which one line-up is put on the seats, so that no bot gains by where it sits.

A seating is a tuple by seat: ``seating[s]`` is the index, in the sorted line-up, of the bot on seat ``s``. A set of
seatings is *balanced* when for every two seats every ordered pair of bots occupies them equally often; seat, neighbour
and every other relation between two seats are then balanced at once. Such a set with every pair exactly once is a
sharply 2-transitive set of permutations:

* k = 2, 3, 4, 5, 7: the k(k-1) affine maps s -> a*s + b, a != 0, over the field with k elements (L. E. Dickson, 1905;
  J. D. Dixon and B. Mortimer, *Permutation Groups*, section 7.6). For k = 2 and 3 these are all permutations;
* k = 6: there is none, as it would be a projective plane of order 6 (R. H. Bruck and H. J. Ryser, 1949). The 120 maps
  s -> (a*s + b)/(c*s + d) of PGL(2, 5) on five numbers and infinity are sharply 3-transitive: every ordered pair of
  bots is on every two seats exactly four times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import factorial
from typing import TypeAlias

from arena.errors import UsageError, nearest

Seating: TypeAlias = tuple[int, ...]
Policy: TypeAlias = str | int

POLICIES = ("balanced", "all", "rotations")
SEATS = range(1, 8)
"""Table sizes for which seatings are known."""
ACCEPTED = "balanced | all | rotations | a number from 1 to seats!"


@dataclass(frozen=True, slots=True)
class Evenness:
    """How evenly a set of seatings treats the bots.

    Attributes:
        seatings: how many there are.
        seat: (least, most) times that a bot has one seat.
        pair: (least, most) times that an ordered pair of bots has an ordered pair of seats; (0, 0) for one seat.
    """

    seatings: int
    seat: tuple[int, int]
    pair: tuple[int, int]

    @property
    def even(self) -> bool:
        """Whether every two seats see every ordered pair of bots equally often."""
        return self.seat[0] == self.seat[1] and self.pair[0] == self.pair[1]

    def __str__(self) -> str:
        return (
            f"{self.seatings} seatings: a bot has each seat {_times(self.seat)}, "
            f"two bots have each two seats {_times(self.pair)}"
        )


def seatings(policy: Policy, k: int) -> tuple[Seating, ...]:
    """Return the distinct seatings of a policy for k seats, the identity first.

    Args:
        policy: ``balanced`` (k(k-1), for k = 6: 120), ``all`` (k!), ``rotations`` (k), or a number 1..k!: that many,
            every bot on every seat and every pair on every two seats as equally often as possible (k = 6: nearly).
        k: 1..7.

    Raises:
        UsageError: for another policy or table size.
    """
    if k not in SEATS:
        raise UsageError(f"seats = {k}: seatings are known for {SEATS[0]}..{SEATS[-1]} seats")
    if policy == "balanced":
        return _balanced(k)
    if policy == "all":
        return tuple(permutations(range(k)))
    if policy == "rotations":
        return tuple(tuple((seat + turn) % k for seat in range(k)) for turn in range(k))
    if type(policy) is int and 1 <= policy <= factorial(k):
        return _many(k, policy)
    raise UsageError(f"seatings = {policy!r}: accepted is {ACCEPTED}{nearest(str(policy), POLICIES)}")


def evenness(chosen: Sequence[Seating]) -> Evenness:
    """Return how even a non-empty set of seatings is, by counting."""
    k = len(chosen[0])
    seats = Counter((seat, bot) for seating in chosen for seat, bot in enumerate(seating))
    pairs = Counter(pair for seating in chosen for pair in _pairs(seating))
    return Evenness(len(chosen), _spread(seats.values(), k * k), _spread(pairs.values(), (k * (k - 1)) ** 2))


def _pairs(seating: Seating) -> Iterable[tuple[int, int, int, int]]:
    return ((one, other, seating[one], seating[other]) for one, other in permutations(range(len(seating)), 2))


def _spread(times: Collection[int], cells: int) -> tuple[int, int]:
    least = min(times, default=0) if len(times) == cells else 0
    return least, max(times, default=0)


def _times(spread: tuple[int, int]) -> str:
    least, most = spread
    if least != most:
        return f"{least} to {most} times"
    return {1: "once", 2: "twice"}.get(least, f"{least} times")


@cache
def _balanced(k: int) -> tuple[Seating, ...]:
    return _projective() if k == 6 else _affine(k)


def _affine(k: int) -> tuple[Seating, ...]:
    """The maps in blocks of one multiplier: the k maps of a block put every bot on every seat once."""
    if k == 1:
        return ((0,),)
    times, plus = _field(k)
    return tuple(tuple(plus[times[a][seat]][b] for seat in range(k)) for a, b in product(range(1, k), range(k)))


def _field(k: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return the multiplication and addition tables of GF(k), k prime or 4 (elements are polynomials mod x^2+x+1)."""
    if k != 4:
        return [[a * b % k for b in range(k)] for a in range(k)], [[(a + b) % k for b in range(k)] for a in range(k)]
    times = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]]
    return times, [[a ^ b for b in range(4)] for a in range(4)]


def _projective() -> tuple[Seating, ...]:
    """The maps of PGL(2, 5); 5 stands for infinity.

    They come in cosets of a cyclic group of order 6 that moves every seat, so that, as for the affine maps, the six of
    a block put every bot on every seat once. No order of the blocks keeps pairs within one time of each other; the
    next block is the one whose pairs of seats were least used so far.
    """
    maps = {
        tuple(_moebius(a, b, c, d, seat) for seat in range(6))
        for a, b, c, d in product(range(5), repeat=4)
        if (a * d - b * c) % 5
    }
    cycle = min(powers for powers in map(_powers, maps) if len(powers) == 6)
    blocks = {tuple(sorted(_after(outer, inner) for inner in cycle)) for outer in maps}
    used: Counter[tuple[int, int, int, int]] = Counter()
    ordered: list[Seating] = []
    while blocks:
        block = min(blocks, key=lambda block: (sum(used[pair] for seating in block for pair in _pairs(seating)), block))
        blocks.remove(block)
        used.update(pair for seating in block for pair in _pairs(seating))
        ordered += block
    return tuple(ordered)


def _powers(seating: Seating) -> tuple[Seating, ...]:
    """Return the cyclic group of a permutation, the identity first."""
    group = [tuple(range(len(seating)))]
    while (following := _after(group[-1], seating)) != group[0]:
        group.append(following)
    return tuple(group)


def _after(outer: Seating, inner: Seating) -> Seating:
    return tuple(outer[seat] for seat in inner)


def _moebius(a: int, b: int, c: int, d: int, seat: int) -> int:
    above, below = (a, c) if seat == 5 else (a * seat + b, c * seat + d)
    return 5 if below % 5 == 0 else above * pow(below, -1, 5) % 5


@cache
def _many(k: int, number: int) -> tuple[Seating, ...]:
    """Take whole balanced sets that do not overlap, then a part of the next one.

    For a permutation p the maps p(g(s)), g in the balanced group, are again a balanced set (a coset of the group), and
    in its blocks of k every bot has every seat once; cosets are equal or disjoint.
    """
    group = _balanced(k)
    taken: dict[Seating, None] = {}
    for outer in permutations(range(k)):
        if outer in taken:
            continue
        for inner in group:
            taken[_after(outer, inner)] = None
            if len(taken) == number:
                return tuple(taken)
    raise AssertionError(f"the cosets of the balanced set hold {len(taken)} of {factorial(k)} permutations")
