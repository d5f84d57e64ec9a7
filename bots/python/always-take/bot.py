"""Takes every card of No Thanks! at once, whatever it costs: the weakest sensible bot, and a floor for the others.

Measured (3 seats, one round, every seat, 6,000 games): it wins TODO.
"""

from arena.sdk import Request, run


def decide(request: Request) -> str:
    """Return ``take``."""
    return "take"


if __name__ == "__main__":
    run(decide)
