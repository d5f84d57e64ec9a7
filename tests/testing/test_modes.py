"""The modes of a game are found through its options, so that a new one cannot be forgotten by the tests over modes."""

from __future__ import annotations

from arena.testing.modes import mode_options


def test_words_lists_and_flags_are_modes() -> None:
    """Every value but the default; numbers are no modes."""
    assert list(mode_options("no_thanks")) == [
        ("variant", "secret"),
        ("variant", "tactical"),
        ("token_table", "publisher"),
        ("known_removed", [10, 19, 28]),
        ("token_view", "hidden"),
    ]
    assert ("list_claims", False) in list(mode_options("king_priam"))
