"""Results files: what is legal is read, what is not is refused with its place, all at once."""

from __future__ import annotations

import pytest

from arena.errors import UsageError
from arena.ratings.files import read_games, read_results
from arena.ratings.fit import fit
from arena.ratings.results import Results
from tests.ratings.reference import DATA, TWO_SEAT_SETS, orders, read_text, two_seat


def read(text: str, name: str = "r.csv") -> Results:
    return read_results(text.splitlines(keepends=True), name)


def errors_of(text: str, name: str = "r.csv") -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(text, name)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("name", TWO_SEAT_SETS)
def test_two_seat_files(name: str) -> None:
    """Protects ``arena rate``: every reference file reads as the reference reader has it."""
    results = read(read_text(DATA / "twoplayer" / name / "games.csv"))
    expected = two_seat(name)
    assert results.names == expected.names
    assert (results.player == expected.player).all()
    assert (results.rank == expected.rank).all()
    assert (results.deal == expected.deal).all()


@pytest.mark.parametrize("name", ["mixed_k2to7_p12_g900", "k5_p10_g500_ties", "rotated_deals_k4_p8_g800"])
def test_seat_files(name: str) -> None:
    """Protects the second format: a line a seat, tables of several sizes, ties, deals."""
    results = read(read_text(DATA / "multiplayer" / name / "games.csv"))
    expected = orders(name)
    assert (results.player == expected.player).all()
    assert (results.rank == expected.rank).all()
    assert (results.deal == expected.deal).all()


@pytest.mark.parametrize("name", ["edge_names", "p4_g60"])
def test_pgn_headers(name: str) -> None:
    """Protects PGN: White is seat 1, names with commas, quotes and non-ASCII letters survive."""
    results = read(read_text(DATA / "twoplayer" / name / "games.pgn"), "games.pgn")
    assert results.names == two_seat(name).names
    assert (fit(results).elo == fit(two_seat(name)).elo).all()


def test_legal_oddities() -> None:
    """Protects people's files: BOM, CRLF, quotes, commas, other letters, blank lines, spaces, columns in any order."""
    text = (
        '\ufeffresult,deal,game,second,first\r\n1-0,7,a,"Zoë, 2 ""x""", Łuk \r\n\r\n1/2-1/2,7,b,Łuk,"Zoë, 2 ""x"""\r\n'
    )
    results = read(text)
    assert results.names == ('Zoë, 2 "x"', "Łuk")
    assert results.player.tolist() == [1, 0, 0, 1]
    assert results.rank.tolist() == [1, 2, 1, 1]
    assert results.deal.tolist() == [0, 0]


def test_seats_in_any_order_with_flags() -> None:
    """Protects unranked, retired and scores; a retired seat needs no rank."""
    text = (
        "game,seat,player,rank,retired,score,block\n"
        "g,3,c,-,0,1.5,x\ng,1,a,1,0,7,x\ng,2,b,,1,-2,x\n"
        "h,2,a,1,,0,y\nh,1,b,1,,0,y\n"
    )
    results = read(text)
    assert results.player.tolist() == [0, 1, 2, 1, 0]
    assert results.rank.tolist() == [1, 0, 0, 1, 1]
    assert results.retired.tolist() == [False, True, False, False, False]
    assert results.scores is not None
    assert results.scores.tolist() == [7.0, -2.0, 1.5, 0.0, 0.0]
    assert results.block.tolist() == [0, 1]


SEATS = "game,seat,player,rank\n"
GAMES = "game,first,second,result\n"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("game,first,second,result,elo\n1,a,b,1-0,3\n", "r.csv:1, column 5", "unknown column 'elo'"),
        ("game,first,secnd,result\n", "r.csv:1, column 3", "did you mean 'second'"),
        ("game,seat,player\n", "r.csv:1", "missing column rank"),
        ("game,game,seat,player,rank\n", "r.csv:1, column 2", "given twice"),
        ("white;black;score\n", "r.csv:1, column 1", "unknown column"),
        (SEATS + "1,1,a,1\n1,2,b,\n", "r.csv:3, column 4", "rank is empty"),
        (SEATS + "1,1,a,1\n1,2,b,0\n", "r.csv:3, column 4", "rank '0' is not a whole number of 1 or more"),
        (SEATS + "1,1,a,1\n1,2,b,second\n", "r.csv:3, column 4", "rank 'second'"),
        (SEATS + "1,1,a,1\n1,2,b,²\n", "r.csv:3, column 4", "rank '²'"),
        (SEATS + "1,x,a,1\n1,2,b,2\n", "r.csv:2, column 2", "seat 'x'"),
        (SEATS + "1,1,a,1\n", "r.csv:2", "has one player"),
        (SEATS + "1,1,a,1\n1,2,a,2\n", "r.csv:3, column 3", "'a' is twice at the table"),
        (SEATS + "1,1,a,1\n1,1,b,2\n", "r.csv:3, column 2", "seat 1 is taken twice"),
        (SEATS + "1,1,a,1\n1,3,b,2\n", "r.csv:2, column 2", "its seats must be 1 to 2"),
        (SEATS + "1,1,a,1\n1,2,b,2,9\n", "r.csv:3", "5 cells where the header has 4"),
        ("game,seat,player,rank,deal\n1,1,a,1,5\n1,2,b,2,6\n", "r.csv:3, column 5", "has the deal '5' in line 2"),
        ("game,seat,player,rank,retired\n1,1,a,1,yes\n1,2,b,2,0\n", "r.csv:2, column 5", "accepted are 0 and 1"),
        ("game,seat,player,rank,score\n1,1,a,1,nan\n1,2,b,2,0\n", "r.csv:2, column 5", "score 'nan' is not a number"),
        ("game,seat,player,rank,score\n1,1,a,1,\n1,2,b,2,0\n", "r.csv:2, column 5", "score is empty"),
        (GAMES + "1,a,b,2-0\n", "r.csv:2, column 4", "accepted are 1-0, 1/2-1/2, 0-1"),
        (GAMES + "1,a,a,1-0\n", "r.csv:2, column 3", "plays against itself"),
        (GAMES + "1,a,,1-0\n", "r.csv:2, column 3", "second is empty"),
        (GAMES + "1,a,b,1-0\n1,a,b,1-0\n", "r.csv:3, column 1", "already in line 2"),
        (GAMES, "r.csv:1", "no games under the header"),
        ("", "r.csv", "the file is empty"),
        (GAMES + '1,"a"x,b,1-0\n', "r.csv:2", "not readable as CSV"),
    ],
)
def test_bad_csv(text: str, place: str, words: str) -> None:
    """Protects operators: every mistake has a line, a column where there is one, and what would do."""
    (message, *_) = errors_of(text)
    assert message.startswith(place + ":")
    assert words in message


def test_all_errors_at_once() -> None:
    """Protects patience: the first 20 errors together, and how many there are besides."""
    rows = "".join(f"{number},a,b,maybe\n" for number in range(30))
    messages = errors_of(GAMES + rows)
    assert len(messages) == 21
    assert messages[0].startswith("r.csv:2, column 4")
    assert messages[-1] == "and 10 more"
    two = errors_of(GAMES + "1,a,a,2-0\n")
    assert len(two) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[White "a"]\n[Black "a"]\n[Result "1-0"]\n', "p.pgn:2: 'a' plays against itself"),
        ('[White "a"]\n[Black "b"]\n[Result "won"]\n', "p.pgn:3: result 'won'"),
        ('[White "a"]\n[Result "1-0"]\n', "p.pgn:1: the game has no Black tag"),
        ("[White a]\n", "p.pgn:1, column 1: not a PGN tag"),
        ('[White "a"]\n[Black "b"]\n[Result "*"]\n', "no finished games"),
    ],
)
def test_bad_pgn(text: str, words: str) -> None:
    """Protects PGN users in the same way."""
    assert words in "\n".join(errors_of(text, "p.pgn"))


def test_pgn_with_moves_and_escapes() -> None:
    """Protects real PGN: movetext, escaped quotes, an unfinished game between finished ones, deals as tags."""
    text = (
        '[White "a \\"b\\""]\n[Black "c"]\n[Result "1-0"]\n[Deal "4"]\n\n1. e4 [%clk 1] e5 1-0\n\n'
        '[White "c"]\n[Black "d"]\n[Result "*"]\n\n*\n\n[White "c"]\n[Black "d"]\n[Result "1/2-1/2"]\n'
    )
    results = read(text, "moves.txt")
    assert results.names == ('a "b"', "c", "d")
    assert results.rank.tolist() == [1, 2, 1, 1]
    assert results.deal.tolist() == [0, -1]


def test_input_split_over_files() -> None:
    """Protects leagues in parts: two files give what one gives; an id in both is refused."""
    lines = read_text(DATA / "twoplayer" / "p4_g60" / "games.csv").splitlines()
    parts = [(lines[:31], "one.csv"), ([lines[0], *lines[31:]], "two.csv")]
    whole, joined = two_seat("p4_g60"), Results.of(read_games(parts))
    assert abs(fit(whole).elo - fit(joined).elo).max() < 1e-9
    with pytest.raises(UsageError, match=r"two\.csv: game '1' is in one\.csv too"):
        read_games([(lines[:3], "one.csv"), (lines[:3], "two.csv")])
