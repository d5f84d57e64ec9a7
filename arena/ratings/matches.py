"""One bot against another: Elo and normalised Elo with errors, LOS, pairs of deals, and the lines people know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from arena.ratings.results import Results
from arena.ratings.sprt import NELO_PER_T, Sprt
from arena.ratings.tally import PointsName, table_points
from arena.ratings.units import Floats, elo_of_score, expected_score

_Z95 = float(ndtri(0.975))
_DROP = float(ndtri(0.95)) ** 2 / 2


@dataclass(frozen=True, slots=True)
class MatchScore:
    """What the scores of one match say, from one side.

    Attributes:
        games: number of games.
        score: mean score in 0..1.
        elo: Elo of that score; None at 0 or 1.
        elo_error: half the distance between the Elo of the interval's ends; None when an end is 0 or 1, or without
            spread.
        bound: ``>`` or ``<`` when the score is 1 or 0, else empty.
        limit: the one-sided 95 % likelihood bound in Elo that goes with it, else None.
        nelo: normalised Elo; None without spread.
        nelo_error: its 95 % half width; None without spread.
        los: probability of being the stronger one; 1/2 when every unit was level.
    """

    games: int
    score: float
    elo: float | None
    elo_error: float | None
    bound: str
    limit: float | None
    nelo: float | None
    nelo_error: float | None
    los: float


def match_score(counts: Sequence[int]) -> MatchScore:
    """Return the statistics of losses, ties, wins (3 counts) or of pairs scored 0, 1/2, 1, 3/2, 2 (5 counts).

    Raises:
        ValueError: for another number of counts, a negative one, or none played.
    """
    if len(counts) not in (3, 5) or min(counts) < 0 or not sum(counts):
        raise ValueError("a match needs 3 counts of games or 5 counts of pairs, none negative, not all zero")
    units = sum(counts)
    games = units if len(counts) == 3 else 2 * units
    share = np.array(counts, dtype=np.float64) / units
    value = np.linspace(0.0, 1.0, len(counts))
    score = float(share @ value)
    spread = math.sqrt(float(share @ (value - score) ** 2))
    if score in (0.0, 1.0):
        sign = 1 if score == 1.0 else -1
        limit = sign * elo_of_score(math.exp(-_DROP / games))
        return MatchScore(games, score, None, None, ">" if sign > 0 else "<", limit, None, None, _sure_los(sign, games))
    if spread == 0.0:
        return MatchScore(games, score, elo_of_score(score) + 0.0, None, "", None, None, None, 0.5)
    half = _Z95 * spread / math.sqrt(units)
    inside = score - half > 0 and score + half < 1
    sigma_game = spread * math.sqrt(games / units)
    return MatchScore(
        games=games,
        score=score,
        elo=elo_of_score(score) + 0.0,
        elo_error=(elo_of_score(score + half) - elo_of_score(score - half)) / 2 if inside else None,
        bound="",
        limit=None,
        nelo=(score - 0.5) / sigma_game * NELO_PER_T,
        nelo_error=_Z95 * NELO_PER_T / math.sqrt(games),
        los=float(ndtr((score - 0.5) * math.sqrt(units) / spread)),
    )


def _sure_los(sign: int, games: int) -> float:
    """Return the LOS of a clean sweep under a flat belief about the score: 1 - 2^-(n+1)."""
    beaten = math.ldexp(1.0, -(games + 1))
    return 1 - beaten if sign > 0 else beaten


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The games of two bots alone at a table, from the first one's side.

    Attributes:
        wins: games won.
        ties: games tied (a game lost by both through faults counts as a tie of nobody and is left out).
        losses: games lost.
        pairs: pairs of one deal with seats swapped, scored LL, LD, WL, DD, WD, WW (WL and DD both score 1).
        unpaired: games that belong to no such pair.
    """

    wins: int
    ties: int
    losses: int
    pairs: tuple[int, int, int, int, int, int]
    unpaired: int

    @property
    def five(self) -> tuple[int, int, int, int, int]:
        """Return the pairs by score 0, 1/2, 1, 3/2, 2."""
        ll, ld, wl, dd, wd, ww = self.pairs
        return ll, ld, wl + dd, wd, ww

    @property
    def units(self) -> tuple[int, ...]:
        """Return the counts to test with: pairs when every game belongs to one, else games (losses, ties, wins)."""
        paired = not self.unpaired and sum(self.pairs) > 0
        return self.five if paired else (self.losses, self.ties, self.wins)


def match_counts(results: Results, name: str, other: str) -> MatchCounts:
    """Return the counts of the two-seat games between two bots.

    Raises:
        ValueError: if one of the names has played no game.
    """
    for wanted in (name, other):
        if wanted not in results.names:
            raise ValueError(f"{wanted!r} has played no game")
    a, b = results.names.index(name), results.names.index(other)
    games: list[tuple[int, int, int]] = []
    for table in results.tables():
        if table.seats != 2:
            continue
        for seat in (0, 1):
            met = (table.player[:, seat] == a) & (table.player[:, 1 - seat] == b) & (table.rank > 0).any(axis=1)
            own, opposing = table.rank[met, seat], table.rank[met, 1 - seat]
            own, opposing = np.where(own == 0, 1 << 40, own), np.where(opposing == 0, 1 << 40, opposing)
            outcome = 1 + np.sign(opposing - own)
            deals = results.deal[table.games[met]]
            games += [(int(deal), seat, int(value)) for deal, value in zip(deals, outcome, strict=True)]
    return _pair_up(games)


def _pair_up(games: list[tuple[int, int, int]]) -> MatchCounts:
    """Return the counts of (deal, seat, outcome 0..2) entries; each deal's games in seat 0 meet those in seat 1."""
    by_deal: dict[int, tuple[list[int], list[int]]] = {}
    for deal, seat, outcome in sorted(games):
        by_deal.setdefault(deal, ([], []))[seat].append(outcome)
    cells = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5}
    pairs = [0] * 6
    for deal, (first, second) in by_deal.items():
        if deal >= 0:
            for one, two in zip(first, second, strict=False):
                pairs[cells[min(one, two), max(one, two)]] += 1
    outcomes = [outcome for _, _, outcome in games]
    ll, ld, wl, dd, wd, ww = pairs
    return MatchCounts(
        wins=outcomes.count(2),
        ties=outcomes.count(1),
        losses=outcomes.count(0),
        pairs=(ll, ld, wl, dd, wd, ww),
        unpaired=len(games) - 2 * sum(pairs),
    )


def match_lines(name: str, other: str, counts: MatchCounts, sprt: Sprt | None = None) -> tuple[str, ...]:
    """Return the lines that users of engine testers know, from the first bot's side."""
    units = counts.units
    value = match_score(units)
    elo = f"{value.bound} {value.limit:+.2f}" if value.limit is not None else _with_error(value.elo, value.elo_error)
    games = counts.wins + counts.ties + counts.losses
    points = counts.wins + counts.ties / 2
    lines = [
        f"Results of {name} against {other}, from {name}'s side:",
        f"Elo: {elo}, nElo: {_with_error(value.nelo, value.nelo_error)}",
        f"LOS: {100 * value.los:.2f} %, {_ratios(counts)}",
        f"Games: {games}, Wins: {counts.wins}, Losses: {counts.losses}, Draws: {counts.ties}, "
        f"Points: {points:.1f} ({100 * points / games:.2f} %)",
    ]
    if len(units) == 5:
        lines.append(f"Ptnml(0-2): [{', '.join(str(count) for count in units)}]")
    if sprt is not None:
        lines.append(llr_line(sprt, sprt.llr(units)))
    return tuple(lines)


def llr_line(sprt: Sprt, llr: float) -> str:
    """Return the ratio, how far it is on the way to a bound, the bounds and the hypotheses."""
    share = llr / (sprt.upper if llr >= 0 else -sprt.lower)
    return (
        f"LLR: {_fixed(llr, 2)} ({_fixed(100 * share, 1)} %) ({sprt.lower:.2f}, {sprt.upper:.2f}) "
        f"[{sprt.elo0:.2f}, {sprt.elo1:.2f}]"
    )


def _with_error(value: float | None, error: float | None) -> str:
    if value is None:
        return "--"
    return f"{_fixed(value, 2)} +/- {error:.2f}" if error is not None else _fixed(value, 2)


def _fixed(value: float, digits: int) -> str:
    """Return the number with this many decimals, never ``-0.00``."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _ratios(counts: MatchCounts) -> str:
    ll, ld, wl, dd, wd, ww = counts.pairs
    pairs = sum(counts.pairs)
    if not pairs:
        return f"DrawRatio: {100 * counts.ties / max(counts.wins + counts.ties + counts.losses, 1):.2f} %"
    ratio = f"{(wd + ww) / (ll + ld):.2f}" if ll + ld else "--"
    return f"DrawRatio: {100 * (wl + dd) / pairs:.2f} %, PairsRatio: {ratio}"


def deal_differences(results: Results, name: str, other: str, points: PointsName = "normalised") -> tuple[Floats, int]:
    """Return, deal by deal in deal order, the mean points of ``name`` minus those of ``other``, and the games a deal.

    Only games with both at the table count. Incomplete deals (fewer games than the fullest one) are left out, so that
    the numbers can be tested after every complete block. Games without a deal count as deals of their own.
    """
    a, b = results.names.index(name), results.names.index(other)
    code = np.where(results.deal >= 0, results.deal, results.deal.max(initial=-1) + 1 + np.arange(len(results)))
    total: dict[int, list[float]] = {}
    for table in results.tables():
        value = table_points(table, points)
        both = (table.player == a).any(axis=1) & (table.player == b).any(axis=1)
        gap = np.where(table.player == a, value, np.where(table.player == b, -value, 0.0)).sum(axis=1)
        for deal, difference in zip(code[table.games[both]], gap[both], strict=True):
            total.setdefault(int(deal), []).append(float(difference))
    full = max((len(found) for found in total.values()), default=0)
    means = [math.fsum(found) / full for _, found in sorted(total.items()) if len(found) == full]
    return np.array(means, dtype=np.float64), full


@dataclass(frozen=True, slots=True)
class Performance:
    """A performance rating: the rating whose expected points equal the points made; a bound at 0 or 100 %."""

    elo: float
    bound: str = ""


def performance(opponents_elo: Sequence[float], points: float) -> Performance:
    """Return the rating at which the expected points against these opponents equal ``points``.

    Args:
        opponents_elo: rating of the opponent of every game, at least one.
        points: 0..games; at the ends a one-sided 95 % likelihood bound is returned.

    Raises:
        ValueError: without opponents, or with points outside 0..games.
    """
    games = len(opponents_elo)
    if not games or not 0 <= points <= games:
        raise ValueError(f"{points} points from {games} games")
    reach = 4000.0 + max(abs(elo) for elo in opponents_elo)

    def expected(elo: float) -> float:
        return math.fsum(expected_score(elo - opponent) for opponent in opponents_elo)

    def log_sweep(elo: float, sign: int) -> float:
        return math.fsum(math.log(expected_score(sign * (elo - opponent))) for opponent in opponents_elo)

    if 0 < points < games:
        return Performance(float(brentq(lambda elo: expected(elo) - points, -reach, reach)))
    sign = 1 if points else -1
    bound = float(brentq(lambda elo: log_sweep(elo, sign) + _DROP, -reach, reach))
    return Performance(bound, ">" if sign > 0 else "<")
