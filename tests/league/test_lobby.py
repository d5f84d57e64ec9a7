"""Bots that are started by hand: awaited, kept from sitting to sitting, told goodbye, and never rated."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from arena.reports.league import league_standings
from arena.storage.store import Store

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
LEAGUE = """
[league]
name = "hand"
secret = "{secret}"
[[game]]
id = "no_thanks"
seats = 3
deals = 2
options = {{ rounds = 1 }}
[[bot]]
name = "me"
connect = "tcp"
[[bot]]
builtin = "always-take"
[[bot]]
builtin = "margin"
[[bot]]
builtin = "random"
"""


def invitation(errors: Path) -> dict[str, str]:
    """Wait until the league says how to start the bot; return those variables."""
    for _ in range(PATIENCE_S * 10):
        found = dict(re.findall(r"(ARENA_ADDRESS|ARENA_TOKEN)=(\S+)", errors.read_text()))
        if len(found) == 2:
            return found
        time.sleep(0.1)
    raise AssertionError(errors.read_text())


def test_a_bot_started_by_hand_plays_all_its_sittings_on_one_stream_and_is_not_rated(tmp_path: Path) -> None:
    (tmp_path / "hand.toml").write_text(LEAGUE.format(secret="by hand"))
    errors = tmp_path / "errors"
    with errors.open("w") as stderr:
        league = subprocess.Popen(
            [sys.executable, "-m", "arena", "run-league", "hand.toml", "--workers", "2"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        variables = invitation(errors)
        assert variables["ARENA_ADDRESS"].startswith("127.0.0.1:")
        bot = subprocess.run(
            [sys.executable, str(ROOT / "bots/python/random/bot.py")],
            env={**os.environ, **variables},
            timeout=PATIENCE_S,
            check=False,
        )
        assert bot.returncode == 0
        assert league.wait(PATIENCE_S) == 0, errors.read_text()
    finally:
        league.kill()
        league.wait()
    with Store.open(tmp_path / "results/hand/league.db") as store:
        standings = league_standings(store)
    assert standings.progress.stored == standings.progress.planned == 4 * 6 * 2
    (ladder,) = standings.games
    assert {row["name"] for row in ladder.rows.rows} == {"always-take", "margin", "random"}
    assert any(note.startswith("36 games with bots that were started by hand are not rated") for note in ladder.notes)
