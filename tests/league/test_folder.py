"""Results folders: one run at a time, one league for ever, and files that are whole or not there."""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.config import read_league
from arena.league.fingerprint import differences, fingerprint
from arena.league.folder import ResultsFolder, set_aside
from arena.league.values import League
from arena.players.base import FaultPolicy, Limits, Program
from arena.seeds import commitment
from arena.storage.store import Store
from tests.players.deep import DEEP, make_deep, removed_after

TEXT = """
[league]
name = "spring"
[[game]]
id = "no_thanks"
seats = 3
deals = 50
[[bot]]
name = "ann"
command = ["/bin/ann"]
[[bot]]
name = "bo"
version = "2"
command = ["/bin/bo"]
[[bot]]
name = "cy"
connect = "tcp"
"""


@pytest.fixture
def league(tmp_path: Path) -> League:
    (tmp_path / "league.toml").write_text(TEXT)
    return read_league(tmp_path / "league.toml")


def programs(league: League) -> tuple[Program, ...]:
    return tuple(
        Program(bot.name, bot.version, bot.author, bot.command, "/", (), f"{number:064x}")
        for number, bot in enumerate(league.bots)
        if bot.command
    )


def claim(path: Path, league: League, found: tuple[Program, ...] | None = None) -> bytes:
    """What a run does with its folder before the first game."""
    with ResultsFolder.open(path) as folder, folder.open_store() as store:
        secret = folder.secret(store, league.secret)
        folder.claim(store, league, programs(league) if found is None else found, secret)
        return secret


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_first_run(tmp_path: Path, league: League) -> None:
    """The folder holds the journal, the secret (ours alone, and not in the journal) and the league file as run."""
    path = tmp_path / "results" / "spring"
    secret = claim(path, league)
    assert sorted(item.name for item in path.iterdir()) == ["league.db", "league.toml", "lock", "secret"]
    assert (path / "league.toml").read_text() == TEXT
    assert (path / "secret").read_text() == secret.hex() + "\n"
    assert mode(path / "secret") == 0o600
    assert len(secret) == 32
    with Store.open(path / "league.db") as store:
        assert store.meta()["commitment"] == commitment(secret)
        assert store.meta()["league"] == "spring"
        assert [(item.name, item.ordinal, item.version) for item in store.entrants()] == [
            ("ann", 1, ""), ("bo", 1, "2"), ("cy", 1, ""),
        ]  # fmt: skip
        assert store.entrants()[2].command == ()
        assert [item.game for item in store.rulesets()] == ["no_thanks"]
    for file in path.iterdir():
        assert secret not in file.read_bytes()
        assert file.name == "secret" or secret.hex().encode() not in file.read_bytes()


def test_resume_keeps_the_secret(tmp_path: Path, league: League) -> None:
    """The same command again finds the same deals; two leagues never share a drawn secret."""
    assert claim(tmp_path / "a", league) == claim(tmp_path / "a", league)
    assert claim(tmp_path / "a", league) != claim(tmp_path / "b", league)


def test_given_secret(tmp_path: Path, league: League) -> None:
    """A secret of the league file is kept as it is; another one later is refused."""
    given = replace(league, secret=bytes(range(32)))
    assert claim(tmp_path / "a", given) == bytes(range(32))
    assert claim(tmp_path / "a", league) == bytes(range(32))
    with pytest.raises(UsageError, match="gives another secret than this league has"):
        claim(tmp_path / "a", replace(league, secret=bytes(32)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, r"the secret is missing \(its SHA-256 is [0-9a-f]{64}\): put it back"),
        ("00" * 32, "the secret is not the one of this league"),
        ("00" * 31, "no secret: 64 hex digits are expected"),
        ("é" * 32, "the secret cannot be read"),
    ],
)
def test_lost_secret(tmp_path: Path, league: League, content: str | None, words: str) -> None:
    """Without its secret a league cannot go on with other deals; no new one is drawn."""
    claim(tmp_path / "a", league)
    (tmp_path / "a/secret").unlink()
    if content:
        (tmp_path / "a/secret").write_text(content)
    with pytest.raises(UsageError, match=words):
        claim(tmp_path / "a", league)
    assert (tmp_path / "a/secret").exists() == (content is not None)


def test_order_and_more_deals(tmp_path: Path, league: League) -> None:
    """Bots in another order are the same league; more deals are more games of it, and are noted."""
    claim(tmp_path / "a", league)
    turned = replace(league, bots=league.bots[::-1], in_flight=4)
    claim(tmp_path / "a", turned, programs(league))
    more = replace(league, games=(replace(league.games[0], deals=80),), text="# more\n" + TEXT)
    claim(tmp_path / "a", more)
    assert (tmp_path / "a/league.toml").read_text() == "# more\n" + TEXT
    with pytest.raises(UsageError, match="deals was 80, is 50; there can only be more"):
        claim(tmp_path / "a", league)


def with_game(league: League, **changes: object) -> League:
    return replace(league, games=(replace(league.games[0], **changes),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda league: replace(league, name="autumn"), '[league] name was "spring", is "autumn"'),
        (lambda league: replace(league, line_ups=7), "[league] line_ups was 0, is 7"),
        (lambda league: replace(league, limits=Limits(move_ms=5)), "[limits] move_ms was 1000, is 5"),
        (lambda league: replace(league, faults=FaultPolicy(strikes=9)), "[faults] strikes was 3, is 9"),
        (lambda league: with_game(league, seatings="all"), 'seatings was "balanced", is "all"'),
        (lambda league: with_game(league, ruleset="other"), "game other is new"),
        (lambda league: with_game(league, deals=3), "deals was 50, is 3; there can only be more"),
        (lambda league: replace(league, bots=league.bots[:2]), "bot 'cy' is gone"),
        (
            lambda league: replace(league, bots=(*league.bots, replace(league.bots[0], name="eve"))),
            "bot 'eve' is new",
        ),
        (
            lambda league: replace(league, bots=(replace(league.bots[0], version="3"), *league.bots[1:])),
            "bot 'ann': version was \"\", is \"3\"",
        ),
    ],
)  # fmt: skip
def test_another_league(tmp_path: Path, league: League, change: Callable[[League], League], words: str) -> None:
    """Results of one league are never mixed with another's: refused, with what differs, and nothing is changed."""
    path = tmp_path / "a"
    claim(path, league)
    before = {item.name: item.read_bytes() for item in path.iterdir() if item.name != "lock"}
    with pytest.raises(UsageError) as caught:
        claim(path, change(league))
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{path}: this folder holds the results of another league:"
    assert any(words in line for line in lines[1:-1])
    assert "--results DIR" in lines[-1]
    assert {item.name: item.read_bytes() for item in path.iterdir() if item.name != "lock"} == before


def test_changed_program(tmp_path: Path, league: League) -> None:
    """A bot whose files changed since the league began is named; where it is installed does not matter."""
    claim(tmp_path / "a", league)
    moved = tuple(replace(program, command=("/opt/x",), directory="/tmp") for program in programs(league))
    claim(tmp_path / "a", league, moved)
    other = (replace(programs(league)[0], digest="f" * 64), *programs(league)[1:])
    with pytest.raises(UsageError, match="bot 'ann' has changed: its program was 000000000000, is ffffffffffff"):
        claim(tmp_path / "a", league, other)


def test_fingerprint_is_json(league: League) -> None:
    """What is stored is compared with what is made anew: the document survives JSON unchanged."""
    document = fingerprint(league, programs(league), "c")
    assert json.loads(json.dumps(document)) == document
    assert differences(document, document) == ()
    assert len(differences(document, {**document, "commitment": "d"})) == 1


HOLDER = """
import sys, time
from pathlib import Path
from arena.league.folder import ResultsFolder
folder = ResultsFolder.open(Path(sys.argv[1]))
print("locked", flush=True)
time.sleep(100)
"""


def test_one_run_at_a_time(tmp_path: Path) -> None:
    """A second run is refused with the first one's process; ``kill -9`` of the first frees the folder."""
    child = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path / "a")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "locked\n"
    for refused in (ResultsFolder.open, set_aside):
        with pytest.raises(UsageError, match=rf"another run works in this folder \(process {child.pid}\)"):
            refused(tmp_path / "a")
    child.kill()
    child.wait()
    child.stdout.close()
    with ResultsFolder.open(tmp_path / "a"):
        assert (tmp_path / "a/lock").read_text() == f"{os.getpid()}\n"


def test_temporary_files_of_a_run_that_was_killed_are_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens the folder in between keeps their name; what another user or program made is left alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, mine = tmp_path / "arena-run-left", tmp_path / "thesis"
    for folder in (left, mine):
        folder.mkdir()
        (folder / "file").touch()
    for noted, gone in ((left, True), (mine, False)):
        with ResultsFolder.open(tmp_path / "a"):
            pass
        (tmp_path / "a/lock").write_text(f"1\n{noted}\n")
        with ResultsFolder.open(tmp_path / "a"):
            assert (tmp_path / "a/lock").read_text() == f"{os.getpid()}\n{noted}\n"
        with ResultsFolder.open(tmp_path / "a") as results, results.scratch() as scratch:
            assert noted.exists() != gone
            assert (tmp_path / "a/lock").read_text() == f"{os.getpid()}\n{scratch}\n"
            (scratch / "file").touch()
        assert not scratch.exists()
        assert (tmp_path / "a/lock").read_text() == f"{os.getpid()}\n"


def test_temporary_files_however_deep_do_not_stop_a_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What bots of this run and of a killed one have nested goes, and the next run hears no more of it."""
    with removed_after(tmp_path / "temporary") as temporary:
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        left = temporary / "arena-run-left"
        left.mkdir()
        make_deep(left, DEEP, "x", b"")
        with ResultsFolder.open(tmp_path / "a"):
            (tmp_path / "a/lock").write_text(f"1\n{left}\n")
        with ResultsFolder.open(tmp_path / "a") as results, results.scratch() as scratch:
            make_deep(scratch, DEEP, "x", b"")
        assert list(temporary.iterdir()) == []
        assert (tmp_path / "a/lock").read_text() == f"{os.getpid()}\n"


def test_folder_of_something_else(tmp_path: Path) -> None:
    """A folder with other files is not taken for results: not written, and not set aside."""
    (tmp_path / "thesis.tex").write_text("x")
    for refused in (ResultsFolder.open, set_aside):
        with pytest.raises(UsageError, match=r"other files \(thesis.tex, ...\) and no results of a league"):
            refused(tmp_path)
    assert [item.name for item in tmp_path.iterdir()] == ["thesis.tex"]


def test_set_aside(tmp_path: Path, league: League) -> None:
    """``--fresh`` keeps the old results under another name."""
    assert set_aside(tmp_path / "a") is None
    claim(tmp_path / "a", league)
    assert set_aside(tmp_path / "a") == tmp_path / "a.old-1"
    secret = claim(tmp_path / "a", replace(league, name="autumn"))
    assert set_aside(tmp_path / "a") == tmp_path / "a.old-2"
    assert (tmp_path / "a.old-2/secret").read_text().strip() == secret.hex()
    assert not (tmp_path / "a").exists()


def test_write_is_whole_or_not(tmp_path: Path) -> None:
    """A derived file is replaced as a whole; when there is no room the old one stays, and nothing beside it."""
    with ResultsFolder.open(tmp_path / "a") as folder:
        folder.write("standings.txt", b"old")
        assert mode(tmp_path / "a/standings.txt") == 0o644
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        try:
            with pytest.raises(UsageError, match=r"standings\.txt: cannot be written: File too large"):
                folder.write("standings.txt", b"x" * 100_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (tmp_path / "a/standings.txt").read_bytes() == b"old"
        folder.write("standings.txt", b"new")
        assert sorted(item.name for item in (tmp_path / "a").iterdir()) == ["lock", "standings.txt"]
        assert (folder.bots.name, folder.logs.name) == ("bots", "logs")


def test_unwritable_folder(tmp_path: Path) -> None:
    """A place that cannot be written is named before anything is played."""
    base = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        base.chmod(0o555)
        if os.getuid() == 0:
            os.seteuid(65534)
        with pytest.raises(UsageError, match="this folder cannot be written: Permission denied"):
            ResultsFolder.open(base / "spring")
        with pytest.raises(UsageError, match="this folder cannot be written: Permission denied"):
            ResultsFolder.open(base)
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        shutil.rmtree(base)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UsageError, match="this folder cannot be written"):
        ResultsFolder.open(file)
