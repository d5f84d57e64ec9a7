"""``arena export``: other tools get the same results, and an author a capsule that needs no league."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import Termination
from arena.ratings.files import read_results
from arena.ratings.ladder import ladder
from arena.records.codec import decode, encode
from arena.reports.export import pgn, seat_rows
from arena.reports.league import league_standings
from arena.storage.rows import GameRow, StoredRuleset
from arena.storage.store import Store
from tests.cli.running import Run, records, with_fault

Arena = Callable[..., Run]


def test_the_records_are_exported_as_they_are(played: Path, arena: Arena) -> None:
    lines = arena("export", played).out.splitlines(keepends=True)
    assert sorted(lines) == sorted(encode(record).decode() for record in records(played))


def test_the_csv_gives_the_ladder_of_the_league(played: Path, arena: Arena, tmp_path: Path) -> None:
    out = tmp_path / "games.csv"
    run = arena("export", played, "--format", "csv", "--out", out)
    assert (run.status, run.out) == (0, "")
    rated = ladder(read_results(out.read_text().splitlines(), "games.csv"))
    with Store.open(played / "league.db") as store:
        (standing,) = league_standings(store).games
    assert standing.rated is not None
    assert [(row.name, round(row.elo, 6)) for row in rated.rows] == [
        (row.name, round(row.elo, 6)) for row in standing.rated.ladder.rows
    ]
    with Store.open(played / "league.db") as store:
        rows = seat_rows(store, store.games()).rows
    assert sum(bool(row["retired"]) for row in rows) == sum(
        word is not Termination.NORMAL for record in records(played) for word in record.terminations
    )


def test_pgn_is_for_two_seats(played: Path, arena: Arena, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    run = arena("export", played, "--format", "pgn", "--out", out)
    assert run.status == 2
    assert "no_thanks has 3 seats: PGN names a White and a Black" in run.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("ranks", "words", "result"),
    [
        ((1, 2), ("normal", "normal"), "1-0"),
        ((2, 1), ("normal", "normal"), "0-1"),
        ((1, 1), ("normal", "normal"), "1/2-1/2"),
        ((1, 2), ("crash", "normal"), "0-1"),
        ((1, 2), ("crash", "illegal"), "*"),
    ],
)
def test_pgn_results_know_faults(
    played: Path, monkeypatch: pytest.MonkeyPatch, ranks: tuple[int, ...], words: tuple[str, ...], result: str
) -> None:
    """A fault is a loss and never a draw; two faults are nobody's result."""
    with Store.open(played / "league.db") as store:
        (ruleset,) = store.rulesets()
        two: StoredRuleset = replace(ruleset, seats=2, game="king_priam")
        monkeypatch.setattr(store, "rulesets", lambda: (two,))
        row = GameRow("g1", two.key, 4, (1, 2), (1, 0), tuple(map(Termination, words)), (5, 6), ranks)
        (text,) = pgn(store, [row])
        names = {entrant.key: entrant.name for entrant in store.entrants()}
    assert f'[White "{names[2]}"]\n[Black "{names[1]}"]\n[Result "{result}"]' in text
    assert text.endswith(f"\n\n{result}\n\n")
    if result != "*":
        assert len(read_results(text.splitlines(), "x.pgn")) == 1


def test_parquet_says_what_it_needs(played: Path, arena: Arena, tmp_path: Path) -> None:
    assert "name a file with --out" in arena("export", played, "--format", "parquet").err
    pyarrow_missing = arena("export", played, "--format", "parquet", "--out", tmp_path / "x.parquet")
    if pyarrow_missing.status:
        assert "pip install pyarrow" in pyarrow_missing.err
    else:
        assert (tmp_path / "x.parquet").read_bytes()[:4] == b"PAR1"


def test_an_unknown_game_of_the_league_is_the_users_error(played: Path, arena: Arena) -> None:
    run = arena("export", played, "--format", "csv", "--game", "rainbow")
    assert run.status == 2
    assert "no such game in this league (games: no_thanks)" in run.err


def test_a_capsule_holds_every_request_up_to_the_fault_and_nothing_of_others(played: Path, arena: Arena) -> None:
    record = with_fault(played, Termination.CRASH)
    fault = next(fault for fault in record.faults if fault.word is Termination.CRASH)
    run = arena("export", played, "--fault", record.game_id, "--seat", fault.seat)
    document = json.loads(run.out)
    assert document["seat"] == fault.seat
    assert document["name"] == "wreck"
    assert decode(json.dumps(document["record"]).encode()) == record
    asked = [message["requests"] for message in document["requests"]]
    assert [request.get("decision", 0) for (request,) in asked] == list(range(len(asked)))
    assert document["requests"][0]["new_games"][0]["bot_seed"] == str(document["bot_seed"])
    assert {found["seat"] for found in document["trace"]["faults"]} == {fault.seat}
    assert {seat for seat, *_ in document["trace"]["decisions"]} == {fault.seat}
    assert len(asked) == len(document["trace"]["decisions"]) + 1


def test_a_game_without_faults_needs_a_seat(played: Path, arena: Arena) -> None:
    game = with_fault(played, None).game_id
    assert "--seat N makes a capsule of any seat" in arena("export", played, "--fault", game).err
    assert arena("export", played, "--fault", game, "--seat", 7).status == 2
    assert json.loads(arena("export", played, "--fault", game, "--seat", 1).out)["seat"] == 1
