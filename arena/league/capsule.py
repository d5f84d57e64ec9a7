"""A fault capsule: one JSON file with all that the author of a bot needs to meet a fault again, without the league.

It holds the record, the seat's own part of the trace (not what other bots printed), the league's limits, the bot's
seed, and every request that the seat got up to the fault as JSON of the wire, ready for a unit test.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arena.errors import RecordError, UsageError
from arena.games import Seat
from arena.league.again import requests_of
from arena.league.case import Case, limits_of
from arena.league.verify import stored_policy
from arena.records.codec import canonical_json, decode, encode

SCHEMA, KIND = 1, "arena capsule"
CAPSULES = "'arena export RESULTS --fault GAME' writes capsules"


def faulty_seat(case: Case, seat: Seat | None) -> Seat:
    """Return the seat that a capsule is for: the given one, else that of the first fault.

    Raises:
        UsageError: when there is no such seat, or none is given and nobody had a fault.
    """
    record = case.record
    if seat is not None and not 0 <= seat < record.seats:
        raise UsageError(f"--seat {seat}: this game has seats 0..{record.seats - 1}")
    if seat is None and not record.faults:
        raise UsageError(f"game {record.game_id} has no faults; --seat N makes a capsule of any seat")
    return record.faults[0].seat if seat is None else seat


def capsule(case: Case, seat: Seat) -> dict[str, Any]:
    """Return the capsule of a seat's part in a game.

    Raises:
        RecordError: when the record does not replay.
    """
    record, trace = case.record, case.trace
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "game_id": record.game_id,
        "seat": seat,
        "name": record.players[seat].name,
        "record": json.loads(encode(record)),
        "trace": {
            "wire_id": case.wire_id,
            "decisions": [line for line in trace.get("decisions", ()) if line[0] == seat],
            "faults": [found for found in trace.get("faults", ()) if found.get("seat") == seat],
        },
        "limits": asdict(case.limits),
        "faults": {**dict(case.policy.costs), "strikes": case.policy.strikes},
        "ask_forced": case.ask_forced,
        "bot_seed": case.bot_seeds[seat] if case.bot_seeds else None,
        "requests": list(requests_of(case, seat)),
    }


def read_capsule(path: Path) -> tuple[Case, Seat]:
    """Return the game and the seat of a capsule file.

    Raises:
        UsageError: when the file cannot be read, or is no capsule of this version.
    """
    try:
        document = json.loads(path.read_bytes())
        if "players" in document and "kind" not in document:
            raise UsageError(f"{path}: a saved game, which 'arena replay {path}' shows; {CAPSULES}")
        if document["kind"] != KIND or document["schema"] > SCHEMA:
            raise UsageError(f"{path}: a {document['kind']} of schema {document['schema']}; this arena reads {SCHEMA}")
        return _case(document), document["seat"]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecordError) as error:
        raise UsageError(f"{path}: no capsule ({error!r}); {CAPSULES}") from error


def _case(document: Mapping[str, Any]) -> Case:
    record, seat, seed = decode(canonical_json(document["record"])), document["seat"], document["bot_seed"]
    return Case(
        record=record,
        trace=document["trace"],
        limits=limits_of(document["limits"]),
        policy=stored_policy(document["faults"]),
        ask_forced=document["ask_forced"],
        bot_seeds=() if seed is None else tuple(seed if other == seat else 0 for other in range(record.seats)),
    )
