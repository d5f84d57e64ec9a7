"""A random bot that writes down its conversation: one JSON object a message, into the file named by its argument."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict

from arena.v1 import arena_pb2


async def main(path: str) -> None:
    """Play until Goodbye."""
    lines: list[dict[str, Any]] = []
    generators: dict[str, random.Random] = {}
    async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        play: Any = channel.stream_stream("/arena.v1.ArenaService/Play")
        call = play(metadata=(("authorization", f"Bearer {os.environ['ARENA_TOKEN']}"),))

        async def say(message: arena_pb2.PlayRequest) -> None:
            lines.append({"bot": MessageToDict(message, preserving_proto_field_name=True)})
            await call.write(message.SerializeToString())

        hello = arena_pb2.Hello(protocol=1, name="page", version="1", sdk="none", max_in_flight=64, wants_events=True)
        await say(arena_pb2.PlayRequest(hello=hello))
        while (data := await call.read()) is not grpc.aio.EOF:
            message = arena_pb2.PlayResponse.FromString(data)
            lines.append({"referee": MessageToDict(message, preserving_proto_field_name=True)})
            for game in message.new_games:
                generators[game.game_id] = random.Random(game.bot_seed)
            answers = [
                arena_pb2.Answer(
                    game_id=request.game_id,
                    decision=request.decision,
                    action=generators[request.game_id].choice(request.legal_actions),
                )
                for request in message.requests
            ]
            if answers:
                await say(arena_pb2.PlayRequest(answers=answers))
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
