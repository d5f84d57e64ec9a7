"""One stored game with all that is known about it: to be explained, played again with a bot, or given to its author."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.league.folder import DATABASE, read_secret
from arena.league.verify import stored_policy
from arena.players.base import FaultPolicy, Limits
from arena.records.record import Record, Void
from arena.seeds import bot_seed, commitment
from arena.storage.store import Store


@dataclass(frozen=True, slots=True)
class Case:
    """One stored game.

    Attributes:
        record: what happened.
        trace: times, banks and the evidence of faults, as the store keeps it.
        limits: of the league.
        policy: what its faults cost.
        ask_forced: seats without a choice were asked, too.
        voids: earlier attempts at the game that did not count.
        bot_seeds: the bots' own seeds by seat; empty where the secret is not known.
    """

    record: Record
    trace: Mapping[str, Any]
    limits: Limits
    policy: FaultPolicy
    ask_forced: bool
    voids: tuple[Void, ...] = ()
    bot_seeds: tuple[int, ...] = ()


def read_case(results: Path, game: str) -> Case:
    """Return a stored game by its id, or the beginning of it.

    Args:
        results: a results folder.
        game: what its id begins with.

    Raises:
        UsageError: when no game, or more than one, begins so.
        RecordError: when what is stored does not fit its digests.
    """
    with Store.open(results / DATABASE) as store:
        record = store.record(store.find(game))
        facts = json.loads(store.meta()["fingerprint"])
        return Case(
            record=record,
            trace=json.loads(store.trace(record.game_id)),
            limits=limits_of(facts["limits"]),
            policy=stored_policy(facts["faults"]),
            ask_forced=bool(facts["league"]["ask_forced"]),
            voids=tuple(void for void in store.voids() if void.game_id == record.game_id),
            bot_seeds=_bot_seeds(results, record),
        )


def limits_of(stored: Mapping[str, Any]) -> Limits:
    """Return limits as a fingerprint holds them; keys of another version are left aside."""
    known = {item.name for item in fields(Limits)}
    return Limits(**{key: value for key, value in stored.items() if key in known})


def _bot_seeds(results: Path, record: Record) -> tuple[int, ...]:
    try:
        secret = read_secret(results)
    except UsageError:
        return ()  # a reader of the folder does not have it, and can do without
    if commitment(secret) != record.commitment:
        return ()
    return tuple(bot_seed(secret, record.game_id, seat) for seat in range(record.seats))
