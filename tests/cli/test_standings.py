"""``arena standings``: the same numbers in all formats, what readers need in the table alone, what-if, the plan."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path

import pytest

from arena.cli.run_league import write_derived
from arena.errors import UsageError
from arena.reports.league import league_standings
from arena.storage.store import Store
from tests.cli.stored import DEALS, STRENGTH, Command, write_league

GAMES = 4 * 6 * DEALS


class Cells(HTMLParser):
    """Collects the cells of a page, table by table, and every tag."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.values: list[str] = []
        self.tags: set[str] = set()
        self.is_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.is_cell = True
            self.tables[-1][-1].append("")
        elif tag == "data":
            self.values.append(dict(attrs)["value"] or "")

    def handle_endtag(self, tag: str) -> None:
        self.is_cell = self.is_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.is_cell:
            self.tables[-1][-1][-1] += data.strip()


def test_json_has_the_keys_of_the_contract(run: Command, league: Path) -> None:
    """Scripts read these keys; new ones may stand beside them."""
    document = json.loads(run("standings", league, "--json"))
    (ladder,) = document["ladders"]
    wanted = {"rank", "name", "version", "elo", "error", "bound", "points", "games", "faults"}
    assert wanted <= ladder["rows"][0].keys()
    assert [row["rank"] for row in ladder["rows"]] == [1, 2, 3, 4]
    assert ladder["rows"][0]["name"] == "ann <b>"
    assert (document["schema"], document["complete"], document["stored"]) == (1, True, GAMES)


def test_all_formats_show_the_same_numbers(run: Command, league: Path) -> None:
    """CSV and the page's data carry the unrounded numbers of JSON; table, Markdown and page round them alike."""
    rows = json.loads(run("standings", league, "--format", "json"))["ladders"][0]["rows"]
    from_csv = list(csv.DictReader(io.StringIO(run("standings", league, "--format", "csv"))))
    page = Cells()
    page.feed(run("standings", league, "--format", "html"))
    markdown = run("standings", league, "--format", "md").splitlines()
    table = run("standings", league, "--wide").splitlines()
    for at, row in enumerate(rows):
        assert {key: "" if value is None else str(value) for key, value in row.items()} == from_csv[at]
        shown = page.tables[0][at + 1]
        assert f"{row['elo']:+.1f}" in shown
        assert [part.strip() for part in markdown[at + 4].strip("|").split(" | ")] == shown
        assert table[at + 2].split() == " ".join(shown).split()
        assert all(str(value) in page.values for value in row.values() if isinstance(value, float))


def test_page_is_self_contained_and_escaped(run: Command, league: Path) -> None:
    """A page is readable without scripts or network, follows the reader's light or dark, and shows names as text."""
    text = run("standings", league, "--format", "html")
    page = Cells()
    page.feed(text)
    assert page.tags.isdisjoint({"script", "link", "img", "iframe", "b"})
    assert "ann &lt;b&gt;" in text
    assert "prefers-color-scheme: dark" in text
    assert "http" not in text
    assert len(page.tables) == 6, "ladder, crosstable, LOS, seats, neighbours, plan"


@pytest.mark.parametrize("form", ["table", "csv", "json", "md", "html"])
@pytest.mark.parametrize("more", [(), ("--full", "--matrix"), ("--since", "11"), ("--no-forfeits",)])
def test_no_format_shows_nonsense(run: Command, league: Path, form: str, more: tuple[str, ...]) -> None:
    """Never nan, inf or a negative zero, also with a single deal."""
    text = run("standings", league, "--format", form, *more)
    assert not re.search(r"\bnan\b|\binf(inity)?\b|(?<![\d.])-0(\.0+)?(?![\d.])", text, re.IGNORECASE)


def test_the_table_alone_answers_readers(run: Command, league: Path) -> None:
    """Who is best and how sure, who is broken rather than weak, how many deals until two neighbours separate."""
    text = run("standings", league)
    assert "more columns with --wide" in text
    assert max(map(len, text.splitlines()[1:6])) <= 100
    head, first = run("standings", league, "--wide").splitlines()[1:3]
    assert re.split(r"\s{2,}", head.strip())[:8] == ["#", "bot", "version", "Elo", "+/-", "LOS>", "rank", "+deals"]
    assert re.match(r"1  ann <b> +2 +\+[\d.]+ +[\d.]+ +[\d.]+ +1-\d ", first)
    assert "BROKEN: fragile lost" in text
    assert "crash" in head
    plan = json.loads(run("standings", league, "--plan", "--json"))["ladders"][0]
    rows = {row["name"]: row for row in plan["rows"]}
    for pair in plan["plan"]:
        assert rows[pair["name"]]["more_deals"] == pair["more_deals"]
        if pair["more_deals"]:
            assert pair["more_games"] == pair["more_deals"] * 24
            assert pair["seconds"] == pytest.approx(pair["more_games"] / 144), "288 games in 2 seconds"


def test_void_games_are_counted_beside_the_ladder(run: Command, league: Path) -> None:
    """A void attempt is in the last line, in the notes, and beside those who sat there."""
    text = run("standings", league)
    assert "1 void and played again" in text
    rows = json.loads(run("standings", league, "--json"))["ladders"][0]["rows"]
    assert sorted(row["void"] for row in rows) == [0, 1, 1, 1]


def test_an_incomplete_block_waits_and_is_told(run: Command, tmp_path: Path) -> None:
    """A deal that a line-up has not played in all its seatings is kept and counted apart; the rest is rated."""
    folder = write_league(tmp_path / "spring", deals=3)
    with sqlite3.connect(folder / "league.db") as connection:
        (gone,) = connection.execute("SELECT id FROM games ORDER BY id LIMIT 1").fetchone()
        for table in ("records", "traces", "games"):
            connection.execute(f"DELETE FROM {table} WHERE id = ?", (gone,))
    connection.close()
    document = json.loads(run("standings", folder, "--json"))
    assert (document["stored"], document["complete"]) == (3 * 24 - 1, False)
    assert sum(row["games"] for row in document["ladders"][0]["rows"]) == 3 * (3 * 24 - 6)
    assert "5 games wait for the rest of their blocks and are not rated yet" in run("standings", folder)


def test_crosstable_has_points_differences_and_tie_breaks(run: Command, league: Path) -> None:
    """Cells are points/games and the difference with its interval; a legend names TB1 to TB3."""
    text = run("standings", league, "--crosstable")
    assert re.search(r"\d/144 [+-]\d+ ±\d+\*", text)
    assert all(f"TB{place}: " in text for place in (1, 2, 3))
    rows = json.loads(run("standings", league, "--crosstable", "--json"))["ladders"][0]["crosstable"]
    by_pair = {(row["name"], row["opponent"]): row for row in rows}
    assert len(by_pair) == 12
    for (name, other), row in by_pair.items():
        back = by_pair[other, name]
        assert row["points"] + back["points"] == row["games"] == 144
        assert row["difference"] == pytest.approx(-back["difference"])
        assert row["significant"] == int(abs(row["difference"]) > row["error"])


def test_what_if_rates_at_once_and_says_so(run: Command, league: Path) -> None:
    """Without a bot its tables are gone; without forfeits, its faults; a range of deals, all others."""
    text = run("standings", league, "--what-if", "exclude=fragile")
    assert "WHAT IF: games with fragile are left out: 72 of 288 games" in text
    rows = json.loads(run("standings", league, "--what-if", "exclude=fragile", "--json"))["ladders"][0]["rows"]
    assert {row["name"] for row in rows} == set(STRENGTH) - {"fragile"}
    clean = json.loads(run("standings", league, "--no-forfeits", "--json"))["ladders"][0]["rows"]
    as_it_is = json.loads(run("standings", league, "--json"))["ladders"][0]["rows"]
    elo = {row["name"]: row["elo"] for row in as_it_is}
    assert sum(row["faults"] for row in clean) == 0
    assert {row["name"]: row["elo"] for row in clean}["fragile"] > elo["fragile"] + 50
    part = run("standings", league, "--since", "3", "--until", "5")
    assert "only deals from 3 to 5: 72 of 288 games" in part
    assert {
        row["deals"] for row in csv.DictReader(io.StringIO(run("standings", league, "--format", "csv", "--until", "4")))
    } == {"5"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--what-if", "exclude=fragil"), "did you mean 'fragile'"),
        (("--what-if", "without=fragile"), "accepted is exclude=BOT"),
        (("--since", "5", "--until", "3"), "no deal lies between"),
        (("--game", "no_thank"), "did you mean 'no_thanks'"),
    ],
)
def test_what_cannot_be_is_refused(run: Command, league: Path, words: tuple[str, ...], said: str) -> None:
    """A usage error names what is accepted."""
    with pytest.raises(UsageError, match=said):
        run("standings", league, *words)


def test_nothing_left_to_rate_is_no_error(run: Command, league: Path) -> None:
    """Everything left out: an empty table that says so."""
    assert "nothing to rate yet" in run("standings", league, "--since", "99", "--full")


def test_a_file_is_written_as_a_whole(run: Command, league: Path, tmp_path: Path) -> None:
    """--out writes what stdout would show, in any format."""
    for form in ("table", "md", "html", "json", "csv"):
        run("standings", league, "--format", form, "--out", tmp_path / form)
        text = (tmp_path / form).read_text(encoding="utf-8")
        assert "ann" in text
        if form != "table":
            assert text == run("standings", league, "--format", form)
    with pytest.raises(UsageError, match="cannot be written"):
        run("standings", league, "--format", "md", "--out", tmp_path / "none" / "x")


def test_derived_files_are_what_the_command_prints(run: Command, tmp_path: Path) -> None:
    """A results folder holds the standings as text, JSON, CSV and a page; the same text as on request."""
    folder = write_league(tmp_path / "spring", deals=3)
    with Store.open(folder / "league.db") as store:
        write_derived(folder, league_standings(store))
    assert (folder / "standings.html").read_text(encoding="utf-8") == run("standings", folder, "--format", "html")
    assert (folder / "standings.json").read_text(encoding="utf-8") == run("standings", folder, "--json")
    assert (folder / "standings.csv").read_text(encoding="utf-8") == run("standings", folder, "--format", "csv")
    assert "BROKEN: fragile" in (folder / "standings.txt").read_text(encoding="utf-8")
