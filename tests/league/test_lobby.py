"""Bots that are started by hand: awaited, kept from sitting to sitting, told goodbye, and never rated."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from arena.reports.integrity import integrity_notes
from arena.reports.league import league_standings
from arena.storage.store import Store
from tests.certificates import certify

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
seatings = 2
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
    league, errors = run_lobby(tmp_path, "", workers=2)
    try:
        variables = invitation(errors)
        assert variables["ARENA_ADDRESS"].startswith("127.0.0.1:")
        assert start_bot(variables).returncode == 0
        assert league.wait(PATIENCE_S) == 0, errors.read_text()
    finally:
        league.kill()
        league.wait()
    with Store.open(tmp_path / "results/hand/league.db") as store:
        standings = league_standings(store)
    assert standings.progress.stored == standings.progress.planned == 4 * 2 * 2
    (ladder,) = standings.games
    assert {row["name"] for row in ladder.rows.rows} == {"always-take", "margin", "random"}
    assert any(note.startswith("12 games with bots that were started by hand are not rated") for note in ladder.notes)


def run_lobby(folder: Path, lobby: str, workers: int = 1) -> tuple[subprocess.Popen[bytes], Path]:
    """Start the league with this ``[lobby]``; return it and the file of its messages."""
    (folder / "hand.toml").write_text(LEAGUE.format(secret="by hand") + lobby)
    errors = folder / "errors"
    with errors.open("w") as stderr:
        command = [sys.executable, "-m", "arena", "run-league", "hand.toml", "--workers", str(workers)]
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=stderr), errors


def start_bot(variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a bundled bot by hand, to its end."""
    command = [sys.executable, str(ROOT / "bots/python/random/bot.py")]
    env = {**os.environ, **variables}
    return subprocess.run(command, env=env, timeout=PATIENCE_S, check=False, capture_output=True, text=True)


TLS = """
[lobby]
listen = "127.0.0.2:0"
certificate = "own.pem"
key = "own.key"
"""


def test_over_a_network_a_bot_plays_by_tls_and_nobody_else_gets_in(tmp_path: Path) -> None:
    """Refused in a line each: a bot that speaks no TLS, one that trusts another certificate, one with a wrong token."""
    certify(tmp_path, "own")
    certify(tmp_path, "other")
    league, errors = run_lobby(tmp_path, TLS)
    try:
        variables = invitation(errors)
        assert variables["ARENA_ADDRESS"].startswith("127.0.0.2:")
        assert f"ARENA_CERTIFICATE={tmp_path}/own.pem" in errors.read_text()
        trusting = {"ARENA_CERTIFICATE": str(tmp_path / "own.pem")}
        with ThreadPoolExecutor() as side_by_side:
            plain, deceived, guessing, blind = side_by_side.map(
                lambda more: start_bot({**variables, **more}),
                (
                    {},
                    {"ARENA_CERTIFICATE": str(tmp_path / "other.pem")},
                    {**trusting, "ARENA_TOKEN": "guessed"},
                    {"ARENA_CERTIFICATE": "missing.pem"},
                ),
            )
        assert (plain.returncode, plain.stdout) == (1, "")
        assert "a referee on another machine speaks TLS: ARENA_CERTIFICATE names the file" in plain.stderr
        assert deceived.returncode == 1
        assert "certificate verify failed" in deceived.stderr.lower().replace("_", " ")
        assert guessing.returncode == 1
        assert "UNAUTHENTICATED: unknown token" in guessing.stderr
        assert (blind.returncode, blind.stderr) == (
            2,
            "ARENA_CERTIFICATE = missing.pem: cannot be read: No such file or directory\n",
        )
        assert "Traceback" not in plain.stderr + deceived.stderr + guessing.stderr
        bot = start_bot({**variables, **trusting})
        assert (bot.returncode, bot.stderr) == (0, "")
        assert league.wait(PATIENCE_S) == 0, errors.read_text()
    finally:
        league.kill()
        league.wait()
    with Store.open(tmp_path / "results/hand/league.db") as store:
        standings = league_standings(store)
        assert standings.progress.stored == standings.progress.planned
        (note,) = [note for note in integrity_notes(store, standings) if "token" in note]
        assert note.startswith("1 dial with a wrong token")


def test_one_signal_is_enough_while_a_bot_is_awaited(tmp_path: Path) -> None:
    """No game has begun that would have to finish."""
    league, errors = run_lobby(tmp_path, "")
    try:
        invitation(errors)
        league.send_signal(signal.SIGTERM)
        assert league.wait(PATIENCE_S) == 130, errors.read_text()
    finally:
        league.kill()
        league.wait()
    assert "stopped; this goes on: arena run-league hand.toml" in errors.read_text()


def test_a_port_that_is_taken_is_refused_in_words(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        league, errors = run_lobby(tmp_path, f'[lobby]\nlisten = "127.0.0.1:{port}"\n')
        assert league.wait(PATIENCE_S) == 2
    assert f"[lobby] listen = 127.0.0.1:{port}: nothing can listen there" in errors.read_text()
    assert "Traceback" not in errors.read_text()
