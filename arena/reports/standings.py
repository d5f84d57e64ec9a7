"""Standings: a rating ladder joined with what was counted, as rows, and the JSON document of a league."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import BOT_FAULTS, Termination
from arena.ratings.ladder import LadderRow
from arena.reports.rows import Cell, Column, Rows, number, percent
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


@dataclass(slots=True)
class Tally:
    """What a ladder does not know of one bot.

    Attributes:
        games: stored games.
        deals: numbers of the deals that it played.
        score: sum of its scores, more is better.
        faults: how often each fault ended its game.
    """

    games: int = 0
    deals: set[int] = field(default_factory=set)
    score: int = 0
    faults: Counter[Termination] = field(default_factory=Counter)


def count(games: Iterable[Played]) -> dict[str, Tally]:
    """Return what is counted of each bot, in one pass."""
    tallies: dict[str, Tally] = {}
    for game in games:
        for name, word, score in zip(game.players, game.terminations, game.scores, strict=False):
            tally = tallies.setdefault(name, Tally())
            tally.games += 1
            tally.deals.add(game.deal)
            tally.score += score
            if word is not Termination.NORMAL:
                tally.faults[word] += 1
    return tallies


def standings(
    ladder: Sequence[LadderRow],
    tallies: Mapping[str, Tally],
    versions: Mapping[str, str],
    *,
    fewer_is_better: bool = False,
    authors: Mapping[str, str] | None = None,
) -> Rows:
    """Return the standings of one game, in the order of the ladder.

    A column that would say nothing is left out, in every format alike: the author when nobody gave one, the group when
    all bots have met, the limit when no rating is a bound, a fault that nobody committed.

    Args:
        ladder: the rows of ``arena.ratings.ladder``.
        tallies: what was counted, by name, over the same games.
        versions: version by name.
        fewer_is_better: mean scores are shown in the rules' direction.
        authors: author by name.
    """
    words = tuple(word for word in BOT_FAULTS if any(tally.faults[word] for tally in tallies.values()))
    given = {name: author for name, author in (authors or {}).items() if author}
    extra = {
        "author": bool(given),
        "group": len({rated.group for rated in ladder}) > 1,
        "limit": any(rated.bound for rated in ladder),
    }
    columns = tuple(column for column in _columns(fewer_is_better) if extra.get(column.key, True))
    rows = tuple(
        _row(rated, tallies.get(rated.name, Tally()), words, fewer_is_better)
        | {"version": versions.get(rated.name, ""), "author": given.get(rated.name)}
        for rated in ladder
    )
    return Rows((*columns, *(Column(word.value, word.value) for word in words)), rows)


def _columns(fewer_is_better: bool) -> tuple[Column, ...]:
    return (
        Column("group", "group"),
        Column("rank", "#"),
        Column("name", "bot"),
        Column("version", "version"),
        Column("author", "author"),
        Column("bound", ""),
        Column("elo", "Elo", 1, signed=True),
        Column("error", "+/-", 1),
        Column("limit", "limit", 1, signed=True),
        Column("rank_low", "best"),
        Column("rank_high", "worst"),
        Column("los_next_percent", "LOS %", 1),
        Column("points", "points", 1),
        Column("games", "games"),
        Column("deals", "deals"),
        Column("win_share_percent", "wins %", 1),
        Column("mean_place", "place", 2),
        Column("mean_score", "score (fewer is better)" if fewer_is_better else "score", 2),
        Column("wins", "W"),
        Column("ties", "T"),
        Column("losses", "L"),
        Column("faults", "faults"),
    )


def _row(rated: LadderRow, tally: Tally, words: Iterable[Termination], fewer_is_better: bool) -> dict[str, Cell]:
    mean = tally.score / tally.games if tally.games else None
    return {
        "group": rated.group,
        "rank": rated.rank,
        "name": rated.name,
        "bound": rated.bound,
        "elo": number(rated.elo),
        "error": number(rated.error),
        "limit": number(rated.limit),
        "rank_low": rated.rank_low,
        "rank_high": rated.rank_high,
        "los_next_percent": percent(rated.los_next),
        "points": number(rated.points),
        "games": rated.games,
        "deals": len(tally.deals),
        "win_share_percent": percent(rated.win_share),
        "mean_place": number(rated.mean_place),
        "mean_score": number(-mean if mean is not None and fewer_is_better else mean),
        "wins": rated.wins,
        "ties": rated.ties,
        "losses": rated.losses,
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
