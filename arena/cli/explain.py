"""``arena explain``: what happened in a game and why, on one screen."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import find_results
from arena.league.case import read_case
from arena.reports.explain import explanation, explanation_lines
from arena.reports.writers import json_text


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("game")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def explain(results: Path, game: str, as_json: bool) -> None:
    """Explain GAME (its id, or the beginning of it) of RESULTS: what was asked, what came back, and what it cost.

    Each fault comes with the rule that was applied; a game without faults with its slowest decisions.

    \b
    Example:
        arena explain results/demo 3f9a
    """
    found = explanation(read_case(find_results(results), game))
    click.echo(json_text(found).rstrip("\n") if as_json else "\n".join(explanation_lines(found)))
