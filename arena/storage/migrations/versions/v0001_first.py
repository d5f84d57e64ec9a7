"""The first schema. It is written out, since later changes of ``schema.py`` must not change what happened here."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "meta",
        sa.Column("key", sa.String(40), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "rulesets",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("ruleset", sa.Text, nullable=False, unique=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
    )
    op.create_table(
        "entrants",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.UniqueConstraint("name", "ordinal", name="entrants_name_ordinal"),
    )
    _create_games()
    op.create_table(
        "voids",
        sa.Column("id", sa.String(20), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("reason", sa.String(10), nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
    )


def _create_games() -> None:
    op.create_table(
        "games",
        sa.Column("id", sa.String(20), primary_key=True),
        sa.Column("ruleset", sa.Integer, sa.ForeignKey("rulesets.key"), nullable=False),
        sa.Column("line_up", sa.String(80), nullable=False),
        sa.Column("seating", sa.String(20), nullable=False),
        sa.Column("deal", sa.Integer, nullable=False),
        sa.Column("terminations", sa.String(120), nullable=False),
        sa.Column("scores", sa.String(120), nullable=False),
        sa.Column("ranks", sa.String(20), nullable=False),
    )
    op.create_index("games_by_block", "games", ["ruleset", "deal", "line_up", "seating"])
    for name in ("records", "traces"):
        op.create_table(
            name,
            sa.Column("id", sa.String(20), sa.ForeignKey("games.id"), primary_key=True),
            sa.Column("encoding", sa.String(10), nullable=False),
            sa.Column("sha256", sa.LargeBinary(32), nullable=False),
            sa.Column("data", sa.LargeBinary, nullable=False),
        )
