"""The store with real files: what goes in comes out, once, whatever happens in between."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import text

from arena.errors import RecordError, Termination, UsageError
from arena.records.codec import decode
from arena.records.record import Conduct, Finished, Void
from arena.schedules.plan import PlannedGame
from arena.storage.rows import StoredRuleset
from arena.storage.store import Store
from tests.storage.games import ENTRANTS, RULESET, finished, new_store, planned_games

GAMES = list(planned_games())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path / "league.db") as opened:
        yield opened


def test_round_trip(store: Store) -> None:
    """Columns, record and trace come back as they went in, from the open store and from a reader."""
    batch = [(game, finished(game, number)) for number, game in enumerate(GAMES[:50])]
    assert store.add_games(batch) == 50
    keys = {(item.name, item.ordinal): item.key for item in store.entrants()}
    with Store.open(store.path) as reader:
        rows = {row.game_id: row for row in reader.games()}
        assert len(rows) == 50
        for game, played in batch:
            row = rows[game.game_id]
            assert row == reader.game(game.game_id)
            assert row.seated == tuple(keys[bot] for bot in game.seated)
            assert (row.deal, row.terminations, row.scores, row.ranks) == (
                game.deal, played.terminations, played.scores, played.ranks,
            )  # fmt: skip
            assert reader.record_bytes(game.game_id) == played.record
            assert reader.record(game.game_id) == decode(played.record)
            assert reader.trace(game.game_id) == played.trace
    assert store.rulesets() == (StoredRuleset(RULESET.ruleset, "no_thanks", 3, key=1),)
    assert [item.command for item in store.entrants()] == [item.command for item in ENTRANTS]


def test_blocks_follow_each_other(store: Store) -> None:
    """Ratings take complete blocks in one pass over the rows, in whatever order games were stored."""
    store.add_games((game, finished(game)) for game in reversed(GAMES))
    blocks = [row.block for row in store.games()]
    seen = list(dict.fromkeys(blocks))
    assert len(seen) == 4 * 10
    assert blocks == [block for block in seen for _ in range(6)]


def test_first_result_stays(store: Store) -> None:
    """A game is stored once: a second attempt of the same id, in one batch or later, changes nothing."""
    first, second = finished(GAMES[0], 1), finished(GAMES[0], 2)
    assert store.add_games([(GAMES[0], first)]) == 1
    digest = store.digest()
    assert store.add_games([(GAMES[0], second), (GAMES[1], once(GAMES[1])), (GAMES[1], once(GAMES[1]))]) == 1
    assert store.record_bytes(GAMES[0].game_id) == first.record
    assert store.trace(GAMES[0].game_id) == first.trace
    assert store.counts().stored == 2
    assert store.digest() != digest
    assert store.add_games([]) == 0


def once(game: PlannedGame) -> Finished:
    return finished(game, 1)


def test_conduct_adds_up_by_bot(store: Store) -> None:
    """Over sittings and versions; a program that is not entered (a bot that is started by hand) is passed over."""
    anna, bea = ENTRANTS[:2]
    store.register([], [replace(anna, ordinal=2, digest="e" * 64)])
    store.add_conduct([("anna", anna.digest, Conduct(10, 2, 1, 0)), ("dora", "", Conduct(1, 1, 1, 1))])
    store.add_conduct([("anna", "e" * 64, Conduct(5, 1, 0, 3)), (bea.name, bea.digest, Conduct(1 << 40, 7, 0, 0))])
    store.add_conduct([("anna", anna.digest, Conduct(1, 1, 1, 1))])
    assert store.conduct() == {"anna": Conduct(16, 4, 2, 4), "béa": Conduct(1 << 40, 7, 0, 0)}


def test_digest_by_hand(store: Store, tmp_path: Path) -> None:
    """The league digest chains the records in id order: neither the order of storing nor traces nor voids matter."""
    assert store.digest() == bytes(32).hex()
    batch = [(game, finished(game, number)) for number, game in enumerate(GAMES[:20])]
    store.add_games(batch)
    chained = bytes(32)
    for _, played in sorted(batch, key=lambda item: item[0].game_id):
        chained = hashlib.sha256(chained + hashlib.sha256(played.record).digest()).digest()
    assert store.digest() == chained.hex()
    with new_store(tmp_path / "other.db") as other:
        other.add_voids([Void(GAMES[0].game_id, Termination.HOST, "late by 90 ms")])
        for game, played in reversed(batch):
            slower = Finished(game.game_id, played.terminations, played.scores, played.ranks, played.record, b"{}\n")
            other.add_games([(game, slower)])
        assert other.digest() == store.digest()


def test_voids_count_attempts(store: Store) -> None:
    """Three voids of one game pause a league, so attempts are counted; they are no games."""
    void = Void(GAMES[0].game_id, Termination.ABORTED, "worker 1 died")
    store.add_voids([void, void])
    store.add_voids([void, Void(GAMES[1].game_id, Termination.HOST, "late")])
    assert [item.game_id for item in store.voids()].count(GAMES[0].game_id) == 3
    assert store.voids()[0] in (void, Void(GAMES[1].game_id, Termination.HOST, "late"))
    counts = store.counts()
    assert (counts.stored, counts.void) == (0, 4)


def test_stored_ids_among(store: Store) -> None:
    """Resuming asks about one sitting at a time."""
    store.add_games((game, finished(game)) for game in GAMES[:30])
    ids = [game.game_id for game in GAMES]
    assert store.stored_ids() == frozenset(ids[:30])
    assert store.stored_ids(ids[20:40]) == frozenset(ids[20:30])
    assert store.stored_ids([]) == frozenset()


def test_find(store: Store) -> None:
    """A person names a game by the start of its id; what is not one game is refused in words."""
    store.add_games((game, finished(game)) for game in GAMES)
    wanted = GAMES[3].game_id
    assert store.find(wanted) == store.find(wanted[:12]) == wanted
    with pytest.raises(UsageError, match="several games start with ''"):
        store.find("")
    for nothing in ("zzz", "%", wanted + "0"):
        with pytest.raises(UsageError, match="no stored game has an id"):
            store.find(nothing)


def test_changed_program_is_refused(store: Store) -> None:
    """A name cannot come to mean another program; a new version is a new ordinal, and known ones are left alone."""
    again = ENTRANTS[0].__class__("anna", 1, "3", "team", "f" * 64, ("x",))
    with pytest.raises(UsageError, match="bot 'anna' is stored as program 000000000000, here it is ffffffffffff"):
        store.register([], [again])
    store.register([RULESET, RULESET], [*ENTRANTS, ENTRANTS[0].__class__("anna", 2, "3", "team", "f" * 64, ("x",))])
    assert [(item.name, item.ordinal) for item in store.entrants()][-1] == ("anna", 2)
    assert len(store.rulesets()) == 1


def test_meta(store: Store) -> None:
    """Facts are replaced by key and survive a reopening."""
    store.set_meta({"league": "spring", "commitment": "1"})
    store.set_meta({"commitment": "2"})
    store.close()
    with Store.open(store.path) as reader:
        assert reader.meta() == {"league": "spring", "commitment": "2"}


@pytest.mark.parametrize("table", ["records", "traces"])
@pytest.mark.parametrize("damage", ["UPDATE {} SET data = x'00'", "UPDATE {} SET sha256 = x'00'"])
def test_damaged_documents_are_refused(store: Store, table: str, damage: str) -> None:
    """Bytes that do not fit their digest are never handed out."""
    store.add_games([(GAMES[0], finished(GAMES[0]))])
    with sqlite3.connect(store.path) as connection:
        connection.execute(damage.format(table))
    connection.close()
    read = store.record if table == "records" else store.trace
    with pytest.raises(RecordError, match=f"the {table} row of game {GAMES[0].game_id}"):
        read(GAMES[0].game_id)


def test_row_and_record_must_agree(store: Store) -> None:
    """A changed result in the row is found when the record is read."""
    store.add_games([(GAMES[0], finished(GAMES[0]))])
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE games SET scores = '9 9 9'")
    connection.close()
    with pytest.raises(RecordError, match="does not have the result of its row"):
        store.record(GAMES[0].game_id)


def test_missing_game(store: Store) -> None:
    for read in (store.game, store.record, store.trace):
        with pytest.raises(UsageError, match="game 00 is not stored"):
            read("00")


def test_reader_sees_a_running_league(store: Store) -> None:
    """A standings page reads while games are stored; one pass sees one moment."""
    store.add_games((game, finished(game)) for game in GAMES[:10])
    with Store.open(store.path) as reader:
        rows = reader.games()
        next(rows)
        store.add_games((game, finished(game)) for game in GAMES[10:])
        assert 1 + sum(1 for _ in rows) == 10
        assert reader.counts().stored == len(GAMES)
        with pytest.raises(UsageError, match="may not be written"):
            reader.set_meta({"a": "b"})


class Journal(RuleBasedStateMachine):
    """The store against a dict: batches with repeats, voids, a full disk in mid-batch, closing and reopening."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arena-store-"))
        self.store = new_store(self.folder / "league.db")
        self.model: dict[str, Finished] = {}
        self.voids = 0

    @rule(places=st.lists(st.integers(0, 239), max_size=30), outcome=st.integers(0, 3))
    def add(self, places: list[int], outcome: int) -> None:
        batch = {GAMES[place].game_id: (GAMES[place], finished(GAMES[place], outcome)) for place in places}
        assert self.store.add_games(batch.values()) == len(batch.keys() - self.model.keys())
        for game_id, (_, played) in batch.items():
            self.model.setdefault(game_id, played)

    @rule(place=st.integers(0, 239))
    def void(self, place: int) -> None:
        self.store.add_voids([Void(GAMES[place].game_id, Termination.HOST, "late")])
        self.voids += 1

    @precondition(lambda self: len(self.model) < 150)
    @rule(outcome=st.integers(0, 3))
    def fill_the_disk(self, outcome: int) -> None:
        """SQLite is allowed no further page: the batch is refused as a whole, and fits after room is made."""
        new = [game for game in GAMES if game.game_id not in self.model]
        with self.store._engine.connect() as connection:
            connection.execute(text("PRAGMA max_page_count = 1"))
        with pytest.raises(UsageError, match="the disk is full"):
            self.store.add_games((game, finished(game, outcome)) for game in new)
        with self.store._engine.connect() as connection:
            connection.execute(text("PRAGMA max_page_count = 1000000"))

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store.open(self.folder / "league.db", read_only=False)

    @invariant()
    def same_as_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        assert self.store.stored_ids() == self.model.keys()
        assert self.store.counts().void == len(self.store.voids()) == self.voids
        assert {row.game_id: row.scores for row in self.store.games()} == {
            game_id: played.scores for game_id, played in self.model.items()
        }
        for game_id in islice(self.model, 3):
            assert self.store.record_bytes(game_id) == self.model[game_id].record

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)


TestJournal = Journal.TestCase
TestJournal.settings = settings(max_examples=15, stateful_step_count=15)
