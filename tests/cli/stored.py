"""A stored league without bots or processes: results that follow from strengths and a seed, through the real store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from arena.errors import Termination
from arena.games import Chance, create
from arena.records.codec import canonical_json, encode
from arena.records.record import Entry, Finished, Player, Record, Void
from arena.schedules.line_ups import Entrant, Field
from arena.schedules.plan import Plan, PlannedGame, RulesetPlan
from arena.schedules.seatings import seatings
from arena.storage.rows import StoredEntrant, StoredRuleset
from arena.storage.store import Store

Command = Callable[..., str]
"""Runs a command in this process and returns what it prints on stdout."""
STRENGTH = {"ann <b>": 1.5, "béa": 0.3, "carl, jr": 0.2, "fragile": 0.8}
"""Latent strengths; ``fragile`` crashes in every third of its games."""
DEALS = 12


def write_league(folder: Path, deals: int = DEALS) -> Path:
    """Store a league of four bots at tables of three and return its folder."""
    folder.mkdir(parents=True)
    spec = create("no_thanks", 3, rounds=1).spec
    field = Field(tuple(map(Entrant, STRENGTH)), 3)
    plan = Plan((RulesetPlan(spec.ruleset, field, seatings("balanced", 3), deals),))
    games = [game for sitting in plan.sittings() for game in sitting.games()]
    with Store.create(folder / "league.db") as store:
        entrants = [StoredEntrant(name, 1, "2", "", f"{at:064x}", ()) for at, name in enumerate(STRENGTH)]
        store.register([StoredRuleset(spec.ruleset, "no_thanks", 3)], entrants)
        store.set_meta(
            {
                "league": "spring",
                "commitment": "c" * 64,
                "fingerprint": json.dumps({"games": {spec.ruleset: {"seatings": "balanced", "deals": deals}}}),
                "games": json.dumps({spec.ruleset: "no_thanks"}),
                "planned": str(plan.games),
                "speed": "[288, 2.0]",
            }
        )
        store.add_voids([Void(games[0].game_id, Termination.HOST, "the machine stood still")])
        store.add_games((game, _finished(game)) for game in games)
    return folder


def _finished(game: PlannedGame) -> Finished:
    stream = np.random.default_rng([game.deal, *map(ord, game.game_id)])
    names = [bot.name for bot in game.seated]
    luck = [STRENGTH[name] + float(stream.gumbel()) for name in names]
    ranks = tuple(1 + sum(other > own for other in luck) for own in luck)
    breaks = int(game.game_id, 16) % 3 == 0
    words = tuple(Termination.CRASH if name == "fragile" and breaks else Termination.NORMAL for name in names)
    scores = tuple(-10 * rank for rank in ranks)
    players = tuple(Player(name, "2", "0" * 64) for name in names)
    entries = (Entry(Chance("shuffle 3 4 5")),)
    record = Record(
        game.game_id, "no_thanks", 1, 3, {"rounds": 1}, game.deal, "c" * 64, "none", players, entries, (),
        words, scores, ranks,
    )  # fmt: skip
    return Finished(game.game_id, words, scores, ranks, encode(record), canonical_json({"id": game.game_id}))
