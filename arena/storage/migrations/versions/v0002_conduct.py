"""What bots did beside their answers: one row a bot that has been seen in a sitting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table; of sittings before it nothing is known."""
    op.create_table(
        "conduct",
        sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.key"), primary_key=True),
        sa.Column("idle_ns", sa.BigInteger, nullable=False),
        sa.Column("idle_cpu_ns", sa.BigInteger, nullable=False),
        sa.Column("left_over", sa.Integer, nullable=False),
        sa.Column("network_attempts", sa.Integer, nullable=False),
    )
