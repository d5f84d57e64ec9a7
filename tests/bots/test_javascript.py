"""The JavaScript starters, built and played for real."""

from __future__ import annotations

from arena.players.base import Program
from tests.bots.sdk_contract import SdkContract, after_nothing


class TestJavaScript(SdkContract):
    """The SDK and the bots of ``bots/javascript``."""

    language = "javascript"
    main = "bot.js"

    def test_nothing_is_no_action(self, probe_bot: Program) -> None:
        """A bot that forgets to return reads that, in one line."""
        assert after_nothing(probe_bot) == (
            "decide returned undefined (does every way through it end with a return?); "
            "an action is a string, one of request.legalActions, such as 'nothing'\n"
        )
