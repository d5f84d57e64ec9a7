"""gRPC and child processes in one program: starting never hangs, nothing forks, every core has its own bots."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import arena
from arena.league.job import SittingEnd
from arena.league.pool import Pool
from arena.league.sitting import play_sitting
from arena.players.base import Limits
from arena.players.process import _spawn
from arena.players.sandbox import Launch
from arena.records.record import Finished
from tests.commands import wait_for
from tests.league.sittings import ROOT, job, program

SPAWN_S = 5
PACKAGE = Path(arena.__file__).parent
TRIVIAL = Launch(("/bin/true",), {}, "/")


async def spawn(times: int) -> None:
    """Start a trivial program again and again, as a bot is started; each is over within five seconds."""
    for _ in range(times):
        child = _spawn(TRIVIAL)
        try:
            assert await asyncio.to_thread(child.wait, SPAWN_S) == 0
        finally:
            assert child.stdout is not None
            child.stdout.close()


async def spawn_in_traffic(times: int) -> int:
    """Spawn while bots play over gRPC in the same process; return how many games were finished meanwhile."""
    bots = [program(name) for name in "abc"]
    sitting = play_sitting(job(bots, 100_000, Limits(start_s=60, move_ms=60_000)))
    finished = 0

    async def play() -> None:
        nonlocal finished
        async for item in sitting:
            finished += isinstance(item, Finished)

    playing = asyncio.ensure_future(play())
    while not finished:
        await asyncio.sleep(0.05)
    await spawn(times)
    assert not playing.done()
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    await sitting.aclose()  # type: ignore[attr-defined]
    return finished


def test_two_thousand_starts_in_the_midst_of_traffic() -> None:
    assert asyncio.run(asyncio.wait_for(spawn_in_traffic(2000), 100)) > 20


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_twenty_thousand_starts_in_the_midst_of_traffic() -> None:
    assert asyncio.run(asyncio.wait_for(spawn_in_traffic(20_000), 800)) > 200


FORKS = {"fork", "forkpty", "forkserver", "preexec_fn", "ProcessPoolExecutor", "Process", "get_context"}
"""Names by which a program forks; ``multiprocessing`` starts nothing here, its pipes alone are used."""


def names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def arena_files() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of the package, fixture bots and attackers aside: those are programs of their own."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "testing" not in path.relative_to(PACKAGE).parts:
            yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text())


def test_nothing_forks_where_grpc_may_have_threads() -> None:
    """What starts a bot forks once, in a process of its own that never imports gRPC: it waits for its step."""
    found = {name: sorted(FORKS & set(names(tree))) for name, tree in arena_files()}
    assert {name: words for name, words in found.items() if words} == {"players/confine.py": ["fork"]}
    assert "grpc" not in (PACKAGE / "players/confine.py").read_text().replace("grpc threads", "")


def test_nothing_draws_from_the_global_generator() -> None:
    """Neither Python's nor NumPy's: everything random has a generator of its own."""
    calls = [
        f"{name}: {ast.unparse(node)}"
        for name, tree in arena_files()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("random", "np.random", "numpy.random")
        if node.attr not in ("Random", "default_rng", "Generator", "SeedSequence", "PCG64", "BitGenerator")
    ]
    assert calls == []


def test_workers_and_their_bots_stay_on_cores_of_their_own() -> None:
    """Workers take the cores in turn, and a bot inherits its worker's."""
    cores = [{core} for core in sorted(os.sched_getaffinity(0))]
    code = "import os; print(*os.sched_getaffinity(0))"
    tells = replace(program("tells"), command=(sys.executable, "-c", code), directory=str(ROOT))
    pool, seen = Pool(len(cores)), []
    try:
        for item in pool.play(iter([job([tells], 0)])):
            if item is not None and isinstance(item.content, SittingEnd):
                seen.append({int(core) for core in item.content.logs[0].split()})
        wait_for(lambda: [os.sched_getaffinity(worker.process.pid) for worker in pool._workers] == cores)
    finally:
        pool.close()
    assert len(seen) == 1
    assert seen[0] in cores
