"""Play games in this process between functions ``choose(view, legal actions, generator)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from random import Random
from types import ModuleType
from typing import Any

from arena.games import Action, ChanceTurn, Game, GameOver, Moves, create
from arena.seeds import chance_stream, deal_key

Load = Callable[[str, str], ModuleType]
"""``load(bot, file)`` returns a module of a bot's folder; a fixture."""
Choose = Callable[[Any, Sequence[Action], Random], Action]
SECRET = b"a secret for the tests of bots.."


def random_bot(view: Any, legal_actions: Sequence[Action], rng: Random) -> Action:
    """Return any legal action."""
    return rng.choice(legal_actions)


def play(game: Game[Any, Any], bots: Sequence[Choose], deal: int, rng: Random) -> GameOver:
    """Play one game; every answer is checked, and seats that the rules play follow their only action."""
    key, event, state = deal_key(SECRET, game.spec.ruleset, deal), 0, game.initial()
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, chance_stream(key, event)))
            event += 1
        else:
            moves = tuple((seat, _answer(game, state, bots, seat, rng)) for seat in turn.seats)
            state = game.apply(state, Moves(moves))
    return turn


def _answer(game: Game[Any, Any], state: Any, bots: Sequence[Choose], seat: int, rng: Random) -> Action:
    legal = game.legal_actions(state, seat)
    if len(legal) == 1:
        return legal[0]
    return game.check(state, seat, bots[seat](game.view(state, seat), legal, rng))


def win_share(bots: Sequence[Choose], game_id: str, deals: int, **options: Any) -> float:
    """Return the share of games that the first bot wins in all seatings, shared first places split."""
    game, rng = create(game_id, len(bots), **options), Random(5)
    shares = list(_shares(game, bots, range(deals), rng))
    return sum(shares) / len(shares)


def _shares(game: Game[Any, Any], bots: Sequence[Choose], deals: Iterable[int], rng: Random) -> Iterator[float]:
    for deal in deals:
        for seating in permutations(range(len(bots))):
            ranks = play(game, [bots[index] for index in seating], deal, rng).ranks[: len(bots)]
            best = min(ranks)
            yield (ranks[seating.index(0)] == best) / ranks.count(best)
