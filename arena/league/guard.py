"""A guard for what tasks of gRPC and callbacks of the loop enter: they would tell nobody of a failure."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class Answerable(Protocol):
    """Who has methods that are guarded."""

    def on_failure(self, error: Exception) -> None:
        """Take notice of a failure of ours: it ends what is played and is scored against nobody."""
        ...


Self = TypeVar("Self", bound=Answerable)
Rest = ParamSpec("Rest")


def guarded(method: Callable[Concatenate[Self, Rest], None]) -> Callable[Concatenate[Self, Rest], None]:
    """Return a method that hands its failure to ``on_failure`` and then returns as if nothing had been.

    The caller cannot do better: a stream would be taken for one that the bot broke, and the loop would go on waiting
    for what nobody does any more.
    """

    @wraps(method)
    def call(self: Self, /, *words: Rest.args, **named: Rest.kwargs) -> None:
        try:
            method(self, *words, **named)
        except Exception as error:  # ours, or a game's: whatever it is, it is raised again where the sitting is awaited
            self.on_failure(error)

    return call
