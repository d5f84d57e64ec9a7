"""Always claims the biggest: the highest prime of King Priam, the heaviest equation of Rainbow. What could go wrong?

Everybody else sees the biggest claim, too. It passes only when the request lists no claim, and so always in King Priam
with ``list_claims = false``.

Measured against the bot thinker with 2 seats, 100 deals in both seatings, 95 % intervals over deals: it won 1.0 ± 1.4 %
in King Priam and 0.5 ± 1.0 % in Rainbow.
"""

from collections.abc import Sequence

from arena.sdk import Request, run

CORNERS = {"2", "3", "5", "7"}


def choose(game_id: str, legal_actions: Sequence[str]) -> str:
    """Return the biggest claim, the first listed of equal ones; ``pass`` if there is none."""
    size = target if game_id == "king_priam" else weight
    return max(legal_actions, key=size)


def target(action: str) -> int:
    """Return the prime of King Priam that an action claims, 0 for ``pass``."""
    return int(action.split()[1]) if action != "pass" else 0


def weight(action: str) -> int:
    """Return how many table cards of Rainbow an action takes, 0 for ``pass``; corners stay where they are."""
    return sum(number not in CORNERS for number in action.split()[1:])


def decide(request: Request) -> str:
    """Return the biggest claim of the request."""
    return choose(request.game.game, request.legal_actions)


if __name__ == "__main__":
    run(decide)
