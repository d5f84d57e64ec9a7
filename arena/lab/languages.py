"""``arena bench --languages``: what a decision costs with the starter of each language.

Every starter plays alone at the same table (one-round No Thanks! for one seat, the same cards, the same number of games
at once) in a real sitting on one core: worker code, referee, rules, record, the language's SDK and its process. Rates
of one machine are compared with the Python starter's within a round; there is no floor.

``python -m arena.lab.languages PROGRAM SECONDS`` measures one program, which is given as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from arena.errors import ArenaError, UsageError
from arena.lab.rows import sit
from arena.league.bots import read_bot, shipped
from arena.league.builds import Builds
from arena.league.snapshot import snapshot
from arena.league.starters import STARTER, languages
from arena.league.steps import step_sandbox
from arena.league.toolchains import TOOLCHAINS
from arena.players.base import Program

IN_FLIGHT = 16
ROUNDS = 3
PATIENCE_S = 60.0
REFERENCE = "python"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement of one language.

    Attributes:
        rate: decisions per second.
        start_ms: from the start of the process to its Hello.
        bot_us: processor time of the bot a decision, its start and end not included.
        referee_us: processor time of the referee a decision.
        list_size: mean requests a message.
    """

    rate: float
    start_ms: float
    bot_us: float
    referee_us: float
    list_size: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A language that cannot be measured here.

    Attributes:
        language: its name.
        missing: programs that are not in PATH; empty when they are there, and building or starting failed.
        words: why.
    """

    language: str
    missing: tuple[str, ...]
    words: str


Round = Mapping[str, Sample]


def starters(folder: Path, builds: Builds) -> tuple[dict[str, Program], list[LeftOut]]:
    """Return the built starters by language, the reference first, and those that cannot be built here.

    Args:
        folder: where they are copied and built.
        builds: those that are kept.
    """
    programs, left_out = {}, []
    for language in sorted(languages(), key=lambda language: (language != REFERENCE, language)):
        tools = TOOLCHAINS[language]
        if missing := tools.missing():
            words = f"{' and '.join(missing)} not in PATH: install {tools.install}"
            left_out.append(LeftOut(language, missing, words))
            continue
        try:
            bot = read_bot(str(shipped("bots") / language / STARTER), Path.cwd())
            programs[language] = snapshot(bot, folder, step_sandbox(builds.level), builds)
        except UsageError as error:
            left_out.append(LeftOut(language, (), f"{error}\n    it needs {tools.install or 'nothing more'}"))
    return programs, left_out


def rounds(
    programs: Mapping[str, Program], count: int, seconds: float, fail: Callable[[LeftOut], None]
) -> Iterator[Round]:
    """Yield rounds: every language measured once, one after the other.

    Args:
        programs: the starters; one that cannot be measured is not tried again.
        count: how many rounds.
        seconds: how long each plays.
        fail: is told of what cannot be measured.

    Raises:
        ArenaError: when the reference cannot be measured.
    """
    left = dict(programs)
    for _ in range(count):
        found = {}
        for language, program in list(left.items()):
            try:
                found[language] = _measure(program, seconds)
            except ArenaError as error:
                if language == REFERENCE:
                    raise
                del left[language]
                fail(LeftOut(language, (), f"{error}\n    it needs {TOOLCHAINS[language].install}"))
        yield found


def _measure(program: Program, seconds: float) -> Sample:
    command = [sys.executable, "-m", "arena.lab.languages", json.dumps(asdict(program)), str(seconds)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds + PATIENCE_S, start_new_session=True, check=True
        )
    except subprocess.SubprocessError as error:
        words = getattr(error, "stderr", "") or str(error)
        raise ArenaError(f"{program.name} could not be measured: {words.strip()}") from error
    return Sample(**json.loads(done.stdout))


def summary(measured: Sequence[Round]) -> list[dict[str, Any]]:
    """Return one entry a language that was measured in every round, the fastest first: medians, and the range of rates.

    ``ratio`` is the median over the rounds of the rate by the reference's in the same round.
    """
    everywhere = [language for language in measured[0] if all(language in found for found in measured)]
    rows = [_row(language, [found[language] for found in measured], measured) for language in everywhere]
    return sorted(rows, key=lambda row: -float(row["rate"]))


def _row(language: str, samples: Sequence[Sample], measured: Sequence[Round]) -> dict[str, Any]:
    rates = [sample.rate for sample in samples]
    return {
        "language": language,
        "rate": median(rates),
        "low": min(rates),
        "high": max(rates),
        "ratio": median(found[language].rate / found[REFERENCE].rate for found in measured),
        "start_ms": median(sample.start_ms for sample in samples),
        "bot_us": median(sample.bot_us for sample in samples),
        "referee_us": median(sample.referee_us for sample in samples),
        "list_size": median(sample.list_size for sample in samples),
    }


async def _sample(program: Program, seconds: float) -> Sample:
    """Measure a start by itself, then play; the processor time of the start is taken from that of the whole."""
    start = await sit([program], IN_FLIGHT, 0)
    end = await sit([program], IN_FLIGHT, seconds)
    decisions = max(1, end.decisions)
    return Sample(
        rate=end.decisions / end.play_seconds,
        start_ms=start.start_seconds * 1000,
        bot_us=max(0, end.cpu_ns - start.cpu_ns) / 1e3 / decisions,
        referee_us=end.referee_cpu_ns / 1e3 / decisions,
        list_size=end.decisions / max(1, end.lists),
    )


def main(argv: list[str]) -> None:
    """Measure one program on the first core that this process may use."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    given = json.loads(argv[0])
    pairs = tuple((name, value) for name, value in given["env"])
    program = Program(**{**given, "command": tuple(given["command"]), "env": pairs, "games": tuple(given["games"])})
    try:
        sample = asyncio.run(_sample(program, float(argv[1])))
    except ArenaError as error:
        sys.exit(str(error))
    print(json.dumps(asdict(sample)))


if __name__ == "__main__":
    main(sys.argv[1:])
