"""The starters of other languages, built for real: what a test needs for it, and one build of each for all tests.

A test whose toolchain is missing is skipped and says what to install; with ``ARENA_REQUIRE_ALL=1`` in the environment
it fails instead, so that a machine that should have everything cannot pass by leaving tests out.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.games import game_class
from arena.league.bots import read_bot
from arena.league.build import JAVA, limited
from arena.league.builds import Builds, users_cache
from arena.league.snapshot import snapshot
from arena.league.toolchains import TOOLCHAINS
from arena.players.base import Limits, Program
from arena.players.levels import resolve_level
from tests.conftest import shared_folder
from tests.league.sittings import Played, play

BOTS = Path(__file__).parents[2] / "bots"
REQUIRE_ALL = "ARENA_REQUIRE_ALL"
LIMITS = Limits(start_s=30, move_ms=2000, margin_ms=1000)
"""Generous: these tests are about what is said on the stream, on machines that do other work, too."""
BUILD_S = 900
"""For ``pytest.mark.timeout`` of the tests that may have to fetch and build a starter first."""


def require(*programs: str, install: str) -> None:
    """Skip or fail the running test when a program is missing.

    Args:
        programs: what must be in PATH.
        install: what brings them, in words.
    """
    missing = [name for name in programs if shutil.which(name) is None]
    if not missing:
        return
    words = f"{' and '.join(missing)} not found: install {install}"
    if os.environ.get(REQUIRE_ALL) == "1":
        pytest.fail(f"{words} ({REQUIRE_ALL}=1)", pytrace=False)
    pytest.skip(words)


def require_language(language: str) -> None:
    """Skip or fail the running test when what a language needs is missing."""
    require(*TOOLCHAINS[language].programs, install=TOOLCHAINS[language].install)


def built(bot: str, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of ``bots/<bot>``, such as ``go/random``, fetched and built once for all tests of a run."""
    with building(bot, tmp_path_factory) as folder:
        # Kept, so that commands under test take it: those confine the steps that build, at the level that works here.
        builds = Builds(users_cache(), resolve_level("auto"), lambda words: None)
        return snapshot(read_bot(bot, BOTS), folder, with_users_caches, builds)


@contextmanager
def building(what: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder in which this is built, the same for all tests of a run; one process at a time has it."""
    home = shared_folder(tmp_path_factory) / "built" / what.replace("/", "-")
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield home


def with_users_caches(kind: str, command: Sequence[str], folder: Path) -> Sequence[str]:
    """Return the command of a step with the caches of whoever runs the tests.

    Libraries are then fetched and compiled once on a machine and not in every run; the bots themselves always are.
    """
    home = Path.home()
    caches: dict[str, str | Path] = {
        "GOPATH": home / "go",
        "GOCACHE": home / ".cache/go-build",
        "CARGO_HOME": home / ".cargo",
        "CARGO_BUILD_BUILD_DIR": home / ".cache/arena-cargo",
        "MAVEN_OPTS": f"-Dmaven.repo.local={home / '.m2/repository'} {JAVA}",
        "npm_config_cache": home / ".npm",
    }
    if shutil.which("ccache"):  # the messages of the wire are most of what a C++ bot compiles
        caches |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_DIR": home / ".cache/ccache"}
        caches |= {"CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1"}
    return ("env", *(f"{name}={place}" for name, place in caches.items()), *limited(kind, command, folder))


def play_alone(program: Program, game: str, games: int = 4) -> Played:
    """Play a sitting of a program against itself, with 3 seats if it can; assert that nothing went wrong."""
    counts = game_class(game).seat_counts
    outcome = play([program] * (3 if 3 in counts else counts[0]), games, LIMITS, game=game, options={})
    assert outcome.end.failures == ("",) * len(outcome.end.failures), outcome.end.logs
    words = {str(word) for record in outcome.records for word in record.terminations}
    assert words == {"normal"}, (words, outcome.end.logs)
    return outcome


def same_play(programs: Sequence[Program], games: int, game: str, **options: int) -> None:
    """Assert that two programs play a game alike, each against itself at 3 seats: the same deals, the same steps."""
    records = [play([one] * 3, games, LIMITS, game=game, options=options).records for one in programs]
    for record, expected in zip(*records, strict=True):
        assert set(map(str, record.terminations)) == {"normal"}
        assert record.entries == expected.entries
