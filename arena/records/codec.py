"""Records as canonical bytes: one JSON line with sorted keys, so that the same game has the same bytes.

A step is written as in the corpus of games: ``["c", outcome]``, ``["m", {"0": "pass"}]``, with ticks as a third
element in mode ``race``, and with ``"forced"`` where nobody was asked. Seats that the referee played for stand in a
last element ``{"default": [seat, ...]}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.errors import RecordError, Termination
from arena.games import Chance, Moves
from arena.records.record import Entry, Fault, Player, Record

SCHEMA = 1


def canonical_json(document: Any) -> bytes:
    """Return a document as one line of UTF-8 JSON with sorted keys, no spaces and a line end; never NaN."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def encode(record: Record) -> bytes:
    """Return the canonical bytes of a record."""
    return canonical_json(
        {
            "schema": SCHEMA,
            "id": record.game_id,
            "game": record.game,
            "rules_version": record.rules_version,
            "seats": record.seats,
            "options": dict(record.options),
            "deal": record.deal,
            "commitment": record.commitment,
            "sandbox": record.sandbox,
            "players": [[player.name, player.version, player.digest] for player in record.players],
            "steps": [_entry_out(entry) for entry in record.entries],
            "faults": [[fault.step, fault.seat, fault.word, fault.cost] for fault in record.faults],
            "terminations": record.terminations,
            "scores": record.scores,
            "ranks": record.ranks,
        }
    )


def decode(data: bytes) -> Record:
    """Return the record of canonical bytes.

    Raises:
        RecordError: when the bytes are no record of a schema that this version reads.
    """
    try:
        document = json.loads(data)
        if document["schema"] > SCHEMA:
            raise RecordError(
                f"record {document['id']} has schema {document['schema']}; this version reads up to {SCHEMA}"
            )
        return _record_in(document)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise RecordError(f"not a game record: {error!r}") from error


def _record_in(document: Mapping[str, Any]) -> Record:
    return Record(
        game_id=document["id"],
        game=document["game"],
        rules_version=document["rules_version"],
        seats=document["seats"],
        options={
            name: tuple(value) if isinstance(value, list) else value for name, value in document["options"].items()
        },
        deal=document["deal"],
        commitment=document["commitment"],
        sandbox=document["sandbox"],
        players=tuple(Player(*player) for player in document["players"]),
        entries=tuple(entry_in(entry) for entry in document["steps"]),
        faults=tuple(Fault(step, seat, Termination(word), cost) for step, seat, word, cost in document["faults"]),
        terminations=tuple(map(Termination, document["terminations"])),
        scores=tuple(document["scores"]),
        ranks=tuple(document["ranks"]),
    )


def _entry_out(entry: Entry) -> list[Any]:
    step = entry.step
    if isinstance(step, Chance):
        return ["c", step.outcome]
    out: list[Any] = ["m", {str(seat): action for seat, action in step.by_seat}]
    if step.ticks is not None:
        out.append({str(seat): tick for (seat, _), tick in zip(step.by_seat, step.ticks, strict=True)})
    if entry.forced:
        out.append("forced")
    if entry.defaulted:
        out.append({"default": list(entry.defaulted)})
    return out


def entry_in(raw: list[Any]) -> Entry:
    """Return the entry of one step as written in a record or a corpus line."""
    if raw[0] == "c":
        return Entry(Chance(raw[1]))
    kind, actions, *rest = raw
    if kind != "m":
        raise ValueError(f"step of kind {kind!r}")
    forced, ticks, defaulted = False, None, ()
    for item in rest:
        if item == "forced":
            forced = True
        elif "default" in item:
            defaulted = tuple(item["default"])
        else:
            ticks = tuple(item[seat] for seat in actions)
    by_seat = tuple((int(seat), action) for seat, action in actions.items())
    return Entry(Moves(by_seat, ticks), forced, defaulted)
