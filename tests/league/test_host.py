"""When this machine stalls, no bot pays for it; when a bot is stopped or killed, it pays for one game."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from arena.league.job import Job, SittingEnd
from arena.league.pool import Pool
from arena.players.base import Limits
from arena.players.process import marked
from arena.records.record import Finished, Void
from tests.league.sittings import job, program

Items: TypeAlias = list[Finished | Void | SittingEnd]
LIMITS = Limits(move_ms=400, margin_ms=150)


def pause(pid: int, seconds: float) -> None:
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    with suppress(ProcessLookupError):  # a bot that was silent for so long has been ended
        os.kill(pid, signal.SIGCONT)


def play_while(sitting: Job, disturb: Callable[[Pool, Items], None]) -> Items:
    """Play a job in a worker and disturb it once its first game is over."""
    items: Items = []
    pool, thread = Pool(1), threading.Thread()
    try:
        for item in pool.play(iter([sitting])):
            if item is None:
                continue
            if not items:
                thread = threading.Thread(target=disturb, args=(pool, items))
                thread.start()
            items.append(item.content)
    finally:
        if thread.ident:
            thread.join()
        pool.close()
    return items


def test_a_stalled_worker_voids_games_and_blames_no_bot() -> None:
    sitting = job([program(name, "--sleep-ms", "20") for name in "abc"], 6, LIMITS, in_flight=2)

    def stall_the_worker(pool: Pool, items: Items) -> None:
        """Again, if it was between an answer and the next request: then there is nothing that it could spoil."""
        for _ in range(5):
            pause(pool._workers[0].process.pid, 1.5)
            time.sleep(0.3)
            if any(isinstance(item, Void) for item in items):
                break

    items = play_while(sitting, stall_the_worker)
    voids = [item for item in items if isinstance(item, Void)]
    assert voids
    assert all("stood still" in void.evidence for void in voids)
    finished = [item for item in items if isinstance(item, Finished)]
    assert all(str(word) == "normal" for game in finished for word in game.terminations)
    assert {item.game_id for item in finished}.isdisjoint({void.game_id for void in voids})
    assert len(finished) + len(voids) == 6


def test_a_bot_that_is_stopped_has_stalled_by_itself() -> None:
    """Nobody kept it from the processor: it did not want to run."""
    limits = replace(LIMITS, margin_ms=600)
    sitting = job([program("a", "--sleep-ms", "30"), program("b"), program("c")], 6, limits, in_flight=1)

    def stop_the_bot(*_: object) -> None:
        pause(max(marked(f"{sitting.mark}0-")), 2.5)

    items = play_while(sitting, stop_the_bot)
    words = [str(item.terminations[0]) for item in items if isinstance(item, Finished)]
    assert "timeout" in words
    assert not [item for item in items if isinstance(item, Void)]


def test_kill_9_of_a_bot_retires_it_in_one_game_and_the_restarted_process_plays_the_others() -> None:
    sitting = job([program(name, "--sleep-ms", "20") for name in "abc"], 6, LIMITS, in_flight=3)
    items = play_while(sitting, lambda *_: os.kill(max(marked(f"{sitting.mark}0-")), signal.SIGKILL))
    finished = [item for item in items if isinstance(item, Finished)]
    assert len(finished) == 6
    assert sorted(str(game.terminations[0]) for game in finished) == ["crash", *["normal"] * 5]
    assert {str(word) for game in finished for word in game.terminations[1:]} == {"normal"}
    (end,) = [item for item in items if isinstance(item, SittingEnd)]
    assert end.restarts == 1
