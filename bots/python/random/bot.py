"""Any legal action, drawn by the game's own generator: a complete bot for every game."""

from arena.sdk import Request, run


def decide(request: Request) -> str:  # noqa: D103
    return request.rng.choice(request.legal_actions)


run(decide)
