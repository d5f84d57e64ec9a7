"""What a Python bot imports: ``run`` and nothing else of the arena.

A complete bot::

    from arena.sdk import run

    def decide(request):
        return request.rng.choice(request.legal_actions)

    run(decide)

``run`` reads ``ARENA_ADDRESS`` and ``ARENA_TOKEN``, so a bot is started the same way by the arena and by hand. A bot
may also be an object with ``decide`` and, if it wants them, ``new_game`` and ``game_over``. Printing is free: stdout is
not the protocol, it goes into the bot's log.
"""

from arena.sdk.bot import Bot, Game, Request, Result
from arena.sdk.stream import run

__all__ = ["Bot", "Game", "Request", "Result", "run"]
