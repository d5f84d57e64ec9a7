"""The Rust starters, built as a league builds them, in real sittings."""

from __future__ import annotations

import pytest

from arena.games import game_ids
from tests.bots.toolchains import BUILD_S, built, play_alike, play_alone, require_toolchain

pytestmark = pytest.mark.timeout(BUILD_S)


@pytest.fixture(autouse=True)
def _toolchain() -> None:
    require_toolchain("rust")


@pytest.mark.parametrize("game", game_ids())
def test_random_plays_every_game(game: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The first bot that an author copies plays all games without a fault."""
    play_alone(built("rust/random", tmp_path_factory), game)


def test_greedy_plays_as_its_python_twin(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The typed views say the same in both languages, and so do the bots that read them."""
    play_alike(built("rust/greedy", tmp_path_factory), built("python/greedy", tmp_path_factory), "prime_reversal")
