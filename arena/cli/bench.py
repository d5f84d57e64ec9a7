"""``arena bench``: measured rates and the floors they must keep."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.cli.main import EXIT_FAILED
from arena.cli.out import print_rows, tell
from arena.games import game_ids
from arena.league.builds import Builds, users_cache
from arena.players.levels import resolve_level
from arena.reports.rows import Column, Rows
from arena.reports.writers import json_text

ROUNDS = 5
COLUMNS = (
    Column("row", "row"),
    Column("rate", "decisions/s"),
    Column("low", "least"),
    Column("high", "most"),
    Column("referee_us", "referee µs", 1),
    Column("bot_us", "bot µs", 1),
    Column("list_size", "list", 1),
)
RULES_COLUMNS = (
    Column("game", "game"),
    Column("seats", "seats"),
    Column("rules", "decisions/CPU-s"),
    Column("with_messages", "with view and message"),
    Column("ratio", "x leduc", 2),
    Column("floor", "floor", 1),
)
RATINGS_COLUMNS = (
    Column("pool", "pool"),
    Column("fit_s", "fit CPU-s", 4),
    Column("baseline_s", "baseline CPU-s", 4),
    Column("ratio", "ratio", 2),
    Column("memory_mb", "peak MB"),
)
LANGUAGES_COLUMNS = (
    Column("language", "language"),
    Column("rate", "decisions/s"),
    Column("low", "least"),
    Column("high", "most"),
    Column("ratio", "x python", 2),
    Column("start_ms", "start ms"),
    Column("bot_us", "bot µs", 1),
    Column("referee_us", "referee µs", 1),
    Column("list_size", "list", 1),
)


@click.command()
@click.option("--rules", is_flag=True, help="The rules alone: random play of every game.")
@click.option("--ratings", is_flag=True, help="The rating fit beside a bare NumPy Newton.")
@click.option("--languages", is_flag=True, help="The starter of every language beside the Python one.")
@click.option("--rounds", "count", type=click.IntRange(1, 100), help="Interleaved rounds; default: 5, 3 of languages.")
@click.option("--seconds", type=click.FloatRange(0.1, 30), default=1.0, show_default=True, help="Length of a row.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def bench(rules: bool, ratings: bool, languages: bool, count: int | None, seconds: float, as_json: bool) -> None:
    """Measure the arena on this machine; exit status 1 when a floor is missed.

    Nothing else should run meanwhile. Ratios within a round are what counts, not rates.

    \b
    Example:
        arena bench
        arena bench --rules --json
        arena bench --ratings
        arena bench --languages
    """
    if rules + ratings + languages > 1:
        raise click.UsageError("--rules, --ratings and --languages are measured one at a time")
    columns: tuple[Column, ...]
    if rules:
        document, columns = _rules(seconds), RULES_COLUMNS
    elif ratings:
        document, columns = _ratings(count or ROUNDS), RATINGS_COLUMNS
    elif languages:
        document, columns = _languages(count, seconds), LANGUAGES_COLUMNS
    else:
        document, columns = _transport(count or ROUNDS, seconds), COLUMNS
    if as_json:
        click.echo(json_text(document), nl=False)
    else:
        _print(document, columns)
    broken = any(not item["missing"] for item in document.get("left_out", ()))
    if broken or not all(floor["ok"] for floor in document["floors"]):
        sys.exit(EXIT_FAILED)


def _languages(count: int | None, seconds: float) -> dict[str, Any]:
    from arena.lab.languages import ROUNDS, SCHEMA, rounds, starters, summary
    from arena.lab.machine import machine

    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        programs, left_out = starters(Path(folder), Builds(users_cache(), resolve_level("auto"), tell))
        before, measured = machine(), []
        for found in rounds(programs, count or ROUNDS, seconds, left_out.append):
            measured.append(found)
            tell(f"round {len(measured)} of {count or ROUNDS}")
    for item in left_out:
        tell(f"left out: {item.language}: {item.words}")
    return {
        "schema": SCHEMA,
        "machine": before,
        "load_after": machine()["load"],
        "rounds": len(measured),
        "rows": summary(measured),
        "left_out": [asdict(item) for item in left_out],
        "floors": [],
    }


def _transport(count: int, seconds: float) -> dict[str, Any]:
    from arena.lab.bench import SCHEMA, rounds, summary, verdicts
    from arena.lab.machine import machine

    before, measured = machine(), []
    for found in rounds(count, seconds):
        measured.append(found)
        tell(f"round {len(measured)} of {count}")
    return {
        "schema": SCHEMA,
        "machine": before,
        "load_after": machine()["load"],
        "rounds": count,
        "rows": summary(measured),
        "floors": verdicts(measured),
    }


def _rules(seconds: float) -> dict[str, Any]:
    from arena.lab.machine import machine
    from arena.lab.rules_bench import bench_rules

    rates = bench_rules(game_ids(), seconds)
    rows = [{column.key: getattr(rate, column.key) for column in RULES_COLUMNS} for rate in rates]
    floors = [
        {
            "floor": f"{rate.game} / leduc",
            "ratio": rate.ratio,
            "limit": rate.floor,
            "sense": "min",
            "goal": rate.floor,
            "ok": rate.ratio >= rate.floor,
        }
        for rate in rates
        if rate.ratio is not None and rate.floor is not None
    ]
    if not floors:
        tell("PettingZoo is not installed, so there is nothing to compare with: pip install 'pettingzoo[classic]'")
    return {"schema": 1, "machine": machine(), "rows": rows, "floors": floors}


def _ratings(count: int) -> dict[str, Any]:
    from arena.lab.machine import machine
    from arena.lab.ratings_bench import bench_ratings, verdicts

    times = bench_ratings(count)
    rows = [asdict(measured) for measured in times]
    return {"schema": 1, "machine": machine(), "rounds": count, "rows": rows, "floors": verdicts(times)}


def _print(document: Mapping[str, Any], columns: Sequence[Column]) -> None:
    tell("  ".join(f"{name} {value}" for name, value in document["machine"].items() if value != ""))
    print_rows(Rows(tuple(columns), tuple(document["rows"])))
    for floor in document["floors"]:
        verdict = "ok" if floor["ok"] else "MISSED"
        sign = "<=" if floor["sense"] == "max" else ">="
        click.echo(f"floor {floor['floor']}: {floor['ratio']:.2f} {sign} {floor['limit']:.2f} {verdict}")
