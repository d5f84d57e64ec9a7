"""Of SDKs whose one thread both decides and writes: an answer has left before the next decision begins."""

from __future__ import annotations

from pathlib import Path

from arena.players.base import Program
from tests.bots.conversation import Talk, talk


def assert_sent_first(probe: Program, folder: Path) -> None:
    """Ask for a slow decision and one that waits for a file, which is made when the slow one's answer is here."""
    arrived = folder / "arrived"

    async def scenario(other: Talk) -> None:
        await other.greeted()
        other.say(["slow", f"wait {arrived}"])
        assert await other.actions(1) == ["slow"]
        arrived.touch()
        assert await other.actions(1) == ["true"]

    talk(probe, scenario)
