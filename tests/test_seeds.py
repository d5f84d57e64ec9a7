"""Golden vectors of the random streams: if one moves, every deal of every stored league is another."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import Chance, create
from arena.seeds import Stream, bot_seed, chance_stream, commitment, deal_key, derive, new_secret, wire_id

SECRET = bytes(range(32))
RULESET = '{"game":"no_thanks"}'
DEAL_KEY = bytes.fromhex("16ae58a149b46315cf94295e22a34116162cfb31d41014ca1e5c9899a7b3e9f6")
WORDS = [
    8443683602403722392,
    8748695982620651164,
    446220668673684105,
    3072624755879296226,
    13874980573822200653,
    8283764539115321660,
]


def test_keys() -> None:
    assert commitment(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert derive(SECRET, "a", 1).hex() == "1f115a8291974b774166e7a1690b58f0d98f3b80f582d4433e533c32c7db4270"
    assert deal_key(SECRET, RULESET, 7) == DEAL_KEY
    assert wire_id(SECRET, "game-1") == "5f6de1fa1326cfe55d3a"


def test_words_of_a_stream() -> None:
    stream = chance_stream(DEAL_KEY, 0)
    assert [stream.below(1 << 64) for _ in WORDS] == WORDS


@pytest.mark.parametrize(
    ("event", "drawn"),
    [
        (0, [2, 4, 5, 6, 3, 0, 9, 6, 2, 7, 7, 2, 9, 0, 9, 2, 1, 6, 4, 0, 3, 2, 3, 6]),
        (1, [9, 1, 0, 8, 8, 7, 4, 1, 3, 9, 2, 7]),
    ],
)
def test_below_ten(event: int, drawn: list[int]) -> None:
    """Each chance event of a deal has a stream of its own."""
    stream = chance_stream(DEAL_KEY, event)
    assert [stream.below(10) for _ in drawn] == drawn


def test_below_rejects_words_over_the_limit() -> None:
    """With k = 2**63 + 1 a word of k or more is thrown away: the fifth one here."""
    stream = chance_stream(DEAL_KEY, 0)
    k = (1 << 63) + 1
    assert [stream.below(k) for _ in range(5)] == [*WORDS[:4], WORDS[5]]


def test_a_deal() -> None:
    """The whole way from a secret to the cards of a game."""
    game = create("no_thanks", 3)
    stream = chance_stream(deal_key(SECRET, game.spec.ruleset, 0), 0)
    assert game.sample_chance(game.initial(), stream) == Chance(
        "shuffle 13 3 7 25 16 22 10 31 21 30 35 27 17 32 28 15 18 14 26 4 20 8 19 24 11 12 33 6 5 23 9 29 34"
    )


def test_bot_seeds_fit_a_double() -> None:
    """Below 2**53, other for each seat and game."""
    seeds = [bot_seed(SECRET, "game-1", 0), bot_seed(SECRET, "game-1", 1), bot_seed(SECRET, "game-2", 0)]
    assert seeds == [1233816179012406, 4093576012856734, 1293058858430846]
    assert max(seeds) < 1 << 53


def independent_words(key: bytes) -> Any:
    """Yield the words of a stream as the module's docstring tells it, written anew with the ``hmac`` class."""
    block = 0
    while True:
        data = hmac.new(key, block.to_bytes(8, "big"), hashlib.sha256).digest()
        yield from (int.from_bytes(data[8 * i : 8 * i + 8], "big") for i in range(4))
        block += 1


@given(key=st.binary(min_size=32, max_size=32), k=st.integers(1, 1 << 64))
def test_streams_are_the_documented_construction(key: bytes, k: int) -> None:
    stream = Stream(key)
    drawn = [stream.below(k) for _ in range(6)]
    limit = (1 << 64) - (1 << 64) % k
    assert drawn == list(islice((word % k for word in independent_words(key) if word < limit), 6))


def test_keys_of_different_names_differ() -> None:
    """Every part is written with its length, so that no two names run together."""
    names: list[tuple[str | int, ...]] = [("ab",), ("a", "b"), ("a", "b", ""), ("", "ab"), (1, 2), (12,), ("1", "", 2)]
    assert len({derive(SECRET, *name) for name in names}) == len(names)
    assert derive(SECRET, 1) == derive(SECRET, "1")


@pytest.mark.parametrize("k", [0, -1, (1 << 64) + 1])
def test_below_refuses(k: int) -> None:
    with pytest.raises(ValueError, match=r"k must be in 1\.\.2\*\*64"):
        Stream(SECRET).below(k)


def test_below_is_uniform() -> None:
    """Chi-square of 60,000 draws in 0..5, fixed key: 5 degrees of freedom, 99.9 % of fair streams stay below 20.5."""
    stream = Stream(SECRET)
    counts = Counter(stream.below(6) for _ in range(60_000))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 20.5
    assert sorted(counts) == list(range(6))


def test_new_secrets_differ() -> None:
    assert len(new_secret()) == 32
    assert new_secret() != new_secret()
