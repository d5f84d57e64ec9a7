"""A bot that has filled its limits with what takes long to count, and is late with every answer."""

from __future__ import annotations

import os
import time

from arena.sdk import Request, run

FILES, CHILDREN, DESCRIPTORS = 9000, 50, 240


def burden() -> None:
    """Make many files, and many processes that hold many descriptors each."""
    for number in range(FILES):
        os.close(os.open(f"{os.environ['HOME']}/{number}", os.O_CREAT))
    for _ in range(CHILDREN):
        if os.fork() == 0:
            for _ in range(DESCRIPTORS):
                os.open(os.devnull, os.O_RDONLY)
            time.sleep(3600)


def late(request: Request) -> str:
    """Sleep for longer than is allowed."""
    time.sleep(1.0)
    return request.legal_actions[0]


if __name__ == "__main__":
    burden()
    run(late)
