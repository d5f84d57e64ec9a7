"""One stored game with all that is known about it: to be explained, played again with a bot, or given to its author."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from arena.errors import Termination, UsageError, nearest
from arena.league.folder import DATABASE, read_secret
from arena.league.verify import stored_policy
from arena.players.base import FaultPolicy, Limits
from arena.records.record import Record, Void, places
from arena.seeds import bot_seed, commitment, wire_id
from arena.storage.reader import Reader
from arena.storage.rows import GameRow
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

    @property
    def wire_id(self) -> str:
        """What the bots were told as the game's id; in leagues of earlier versions it was the id itself."""
        return str(self.trace.get("wire_id", self.record.game_id))


def read_case(results: Path, game: str) -> Case:
    """Return a stored game by its id, or the beginning of it.

    Args:
        results: a results folder.
        game: what its id begins with, or the id that its bots were told.

    Raises:
        UsageError: when no game, or more than one, begins so.
        RecordError: when what is stored does not fit its digests.
    """
    with Store.open(results / DATABASE) as store:
        record = store.record(find_game(results, store, game))
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


def find_game(results: Path, store: Reader, game: str) -> str:
    """Return the id of the one stored game whose id begins so, or else the id that its bots were told.

    The second is what stands in what a bot printed; it is known where the secret is.

    Raises:
        UsageError: when there is no such game, or more than one.
    """
    secret = _secret_of(results)
    return store.find(game, partial(wire_id, secret) if secret else None)


def telling_game(results: Path, bot: str | None = None) -> tuple[str, str]:
    """Return the id of the stored game that says most of why a bot lost, and in words which one it is.

    It is the last one, in the order of rulesets and deals, in which a bot had a fault. Games in which all faults are
    no-shows count only when there are no others: a bot that is benched after its faults is a no-show, which would hide
    them. Of a bot without a fault it is the last one in which it came last.

    Args:
        results: a results folder.
        bot: name of the bot that is asked about; None: any that had a fault.

    Raises:
        UsageError: when there is no such game, or no such bot.
    """
    with Store.open(results / DATABASE) as store:
        names = {entrant.key: entrant.name for entrant in store.entrants()}
        if bot is not None and bot not in names.values():
            known = ", ".join(sorted(names.values()))
            raise UsageError(f"--bot {bot}: no such bot in this league{nearest(bot, names.values())} (bots: {known})")
        found, lost = {True: "", False: ""}, ""
        for row in store.games():
            if bot is not None and bot in _last(row, names):
                lost = row.game_id
            own = [
                word
                for key, word in zip(row.seated, row.terminations, strict=True)
                if word is not Termination.NORMAL and bot in (None, names[key])
            ]
            if own:
                found[all(word is Termination.NO_SHOW for word in own)] = row.game_id
    whose = f" of {bot}" if bot else ""
    if faulted := found[False] or found[True]:
        return faulted, f"the last game with a fault{whose}"
    if lost:
        return lost, f"no fault{whose}; the last game in which it came last"
    listed = f"'arena export {results} --format csv' lists them"
    raise UsageError(f"{results}: no game with a fault{whose}{' or in which it came last' if bot else ''}; {listed}")


def _last(row: GameRow, names: Mapping[int, str]) -> list[str]:
    """Return the names of the bots that came last in a game, none if all came first."""
    final = places(row.ranks, row.terminations)
    return [names[key] for key, place in zip(row.seated, final, strict=True) if place == max(final) > 1]


def limits_of(stored: Mapping[str, Any]) -> Limits:
    """Return limits as a fingerprint holds them; keys of another version are left aside."""
    known = {item.name for item in fields(Limits)}
    return Limits(**{key: value for key, value in stored.items() if key in known})


def _secret_of(results: Path) -> bytes | None:
    try:
        return read_secret(results)
    except UsageError:
        return None  # a reader of the folder does not have it, and can do without


def _bot_seeds(results: Path, record: Record) -> tuple[int, ...]:
    secret = _secret_of(results)
    if secret is None or commitment(secret) != record.commitment:
        return ()
    return tuple(bot_seed(secret, record.game_id, seat) for seat in range(record.seats))
