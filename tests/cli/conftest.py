"""A small league with faults, played once by real processes; the tests of commands read it or spoil copies of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.main import arena as commands
from arena.league.config import read_league
from arena.league.runner import Tally, run_league
from arena.reports.league import league_standings
from arena.storage.store import Store
from tests.cli.running import FILE, Run
from tests.cli.stored import Command, write_league


class Quiet:
    """An observer that shows nothing."""

    def preparing(self, words: str) -> None: ...

    def begun(self, tally: Tally, commitment: str) -> None: ...

    def progress(self, tally: Tally, store: Store) -> None: ...

    def stopping(self, *, decided: bool) -> None: ...


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of the league; not to be changed."""
    from arena.cli.run_league import write_derived

    home = tmp_path_factory.mktemp("league")
    (home / "small.toml").write_text(FILE)
    results = home / "results"
    outcome = run_league(read_league(home / "small.toml"), results, Quiet(), workers=2)
    assert outcome.complete
    with Store.open(results / "league.db") as store:
        write_derived(results, league_standings(store))
    return results


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    """A copy of the results folder that a test may spoil."""
    return Path(shutil.copytree(played, tmp_path / "results"))


@pytest.fixture
def arena(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Return a function that runs the command line in this process and returns its exit status and output."""

    def run(*words: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
        capfd.readouterr()
        try:
            main()
        except SystemExit as error:
            status = int(error.code or 0)
        else:
            status = 0
        out, err = capfd.readouterr()
        return Run(status, out, err)

    return run


@pytest.fixture
def run() -> Command:
    """Return a function that runs a command and returns what it prints on stdout; its errors are raised."""

    def invoke(*words: object) -> str:
        done = CliRunner().invoke(commands, [str(word) for word in words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return invoke


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored league of four bots, one of them broken; nothing was played for it."""
    return write_league(tmp_path_factory.mktemp("stored") / "spring")
