"""The store of one league: games in, rows and records out.

Used from one thread of one process for writing (the league's parent); readers open it with ``read_only=True``, also
while the league runs. Every batch is one transaction, and a game that is stored already is left as it is, so that a
killed league loses at most the games in flight and stores none twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zstandard
from sqlalchemy import Connection, Engine, func, insert, select, update

from arena.errors import UsageError
from arena.records.record import Conduct, Finished, Void
from arena.storage import schema
from arena.storage.engine import WRITES, open_engine, spoken
from arena.storage.reader import ENCODING, Reader
from arena.storage.rows import (
    Planned,
    StoredEntrant,
    StoredRuleset,
    entrant_columns,
    game_columns,
    ids_among,
    read_conduct,
    read_entrants,
    read_rulesets,
    ruleset_columns,
)

ZSTD_LEVEL = 3


class Store(Reader):
    """An open ``league.db``; a context manager that closes it."""

    def __init__(self, path: Path, engine: Engine) -> None:
        super().__init__(path, engine)
        self._ruleset_keys: dict[str, int] = {}
        self._entrant_keys: dict[tuple[str, int], int] = {}
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)

    @classmethod
    def create(cls, path: str | Path) -> Store:
        """Open a league's database for writing, making it if there is none.

        Raises:
            UsageError: as ``open``, or when the folder does not exist or cannot be written.
        """
        path = Path(path)
        with spoken(path):
            return cls(path, open_engine(path, read_only=False))._tried()

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = True) -> Store:
        """Open an existing league's database.

        Raises:
            UsageError: when there is none, it is no league's database, its schema is newer than this program's, or it
                cannot be opened.
        """
        path = Path(path)
        if not path.is_file():
            raise UsageError(f"{path}: no such file; a league writes it in its results folder")
        with spoken(path):
            store = cls(path, open_engine(path, read_only=read_only))
            return store if read_only else store._tried()

    def set_meta(self, facts: Mapping[str, str]) -> None:
        """Store facts about the league, replacing those of the same key."""
        with self._writing() as connection:
            for key, value in facts.items():
                connection.execute(schema.meta.delete().where(schema.meta.c.key == key))
                connection.execute(insert(schema.meta).values(key=key, value=value))

    def register(self, rulesets: Iterable[StoredRuleset], entrants: Iterable[StoredEntrant]) -> None:
        """Store the rulesets and entrants that are new; games can be added for registered ones alone.

        Raises:
            UsageError: when an entrant of this name and ordinal is stored with another program.
        """
        with self._writing() as connection:
            known = {item.ruleset for item in read_rulesets(connection)}
            for ruleset in {item.ruleset: item for item in rulesets if item.ruleset not in known}.values():
                connection.execute(insert(schema.rulesets).values(ruleset_columns(ruleset)))
            for entrant in entrants:
                self._register_entrant(connection, entrant)

    def add_games(self, batch: Iterable[tuple[Planned, Finished]]) -> int:
        """Store finished games in one transaction and return how many of them were new.

        Raises:
            UsageError: when the disk is full or refuses; then nothing of the batch is stored.
        """
        played = {planned.game_id: (planned, finished) for planned, finished in batch}
        assert all(game_id == finished.game_id for game_id, (_, finished) in played.items())
        with self._writing() as connection:
            for game_id in ids_among(connection, list(played)):
                del played[game_id]
            if played:
                self._insert(connection, list(played.values()))
        return len(played)

    def add_voids(self, voids: Iterable[Void]) -> None:
        """Store games that do not count, each as the next attempt of its id, in one transaction."""
        with self._writing() as connection:
            for void in voids:
                before = select(func.count()).where(schema.voids.c.id == void.game_id)
                attempt = connection.execute(before).scalar_one() + 1
                connection.execute(
                    insert(schema.voids).values(
                        id=void.game_id, attempt=attempt, reason=str(void.reason), evidence=void.evidence
                    )
                )

    def add_conduct(self, seen: Iterable[tuple[str, str, Conduct]]) -> None:
        """Add what registered bots did beside their answers to what is stored of them, in one transaction.

        Args:
            seen: (name, digest, conduct) of bots; those that are not registered are passed over.
        """
        with self._writing() as connection:
            keys = {(item.name, item.digest): item.key for item in read_entrants(connection)}
            stored = dict(read_conduct(connection))
            for name, digest, conduct in seen:
                if (key := keys.get((name, digest))) is None:
                    continue
                change = (
                    insert(schema.conduct)
                    if key not in stored
                    else update(schema.conduct).where(schema.conduct.c.entrant == key)
                )
                stored[key] = stored.get(key, Conduct()).plus(conduct)
                connection.execute(change.values(entrant=key, **stored[key]._asdict()))

    def _tried(self) -> Store:
        """Begin and end one transaction, so that what cannot be written is refused before any game is played."""
        with self._writing():
            return self

    def _register_entrant(self, connection: Connection, entrant: StoredEntrant) -> None:
        columns = schema.entrants.c
        same = (columns.name == entrant.name) & (columns.ordinal == entrant.ordinal)
        digest = connection.execute(select(columns.digest).where(same)).scalar()
        if digest is None:
            connection.execute(insert(schema.entrants).values(entrant_columns(entrant)))
        elif digest != entrant.digest:
            raise UsageError(
                f"{self.path}: bot {entrant.name!r} is stored as program {digest[:12]}, "
                f"here it is {entrant.digest[:12]}: it has changed"
            )

    def _insert(self, connection: Connection, played: Sequence[tuple[Planned, Finished]]) -> None:
        rows = []
        for planned, finished in played:
            self._learn_keys(connection, planned)
            line_up = (self._entrant_keys[name, ordinal] for name, ordinal in planned.line_up)
            rows.append(game_columns(planned, finished, self._ruleset_keys[planned.ruleset], line_up))
        connection.execute(insert(schema.games), rows)
        connection.execute(insert(schema.records), [self._packed(game.game_id, game.record) for _, game in played])
        connection.execute(insert(schema.traces), [self._packed(game.game_id, game.trace) for _, game in played])

    def _learn_keys(self, connection: Connection, planned: Planned) -> None:
        known = self._entrant_keys
        if planned.ruleset in self._ruleset_keys and all((name, number) in known for name, number in planned.line_up):
            return
        self._ruleset_keys = {item.ruleset: item.key for item in read_rulesets(connection)}
        self._entrant_keys = {(item.name, item.ordinal): item.key for item in read_entrants(connection)}

    def _packed(self, game_id: str, document: bytes) -> dict[str, Any]:
        return {
            "id": game_id,
            "encoding": ENCODING,
            "sha256": hashlib.sha256(document).digest(),
            "data": self._compressor.compress(document),
        }

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with spoken(self.path), self._engine.execution_options(**{WRITES: True}).begin() as connection:
            yield connection
