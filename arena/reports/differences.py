"""In what two documents differ, as lines for a person; numbers that differ by rounding alone are equal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

TOLERANCE = 1e-6
"""Relative and absolute: the same fit on another machine's linear algebra differs by about 1e-9."""


def differences(stored: Any, found: Any, where: str = "") -> Iterator[str]:
    """Yield every place in which a stored JSON document is not what was found now.

    Args:
        stored: a document of plain JSON values.
        found: what it should be.
        where: the way to both, for the words.
    """
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in [*found, *(key for key in stored if key not in found)]:
            yield from differences(stored.get(key), found.get(key), f"{where}.{key}" if where else str(key))
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for number, (ours, theirs) in enumerate(zip(stored, found, strict=True)):
            yield from differences(ours, theirs, f"{where}[{number}]")
    elif not _equal(stored, found):
        yield f"{where}: stored is {stored!r}, found is {found!r}"


def _equal(stored: Any, found: Any) -> bool:
    if isinstance(stored, float | int) and isinstance(found, float | int):
        return math.isclose(stored, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(stored == found)
