"""The Go starters, built and played for real."""

from __future__ import annotations

from tests.bots.sdk_contract import SdkContract


class TestGo(SdkContract):
    """The SDK and the bots of ``bots/go``."""

    language = "go"
    programs = ("go",)
    install = "Go 1.26 or later"
    main = "main.go"
