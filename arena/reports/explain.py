"""What happened in one game and why, as a document and as one screen of plain words.

Nothing is judged again here: the referee's evidence is in the game's trace, what it cost in the record, and what the
words mean in ``arena.referee.faults``. Everything that a bot sent or printed is escaped.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.errors import Termination
from arena.games import Moves, Seat, game_class
from arena.league.case import Case
from arena.players.log import escaped
from arena.records.record import RETIRE, Fault, Record, places
from arena.referee.faults import FAULTS
from arena.reports.game_sheet import natural_scores

SCHEMA = 1
SLOWEST = 3
WIDTH = 100
OUTPUT_LINES = 12
_DELAYS = ("computed_us", "kept_us", "stalled_us", "quickest_us")
BENCHED = "was benched: it sat this game out, because it had failed again and again in this sitting"
NOT_READY = "the bot was not ready in time: "
"""Left out where the meaning of the word says it already, or where it is not so: a benched bot is not even started."""
_TOLD = {"step", "seat", "word", "words", "decision", "legal", "bank_us", "spent_us", "used_us", "answer", "output"}
_TOLD |= set(_DELAYS)
"""Parts of the evidence that have a place of their own in an explanation."""


def explanation(case: Case) -> dict[str, Any]:
    """Return what ``arena explain --json`` prints of a game; times in milliseconds."""
    record, limits = case.record, case.limits
    return {
        "schema": SCHEMA,
        "id": record.game_id,
        "wire_id": case.wire_id,
        "game": record.game,
        "deal": record.deal,
        "sandbox": record.sandbox,
        "limits": {
            "move_ms": limits.move_ms,
            "bank_ms": limits.bank_ms,
            "increment_ms": limits.increment_ms,
            "margin_ms": limits.margin_ms,
            "game_s": limits.game_s,
        },
        "seats": list(_seats(record)),
        "faults": [_fault(case, number, fault) for number, fault in enumerate(record.faults)],
        "slowest": list(_slowest(case)),
        "strays": list(case.trace.get("strays", ())),
        "voids": [{"reason": str(void.reason), "evidence": void.evidence} for void in case.voids],
    }


def _seats(record: Record) -> Iterator[dict[str, Any]]:
    final, scores = places(record.ranks, record.terminations), natural_scores(record.game, record.scores)
    for seat, (player, word) in enumerate(zip(record.players, record.terminations, strict=True)):
        yield {
            "seat": seat,
            "name": player.name,
            "version": player.version,
            "place": final[seat],
            "score": scores[seat],
            "termination": str(word),
        }


def _fault(case: Case, number: int, fault: Fault) -> dict[str, Any]:
    evidence = _evidence(case.trace, number, fault)
    charged = evidence.get("used_us", _charged_us(case.trace, fault.seat, fault.step))
    played = _played(case.record, fault.step, fault.seat)
    kind = next((kind for kind in FAULTS if kind.word is fault.word), None)
    return {
        "seat": fault.seat,
        "name": case.record.players[fault.seat].name,
        "step": fault.step,
        "word": str(fault.word),
        "means": _means(fault.word, str(evidence.get("words", ""))),
        "rule": _rule(case, fault, kind.key if kind else ""),
        "decision": evidence.get("decision"),
        "legal": evidence.get("legal", []),
        "answer": _shown(evidence.get("answer")),
        "words": escaped(str(evidence.get("words", "no evidence was kept")).removeprefix(NOT_READY)),
        "charged_ms": _ms(charged),
        "delay": {key.replace("_us", "_ms"): _ms(evidence[key]) for key in _DELAYS if key in evidence},
        "bank_before_ms": _ms(_bank_before_us(case, fault)),
        "bank_after_ms": _ms(evidence.get("bank_us")),
        "spent_ms": _ms(evidence.get("spent_us")),
        "cost": fault.cost,
        "played": played,
        "defaults_after": sum(
            fault.seat in entry.defaulted for entry in case.record.entries[fault.step + (played is not None) :]
        ),
        "output": [escaped(line) for line in str(evidence.get("output", "")).splitlines()],
        "more": {key: _shown(value) for key, value in evidence.items() if key not in _TOLD},
    }


def _means(word: Termination, words: str) -> str:
    """Return what a fault's word means here: a no-show has two meanings, of which the evidence tells."""
    if word is Termination.NO_SHOW:
        return BENCHED if "benched after" in words else "was not ready in time"
    return next((kind.what for kind in FAULTS if kind.word is word), "")


def _evidence(trace: Mapping[str, Any], number: int, fault: Fault) -> Mapping[str, Any]:
    """Return the evidence of a fault: trace and record list faults in the same order."""
    listed: Sequence[Mapping[str, Any]] = trace.get("faults", ())
    wanted = (fault.step, fault.seat, str(fault.word))
    for item in (*listed[number : number + 1], *listed):
        if (item.get("step"), item.get("seat"), item.get("word")) == wanted:
            return item
    return {}


def _shown(value: Any) -> Any:
    return escaped(value) if isinstance(value, str) else value


def _charged_us(trace: Mapping[str, Any], seat: Seat, step: int) -> int | None:
    return next((used for who, at, used, _ in trace.get("decisions", ()) if (who, at) == (seat, step)), None)


def _bank_before_us(case: Case, fault: Fault) -> int:
    """Return the bank before the decision of a fault: what the seat's last decision before it left."""
    before = [
        bank for seat, step, _, bank in case.trace.get("decisions", ()) if seat == fault.seat and step < fault.step
    ]
    return int(before[-1]) if before else case.limits.bank_ms * 1000


def _ms(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1000


def _played(record: Record, step: int, seat: Seat) -> str | None:
    """Return the action that the referee played for a seat at a step, None when the seat was not to act."""
    entry = record.entries[step] if step < len(record.entries) else None
    if entry is None or not isinstance(entry.step, Moves) or seat not in entry.defaulted:
        return None
    return dict(entry.step.by_seat)[seat]


def _rule(case: Case, fault: Fault, key: str) -> str:
    if not key:
        return "always retires"
    setting = f"[faults] {key} = {case.policy.cost(key)}"
    if case.policy.cost(key) == RETIRE:
        return setting
    strikes = sum(
        other.seat == fault.seat and other.step <= fault.step and case.policy.cost(other.word) != RETIRE
        for other in case.record.faults
    )
    return f"{setting}: a strike, number {strikes} of this seat; strike {case.policy.strikes} retires"


def _slowest(case: Case) -> Iterator[dict[str, Any]]:
    """Yield the slowest decisions of every seat, slowest first."""
    by_seat: dict[Seat, list[tuple[int, int, int]]] = {}
    for seat, step, used, _ in case.trace.get("decisions", ()):
        taken = by_seat.setdefault(seat, [])
        taken.append((used, len(taken), step))
    for seat, taken in sorted(by_seat.items()):
        for used, decision, step in sorted(taken, reverse=True)[:SLOWEST]:
            moves = case.record.entries[step].step
            action = dict(moves.by_seat).get(seat, "") if isinstance(moves, Moves) else ""
            yield {"seat": seat, "decision": decision, "step": step, "charged_ms": used / 1000, "action": action}


def explanation_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield an explanation as one screen of words: seats and result, then every fault, or the slowest decisions."""
    told = f" (the bots knew it as {found['wire_id']})" if found["wire_id"] != found["id"] else ""
    yield f"{game_class(found['game']).title} ({found['game']}), game {found['id']}, deal {found['deal']}{told}"
    unit = game_class(found["game"]).score_unit
    benched = {fault["seat"] for fault in found["faults"] if fault["means"] == BENCHED}
    for seat in sorted(found["seats"], key=lambda seat: (seat["place"], seat["seat"])):
        word = f"{seat['termination']}{': benched' if seat['seat'] in benched else ''}"
        ending = "" if word == Termination.NORMAL else f", retired ({word})"
        name = f"{seat['name']} {seat['version']}".rstrip()
        yield f"  {seat['place']}. {name} (seat {seat['seat']}): {seat['score']} {unit}{ending}"
    yield f"limits: {_limits(found['limits'])}; sandbox {found['sandbox']}"
    yield from (f"played again after a void attempt: {void['reason']}: {void['evidence']}" for void in found["voids"])
    for fault in found["faults"]:
        yield ""
        yield from _fault_lines(fault, has_bank=bool(found["limits"]["bank_ms"] or found["limits"]["increment_ms"]))
    if any(found["strays"]):
        counts = ", ".join(f"seat {seat}: {count}" for seat, count in enumerate(found["strays"]) if count)
        yield f"answers to no open request (late or repeated ones): {counts}"
    if not found["faults"]:
        yield from _slowest_lines(found)


def _limits(limits: Mapping[str, Any]) -> str:
    bank = f"a bank of {limits['bank_ms']} ms" if limits["bank_ms"] else "no bank"
    added = f" (+{limits['increment_ms']} ms a decision)" if limits["increment_ms"] else ""
    margin, game = f"{limits['margin_ms']} ms margin", f"{limits['game_s']:g} s a game"
    return f"{limits['move_ms']} ms a decision, {bank}{added}, {margin}, {game}"


def fault_words(fault: Mapping[str, Any]) -> str:
    """Return one sentence on one fault of an explanation: which decision, what came back, what it cost."""
    where = f" at decision {fault['decision']}" if fault["legal"] and fault["word"] != Termination.NO_SHOW else ""
    legal = f"; legal: {', '.join(fault['legal'])}" if fault["legal"] and fault["answer"] is not None else ""
    cost = "retired for the rest of the game" if fault["cost"] == RETIRE else f"a strike; played {fault['played']!r}"
    return f"seat {fault['seat']} ({fault['name']}): {fault['word']}{where}: {fault['words']}{legal} -> {cost}"


def _fault_lines(fault: Mapping[str, Any], *, has_bank: bool) -> Iterator[str]:
    yield f"seat {fault['seat']} ({fault['name']}): {fault['word']}, at step {fault['step']}"
    asked = f"decision {fault['decision']} (from 0); legal: {', '.join(fault['legal'])}"
    yield from _field("asked", asked if fault["legal"] else "nothing of this game was open for it")
    yield from _field("came back", fault["words"])
    yield from _field("when", _when(fault, has_bank=has_bank))
    if fault["delay"]:
        yield from _field("whose time", _whose_time(fault["charged_ms"], fault["delay"]))
    yield from _field("rule", f"{fault['word']}: {fault['means']}; {fault['rule']}")
    yield from _field("cost", _cost(fault))
    yield from (line for key, value in fault["more"].items() for line in _field(key.replace("_", " "), f"{value}"))
    lines = fault["output"]
    if lines:
        left_out = [f"[... {len(lines) - OUTPUT_LINES} lines before]"] if len(lines) > OUTPUT_LINES else []
        yield from _field("output", "the last lines that the bot printed:")
        yield from (f"      | {line}" for line in (*left_out, *lines[-OUTPUT_LINES:]))


def _when(fault: Mapping[str, Any], *, has_bank: bool) -> str:
    charged = "no time charged" if fault["charged_ms"] is None else f"charged {fault['charged_ms']:.1f} ms"
    before, after = fault["bank_before_ms"], fault["bank_after_ms"]
    bank = f"; bank {before:.1f} ms before" + ("" if after is None else f", {after:.1f} ms after") if has_bank else ""
    spent = "" if fault["spent_ms"] is None else f"; {fault['spent_ms']:.1f} ms charged in this game so far"
    return f"{charged}{bank}{spent}"


def _whose_time(charged_ms: float, delay: Mapping[str, float]) -> str:
    """Return where the time of a late decision went: the bot's, the machine's, and what the way there can have cost."""
    machine_ms = delay["kept_ms"] + delay["stalled_ms"]
    words = (
        f"the bot's {max(0.0, charged_ms - machine_ms):.1f} ms"
        + (f" (it computed for {delay['computed_ms']:.1f} ms, all its threads)" if "computed_ms" in delay else "")
        + f"; this machine's {machine_ms:.1f} ms (the bot was kept from the processor for {delay['kept_ms']:.1f} ms, "
        f"the referee stood still for {delay['stalled_ms']:.1f} ms)"
    )
    if "quickest_ms" not in delay:
        return words
    return f"{words}; transport: less than {delay['quickest_ms']:.1f} ms, its quickest answer of this sitting"


def _cost(fault: Mapping[str, Any]) -> str:
    here = f"the default action {fault['played']!r} was played here" if fault["played"] is not None else ""
    if fault["cost"] != RETIRE:
        return here or "a strike"
    rest = f"{fault['defaults_after']} more default actions followed" if fault["defaults_after"] else ""
    parts = ["the seat is retired for the rest of the game", here, rest, "last place, rated as a loss"]
    return "; ".join(part for part in parts if part)


def _field(name: str, text: str) -> Iterator[str]:
    lines = textwrap.wrap(text, WIDTH - 14) or [""]
    yield f"  {name:<10}  {lines[0]}"
    yield from (f"  {'':<10}  {line}" for line in lines[1:])


def _slowest_lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield "no faults; the slowest decisions:"
    names, last = {seat["seat"]: seat["name"] for seat in found["seats"]}, None
    for item in found["slowest"]:
        seat = item["seat"]
        head = f"seat {seat} ({names[seat]})" if seat != last else ""
        last = seat
        what = f"decision {item['decision']}, step {item['step']}: {item['action']}"
        yield f"  {head:<24}{item['charged_ms']:>10.1f} ms  {what}"
