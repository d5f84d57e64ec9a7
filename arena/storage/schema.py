"""The tables of ``league.db``, as SQLAlchemy Core; created and changed by ``arena.storage.migrations`` alone.

Small whole numbers of a game (places, scores) are kept as words separated by spaces: a row is read by anybody, with
any SQLite tool. The two documents of a game are in tables of their own, so that ratings never read past them.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = "0002"
"""The newest migration: the schema that this program reads and writes. Versions compare as text."""

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("key", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

rulesets = Table(
    "rulesets",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("ruleset", Text, nullable=False, unique=True),
    Column("game", String(40), nullable=False),
    Column("seats", Integer, nullable=False),
)

entrants = Table(
    "entrants",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", String(40), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("command", Text, nullable=False),
    UniqueConstraint("name", "ordinal", name="entrants_name_ordinal"),
)

games = Table(
    "games",
    metadata,
    Column("id", String(20), primary_key=True),
    Column("ruleset", Integer, ForeignKey("rulesets.key"), nullable=False),
    Column("line_up", String(80), nullable=False),
    Column("seating", String(20), nullable=False),
    Column("deal", Integer, nullable=False),
    Column("terminations", String(120), nullable=False),
    Column("scores", String(120), nullable=False),
    Column("ranks", String(20), nullable=False),
    Index("games_by_block", "ruleset", "deal", "line_up", "seating"),
)


def _documents(name: str) -> Table:
    return Table(
        name,
        metadata,
        Column("id", String(20), ForeignKey("games.id"), primary_key=True),
        Column("encoding", String(10), nullable=False),
        Column("sha256", LargeBinary(32), nullable=False),
        Column("data", LargeBinary, nullable=False),
    )


records = _documents("records")
traces = _documents("traces")

voids = Table(
    "voids",
    metadata,
    Column("id", String(20), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("reason", String(10), nullable=False),
    Column("evidence", Text, nullable=False),
)

conduct = Table(
    "conduct",
    metadata,
    Column("entrant", Integer, ForeignKey("entrants.key"), primary_key=True),
    Column("idle_ns", BigInteger, nullable=False),
    Column("idle_cpu_ns", BigInteger, nullable=False),
    Column("left_over", Integer, nullable=False),
    Column("network_attempts", Integer, nullable=False),
)
