"""Takes every card of No Thanks! at once, whatever it costs: the floor of every table, below even random play.

Measured: 1,000 deals in all seatings of 3, one round, against two random bots: it won none of 6,000 games (125 points
on average) and finished ahead of a random bot in 0.2 %.
"""

from arena.sdk import Request, run


def decide(request: Request) -> str:
    """Return ``take``."""
    return "take"


if __name__ == "__main__":
    run(decide)
