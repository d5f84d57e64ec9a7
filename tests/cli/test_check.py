"""``arena check`` and the badge: what an author reads, what a script reads, and what a league demands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.errors import UsageError
from arena.lab.check import Wanted
from arena.lab.findings import Report
from arena.league.badge import digests, read_badge, require_badges, write_badge
from arena.league.bots import builtin_folder, read_bot
from arena.league.config import read_league
from arena.league.snapshot import snapshot
from arena.league.sources import BADGE
from arena.players.base import Program
from tests.cli.running import Run
from tests.commands import ARENA

Arena = Callable[..., Run]
SLOW = '{"schema": 1, "digest": "7", "games": {}, "move_ms": "long"}'
NESTED = "[" * 100_000
LEAGUE = """
[league]
require_check = true
[[game]]
id = "no_thanks"
seats = 3
deals = 1
[[game]]
id = "rainbow"
seats = 3
deals = 1
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(home: Path, name: str, manifest: str = "", code: str = "") -> Path:
    """Make a bot's folder."""
    folder = home / name
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "{name}"\ncommand = ["{{python}}", "bot.py"]\n{manifest}')
    (folder / "bot.py").write_text(code or "from arena.sdk import run\nrun(lambda r: r.rng.choice(r.legal_actions))\n")
    return folder


@pytest.mark.timeout(300)
def test_a_pass_gives_a_badge(home: Path, arena: Arena) -> None:
    """A full check leaves a badge beside the bot, which does not change what the bot is."""
    folder = make(home, "good", 'games = ["prime_cards"]\n')
    before = snapshot(read_bot("good", home), home / "before")
    run = arena("check", "good", "--json")
    assert run.status == 0, run.err
    found = json.loads(run.out)
    assert found["passed"] is True
    assert found["findings"] == []
    assert found["situations_passed"] == found["situations"] > 20
    assert found["facts"]["positions"] >= 1000
    assert found["badge"] == str(folder / BADGE)
    badge = read_badge(folder / BADGE)
    assert badge is not None
    assert badge["digest"] == before.digest == found["digest"]
    assert set(badge["games"]) == {"prime_cards"}
    assert snapshot(read_bot("good", home), home / "after").digest == before.digest


def test_a_failure_is_said_in_words(home: Path, arena: Arena) -> None:
    """The trace of the bot is shown, the exit status is 1, and there is no badge."""
    folder = make(home, "bad", code="import no_such_module\n")
    run = arena("check", "bad", "--quick", "--game", "no_thanks")
    assert run.status == 1
    assert "MUST: it starts and sends a Hello in time (no-show)" in run.out
    assert "No module named 'no_such_module'" in run.out
    assert run.out.rstrip().endswith("FAIL 0 of 1 situations")
    assert not (folder / BADGE).exists()


@pytest.mark.parametrize("head", ["", "checking: "])
def test_a_failure_is_one_though_nobody_reads_it(home: Path, head: str) -> None:
    """``arena check mybot 2>&1 | head -1`` in a script with pipefail stops the script."""
    make(home, "bad", code="import no_such_module\n")
    words = [*ARENA, "check", "bad", "--quick", "--game", "no_thanks"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        assert running.stdout is not None
        assert running.stdout.read(len(head)).decode() == head
        running.stdout.close()
        assert running.wait(60) == 1


def test_faults_have_the_words_of_a_league(home: Path, arena: Arena) -> None:
    """What is no action of the game is protocol, what the rules refuse is illegal; silence says how long it lasted."""
    head = "from arena.sdk import run\n"
    make(home, "nonsense", code=f"{head}run(lambda request: 'jump')\n")
    make(home, "refused", code=f"{head}run(lambda request: 'pass')\n")
    make(home, "endless", code=f"{head}def decide(request):\n    while True:\n        pass\nrun(decide)\n")
    for name, word, words in (
        ("nonsense", "protocol", "it answered 'jump'"),
        ("refused", "illegal", "it answered 'pass': pass needs a token"),
        ("endless", "timeout", "not answered within 3.35 s (a league waits 200 ms and 150 ms margin)"),
    ):
        run = arena("check", name, "--quick", "--game", "no_thanks", "--move-ms", "200")
        assert run.status == 1
        assert [line.split()[-1] for line in run.out.splitlines() if line.startswith("MUST")] == [f"({word})"]
        assert words in " ".join(run.out.split())


def test_a_bot_of_one_game_that_is_tried_in_all_is_told_how_to_say_so(home: Path, arena: Arena) -> None:
    """It fails where it does not know the view; one that fails everywhere is not told so."""
    head = "from arena.sdk import run\n"
    make(home, "one", code=f"{head}run(lambda request: request.legal_actions[request.view.pot * 0])\n")
    make(home, "none", code=f"{head}run(lambda request: request.legal_actions[99])\n")
    said = {name: arena("check", name, "--quick").err for name in ("one", "none")}
    assert [name for name, words in said.items() if 'games = ["no_thanks"] in its bot.toml' in words] == ["one"]


def test_a_bot_that_prints_instead_of_dialling(home: Path, arena: Arena) -> None:
    """A program that ends well and has never called the referee is told what a bot does."""
    make(home, "printer", code="print('play 7')\n")
    run = arena("check", "printer", "--quick", "--game", "no_thanks")
    assert run.status == 1
    said = " ".join(run.out.split())
    assert "the process ended with exit status 0 without having dialled ARENA_ADDRESS: a bot calls" in said
    assert "play 7" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "nothing-here"), "no folder, no NAME=COMMAND and no built-in bot"),
        (("check", ""), "bot '': accepted is a folder with a bot.toml ('.' is this one)"),
        (("check", "empty"), "has a bot.toml; this one has none"),
        (("check", "typo"), "unknown key; did you mean 'games'?"),
        (("check", "lost"), "no program 'no-such-tool' in PATH"),
        (("check", "unbuilt"), "build step 'false' failed (exit status 1)"),
        (("check", "broken"), "    the last line of the build"),
        (("check", "broken"), "    fail.py:1: this file, as its author knows it"),
        (("check", "careful", "--game", "rainbow"), "bot 'careful' does not play rainbow, only no_thanks"),
        (("check", "random", "--game", "solitair"), "unknown game 'solitair'"),
    ],
)
def test_bad_input(home: Path, arena: Arena, words: tuple[str, ...], said: str) -> None:
    """What cannot be checked at all is a usage error: words, not a trace."""
    (home / "empty").mkdir()
    make(home, "typo", "gamse = []\n")
    make(home, "unbuilt", 'build = [["false"]]\n')
    make(home, "broken", f'build = [["{sys.executable}", "fail.py"]]\n')
    (home / "broken" / "fail.py").write_text(
        "import os\nprint(os.getcwd() + '/fail.py:1: this file, as its author knows it')\n"
        "print('the last line of the build')\nraise SystemExit(3)\n"
    )
    lost = make(home, "lost")
    (lost / "bot.toml").write_text('name = "lost"\ncommand = ["no-such-tool"]\n')
    run = arena(*words)
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets what a check finds, at once: whether the bot passes, and in which games."""

    def found(*games: str, passes: bool = True) -> None:
        def check(program: Program, wanted: Wanted, tell: Callable[[str], None]) -> Report:
            report = Report(situations={"start": True}, games=list(games))
            if not passes:
                report.note("no-show", "start", "it did not start")
            return report

        monkeypatch.setattr("arena.lab.check.check", check)

    found("no_thanks")
    return found


def test_the_report_is_printed_though_the_badge_cannot_be_written(
    home: Path, arena: Arena, passing: Callable[..., None]
) -> None:
    """What took minutes to find is said first, then the error; the JSON document has no badge."""
    folder = make(home, "good")
    (folder / BADGE).mkdir()
    run = arena("check", "good")
    assert run.status == 2
    assert run.out.startswith("PASS")
    assert run.err == f"error: {folder / BADGE}: the badge cannot be written: there is something else than a file\n"
    run = arena("check", "good", "--json", "--badge", home)
    assert run.status == 2
    assert (json.loads(run.out)["passed"], json.loads(run.out)["badge"]) == (True, "")


def test_a_bot_that_fails_loses_its_badge(home: Path, arena: Arena, passing: Callable[..., None]) -> None:
    """The one beside its files, for the same files, and not for a clock that is stricter or a quick check."""
    folder = make(home, "moody")
    assert arena("check", "moody").status == 0
    assert arena("check", "moody", "--badge", "badge.json").status == 0
    passing("no_thanks", passes=False)
    for words in (("--quick",), ("--move-ms", 500)):
        run = arena("check", "moody", *words)
        assert (run.status, run.err) == (1, "")
    assert (folder / BADGE).exists()
    run = arena("check", "moody", "--badge", "badge.json")
    assert (run.status, run.err) == (1, f"removed its badge, which was given for the same files: {folder / BADGE}\n")
    assert not (folder / BADGE).exists()
    assert (home / "badge.json").exists()
    assert arena("check", "moody").err == ""


def test_the_games_of_a_badge_add_up(home: Path, arena: Arena, passing: Callable[..., None]) -> None:
    """A check of one game leaves the others in the badge, but for other files, clocks or rules."""
    folder = make(home, "good")

    def covered(*words: object) -> set[str]:
        assert arena("check", "good", *words).status == 0
        return set(json.loads((folder / BADGE).read_text())["games"])

    assert covered() == {"no_thanks"}
    passing("rainbow")
    assert covered() == {"no_thanks", "rainbow"}
    badge = json.loads((folder / BADGE).read_text())
    badge["games"] |= {"no_thanks": 0, "no_such_game": 1}
    (folder / BADGE).write_text(json.dumps(badge))
    assert covered() == {"rainbow"}
    passing("unique")
    assert covered("--move-ms", 2000) == {"unique"}
    (folder / "bot.py").write_text("print('changed')\n")
    passing("rainbow")
    assert covered("--move-ms", 2000) == {"rainbow"}


def test_a_badge_of_no_games_is_not_given(home: Path, arena: Arena, passing: Callable[..., None]) -> None:
    """A bot whose Hello names none of the games that were asked for was tried in none."""
    folder = make(home, "idle")
    passing()
    run = arena("check", "idle", "--badge", "badge.json")
    assert (run.status, run.err) == (0, "no badge: it was tried in no game\n")
    assert not (folder / BADGE).exists()
    assert not (home / "badge.json").exists()


@pytest.mark.parametrize("move_ms", ["99", "3600001", "4294967296", "99999999999999"])
@pytest.mark.parametrize(
    "words", ["check random", "play no_thanks random random random", "match random random random --game no_thanks"]
)
def test_a_clock_beyond_all_measure(home: Path, arena: Arena, words: str, move_ms: str) -> None:
    """The commands accept what a league file does."""
    run = arena(*words.split(), "--move-ms", move_ms)
    assert (run.status, run.out) == (2, "")
    assert "100<=x<=3600000" in run.err


def test_a_quick_check_gives_no_badge(home: Path, arena: Arena, passing: Callable[..., None]) -> None:
    """Who asks for one is told."""
    make(home, "good")
    run = arena("check", "good", "--quick", "--badge", "badge.json")
    assert (run.status, run.err) == (0, "no badge: a quick check gives none\n")
    assert not (home / "badge.json").exists()
    assert arena("check", "good", "--quick").err == ""


def league(home: Path, *entries: str) -> Path:
    """Write a league that demands badges."""
    path = home / "league.toml"
    path.write_text(LEAGUE + "".join(f"[[bot]]\n{entry}\n" for entry in entries))
    return path


def test_a_league_demands_badges(home: Path) -> None:
    """Missing, outdated and partial badges are refused, each with what to do; whole ones are taken from both places."""
    for name in ("one", "two", "three"):
        make(home, name)
    path = league(home, 'path = "one"', 'path = "two"', 'path = "three"')
    read = read_league(path)
    programs = [snapshot(bot, home / "bots") for bot in read.bots]
    found = digests(read.bots)
    assert found == {program.name: program.digest for program in programs}
    write_badge(home / "one" / BADGE, programs[0], ["no_thanks", "rainbow"])
    write_badge(home / "two" / BADGE, programs[1], ["no_thanks"])
    with pytest.raises(UsageError) as refused:
        require_badges(read, found)
    assert str(refused.value).splitlines() == [
        "require_check = true:",
        f"bot 'two': its badge does not cover rainbow (with today's rules); run 'arena check {home / 'two'}'",
        f"bot 'three': it has no badge; run 'arena check {home / 'three'}'",
    ]
    write_badge(home / "badges" / "two.json", programs[1], ["rainbow"])
    write_badge(home / "badges" / "three.json", programs[2], ["no_thanks", "rainbow"])
    require_badges(read, found)
    (home / "one" / "bot.py").write_text("print('changed')\n")
    with pytest.raises(UsageError, match="bot 'one': it has changed since its badge was given"):
        require_badges(read, digests(read.bots))


def test_a_badge_is_for_a_clock(home: Path, arena: Arena, passing: Callable[..., None]) -> None:
    """Who passed with more time than a league gives is asked to pass with less; a badge that does not say had 1000."""
    folders = [make(home, name) for name in ("one", "two", "three")]
    path = league(home, 'path = "one"', 'path = "two"', 'path = "three"')
    passing("no_thanks", "rainbow")
    for folder, move_ms in zip(folders, (20000, 1000, 500), strict=True):
        assert arena("check", folder.name, "--move-ms", move_ms).status == 0
    badge = json.loads((folders[1] / BADGE).read_text())
    assert badge.pop("move_ms") == 1000
    (folders[1] / BADGE).write_text(json.dumps(badge))

    def refused(move_ms: int) -> list[str]:
        text = LEAGUE + "".join(f'[[bot]]\npath = "{folder.name}"\n' for folder in folders)
        path.write_text(f"{text}[limits]\nmove_ms = {move_ms}\n")
        return arena("run-league", path, "--dry-run").err.splitlines()[1:]

    asked = "its badge was given with {} ms a decision, this league allows {}; run 'arena check {}{}'"
    assert f"bot 'one': {asked.format(20000, 1000, home / 'one', '')}" in refused(1000)
    assert f"bot 'two': {asked.format(1000, 700, home / 'two', ' --move-ms 700')}" in refused(700)
    assert [line for line in refused(700) if "three" in line] == []
    assert refused(20000) == []
    assert "without a badge: one;" in arena("new-league", home / "spring.toml").err


def test_keys_of_a_league_file_make_another_program(home: Path, arena: Arena, passing: Callable[..., None]) -> None:
    """No check of the folder is one of that program, so that it is said where the key belongs."""
    for name in ("one", "two", "three"):
        make(home, name)
    passing("no_thanks", "rainbow")
    for name in ("one", "two"):
        assert arena("check", name).status == 0
    path = league(
        home, 'path = "one"', 'path = "two"\nname = "other"\nenv = { X = "1" }', 'path = "three"\nfiles = ["*.py"]'
    )
    said = "the league file gives {}, with which it is another program than 'arena check' finds in its folder"
    assert arena("run-league", path, "--dry-run").err.splitlines()[1:] == [
        f"bot 'other': {said.format('env')}; "
        f"put env into {home / 'two' / 'bot.toml'} and run 'arena check {home / 'two'}'",
        f"bot 'three': {said.format('files')}; "
        f"put files into {home / 'three' / 'bot.toml'} and run 'arena check {home / 'three'}'",
    ]


def test_bots_that_are_started_by_hand_need_no_badge(home: Path, arena: Arena) -> None:
    """They have no files to check, and are not rated; the organiser is told."""
    path = league(home, 'builtin = "random"', 'builtin = "greedy"', 'name = "mine"\nconnect = "tcp"')
    said = "require_check = true: no badge is asked of mine: what is started by hand is not rated\n"
    run = arena("run-league", path, "--dry-run")
    assert (run.status, run.err.startswith(said)) == (0, True)
    path.write_text(path.read_text().replace("require_check = true", ""))
    assert "badge" not in arena("run-league", path, "--dry-run").err


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--fresh",)])
def test_a_league_without_badges_does_not_begin(home: Path, arena: Arena, more: tuple[str, ...]) -> None:
    """The organiser is told before a game is played, and before old results are moved out of the way."""
    for name in ("one", "two", "three"):
        make(home, name)
    file = league(home, 'path = "one"', 'path = "two"', 'path = "three"')
    (home / "results" / "league").mkdir(parents=True)
    run = arena("run-league", file, "--workers", 1, *more)
    assert run.status == 2
    assert "require_check = true" in run.err
    assert f"arena check {home / 'one'}" in run.err
    assert [path.name for path in (home / "results").iterdir()] == ["league"]


def test_bots_that_come_with_the_arena_need_no_badge(home: Path, arena: Arena) -> None:
    """The arena's own tests check them, and its folders are not the organiser's to write into."""
    entries = ('builtin = "random"', 'builtin = "greedy"', f'path = "{builtin_folder("thinker")}"')
    assert arena("run-league", league(home, *entries), "--dry-run").status == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": 1, "digest": 7, "games": {}}',
        '{"schema": 2}',
        SLOW,
        pytest.param(NESTED, id="nested"),
    ],
)
def test_what_is_no_badge(tmp_path: Path, text: str) -> None:
    """A damaged badge is no badge, and no crash."""
    path = tmp_path / BADGE
    path.write_text(text)
    assert read_badge(path) is None
    assert read_badge(tmp_path / "none") is None
    os.mkfifo(tmp_path / "pipe")
    assert read_badge(tmp_path / "pipe") is None


def test_a_badge_that_cannot_be_written(tmp_path: Path) -> None:
    """A full disk or a missing right is said with the path."""
    (tmp_path / "file").write_text("")
    program = SimpleNamespace(name="x", version="1", digest="0")
    with pytest.raises(UsageError, match="the badge cannot be written"):
        write_badge(tmp_path / "file" / "badge", program, ["rainbow"])  # type: ignore[arg-type]


def test_a_badge_is_not_written_through_a_link(tmp_path: Path) -> None:
    """A link in a bot's folder is replaced, whatever it leads to; one that was named, a device or a folder stays."""
    program = SimpleNamespace(name="x", version="1", digest="0")
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / BADGE).symlink_to("precious")
    write_badge(tmp_path / BADGE, program, ["rainbow"])  # type: ignore[arg-type]
    assert not (tmp_path / BADGE).is_symlink()
    assert read_badge(tmp_path / BADGE) is not None
    assert (tmp_path / "precious").read_text() == "years of work"
    (tmp_path / "link").symlink_to("precious")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "."):
        with pytest.raises(UsageError, match="something else than a file"):
            write_badge(tmp_path / name, program, ["rainbow"])  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == [BADGE, "link", "pipe", "precious"]
