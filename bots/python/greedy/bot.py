"""greedy plays every game by a simple rule of thumb: what looks best now. One module a game holds the rule.

Each rule looks at the legal actions and the view alone, so greedy needs no memory. A game it does not know is played at
random.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import classification
import king_priam
import no_thanks
import prime_cards
import prime_reversal
import rainbow
import unique

from arena.sdk import Request, run

RULES: dict[str, Callable[[Any, Sequence[str], Random], str]] = {
    "no_thanks": no_thanks.choose,
    "king_priam": king_priam.choose,
    "prime_cards": prime_cards.choose,
    "prime_reversal": prime_reversal.choose,
    "unique": unique.choose,
    "rainbow": rainbow.choose,
    "classification": classification.choose,
}


def decide(request: Request) -> str:
    """Return what the game's rule of thumb says."""
    choose = RULES.get(request.game.game)
    if choose is None:
        return request.rng.choice(request.legal_actions)
    return choose(request.view, request.legal_actions, request.rng)


if __name__ == "__main__":
    run(decide)
