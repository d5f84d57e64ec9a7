"""``arena replay``: a stored game step by step, without its bots."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import find_results, print_sheet
from arena.errors import UsageError
from arena.league.case import find_game
from arena.records.codec import decode
from arena.records.record import Record
from arena.storage.store import Store


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("game", required=False)
@click.option("--seat", "seats", type=int, multiple=True, help="Show this seat's private cards only; may be repeated.")
@click.option("--steps", is_flag=True, help="Only the steps, without the table after each.")
def replay(results: Path, game: str | None, seats: tuple[int, ...], steps: bool) -> None:
    """Replay GAME (its id, or the beginning of it) of RESULTS: the record alone, checked against the rules.

    RESULTS may also be the file of one game, as 'arena play --save' writes it.

    \b
    Example:
        arena replay results/demo 3f9a
    """
    record = _record(results, game)
    wrong = [seat for seat in seats if not 0 <= seat < record.seats]
    if wrong:
        raise UsageError(f"--seat {wrong[0]}: this game has seats 0..{record.seats - 1}")
    print_sheet(record, shown=seats or None, tables=not steps)


def _record(results: Path, game: str | None) -> Record:
    if results.is_file() and game is None:
        try:
            return decode(results.read_bytes())
        except OSError as error:
            raise UsageError(f"{results}: cannot be read: {error.strerror}") from error
    if game is None:
        raise UsageError(f"{results}: which game? Give the beginning of its id; 'arena export {results}' lists them")
    folder = find_results(results)
    with Store.open(folder / "league.db") as store:
        return store.record(find_game(folder, store, game))
