"""``arena explain``: what happened in a game and why, on one screen."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import find_results, tell
from arena.league.case import read_case, telling_game
from arena.reports.explain import explanation, explanation_lines
from arena.reports.writers import json_text


@click.command()
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.argument("game", required=False)
@click.option("--bot", metavar="NAME", help="Without GAME: the last game with a fault of this bot, else its last loss.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def explain(results: Path | None, game: str | None, bot: str | None, as_json: bool) -> None:
    """Explain GAME (its id, or the beginning of it) of RESULTS: what was asked, what came back, and what it cost.

    Each fault comes with the rule that was applied; a game without faults with its slowest decisions. Without GAME it
    is the last one, in the order of the deals, in which a bot had a fault, or with --bot came last; without RESULTS
    those written last. GAME may also be the id that its bots were told, as it stands in what they printed.

    \b
    Example:
        arena explain results/demo 3f9a
        arena explain results/spring --bot mybot
    """
    if results is not None and game is None and not results.exists():
        results, game = None, str(results)  # one word that is no folder is a game of the results written last
    folder = find_results(results)
    if game is None:
        game, words = telling_game(folder, bot)
        tell(f"{words}: {folder} {game}")
    found = explanation(read_case(folder, game))
    click.echo(json_text(found).rstrip("\n") if as_json else "\n".join(explanation_lines(found)))
