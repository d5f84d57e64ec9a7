"""Standings join the ladder with what was counted, and keep the contract of the JSON document."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from arena.errors import Termination
from arena.ratings.ladder import Ladder
from arena.reports.rows import Rows
from arena.reports.standings import Played, Progress, count, document, standings
from arena.reports.writers import fitting, json_text, to_csv, to_json, to_markdown, to_table

VERSIONS = {"alpha": "2", "beta": "1"}


@pytest.fixture(scope="module")
def table(games: list[Played], rated: Ladder) -> Rows:
    return standings(rated, count(games), VERSIONS, fewer_is_better=True)


def test_faults_are_counted_by_word_and_in_all(games: list[Played], table: Rows) -> None:
    """A fault is seen in the standings, in its own column; words that nobody earned have none."""
    rows = {row["name"]: row for row in table.rows}
    assert (rows["beta"]["faults"], rows["beta"]["crash"], rows["beta"]["illegal"]) == (2, 1, 1)
    assert (rows["gamma"]["faults"], rows["gamma"]["crash"], rows["gamma"]["illegal"]) == (1, 1, 0)
    assert [column.key for column in table.columns][-2:] == ["crash", "illegal"]
    assert "timeout" not in rows["beta"]


def test_rows_follow_the_ladder(rated: Ladder, table: Rows) -> None:
    """Ranks, ratings and errors are the ladder's, unrounded."""
    assert [row["rank_range"] for row in table.rows] == [f"{row.rank_low}-{row.rank_high}" for row in rated.rows]
    assert [(row["rank"], row["name"], row["elo"], row["error"], row["bound"]) for row in table.rows] == [
        (row.rank, row.name, row.elo, row.error, row.bound) for row in rated.rows
    ]
    assert [row["version"] for row in table.rows if row["name"] != "gamma"].count("2") == 1
    assert {(row["games"], row["deals"]) for row in table.rows} == {(72, 12)}


def test_mean_score_has_the_direction_of_the_rules(games: list[Played], rated: Ladder, table: Rows) -> None:
    """Where fewer is better the mean is positive points, not the negated score of the arena."""
    by_hand = -sum(game.scores[game.players.index("alpha")] for game in games) / len(games)
    shown = next(row["mean_score"] for row in table.rows if row["name"] == "alpha")
    assert shown == pytest.approx(by_hand, abs=1e-12)
    assert "fewer is better" in next(column.title for column in table.columns if column.key == "mean_score")
    other_way = standings(rated, count(games), VERSIONS)
    assert next(row["mean_score"] for row in other_way.rows if row["name"] == "alpha") == pytest.approx(-by_hand)


def test_win_shares_add_up(table: Rows) -> None:
    """Shared first places are split: the shares of all bots of a three-seat league add up to 100 %."""
    assert sum(float(row["win_share_percent"] or 0) for row in table.rows) == pytest.approx(100)


def test_columns_without_content_are_left_out_everywhere(games: list[Played], rated: Ladder, table: Rows) -> None:
    """Author, group and limit appear only if they say something, and then in every format."""
    assert {"author", "group", "limit"}.isdisjoint(column.key for column in table.columns)
    assert {"void", "nash_percent"}.isdisjoint(column.key for column in table.columns)
    with_authors = standings(rated, count(games), VERSIONS, authors={"alpha": "ann", "beta": ""})
    assert "author" in to_csv(with_authors).splitlines()[0].split(",")
    assert "| author |" in to_markdown(with_authors).splitlines()[0]


def test_a_seat_of_the_rules_is_not_counted() -> None:
    """Scores of a seat that the rules add belong to no bot."""
    game = Played(0, ("a", "b"), (Termination.NORMAL,) * 2, (5, 3, 9), (2, 3, 1))
    tallies = count([game])
    assert {name: tally.score for name, tally in tallies.items()} == {"a": 5, "b": 3}


def test_document_has_the_keys_of_the_contract(table: Rows) -> None:
    """Scripts read these keys."""
    read = json.loads(json_text(document(Progress("spring", 72, 70, 1, "ab12"), {"no_thanks": table})))
    assert {key: read[key] for key in ("schema", "league", "complete", "planned", "stored", "void", "digest")} == {
        "schema": 1,
        "league": "spring",
        "complete": False,
        "planned": 72,
        "stored": 70,
        "void": 1,
        "digest": "ab12",
    }
    assert read["overall"] is None
    (ladder,) = read["ladders"]
    assert ladder["game"] == "no_thanks"
    wanted = {"rank", "name", "version", "elo", "error", "bound", "points", "games", "faults"}
    assert all(wanted <= row.keys() for row in ladder["rows"])
    assert [row["rank"] for row in ladder["rows"]] == [1, 2, 3]


def test_a_bound_is_shown_with_its_limit(games: list[Played], rated: Ladder) -> None:
    """A bot that never lost has a mark and a limit in every format, and no infinity."""
    rows = (replace(rated.rows[0], bound=">", limit=321.09), *rated.rows[1:])
    table = standings(replace(rated, rows=rows), count(games), VERSIONS)
    text = to_markdown(table)
    assert "| > | +" in text
    assert "| +321.1 |" in text
    assert [row["limit"] for row in table.rows] == [321.09, None, None]


def test_markdown_and_csv_agree_with_json(table: Rows) -> None:
    """One set of rows: CSV and JSON carry the same numbers, and Markdown those numbers rounded."""
    place = [column.key for column in table.columns].index("elo")
    from_json = json.loads(to_json(table))
    from_csv = list(csv.DictReader(io.StringIO(to_csv(table))))
    from_markdown = [line[2:-2].split(" | ")[place] for line in to_markdown(table).splitlines()[2:]]
    assert [float(row["elo"]) for row in from_csv] == [row["elo"] for row in from_json]
    assert from_markdown == [f"{row['elo']:+.1f}" for row in from_json]


def test_void_games_are_shown_where_there_were_some(games: list[Played], rated: Ladder) -> None:
    """Attempts that did not count stand beside the bots that sat there."""
    table = standings(rated, count(games), VERSIONS, voids={"beta": 2})
    assert {row["name"]: row["void"] for row in table.rows} == {"alpha": 0, "beta": 2, "gamma": 0}
    assert "void" in [column.key for column in table.columns]


def test_nothing_rated_gives_no_rows() -> None:
    """A league without a complete block has an empty table."""
    assert standings(None, {}, {}).rows == ()


@pytest.mark.parametrize("width", [60, 80, 100, 120, 1000])
def test_a_table_has_the_columns_that_fit_and_never_half_of_what_belongs_together(table: Rows, width: int) -> None:
    """What identifies and ranks a bot stays; details go, the least important first; nothing is cut."""
    kept = [column.key for column in fitting(table, width).columns]
    assert max(map(len, to_table(fitting(table, width)).splitlines())) <= width
    assert {"rank", "name", "elo", "error", "points", "games", "faults"} <= set(kept)
    assert len({"wins", "ties", "losses"} & set(kept)) in (0, 3)
    assert (kept == [column.key for column in table.columns]) is (width == 1000)


def test_what_is_no_detail_stays_however_narrow_it_is(table: Rows) -> None:
    assert {column.detail for column in fitting(table, 1).columns} == {0}


def test_further_keys_stand_beside_the_rows(table: Rows) -> None:
    """Sections are added under their names, none in place of a key of the contract."""
    (ladder,) = document(Progress("s", 1, 1, 0, ""), {"g": table}, more={"g": {"plan": []}})["ladders"]
    assert list(ladder) == ["game", "rows", "plan"]
