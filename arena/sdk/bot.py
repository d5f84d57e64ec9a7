"""What a bot is given: the game announced, the request to decide, the result."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arena.v1 import arena_pb2


class Game:
    """A game that has been announced, from the bot's point of view.

    Attributes:
        game_id: id of this game.
        game: which game, such as ``no_thanks``.
        seat: the bot's seat, from 0.
        seats: number of bots at the table.
        options: every option of the game by name.
        rng: the bot's own generator for this game alone, seeded by the referee: using it keeps results independent of
            how games interleave.
    """

    __slots__ = ("game", "game_id", "options", "rng", "seat", "seats")

    def __init__(self, message: arena_pb2.NewGame) -> None:
        self.game_id = message.game_id
        self.game = message.game
        self.seat = message.seat
        self.seats = message.seats
        self.options: dict[str, Any] = {name: _plain(value) for name, value in message.options.items()}
        self.rng = random.Random(message.bot_seed)


class Request:
    """One decision to make.

    Attributes:
        game: the game it belongs to.
        message: the request as it came (``arena.v1.Request``).
        legal_actions: canonical order, never empty; each can be returned as it is.
    """

    __slots__ = ("game", "legal_actions", "message")

    def __init__(self, message: arena_pb2.Request, game: Game) -> None:
        self.message = message
        self.game = game
        self.legal_actions: Sequence[str] = message.legal_actions

    @property
    def game_id(self) -> str:
        """Id of the game."""
        return self.message.game_id

    @property
    def decision(self) -> int:
        """Number of this decision in this game, from 0."""
        return self.message.decision

    @property
    def budget_ms(self) -> int:
        """Time left for this decision in milliseconds, bank included, margin not."""
        return self.message.budget_ms

    @property
    def bank_ms(self) -> int:
        """What is left of the bank, in milliseconds."""
        return self.message.bank_ms

    @property
    def view(self) -> Any:
        """What the seat may know: the game's own message, such as ``arena.v1.NoThanksView``."""
        return getattr(self.message, self.message.WhichOneof("view") or "other")

    @property
    def events(self) -> Sequence[arena_pb2.Event]:
        """The steps since the previous request of this game, if the bot asked for them."""
        return self.message.events

    @property
    def rng(self) -> random.Random:
        """The game's own generator."""
        return self.game.rng


class Result:
    """How a game ended.

    Attributes:
        game: the game.
        message: the result as it came (``arena.v1.GameOver``): scores, ranks and terminations by seat.
    """

    __slots__ = ("game", "message")

    def __init__(self, message: arena_pb2.GameOver, game: Game) -> None:
        self.message = message
        self.game = game

    @property
    def scores(self) -> Sequence[int]:
        """Scores by seat, more is better."""
        return self.message.scores

    @property
    def ranks(self) -> Sequence[int]:
        """Final places by seat, 1 is best."""
        return self.message.ranks


class Bot(Protocol):
    """An object that can be run; ``new_game(game)`` and ``game_over(result)`` are called if it has them."""

    def decide(self, request: Request, /) -> str:
        """Return the action for a request."""
        ...


Decide = Callable[[Request], str]


def _plain(value: Any) -> Any:
    """Return an option's value: whole numbers as int, lists as lists."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (str, bool)) or value is None:
        return value
    return [_plain(item) for item in value]
