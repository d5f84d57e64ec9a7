"""The JavaScript starters, built and played for real."""

from __future__ import annotations

from tests.bots.sdk_contract import SdkContract


class TestJavaScript(SdkContract):
    """The SDK and the bots of ``bots/javascript``."""

    language = "javascript"
    main = "bot.js"
