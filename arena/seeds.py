"""Keyed random streams: one 256-bit secret, any number of named, independent streams.

The stream of chance event *j* of deal *d* of a ruleset depends on (secret, ruleset, d, j) and on nothing else: not on
the bots, the schedule or what was drawn before. It is derived in two steps, so that a worker can be handed the keys of
its own deals alone::

    deal key  = HMAC-SHA256(secret,   "arena deal 1"   | ruleset | d)
    event key = HMAC-SHA256(deal key, "arena chance 1" | j)
    block i   = HMAC-SHA256(event key, i as 8 bytes)           four 64-bit words each, big-endian

``below(k)`` is rejection sampling on those words. Golden vectors in ``tests/test_seeds.py`` pin every step.
"""

from __future__ import annotations

import hashlib
import secrets
from hmac import digest
from struct import Struct

SECRET_BYTES = 32
_WORD = 1 << 64
_WORDS = Struct(">4Q")


def new_secret() -> bytes:
    """Return a fresh league secret: 32 bytes from the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment(secret: bytes) -> str:
    """Return the SHA-256 of a secret in hex: published before the league, so that deals cannot be chosen later."""
    return hashlib.sha256(secret).hexdigest()


def derive(key: bytes, *name: str | int) -> bytes:
    """Return the 32-byte key for a purpose, named by words and numbers in order.

    Every part is written with its length, so that no two names share an encoding.
    """
    parts = [str(part).encode() for part in name]
    return digest(key, b"".join(len(part).to_bytes(4, "big") + part for part in parts), "sha256")


def deal_key(secret: bytes, ruleset: str, deal: int) -> bytes:
    """Return the key of one deal (number from 0) of a ruleset (canonical text of game, seats, options, version)."""
    return derive(secret, "arena deal 1", ruleset, deal)


def chance_stream(key: bytes, event: int) -> Stream:
    """Return the stream of chance event ``event`` (from 0) of the deal with this key."""
    return Stream(derive(key, "arena chance 1", event))


def bot_seed(secret: bytes, game_id: str, seat: int) -> int:
    """Return the bot's own seed for one game, independent of the deal; below 2**53, so that JavaScript keeps it."""
    return Stream(derive(secret, "arena bot seed 1", game_id, seat)).below(1 << 53)


def wire_id(secret: bytes, game_id: str) -> str:
    """Return what bots are told instead of a game's id, which follows from the league file: 20 hex digits.

    Without the secret nobody can tell from it who else sits in the game, or that it was played before.
    """
    return derive(secret, "arena wire id 1", game_id).hex()[:20]


class Stream:
    """Uniform whole numbers from one 32-byte key; the same key gives the same numbers on every machine."""

    __slots__ = ("_block", "_key", "_words")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._words: list[int] = []

    def below(self, k: int) -> int:
        """Return a uniform whole number in 0..k-1.

        Args:
            k: 1..2**64.

        Raises:
            ValueError: if k is outside that range.
        """
        if not 1 <= k <= _WORD:
            raise ValueError(f"below({k}): k must be in 1..2**64")
        limit = _WORD - _WORD % k
        while True:
            if not self._words:
                block = digest(self._key, self._block.to_bytes(8, "big"), "sha256")
                self._block += 1
                self._words = [*_WORDS.unpack(block)]
                self._words.reverse()
            word = self._words.pop()
            if word < limit:
                return word % k
