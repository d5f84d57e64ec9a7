"""Standings: a rating ladder joined with what was counted, as rows, and the JSON document of a league."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.errors import BOT_FAULTS, Termination
from arena.records.record import places
from arena.reports.rows import Cell, Column, Rows, number
from arena.reports.writers import plain_rows

SCHEMA = 1
"""Version of the JSON document; keys may be added under the same number, none renamed."""


@dataclass(frozen=True, slots=True)
class Played:
    """What standings need to know of one stored game.

    Attributes:
        deal: number of the deal.
        players: names by seat.
        terminations: one word a bot's seat.
        scores: by seat, more is better; a seat that the rules add comes last and is dropped.
        ranks: the rules' ranks, as in the record.
    """

    deal: int
    players: tuple[str, ...]
    terminations: tuple[Termination, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]


class Rated(Protocol):
    """A row of a ladder, as ``arena.ratings`` makes it."""

    @property
    def rank(self) -> int | None:
        """Place in the ladder, 1-based; None for an unranked bot."""

    @property
    def name(self) -> str:
        """The bot."""

    @property
    def elo(self) -> float | None:
        """Rating; the bound itself where ``bound`` is not empty."""

    @property
    def error(self) -> float | None:
        """Half-width of the 95 % interval, in Elo."""

    @property
    def bound(self) -> str:
        """``>`` or ``<`` where the games only bound the rating."""

    @property
    def rank_low(self) -> int | None:
        """Best place that the games allow, simultaneous 95 %."""

    @property
    def rank_high(self) -> int | None:
        """Worst place that the games allow."""

    @property
    def los_next(self) -> float | None:
        """Likelihood of being better than the next row, 0..1."""


@dataclass(slots=True)
class Tally:
    """What was counted of one bot.

    Attributes:
        games: stored games.
        deals: numbers of the deals that it played.
        points: place points: opponents left behind, a shared place counting half, over the opponents at the table.
        score: sum of scores, more is better.
        win_share: games won, a shared first place split among those who share it.
        wins, ties, losses: comparisons with each opponent at the table; two retired seats are not compared.
        faults: how often each fault ended its game.
    """

    games: int = 0
    deals: set[int] = field(default_factory=set)
    points: float = 0.0
    score: int = 0
    win_share: float = 0.0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    faults: Counter[Termination] = field(default_factory=Counter)


def count(games: Iterable[Played]) -> dict[str, Tally]:
    """Return what is counted of each bot, in one pass."""
    tallies: dict[str, Tally] = {}
    for game in games:
        place = places(game.ranks, game.terminations)
        for seat, name in enumerate(game.players):
            _add(tallies.setdefault(name, Tally()), game, place, seat)
    return tallies


def _add(tally: Tally, game: Played, place: Sequence[int], seat: int) -> None:
    mine, word = place[seat], game.terminations[seat]
    retired = word is not Termination.NORMAL
    others = [
        other
        for rival, other in enumerate(place)
        if rival != seat and not (retired and game.terminations[rival] is not Termination.NORMAL)
    ]
    wins, ties = sum(other > mine for other in others), sum(other == mine for other in others)
    tally.games += 1
    tally.deals.add(game.deal)
    tally.score += game.scores[seat]
    tally.wins += wins
    tally.ties += ties
    tally.losses += len(others) - wins - ties
    tally.points += (wins + ties / 2) / (len(place) - 1)
    if mine == 1 and not retired:
        tally.win_share += 1 / place.count(1)
    if retired:
        tally.faults[word] += 1


def standings(
    ladder: Sequence[Rated],
    tallies: Mapping[str, Tally],
    versions: Mapping[str, str],
    *,
    fewer_is_better: bool = False,
    authors: Mapping[str, str] | None = None,
) -> Rows:
    """Return the standings of one game, in the order of the ladder.

    Args:
        ladder: rated bots.
        tallies: what was counted, by name; a bot without games may be absent.
        versions: version by name.
        fewer_is_better: mean scores are shown in the rules' direction.
        authors: author by name, for those who gave one; the column appears if anyone did.
    """
    words = tuple(word for word in BOT_FAULTS if any(tally.faults[word] for tally in tallies.values()))
    authors = {name: author for name, author in (authors or {}).items() if author}
    rows = tuple(
        _row(rated, tallies.get(rated.name, Tally()), words, fewer_is_better)
        | {"version": versions.get(rated.name, "")}
        | ({"author": authors.get(rated.name)} if authors else {})
        for rated in ladder
    )
    return Rows(_columns(words, bool(authors), fewer_is_better), rows)


def _columns(words: Iterable[Termination], with_author: bool, fewer_is_better: bool) -> tuple[Column, ...]:
    return (
        Column("rank", "#"),
        Column("name", "bot"),
        Column("version", "version"),
        *((Column("author", "author"),) if with_author else ()),
        Column("bound", ""),
        Column("elo", "Elo", 1, signed=True),
        Column("error", "+/-", 1),
        Column("rank_low", "best"),
        Column("rank_high", "worst"),
        Column("los_next", "LOS", 3),
        Column("points", "points", 1),
        Column("games", "games"),
        Column("deals", "deals"),
        Column("win_share", "wins %", 1),
        Column("mean_score", "mean score (fewer is better)" if fewer_is_better else "mean score", 2),
        Column("wins", "W"),
        Column("ties", "T"),
        Column("losses", "L"),
        Column("faults", "faults"),
        *(Column(word.value, word.value) for word in words),
    )


def _row(rated: Rated, tally: Tally, words: Iterable[Termination], fewer_is_better: bool) -> dict[str, Cell]:
    games = tally.games
    mean = tally.score / games if games else None
    return {
        "rank": rated.rank,
        "name": rated.name,
        "bound": rated.bound,
        "elo": number(rated.elo),
        "error": number(rated.error),
        "rank_low": rated.rank_low,
        "rank_high": rated.rank_high,
        "los_next": number(rated.los_next),
        "points": number(tally.points),
        "games": games,
        "deals": len(tally.deals),
        "win_share": number(100 * tally.win_share / games) if games else None,
        "mean_score": number(-mean if mean is not None and fewer_is_better else mean),
        "wins": tally.wins,
        "ties": tally.ties,
        "losses": tally.losses,
        "faults": tally.faults.total(),
        **{word.value: tally.faults[word] for word in words},
    }


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a league is.

    Attributes:
        league: its name.
        planned: games of the plan.
        stored: games that are stored.
        void: entries of the table of voids: games that did not count and were or will be played again.
        digest: league digest, hex, over the stored games.
    """

    league: str
    planned: int
    stored: int
    void: int
    digest: str


def document(progress: Progress, ladders: Mapping[str, Rows], overall: Rows | None = None) -> dict[str, Any]:
    """Return what ``run-league --json`` and ``standings --json`` print; it holds no times.

    Args:
        progress: how far the league is.
        ladders: standings by the name of the ``[[game]]``, in the order of the league file.
        overall: the ladder over all games, when there are several.
    """
    return {
        "schema": SCHEMA,
        "league": progress.league,
        "complete": progress.stored == progress.planned,
        "planned": progress.planned,
        "stored": progress.stored,
        "void": progress.void,
        "digest": progress.digest,
        "ladders": [{"game": game, "rows": plain_rows(table)} for game, table in ladders.items()],
        "overall": None if overall is None else plain_rows(overall),
    }
