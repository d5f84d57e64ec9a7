"""Work that must not be left half done because somebody who waits for it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_its_end(work: Coroutine[Any, Any, object]) -> None:
    """Await some work to its end, also when this is cancelled meanwhile: who cancels waits for it, too.

    Raises:
        CancelledError: at the end, if it was cancelled.
    """
    task, is_cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            is_cancelled = True
    task.result()
    if is_cancelled:
        raise asyncio.CancelledError
