"""The sandbox level of a test."""

from __future__ import annotations

import pytest

from tests.players.levels import need_level


@pytest.fixture
def level(request: pytest.FixtureRequest) -> str:
    """A level that works here."""
    need_level(request.param)
    return str(request.param)
