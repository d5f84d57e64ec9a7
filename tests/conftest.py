"""Fixtures for tests of every floor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.commands import Commands


@pytest.fixture
def started() -> Iterator[Commands]:
    """Return a function that starts the real command; what still runs at the end of the test is killed."""
    commands = Commands()
    yield commands
    commands.close()
