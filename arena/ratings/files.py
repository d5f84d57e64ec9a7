"""Results files: two CSV formats and PGN headers, as lines of text in, ``Results`` out; nothing here opens a file.

Two seats: ``game, first, second, result`` with the result ``1-0``, ``1/2-1/2`` or ``0-1`` seen from ``first``. Any
number of seats, one line a seat: ``game, seat, player, rank`` with seats 1..k in any order. Both may have ``deal`` and
``block``; the second ``retired`` (0 or 1) and ``score``. Columns may come in any order. An unranked seat's rank is
``-`` (an empty one counts as forgotten); a retired seat needs no rank.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from arena.errors import UsageError, nearest
from arena.ratings.pgn import TWO_SEAT_RANKS, read_pgn
from arena.ratings.problems import ErrorList
from arena.ratings.results import Result, Results

TWO_SEAT_COLUMNS = ("game", "first", "second", "result")
SEAT_COLUMNS = ("game", "seat", "player", "rank")
_OPTIONAL = {TWO_SEAT_COLUMNS: ("deal", "block"), SEAT_COLUMNS: ("deal", "block", "retired", "score")}
_WHOLE = re.compile(r"[0-9]{1,9}\Z")


def read_results(lines: Iterable[str], name: str) -> Results:
    """Return the games of one file: PGN when the name ends in ``.pgn`` or the text begins with a tag, else CSV.

    Args:
        lines: the text, line by line, with or without line ends; a byte-order mark and CRLF are accepted.
        name: the file's name, for messages.

    Raises:
        UsageError: with all errors of the file (the first 20), each with line and column.
    """
    return Results.of(read_games([(lines, name)]))


def read_games(files: Iterable[tuple[Iterable[str], str]]) -> list[Result]:
    """Return the games of several files in order; a game's id is unique over all of them.

    Raises:
        UsageError: as ``read_results``; also for an id that two files share.
    """
    games: list[Result] = []
    owner: dict[str, str] = {}
    for lines, name in files:
        text = [line.rstrip("\r\n") for line in lines]
        if text:
            text[0] = text[0].removeprefix("\ufeff")
        is_pgn = name.lower().endswith(".pgn") or (bool(text) and text[0].lstrip().startswith("["))
        fresh = read_pgn(text, name) if is_pgn else _read_csv(text, name)
        for game in fresh:
            if game.game_id is not None and owner.setdefault(game.game_id, name) != name:
                raise UsageError(f"{name}: game {game.game_id!r} is in {owner[game.game_id]} too")
        games += fresh
    has_scores = all(game.scores is not None for game in games)
    return games if has_scores else [replace(game, scores=None) for game in games]


def _read_csv(text: list[str], name: str) -> list[Result]:
    errors = ErrorList(name)
    rows = _csv_rows(text, errors)
    header = next(rows, None)
    if header is None:
        errors.check()
        raise UsageError(f"{name}: the file is empty; expected the columns {', '.join(TWO_SEAT_COLUMNS)}")
    columns = _columns(header, errors)
    errors.check()
    cells = [_Cells(line, row, columns, errors) for line, row in rows if any(row)]
    complete = [cell for cell in cells if cell.is_complete()]
    games = _two_seat_games(complete, errors) if "first" in columns else _seat_games(complete, errors)
    if not cells and not errors.found:
        errors.add(header[0], None, "there are no games under the header")
    errors.check()
    return games


def _csv_rows(text: list[str], errors: ErrorList) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with the numbers of their first lines; a quoted cell may hold line breaks."""
    reader = csv.reader((line + "\n" for line in text), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            errors.add(line, None, f"not readable as CSV: {error}")
            return
        yield line, [cell.strip() for cell in row]


def _columns(header: tuple[int, list[str]], errors: ErrorList) -> dict[str, int]:
    """Return the place of every column by name, after noting what is wrong with the header."""
    line, names = header
    wanted = TWO_SEAT_COLUMNS if "first" in names or "second" in names or "result" in names else SEAT_COLUMNS
    accepted = (*wanted, *_OPTIONAL[wanted])
    for number, column in enumerate(names, start=1):
        if column not in accepted:
            errors.add(
                line,
                number,
                f"unknown column {column!r}{nearest(column, accepted)}; accepted are {', '.join(accepted)}",
            )
        elif names.index(column) < number - 1:
            errors.add(line, number, f"column {column!r} is given twice")
    missing = [column for column in wanted if column not in names]
    if missing:
        errors.add(line, None, f"missing column {', '.join(missing)}; a file needs {', '.join(wanted)}")
    return {column: place for place, column in enumerate(names)}


@dataclass(frozen=True, slots=True)
class _Cells:
    """One line of a CSV file by column name."""

    line: int
    row: list[str]
    columns: dict[str, int]
    errors: ErrorList

    def is_complete(self) -> bool:
        """Return whether the line has as many cells as the header, noting an error if not."""
        if len(self.row) == len(self.columns):
            return True
        self.error(None, f"{len(self.row)} cells where the header has {len(self.columns)}")
        return False

    def get(self, column: str) -> str:
        """Return a cell, empty when the column is missing."""
        return self.row[self.columns[column]] if column in self.columns else ""

    def label(self, column: str) -> str | None:
        """Return a cell, None when it is empty."""
        return self.get(column) or None

    def error(self, column: str | None, text: str) -> None:
        """Note an error at a cell, or at the whole line."""
        self.errors.add(self.line, None if column is None else self.columns[column] + 1, text)

    def filled(self, column: str) -> str:
        """Return a cell that must not be empty, noting an error if it is."""
        if not self.get(column):
            self.error(column, f"{column} is empty")
        return self.get(column)

    def whole(self, column: str) -> int | None:
        """Return a whole number of 1 or more, or None with an error noted."""
        text = self.get(column)
        if _WHOLE.match(text) and int(text) >= 1:
            return int(text)
        self.error(column, f"{column} {text!r} is not a whole number of 1 or more" if text else f"{column} is empty")
        return None


def _two_seat_games(cells: list[_Cells], errors: ErrorList) -> list[Result]:
    games = []
    seen: dict[str, int] = {}
    for cell in cells:
        game_id, first, second = cell.filled("game"), cell.filled("first"), cell.filled("second")
        ranks = TWO_SEAT_RANKS.get(cell.get("result"))
        if ranks is None:
            cell.error("result", f"result {cell.get('result')!r}; accepted are {', '.join(TWO_SEAT_RANKS)}")
        if first and first == second:
            cell.error("second", f"{first!r} plays against itself")
        if game_id and seen.setdefault(game_id, cell.line) != cell.line:
            cell.error("game", f"game {game_id!r} is already in line {seen[game_id]}")
        if ranks is not None and not errors.found:
            deal, block = cell.label("deal"), cell.label("block")
            games.append(Result((first, second), ranks, deal=deal, block=block, game_id=game_id))
    return games


def _seat_games(cells: list[_Cells], errors: ErrorList) -> list[Result]:
    by_game: dict[str, list[_Cells]] = {}
    for cell in cells:
        by_game.setdefault(cell.filled("game"), []).append(cell)
    games = [_seat_game(game_id, seats) for game_id, seats in by_game.items()]
    return [] if errors.found else [game for game in games if game is not None]


def _seat_game(game_id: str, cells: list[_Cells]) -> Result | None:
    """Return one game from the lines of its seats, or None with errors noted."""
    numbers = [cell.whole("seat") for cell in cells]
    players = [cell.filled("player") for cell in cells]
    retired = [_flag(cell) for cell in cells]
    ranks = [_rank(cell, gone) for cell, gone in zip(cells, retired, strict=True)]
    scores = [_score(cell) for cell in cells]
    for place, cell in enumerate(cells):
        if players[place] and players[place] in players[:place]:
            cell.error("player", f"{players[place]!r} is twice at the table of game {game_id!r}")
        if numbers[place] is not None and numbers[place] in numbers[:place]:
            cell.error("seat", f"seat {numbers[place]} is taken twice in game {game_id!r}")
        for column in ("deal", "block"):
            if cell.get(column) != cells[0].get(column):
                cell.error(
                    column, f"game {game_id!r} has the {column} {cells[0].get(column)!r} in line {cells[0].line}"
                )
    if len(cells) < 2:
        cells[0].error(None, f"game {game_id!r} has one player; a game needs two or more")
    elif None not in numbers and max(number or 0 for number in numbers) != len(cells):
        cells[0].error("seat", f"game {game_id!r} has {len(cells)} players, so its seats must be 1 to {len(cells)}")
    if cells[0].errors.found:
        return None
    order = sorted(range(len(cells)), key=lambda place: numbers[place] or 0)
    return Result(
        players=tuple(players[place] for place in order),
        ranks=tuple(ranks[place] for place in order),
        retired=tuple(retired[place] for place in order),
        deal=cells[0].label("deal"),
        block=cells[0].label("block"),
        game_id=game_id,
        scores=_all_or_none([scores[place] for place in order]),
    )


def _rank(cell: _Cells, is_retired: bool) -> int | None:
    """Return the rank, None for an unranked seat or after noting an error."""
    if cell.get("rank") == "-" or (is_retired and not cell.get("rank")):
        return None
    return cell.whole("rank")


def _flag(cell: _Cells) -> bool:
    text = cell.get("retired")
    if text not in ("", "0", "1"):
        cell.error("retired", f"retired {text!r}; accepted are 0 and 1")
    return text == "1"


def _score(cell: _Cells) -> float | None:
    text = cell.get("score")
    if "score" not in cell.columns:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        cell.error("score", f"score {text!r} is not a number" if text else "score is empty")
        return None
    return value


def _all_or_none(scores: list[float | None]) -> tuple[float, ...] | None:
    given = tuple(score for score in scores if score is not None)
    return given if len(given) == len(scores) else None
