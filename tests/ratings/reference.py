"""Reading the reference data: games and the answers of other programs."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from functools import cache
from pathlib import Path

from arena.ratings.fit import Fit
from arena.ratings.results import Result, Results

DATA = Path(__file__).parents[1] / "data" / "ratings"
TWO_SEAT_SETS = tuple(sorted(path.name for path in (DATA / "twoplayer").iterdir()))
ORDER_SETS = tuple(sorted(path.name for path in (DATA / "multiplayer").iterdir()))
WINNER_ONLY = "winner_only_k4_p8_g700"
_RANKS = {"1-0": (1, 2), "1/2-1/2": (1, 1), "0-1": (2, 1)}

Row = dict[str, str]


def read_text(path: Path) -> str:
    """Return a data file's text, unpacked if only a packed one is there."""
    packed = path.with_name(path.name + ".gz")
    return gzip.decompress(packed.read_bytes()).decode() if packed.exists() else path.read_text(encoding="utf-8")


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file, packed or not."""
    return list(csv.DictReader(read_text(path).splitlines()))


@cache
def two_seat(name: str) -> Results:
    """Return the games of a two-seat set."""
    rows = read_rows(DATA / "twoplayer" / name / "games.csv")
    return Results.of(
        Result((row["first"], row["second"]), _RANKS[row["result"]], deal=row.get("deal"), game_id=row["game"])
        for row in rows
    )


@cache
def orders(name: str) -> Results:
    """Return the games of a set with larger tables; rank 2 of the winner-only set is unranked."""
    games: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(DATA / "multiplayer" / name / "games.csv"):
        games[row["game"]].append(row)
    return Results.of(_order(game_id, rows, name == WINNER_ONLY) for game_id, rows in games.items())


def _order(game_id: str, rows: list[Row], winner_only: bool) -> Result:
    ranks = tuple(None if winner_only and row["rank"] == "2" else int(row["rank"]) for row in rows)
    return Result(tuple(row["player"] for row in rows), ranks, deal=rows[0].get("deal"), game_id=game_id)


def answers(kind: str, name: str, file: str = "ratings.csv") -> dict[str, list[Row]]:
    """Return the answers of other programs by method; empty when the set has none."""
    found: dict[str, list[Row]] = defaultdict(list)
    path = DATA / kind / name / file
    if path.exists() or path.with_name(path.name + ".gz").exists():
        for row in read_rows(path):
            found[row["method"]].append(row)
    return found


def largest_gap(fitted: Fit, rows: list[Row], column: str, values: dict[str, float] | None = None) -> float:
    """Return the largest distance between ratings and one column of an answer, in its unit."""
    own = values or dict(zip(fitted.names, fitted.elo.tolist(), strict=True))
    assert {row["player"] for row in rows} == set(own)
    return max(abs(float(row[column]) - float(own[row["player"]])) for row in rows)


def largest_error_ratio(fitted: Fit, rows: list[Row], column: str) -> float:
    """Return how far the 95 % errors are from an answer's, as a share."""
    own = dict(zip(fitted.names, fitted.errors().tolist(), strict=True))
    return max(abs(float(own[row["player"]]) / float(row[column]) - 1) for row in rows)
