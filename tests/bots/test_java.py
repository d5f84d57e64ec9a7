"""The Java starters, built and played for real."""

from __future__ import annotations

from tests.bots.sdk_contract import SdkContract


class TestJava(SdkContract):
    """The SDK and the bots of ``bots/java``."""

    language = "java"
    main = "src/Main.java"
