"""Tie-breaks of the standings by points, for any table size: head-to-head, wins, Sonneborn-Berger, Buchholz, Koya.

At a table of k each seat is taken to have met the k-1 others: 1 point against those behind, 1/2 against those level.
For two seats that is the game's result. Unplayed games add nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena.ratings.pairwise import score_matrix
from arena.ratings.results import Results
from arena.ratings.tally import PointsName, tally
from arena.ratings.units import Floats, Ints

TieBreak = Literal["head-to-head", "wins", "sonneborn-berger", "buchholz", "buchholz-cut-1", "buchholz-median", "koya"]

LEGEND: dict[TieBreak, str] = {
    "head-to-head": "points in the games among those who are tied, if all of them met",
    "wins": "games won alone",
    "sonneborn-berger": "sum over games of the points against each co-player times that player's total points",
    "buchholz": "sum over games of the co-players' total points",
    "buchholz-cut-1": "Buchholz without the co-player with the fewest points, once",
    "buchholz-median": "Buchholz without the best and the worst co-player, once each",
    "koya": "points against co-players who made at least half of their possible points",
}
DEFAULT_ORDER: tuple[TieBreak, ...] = ("head-to-head", "wins", "sonneborn-berger")


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One player in the standings by points.

    Attributes:
        rank: 1-based; players that no tie-break separates share the better rank.
        name: the player.
        points: in the scheme asked for.
        games: games played.
        values: value of each tie-break in the order given; None where it does not apply (head-to-head without a tie, or
            when not all of the tied met).
    """

    rank: int
    name: str
    points: float
    games: int
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class _Material:
    """What the tie-breaks are computed from, by player."""

    points: Floats
    wins: Ints
    score: Floats
    met: Ints


def standings(
    results: Results, *, points: PointsName = "place", order: tuple[TieBreak, ...] = DEFAULT_ORDER
) -> tuple[StandingsRow, ...]:
    """Return the standings by points; ties are broken by each rule in turn, applied anew inside each still-tied subset.

    Args:
        results: the games.
        points: the scheme of points, as in ``tally``.
        order: the tie-breaks, first first.

    Raises:
        ValueError: for an unknown tie-break or scheme.
    """
    unknown = [rule for rule in order if rule not in LEGEND]
    if unknown:
        raise ValueError(f"tie-break {unknown[0]!r}: accepted are {', '.join(LEGEND)}")
    counted = tally(results, points)
    score, met = score_matrix(results)
    material = _Material(counted.points, counted.wins, score, met)
    values: dict[int, list[float | None]] = {player: [None] * len(order) for player in range(len(results.names))}
    rows = []
    rank = 1
    for tied in _split(np.arange(len(results.names)), counted.points):
        for block in _resolve(tied, order, material, values):
            rows += [
                StandingsRow(
                    rank,
                    results.names[player],
                    float(counted.points[player]) + 0.0,
                    int(counted.games[player]),
                    tuple(values[player]),
                )
                for player in block
            ]
            rank += len(block)
    return tuple(rows)


def _split(players: Ints, value: Floats) -> list[Ints]:
    """Return the players in sets of equal value, largest value first; 1e-9 apart counts as equal."""
    rounded = np.round(value, 9)
    return [players[rounded == level] for level in sorted(set(rounded.tolist()), reverse=True)]


def _resolve(
    tied: Ints, order: tuple[TieBreak, ...], material: _Material, values: dict[int, list[float | None]]
) -> list[Ints]:
    """Return the tied players as ordered blocks, and note the values that were compared."""
    for number, rule in enumerate(order):
        found = _value(rule, tied, material)
        if found is None:
            continue
        for player, value in zip(tied, found, strict=True):
            values[int(player)][number] = float(value) + 0.0
        parts = _split(tied, found)
        if len(parts) > 1:
            # What is still tied starts again at the first rule: head-to-head is now among fewer.
            return [block for part in parts for block in _resolve(part, order, material, values)]
    return [tied]


def _value(rule: TieBreak, tied: Ints, material: _Material) -> Floats | None:
    if rule == "head-to-head":
        return _head_to_head(tied, material)
    if rule == "wins":
        return material.wins[tied].astype(np.float64)
    if rule == "sonneborn-berger":
        return np.asarray((material.score @ material.points)[tied])
    if rule == "koya":
        strong = material.points * 2 >= material.met.sum(axis=1) * _points_per_meeting(material)
        return np.asarray((material.score @ strong)[tied])
    return np.array([_buchholz(int(player), rule, material) for player in tied])


def _points_per_meeting(material: _Material) -> float:
    return float(material.points.sum() * 2 / max(int(material.met.sum()), 1))


def _head_to_head(tied: Ints, material: _Material) -> Floats | None:
    if len(tied) < 2:
        return None
    among = material.met[np.ix_(tied, tied)]
    if (among + np.eye(len(tied), dtype=np.int64) == 0).any():
        return None
    return np.asarray(material.score[np.ix_(tied, tied)].sum(axis=1))


def _buchholz(player: int, rule: TieBreak, material: _Material) -> float:
    met = np.flatnonzero(material.met[player])
    total = float(material.met[player] @ material.points)
    if rule == "buchholz" or not len(met):
        return total
    total -= float(material.points[met].min())
    return total if rule == "buchholz-cut-1" else total - float(material.points[met].max())
