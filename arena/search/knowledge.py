"""What a search may know beyond the rules: which actions to try, how seats play on, and what a result is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arena.games import Action, Game, GameOver, Seat, Source

Policy: TypeAlias = Callable[[Game[Any, Any], Any, Seat, Source], Action]
"""(game, state, seat, source) → the action of a seat while an imagined game is played on."""
Candidates: TypeAlias = Callable[[Game[Any, Any], Any, Seat], Sequence[Action]]
"""(game, state, seat) → the actions worth trying, at least one; it must not depend on what the seat cannot know."""
Utility: TypeAlias = Callable[[Game[Any, Any], GameOver], Sequence[float]]
"""(game, result) → worth of a result by seat, in 0..1, more is better."""
Evaluate: TypeAlias = Callable[[Game[Any, Any], Any], Sequence[float]]
"""(game, state) → guessed worth of an unfinished game by seat, on the scale of the utility."""


def random_policy(game: Game[Any, Any], state: Any, seat: Seat, source: Source) -> Action:
    """Play any legal action, all equally likely."""
    legal = game.legal_actions(state, seat)
    return legal[source.below(len(legal))] if len(legal) > 1 else legal[0]


def all_legal(game: Game[Any, Any], state: Any, seat: Seat) -> Sequence[Action]:
    """Try every legal action."""
    return game.legal_actions(state, seat)


def by_rank(game: Game[Any, Any], over: GameOver) -> tuple[float, ...]:
    """Return the share of the other bots that each bot has beaten, a shared rank counting 1/2.

    Entries beyond the bots, such as the NPC of ``prime_reversal``, are left out, as ratings do.
    """
    ranks = over.ranks[: game.seats]
    others = max(len(ranks) - 1, 1)
    # Every bot shares its rank with itself: half a point too much.
    return tuple(
        (sum(other > rank for other in ranks) + (sum(other == rank for other in ranks) - 1) / 2) / others
        for rank in ranks
    )


def by_margin(scale: float) -> Utility:
    """Return a utility that grows with a bot's lead over the mean of the other bots.

    Args:
        scale: the lead, in the game's own unit, that is worth 1; as far behind is worth 0.
    """

    def utility(game: Game[Any, Any], over: GameOver) -> tuple[float, ...]:
        return lead_values(over.scores[: game.seats], scale)

    return utility


def lead_values(scores: Sequence[float], scale: float) -> tuple[float, ...]:
    """Return 1/2 + lead / (2 scale) by seat, kept in 0..1; lead = score minus the mean of the other scores."""
    total, others = sum(scores), max(len(scores) - 1, 1)
    leads = (score - (total - score) / others for score in scores)
    return tuple(min(max(0.5 + lead / (2 * scale), 0.0), 1.0) for lead in leads)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """How a search plays on and judges; the defaults know nothing but the rules.

    Attributes:
        policy: how every seat plays after the moves that the search itself tries.
        candidates: the actions that the search tries.
        utility: worth of a finished game by seat, in 0..1.
        horizon: decisions that are played on before an unfinished game is judged; None plays to the end.
        evaluate: judges an unfinished game; needed with a horizon.

    Raises:
        ValueError: for a horizon without an evaluation, or a negative one.
    """

    policy: Policy = random_policy
    candidates: Candidates = all_legal
    utility: Utility = by_rank
    horizon: int | None = None
    evaluate: Evaluate | None = None

    def __post_init__(self) -> None:
        if self.horizon is not None and (self.horizon < 0 or self.evaluate is None):
            raise ValueError(f"horizon = {self.horizon}: it takes 0 or more decisions and an evaluate function")

    def actions_at(self, game: Game[Any, Any], state: Any, seat: Seat) -> Sequence[Action]:
        """Return the candidates of a seat that must be to act.

        Raises:
            ValueError: when it is not.
        """
        actions = self.candidates(game, state, seat)
        if not actions:
            raise ValueError(f"seat {seat} is not to act")
        return actions
