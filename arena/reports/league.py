"""The standings of a stored league: games out of the journal, through the ratings, into rows.

Only complete blocks are rated: a deal that a line-up has not yet played in all its seatings would favour whoever had
the better seats. Games of mode ``race`` are never rated (rules: their outcome depends on the machine's load).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import Termination, UsageError
from arena.games import game_class
from arena.ratings.overall import overall_ladder
from arena.ratings.results import Result, Results
from arena.records.record import places
from arena.reports.notes import broken_notes, ladder_notes
from arena.reports.overall import fault_totals, overall_standings
from arena.reports.rated import Rated
from arena.reports.rows import Rows
from arena.reports.sections import SECTIONS
from arena.reports.standings import Played, Progress, count, document, standings
from arena.reports.what_if import WhatIf
from arena.reports.writers import plain_rows
from arena.schedules.seatings import seatings
from arena.storage.reader import Reader
from arena.storage.rows import GameRow, StoredEntrant

BY_HAND = "tcp"
"""Digest of a bot that was started by hand: it has no program that the arena knows."""
BY_HAND_NOTE = "games with bots that were started by hand are not rated: such a bot keeps its memory between games."
RACE_NOTE = "Games of mode race are not rated: their outcome depends on the speed of the machine."


@dataclass(frozen=True)
class Standing:
    """The standings of one ``[[game]]`` of a league.

    Attributes:
        name: name of the ``[[game]]``.
        game: id of the rules.
        rows: the table; empty while no block is complete.
        notes: the lines under it.
        rated: the games and ratings behind it, None while nothing is rated.
        played: the games that were counted.
        waiting: stored games that wait for the rest of their block.
    """

    name: str
    game: str
    rows: Rows
    notes: tuple[str, ...]
    rated: Rated | None
    played: tuple[Played, ...]
    waiting: int


@dataclass(frozen=True)
class LeagueStandings:
    """All tables of a league.

    Attributes:
        progress: how far it is.
        games: one entry a ``[[game]]``, in the order of the league file.
        overall: the ladder over all games, None with a single one.
        overall_notes: the lines under it.
    """

    progress: Progress
    games: tuple[Standing, ...]
    overall: Rows | None
    overall_notes: tuple[str, ...]

    def document(self, sections: Sequence[str] = ()) -> dict[str, Any]:
        """Return what ``--json`` prints (design section 8), each ladder with the sections asked for."""
        more = {
            standing.name: {"notes": list(standing.notes)}
            | {name: plain_rows(SECTIONS[name].programs(standing.rated)) if standing.rated else [] for name in sections}
            for standing in self.games
        }
        ladders = {standing.name: standing.rows for standing in self.games}
        return document(self.progress, ladders, self.overall, more=more)


@dataclass(frozen=True)
class _Source:
    """What is read from the store once for all games of a league."""

    entrants: Mapping[int, StoredEntrant]
    voids: Mapping[str, int]
    games_per_second: float | None
    what_if: WhatIf
    checks: bool

    def is_by_hand(self, row: GameRow) -> bool:
        """Whether a bot that was started by hand sat at the table: it keeps its memory, so the game is not rated."""
        return any(self.entrants[key].digest == BY_HAND for key in row.line_up)

    def names(self, row: GameRow) -> tuple[str, ...]:
        """Return who sat at the table, by seat."""
        return tuple(self.entrants[key].name for key in row.seated)


def league_standings(store: Reader, what_if: WhatIf | None = None, *, checks: bool = True) -> LeagueStandings:
    """Return the standings of what is stored now.

    Args:
        store: the league.
        what_if: which games are left out.
        checks: check how well the ratings explain the games, which takes longer than rating them.

    Raises:
        UsageError: when the league has not begun, or ``what_if`` names a bot that is not in it.
    """
    meta = store.meta()
    if not {"league", "planned", "games"} <= meta.keys():
        raise UsageError(f"{store.path}: this league has not begun; 'arena run-league' does")
    plans: dict[str, dict[str, Any]] = json.loads(meta["fingerprint"])["games"]
    names: dict[str, str] = json.loads(meta["games"])
    rulesets = {item.ruleset: item for item in store.rulesets()}
    source = _Source(
        entrants={entrant.key: entrant for entrant in store.entrants()},
        voids=Counter(void.game_id for void in store.voids()),
        games_per_second=games_per_second(meta),
        what_if=what_if or WhatIf(),
        checks=checks,
    )
    source.what_if.check_names(entrant.name for entrant in source.entrants.values())
    rows: dict[int, list[GameRow]] = {item.key: [] for item in rulesets.values()}
    for row in store.games():
        rows[row.ruleset].append(row)
    games = tuple(
        _standing(name, json.loads(ruleset), plans[ruleset], rows[rulesets[ruleset].key], source)
        for ruleset, name in names.items()
    )
    counts = store.counts()
    progress = Progress(
        meta["league"], int(meta["planned"]), counts.stored, counts.void, store.digest(), meta.get("sandbox", "")
    )
    overall, notes = _overall(games, source.entrants.values())
    return LeagueStandings(progress, games, overall, notes)


def _standing(
    name: str, ruleset: Mapping[str, Any], plan: Mapping[str, Any], rows: Sequence[GameRow], source: _Source
) -> Standing:
    complete = complete_blocks(rows, len(seatings(plan["seatings"], ruleset["seats"])))
    rated_rows = [row for row in complete if not source.is_by_hand(row)]
    kept = [row for row in rated_rows if source.what_if.keeps(row, source.names(row))]
    played = tuple(Played(row.deal, source.names(row), row.terminations, row.scores, row.ranks) for row in kept)
    is_race = ruleset["options"].get("mode") == "race"
    results = None if is_race or not kept else Results.of(_result(row, source) for row in kept)
    rated = None
    if results is not None:
        speed = source.games_per_second
        seconds = len(results) / len(results.deal_labels) / speed if speed else None
        rated = Rated.of(results, checks=source.checks, seconds_per_deal=seconds)
    notes = (RACE_NOTE,) if is_race else ladder_notes(rated, _void(kept, source)) if rated else ()
    if source.what_if:
        notes = (source.what_if.words(len(kept), len(complete)), *notes)
    if len(rated_rows) < len(complete):
        notes = (*notes, f"{len(complete) - len(rated_rows)} {BY_HAND_NOTE}")
    return Standing(
        name,
        ruleset["game"],
        _table(rated, played, _voids_by_name(kept, source), source, game_class(ruleset["game"]).fewer_is_better),
        (*notes, *broken_notes(played)),
        rated,
        played,
        len(rows) - len(complete),
    )


def _table(
    rated: Rated | None, played: Sequence[Played], voids: Mapping[str, int], source: _Source, fewer_is_better: bool
) -> Rows:
    return standings(
        rated.ladder if rated else None,
        count(played),
        {entrant.name: entrant.version for entrant in source.entrants.values()},
        fewer_is_better=fewer_is_better,
        authors={entrant.name: entrant.author for entrant in source.entrants.values()},
        voids=voids,
        checks=rated.checks if rated else None,
    )


def _void(rows: Iterable[GameRow], source: _Source) -> int:
    return sum(source.voids.get(row.game_id, 0) for row in rows)


def _voids_by_name(rows: Iterable[GameRow], source: _Source) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        if row.game_id in source.voids:
            found.update(dict.fromkeys(source.names(row), source.voids[row.game_id]))
    return found


def games_per_second(meta: Mapping[str, str]) -> float | None:
    """Return the measured speed of a league, all its runs together; None before the first has ended."""
    games, seconds = json.loads(meta.get("speed", "[0, 0]"))
    return games / seconds if games and seconds else None


def complete_blocks(rows: Sequence[GameRow], seatings_of_a_block: int) -> list[GameRow]:
    """Return the games of blocks that are complete: one deal played by one line-up in all its seatings."""
    sizes = Counter(row.block for row in rows)
    return [row for row in rows if sizes[row.block] == seatings_of_a_block]


def _result(row: GameRow, source: _Source) -> Result:
    return Result(
        players=source.names(row),
        ranks=places(row.ranks, row.terminations),
        retired=tuple(word is not Termination.NORMAL for word in row.terminations),
        deal=str(row.deal),
        game_id=row.game_id,
    )


def _overall(games: Sequence[Standing], entrants: Iterable[StoredEntrant]) -> tuple[Rows | None, tuple[str, ...]]:
    ladders = {standing.name: standing.rated.ladder for standing in games if standing.rated is not None}
    if len(games) < 2 or not ladders:
        return None, ()
    overall = overall_ladder(ladders)
    versions = {entrant.name: entrant.version for entrant in entrants}
    faults = fault_totals(standing.rows for standing in games)
    return overall_standings(overall, tuple(ladders), versions, faults), overall.notes
