"""What every SDK promises, as tests over a probe and the starters; ``test_<language>.py`` inherits them."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from arena.games import game_ids
from arena.players.base import Listen, Program, environment
from tests.bots.conversation import MESSAGE_BYTES, Talk, probe, talk
from tests.bots.toolchains import BUILD_S, built, play_alone, require_language, same_play
from tests.certificates import HOST, certify

IDLE_S, IDLE_CPU_S = 1.0, 0.3
GAMES, GAMES_IN_FULL = 60, 1000


def after_nothing(probe_bot: Program) -> str:
    """Return what a bot prints that has returned nothing for an action; it has answered nothing, and ended with 1."""
    printed = ""

    async def scenario(other: Talk) -> None:
        nonlocal printed
        await other.greeted()
        other.say(["nothing"])
        status, printed = await other.ended()
        assert status == 1

    talk(probe_bot, scenario)
    return printed


@pytest.mark.timeout(BUILD_S)
class SdkContract:
    """The promises.

    Attributes:
        language: folder in ``bots``.
        main: main file of its random bot.
        thrown: what the trace of a probe that throws has in it.
        twin: its bot that answers as the Python bot of that name.
        twin_game: the game of both.
    """

    language: str
    main: str
    thrown = "thrown as told"
    twin = "margin"
    twin_game = "no_thanks"

    @pytest.fixture
    def toolchain(self) -> None:
        require_language(self.language)

    @pytest.fixture
    def random_bot(self, toolchain: None, tmp_path_factory: pytest.TempPathFactory) -> Program:
        return built(f"{self.language}/random", tmp_path_factory)

    @pytest.fixture
    def probe_bot(self, toolchain: None, tmp_path_factory: pytest.TempPathFactory) -> Program:
        return probe(f"{self.language}/random", self.main, tmp_path_factory)

    @pytest.mark.parametrize("game", game_ids())
    def test_random_plays(self, random_bot: Program, game: str) -> None:
        """A sitting of the random bot alone ends without a fault, and replays."""
        play_alone(random_bot, game)

    @pytest.fixture
    def twins(self, toolchain: None, tmp_path_factory: pytest.TempPathFactory) -> list[Program]:
        return [built(f"{language}/{self.twin}", tmp_path_factory) for language in (self.language, "python")]

    def test_twin_answers_as_the_python_bot(self, twins: list[Program]) -> None:
        """The same idea in two languages gives the same games, step by step."""
        same_play(twins, GAMES, self.twin_game)

    @pytest.mark.soak
    def test_twin_answers_as_the_python_bot_over_many_games(self, twins: list[Program]) -> None:
        """The same over a thousand games."""
        same_play(twins, GAMES_IN_FULL, self.twin_game)

    def test_hello(self, probe_bot: Program) -> None:
        """The introduction: the protocol, 64 games at once, the games that the bot names."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            (hello,) = other.hellos
            assert (hello.protocol, hello.max_in_flight, list(hello.games)) == (1, 64, ["no_thanks"])
            assert hello.sdk
            other.goodbye()
            assert await other.ended() == (0, "")

        talk(probe_bot, scenario)

    def test_a_list_is_answered_with_a_list(self, probe_bot: Program) -> None:
        """Quick decisions do not cost a message each, every request is answered once and in order."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["draw"] * 50)
            await other.lists(50)  # machines warm up
            other.say(["draw"] * 50, first=50)
            lists = await other.lists(50)
            assert len(lists) < 25
            assert [answer.decision for answers in lists for answer in answers] == list(range(50, 100))
            assert all(answer.game_id == "game" for answers in lists for answer in answers)
            other.goodbye()
            assert (await other.ended())[0] == 0

        talk(probe_bot, scenario)

    def test_slow_decisions_are_sent_at_once(self, probe_bot: Program) -> None:
        """An answer does not wait for the slow decision after it."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["slow"] * 4)
            assert [len(answers) for answers in await other.lists(4)] == [1, 1, 1, 1]

        talk(probe_bot, scenario)

    def test_long_lists_are_split(self, probe_bot: Program) -> None:
        """No message is longer than the referee takes, or the stream would break."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["long"] * 200)
            lists = await other.lists(200)
            assert [answer.decision for answers in lists for answer in answers] == list(range(200))
            assert all(sum(len(answer.action) for answer in answers) <= MESSAGE_BYTES for answers in lists)
            assert len(other.hellos) == 1

        talk(probe_bot, scenario)

    def test_a_long_message_is_taken(self, probe_bot: Program) -> None:
        """A list of many megabytes, as views of long games in many games may be."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["draw"], padding="x" * (6 << 20))
            assert len(await other.actions(1)) == 1

        talk(probe_bot, scenario)

    def test_a_broken_stream_comes_back_once(self, probe_bot: Program) -> None:
        """It dials again with the same token, says Hello, and goes on in the games that it knows; but only once."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["draw"])
            first = await other.actions(1)
            other.break_off()
            await other.greeted()
            other.say(["draw"], first=1)
            assert await other.actions(1) != first, "the generator began anew"
            assert other.hellos[0] == other.hellos[1]
            other.break_off()
            status, output = await other.ended()
            assert status == 1
            assert output.count("closed the stream without a goodbye") == 2

        talk(probe_bot, scenario)

    def test_a_bot_that_throws_ends_with_a_trace(self, probe_bot: Program) -> None:
        """No action is sent in its place."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["throw"])
            status, output = await other.ended()
            assert status == 1
            assert self.thrown in output.splitlines()[-1], "where a log that is cut keeps it"
            assert self.main.rpartition("/")[2] in output, "the trace names the file"

        talk(probe_bot, scenario)

    def test_a_refusal_is_printed(self, probe_bot: Program) -> None:
        """The bot's author reads why."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.refuse("use the SDK that comes with this arena")
            assert await other.ended() == (
                1,
                "the referee refused this bot: use the SDK that comes with this arena\n",
            )

        talk(probe_bot, scenario)

    def test_a_wrong_token_is_no_reason_to_dial_again(self, probe_bot: Program) -> None:
        """Whoever was never welcomed leaves, with the referee's words."""

        async def scenario(other: Talk) -> None:
            status, output = await other.ended()
            assert status == 1
            assert "unknown token: see ARENA_TOKEN" in output
            assert len(output.splitlines()) == 1

        talk(probe_bot, scenario, token="another")

    def test_a_referee_elsewhere_is_dialled_by_tls(self, probe_bot: Program, tmp_path: Path) -> None:
        """The certificate that is to be trusted is named by a variable."""
        certificate, key = certify(tmp_path, "own")

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["draw"])
            await other.lists(1)
            other.goodbye()
            status, output = await other.ended()
            assert status == 0, output

        talk(probe_bot, scenario, tls=Listen(HOST, 0, str(certificate), str(key)))

    @pytest.mark.parametrize(
        ("variables", "words"),
        [
            ({}, "ARENA_ADDRESS is not set: "),
            ({"ARENA_ADDRESS": "localhost:1", "ARENA_CERTIFICATE": "missing.pem"}, "ARENA_CERTIFICATE = missing.pem: "),
        ],
    )
    def test_started_by_hand_with_a_mistake(self, probe_bot: Program, variables: dict[str, str], words: str) -> None:
        """One line says what the environment of a bot must hold."""
        environ = environment(probe_bot, variables)
        done = subprocess.run(
            probe_bot.command, cwd=probe_bot.directory, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert done.stderr.startswith(words)
        assert len(done.stderr.splitlines()) == 1

    def test_waiting_costs_nothing(self, probe_bot: Program) -> None:
        """A bot without requests leaves the processor to the others."""

        async def scenario(other: Talk) -> None:
            await other.greeted()
            other.say(["draw"])
            await other.lists(1)
            await asyncio.sleep(IDLE_S)
            before = other.cpu_s()
            await asyncio.sleep(IDLE_S)
            assert other.cpu_s() - before < IDLE_CPU_S

        talk(probe_bot, scenario)
