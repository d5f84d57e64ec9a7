"""``arena games``: the games, or what the author of a bot must know of one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any, get_type_hints

import click

from arena.cli.out import print_rows
from arena.games import Game, create, game_class, game_ids
from arena.games.options import option_fields
from arena.reports.faults import fault_rows
from arena.reports.rows import Column, Rows

WIDTH = 100


@click.command()
@click.argument("game_id", metavar="[ID]", required=False)
@click.option("--faults", is_flag=True, help="What each fault costs, whatever the game.")
def games(game_id: str | None, faults: bool) -> None:
    """List the games; with an ID print its goal, turn, notation, options, limits and view.

    \b
    Example:
        arena games no_thanks
    """
    if faults:
        print_rows(fault_rows())
    elif game_id is None:
        print_rows(_list())
    else:
        click.echo("\n".join(_page(game_class(game_id))))


def _list() -> Rows:
    columns = (Column("id", "id"), Column("title", "title"), Column("seats", "seats"), Column("goal", "goal"))
    rows = [
        {
            "id": rules.id,
            "title": rules.title,
            "seats": f"{rules.seat_counts[0]}-{rules.seat_counts[-1]}",
            "goal": rules.guide.goal.split(". ")[0].rstrip("."),
        }
        for rules in map(game_class, game_ids())
    ]
    return Rows(columns, tuple(rows))


def _page(rules: type[Game[Any, Any]]) -> Iterator[str]:
    low, high = rules.seat_counts[0], rules.seat_counts[-1]
    yield f"{rules.title} ({rules.id}), {low}-{high} seats, rules version {rules.rules_version}\n"
    yield _section("Goal", rules.guide.goal)
    yield _section("Turn", rules.guide.turn)
    yield "Actions"
    for form, example, meaning in rules.guide.actions:
        yield _item(f"{form}   such as '{example}'" if form != example else form, meaning)
    yield "\nOptions"
    for option, accepts in option_fields(rules.options_type):
        default = "unset" if option.default is None else option.default
        yield _item(f"{option.name} = {default}   accepted: {accepts.words}", accepts.says)
    yield "\nNotes"
    for note in rules.guide.notes:
        yield textwrap.fill(f"- {note}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    longest = max(create(rules.id, seats).spec.steps_max for seats in (low, high))
    yield f"  - A game with default options ends within {longest} steps."
    yield "  - A seat with one legal action is not asked; a fault's default action is the first legal one.\n"
    yield "View (request.view; the message of the same field names in proto/arena/v1)"
    yield from _view(rules)


def _section(title: str, text: str) -> str:
    return f"{title}\n{textwrap.fill(text, WIDTH, initial_indent='  ', subsequent_indent='  ')}\n"


def _item(head: str, meaning: str) -> str:
    return f"  {head}\n{textwrap.fill(meaning, WIDTH, initial_indent='      ', subsequent_indent='      ')}"


def _view(rules: type[Game[Any, Any]]) -> Iterator[str]:
    """Yield the fields of a view as its class documents them."""
    text = cleandoc(get_type_hints(rules.view)["return"].__doc__ or "")
    for line in text.partition("Attributes:")[2].splitlines():
        if line.strip():
            yield "  " + line.removeprefix("    ")
