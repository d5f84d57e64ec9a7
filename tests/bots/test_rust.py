"""The Rust starters, built and played for real."""

from __future__ import annotations

from pathlib import Path

from arena.players.base import Listen, Program
from tests.bots.conversation import Talk, talk
from tests.bots.sdk_contract import SdkContract
from tests.bots.sent_first import assert_sent_first
from tests.certificates import HOST, certify


class TestRust(SdkContract):
    """The SDK and the bots of ``bots/rust``."""

    language = "rust"
    main = "src/main.rs"
    twin = "greedy"
    twin_game = "prime_reversal"

    def test_a_referee_elsewhere_is_dialled_by_tls(self, probe_bot: Program, tmp_path: Path) -> None:
        """Not by this SDK: it refuses rather than send its token in the open."""
        certificate, key = certify(tmp_path, "own")

        async def scenario(other: Talk) -> None:
            status, output = await other.ended()
            assert status == 2
            assert output == (
                f"ARENA_CERTIFICATE = {certificate}: this SDK speaks no TLS, and the token may not travel in the open\n"
            )
            assert other.hellos == []

        talk(probe_bot, scenario, tls=Listen(HOST, 0, str(certificate), str(key)))

    def test_an_answer_leaves_before_the_next_decision(self, probe_bot: Program, tmp_path: Path) -> None:
        """It is really sent, although the decision after it does not give way."""
        assert_sent_first(probe_bot, tmp_path)
