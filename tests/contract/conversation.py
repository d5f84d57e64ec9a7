"""The conversation on the contract's page: a real sitting of one short game, as one of its bots heard and said it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from arena.league.job import GameJob
from arena.players.base import Limits, Program
from arena.seeds import derive
from tests.league.sittings import ROOT, job, program, run

PAGE = ROOT / "proto" / "README.md"
BEGIN, END = "<!-- conversation: begin -->", "<!-- conversation: end -->"
COMMAND = "python -m tests.contract"
OPTIONS = {"rounds": 1}
DEAL, SEAT = 4, 1
SEEDS = (2680, 2681, 2682)
"""With these the bot of the page is asked five times: few enough to read."""
LIMITS = Limits(start_s=30, move_ms=1000, margin_ms=150, sandbox="none")
MEASURED = "183"
"""Stands for every measured time, so that the page is the same whenever it is made."""


def conversation() -> list[dict[str, Any]]:
    """Play the game and return what was said, in order: ``{"bot": ...}`` or ``{"referee": ...}`` for each message."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said"
        command = (sys.executable, "-m", "tests.contract.tap", str(path))
        bots = [program("one", "--policy", "random"), program("two", "--policy", "random")]
        bots.insert(SEAT, Program("page", "1", "", command, str(ROOT), (), "0" * 64))
        game = GameJob("5f1d2c", DEAL, derive(b"page", DEAL), SEEDS)
        sitting = job(bots, 0, LIMITS, options=OPTIONS, in_flight=1)
        played = run(type(sitting)(**{**_fields(sitting), "games": (game,)}))
        assert [str(word) for word in played.records[0].terminations] == ["normal"] * 3
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for game in line.get("referee", {}).get("new_games", ()):
            game["options"] = dict(sorted(game["options"].items()))  # a map has no order
        for request in line.get("referee", {}).get("requests", ()):
            if "last_answer_us" in request:
                request["last_answer_us"] = MEASURED
    return lines


def _fields(sitting: Any) -> dict[str, Any]:
    return {name: getattr(sitting, name) for name in sitting.__dataclass_fields__}


def section(said: list[dict[str, Any]]) -> str:
    """Return the part of the page between its marks: the first request spread out, then all messages, one a line."""
    first = next(line for line in said if "requests" in line.get("referee", {}))
    whole = json.dumps(first, indent=2)
    lines = "\n".join(json.dumps(line) for line in said)
    return f"{BEGIN}\n\n```json\n{lines}\n```\n\nThe first request again, spread out:\n\n```json\n{whole}\n```\n\n{END}"


def with_section(page: str, new: str) -> str:
    """Return the page with another conversation."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{new}{after}"
