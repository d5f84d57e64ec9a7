"""The table of faults as rows."""

from __future__ import annotations

from arena.referee.faults import FAULTS, VOIDS
from arena.reports.rows import Column, Rows


def fault_rows() -> Rows:
    """Return every fault with what it costs, in order of precedence; then what is no fault of a bot."""
    columns = (
        Column("word", "word"),
        Column("what", "what the bot did"),
        Column("cost", "what it costs"),
        Column("key", "set by"),
    )
    rows = tuple(
        {
            "word": str(kind.word),
            "what": kind.what,
            "cost": kind.cost,
            "key": f"[faults] {kind.key}" if kind.key else "",
        }
        for kind in (*FAULTS, *VOIDS)
    )
    return Rows(columns, rows)
