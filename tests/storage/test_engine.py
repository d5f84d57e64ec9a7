"""Opening databases that are missing, foreign, newer, damaged or out of reach, and dying while writing."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from arena.errors import UsageError
from arena.storage import schema
from arena.storage.engine import _read_only_uri, stored_version
from arena.storage.store import Store
from tests.storage.games import finished, new_store, planned_games

ROOT = Path(__file__).parents[2]
NOBODY = 65534


def sql(path: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        with connection:
            return connection.execute(statement).fetchall()
    finally:
        connection.close()


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder that may be read but not written by us: root, who may write everything, becomes somebody else."""
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        yield folder
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def lock_out(folder: Path) -> None:
    folder.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(NOBODY)


def test_a_batch_is_on_the_disk_before_it_counts(tmp_path: Path) -> None:
    """A power cut costs the games that were running: every commit is synced, and not only every checkpoint."""
    with Store.create(tmp_path / "league.db") as store, store._engine.connect() as connection:
        modes = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert modes == ["wal", 2]


def test_migrations_make_the_schema(tmp_path: Path) -> None:
    """The migrations, written out by hand, end at the tables that the code uses, and at the version it names."""
    with Store.create(tmp_path / "league.db") as store, store._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
        assert sql(store.path, "PRAGMA journal_mode") == [("wal",)]
    assert stored_version(tmp_path / "league.db") == schema.VERSION
    migrations = ScriptDirectory(str(ROOT / "arena/storage/migrations"))
    assert migrations.get_current_head() == schema.VERSION


def test_create_twice_keeps(tmp_path: Path) -> None:
    """``create`` on a league's database opens it; the folder must be there."""
    with new_store(tmp_path / "league.db") as store:
        store.add_games((game, finished(game)) for game in planned_games(1))
    with Store.create(tmp_path / "league.db") as store:
        assert store.counts().stored == 24
    with pytest.raises(UsageError, match="cannot be opened: does its folder exist"):
        Store.create(tmp_path / "missing" / "league.db")


def test_a_league_of_an_older_arena_keeps_its_games_when_it_is_run_on(tmp_path: Path) -> None:
    """What the newest migration added is taken away again, as if it had never been there."""
    games = list(planned_games(1))
    path = tmp_path / "league.db"
    with new_store(path) as store:
        store.add_games((game, finished(game)) for game in games)
        digest = store.digest()
    sql(path, "DROP TABLE conduct")
    sql(path, "UPDATE alembic_version SET version_num = '0001'")
    with Store.create(path) as store:
        assert (store.counts().stored, store.digest(), store.conduct()) == (len(games), digest, {})
        assert compare_metadata(MigrationContext.configure(store._engine.connect()), schema.metadata) == []
    assert stored_version(path) == schema.VERSION


def test_newer_schema(tmp_path: Path) -> None:
    """A database of a newer arena is refused, naming both versions, and not touched."""
    path = tmp_path / "league.db"
    new_store(path).close()
    sql(path, "UPDATE alembic_version SET version_num = '0009'")
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(UsageError, match=r"newer arena \(schema 0009; this one knows schema 0002\)"):
            Store.open(path, read_only=read_only)
    assert path.read_bytes() == before
    sql(path, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(UsageError, match="schema 0000 is older than 0002"):
        Store.open(path)


@pytest.mark.parametrize("content", [b"this is no database, only text that is long enough " * 40, b"x" * 5])
def test_no_database(tmp_path: Path, content: bytes) -> None:
    """A file that is no database is refused and left as it is."""
    path = tmp_path / "league.db"
    path.write_bytes(content)
    for open_it in (Store.open, Store.create):
        with pytest.raises(UsageError, match="this file is no database"):
            open_it(path)
    assert path.read_bytes() == content
    assert [item.name for item in tmp_path.iterdir()] == ["league.db"]


def test_other_database(tmp_path: Path) -> None:
    """A database of another program is refused and left as it is, even one that alembic keeps."""
    path = tmp_path / "league.db"
    sql(path, "CREATE TABLE alembic_version (version_num TEXT)")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="a database, but not of a league"):
        Store.create(path)
    assert path.read_bytes() == before


def test_missing_and_empty(tmp_path: Path) -> None:
    """Reading never makes a file; an empty one (killed at the very start) is begun anew by the writer."""
    path = tmp_path / "league.db"
    with pytest.raises(UsageError, match="no such file"):
        Store.open(path)
    assert not path.exists()
    path.touch()
    with pytest.raises(UsageError, match="no league has been stored here"):
        Store.open(path)
    Store.create(path).close()
    Store.open(path).close()
    path = tmp_path / "folder.db"
    path.mkdir()
    with pytest.raises(UsageError, match="a folder, where"):
        Store.create(path)


def test_unwritable_folder() -> None:
    """Nothing is played into a folder that cannot be written; a reader of another user still reads it."""
    with unprivileged() as folder:
        with new_store(folder / "league.db") as store:
            store.add_games((game, finished(game)) for game in planned_games(1))
        lock_out(folder)
        with pytest.raises(UsageError, match=r"may not be written|cannot be opened"):
            Store.open(folder / "league.db", read_only=False)
        with pytest.raises(UsageError, match=r"may not be written|cannot be opened"):
            Store.create(folder / "other.db")
        with Store.open(folder / "league.db") as reader:
            assert reader.counts().stored == 24
        assert sorted(item.name for item in folder.iterdir()) == ["league.db"]


LOG_COMES_AND_GOES = """
import sys
from pathlib import Path
log = Path(sys.argv[1])
print("ready", flush=True)
while True:
    log.touch()
    log.unlink()
"""


def test_the_log_may_go_while_a_reader_opens(tmp_path: Path) -> None:
    """The writer removes its log as it closes: whoever asks for standings just then reads them all the same."""
    path = tmp_path / "league.db"
    new_store(path).close()
    command = [sys.executable, "-c", LOG_COMES_AND_GOES, f"{path}-wal"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            addresses = {_read_only_uri(path) for _ in range(10_000)}
        finally:
            child.kill()
    assert addresses == {f"{path.as_uri()}?mode=ro"}
    with Store.open(path) as reader:
        assert reader.counts().stored == 0


def test_file_size_limit(tmp_path: Path) -> None:
    """The kernel refuses to let the files grow: the batch is refused in words, and what was stored stays."""
    path = tmp_path / "league.db"
    games = list(planned_games(40))
    with new_store(path) as store:
        store.add_games((game, finished(game)) for game in games[:10])
        old = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 200_000, old[1]))
        try:
            with pytest.raises(UsageError, match=r"What was stored before is safe|disk is full"):
                store.add_games((game, finished(game)) for game in games)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)
        assert store.counts().stored == 10
        assert store.add_games((game, finished(game)) for game in games) == len(games) - 10
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]


def test_second_writer_waits(tmp_path: Path) -> None:
    """Two writers do not fail each other: one begins when the other has ended."""
    games = list(planned_games(2))
    with new_store(tmp_path / "league.db") as first, Store.create(tmp_path / "league.db") as second:
        with first._writing():
            other = threading.Thread(target=second.add_games, args=([(game, finished(game)) for game in games],))
            other.start()
        other.join()
        assert first.counts().stored == len(games)


WRITER = """
import sys
from tests.storage.games import finished, new_store, planned_games
store = new_store(sys.argv[1])
games = [game for game in planned_games(400)]
done = store.stored_ids()
left = [game for game in games if game.game_id not in done]
for start in range(0, len(left), 7):
    batch = left[start:start + 7]
    store.add_games((game, finished(game)) for game in batch)
    print(*(game.game_id for game in batch), flush=True)
"""


def kill_in_mid_write(path: Path, batches: int) -> set[str]:
    """Start a real writer, kill it after it has acknowledged some batches, and return the acknowledged ids."""
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    told = [child.stdout.readline() for _ in range(batches)]
    child.kill()
    rest = child.stdout.read()
    child.stdout.close()
    child.wait()
    return {
        game_id for line in [*told, *rest.splitlines(keepends=True)] if line.endswith("\n") for game_id in line.split()
    }


def check_kill(path: Path, batches: int) -> None:
    acknowledged = kill_in_mid_write(path, batches)
    with Store.open(path, read_only=False) as store:
        stored = store.stored_ids()
        assert acknowledged <= stored
        assert len(stored) % 7 == 0
        for game_id in sorted(stored)[:50]:
            assert store.record(game_id).game_id == game_id
            assert store.trace(game_id)
        (records,), (traces,) = sql(path, "SELECT count(*) FROM records UNION ALL SELECT count(*) FROM traces")
        assert records == traces == len(stored)
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]


def test_kill_the_writer(tmp_path: Path) -> None:
    """``kill -9`` while games are stored: every acknowledged batch is whole, none is half there, and it goes on."""
    for batches in (1, 12):
        check_kill(tmp_path / "league.db", batches)


@pytest.mark.soak
def test_kill_the_writer_often(tmp_path: Path) -> None:
    """Fifteen rounds, killed at different places."""
    for batches in range(1, 46, 3):
        check_kill(tmp_path / "league.db", batches)
