"""``arena rate``: files in, the numbers of the fit out; what is wrong in a file is told with line and column."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.ratings.fit import fit
from arena.ratings.prior import Prior
from tests.cli.stored import Command
from tests.ratings.reference import DATA, ORDER_SETS, TWO_SEAT_SETS, orders, read_text, two_seat

SMALL = "p4_g60"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """The CSV file of a small two-seat set."""
    file = tmp_path / "games.csv"
    file.write_text(read_text(DATA / "twoplayer" / SMALL / "games.csv"), encoding="utf-8")
    return file


def rated(run: Command, *words: object) -> dict[str, float]:
    return {row["name"]: row["elo"] for row in json.loads(run("rate", *words, "--json"))["rows"]}


def test_rows_are_those_of_the_fit(run: Command, games: Path) -> None:
    """The command shows what the library computes, unrounded, with the options of the command line."""
    results = two_seat(SMALL)
    fitted = fit(results, model="rao-kupper", prior=Prior("none", 0.0), anchor={"P001": 2500.0})
    found = rated(run, games, "--model", "rao-kupper", "--prior", "0", "--anchor", "P001=2500")
    assert found == pytest.approx(dict(zip(fitted.names, fitted.elo.tolist(), strict=True)), abs=1e-9)
    assert sum(rated(run, games, "--average", "1000").values()) == pytest.approx(4000)


def test_document_has_the_keys_of_the_contract(run: Command, games: Path) -> None:
    """Schema, model and rows; covariance and notes stand beside them."""
    document = json.loads(run("rate", games, "--json", "--matrix", "--los"))
    assert {"schema", "model", "rows", "covariance", "notes", "matrix", "los"} <= document.keys()
    assert (document["schema"], document["model"], document["games"]) == (1, "plackett-luce", 60)
    assert [row["rank"] for row in document["rows"]] == [1, 2, 3, 4]
    assert len(document["covariance"]["elo2"]) == 4


def test_input_split_over_files_is_the_same(run: Command, games: Path, tmp_path: Path) -> None:
    """Shuffled and split input gives the same numbers to 1e-9."""
    head, *lines = games.read_text().splitlines()
    for name, part in (("a.csv", lines[1::2]), ("b.csv", lines[58::-2])):
        (tmp_path / name).write_text("\n".join([head, *part]) + "\n")
    assert rated(run, tmp_path / "b.csv", tmp_path / "a.csv") == pytest.approx(rated(run, games), abs=1e-9)


def test_pgn_gives_the_same_as_csv(run: Command, games: Path, tmp_path: Path) -> None:
    """Headers suffice; White is seat 1."""
    tags = []
    for line in games.read_text().splitlines()[1:]:
        _, white, black, result, *_ = line.split(",")
        tags.append(f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n')
    (tmp_path / "games.pgn").write_text("\n".join(tags))
    assert rated(run, tmp_path / "games.pgn") == pytest.approx(rated(run, games), abs=1e-9)


@pytest.mark.parametrize("form", ["table", "json", "md", "csv", "html"])
@pytest.mark.parametrize("name", [name for name in TWO_SEAT_SETS if name.startswith("edge")])
def test_edge_sets_are_rated_in_every_format(run: Command, tmp_path: Path, name: str, form: str) -> None:
    """No exception and no nonsense, whatever the results; groups and one-sided results are named."""
    file = tmp_path / "games.csv"
    file.write_text(read_text(DATA / "twoplayer" / name / "games.csv"), encoding="utf-8")
    text = run("rate", file, "--format", form, "--full")
    assert not re.search(r"\bnan\b|\binf(inity)?\b|(?<![\d.])-0(\.0+)?(?![\d.])", text, re.IGNORECASE)
    if form != "csv":
        assert ("never met" in text) == ("disconnected" in name)
        assert ("no upper limit" in text or "no lower limit" in text) == any(two_seat_bounds(name))


def two_seat_bounds(name: str) -> tuple[str, ...]:
    return fit(two_seat(name)).groups.bound


def test_larger_tables_show_places(run: Command, tmp_path: Path) -> None:
    """Tables of three and more have places, neighbours and a slope; two seats have not."""
    name = next(name for name in ORDER_SETS if name.startswith("k3"))
    file = tmp_path / "games.csv"
    file.write_text(read_text(DATA / "multiplayer" / name / "games.csv"), encoding="utf-8")
    text = run("rate", file, "--wide")
    assert "1st %" in text.splitlines()[1]
    assert "All-pairs strengths" in text
    fitted = fit(orders(name))
    assert rated(run, file) == pytest.approx(dict(zip(fitted.names, fitted.elo.tolist(), strict=True)), abs=1e-9)
    assert "after " in run("rate", file, "--neighbours")


def test_bootstrap_stands_beside_the_error(run: Command, games: Path) -> None:
    """A seeded check of the errors: about the same numbers, and the same in every run."""
    rows = json.loads(run("rate", games, "--bootstrap", "100", "--json"))["rows"]
    assert all(0.6 < row["bootstrap_error"] / row["error"] < 1.7 for row in rows)
    assert rows == json.loads(run("rate", games, "--bootstrap", "100", "--json"))["rows"]
    assert "+/-b" in run("rate", games, "--bootstrap", "20")


def test_cycles_are_named_with_nash_averaging(run: Command, tmp_path: Path) -> None:
    """A pool that goes in circles says so, names the cycle, and shows Nash averaging beside the ladder; others not."""
    file = tmp_path / "games.csv"
    file.write_text(read_text(DATA / "twoplayer" / "nontransitive_p6" / "games.csv"), encoding="utf-8")
    text = run("rate", file)
    assert "NOT TRANSITIVE" in text
    assert "Cycle: " in text
    assert "Nash %" in text.splitlines()[1]
    file.write_text(read_text(DATA / "twoplayer" / "p20_g3800" / "games.csv"), encoding="utf-8")
    assert "Nash" not in run("rate", file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("game,first,second,rslt\n", r":1, column 4: unknown column 'rslt'; did you mean 'result'"),
        ("game,seat,player,rank\n1,1,a,1\n1,2,b,\n", r":3, column 4: rank is empty"),
        ("game,seat,player,rank\n1,1,a,0\n1,2,b,1\n", r":2, column 4: rank '0' is not"),
        ("game,seat,player,rank\n1,1,a,1\n", r":2: game '1' has one player"),
        ("game,seat,player,rank\n1,1,a,1\n1,2,a,2\n", r":3, column 3: 'a' is twice"),
        ("game,seat,player,rank\n1,x,a,1\n1,2,b,2\n", r":2, column 2: seat 'x' is not a whole number"),
        ("a;b\n1;2\n", r":1, column 1: unknown column"),
        ("game,first,second,result\n", r":1: there are no games"),
        ("", r"the file is empty"),
        ("game,first,second,result\n1,a,a,2-0\n2,,b,1-0\n", r"(?s):2, column 4.*:2, column 3.*:3, column 2"),
    ],
)
def test_bad_files_are_told_with_line_and_column(run: Command, tmp_path: Path, text: str, said: str) -> None:
    """All errors at once, each at its cell; exit status 2 is the group's answer to a UsageError."""
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        run("rate", file)


def test_legal_oddities_are_read(run: Command, tmp_path: Path) -> None:
    """Byte-order mark, CRLF, quotes, commas and other letters in names are legal."""
    file = tmp_path / "odd.csv"
    text = '\ufeffgame,first,second,result\r\n1,"Bo, ""B""",Zoë,1-0\r\n2,Zoë,"Bo, ""B""",1/2-1/2\r\n'
    file.write_bytes(text.encode())
    assert rated(run, file).keys() == {'Bo, "B"', "Zoë"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--anchor", "P001"), "accepted is NAME=R"),
        (("--anchor", "P01=5"), "has played no game; did you mean 'P001'"),
        (("--anchor", "P001=inf"), "accepted is NAME=R"),
        (("--prior", "wide"), "accepted are 0, a standard deviation"),
        (("--scale", "0"), "must be positive"),
    ],
)
def test_bad_options_are_refused(run: Command, games: Path, words: tuple[str, ...], said: str) -> None:
    """What the ratings refuse is a usage error in words."""
    with pytest.raises(UsageError, match=said):
        run("rate", games, *words)


def test_files_that_cannot_be_read(run: Command, tmp_path: Path) -> None:
    """A missing file and one that is no UTF-8 are named, the latter with line and byte."""
    with pytest.raises(UsageError, match="cannot be read"):
        run("rate", tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"game,first,second,result\n1,Zo\xeb,b,1-0\n")
    with pytest.raises(UsageError, match=r"latin\.csv:2, byte 5: not UTF-8"):
        run("rate", tmp_path / "latin.csv")
