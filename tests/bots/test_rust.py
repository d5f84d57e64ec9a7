"""The Rust starters, built and played for real."""

from __future__ import annotations

from pathlib import Path

from arena.players.base import Program
from tests.bots.sdk_contract import SdkContract
from tests.bots.sent_first import assert_sent_first


class TestRust(SdkContract):
    """The SDK and the bots of ``bots/rust``."""

    language = "rust"
    main = "src/main.rs"
    twin = "greedy"
    twin_game = "prime_reversal"

    def test_an_answer_leaves_before_the_next_decision(self, probe_bot: Program, tmp_path: Path) -> None:
        """It is really sent, although the decision after it does not give way."""
        assert_sent_first(probe_bot, tmp_path)
