"""``arena export``: results and records for other tools, and fault capsules for authors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from arena.cli.out import find_results, tell
from arena.errors import UsageError
from arena.league.capsule import capsule, faulty_seat
from arena.league.case import read_case
from arena.league.folder import DATABASE
from arena.reports.export import games_named, pgn, require_one_game, seat_rows, write_parquet
from arena.reports.writers import json_text, to_csv
from arena.storage.reader import Reader
from arena.storage.store import Store

FORMATS = ("jsonl", "csv", "pgn", "parquet")


@click.command()
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Write to a file instead of stdout.")
@click.option("--game", "name", help="Only this [[game]] of the league.")
@click.option("--fault", metavar="GAME", help="A capsule of this game, for the author of the bot at fault.")
@click.option("--seat", type=int, help="With --fault: of this seat; default: that of the first fault.")
def export(
    results: Path | None, form: str, out: Path | None, name: str | None, fault: str | None, seat: int | None
) -> None:
    """Write the games of RESULTS (default: those written last) for other tools.

    jsonl: the records, one a line. csv: a line a seat, as 'arena rate' reads it. pgn: headers of two-seat games.
    parquet: the lines of csv. A capsule is one JSON file with which 'arena rematch' plays a fault again anywhere.

    \b
    Example:
        arena export results/demo --format csv --out demo.csv
        arena export results/demo --fault 3f9a --out fault.json
    """
    folder = find_results(results)
    if fault is not None:
        case = read_case(folder, fault)
        _write(iter([json_text(capsule(case, faulty_seat(case, seat)))]), out)
        return
    if seat is not None:
        raise UsageError("--seat goes with --fault")
    with Store.open(folder / DATABASE) as store:
        if form == "parquet":
            _parquet(store, name, out)
        else:
            _write(_texts(store, form, name), out)


def _texts(store: Reader, form: str, name: str | None) -> Iterator[str]:
    if form == "jsonl":
        for row in games_named(store, name):
            yield store.record_bytes(row.game_id).decode()
        return
    require_one_game(store, name, form)
    if form == "csv":
        yield to_csv(seat_rows(store, games_named(store, name)))
    else:
        yield from pgn(store, games_named(store, name))


def _parquet(store: Reader, name: str | None, out: Path | None) -> None:
    require_one_game(store, name, "parquet")
    if out is None:
        raise UsageError("--format parquet writes no text: name a file with --out")
    write_parquet(seat_rows(store, games_named(store, name)), out)
    tell(f"written: {out}")


def _write(texts: Iterator[str], out: Path | None) -> None:
    first = next(texts, "")  # what cannot be exported is refused before a file is made
    texts = chain([first], texts)
    if out is None:
        for text in texts:
            sys.stdout.write(text)
        return
    try:
        with out.open("w", encoding="utf-8", newline="") as file:
            file.writelines(texts)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from error
    tell(f"written: {out}")
