"""Standings: a rating ladder joined with what was counted, as rows, and the JSON document of a league."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.errors import BOT_FAULTS, Termination
from arena.ratings.ladder import Ladder
from arena.reports.checks import Checks
from arena.reports.ladder_rows import ladder_cells, ladder_columns
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
    ladder: Ladder | None,
    tallies: Mapping[str, Tally],
    versions: Mapping[str, str],
    *,
    fewer_is_better: bool = False,
    authors: Mapping[str, str] | None = None,
    voids: Mapping[str, int] | None = None,
    checks: Checks | None = None,
) -> Rows:
    """Return the standings of one game, in the order of the ladder.

    A column that would say nothing is left out, in every format alike: the author when nobody gave one, void games when
    there were none, a fault that nobody committed, and what ``ladder_columns`` leaves out.

    Args:
        ladder: of ``arena.ratings.ladder``; None gives no rows.
        tallies: what was counted, by name, over the same games.
        versions: version by name.
        fewer_is_better: mean scores are shown in the rules' direction.
        authors: author by name.
        voids: by name, void attempts at games that were played again and count here.
        checks: of the ladder; Nash averaging is shown beside it when they found cycles.
    """
    if ladder is None:
        return Rows((Column("rank", "#"), Column("name", "bot")), ())
    words = tuple(word for word in BOT_FAULTS if any(tally.faults[word] for tally in tallies.values()))
    given = {name: author for name, author in (authors or {}).items() if author}
    shared = ladder_columns(ladder, checks)
    place = [column.key for column in shared].index("name") + 1
    columns = (
        *shared[:place],
        Column("version", "version", detail=4),
        *([Column("author", "author", detail=6)] if given else []),
        *shared[place:],
        Column("deals", "deals", detail=6),
        Column("mean_score", "score (fewer is better)" if fewer_is_better else "score", 2, detail=6),
        *([Column("void", "void", detail=6)] if any((voids or {}).values()) else []),
        Column("faults", "faults"),
        *(Column(word.value, word.value, detail=3) for word in words),
    )
    rows = tuple(
        {"version": versions.get(str(cells["name"]), ""), "author": given.get(str(cells["name"]))}
        | cells
        | {"void": (voids or {}).get(str(cells["name"]), 0)}
        | _counted(tallies.get(str(cells["name"]), Tally()), words, fewer_is_better)
        for cells in ladder_cells(ladder, checks)
    )
    return Rows(columns, rows)


def _counted(tally: Tally, words: Iterable[Termination], fewer_is_better: bool) -> dict[str, Cell]:
    mean = tally.score / tally.games if tally.games else None
    return {
        "deals": len(tally.deals),
        "mean_score": number(-mean if mean is not None and fewer_is_better else mean),
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
        sandbox: levels under which its bots ran, one if all runs had the same.
    """

    league: str
    planned: int
    stored: int
    void: int
    digest: str
    sandbox: str = ""


def document(
    progress: Progress,
    ladders: Mapping[str, Rows],
    overall: Rows | None = None,
    *,
    more: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return what ``run-league --json`` and ``standings --json`` print; it holds no times unless ``more`` does.

    Args:
        progress: how far the league is.
        ladders: standings by the name of the ``[[game]]``, in the order of the league file.
        overall: the ladder over all games, when there are several.
        more: further keys of a ladder, by the name of the ``[[game]]``.
    """
    further = more or {}
    return {
        "schema": SCHEMA,
        "league": progress.league,
        "complete": progress.stored == progress.planned,
        "planned": progress.planned,
        "stored": progress.stored,
        "void": progress.void,
        "digest": progress.digest,
        "sandbox": progress.sandbox,
        "ladders": [
            {"game": game, "rows": plain_rows(table), **further.get(game, {})} for game, table in ladders.items()
        ],
        "overall": None if overall is None else plain_rows(overall),
    }
