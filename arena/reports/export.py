"""Results for other tools: a line a seat as CSV or Parquet, headers of two-seat games as PGN.

The CSV is the format that ``arena rate`` reads: final places, ``retired`` for seats that lost by fault (they are behind
everybody and never compared with each other), the deal, so that errors can be clustered by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from arena.errors import Termination, UsageError
from arena.games import game_class
from arena.records.record import places
from arena.reports.rows import Cell, Column, Rows
from arena.storage.reader import Reader
from arena.storage.rows import GameRow

COLUMNS = tuple(Column(key, key) for key in ("game", "seat", "player", "rank", "deal", "retired", "score"))
PGN_SEATS = 2


def games_named(store: Reader, name: str | None) -> Iterator[GameRow]:
    """Yield the stored games of one ``[[game]]``, or all, by deal, line-up and seating.

    Raises:
        UsageError: when there is no such ``[[game]]``.
    """
    names: Mapping[str, str] = json.loads(store.meta()["games"])
    if name is not None and name not in names.values():
        raise UsageError(f"--game {name}: no such game in this league (games: {', '.join(names.values())})")
    wanted = {item.key for item in store.rulesets() if name in (None, names.get(item.ruleset))}
    return (row for row in store.games() if row.ruleset in wanted)


def require_one_game(store: Reader, name: str | None, form: str) -> None:
    """Refuse a table of several ``[[game]]``: their deals and scores have nothing to do with each other.

    Raises:
        UsageError: saying which games there are.
    """
    names = list(json.loads(store.meta()["games"]).values())
    if name is None and len(names) > 1:
        raise UsageError(f"--format {form} holds one game; choose it with --game ({', '.join(names)})")


def seat_rows(store: Reader, rows: Iterable[GameRow]) -> Rows:
    """Return a line for every seat of every game: seats from 1, final places, scores where more is better."""
    names = {entrant.key: entrant.name for entrant in store.entrants()}
    return Rows(COLUMNS, tuple(line for row in rows for line in _lines(row, names)))


def _lines(row: GameRow, names: Mapping[int, str]) -> Iterator[dict[str, Cell]]:
    final = places(row.ranks, row.terminations)
    for seat, (key, word) in enumerate(zip(row.seated, row.terminations, strict=True)):
        yield {
            "game": row.game_id,
            "seat": seat + 1,
            "player": names[key],
            "rank": final[seat],
            "deal": row.deal,
            "retired": int(word is not Termination.NORMAL),
            "score": row.scores[seat],
        }


def pgn(store: Reader, rows: Iterable[GameRow]) -> Iterator[str]:
    """Yield the headers of two-seat games as PGN, a blank line after each part; the first seat is White.

    A game that both seats lost by fault has the result ``*``: it is nobody's win, and no draw.

    Raises:
        UsageError: for a table of more seats.
    """
    entrants = {entrant.key: entrant for entrant in store.entrants()}
    rulesets = {item.key: item for item in store.rulesets()}
    league = store.meta()["league"]
    for row in rows:
        ruleset = rulesets[row.ruleset]
        if ruleset.seats != PGN_SEATS:
            raise UsageError(
                f"{ruleset.game} has {ruleset.seats} seats: PGN names a White and a Black and knows no places; "
                "use --format csv, or jsonl for the records"
            )
        first, second = (entrants[key] for key in row.seated)
        tags = {
            "Event": league,
            "Site": row.game_id,
            "Round": str(row.deal),
            "White": first.name,
            "Black": second.name,
            "Result": _pgn_result(row),
            "Variant": game_class(ruleset.game).title,
            "Termination": ", ".join(map(str, row.terminations)),
        }
        yield "".join(f'[{tag} "{_quoted(value)}"]\n' for tag, value in tags.items()) + f"\n{tags['Result']}\n\n"


def _pgn_result(row: GameRow) -> str:
    if all(word is not Termination.NORMAL for word in row.terminations):
        return "*"
    first, second = places(row.ranks, row.terminations)
    return "1-0" if first < second else "0-1" if first > second else "1/2-1/2"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def write_parquet(table: Rows, path: Path) -> None:
    """Write rows as a Parquet file.

    Raises:
        UsageError: when pyarrow is not installed, saying how to get it, or the file cannot be written.
    """
    try:
        arrow = import_module("pyarrow")  # not a dependency: it is 150 MB for one format of one command
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise UsageError("--format parquet needs pyarrow, which is not installed: pip install pyarrow") from error
    columns = {column.key: [row[column.key] for row in table.rows] for column in table.columns}
    try:
        parquet.write_table(arrow.table(columns), str(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
