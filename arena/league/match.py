"""A match: a league of one line-up, played in short chunks of deals until a sequential test has decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.errors import Termination
from arena.games import create
from arena.league.bots import Bot
from arena.league.names import file_name
from arena.league.values import GamePlan, League
from arena.players.base import FaultPolicy, Limits
from arena.ratings.results import Result
from arena.ratings.sequential import SequentialTest
from arena.records.record import Finished, places
from arena.schedules.plan import FIRST_CHUNK, PlannedGame
from arena.schedules.seatings import seatings
from arena.storage.store import Store

SEATINGS = "balanced"


def match_league(bots: Sequence[Bot], game: str, deals: int, options: Mapping[str, Any], limits: Limits) -> League:
    """Return the league of one line-up, each deal in balanced seatings, in chunks of 20 deals.

    Args:
        bots: as many as sit at the table; the first is the candidate, the second the base.
        game: id of the game.
        deals: how many at most.
        options: of the game.
        limits: of every bot.

    Raises:
        BadOptions: when the game cannot be played by that many, or has no such options.
    """
    spec = create(game, len(bots), **options).spec
    name = "-".join(["match", *(bot.name for bot in bots), game])
    text = "".join(f"# {line}\n" for line in ("A match: one line-up.", f"game {spec.ruleset}", f"deals {deals}"))
    plan = GamePlan(game, game, len(bots), deals, SEATINGS, dict(spec.options), spec.ruleset)
    return League(
        path=Path(name),
        text=text + "".join(f"# bot {json.dumps(bot.name)} {json.dumps(bot.command)}\n" for bot in bots),
        name=name,
        schedule="round-robin",
        candidates=(),
        secret=None,
        same_author="allow",
        line_ups=0,
        require_check=False,
        ask_forced=False,
        in_flight="auto",
        games=(plan,),
        limits=limits,
        faults=FaultPolicy(),
        bots=tuple(bots),
        chunk=FIRST_CHUNK,
    )


def match_folder(league: League) -> str:
    """Return the name of a match's results folder."""
    return file_name(league.name)


class MatchWatch:
    """Feeds a sequential test while a match runs: each deal once all its games, and all earlier deals, are stored.

    Args:
        test: the test.
        told: is called after each batch that the test has moved on.
    """

    def __init__(self, test: SequentialTest, told: Callable[[SequentialTest], None] = lambda test: None) -> None:
        self.test = test
        self._told = told
        self._block = len(seatings(SEATINGS, test.seats))
        self._waiting: dict[int, dict[str | None, Result]] = {}
        self._next = 0

    def __call__(self, store: Store, batch: Sequence[tuple[PlannedGame, Finished]]) -> bool:
        """Take what was stored before (with an empty batch) or just now; return whether the test has decided."""
        self.take(played(batch) if batch else stored_games(store))
        self._told(self.test)
        return self.test.state != "continue"

    def take(self, games: Iterable[tuple[int, Result]]) -> None:
        """Take games with the numbers of their deals, in any order; a game that comes again counts once."""
        for deal, result in games:
            if deal >= self._next:
                self._waiting.setdefault(deal, {})[result.game_id] = result
        while len(self._waiting.get(self._next, ())) == self._block:
            self.test.add(list(self._waiting.pop(self._next).values()))
            self._next += 1


def played(batch: Iterable[tuple[PlannedGame, Finished]]) -> list[tuple[int, Result]]:
    """Return games that have just been played, with their deals."""
    found = []
    for planned, game in batch:
        names = tuple(entrant.name for entrant in planned.seated)
        found.append((planned.deal, _result(game.game_id, names, game.ranks, game.terminations)))
    return found


def stored_games(store: Store) -> list[tuple[int, Result]]:
    """Return all stored games with their deals."""
    names = {entrant.key: entrant.name for entrant in store.entrants()}
    return [
        (row.deal, _result(row.game_id, tuple(names[key] for key in row.seated), row.ranks, row.terminations))
        for row in store.games()
    ]


def _result(game_id: str, players: tuple[str, ...], ranks: tuple[int, ...], words: tuple[Termination, ...]) -> Result:
    """Return a game of one deal; the deal's label does not matter, since deals are tested one at a time."""
    retired = tuple(word is not Termination.NORMAL for word in words)
    return Result(players, places(ranks, words), retired, deal="0", game_id=game_id)
