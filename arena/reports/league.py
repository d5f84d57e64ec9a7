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
from arena.ratings.ladder import Ladder, ladder
from arena.ratings.overall import overall_ladder
from arena.ratings.results import Result, Results
from arena.records.record import places
from arena.reports.notes import ladder_notes
from arena.reports.overall import fault_totals, overall_standings
from arena.reports.rows import Rows
from arena.reports.standings import Played, Progress, count, document, standings
from arena.schedules.seatings import seatings
from arena.storage.reader import Reader
from arena.storage.rows import GameRow, StoredEntrant

RACE_NOTE = "Games of mode race are not rated: their outcome depends on the speed of the machine."


@dataclass(frozen=True)
class Standing:
    """The standings of one ``[[game]]`` of a league.

    Attributes:
        name: name of the ``[[game]]``.
        game: id of the rules.
        rows: the table; empty while no block is complete.
        notes: the lines under it.
        ladder: the ratings behind it, None while nothing is rated.
        played: the games that were counted.
        waiting: stored games that wait for the rest of their block.
    """

    name: str
    game: str
    rows: Rows
    notes: tuple[str, ...]
    ladder: Ladder | None
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

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints (design section 8)."""
        return document(self.progress, {standing.name: standing.rows for standing in self.games}, self.overall)


def league_standings(store: Reader) -> LeagueStandings:
    """Return the standings of what is stored now.

    Raises:
        UsageError: when the database is of a league that has not begun.
    """
    meta = store.meta()
    if not {"league", "planned", "games"} <= meta.keys():
        raise UsageError(f"{store.path}: this league has not begun; 'arena run-league' does")
    plans: dict[str, dict[str, Any]] = json.loads(meta["fingerprint"])["games"]
    names: dict[str, str] = json.loads(meta["games"])
    entrants = {entrant.key: entrant for entrant in store.entrants()}
    rulesets = {item.ruleset: item for item in store.rulesets()}
    rows: dict[int, list[GameRow]] = {item.key: [] for item in rulesets.values()}
    for row in store.games():
        rows[row.ruleset].append(row)
    games = tuple(
        _standing(name, json.loads(ruleset), plans[ruleset], rows[rulesets[ruleset].key], entrants)
        for ruleset, name in names.items()
    )
    counts = store.counts()
    progress = Progress(meta["league"], int(meta["planned"]), counts.stored, counts.void, store.digest())
    overall, notes = _overall(games, entrants.values())
    return LeagueStandings(progress, games, overall, notes)


def _standing(
    name: str,
    ruleset: Mapping[str, Any],
    plan: Mapping[str, Any],
    rows: Sequence[GameRow],
    entrants: Mapping[int, StoredEntrant],
) -> Standing:
    complete = complete_blocks(rows, len(seatings(plan["seatings"], ruleset["seats"])))
    played = tuple(_played(row, entrants) for row in complete)
    rules = game_class(ruleset["game"])
    is_race = ruleset["options"].get("mode") == "race"
    rated = None if is_race or not complete else ladder(Results.of(_result(row, entrants) for row in complete))
    versions = {entrant.name: entrant.version for entrant in entrants.values()}
    authors = {entrant.name: entrant.author for entrant in entrants.values()}
    table = standings(
        rated.rows if rated else (), count(played), versions, fewer_is_better=rules.fewer_is_better, authors=authors
    )
    notes = ladder_notes(rated) if rated else (RACE_NOTE,) if is_race else ()
    return Standing(name, rules.id, table, notes, rated, played, len(rows) - len(complete))


def complete_blocks(rows: Sequence[GameRow], seatings_of_a_block: int) -> list[GameRow]:
    """Return the games of blocks that are complete: one deal played by one line-up in all its seatings."""
    sizes = Counter(row.block for row in rows)
    return [row for row in rows if sizes[row.block] == seatings_of_a_block]


def _played(row: GameRow, entrants: Mapping[int, StoredEntrant]) -> Played:
    return Played(row.deal, _names(row, entrants), row.terminations, row.scores, row.ranks)


def _names(row: GameRow, entrants: Mapping[int, StoredEntrant]) -> tuple[str, ...]:
    return tuple(entrants[key].name for key in row.seated)


def _result(row: GameRow, entrants: Mapping[int, StoredEntrant]) -> Result:
    return Result(
        players=_names(row, entrants),
        ranks=places(row.ranks, row.terminations),
        retired=tuple(word is not Termination.NORMAL for word in row.terminations),
        deal=str(row.deal),
        game_id=row.game_id,
    )


def _overall(games: Sequence[Standing], entrants: Iterable[StoredEntrant]) -> tuple[Rows | None, tuple[str, ...]]:
    ladders = {standing.name: standing.ladder for standing in games if standing.ladder is not None}
    if len(games) < 2 or not ladders:
        return None, ()
    overall = overall_ladder(ladders)
    versions = {entrant.name: entrant.version for entrant in entrants}
    faults = fault_totals(standing.rows for standing in games)
    return overall_standings(overall, tuple(ladders), versions, faults), overall.notes
