"""The Ruby starter, which was written from proto/README.md alone: proof that the page is enough."""

from __future__ import annotations

import subprocess

import pytest

from arena.games import game_ids
from arena.lab.check import Wanted, check
from tests.bots.toolchains import BUILD_S, LIMITS, built, play_alone, require, require_language

pytestmark = pytest.mark.timeout(BUILD_S)


@pytest.fixture(autouse=True)
def _toolchain() -> None:
    require_language("ruby")
    if subprocess.run(["ruby", "-e", "require 'grpc'"], capture_output=True, timeout=60, check=False).returncode:
        require("gRPC for Ruby", install="ruby-grpc ruby-google-protobuf")


@pytest.mark.parametrize("game", game_ids())
def test_random_plays_every_game(game: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A language that has no SDK of the arena's plays all games without a fault."""
    play_alone(built("ruby/random", tmp_path_factory), game)


def test_it_keeps_the_contract(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All that the lab tries in one game goes well, the advice included."""
    report = check(built("ruby/random", tmp_path_factory), Wanted(("no_thanks",), True, LIMITS), lambda _: None)
    assert report.findings == [], [(item.rule, item.words) for item in report.findings]
