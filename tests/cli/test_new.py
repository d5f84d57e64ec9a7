"""``arena new-bot`` and ``arena new-league``: from nothing to something that runs."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.games import game_ids
from arena.league.bots import read_bot, shipped
from arena.league.config import read_league
from arena.league.new_league import DEALS, GAMES
from arena.league.sources import BADGE, source_files
from arena.league.starters import ALIASES, language_of, languages, make_bot, next_commands
from arena.league.tables import FaultsTable, LeagueTable, LimitsTable, LobbyTable
from arena.league.toolchains import TOOLCHAINS, advice
from arena.league.view_words import view_fields, view_words
from arena.players.base import Limits
from arena.v1 import arena_pb2
from tests.cli.running import Run

Arena = Callable[..., Run]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_new_bot_says_what_to_do_next(home: Path, arena: Arena) -> None:
    """Four lines: what was made, the line to edit, the next command and the one after it."""
    run = arena("new-bot", "hello", "--lang", "py", "--game", "no_thanks")
    assert run.status == 0
    made, edit, after, then = run.out.splitlines()
    assert made == "made hello/: bot.py, bot.toml"
    assert after.endswith("arena check hello --quick")
    assert then.endswith("arena play no_thanks hello random random --show")
    place = edit.split()[1]
    path, _, line = place.partition(":")
    lines = Path(path).read_text().splitlines()
    assert lines[int(line) - 1] == "    return request.rng.choice(request.legal_actions)"
    assert "    #   pot (uint32): Tokens on the card on offer." in lines
    assert "noqa" not in "".join(lines)
    assert tomllib.loads(Path("hello/bot.toml").read_text())["games"] == ["no_thanks"]


def test_new_bot_says_what_to_install(home: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its tools the bot is made all the same, and one line says what is missing and what brings it."""
    monkeypatch.setenv("PATH", str(home))
    for language, tools in TOOLCHAINS.items():
        run = arena("new-bot", f"my-{language}", "--lang", language)
        assert run.status == 0
        said = f"not in PATH: {', '.join(tools.programs)}; before the next step install {tools.install}\n"
        assert run.err == (said if tools.programs else "")


def test_advice_for_a_missing_program() -> None:
    """A step that cannot start says what to install; a program that several starters need says so for each."""
    assert advice("cargo") == "; for rust install Rust 1.85 or later"
    assert advice("protoc").startswith("; for cpp install g++")
    assert "; for ruby install ruby" in advice("protoc")
    assert advice("no-such-tool") == ""


@pytest.mark.parametrize("language", languages())
def test_what_a_language_needs_is_in_its_readme(language: str) -> None:
    """The words of the command line are those of the page."""
    page = (shipped("bots") / language / "README.md").read_text()
    assert TOOLCHAINS[language].install in " ".join(page.split())


def test_a_new_bot_plays(home: Path, arena: Arena) -> None:
    """The second command of the first hour ends well."""
    arena("new-bot", "hello", "--lang", "python")
    assert arena("play", "no_thanks", "hello", "hello", "hello", "--option", "rounds=1").status == 0


EDITED = {
    "cpp": "bot.cpp",
    "go": "main.go",
    "java": "src/Main.java",
    "javascript": "bot.js",
    "python": "bot.py",
    "ruby": "bot.rb",
    "rust": "src/main.rs",
}
"""The author's own file."""


@pytest.mark.parametrize("language", languages())
def test_starters_of_every_language(home: Path, language: str) -> None:
    """Each is whole, named after its folder, without a link left, and the line to edit looks at the legal actions."""
    made = make_bot(home / "mine", language, "rainbow")
    bot = read_bot("mine", home)
    assert (bot.name, bot.games) == ("mine", ("rainbow",))
    assert not any(path.is_symlink() for path in made.folder.rglob("*"))
    name, number = made.edit
    assert name == EDITED[language]
    lines = (made.folder / name).read_text().splitlines()
    assert "legal" in lines[number - 1].lower()
    words = list(view_words("rainbow", language))
    above = [line.strip() for line in lines[number - 1 - len(words) : number - 1]]
    assert "What the seat sees" in above[0]
    mark = above[0].split()[0]
    assert above == [f"{mark} {line}" for line in words]


READ = {
    "cpp": ("margin/bot.cpp", "no_thanks", ["request.no_thanks()", "target()", "pot()"]),
    "go": ("margin/main.go", "no_thanks", ["request.GetNoThanks()", "Target", "Pot", ".Values"]),
    "java": (
        "margin/src/Main.java",
        "no_thanks",
        ["request.message().getNoThanks()", "getTarget()", "getPot()", ".getValuesList()"],
    ),
    "javascript": ("margin/bot.js", "no_thanks", ["target", "pot", ".values"]),
    "python": ("margin/bot.py", "no_thanks", ["request.view", "target", "pot"]),
    "rust": ("greedy/src/main.rs", "prime_reversal", ["View::PrimeReversal(view)", "&request.view", "trick"]),
}
"""What the bots that use a view read of it: file, game, expressions."""


@pytest.mark.parametrize("language", READ)
def test_views_are_read_as_the_bots_of_a_language_read_them(language: str) -> None:
    """The comments in a new bot are in the language's own case, and what they say compiles."""
    file, game, expressions = READ[language]
    source = (shipped("bots") / language / file).read_text()
    comments = "\n".join(view_words(game, language))
    assert [word for word in expressions if word not in source] == []
    assert [word for word in expressions if word not in comments] == []


@pytest.mark.parametrize("language", languages())
def test_a_bot_of_every_game_shows_how_a_view_is_read(home: Path, language: str) -> None:
    """One line stands above the choice, and nothing of a game."""
    made = make_bot(home / "mine", language)
    name, number = made.edit
    (line,) = view_words(None, language)
    assert line in (made.folder / name).read_text().splitlines()[number - 2]


@pytest.mark.parametrize("game", game_ids())
def test_view_fields_are_those_of_the_contract(game: str) -> None:
    """The comments in a new bot name every field of the view, each with its meaning."""
    descriptor = arena_pb2.Request.DESCRIPTOR.fields_by_name[game].message_type
    assert descriptor is not None
    fields = list(view_fields(game))
    assert [name for _, name, _ in fields] == [field.name for field in descriptor.fields]
    assert all(meaning for _, _, meaning in fields)


def test_other_words_for_languages() -> None:
    """What people call a language finds it."""
    assert language_of("PY") == "python"
    known = set(languages())
    for alias, language in ALIASES.items():
        if language in known:
            assert language_of(alias) == language


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("full", "--lang", "python"), "is there already and not empty"),
        (("a-file", "--lang", "python"), "is there already"),
        (("x", "--lang", "pythn"), "no starter in this language; did you mean 'python'?"),
        (("x", "--lang", "python", "--game", "no_thank"), "did you mean 'no_thanks'?"),
        (("n" * 41, "--lang", "python"), "accepted is 1-40 characters"),
        (("a-file/x", "--lang", "python"), "cannot be written"),
    ],
)
def test_new_bot_refuses(home: Path, arena: Arena, words: tuple[str, ...], said: str) -> None:
    """Nothing is overwritten, and nothing half-made is left."""
    (home / "full").mkdir()
    (home / "full" / "thesis.txt").write_text("years of work")
    (home / "a-file").write_text("")
    run = arena("new-bot", *words)
    assert run.status == 2
    assert said in run.err
    assert sorted(path.name for path in home.rglob("*")) == ["a-file", "full", "thesis.txt"]


def test_new_league_is_a_league(home: Path, arena: Arena) -> None:
    """The file that is written is valid as it is, has the bots near it, and says why others are left out."""
    arena("new-bot", "bots/hello", "--lang", "python")
    arena("new-bot", "bots/twin", "--lang", "python")
    Path("bots/twin/bot.toml").write_text(Path("bots/hello/bot.toml").read_text())
    Path("bots/broken").mkdir()
    Path("bots/broken/bot.toml").write_text('nam = "x"\n')
    run = arena("new-league", "spring.toml")
    assert run.status == 0
    assert "1 bots found" in run.out or "1 bot found" in run.out
    assert "left out: bots/twin: the name 'hello' is taken by bots/hello" in run.err
    assert "left out: bots/broken: line 1" in run.err
    league = read_league(Path("spring.toml"))
    assert league.name == "spring"
    assert {"hello", "random", "greedy", "careful"} <= {bot.name for bot in league.bots}
    assert [game.id for game in league.games] == ["no_thanks"]
    again = arena("new-league", "spring.toml")
    assert again.status == 2
    assert "is there already" in again.err


KEYS = [key for table in (LeagueTable, LimitsTable, FaultsTable, LobbyTable) for key in table.model_fields]


@pytest.mark.timeout(300)
def test_new_league_names_the_bots_that_were_not_checked(home: Path, arena: Arena) -> None:
    """Its badge must be for the files as they are."""
    for name in ("checked", "changed", "new"):
        arena("new-bot", name, "--lang", "python", "--game", "prime_cards")
    for name in ("checked", "changed"):
        assert arena("check", name).status == 0
    with Path("changed/bot.py").open("a") as file:
        file.write("# changed\n")
    said = arena("new-league", "spring.toml").err
    assert "without a badge: changed, new; 'arena check BOT' finds" in said


def test_a_first_league_is_short_and_leaves_fixtures_out(home: Path, arena: Arena) -> None:
    """Deals are fewer where there are more bots; a bot in a folder of tests is no entrant."""
    for number in range(3):
        arena("new-bot", f"bot{number}", "--lang", "python")
    arena("new-bot", "tests/fixture", "--lang", "python")
    arena("new-league", "small.toml")
    league = read_league(Path("small.toml"))
    assert "fixture" not in {bot.name for bot in league.bots}
    games = league.plan().games
    assert GAMES / 3 < games <= GAMES * 2
    for number in range(3, 12):
        arena("new-bot", f"bot{number}", "--lang", "python")
    arena("new-league", "large.toml")
    assert read_league(Path("large.toml")).games[0].deals == DEALS[-1]


def test_the_readme_and_new_bot_say_the_same(home: Path, arena: Arena) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert all(command in readme for command in next_commands("pybot", "no_thanks"))


def test_new_league_uncommented_is_a_league_too(home: Path, arena: Arena) -> None:
    """Every key stands there, with its default, and can be switched on."""
    arena("new-league", "all.toml")
    written = read_league(Path("all.toml"))
    text = re.sub(r"^# (?=\[\[game|(?!builtin)\w+ = )", "", Path("all.toml").read_text(), flags=re.M)
    Path("all.toml").write_text(text)
    league = read_league(Path("all.toml"))
    assert [game.id for game in league.games] == list(game_ids())
    for part in ("schedule", "same_author", "line_ups", "require_check", "ask_forced", "in_flight", "faults", "lobby"):
        assert getattr(league, part) == getattr(written, part)
    assert league.limits == written.limits == Limits()
    assert all(re.search(rf"^{key} = ", text, re.M) for key in KEYS)
    assert arena("run-league", "all.toml", "--dry-run").status == 0


def test_a_bot_of_one_game_brings_its_game(home: Path, arena: Arena) -> None:
    """A bot that was found is played, whatever it plays; a bundled one that cannot join says so."""
    arena("new-bot", "mine", "--lang", "python", "--game", "rainbow")
    arena("new-league", "mine.toml")
    league = read_league(Path("mine.toml"))
    assert [game.id for game in league.games] == ["rainbow"]
    assert "careful" not in {bot.name for bot in league.bots}
    said = '# cannot play: it plays none of the games above\n# [[bot]]\n# builtin = "careful"'
    assert said in Path("mine.toml").read_text()


def test_a_bundled_name_that_is_taken(home: Path, arena: Arena) -> None:
    """A bot that is called as a bundled one takes its place in the file."""
    arena("new-bot", "random", "--lang", "python")
    arena("new-league", "mine.toml")
    league = read_league(Path("mine.toml"))
    (mine,) = [bot for bot in league.bots if bot.name == "random"]
    assert mine.folder == Path("random")
    assert "the name 'random' is taken above" in Path("mine.toml").read_text()


def test_folders_of_any_name(home: Path, arena: Arena) -> None:
    """A name beyond the basic plane or with strange signs is written as TOML has it; other bytes are left out."""
    names = ["ünï🤖", "del\x7f", 'quo"te', "line\nbreak"]
    for name in names:
        shutil.copytree(shipped("bots/python/careful"), home / name)
        (home / name / "bot.toml").write_text(f'name = "{name[:3]}"\ncommand = ["{{python}}", "bot.py"]\n')
    (home / os.fsdecode(b"latin\xe9")).mkdir()
    (home / os.fsdecode(b"latin\xe9") / "bot.toml").write_text('name = "x"\ncommand = ["x"]\n')
    (home / "con\x01trol").mkdir()
    (home / "con\x01trol" / "bot.toml").write_text("")
    run = arena("new-league", "spring.toml")
    assert run.status == 0, run.err
    assert "left out: latin\\udce9: its path is not UTF-8" in run.err
    assert sorted(names) == sorted(
        bot.folder.name for bot in read_league(Path("spring.toml")).bots if bot.folder.parent == Path()
    )
    assert 'path = "ünï🤖"' in Path("spring.toml").read_text()


def test_new_league_leaves_out_what_cannot_be_read(home: Path, arena: Arena) -> None:
    """One strange folder beside others takes nothing from them."""
    arena("new-bot", "hello", "--lang", "python")
    for name, text in {"deep": "a = " + "[" * 20_000, "glob": 'name = "x"\ncommand = ["x"]\nfiles = [""]\n'}.items():
        (home / name).mkdir()
        (home / name / "bot.toml").write_text(text)
    (home / "pipe").mkdir()
    os.mkfifo(home / "pipe" / "bot.toml")
    (home / "hello" / BADGE).write_text("[" * 100_000)
    run = arena("new-league", "spring.toml")
    assert run.status == 0, run.err
    assert [line.split(": ")[1] for line in run.err.splitlines() if line.startswith("left out")] == [
        "deep",
        "glob",
        "pipe",
    ]
    assert "pipe/bot.toml: is no file" in run.err
    assert "without a badge: hello" in run.err
    assert "hello" in {bot.name for bot in read_league(Path("spring.toml")).bots}
    assert "pipe/bot.toml: is no file" in arena("check", "pipe").err
    (home / "hello" / "data.toml").write_text("a = " + "[" * 20_000)
    assert "data.toml" in map(str, source_files(read_bot("hello", home)))


@pytest.mark.parametrize("name", ["x" * 60 + ".toml", "two\nlines.toml", " ", " .toml", ".hidden", "a\\b.toml"])
def test_new_league_refuses_a_file_that_is_no_name_of_a_league(home: Path, arena: Arena, name: str) -> None:
    """At once, and not when the league is to be played."""
    run = arena("new-league", name)
    assert run.status == 2
    assert "a league is called as its file, and" in run.err
    assert list(home.iterdir()) == []
