"""The catalogue of properties (rules/number_properties.md): its content, aliases and refusals."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from arena.errors import IllegalAction
from arena.games.number_cards import CARDS
from arena.games.number_properties import CATALOGUE, DESCRIPTIONS, FAMILIES, MASKS, OF_CARD, find_property, require_true

ALIASES = {
    "multiple_of(2)": "even",
    "has_colour(2)": "even",
    **{f"has_colour({prime})": f"multiple_of({prime})" for prime in (3, 5, 7, 11, 13, 17, 19)},
    "divisor_count(2)": "prime",
    "has_digit(0)": "multiple_of(10)",
    "ones_digit(0)": "multiple_of(10)",
    "digit_count(1)": "tens_digit(0)",
    "digits_equal": "multiple_of(11)",
    "digit_gap(0)": "multiple_of(11)",
}
FIFTY = (
    "even, multiple_of(5), multiple_of(10), remainder(3,2), remainder(4,2), composite, number_of_colours(2), "
    "divisor_count(6), has_digit(5), tens_digit(5), digit_sum(5), digit_count(2), digits_falling, digit_gap(5)"
)


def is_true(text: str, card: int) -> bool:
    return find_property(text, 0).holds[card]


def test_fingerprint() -> None:
    """The 89 properties, their order and their members are those of the rule file."""
    lines = [f"{prop.index} {prop.name} {','.join(map(str, prop.members))}" for prop in CATALOGUE]
    assert len(lines) == 89
    fingerprint = sha256("\n".join(lines).encode()).hexdigest()
    assert fingerprint == "94ba0a0a9b9d2a5fa7a345b745ed0139db1e5d8c3099fcc66442bafe72f80a0b"


def test_aliases_are_exactly_those_of_the_rule_file() -> None:
    """A description of the catalogue is canonical or one of the listed aliases."""
    found = {text: prop.name for text, prop in DESCRIPTIONS.items() if prop and prop.name != text}
    assert found == ALIASES


def test_properties_of_a_card() -> None:
    """Every card satisfies 10 (card 1) to 20 (card 72) properties, 15.5 on average; example 1 lists those of 50."""
    counts = {card: len(OF_CARD[card]) for card in CARDS}
    assert min(counts.items(), key=lambda item: item[1]) == (1, 10)
    assert max(counts.items(), key=lambda item: item[1]) == (72, 20)
    assert round(sum(counts.values()) / 99, 1) == 15.5
    assert ", ".join(prop.name for prop in OF_CARD[50]) == FIFTY


def test_masks_say_the_same() -> None:
    """Bit i of a card's mask stands for property i; no card has none."""
    for card in range(100):
        assert [bool(MASKS[card] >> prop.index & 1) for prop in CATALOGUE] == [prop.holds[card] for prop in CATALOGUE]
    assert OF_CARD[0] == ()


def test_sizes() -> None:
    """5 to 94 members, and the sizes printed in the rule file's table."""
    sizes = {prop.name: len(prop.members) for prop in CATALOGUE}
    assert min(sizes.values()) == 5
    assert max(sizes.values()) == sizes["digit_count(2)"] == 90
    assert (sizes["even"], sizes["odd"], sizes["squarefree"], sizes["digit_gap(7)"]) == (49, 50, 61, 5)


@pytest.mark.parametrize(
    ("text", "card", "truth"),
    [
        ("has_colour(5)", 10, True),
        ("has_colour(2)", 97, False),
        ("number_of_colours(1)", 97, False),
        ("number_of_colours(1)", 16, True),
        ("number_of_colours(1)", 1, False),
        ("multiple_of(9)", 99, True),
        ("digit_sum(9)", 99, False),
        ("has_digit(9)", 90, True),
        ("tens_digit(0)", 7, True),
        ("has_digit(0)", 7, False),
        ("digit_gap(6)", 17, True),
        ("digit_gap(6)", 6, False),
        ("square", 1, True),
        ("power_of_two", 1, True),
        ("squarefree", 1, True),
        ("prime", 1, False),
        ("composite", 1, False),
    ],
)
def test_examples(text: str, card: int, truth: bool) -> None:
    """Worked examples 2-7 of the rule file, and what it says about 1."""
    assert is_true(text, card) is truth


def test_canonical_names_of_the_examples() -> None:
    """Examples 2, 4 and 8: an alias is the property that it names."""
    assert find_property("has_colour(5)", 0).name == "multiple_of(5)"
    assert find_property("digits_equal", 0) is find_property("multiple_of(11)", 0)
    assert find_property("multiple_of(19)", 0).members == (19, 38, 57, 76, 95)
    assert len(find_property("multiple_of(9)", 0).members) == 11
    assert len(find_property("digit_sum(9)", 0).members) == 10


@pytest.mark.parametrize(
    "text",
    ["multiple_of(20)", "digit_sum(18)", "cube", "number_of_colours(6)", "number_of_colours(0)", "has_colour(23)"],
)
def test_refused_by_size(text: str) -> None:
    """Well-formed descriptions of tiny groups have a code of their own."""
    with pytest.raises(IllegalAction, match="property_not_in_catalogue") as caught:
        find_property(text, 3)
    assert caught.value.seat == 3


@pytest.mark.parametrize(
    "text",
    [
        "remainder(10,3)",
        "less_than(50)",
        "smallest",
        "even_or_prime",
        "remainder(3,0)",
        "remainder(3, 2)",
        "remainder(3)",
        "multiple_of(1)",
        "multiple_of(50)",
        "multiple_of(07)",
        "multiple_of(+7)",
        "multiple_of(٣)",
        "multiple_of",
        "even()",
        "Even",
        "has_colour(4)",
        "digit_count(3)",
        "",
        "even" * 2500,
    ],
)
def test_no_description(text: str) -> None:
    """Anything outside the typed language is a syntax error, and the message stays short whatever was sent."""
    with pytest.raises(IllegalAction, match="property_syntax") as caught:
        find_property(text, 0)
    assert len(str(caught.value)) < 200


def test_syntax_error_names_the_nearest() -> None:
    """A typing error is answered with what was probably meant."""
    with pytest.raises(IllegalAction, match=r"did you mean 'multiple_of\(7\)'"):
        find_property("multipleof(7)", 0)


def test_require_true() -> None:
    """A false property is refused by name and card."""
    require_true(find_property("prime", 0), 17, 1)
    with pytest.raises(IllegalAction, match=r"seat 1: prime is not true of 50 \(property_false\)"):
        require_true(find_property("prime", 0), 50, 1)


def test_every_family_of_the_language() -> None:
    """The number of well-formed descriptions, family by family, as in the rule file's table."""
    counts = Counter(text.partition("(")[0] for text in DESCRIPTIONS)
    assert [counts[family.name] for family in FAMILIES] == [
        *(1, 1, 48, 9, 1, 1, 1, 1, 1, 1, 7, 25, 12),
        *(10, 10, 10, 18, 2, 1, 1, 1, 10),
    ]
