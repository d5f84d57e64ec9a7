"""League files: what a good one means, and every problem of a bad one with its line and what is accepted."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.games import game_ids
from arena.league.config import read_league
from arena.league.values import League, secret_bytes
from arena.players.base import FaultPolicy, Limits, Listen
from tests.certificates import certify
from tests.league.conftest import MakeBot

GAME = '[[game]]\nid = "no_thanks"\nseats = 3\n'
BOTS = "".join(f'[[bot]]\nname = "{name}"\ncommand = ["/bin/{name}"]\n' for name in ("ann", "bo", "cy", "di"))


GAMES = f"(games: {', '.join(game_ids())})"


def league(folder: Path, text: str) -> League:
    path = folder / "league.toml"
    path.write_text(text, encoding="utf-8")
    return read_league(path)


def problems(folder: Path, text: str) -> list[str]:
    """The lines of the refusal, without the folder."""
    with pytest.raises(UsageError) as caught:
        league(folder, text)
    return str(caught.value).replace(f"{folder}/", "").splitlines()


def test_defaults(tmp_path: Path) -> None:
    """The least that a league file needs, and what the rest is then."""
    read = league(tmp_path, GAME + BOTS)
    assert (read.name, read.schedule, read.secret, read.same_author) == ("league", "round-robin", None, "allow")
    assert (read.line_ups, read.require_check, read.ask_forced, read.in_flight) == (0, False, False, "auto")
    assert (read.limits, read.faults) == (Limits(), FaultPolicy())
    (game,) = read.games
    assert (game.id, game.seats, game.deals, game.seatings) == ("no_thanks", 3, 100, "balanced")
    assert game.options["rounds"] == 4
    assert '"rounds":4' in game.ruleset
    assert [bot.name for bot in read.bots] == ["ann", "bo", "cy", "di"]
    assert read.bots[0].command == ("/bin/ann",)
    assert read.plan().games == 4 * 6 * 100
    assert pickle.loads(pickle.dumps(read)) == read


def test_everything(tmp_path: Path, make_bot: MakeBot, built_in: Path) -> None:
    """Every key of the contract, each with a value of its own."""
    make_bot("alpha", 'version = "2"\nauthor = "team a"\nenv = { B = "2", A = "1" }\nfiles = ["*.py"]\n')
    read = league(
        tmp_path,
        """
[league]
name = "spring"
schedule = "gauntlet"
candidates = ["alpha", "by hand"]
secret = "%s"
same_author = "never"
line_ups = 5
require_check = true
ask_forced = true
in_flight = 16
[[game]]
id = "no_thanks"
seats = 4
deals = 7
seatings = 13
options = { variant = "tactical", rounds = 1, known_removed = [10, 19, 28] }
[[game]]
id = "no_thanks"
name = "three seats"
seats = 3
seatings = "all"
[limits]
start_s = 60
move_ms = 100
bank_ms = 2000
increment_ms = 10
margin_ms = 50
game_s = 6.5
memory_mb = 256
processes = 32
disk_mb = 8
network = "allow"
reconnect = false
pause = true
sandbox = "none"
[faults]
illegal = "default"
timeout = "retire"
protocol = "retire"
strikes = 5
[[bot]]
path = "alpha"
[[bot]]
builtin = "random"
name = "dice"
author = "team a"
[[bot]]
builtin = "careful"
[[bot]]
name = "inline"
command = ["node", "bot.js"]
build = [["npm", "ci"]]
[[bot]]
name = "by hand"
connect = "tcp"
games = ["no_thanks"]
[[bot]]
path = "alpha"
name = "beta"
author = ""
"""
        % ("ab" * 32),
    )
    assert (read.name, read.candidates, read.secret) == ("spring", ("alpha", "by hand"), bytes([0xAB] * 32))
    assert (read.line_ups, read.require_check, read.ask_forced, read.in_flight) == (5, True, True, 16)
    assert read.limits == Limits(60, 100, 2000, 10, 50, 6.5, 256, 32, 8, "allow", False, True, "none")
    assert read.faults == FaultPolicy((("illegal", "default"), ("timeout", "retire"), ("protocol", "retire")), 5)
    assert [(game.seats, game.deals, game.seatings) for game in read.games] == [(4, 7, 13), (3, 100, "all")]
    assert read.games[0].options["known_removed"] == (10, 19, 28)
    alpha, dice, careful, inline, by_hand, beta = read.bots
    assert (alpha.version, alpha.author, alpha.env, alpha.files) == (
        "2", "team a", (("A", "1"), ("B", "2")), ("*.py",),
    )  # fmt: skip
    assert (dice.folder, dice.owns_folder) == (built_in / "bots/python/random", True)
    assert (careful.name, careful.command) == ("careful", ("{python}", "bot.py"))
    assert (inline.folder, inline.owns_folder, inline.build) == (tmp_path, False, (("npm", "ci"),))
    assert (by_hand.connect, by_hand.command) == ("tcp", ())
    assert (beta.name, beta.author, beta.version, beta.folder) == ("beta", "", "2", alpha.folder)
    for line_up in read.field(read.games[1]).line_ups():
        names = {bot.name for bot in line_up}
        assert not {"alpha", "dice"} <= names
        assert len(names & {"alpha", "by hand"}) == 1


def test_a_lobby_on_this_machine_needs_nothing_and_one_outside_needs_tls(tmp_path: Path) -> None:
    """The pair is read once, so that a mistake is found before any game."""
    assert league(tmp_path, GAME + BOTS).lobby == Listen("127.0.0.1", 0)
    for text, host in (("127.0.0.1:7000", "127.0.0.1"), ("[::1]:7000", "::1"), ("localhost:7000", "localhost")):
        assert league(tmp_path, f'{GAME}{BOTS}[lobby]\nlisten = "{text}"\n').lobby == Listen(host, 7000)
    certify(tmp_path, "a")
    certify(tmp_path, "b")
    pair = 'certificate = "a.pem"\nkey = "a.key"\n'
    read = league(tmp_path, f'{GAME}{BOTS}[lobby]\nlisten = "0.0.0.0:7000"\n{pair}')
    assert read.lobby == Listen("0.0.0.0", 7000, f"{tmp_path}/a.pem", f"{tmp_path}/a.key")
    (problem,) = problems(tmp_path, f'{GAME}{BOTS}[lobby]\ncertificate = "a.pem"\nkey = "b.key"\n')
    assert "the certificate and the key do not belong together" in problem
    assert read.lobby.at(7001) == "0.0.0.0:7001"
    assert Listen("::1").at(7001) == "[::1]:7001"


@pytest.mark.parametrize(
    ("lobby", "problem"),
    [
        ('listen = "7000"', 'listen = "7000": accepted is HOST:PORT, such as 0.0.0.0:7000, with a port up to 65535'),
        ('listen = "::1:7000"', "accepted is HOST:PORT"),
        ('listen = "127.0.0.1:70000"', "with a port up to 65535"),
        ('listen = "0.0.0.0:7000"', "so TLS is needed: give certificate and key"),
        ('listen = "example.org:7000"', "so TLS is needed: give certificate and key"),
        ('certificate = "a.pem"', 'certificate = "a.pem": key is missing: TLS needs both'),
        ('key = "a.key"', 'key = "a.key": certificate is missing: TLS needs both'),
        ('certificate = "league.toml"\nkey = "none.key"', "none.key: cannot be read: No such file or directory"),
        ('certificate = "league.toml"\nkey = "league.toml"', "the certificate and the key do not belong together"),
        ("port = 7000", "unknown key"),
    ],
)
def test_a_lobby_that_would_not_do_is_refused(tmp_path: Path, lobby: str, problem: str) -> None:
    (found,) = problems(tmp_path, f"{GAME}{BOTS}[lobby]\n{lobby}\n")
    assert "[lobby] " in found
    assert problem in found


def test_all_problems_at_once(tmp_path: Path, make_bot: MakeBot) -> None:
    """One run of the command shows everything that is wrong, in the league file and in the bots'."""
    make_bot("gamma", 'comand = 3\nenv = { ARENA_TOKEN = "x" }\n')
    make_bot("delta", 'games = ["no_thnks"]\nbuild = [[]]\n')
    text = f"""
[league]
name = "spring"
shedule = "gauntlet"
line_ups = -1
[limits]
move_ms = "1000"
memry_mb = 512
start_s = inf
{GAME}deals = 0
[faults]
timeout = "ignore"
[[bot]]
name = "ann"
command = "bot.py"
"""
    assert problems(tmp_path, text) == [
        "league.toml:4: [league] shedule = \"gauntlet\": unknown key; did you mean 'schedule'? (keys here: name, "
        "schedule, candidates, secret, same_author, line_ups, require_check, ask_forced, in_flight)",
        "league.toml:5: [league] line_ups = -1: accepted is a whole number, 0..10000000",
        'league.toml:7: [limits] move_ms = "1000": accepted is a whole number, 100..3600000',
        "league.toml:8: [limits] memry_mb = 512: unknown key; did you mean 'memory_mb'? (keys here: start_s, move_ms, "
        "bank_ms, increment_ms, margin_ms, game_s, memory_mb, processes, disk_mb, network, reconnect, pause, sandbox)",
        "league.toml:9: [limits] start_s = Infinity: accepted is seconds, above 0 and up to 3600",
        "league.toml:13: [[game]] deals = 0: accepted is a whole number, 1..10000000",
        'league.toml:15: [faults] timeout = "ignore": accepted is default | retire',
        'league.toml:18: [[bot]] command = "bot.py": accepted is a list of strings: the program and its arguments',
    ]
    text = f"""
[league]
name = "spring/2"
in_flight = 0
candidates = ["ann"]
[[game]]
id = "no_thanks"
seats = 9
seatings = "balanced"
options = {{ rounds = 0, tokns = 3 }}
[[game]]
id = "nothanks"
seats = 3
{GAME}seatings = 7
[[bot]]
path = "gamma"
[[bot]]
path = "delta"
[[bot]]
path = "nowhere"
[[bot]]
path = "."
[[bot]]
builtin = "x"
path = "y"
[[bot]]
name = "a\\nb"
"""
    assert problems(tmp_path, text) == [
        'league.toml:3: [league] name = "spring/2": accepted is a name for a folder',
        "league.toml:4: [league] in_flight = 0: accepted is auto, or a whole number, 1..64",
        'league.toml:5: [league] candidates = ["ann"]: accepted only with schedule = gauntlet',
        "league.toml:8: [[game]] seats = 9: no_thanks takes 3..7",
        "league.toml:10: [[game]] options.rounds = 0: accepted is 1..20",
        "league.toml:10: [[game]] options.tokns = 3: unknown option 'tokns'; did you mean 'tokens'? (options of "
        "no_thanks: variant, rounds, token_table, tokens, known_removed, token_view)",
        "league.toml:12: [[game]] id = \"nothanks\": unknown game 'nothanks'; did you mean 'no_thanks'? " + GAMES,
        "league.toml:17: [[game]] seatings = 7: accepted is balanced | all | rotations | a number from 1 to seats!",
        'league.toml:23: [[bot]] path = "nowhere": nowhere/bot.toml: no such file',
        'league.toml:25: [[bot]] path = ".": ' + f"{tmp_path}: a bot's folder has a bot.toml; this one has none",
        'league.toml:27: [[bot]] builtin = "x": accepted is either path or builtin',
        "league.toml:29: [[bot]] command: is missing: a bot has a path, a builtin, or a command of its own",
        'league.toml:30: [[bot]] name = "a\\nb": accepted is text without control characters and line breaks',
        "gamma/bot.toml:3: comand = 3: unknown key; did you mean 'command'? (keys here: name, version, author, "
        "command, fetch, build, env, games, files)",
        "delta/bot.toml:3: games = [\"no_thnks\"]: no game 'no_thnks'; did you mean 'no_thanks'? " + GAMES,
        "delta/bot.toml:4: build = [[]]: accepted is a list of commands, none of them empty",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[league\n", "league.toml:1: not valid TOML"),
        ("[league]\nname = \n", "league.toml:2: not valid TOML"),
        (BOTS, "league.toml:1: game: is missing: one [[game]] or more"),
        (GAME, "league.toml:1: bot: is missing: one [[bot]] or more"),
        (GAME + BOTS + "[limit]\n", "unknown key; did you mean 'limits'?"),
        (GAME + BOTS + "[[limits]]\n", "limits: accepted is a table"),
        ("bot = 3\n" + GAME, "league.toml:1: bot = 3: accepted is one [[bot]] or more"),
        (GAME + 'options = { rounds = "1" }\n' + BOTS, 'toml:4: [[game]] options.rounds = "1": accepted is 1..20'),
        (GAME + "options = { tokens = 18, seats = 2 }\n" + BOTS, "options.seats = 2: unknown option 'seats'"),
        (
            '[[game]]\nid = "no_thanks"\nseats = 6\noptions = { variant = "tactical" }\n' + BOTS,
            "league.toml:4: [[game]] options: variant = 'tactical' takes 3..5 seats",
        ),
        ('[[game]]\nid = "no_thanks"\n' + BOTS, "league.toml:1: [[game]] seats: is missing: a whole number of seats"),
        (GAME.replace("3", "true") + BOTS, "league.toml:3: [[game]] seats = true: accepted is a whole number of seats"),
        (GAME.replace("3", "5") + BOTS, "toml:3: [[game]] seats = 5: only 4 of the bots play no_thanks; it needs 5"),
        (GAME + GAME + BOTS, "league.toml:4: [[game]]: the same game, seats and options as in line 1"),
        (
            GAME + BOTS + '[[bot]]\nname = "bo"\ncommand = ["x"]\n',
            "league.toml:17: [[bot]] name = \"bo\": 'bo': the bot of line 7 has the same name; names are unique",
        ),
        (GAME + BOTS + '[[bot]]\nname = "ＢＯ"\ncommand = ["x"]\n', "the bot of line 7 is called 'bo': too much alike"),
        (GAME + BOTS + f'[[bot]]\nname = "{"x" * 41}"\ncommand = ["x"]\n', "accepted is 1-40 characters; these are 41"),
        (GAME + BOTS + '[[bot]]\nname = "  "\ncommand = ["x"]\n', "not only spaces"),
        (GAME + BOTS + '[[bot]]\nname = "a\\u001b[31m"\ncommand = ["x"]\n', "without control characters"),
        (GAME + BOTS + '[[bot]]\nname = "\\u202eevil"\ncommand = ["x"]\n', "without control characters"),
        (GAME + BOTS + '[[bot]]\nname = "x"\n', "command: is missing"),
        (GAME + BOTS + '[[bot]]\ncommand = ["x"]\n', "name: is missing: a bot has a path, a builtin, or a name"),
        (GAME + BOTS + '[[bot]]\nname = "x"\ncommand = ["x"]\nconnect = "tcp"\n', "accepted only without command"),
        (GAME + BOTS + '[[bot]]\nbuiltin = "carefull"\n', "did you mean 'careful'? (built-in: careful, random)"),
        (GAME + BOTS + "version = 2\n", "version = 2: accepted is a string of at most 40 characters"),
        (GAME + BOTS + 'env = { "A-B" = "x" }\n', "no name for a variable of a bot: 'A-B'"),
        (GAME + BOTS + 'env = { A = "x\\u0000--share-net" }\n', "has a NUL character, which no program can be given"),
        (GAME + BOTS + 'build = [["sh", "-c", "\\u0000"]]\n', "build"),
        *((GAME + BOTS + f'files = ["{glob}"]\n', f"no glob: '{glob}'") for glob in ("", ".", "**x[", "a/b**/c")),
        ('[league]\nschedule = "gauntlet"\n' + GAME + BOTS, "candidates: is missing"),
        ('[league]\nschedule = "gauntlet"\ncandidates = ["anne"]\n' + GAME + BOTS, "no bot 'anne'; did you mean"),
        ('[league]\nschedule = "gauntlet"\ncandidates = ["ann", "bo", "cy"]\n' + GAME + BOTS, "no line-up is possible"),
        ('[league]\nsecret = ""\n' + GAME + BOTS, "accepted is a string: 64 hex digits, or any words"),
        ('[league]\nname = "."\n' + GAME + BOTS, "accepted is a name for a folder"),
    ],
)  # fmt: skip
def test_bad_input(tmp_path: Path, built_in: Path, text: str, words: str) -> None:
    """Each mistake alone, as it is shown."""
    assert words in "\n".join(problems(tmp_path, text))


def test_only_bots_that_play_a_game_are_in_it(tmp_path: Path) -> None:
    """A bot for other games is left out; one for none of the league's is a mistake."""
    text = GAME + BOTS + 'games = ["no_thanks"]\n'
    assert len(league(tmp_path, text).field(league(tmp_path, text).games[0]).entrants) == 4


def test_authors_apart(tmp_path: Path) -> None:
    """``same_author = "never"``: team mates never share a table; case of the author's name does not matter."""
    text = (
        '[league]\nsame_author = "never"\n'
        + GAME
        + BOTS.replace('"ann"\n', '"ann"\nauthor = "T"\n').replace('"bo"\n', '"bo"\nauthor = "t"\n')
    )
    read = league(tmp_path, text)
    names = [[bot.name for bot in line_up] for line_up in read.field(read.games[0]).line_ups()]
    assert names == [["ann", "cy", "di"], ["bo", "cy", "di"]]


def test_order_of_bots_means_nothing(tmp_path: Path) -> None:
    """The same bots in another order are planned the same games in the same order."""
    tables = BOTS.split("[[bot]]")[1:]
    turned = "".join("[[bot]]" + table for table in reversed(tables))
    one, other = league(tmp_path, GAME + BOTS).plan(), league(tmp_path, GAME + turned).plan()
    assert list(one.sittings()) == list(other.sittings())


def test_secret_bytes() -> None:
    """64 hex digits are the secret itself, so that a drawn or published one can be given again."""
    assert secret_bytes("00" * 31 + "fF") == bytes(31) + b"\xff"
    assert secret_bytes("hello").hex() == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


def test_secret_is_not_copied(tmp_path: Path) -> None:
    """The text that is kept beside the results, and shown on pages, is without the secret; it reads the same."""
    text = '[league]\nname = "x"\nsecret = "abracadabra"  # words\nline_ups = 2\n' + GAME + BOTS
    read = league(tmp_path, text)
    assert read.secret == secret_bytes("abracadabra")
    assert "abracadabra" not in read.text
    assert league(tmp_path, read.text) == replace(read, secret=None)
    for hidden in ('league = { secret = "abra" }\n', '[league]\nsecret = """\nabra\ncadabra"""\n'):
        assert "a secret on a line of its own" in problems(tmp_path, hidden + GAME + BOTS)[0]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.toml: no such file"):
        read_league(tmp_path / "nothing.toml")


def test_problems_of_meaning_are_told_beside_those_of_form(tmp_path: Path) -> None:
    """A mistyped key does not hide a mistyped bot or option elsewhere in the file."""
    file = tmp_path / "league.toml"
    file.write_text(
        '[[game]]\nid = "no_thanks"\nseats = 3\noptions = { rounds = 99 }\n'
        '[limits]\nmov_ms = 5\n[[bot]]\nbuiltin = "carful"\n'
    )
    with pytest.raises(UsageError) as caught:
        read_league(file)
    told = str(caught.value)
    assert "did you mean 'move_ms'" in told
    assert "did you mean 'careful'" in told
    assert "1..20" in told
