"""The overall ladder shows ranked bots with their ratings in every game, and the others without a number."""

from __future__ import annotations

import json
from dataclasses import replace

from arena.ratings.ladder import Ladder
from arena.ratings.overall import overall_ladder
from arena.reports.overall import fault_totals, overall_standings
from arena.reports.standings import Played, Progress, count, document, standings
from arena.reports.writers import json_text, to_markdown

GAMES = ("short", "long")
VERSIONS = {"alpha": "2"}


def test_ranked_and_unranked_bots(games: list[Played], rated: Ladder) -> None:
    """A bot that is only bounded in one game is listed last, without rank or number."""
    bounded = replace(rated, rows=(*rated.rows[:-1], replace(rated.rows[-1], bound="<", limit=-300.0)))
    overall = overall_ladder(dict(zip(GAMES, (rated, bounded), strict=True)))
    table = overall_standings(overall, GAMES, VERSIONS, {"beta": 4})
    *ranked, last = table.rows
    assert [row["rank"] for row in ranked] == [1, 2]
    assert (last["rank"], last["elo"], last["error"], last["elo_long"]) == (None, None, None, None)
    assert last["name"] == rated.rows[-1].name
    assert last["games"] == 144
    assert to_markdown(table).splitlines()[-1].startswith(f"|  | {last['name']} |")
    first = ranked[0]
    assert first["elo"] == (first["elo_short"] + first["elo_long"]) / 2  # type: ignore[operator]


def test_overall_is_part_of_the_document(games: list[Played], rated: Ladder) -> None:
    """JSON has it under ``overall``, with faults of all games added up."""
    single = standings(rated, count(games), VERSIONS, fewer_is_better=True)
    overall = overall_ladder(dict.fromkeys(GAMES, rated))
    totals = fault_totals([single, single])
    table = overall_standings(overall, GAMES, VERSIONS, totals)
    read = json.loads(json_text(document(Progress("d", 1, 1, 0, "0"), dict.fromkeys(GAMES, single), table)))
    assert read["complete"] is True
    assert [ladder["game"] for ladder in read["ladders"]] == list(GAMES)
    assert {row["name"]: row["faults"] for row in read["overall"]} == {"alpha": 0, "beta": 4, "gamma": 2}
