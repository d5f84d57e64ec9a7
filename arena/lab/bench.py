"""``arena bench``: the product beside a bare gRPC echo, interleaved, and the floors that their ratios must keep.

Rates on shared machines move by tens of percent, so nothing absolute is judged: a ratio is formed within each round,
and its median over the rounds is held against the floor (performance.md).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from arena.errors import ArenaError
from arena.lab.rows import ROWS

ROUNDS = 5
SECONDS = 1.0
PATIENCE_S = 60.0
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Floor:
    """A ratio that must be kept.

    Attributes:
        floor: what is compared, in words.
        upper: row of the numerator.
        lower: row of the denominator.
        limit: least accepted median ratio.
        goal: what is hoped for.
    """

    floor: str
    upper: str
    lower: str
    limit: float
    goal: float


FLOORS = (
    Floor("one bot K=1 / echo K=1", "one bot K=1", "echo K=1", 0.6, 0.75),
    Floor("one bot K=16 lists / echo K=16 alone", "one bot K=16 lists", "echo K=16 one message each", 3.0, 5.0),
    Floor("three bots K=48 baton / three bots K=1", "three bots K=48 baton", "three bots K=1", 4.0, 7.0),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement of one row.

    Attributes:
        rate: decisions per second.
        referee_us: processor time of the referee a decision.
        bot_us: processor time of the bots a decision, their start included.
        list_size: mean requests a message.
    """

    rate: float
    referee_us: float
    bot_us: float
    list_size: float


Rounds = list[dict[str, Sample]]


def rounds(count: int = ROUNDS, seconds: float = SECONDS) -> Iterator[dict[str, Sample]]:
    """Yield rounds: every row measured once, one after the other.

    Raises:
        ArenaError: when a row could not be measured, with what it printed.
    """
    for _ in range(count):
        yield {row: _measure(row, seconds) for row in ROWS}


def _measure(row: str, seconds: float) -> Sample:
    command = [sys.executable, "-m", "arena.lab.rows", row, str(seconds)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, start_new_session=True, check=True
        )
    except subprocess.SubprocessError as error:
        words = getattr(error, "stderr", "") or str(error)
        raise ArenaError(f"the row {row!r} could not be measured: {words}") from error
    found = json.loads(done.stdout)
    decisions = max(1, found["decisions"])
    return Sample(
        rate=decisions / found["seconds"],
        referee_us=found["referee_cpu_ns"] / 1e3 / decisions,
        bot_us=found["bot_cpu_ns"] / 1e3 / decisions,
        list_size=decisions / max(1, found["messages"]),
    )


def verdicts(measured: Sequence[Mapping[str, Sample]]) -> list[dict[str, Any]]:
    """Return one entry a floor: ``{floor, ratio, low, high, limit, sense, goal, ok}``."""
    return [_verdict(floor, measured) for floor in FLOORS]


def _verdict(floor: Floor, measured: Sequence[Mapping[str, Sample]]) -> dict[str, Any]:
    ratios = [found[floor.upper].rate / found[floor.lower].rate for found in measured]
    ratio = median(ratios)
    return {
        "floor": floor.floor,
        "ratio": ratio,
        "low": min(ratios),
        "high": max(ratios),
        "limit": floor.limit,
        "sense": "min",
        "goal": floor.goal,
        "ok": ratio >= floor.limit,
    }


def summary(measured: Sequence[Mapping[str, Sample]]) -> list[dict[str, Any]]:
    """Return one entry a row: medians, and the least and largest rate."""
    return [
        {
            "row": row,
            "rate": median(found[row].rate for found in measured),
            "low": min(found[row].rate for found in measured),
            "high": max(found[row].rate for found in measured),
            "referee_us": median(found[row].referee_us for found in measured),
            "bot_us": median(found[row].bot_us for found in measured),
            "list_size": median(found[row].list_size for found in measured),
        }
        for row in ROWS
    ]
