"""The properties of the numbers 1..99 by their names, such as ``multiple_of(7)``: which numbers have which."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isqrt

NUMBERS = range(1, 100)


def divisors(n: int) -> int:
    """Return how many divisors a number has."""
    return sum(n % k == 0 for k in range(1, n + 1))


def colours(n: int) -> int:
    """Return how many colours a card shows: its distinct prime divisors; 97 shows six, 1 none."""
    return 6 if n == 97 else sum(n % p == 0 and divisors(p) == 2 for p in range(2, n + 1))


def _power(n: int, exponent: int) -> bool:
    return any(root**exponent == n for root in range(1, n + 1))


def _two_digits(n: int, holds: Callable[[int, int], bool]) -> bool:
    return n > 9 and holds(n // 10, n % 10)


RULES: dict[str, Callable[..., bool]] = {
    "even": lambda n: n % 2 == 0,
    "odd": lambda n: n % 2 == 1,
    "multiple_of": lambda n, k: n % k == 0,
    "remainder": lambda n, k, r: n % k == r,
    "prime": lambda n: divisors(n) == 2,
    "composite": lambda n: divisors(n) > 2,
    "square": lambda n: isqrt(n) ** 2 == n,
    "cube": lambda n: _power(n, 3),
    "power_of_two": lambda n: n & (n - 1) == 0,
    "squarefree": lambda n: all(n % (k * k) for k in range(2, 10)),
    "number_of_colours": lambda n, c: colours(n) == c,
    "has_colour": lambda n, p: n % p == 0,
    "divisor_count": lambda n, d: divisors(n) == d,
    "has_digit": lambda n, d: str(d) in str(n),
    "ones_digit": lambda n, d: n % 10 == d,
    "tens_digit": lambda n, d: n // 10 == d,
    "digit_sum": lambda n, s: n // 10 + n % 10 == s,
    "digit_count": lambda n, c: len(str(n)) == c,
    "digits_equal": lambda n: _two_digits(n, lambda tens, ones: tens == ones),
    "digits_rising": lambda n: _two_digits(n, lambda tens, ones: tens < ones),
    "digits_falling": lambda n: _two_digits(n, lambda tens, ones: tens > ones),
    "digit_gap": lambda n, d: _two_digits(n, lambda tens, ones: abs(tens - ones) == d),
}


@lru_cache(maxsize=256)
def members(name: str) -> frozenset[int]:
    """Return the numbers of 1..99 that have a property, given as ``family`` or ``family(k)`` or ``family(k,r)``."""
    family, _, rest = name.partition("(")
    parameters = [int(text) for text in rest.rstrip(")").split(",") if text]
    return frozenset(n for n in NUMBERS if RULES[family](n, *parameters))


COLOURS = (0, *map(colours, NUMBERS))
"""Colours of each card, by its number: what it scores."""
