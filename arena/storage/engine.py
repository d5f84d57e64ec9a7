"""Opening ``league.db``: pragmas, transactions, the schema's version, and what SQLite's errors mean in words.

One process writes (write-ahead log, ``synchronous = FULL``: what was committed survives a killed process and a power
cut; a sync for each batch of half a second costs nothing that can be measured); any number read. Every writing
transaction begins with ``BEGIN IMMEDIATE``, so that it waits for another writer at its start and never fails at its
end.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from arena.errors import UsageError
from arena.storage.schema import VERSION

BUSY_TIMEOUT_MS = 10_000
WRITES = "arena_writes"
"""Execution option of connections whose transactions write."""

_WORDS = {
    "SQLITE_FULL": "the disk is full: free some space and run the same command again; what was stored is safe",
    "SQLITE_NOTADB": "this file is no database",
    "SQLITE_CORRUPT": "the database is damaged: restore it from a copy",
    "SQLITE_READONLY": "the database, or its folder, may not be written",
    "SQLITE_CANTOPEN": "the file cannot be opened: does its folder exist, and may it be read and written?",
    "SQLITE_PERM": "access is denied",
    "SQLITE_BUSY": f"another program has kept it locked for {BUSY_TIMEOUT_MS // 1000} s",
    "SQLITE_LOCKED": "another program keeps it locked",
    "SQLITE_IOERR": "the disk refuses: is it full, at a size limit, or failing? What was stored before is safe",
}


@contextmanager
def spoken(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a file into a ``UsageError`` that an operator can act on; other errors pass."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        name = getattr(cause, "sqlite_errorname", "")
        words = next((words for start, words in _WORDS.items() if name.startswith(start)), None)
        if words is None:
            raise
        raise UsageError(f"{path}: {words} ({name}: {cause})") from error


def stored_version(path: Path) -> str | None:
    """Return the schema version of a database, None for an empty one or no file; nothing is created or changed.

    Raises:
        UsageError: when the file is no database, or no league's.
    """
    if path.is_dir():
        raise UsageError(f"{path}: a folder, where a league's database is expected")
    if not path.exists() or path.stat().st_size == 0:
        return None
    with spoken(path):
        connection = sqlite3.connect(_read_only_uri(path), uri=True)
        try:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if {"alembic_version", "games", "records"} <= tables:
                return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
        finally:
            connection.close()
    if tables:
        raise UsageError(f"{path}: a database, but not of a league (its tables: {', '.join(sorted(tables)[:5])})")
    return None


def open_engine(path: Path, *, read_only: bool) -> Engine:
    """Return an engine on an existing or, for writing, a new database, its schema brought up to date.

    Raises:
        UsageError: when it cannot be opened, is no league's database, or its schema is newer than this program's.
    """
    version = stored_version(path)
    if version is not None and version > VERSION:
        raise UsageError(
            f"{path}: written by a newer arena (schema {version}; this one knows schema {VERSION}): update the arena"
        )
    if read_only and version is None:
        raise UsageError(f"{path}: no league has been stored here")
    if read_only and version != VERSION:
        raise UsageError(f"{path}: schema {version} is older than {VERSION}: run the league once more to bring it up")
    address = _read_only_uri(path) if read_only else f"{_uri(path)}?mode=rwc"
    engine = create_engine(f"sqlite:///{address}&uri=true")
    event.listen(engine, "connect", _set_reader if read_only else _set_writer)
    event.listen(engine, "begin", _begin)
    if version != VERSION:
        with spoken(path):
            _upgrade(engine)
    return engine


def _uri(path: Path) -> str:
    return path.resolve().as_uri()


def _read_only_uri(path: Path) -> str:
    """A reader of a write-ahead log needs its index file; where none is and none can be made, nobody writes either."""
    try:
        idle = path.with_name(path.name + "-wal").stat().st_size == 0
    except FileNotFoundError:  # asked for once and not twice: the writer removes it when it closes
        idle = True
    writable = os.access(path.parent, os.W_OK, effective_ids=True)
    return f"{_uri(path)}?mode=ro" + ("&immutable=1" if idle and not writable else "")


def _set_reader(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin` says
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def _set_writer(connection: sqlite3.Connection, _: Any) -> None:
    _set_reader(connection, _)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _upgrade(engine: Engine) -> None:
    """Run the missing migrations in one transaction: a schema is never left half-changed."""
    from alembic import command  # here, since most runs open a database that is up to date, and need no alembic
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "arena.storage:migrations")
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
