"""Fixtures for tests of every floor."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.commands import Commands

settings.register_profile("arena", deadline=None, derandomize=True)
settings.load_profile("arena")
"""The same commit has the same verdict, on a machine that is busy, too."""


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that all its processes share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(autouse=True, scope="session")
def kept_builds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the builds that commands keep be those of this run: none of an earlier one is taken for a new one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared_folder(tmp_path_factory) / "cache"))
        yield


@pytest.fixture(autouse=True, scope="session")
def hears_ctrl_c() -> None:
    """Let commands under test hear SIGINT, which a shell has all ignore that it runs in its background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def own_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary files of the commands of a test, in a place that bots can reach."""
    with tempfile.TemporaryDirectory(prefix="own-") as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.fixture
def started() -> Iterator[Commands]:
    """Return a function that starts the real command; what still runs at the end of the test is killed."""
    commands = Commands()
    yield commands
    commands.close()
