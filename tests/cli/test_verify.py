"""``arena verify`` and ``arena publish``: a folder that fits passes, and one changed card, score or rank is named."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from arena.records.codec import canonical_json
from arena.storage.store import Store
from tests.cli.running import FILE, Run, records

Arena = Callable[..., Run]


def change(results: Path, statement: str, *values: object) -> None:
    """Change the database behind the arena's back."""
    with closing(sqlite3.connect(results / "league.db")) as database, database:
        assert database.execute(statement, values).rowcount == 1


def rewrite(results: Path, game_id: str, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change a stored record and give it the digest of its new bytes, as a forger would."""
    with closing(sqlite3.connect(results / "league.db")) as database:
        (data,) = database.execute("SELECT data FROM records WHERE id = ?", (game_id,)).fetchone()
    document = json.loads(zstandard.decompress(data))
    edit(document)
    new = canonical_json(document)
    packed, digest = zstandard.compress(new), hashlib.sha256(new).digest()
    change(results, "UPDATE records SET data = ?, sha256 = ? WHERE id = ?", packed, digest, game_id)


def swap_cards(document: dict[str, Any]) -> None:
    """Exchange the last two cards of the shuffle, which are out of the game and change nothing else."""
    cards = document["steps"][0][1].split(" ")
    cards[-1], cards[-2] = cards[-2], cards[-1]
    document["steps"][0][1] = " ".join(cards)


def test_an_honest_folder_fits(played: Path, arena: Arena) -> None:
    run = arena("verify", played)
    assert run.status == 0
    assert run.out.startswith("all fits: 12 of 12 games dealt again and replayed; digest ")


def test_it_prints_one_document(played: Path, arena: Arena) -> None:
    document = json.loads(arena("verify", played, "--json").out)
    assert document["games"] == 12
    assert document["problems"] == []
    assert len(document["digest"]) == 64


def test_one_changed_card_is_named(results: Path, arena: Arena) -> None:
    """The forger has repaired the digest of the record, and the cards play no part in the game: the deal tells."""
    game = records(results)[3].game_id
    rewrite(results, game, swap_cards)
    run = arena("verify", results)
    assert run.status == 1
    assert f"game {game}: record {game}, step 0: chance is not what the secret deals: word 32 of 'shuffle'" in run.out
    assert "standings.json: digest: stored is" in run.out


def test_damaged_bytes_are_named(results: Path, arena: Arena) -> None:
    game = records(results)[0].game_id
    change(results, "UPDATE records SET data = ? WHERE id = ?", zstandard.compress(b"{}\n"), game)
    run = arena("verify", results)
    assert run.status == 1
    assert f"the records row of game {game} does not fit its digest" in run.out


@pytest.mark.parametrize(("column", "value"), [("scores", "1 2 3"), ("ranks", "3 2 1"), ("deal", "5")])
def test_a_changed_column_is_named(results: Path, arena: Arena, column: str, value: str) -> None:
    game = next(record for record in records(results) if record.ranks != (3, 2, 1)).game_id
    change(results, f"UPDATE games SET {column} = ? WHERE id = ?", value, game)
    run = arena("verify", results)
    assert run.status == 1
    assert f"game {game}: its row and its record differ in {column}" in run.out


def test_a_score_changed_in_row_and_record_does_not_follow_from_the_steps(results: Path, arena: Arena) -> None:
    record = records(results)[5]
    scores = [score + 1 for score in record.scores]
    rewrite(results, record.game_id, lambda document: document.update(scores=scores))
    change(results, "UPDATE games SET scores = ? WHERE id = ?", " ".join(map(str, scores)), record.game_id)
    run = arena("verify", results)
    assert run.status == 1
    assert f"game {record.game_id}: record {record.game_id}: scores stored are" in run.out


def test_bots_that_have_changed_seats_are_named(results: Path, arena: Arena) -> None:
    record = records(results)[2]
    change(results, "UPDATE games SET seating = '2 1 0' WHERE id = ? AND seating != '2 1 0'", record.game_id)
    run = arena("verify", results)
    assert run.status == 1
    assert "its row and its record differ in players" in run.out


def test_a_fault_that_was_taken_back_is_named(results: Path, arena: Arena) -> None:
    """Without its fault a seat would have been asked for the actions that the referee played for it."""
    record = next(record for record in records(results) if record.faults)
    normal = ["normal"] * 3
    rewrite(results, record.game_id, lambda document: document.update(faults=[], terminations=normal))
    change(results, "UPDATE games SET terminations = 'normal normal normal' WHERE id = ?", record.game_id)
    run = arena("verify", results)
    assert run.status == 1
    assert f"game {record.game_id}: " in run.out


def test_another_secret_is_named(results: Path, arena: Arena) -> None:
    (results / "secret").write_text("ab" * 32)
    run = arena("verify", results)
    assert run.status == 1
    assert run.out.startswith("the secret is not the one of this league: its SHA-256 is ")


def test_a_folder_without_a_secret_says_what_to_ask_for(results: Path, arena: Arena) -> None:
    (results / "secret").unlink()
    run = arena("verify", results)
    assert run.status == 2
    assert "arena publish" in run.err


def test_changed_standings_are_named(results: Path, arena: Arena) -> None:
    document = json.loads((results / "standings.json").read_text())
    document["ladders"][0]["rows"][0]["elo"] += 1
    (results / "standings.json").write_text(json.dumps(document))
    run = arena("verify", results)
    assert run.status == 1
    assert "standings.json: ladders[0].rows[0].elo: stored is " in run.out


def test_of_a_published_league_the_folder_is_enough_and_it_takes_no_new_games(
    results: Path, arena: Arena, tmp_path: Path
) -> None:
    published = arena("publish", results)
    assert published.status == 0
    secret, committed, digest = published.out.splitlines()
    assert secret.startswith(f"secret           {(results / 'secret.txt').read_text().strip()}   ")
    assert committed.startswith("its SHA-256      ")
    assert hashlib.sha256(bytes.fromhex(secret.split()[1])).hexdigest() == committed.split()[2]
    with Store.open(results / "league.db") as store:
        assert digest.split()[3] == store.digest()
    (results / "secret").unlink()
    for name in ("bots", "logs", "lock"):
        path = results / name
        path.rename(tmp_path / name)
    assert arena("verify", results).status == 0
    league = tmp_path / "more.toml"
    league.write_text(FILE.replace("deals = 2", "deals = 3"))
    refused = arena("run-league", league, "--results", results, "--workers", 1)
    assert refused.status == 2
    assert "this league is closed: its secret is published" in refused.err
    assert len(records(results)) == 12


def test_a_league_with_games_left_is_published_only_when_they_are_given_up(results: Path, arena: Arena) -> None:
    change(results, "UPDATE meta SET value = '18' WHERE key = 'planned'")
    refused = arena("publish", results)
    assert refused.status == 2
    assert "6 games are still to be played" in refused.err
    assert not (results / "secret.txt").exists()
    assert arena("publish", results, "--unfinished").status == 0
