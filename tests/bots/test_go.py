"""The Go starters, built and played for real."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.players.base import Program
from tests.bots.sdk_contract import GAMES_IN_FULL, SdkContract
from tests.bots.toolchains import BOTS, BUILD_S, require, same_play


class TestGo(SdkContract):
    """The SDK and the bots of ``bots/go``."""

    language = "go"
    main = "main.go"

    def test_twins_agree_over_a_thousand_short_games(self, twins: list[Program]) -> None:
        """One language stands for all in every run; in soak all play so many long ones."""
        same_play(twins, GAMES_IN_FULL, self.twin_game, rounds=1)


@pytest.mark.timeout(BUILD_S)
def test_the_generated_code_is_that_of_the_contract(tmp_path: Path) -> None:
    """``bots/go/generate`` would change nothing."""
    pytest.importorskip("grpc_tools", reason="install the extra dev")
    require("go", "bash", install="Go 1.26 or later, and bash")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "GOCACHE": str(Path.home() / ".cache/go-build")}
    subprocess.run([BOTS / "go" / "generate", tmp_path], check=True, env=env)
    checked_in = {path.name: path.read_text() for path in (BOTS / "go" / "sdk" / "pb").iterdir()}
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == checked_in
