"""What fixes the games of a league, and how two such facts differ: a results folder takes one league only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arena.league.values import League
from arena.players.base import Program

_HEAD = ("name", "schedule", "candidates", "same_author", "line_ups", "ask_forced")


def fingerprint(league: League, programs: Sequence[Program], commitment: str) -> dict[str, Any]:
    """Return what fixes the games, as a JSON document that does not depend on the order of bots or games.

    Where programs are installed, and how the work is shared out, is not in it.

    Args:
        league: the league.
        programs: of its bots; those that are started by hand have none.
        commitment: SHA-256 of the secret, hex.
    """
    digests = {program.name: program.digest for program in programs}
    document = {
        "commitment": commitment,
        "league": {key: getattr(league, key) for key in _HEAD},
        "limits": asdict(league.limits),
        "faults": {**dict(league.faults.costs), "strikes": league.faults.strikes},
        "games": {game.ruleset: {"seatings": game.seatings, "deals": game.deals} for game in league.games},
        "bots": {
            bot.name: {
                "version": bot.version,
                "author": bot.author,
                "games": sorted(bot.games),
                "program": digests.get(bot.name, bot.connect),
            }
            for bot in league.bots
        },
    }
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return plain


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in words what makes two fingerprints different leagues; more deals do not.

    Args:
        stored: of the results.
        wanted: of the league that is to be run.
    """
    return tuple(_differences(stored, wanted))


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    for table in ("league", "limits", "faults"):
        for key, value in wanted[table].items():
            before = stored[table].get(key)
            if before != value:
                yield f"[{table}] {key} was {_shown(before)}, is {_shown(value)}"
    if stored["commitment"] != wanted["commitment"]:
        yield f"the secret is another one (its SHA-256 was {stored['commitment'][:12]}, is {wanted['commitment'][:12]})"
    yield from _game_differences(stored["games"], wanted["games"])
    yield from _bot_differences(stored["bots"], wanted["bots"])


def _game_differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"game {ruleset} is gone" for ruleset in sorted(stored.keys() - wanted.keys()))
    yield from (f"game {ruleset} is new" for ruleset in sorted(wanted.keys() - stored.keys()))
    for ruleset in sorted(stored.keys() & wanted.keys()):
        before, now = stored[ruleset], wanted[ruleset]
        if before["seatings"] != now["seatings"]:
            yield f"game {ruleset}: seatings was {_shown(before['seatings'])}, is {_shown(now['seatings'])}"
        if before["deals"] > now["deals"]:
            yield f"game {ruleset}: deals was {before['deals']}, is {now['deals']}; there can only be more"


def _bot_differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"bot {name!r} is gone" for name in sorted(stored.keys() - wanted.keys()))
    yield from (f"bot {name!r} is new" for name in sorted(wanted.keys() - stored.keys()))
    for name in sorted(stored.keys() & wanted.keys()):
        for key, value in wanted[name].items():
            before = stored[name].get(key)
            if before == value:
                continue
            if key == "program":
                yield f"bot {name!r} has changed: its program was {str(before)[:12]}, is {str(value)[:12]}"
            else:
                yield f"bot {name!r}: {key} was {_shown(before)}, is {_shown(value)}"


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
