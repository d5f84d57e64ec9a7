"""The ladder: one row per player, sorted by rating, every number finite.

A bound ``>`` (``<``) means that the player never finished behind (ahead of) the main body of its group: results alone
set no upper (lower) limit, the prior does. ``limit`` is then the 95 % one-sided likelihood bound. Ranks are by rating
inside a group; groups that never met are not comparable and come one after the other, largest first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtrit

from arena.ratings.fit import CLUSTERS_FEW, Fit, ModelName, SeatEffect, fit
from arena.ratings.limits import one_sided_limits
from arena.ratings.notes import group_notes, repeat_notes, seat_notes
from arena.ratings.orders import distinct_rows
from arena.ratings.pairwise import score_matrix
from arena.ratings.prior import Prior
from arena.ratings.results import Results
from arena.ratings.tally import PointsName, Tally, tally
from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class LadderRow:
    """One player.

    Attributes:
        rank: 1-based place by rating in its group.
        name: the player.
        elo: rating.
        error: 95 % half width against the group's mean, or against the anchor; None for the anchor itself and for a
            player that was never compared.
        bound: ``>``, ``<`` or empty.
        limit: one-sided 95 % likelihood bound in Elo where ``bound`` is set, else None.
        los_next: probability of being stronger than the next row of the group; None for the last.
        rank_low: best rank that no simultaneous 95 % difference excludes.
        rank_high: worst such rank.
        points: in the scheme of the ladder.
        points_share: mean share of the place points of a table, in 0..1: 1 always first, 0 always last.
        sonneborn_berger: sum over games of the points against each co-player times that player's total points.
        games: games played.
        wins: games won alone.
        ties: games with a shared first place.
        losses: the other games.
        win_share: wins with ties split, over games, in 0..1.
        retired: games lost by fault.
        mean_place: mean place, ties averaged.
        place_shares: share of games that ended in 1st, 2nd, … place.
        first_seat_share: share of games in seat 1.
        opponents: number of different players met.
        opponents_elo: mean rating of the players met, weighted by meetings; None in a group of one.
        group: number of the connected group, from 1.
        is_anchor: whether the rating was given and not fitted.
    """

    rank: int
    name: str
    elo: float
    error: float | None
    bound: str
    limit: float | None
    los_next: float | None
    rank_low: int
    rank_high: int
    points: float
    points_share: float
    sonneborn_berger: float
    games: int
    wins: int
    ties: int
    losses: int
    win_share: float
    retired: int
    mean_place: float
    place_shares: tuple[float, ...]
    first_seat_share: float
    opponents: int
    opponents_elo: float | None
    group: int
    is_anchor: bool


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rows and what a reader must know with them.

    Attributes:
        rows: by group, then by rank.
        notes: plain sentences.
        seat_effects: by table size and seat, Elo.
        advantage: seat 1 over seat 2 at tables of two with its 95 % half width, or None.
        fit: strengths and covariance behind the rows.
        games: number of games.
        clusters: number of clusters, and ``cluster_kind`` what they are.
        cluster_kind: deal, block or game.
        groups: number of groups that never met.
        tie_share: share of compared seat pairs that were tied, in 0..1.
        retired: seats lost by fault.
        repeats: games that repeat another game of the same deal and seating with the same result.
    """

    rows: tuple[LadderRow, ...]
    notes: tuple[str, ...]
    seat_effects: tuple[SeatEffect, ...]
    advantage: tuple[float, float] | None
    fit: Fit
    games: int
    clusters: int
    cluster_kind: str
    groups: int
    tie_share: float
    retired: int
    repeats: int


def ladder(
    results: Results,
    *,
    model: ModelName = "plackett-luce",
    prior: Prior | None = None,
    seats: bool = True,
    anchor: Mapping[str, float] | None = None,
    average: float = 0.0,
    scale: float = 400.0,
    cluster_by: str = "deal",
    errors: Literal["clustered", "model"] = "clustered",
    points: PointsName = "place",
) -> Ladder:
    """Return the ladder of these games; arguments as in ``fit``, and the scheme of points as in ``tally``.

    Raises:
        ValueError: as ``fit`` and ``tally`` do.
    """
    fitted = fit(
        results,
        model=model,
        prior=prior,
        seats=seats,
        anchor=anchor,
        average=average,
        scale=scale,
        cluster_by=cluster_by,
        errors=errors,
    )
    counted = tally(results, points)
    repeats = count_repeats(results)
    return Ladder(
        rows=_rows(results, fitted, counted),
        notes=(*group_notes(fitted), *fitted.notes, *seat_notes(results), *repeat_notes(repeats)),
        seat_effects=fitted.seat_effects,
        advantage=fitted.advantage,
        fit=fitted,
        games=len(results),
        clusters=fitted.clusters.count,
        cluster_kind=fitted.clusters.kind,
        groups=fitted.groups.weak_count,
        tie_share=tie_share(results),
        retired=int(results.retired.sum()),
        repeats=repeats,
    )


def _rows(results: Results, fitted: Fit, counted: Tally) -> tuple[LadderRow, ...]:
    order = np.lexsort((np.arange(len(fitted.names)), -fitted.elo, fitted.groups.weak))
    rank = _ranks(fitted, order)
    low, high = rank_ranges(fitted)
    los = fitted.los()
    limits = one_sided_limits(results, fitted)
    errors = fitted.errors()
    met = counted.meetings.sum(axis=1)
    share = tally(results, "normalised").points
    berger = score_matrix(results)[0] @ counted.points
    opponents_elo = counted.meetings @ fitted.elo / np.maximum(met, 1)
    alone = np.bincount(fitted.groups.weak)[fitted.groups.weak] == 1
    rows = []
    for place, index in enumerate(order):
        following = order[place + 1] if place + 1 < len(order) else index
        has_next = following != index and fitted.groups.weak[following] == fitted.groups.weak[index]
        games = max(int(counted.games[index]), 1)
        is_anchor = int(index) in fitted.anchors
        rows.append(
            LadderRow(
                rank=int(rank[index]),
                name=fitted.names[index],
                elo=_plain(fitted.elo[index]),
                error=None if is_anchor or alone[index] else _plain(errors[index]),
                bound=fitted.groups.bound[index],
                limit=limits.get(int(index)),
                los_next=_plain(los[index, following]) if has_next else None,
                rank_low=int(low[index]),
                rank_high=int(high[index]),
                points=_plain(counted.points[index]),
                points_share=_plain(share[index] / games),
                sonneborn_berger=_plain(berger[index]),
                games=int(counted.games[index]),
                wins=int(counted.wins[index]),
                ties=int(counted.ties[index]),
                losses=int(counted.losses[index]),
                win_share=_plain(counted.win_share[index] / games),
                retired=int(counted.retired[index]),
                mean_place=_plain(counted.mean_place[index]),
                place_shares=tuple(_plain(count / games) for count in counted.place_count[index]),
                first_seat_share=_plain(counted.first_seat[index] / games),
                opponents=int((counted.meetings[index] > 0).sum()),
                opponents_elo=_plain(opponents_elo[index]) if not alone[index] else None,
                group=int(fitted.groups.weak[index]) + 1,
                is_anchor=is_anchor,
            )
        )
    return tuple(rows)


def _plain(value: float) -> float:
    """Return the number as a finite Python float without a negative zero."""
    assert np.isfinite(value), value
    return float(value) + 0.0


def _ranks(fitted: Fit, order: Ints) -> Ints:
    rank = np.zeros(len(order), dtype=np.int64)
    for group in range(fitted.groups.weak_count):
        members = order[fitted.groups.weak[order] == group]
        rank[members] = np.arange(1, len(members) + 1)
    return rank


def rank_ranges(fitted: Fit) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of every player in its group that the data do not exclude, at 95 % for all.

    A player is surely behind another when their difference exceeds the two-sided quantile at 5 % divided by the number
    of pairs in the group (Bonferroni), so all the ranges hold together.
    """
    players = len(fitted.names)
    low, high = np.ones(players, dtype=np.int64), np.ones(players, dtype=np.int64)
    sd = fitted.difference_sd()
    for group in range(fitted.groups.weak_count):
        members = fitted.groups.members(group)
        pairs = max(len(members) * (len(members) - 1) / 2, 1)
        reach = simultaneous_quantile(fitted, pairs) * sd[np.ix_(members, members)]
        gap = fitted.elo[members][:, None] - fitted.elo[members][None, :]
        low[members] = 1 + ((gap < 0) & (-gap > reach)).sum(axis=1)
        high[members] = len(members) - ((gap > 0) & (gap > reach)).sum(axis=1)
    return low, high


def simultaneous_quantile(fitted: Fit, statements: float) -> float:
    """Return the two-sided 95 % quantile for this many statements at once (Bonferroni)."""
    level = 0.025 / statements
    if fitted.is_clustered and fitted.clusters.count < CLUSTERS_FEW:
        return float(-stdtrit(fitted.clusters.count - 1, level))
    return float(-ndtri(level))


def tie_share(results: Results) -> float:
    """Return the share of ranked seat pairs that were tied, in 0..1; 0 without any pair."""
    tied = compared = 0
    for table in results.tables():
        for a in range(table.seats):
            for b in range(a + 1, table.seats):
                ranked = (table.rank[:, a] > 0) & (table.rank[:, b] > 0)
                compared += int(ranked.sum())
                tied += int((ranked & (table.rank[:, a] == table.rank[:, b])).sum())
    return tied / max(compared, 1)


def count_repeats(results: Results) -> int:
    """Return how many games repeat another: same deal, same seating, same result. They carry no new information."""
    repeats = 0
    for table in results.tables():
        known = np.flatnonzero(results.deal[table.games] >= 0)
        columns = np.concatenate(
            [results.deal[table.games][known][:, None], table.player[known], table.rank[known]], axis=1
        )
        first, _ = distinct_rows(columns)
        repeats += len(known) - len(first)
    return repeats


def difference_matrix(fitted: Fit) -> tuple[Floats, Floats]:
    """Return rating differences (row minus column) and their 95 % half widths, shape (players, players) each.

    Differences between groups that never met are 0 with the half width 0: nothing is known.
    """
    gap = fitted.elo[:, None] - fitted.elo[None, :]
    same = fitted.groups.weak[:, None] == fitted.groups.weak[None, :]
    half = np.where(same, fitted.difference_sd(), 0.0) * fitted.quantile
    return np.where(same, gap, 0.0) + 0.0, half
