"""The Java starters, built and played for real."""

from __future__ import annotations

from arena.players.base import Program
from tests.bots.sdk_contract import SdkContract, after_nothing


class TestJava(SdkContract):
    """The SDK and the bots of ``bots/java``."""

    language = "java"
    main = "src/Main.java"

    def test_nothing_is_no_action(self, probe_bot: Program) -> None:
        """A bot that returns null reads what it should have returned."""
        assert "decide returned null; an action is one of legalActions(), such as nothing" in after_nothing(probe_bot)
