"""greedy plays every game of the arena legally and above random play."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from arena.games import game_class, game_ids
from tests.bots.playing import Load, random_bot, win_share


@pytest.mark.parametrize("game_id", game_ids())
def test_beats_random_in_every_game(load: Load, game_id: str) -> None:
    """A rule of thumb is worth something; every answer is checked by the rules."""
    choose = load("greedy", "bot").RULES[game_id]
    seats = game_class(game_id).seat_counts[0]

    def greedy(view: Any, legal_actions: Sequence[str], rng: Random) -> str:
        return str(choose(view, legal_actions, rng))

    assert win_share([greedy, *[random_bot] * (seats - 1)], game_id, 12 if seats == 2 else 4) > 1.15 / seats


@pytest.mark.parametrize(
    ("hand", "trick", "played"),
    [
        ((12, 30, 31), (40,), "play 31"),
        ((12, 30, 39), (40,), "play 12"),
        ((11, 30, 39), (13,), "play 30"),
        ((11, 13), (37,), "play 11"),
        ((20, 39), (), "play 39"),
    ],
)
def test_prime_reversal(load: Load, hand: tuple[int, ...], trick: tuple[int, ...], played: str) -> None:
    """Wins with its strongest card if that wins, else dumps its least useful one."""
    choose = load("greedy", "prime_reversal").choose
    view = SimpleNamespace(trick=trick)
    assert choose(view, [f"play {card}" for card in hand], Random(1)) == played


def test_prime_reversal_picks_primes(load: Load) -> None:
    """A loser takes the highest prime, else the highest card."""
    choose = load("greedy", "prime_reversal").choose
    assert choose(SimpleNamespace(), ["pick 36", "pick 37", "pick 40"], Random(1)) == "pick 37"
    assert choose(SimpleNamespace(), ["pick 24", "pick 36", "pick 40"], Random(1)) == "pick 40"


def test_prime_cards_makes_the_largest_prime(load: Load) -> None:
    """Worked examples of the rules: 25 - 2 = 23; a lone operation is no trick; a lead never scores."""
    prime_cards = load("greedy", "prime_cards")
    assert prime_cards.gain([25], "play -2") == 23
    assert prime_cards.gain([7], "play 4") == 11
    assert prime_cards.gain([], "lead 7") == 0
    assert prime_cards.gain([8], "play 7") == 0
    assert prime_cards.choose(SimpleNamespace(table=[10]), ["play -2", "play 1", "play 7"], Random(1)) == "play 7"


def test_king_priam_finds_claims_that_are_not_listed(load: Load) -> None:
    """Worked examples 1, 2 and 5 of the rules."""
    king_priam = load("greedy", "king_priam")
    targets = (23, 29, 31, 37, 47, 53, 59, 61, 67, 71, 73, 79)

    def claims(*row: str) -> set[str]:
        return set(king_priam.true_claims(SimpleNamespace(row=row, open_targets=targets)))

    assert claims("S9", "S8", "H7") == {"claim 79 S8*S9+H7"}
    assert claims("S8", "S10", "S1") == {"claim 79 S8*S10-S1"}
    assert {int(claim.split()[1]) for claim in claims("C7", "C10", "D9", "C3")} == {79, 73, 67, 61, 37, 31, 23}
    view = SimpleNamespace(row=("C7", "C10", "D9", "C3"), open_targets=targets)
    assert king_priam.choose(view, ["pass"], Random(1)) == "claim 79 C7*C10+D9"
    assert (
        king_priam.choose(SimpleNamespace(row=("D2", "S3", "H4"), open_targets=targets), ["pass"], Random(1)) == "pass"
    )


def test_rainbow_takes_most_table_cards(load: Load) -> None:
    """Weights of worked example 2 of the rules; corners stay on the table."""
    rainbow = load("greedy", "rainbow")
    weights = {"claim 2 3 6": 1, "claim 2 19 38": 2, "claim 5 6 11": 2, "claim 6 84 90": 3, "pass": 0}
    assert {action: rainbow.weight(action) for action in weights} == weights
    assert rainbow.choose(SimpleNamespace(), list(weights), Random(1)) == "claim 6 84 90"


def test_classification_gains(load: Load) -> None:
    """The two examples of the source: 12 is scored and 8 pulled; two cards pulled into the zone."""
    gain = load("greedy", "classification").gain
    assert gain([(18, 10, 3), (8,), (12,)], 1, "play 16 multiple_of(4)") == 2 + 0.5 * (1 - 2)
    assert gain([(11, 28, 30), (7,), ()], 1, "play 5 prime") == 0.5 * 5
    assert gain([(6, 8, 9), (), ()], 1, "play 4 composite") == 0
    assert gain([(6, 8, 9), (), ()], 1, "end_turn") == 0


def test_unique_spends_the_narrowest_property(load: Load) -> None:
    """Wide properties are kept for later."""
    unique = load("greedy", "unique")
    legal = ["claim prime 0", "claim prime 1", "claim multiple_of(17) 0", "claim multiple_of(17) 1", "pass"]
    view = SimpleNamespace(turn_list=(), tops=(13, 60))
    assert unique.choose(view, legal, Random(1)) == "claim multiple_of(17) 1"
    assert unique.choose(view, ["pass"], Random(1)) == "pass"


def test_properties_are_those_of_the_rules(load: Load) -> None:
    """Members of every property of the catalogue, by the fingerprint of the rule file."""
    properties = load("greedy", "properties")
    lines = [
        f"{index} {name} {','.join(map(str, members))}" for index, (name, members) in enumerate(catalogue(properties))
    ]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "94ba0a0a9b9d2a5fa7a345b745ed0139db1e5d8c3099fcc66442bafe72f80a0b"


PARAMETERS: dict[str, list[str]] = {
    "multiple_of": [f"({k})" for k in range(2, 50)],
    "remainder": [f"({k},{r})" for k in (3, 4, 5) for r in range(1, k)],
    "number_of_colours": [f"({c})" for c in range(7)],
    "has_colour": [f"({p})" for p in range(2, 98) if all(p % k for k in range(2, p))],
    "divisor_count": [f"({d})" for d in range(1, 13)],
    "has_digit": [f"({d})" for d in range(10)],
    "ones_digit": [f"({d})" for d in range(10)],
    "tens_digit": [f"({d})" for d in range(10)],
    "digit_sum": [f"({s})" for s in range(1, 19)],
    "digit_count": ["(1)", "(2)"],
    "digit_gap": [f"({d})" for d in range(10)],
}
"""Parameters of the rule file by family, in order."""


def catalogue(properties: Any) -> list[tuple[str, list[int]]]:
    """Return (name, members) of every admissible property, first description first."""
    found: dict[frozenset[int], str] = {}
    for family in properties.RULES:
        for parameters in PARAMETERS.get(family, [""]):
            members = properties.members(family + parameters)
            if 5 <= len(members) <= 94:
                found.setdefault(members, family + parameters)
    return [(name, sorted(members)) for members, name in found.items()]
