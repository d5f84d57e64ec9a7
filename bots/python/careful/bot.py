"""careful plays No Thanks! by looking ahead to the end of the auction of each card; the thinking is in auction.py."""

from auction import choose

from arena.sdk import Request, run


def decide(request: Request) -> str:
    """Return the best action for what the seat sees."""
    return choose(request.view)


if __name__ == "__main__":
    run(decide)
