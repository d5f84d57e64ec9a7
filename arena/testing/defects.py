"""Bots with one defect each, for the tests of ``arena check``: ``python -m arena.testing.defects NAME``.

Apart from its defect each bot is sound: it answers lists with lists, draws from the game's seed, dials again when its
stream breaks, and leaves at Goodbye. The rule that a check should name stands beside each defect.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import grpc

from arena.v1 import arena_pb2

FOR_EVER_S = 3600
REDIAL_S = 0.1
REDIALS = 20


class Bot:
    """A sound bot; its defects override what they break."""

    protocol = 1
    games: tuple[str, ...] = ()
    max_in_flight = 64
    metadata = True
    redials = True
    status = 0

    def __init__(self) -> None:
        self.seeds: dict[str, random.Random] = {}
        self.decisions = 0
        self.call: Any = None

    # -- what defects override ----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Do something before the bot dials."""

    async def introduce(self) -> None:
        """Say Hello."""
        hello = arena_pb2.Hello(protocol=self.protocol, games=self.games, max_in_flight=self.max_in_flight)
        await self.send(hello=hello)

    async def greeted(self) -> None:
        """Do something after the Hello."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        """Take notice of the other parts of a message."""
        for over in response.game_overs:
            self.seeds.pop(over.game_id, None)
        for game in response.new_games:
            self.seeds[game.game_id] = random.Random(game.bot_seed)

    def choose(self, request: arena_pb2.Request) -> str:
        """Return the action for a request."""
        return self.seeds[request.game_id].choice(request.legal_actions)

    def answer(self, request: arena_pb2.Request) -> arena_pb2.Answer:
        """Return the answer to a request."""
        self.decisions += 1
        return arena_pb2.Answer(game_id=request.game_id, decision=request.decision, action=self.choose(request))

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        """Send the answers to a list."""
        if requests:
            await self.send(answers=[self.answer(request) for request in requests])

    async def at_goodbye(self) -> None:
        """Do something before leaving."""

    # -- the rest -----------------------------------------------------------------------------------------------------

    async def send(self, **parts: Any) -> None:
        """Send a message."""
        await self.call.write(arena_pb2.PlayRequest(**parts).SerializeToString())

    async def run(self) -> None:
        """Play until Goodbye, dialling again when the stream breaks."""
        self.begin()
        for _ in range(REDIALS):
            try:
                if await self._converse():
                    _leave(self.status)
            except asyncio.InvalidStateError:
                pass  # it wrote to a stream that has ended
            except grpc.aio.AioRpcError as error:
                print(f"the stream failed: {error.code().name}", file=sys.stderr)
                if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                    break
            if not self.redials:
                break
            await asyncio.sleep(REDIAL_S)
        _leave(1)

    async def _converse(self) -> bool:
        async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
            play: Any = channel.stream_stream("/arena.v1.ArenaService/Play")
            token = ("authorization", f"Bearer {os.environ['ARENA_TOKEN']}")
            self.call = play(metadata=(token,) if self.metadata else ())
            await self.introduce()
            await self.greeted()
            while (data := await self.call.read()) is not grpc.aio.EOF:
                response = arena_pb2.PlayResponse.FromString(data)
                self.hear(response)
                if response.HasField("goodbye") or response.HasField("refusal"):
                    await self.at_goodbye()
                    return True
                await self.answer_all(response.requests)
        return False


def _leave(status: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _crash(words: str) -> NoReturn:
    print(f"RuntimeError: {words}", file=sys.stderr)
    _leave(1)


# -- before the first game --------------------------------------------------------------------------------------------


class Mute(Bot):
    """no-show: never says Hello."""

    def begin(self) -> None:
        time.sleep(FOR_EVER_S)


class NoModule(Bot):
    """no-show: an import fails."""

    def begin(self) -> None:
        import no_such_module  # type: ignore[import-not-found, unused-ignore]  # noqa: F401


class Prints(Bot):
    """no-show: prints its move instead of dialling in."""

    def begin(self) -> None:
        print("take", flush=True)
        time.sleep(FOR_EVER_S)


class NoToken(Bot):
    """no-show: dials in without its token."""

    metadata = False


class NoHello(Bot):
    """disconnect: dials in, and ends its stream without a word."""

    async def introduce(self) -> None:
        await self.call.done_writing()
        await asyncio.sleep(FOR_EVER_S)


class GarbageFirst(Bot):
    """protocol: begins with bytes that are no message."""

    async def introduce(self) -> None:
        await self.call.write(b"\xff\xfe\xfd no message")
        await asyncio.sleep(FOR_EVER_S)


class AnswersFirst(Bot):
    """protocol: begins with an answer."""

    async def introduce(self) -> None:
        await self.send(answers=[arena_pb2.Answer(action="take")])
        await asyncio.sleep(FOR_EVER_S)


class LongHello(Bot):
    """protocol: its Hello is longer than a message may be."""

    async def introduce(self) -> None:
        await self.send(hello=arena_pb2.Hello(protocol=1, sdk="x" * 70_000))
        await asyncio.sleep(FOR_EVER_S)


class OldProtocol(Bot):
    """hello: speaks another protocol."""

    protocol = 99


class OtherGames(Bot):
    """games: its Hello does not name the game that it is entered for."""

    games = ("rainbow",)


class NoGame(Bot):
    """games: its Hello names no game that exists."""

    games = ("chess",)


class UnknownGames(Bot):
    """caption: its Hello names a game that does not exist."""

    games = ("no_thank", "no_thanks")


class OneAtATime(Bot):
    """in-flight: accepts one game at once."""

    max_in_flight = 1


# -- the stream -------------------------------------------------------------------------------------------------------


class Garbage(Bot):
    """protocol: sends bytes that are no message."""

    async def greeted(self) -> None:
        await self.call.write(b"\xff\xfe\xfd no message")


class TwoHellos(Bot):
    """protocol: introduces itself twice."""

    async def greeted(self) -> None:
        await self.send(hello=arena_pb2.Hello(protocol=1))


class HangsUp(Bot):
    """disconnect: ends its stream and lives on."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await self.call.done_writing()
        await asyncio.sleep(FOR_EVER_S)


class Redials(Bot):
    """disconnect: breaks its stream in the middle of a list, and dials again."""

    has_broken = False

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if len(requests) > 16 and not self.has_broken:
            self.has_broken = True
            raise asyncio.InvalidStateError
        await super().answer_all(requests)


class RedialsAlways(Bot):
    """disconnect: dials anew for every list."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await super().answer_all(requests)
        if requests:
            raise asyncio.InvalidStateError


class Huge(Bot):
    """protocol: sends more than 64 KiB."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await self.send(answers=[arena_pb2.Answer(action="x" * 100_000)])
        await asyncio.sleep(FOR_EVER_S)


# -- answers ----------------------------------------------------------------------------------------------------------


class Greedy(Bot):
    """resource: takes more memory than allowed."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if requests:
            self.hoard = [bytearray(b"x" * (16 << 20)) for _ in range(80)]
            await asyncio.sleep(FOR_EVER_S)


class Crashes(Bot):
    """crash: raises at its first decision."""

    def choose(self, request: arena_pb2.Request) -> str:
        _crash("as told")


class PrintsAnswers(Bot):
    """timeout: prints its actions instead of sending them."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        for request in requests:
            print(self.choose(request), flush=True)


class FirstOnly(Bot):
    """timeout: reads one request of a list."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await super().answer_all(requests[:1])


class Slow(Bot):
    """timeout: thinks for two seconds whatever the limit is."""

    def choose(self, request: arena_pb2.Request) -> str:
        time.sleep(2)
        return super().choose(request)


class DeafToBudget(Bot):
    """timeout: thinks for as long as the welcome allows, and does not look at budget_ms."""

    def choose(self, request: arena_pb2.Request) -> str:
        if len(self.seeds) == 1:
            time.sleep(0.6)
        return super().choose(request)


class Guesses(Bot):
    """illegal: does not look at the legal actions."""

    def choose(self, request: arena_pb2.Request) -> str:
        return "lay 11"


class Shouts(Bot):
    """protocol: writes actions in upper case."""

    def choose(self, request: arena_pb2.Request) -> str:
        return super().choose(request).upper()


class Empty(Bot):
    """protocol: answers without an action."""

    def choose(self, request: arena_pb2.Request) -> str:
        return ""


class Resigns(Bot):
    """protocol: gives up late in a game, in words that the game does not have."""

    def choose(self, request: arena_pb2.Request) -> str:
        return "resign" if request.decision > 5 else super().choose(request)


class DecisionZero(Bot):
    """echo: numbers every answer 0."""

    def answer(self, request: arena_pb2.Request) -> arena_pb2.Answer:
        answer = super().answer(request)
        answer.decision = 0
        return answer


class CountsItself(Bot):
    """echo: counts decisions itself instead of repeating the number."""

    def answer(self, request: arena_pb2.Request) -> arena_pb2.Answer:
        answer = super().answer(request)
        answer.decision = self.decisions - 1
        return answer


class NoGameId(Bot):
    """asked: leaves game_id out."""

    def answer(self, request: arena_pb2.Request) -> arena_pb2.Answer:
        answer = super().answer(request)
        answer.game_id = ""
        return answer


class Twice(Bot):
    """asked: sends every answer twice."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await super().answer_all([*requests, *requests])


class Again(Bot):
    """asked: sends with every list the answers to the one before, too."""

    before: Sequence[arena_pb2.Answer] = ()

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if requests:
            answers = [self.answer(request) for request in requests]
            await self.send(answers=[*self.before, *answers])
            self.before = answers


class Talks(Bot):
    """note: sends notes that are too long."""

    def answer(self, request: arena_pb2.Request) -> arena_pb2.Answer:
        answer = super().answer(request)
        answer.note = "because " * 100
        return answer


# -- situations -------------------------------------------------------------------------------------------------------


class FromTheStart(Bot):
    """crash: expects every game to begin with decision 0."""

    def choose(self, request: arena_pb2.Request) -> str:
        known = self.__dict__.setdefault("known", set())
        if request.decision and request.game_id not in known:
            _crash(f"decision {request.decision} of a game that I did not see begin")
        known.add(request.game_id)
        return super().choose(request)


class NeedsChoice(Bot):
    """crash: expects two legal actions or more."""

    def choose(self, request: arena_pb2.Request) -> str:
        if len(request.legal_actions) == 1:
            _crash("nothing to choose from")
        return super().choose(request)


class Overdraws(Bot):
    """illegal: declines one expensive card in three without looking whether it can pay."""

    def choose(self, request: arena_pb2.Request) -> str:
        view = request.no_thanks
        return "pass" if view.target > 20 and view.target % 3 == 0 else super().choose(request)


class NoResult(Bot):
    """crash: cannot take the result of a game."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        if any(any(over.scores) for over in response.game_overs):
            _crash("KeyError: 'winner'")


class VoidResult(Bot):
    """crash: cannot take the end of a game without a result."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        if any(not over.scores for over in response.game_overs):
            _crash("IndexError: list index out of range")


class SecondRound(Bot):
    """crash: plans for the next round of a game of one round."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        if any(game.options["rounds"] == 1 for game in response.new_games):
            _crash("IndexError: there is no round 1")


class NoBank(Bot):
    """crash: cannot take a bank."""

    def choose(self, request: arena_pb2.Request) -> str:
        if request.bank_ms or request.budget_ms > 1000:
            _crash("no time is left over in this league")
        return super().choose(request)


class NeverCharged(Bot):
    """crash: cannot take the time that its last answer was charged."""

    def choose(self, request: arena_pb2.Request) -> str:
        if request.last_answer_us > 0:
            _crash(f"TypeError: {request.last_answer_us}")
        return super().choose(request)


class ListFails(Bot):
    """crash: cannot take long lists."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if len(requests) > 16:
            _crash("list index out of range")
        await super().answer_all(requests)


class NewGameTwice(Bot):
    """crash: cannot take a game that it knows."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        if any(game.game_id in self.seeds for game in response.new_games):
            _crash("this game has begun already")
        super().hear(response)


class OverUnknown(Bot):
    """crash: cannot take the end of a game that it does not know."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        for over in response.game_overs:
            if over.game_id not in self.seeds:
                _crash(f"KeyError: {over.game_id}")
        super().hear(response)


class Noticed(Bot):
    """crash: cannot take a notice."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        if response.notices:
            _crash(response.notices[0].words)
        super().hear(response)


class EmptyList(Bot):
    """crash: cannot take a message without a request."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        if not response.ByteSize():
            _crash("a message with nothing in it")


class Strict(Bot):
    """crash: cannot take fields that it does not know."""

    part: Callable[[arena_pb2.Request], Any] = staticmethod(lambda request: request)

    def choose(self, request: arena_pb2.Request) -> str:
        part = type(self).part(request)
        copy = type(part).FromString(part.SerializeToString())
        copy.DiscardUnknownFields()
        if copy.ByteSize() != part.ByteSize():
            _crash("an unknown field")
        return super().choose(request)


class StrictViews(Strict):
    """crash: cannot take fields of a view that it does not know."""

    part = staticmethod(lambda request: request.no_thanks)


class Unasked(Bot):
    """asked: answers again when a game is over."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        self.ended = [over.game_id for over in response.game_overs]

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await super().answer_all(requests)
        if self.ended:
            await self.send(answers=[arena_pb2.Answer(game_id=game_id, action="pass") for game_id in self.ended])


# -- advice -----------------------------------------------------------------------------------------------------------


class OneByOne(Bot):
    """lists: sends every answer alone."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        for request in requests:
            await super().answer_all([request])


class OneByOneStalled(OneByOne):
    """lists: sends every answer alone, the first of them on a machine that stands still for a moment."""

    has_stood = False

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if len(requests) > 16 and not self.has_stood:
            self.has_stood = True
            time.sleep(0.2)
        await super().answer_all(requests)


class HoldsBack(Bot):
    """flush: keeps quick answers until the slow ones are done."""

    def choose(self, request: arena_pb2.Request) -> str:
        time.sleep(0.005)
        return super().choose(request)


class Backwards(Bot):
    """order: answers the last request first."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await super().answer_all(list(requests)[::-1])


class Unseeded(Bot):
    """seed: draws from a generator of its own."""

    def choose(self, request: arena_pb2.Request) -> str:
        return random.choice(request.legal_actions)


class Spins(Bot):
    """idle: computes while it waits."""

    spinning: asyncio.Task[None] | None = None

    async def greeted(self) -> None:
        self.spinning = asyncio.create_task(self._spin())

    async def _spin(self) -> None:
        while True:
            end = time.monotonic() + 0.002
            while time.monotonic() < end:
                pass
            await asyncio.sleep(0)


class SpinsLater(Spins):
    """idle: computes while it waits, once it has played."""

    async def greeted(self) -> None:
        """Wait, as it should."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        await super().answer_all(requests)
        if requests and self.spinning is None:
            self.spinning = asyncio.create_task(self._spin())


class SilentEnd(Bot):
    """unknown-game: ends without a word when it meets a game that it does not know."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        if any(game.game != "no_thanks" for game in response.new_games):
            _leave(0)


class GivesUp(Bot):
    """reconnect: does not dial again."""

    redials = False


class DiesOfAWrite(Bot):
    """reconnect: dials again, but not when it is its answer that meets the broken stream."""

    begun = 0

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        self.begun = len(response.new_games)

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if self.begun == len(requests) == 2:  # as in few situations: a bot that always thinks would take long to check
            time.sleep(0.3)
        try:
            await super().answer_all(requests)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            _crash(f"{type(error).__name__} in the answer")


class Lingers(Bot):
    """leave: stays after Goodbye."""

    async def at_goodbye(self) -> None:
        await asyncio.sleep(FOR_EVER_S)


class Dawdles(Bot):
    """leave: takes three seconds to leave after Goodbye."""

    async def at_goodbye(self) -> None:
        await asyncio.sleep(3)


class MissesGoodbye(Bot):
    """leave: reads no further than to the end of its games."""

    def hear(self, response: arena_pb2.PlayResponse) -> None:
        super().hear(response)
        if any(over.scores for over in response.game_overs):
            response.ClearField("goodbye")


class BadEnd(Bot):
    """leave: ends with status 3."""

    status = 3


# -- sound, though not as quick as the others -------------------------------------------------------------------------


class Thinks(Bot):
    """sound: takes most of its time for what it is asked alone."""

    async def answer_all(self, requests: Sequence[arena_pb2.Request]) -> None:
        if len(requests) == 1:
            time.sleep(requests[0].budget_ms * 0.8 / 1000)
        await super().answer_all(requests)


class Steady(OneByOne):
    """sound: takes a little more than a millisecond for every decision, so that each answer is sent alone."""

    def choose(self, request: arena_pb2.Request) -> str:
        end = time.monotonic() + 0.0011
        while time.monotonic() < end:
            pass
        return super().choose(request)


class Colours(Bot):
    """sound: has a long name in colours for its SDK."""

    async def introduce(self) -> None:
        await self.send(hello=arena_pb2.Hello(protocol=1, max_in_flight=64, sdk="\x1b[31m" + "red" * 50))


def _subclasses(cls: type[Bot]) -> Iterator[type[Bot]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


def _name(cls: type[Bot]) -> str:
    return "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in cls.__name__).lstrip("-")


def _rule(cls: type[Bot]) -> str:
    return (cls.__doc__ or "").partition(":")[0]


BOTS: dict[str, type[Bot]] = {_name(cls): cls for cls in _subclasses(Bot)}
"""All the bots by name, such as ``no-token``."""
SOUND = tuple(name for name, cls in BOTS.items() if _rule(cls) == "sound")
"""Those in which no rule should be found broken."""
DEFECTS = {name: cls for name, cls in BOTS.items() if name not in SOUND}
"""The defective bots."""


def rule_of(name: str) -> str:
    """Return the rule that a check should name for a defect."""
    return _rule(DEFECTS[name])


if __name__ == "__main__":
    asyncio.run((BOTS[sys.argv[1]] if sys.argv[1] != "none" else Bot)().run())
