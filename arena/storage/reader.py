"""Reading a league's database: rows, documents and digests; any number of readers, also while the league runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import zstandard
from sqlalchemy import Connection, Engine, Table, func, select

from arena.errors import RecordError, Termination, UsageError
from arena.records.codec import decode
from arena.records.record import Conduct, Record, Void
from arena.storage import schema
from arena.storage.engine import spoken
from arena.storage.rows import (
    GAME_COLUMNS,
    Counts,
    GameRow,
    StoredEntrant,
    StoredRuleset,
    game_row,
    ids_among,
    read_conduct,
    read_entrants,
    read_rulesets,
)

ENCODING = "zstd"
STRANGERS = "strangers"
"""The fact that counts dials with a wrong token."""
_READ_AT_ONCE = 10_000


class Reader:
    """The reading half of a store; a context manager that closes it."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine

    def close(self) -> None:
        """Close all connections; the last one of a writer folds the write-ahead log into the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def meta(self) -> dict[str, str]:
        """Return the facts about the league, as ``set_meta`` stored them."""
        with self._reading() as connection:
            return {row.key: row.value for row in connection.execute(select(schema.meta))}

    def rulesets(self) -> tuple[StoredRuleset, ...]:
        """Return the rulesets in the order in which they were stored."""
        with self._reading() as connection:
            return tuple(read_rulesets(connection))

    def entrants(self) -> tuple[StoredEntrant, ...]:
        """Return the entrants in the order in which they were stored."""
        with self._reading() as connection:
            return tuple(read_entrants(connection))

    def conduct(self) -> dict[str, Conduct]:
        """Return what bots did beside their answers, by name; all versions of a bot together."""
        with self._reading() as connection:
            names = {item.key: item.name for item in read_entrants(connection)}
            found: dict[str, Conduct] = {}
            for key, conduct in read_conduct(connection):
                found[names[key]] = found.get(names[key], Conduct()).plus(conduct)
            return found

    def stored_ids(self, among: Sequence[str] | None = None) -> frozenset[str]:
        """Return the ids of stored games: all, or those among some (at most tens of thousands)."""
        with self._reading() as connection:
            if among is not None:
                return frozenset(ids_among(connection, among))
            return frozenset(connection.execute(select(schema.games.c.id)).scalars())

    def games(self) -> Iterator[GameRow]:
        """Yield all stored games without their documents, by ruleset, deal, line-up and seating.

        The games of a block follow each other. The rows are those of one moment, whatever is written meanwhile.
        """
        order = (schema.games.c[name] for name in ("ruleset", "deal", "line_up", "seating"))
        query = select(*GAME_COLUMNS).order_by(*order)
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=_READ_AT_ONCE).execute(query):
                yield game_row(row)

    def game(self, game_id: str) -> GameRow:
        """Return one stored game.

        Raises:
            UsageError: when it is not stored.
        """
        query = select(*GAME_COLUMNS).where(schema.games.c.id == game_id)
        with self._reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise UsageError(f"{self.path}: game {game_id} is not stored")
        return game_row(row)

    def voids(self) -> tuple[Void, ...]:
        """Return all void attempts, by game and attempt."""
        columns = schema.voids.c
        query = select(columns.id, columns.reason, columns.evidence).order_by(columns.id, columns.attempt)
        with self._reading() as connection:
            return tuple(
                Void(game, Termination(reason), evidence) for game, reason, evidence in connection.execute(query)
            )

    def counts(self) -> Counts:
        """Return how much is stored."""
        with self._reading() as connection:
            stored, void = (
                connection.execute(select(func.count()).select_from(table)).scalar_one()
                for table in (schema.games, schema.voids)
            )
        return Counts(stored, void)

    def find(self, prefix: str, alias: Callable[[str], str] | None = None) -> str:
        """Return the one stored game id that starts with a prefix, or whose alias does if none starts so.

        Args:
            prefix: the beginning of an id, or of an alias.
            alias: another name of a game, made from its id.

        Raises:
            UsageError: when there is none, or more than one.
        """
        query = select(schema.games.c.id).where(schema.games.c.id.startswith(prefix, autoescape=True)).limit(4)
        with self._reading() as connection:
            found = list(connection.execute(query).scalars())
        if not found and alias is not None:
            found = [game_id for game_id in sorted(self.stored_ids()) if alias(game_id).startswith(prefix)]
        if len(found) == 1:
            return str(found[0])
        if not found:
            raise UsageError(f"{self.path}: no stored game has an id that starts with {prefix!r}")
        raise UsageError(f"{self.path}: several games start with {prefix!r}: {', '.join(found[:3])}, ...")

    def record_bytes(self, game_id: str) -> bytes:
        """Return the canonical bytes of a game's record, checked against their digest.

        Raises:
            UsageError: when the game is not stored.
            RecordError: when the bytes do not fit their digest.
        """
        return self._document(schema.records, game_id)

    def record(self, game_id: str) -> Record:
        """Return a game's record; its id and result are those of the row.

        Raises:
            UsageError: when the game is not stored.
            RecordError: when bytes, digest, row and record do not fit each other.
        """
        record = decode(self.record_bytes(game_id))
        row = self.game(game_id)
        stored = (row.game_id, row.deal, row.terminations, row.scores, row.ranks)
        if stored != (record.game_id, record.deal, record.terminations, record.scores, record.ranks):
            raise RecordError(f"{self.path}: the record of game {game_id} does not have the result of its row")
        return record

    def trace(self, game_id: str) -> bytes:
        """Return the canonical bytes of a game's trace, checked against their digest.

        Raises:
            UsageError: when the game is not stored.
            RecordError: when the bytes do not fit their digest.
        """
        return self._document(schema.traces, game_id)

    def digest(self) -> str:
        """Return the league digest, hex: SHA-256 chained over the SHA-256 of all records in order of their ids.

        It starts from 32 zero bytes; each step hashes the digest so far and the next record's. Two leagues that played
        the same games with the same outcomes have the same digest, whatever the times and voids.
        """
        chained = bytes(32)
        query = select(schema.records.c.sha256).order_by(schema.records.c.id)
        with self._reading() as connection:
            for record in connection.execution_options(yield_per=_READ_AT_ONCE).execute(query).scalars():
                chained = hashlib.sha256(chained + record).digest()
        return chained.hex()

    def _document(self, table: Table, game_id: str) -> bytes:
        with self._reading() as connection:
            row = connection.execute(
                select(table.c.encoding, table.c.sha256, table.c.data).where(table.c.id == game_id)
            ).first()
        if row is None:
            raise UsageError(f"{self.path}: game {game_id} is not stored")
        try:
            data = zstandard.decompress(row.data) if row.encoding == ENCODING else None
        except zstandard.ZstdError as error:
            raise RecordError(f"{self.path}: the {table.name} row of game {game_id} is damaged: {error}") from error
        if data is None or hashlib.sha256(data).digest() != row.sha256:
            raise RecordError(f"{self.path}: the {table.name} row of game {game_id} does not fit its digest")
        return data

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with spoken(self.path), self._engine.connect() as connection:
            yield connection
