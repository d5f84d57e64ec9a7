"""What every starter's SDK owes to the contract, heard from its random bot by a referee that follows a script."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.league.bots import read_bot
from arena.league.snapshot import snapshot
from arena.players.base import Program
from arena.v1 import arena_pb2
from tests.bots.scripted import Stream, converse, goodbye, new_game, request, welcome
from tests.bots.toolchains import BOTS, BUILD_S, TOOLCHAINS, built, require_toolchain

SOURCES = {"python": "bot.py", "rust": "src/main.rs", "cpp": "bot.cpp"}
PROBED = ("rust", "cpp")
MESSAGE_BYTES = 64 << 10

pytestmark = pytest.mark.timeout(BUILD_S)


@pytest.fixture(params=TOOLCHAINS)
def language(request: pytest.FixtureRequest) -> str:
    """A language whose toolchain is here."""
    require_toolchain(request.param)
    return str(request.param)


@pytest.fixture
def bot(language: str, tmp_path_factory: pytest.TempPathFactory) -> Program:
    return built(f"{language}/random", tmp_path_factory)


def test_random_is_short(language: str) -> None:
    """The first bot that a newcomer reads fits on a screen."""
    source = BOTS / language / "random" / SOURCES[language]
    assert len(source.read_text().splitlines()) <= 40


def test_hello_and_goodbye(bot: Program) -> None:
    """A bot introduces itself with its token and the usual 64 games, and leaves with status 0 when told to."""

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        yield goodbye()

    outcome = converse(bot, script)
    assert outcome.status == 0, outcome.printed
    (stream,) = outcome.streams
    hello = stream.hello.hello
    assert (hello.protocol, hello.max_in_flight, list(hello.games)) == (1, 64, [])
    assert hello.sdk.startswith("arena-")
    assert stream.token == "the-token"


def test_a_list_is_answered_as_a_list(bot: Program) -> None:
    """Every request gets its answer by game and decision, in order, across games."""
    asked = [request(f"game-{number % 3}", number // 3) for number in range(60)]
    answers: list[arena_pb2.Answer] = []

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        yield arena_pb2.PlayResponse(new_games=[new_game(f"game-{number}") for number in range(3)], requests=asked)
        answers.extend(stream.answers(len(asked)))
        yield goodbye()

    assert converse(bot, script).status == 0
    assert [(one.game_id, one.decision) for one in answers] == [(one.game_id, one.decision) for one in asked]
    assert {one.action for one in answers} == {"take", "pass"}


def test_a_game_has_its_own_generator(bot: Program) -> None:
    """Games of one seed are played alike, whatever stands between their requests."""
    actions = [str(number) for number in range(1000)]
    drawn: dict[str, list[str]] = {"a": [], "b": [], "c": []}

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        yield arena_pb2.PlayResponse(new_games=[new_game("a", 5), new_game("b", 5), new_game("c", 6)])
        order = [("a", 0), ("c", 0), ("a", 1), ("b", 0), ("c", 1), ("b", 1)]
        yield arena_pb2.PlayResponse(requests=[request(game, decision, actions) for game, decision in order])
        for answer in stream.answers(len(order)):
            drawn[answer.game_id].append(answer.action)
        yield goodbye()

    assert converse(bot, script).status == 0
    assert drawn["a"] == drawn["b"] != drawn["c"]


def test_long_lists(language: str, bot: Program) -> None:
    """A list of several megabytes is taken, and answered in messages that the referee takes: at most 64 KiB."""
    actions = [f"{number:02}{'x' * 98}" for number in range(20)]

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        asked = [request("game", decision, actions) for decision in range(3000)]
        yield arena_pb2.PlayResponse(new_games=[new_game("game")], requests=asked)
        stream.answers(3000)
        yield goodbye()

    outcome = converse(bot, script)
    assert outcome.status == 0, outcome.printed
    heard = outcome.streams[0].heard
    if language != "python":  # too slow to gather so much in the millisecond after which it sends
        assert max(message.ByteSize() for message in heard) <= MESSAGE_BYTES
    assert [one.decision for message in heard for one in message.answers] == list(range(3000))


def test_what_is_new_in_the_contract_is_passed_over(bot: Program) -> None:
    """Fields that this version does not know do not disturb a bot."""
    unknown = b"\xfa\x3f\x03new"  # field 1023, three bytes

    def script(stream: Stream) -> Iterator[bytes]:
        yield welcome().SerializeToString() + unknown
        asked = arena_pb2.Request.FromString(request("game", 0).SerializeToString() + unknown)
        yield arena_pb2.PlayResponse(new_games=[new_game("game")], requests=[asked]).SerializeToString() + unknown
        stream.answers(1)
        yield goodbye().SerializeToString()

    assert converse(bot, script).status == 0


def test_a_refusal_is_printed(bot: Program) -> None:
    """The author reads why the referee will not play with the bot."""

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield arena_pb2.PlayResponse(refusal=arena_pb2.Refusal(words="it speaks protocol 9"))

    outcome = converse(bot, script)
    assert outcome.status == 1
    assert "it speaks protocol 9" in outcome.printed
    assert len(outcome.streams) == 1


def test_an_error_in_the_bot_ends_the_process_with_a_trace(bot: Program) -> None:
    """No action is answered in the bot's place; the author sees a trace."""

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        yield arena_pb2.PlayResponse(new_games=[new_game("game")], requests=[request("game", 0, ())])
        stream.read()

    outcome = converse(bot, script)
    assert outcome.status == 1, outcome.printed
    assert "decide" in outcome.printed or "arena::run" in outcome.printed, outcome.printed  # it may be inlined
    assert outcome.streams[0].heard == []


def test_a_token_that_is_not_known(bot: Program) -> None:
    """A bot that was never welcomed says why and does not dial again."""

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        stream.break_off()
        yield welcome()

    outcome = converse(bot, script)
    assert outcome.status == 1
    assert "broken by the script" in outcome.printed
    assert len(outcome.streams) == 1


def _broken_streams(bot: Program, breaks: int) -> tuple[int, list[tuple[int, int]]]:
    """Serve a bot whose first streams break after an answer; return its status and the (stream, decision) answered."""
    answered: list[tuple[int, int]] = []

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        yield arena_pb2.PlayResponse(new_games=[new_game("game")], requests=[request("game", stream.number)])
        answered.extend((stream.number, one.decision) for one in stream.answers(1))
        if stream.number < breaks:
            stream.break_off()
        yield goodbye()

    outcome = converse(bot, script)
    assert {stream.token for stream in outcome.streams} == {"the-token"}
    assert all(stream.hello.HasField("hello") for stream in outcome.streams)
    return outcome.status, answered


def test_a_broken_stream_is_dialed_again_once(language: str, bot: Program) -> None:
    """The bot comes back with the same token and a Hello and goes on; a second break is its end."""
    if language == "python":
        pytest.skip("the Python SDK does not dial again")
    assert _broken_streams(bot, 1) == (0, [(0, 0), (1, 1)])
    assert _broken_streams(bot, 2) == (1, [(0, 0), (1, 1)])


@pytest.mark.soak
@pytest.mark.parametrize("language", PROBED, indirect=True)
def test_an_answer_does_not_wait_behind_a_slow_decision(language: str, tmp_path: Path) -> None:
    """After more than 1 ms an answer is really sent before the next decision, which here waits for its arrival."""
    folder = tmp_path / "probe"
    shutil.copytree(BOTS / language / "random", folder, ignore=shutil.ignore_patterns("target"))
    shutil.copyfile(Path(__file__).parent / "probes" / Path(SOURCES[language]).name, folder / SOURCES[language])
    arrived = tmp_path / "arrived"

    def script(stream: Stream) -> Iterator[arena_pb2.PlayResponse]:
        yield welcome()
        asked = [request("game", 0, ["spin"]), request("game", 1, [str(arrived)])]
        yield arena_pb2.PlayResponse(new_games=[new_game("game")], requests=asked)
        assert [one.action for one in stream.read().answers] == ["spun"]
        arrived.touch()
        assert [one.action for one in stream.read().answers] == ["found"]
        yield goodbye()

    outcome = converse(snapshot(read_bot("probe", tmp_path), tmp_path / "built"), script)
    assert outcome.status == 0, outcome.printed
