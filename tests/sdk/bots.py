"""Bots written with the SDK, as their authors would, one a name; the tests of this folder play them as processes."""

from __future__ import annotations

import json
import os
import sys
import time

from arena.sdk import Game, Request, Result, run

THOUGHT: list[int] = []


def first(request: Request) -> str:
    """Take the first legal action."""
    return request.legal_actions[0]


def slow(request: Request) -> str:
    """Compute for 600 ms at the first two decisions of a game."""
    end = time.monotonic() + (0.6 if request.decision < 2 else 0)
    while time.monotonic() < end:
        pass
    return request.legal_actions[0]


def sleepy(request: Request) -> str:
    """Wait for 600 ms at the first two decisions of a game."""
    time.sleep(0.6 if request.decision < 2 else 0)
    return request.legal_actions[0]


def thinker(request: Request) -> str:
    """Say that it thinks, and wait for 500 ms at the first decision that it is asked."""
    print("thinking about decision", request.decision)
    time.sleep(0 if THOUGHT else 0.5)
    THOUGHT.append(request.decision)
    return request.legal_actions[0]


def dice(request: Request) -> str:
    """Draw from the game's own generator."""
    return request.rng.choice(request.legal_actions)


def raising(request: Request) -> str:
    """Look up what is not there, at the third decision of a game."""
    return request.legal_actions[[0, 0][request.decision]]


def talking(request: Request) -> str:
    """Print words, and bytes that are no text."""
    print("thinking about", request.view.target)
    sys.stdout.buffer.write(b"\xff\xfe\x1b[31m\n")
    return request.legal_actions[0]


def mute(request: Request) -> str:
    """Have no stdout any more."""
    if not sys.stdout.closed:
        sys.stdout.close()
    return request.legal_actions[0]


def wrapping(request: Request) -> str:
    """Fail because of another failure."""
    try:
        return request.game.options["plan"]  # type: ignore[no-any-return]
    except KeyError as error:
        raise RuntimeError("there is no plan") from error


def counting(request: Request) -> str:
    """Return a number."""
    return 7  # type: ignore[return-value]


def listing(request: Request) -> str:
    """Return a list of actions."""
    return ["pass"]  # type: ignore[return-value]


def nothing(request: Request) -> str:
    """Forget to return an action."""
    return None  # type: ignore[return-value]


def events(request: Request) -> str:
    """Print the steps since the last request."""
    for event in request.events:
        print("event", json.dumps([[move.seat, move.action] for move in event.moves] or event.chance))
    print("asked")
    return request.legal_actions[0]


class Diary:
    """Print what it is told, and decide by what it kept of its games."""

    def __init__(self) -> None:
        self.decisions: dict[str, int] = {}

    def new_game(self, game: Game) -> None:
        """Open a page."""
        self.decisions[game.game_id] = 0
        print("new", game.game_id, game.game, game.seat, game.seats, game.options["rounds"])

    def decide(self, request: Request) -> str:
        """Count the decisions of this game."""
        assert request.decision == self.decisions[request.game_id]
        self.decisions[request.game_id] += 1
        return request.legal_actions[-1]

    def game_over(self, result: Result) -> None:
        """Close the page."""
        decisions = self.decisions.pop(result.game.game_id)
        print("over", result.game.game_id, decisions, list(result.scores), list(result.ranks))


if __name__ == "__main__":
    name = sys.argv[1]
    if name == "closed-from-the-start":
        sys.stdout.close()
        run(first)
    if name == "no-descriptor":
        os.close(1)
        run(first)
    run(Diary() if name == "diary" else globals()[name], wants_events=name == "events")
