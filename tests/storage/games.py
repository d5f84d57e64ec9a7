"""Games for the tests of the store: real shapes, made by the schedule, with records that decode."""

from __future__ import annotations

from collections.abc import Iterator

from arena.errors import Termination
from arena.games import Chance, Moves
from arena.records.codec import canonical_json, encode
from arena.records.record import Entry, Finished, Player, Record
from arena.schedules.line_ups import Entrant, Field
from arena.schedules.plan import Plan, PlannedGame, RulesetPlan
from arena.schedules.seatings import seatings
from arena.storage.rows import StoredEntrant, StoredRuleset
from arena.storage.store import Store

NAMES = ("anna", "béa", "carl", "dora")
RULESET = StoredRuleset('{"game":"no_thanks","seats":3}', "no_thanks", 3)
ENTRANTS = tuple(
    StoredEntrant(name, 1, "2", "team", f"{number:064x}", ("/usr/bin/env", name)) for number, name in enumerate(NAMES)
)


def planned_games(deals: int = 10) -> Iterator[PlannedGame]:
    """All games of four bots at tables of three in six seatings."""
    field = Field(tuple(map(Entrant, NAMES)), 3)
    for sitting in Plan((RulesetPlan(RULESET.ruleset, field, seatings("balanced", 3), deals),)).sittings():
        yield from sitting.games()


def finished(game: PlannedGame, outcome: int = 0) -> Finished:
    """A finished game; different outcomes differ in scores, terminations and bytes."""
    terminations = (Termination.NORMAL, Termination.CRASH if outcome % 2 else Termination.NORMAL, Termination.NORMAL)
    scores, ranks = (-outcome, -7, 12), (2, 3, 1)
    players = tuple(Player(bot.name, "2", "0" * 64) for bot in game.seated)
    entries = (Entry(Chance("shuffle 3 4 5")), Entry(Moves(((0, "take"),)), forced=True))
    record = Record(
        game.game_id, "no_thanks", 1, 3, {"rounds": 1}, game.deal, "c" * 64, "none", players, entries, (),
        terminations, scores, ranks,
    )  # fmt: skip
    trace = canonical_json({"times_us": [outcome, 2, 3], "id": game.game_id})
    return Finished(game.game_id, terminations, scores, ranks, encode(record), trace)


def new_store(path: object) -> Store:
    """A new database with the ruleset and the entrants."""
    store = Store.create(str(path))
    store.register([RULESET], ENTRANTS)
    return store
