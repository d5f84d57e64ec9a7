"""A worker: one process on one core that plays sittings one after the other and tells its parent.

It runs in a session of its own (the kernel shares a core by session, performance.md) and speaks pickles over the
socket that it inherits. When the parent is gone, the socket ends; the worker then ends its bots and itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from multiprocessing.connection import Connection

from arena.errors import UsageError
from arena.league.messages import FAILED, REFUSED
from arena.players.base import Listen
from arena.protocol.convert import require_upb


async def _serve(pipe: Connection, listen: Listen) -> None:
    from arena.league.service import Service  # here, because it imports gRPC, which reads the environment then

    await Service(pipe, listen).serve()


def main(argv: list[str]) -> int:
    """Run a worker.

    Args:
        argv: the inherited descriptor, the core that it and its bots stay on, and a ``Listen`` as JSON.
    """
    pipe, core, listen = Connection(int(argv[0])), int(argv[1]), Listen(**json.loads(argv[2]))
    os.sched_setaffinity(0, {core})
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # else what a bot does to its stream is on the operator's terminal
    try:
        require_upb()
        asyncio.run(_serve(pipe, listen))
    except UsageError as error:
        return _tell(pipe, REFUSED, str(error))
    except BrokenPipeError:
        return 1
    except Exception:  # ours: the parent must show it and stop the run, whatever it is
        return _tell(pipe, FAILED, traceback.format_exc())
    return 0


def _tell(pipe: Connection, kind: str, words: str) -> int:
    try:
        pipe.send((kind, words))
    except OSError:
        print(words, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
