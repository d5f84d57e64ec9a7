"""The crosstable: each bot against each other, with an interval that respects the deals.

A cell is the share of the row's points against the column (1 for finishing ahead, 1/2 for a shared place) over the
games in which the two are compared (two retired seats are not). Games of one deal share their luck, so the error comes
from the spread of the deals' totals (a ratio estimate with clusters; Cochran, Sampling Techniques, 6.3 and 9A.1).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from scipy.special import stdtrit

from arena.errors import Termination
from arena.records.record import places
from arena.reports.rows import Cell, Column, Rows, number, percent
from arena.reports.standings import Played

LEVEL = 0.95
NEUTRAL = 0.5


@dataclass(slots=True)
class Meeting:
    """What was counted of one bot against another.

    Attributes:
        by_deal: points and games, ``deal → [points, games]``.
    """

    by_deal: dict[int, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))

    @property
    def games(self) -> int:
        """Games in which the two were compared."""
        return int(sum(games for _, games in self.by_deal.values()))

    @property
    def points(self) -> float:
        """Points of the first against the second, in halves."""
        return sum(points for points, _ in self.by_deal.values())

    @property
    def share(self) -> float:
        """Points a game, 0..1; there must be a game."""
        return self.points / self.games

    @property
    def error(self) -> float | None:
        """Half-width of the 95 % interval of the share; None with fewer than two deals.

        Where every game went the same way the spread says nothing; then it is the exact one-sided bound over the deals
        (Clopper and Pearson), 1 - 0.05^(1/deals).
        """
        deals = len(self.by_deal)
        if deals < 2:
            return None
        share = self.share
        if share in (0.0, 1.0):
            return float(1 - (1 - LEVEL) ** (1 / deals))
        squares = sum((points - share * games) ** 2 for points, games in self.by_deal.values())
        spread = math.sqrt(deals / (deals - 1) * squares) / self.games
        return float(stdtrit(deals - 1, (1 + LEVEL) / 2)) * spread


def meetings(games: Iterable[Played]) -> dict[tuple[str, str], Meeting]:
    """Return what happened between every two bots that met, both ways round, in one pass."""
    found: dict[tuple[str, str], Meeting] = defaultdict(Meeting)
    for game in games:
        place = places(game.ranks, game.terminations)
        retired = [word is not Termination.NORMAL for word in game.terminations]
        for mine, other in permutations(range(len(place)), 2):
            if retired[mine] and retired[other]:
                continue
            cell = found[game.players[mine], game.players[other]].by_deal[game.deal]
            cell[0] += 1.0 if place[mine] < place[other] else NEUTRAL if place[mine] == place[other] else 0.0
            cell[1] += 1
    return dict(found)


def crosstable(names: Sequence[str], found: Mapping[tuple[str, str], Meeting]) -> Rows:
    """Return the table for people: a row and a column a bot, cells such as ``61.5 ±2.3``; empty without games.

    Args:
        names: in the order of the standings.
        found: from ``meetings``.
    """
    columns = (Column("name", "bot"), *(Column(name, name) for name in names))
    rows = tuple({"name": name} | {other: _text(found.get((name, other))) for other in names} for name in names)
    return Rows(columns, rows)


def pair_rows(names: Sequence[str], found: Mapping[tuple[str, str], Meeting]) -> Rows:
    """Return the same numbers one pair a row, for CSV and JSON: share, error, points and games, unrounded.

    ``significant`` is 1 where the interval leaves out an even result, 0 where not.
    """
    columns = (
        Column("name", "bot"),
        Column("opponent", "opponent"),
        Column("share_percent", "share %", 1),
        Column("error_percent", "+/-", 1),
        Column("points", "points", 1),
        Column("games", "games"),
        Column("significant", "significant"),
    )
    pairs = [pair for pair in permutations(names, 2) if pair in found]
    return Rows(columns, tuple(_pair_row(pair, found[pair]) for pair in pairs))


def _pair_row(pair: tuple[str, str], meeting: Meeting) -> dict[str, Cell]:
    error = meeting.error
    return {
        "name": pair[0],
        "opponent": pair[1],
        "share_percent": percent(meeting.share),
        "error_percent": percent(error),
        "points": number(meeting.points),
        "games": meeting.games,
        "significant": int(error is not None and abs(meeting.share - NEUTRAL) > error),
    }


def _text(meeting: Meeting | None) -> str:
    if meeting is None:
        return ""
    error = meeting.error
    share = f"{100 * meeting.share:.1f}"
    return share if error is None else f"{share} ±{100 * error:.1f}"
