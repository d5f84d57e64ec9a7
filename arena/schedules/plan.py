"""The plan of a league: every game that is to be played, cut into sittings, generated as they are needed.

A *block* is one deal played by one line-up in all its seatings. A *sitting* is the unit of work: one line-up in one
seating over a run of deals. Sittings come by chunk of deals, then ruleset, line-up and seating; the first chunk is
short, so that every line-up has complete blocks early. How deals are cut is no part of a game's identity: its id is a
function of ruleset, line-up, seating and deal alone, and resuming is planned ids minus stored ids.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from arena.records.codec import canonical_json
from arena.schedules.line_ups import Entrant, Field, LineUp
from arena.schedules.seatings import Seating

ID_LENGTH = 20
"""Hex digits of a game id: 80 bits, so that among ten million games two share one with probability 4e-11."""
FIRST_CHUNK, CHUNK = 20, 500
"""Deals of the first sitting of a line-up and seating, and of its later ones."""


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """One game that is to be played.

    Attributes:
        game_id: ``ID_LENGTH`` hex digits.
        ruleset: canonical text of game, seats, options and rules version.
        line_up: the bots, sorted.
        seating: by seat, who of the line-up sits there.
        deal: number of the deal, from 0.
    """

    game_id: str
    ruleset: str
    line_up: LineUp
    seating: Seating
    deal: int

    @property
    def seated(self) -> tuple[Entrant, ...]:
        """The bots by seat."""
        return tuple(self.line_up[place] for place in self.seating)


@dataclass(frozen=True, slots=True)
class Sitting:
    """One line-up in one seating over some deals, played by processes that are started for it; picklable.

    Attributes:
        ruleset: canonical text of game, seats, options and rules version.
        game: index of the ruleset in the plan.
        line_up: the bots, sorted.
        seating_index: index of the seating among those of the ruleset.
        seating: by seat, who of the line-up sits there.
        chunk: which cut of the deals this is, from 0.
        deals: ascending numbers of the deals to play.
    """

    ruleset: str
    game: int
    line_up: LineUp
    seating_index: int
    seating: Seating
    chunk: int
    deals: Sequence[int]

    @property
    def seated(self) -> tuple[Entrant, ...]:
        """The bots by seat."""
        return tuple(self.line_up[place] for place in self.seating)

    def game_ids(self) -> tuple[str, ...]:
        """Return the ids of its games, by deal."""
        return _ids(self.ruleset, self.line_up, self.seating, self.deals)

    def games(self) -> Iterator[PlannedGame]:
        """Yield its games, by deal."""
        for deal, game_id in zip(self.deals, self.game_ids(), strict=True):
            yield PlannedGame(game_id, self.ruleset, self.line_up, self.seating, deal)


@dataclass(frozen=True)
class RulesetPlan:
    """What is played of one ruleset.

    Attributes:
        ruleset: canonical text of game, seats, options and rules version.
        field: the bots and how line-ups are chosen among them.
        seatings: all seatings that each line-up plays.
        deals: number of deals; deal d is the same cards for every line-up.
        chunk: most deals of a sitting after the first ones.
    """

    ruleset: str
    field: Field
    seatings: tuple[Seating, ...]
    deals: int
    chunk: int = CHUNK

    @property
    def games(self) -> int:
        """Number of games."""
        return self.field.count * len(self.seatings) * self.deals

    @property
    def sittings(self) -> int:
        """Number of sittings when nothing is stored yet."""
        return self.field.count * len(self.seatings) * len(chunks(self.deals, later=self.chunk))


@dataclass(frozen=True)
class Plan:
    """Everything that a league plays, one entry a ruleset."""

    rulesets: tuple[RulesetPlan, ...]

    @property
    def games(self) -> int:
        """Number of planned games."""
        return sum(part.games for part in self.rulesets)

    @property
    def blocks(self) -> int:
        """Number of planned blocks."""
        return sum(part.field.count * part.deals for part in self.rulesets)

    def sittings(self) -> Iterator[Sitting]:
        """Yield all sittings in playing order."""
        cuts = [chunks(part.deals, later=part.chunk) for part in self.rulesets]
        for chunk in range(max(map(len, cuts), default=0)):
            for game, part in enumerate(self.rulesets):
                if chunk < len(cuts[game]):
                    yield from _sittings(part, game, chunk, cuts[game][chunk])

    def start_up_share(self, start_s: float, game_s: Sequence[float]) -> float:
        """Return the share of all playing time that the starting of bots takes, 0..1.

        Args:
            start_s: measured seconds to start the bots of one sitting.
            game_s: measured seconds of one game, by ruleset.
        """
        starting = start_s * sum(part.sittings for part in self.rulesets)
        playing = sum(part.games * seconds for part, seconds in zip(self.rulesets, game_s, strict=True))
        return starting / (starting + playing) if starting else 0.0


def game_id(ruleset: str, line_up: LineUp, seating: Seating, deal: int) -> str:
    """Return a game's id: the first digits of the SHA-256 of ``[ruleset, line_up, seating, deal]`` as canonical JSON.

    Args:
        ruleset: canonical text of game, seats, options and rules version.
        line_up: the bots, sorted.
        seating: by seat, who of the line-up sits there.
        deal: number of the deal, from 0.
    """
    return _ids(ruleset, line_up, seating, (deal,))[0]


def chunks(deals: int, first: int = FIRST_CHUNK, later: int = CHUNK) -> tuple[range, ...]:
    """Cut deals 0..deals-1 into a first run of at most ``first`` and later ones of at most ``later``, all equal.

    Later runs are of equal length (within one), so that the last one is not a short one that starts bots for little.
    """
    cuts = [min(first, deals)]
    left = deals - cuts[0]
    number = -(-left // later)
    cuts += [cuts[0] + left * part // number for part in range(1, number + 1)]
    return tuple(range(start, stop) for start, stop in zip([0, *cuts], cuts, strict=False) if stop > start)


def remaining(sittings: Iterable[Sitting], stored: Callable[[Sequence[str]], Collection[str]]) -> Iterator[Sitting]:
    """Yield the sittings that still have games to play, each with its missing deals alone.

    Args:
        sittings: planned sittings.
        stored: returns those of some game ids that need not be played: the store answers for one sitting at a time, so
            that no set of all ids is ever held.
    """
    for sitting in sittings:
        ids = sitting.game_ids()
        done = stored(ids)
        if not done:
            yield sitting
            continue
        missing = tuple(deal for deal, found in zip(sitting.deals, ids, strict=True) if found not in done)
        if missing:
            yield replace(sitting, deals=missing)


def _sittings(part: RulesetPlan, game: int, chunk: int, deals: range) -> Iterator[Sitting]:
    for line_up in part.field.line_ups():
        for index, seating in enumerate(part.seatings):
            yield Sitting(part.ruleset, game, line_up, index, seating, chunk, deals)


def _ids(ruleset: str, line_up: LineUp, seating: Seating, deals: Iterable[int]) -> tuple[str, ...]:
    """Hash what the games share once, and only the deal for each."""
    shared = hashlib.sha256(canonical_json([ruleset, line_up, seating]).removesuffix(b"]\n"))
    ids = []
    for deal in deals:
        own = shared.copy()
        own.update(b",%d]\n" % deal)
        ids.append(own.hexdigest()[:ID_LENGTH])
    return tuple(ids)
