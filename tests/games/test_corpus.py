"""Complete games of an independent engine replay exactly, and its illegal attempts are refused with their codes.

``tests/data/corpus`` holds 50 games for each of the seven games (all seat counts, modes and many option sets), ten
games of a person against programs, and the illegal attempts; its README tells the format.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.games import (
    BadOptions,
    Chance,
    ChanceTurn,
    Game,
    GameOver,
    IllegalAction,
    SeatTurn,
    create,
    game_ids,
)
from arena.records.codec import entry_in
from arena.records.record import Entry

CORPUS = Path(__file__).parent.parent / "data" / "corpus"
FILES = [path.name.partition(".")[0] for path in sorted(CORPUS.glob("*.jsonl.gz")) if "illegal" not in path.name]
REFEREES_CODES = {"already_submitted", "window_closed"}
"""Codes of the referee: the rules see one submission of a seat and window, so they cannot refuse a second one."""


@cache
def lines(name: str) -> list[dict[str, Any]]:
    text = gzip.decompress((CORPUS / f"{name}.jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def known_games() -> Iterable[tuple[str, dict[str, Any]]]:
    for name in FILES:
        for line in lines(name):
            if line["game"] in game_ids():
                yield line["id"], line


def made(line: dict[str, Any]) -> Game[Any, Any]:
    return create(line["game"], line["seats"], **line["options"])


def advance(game: Game[Any, Any], state: Any, entry: Entry) -> tuple[Any, list[int]]:
    """Apply one recorded step after checking that it is due; return the state and the asked seats' legal counts."""
    turn = game.turn(state)
    if isinstance(entry.step, Chance):
        assert isinstance(turn, ChanceTurn)
        return game.apply(state, entry.step), []
    assert isinstance(turn, SeatTurn)
    assert tuple(seat for seat, _ in entry.step.by_seat) == turn.seats
    counts = [len(game.legal_actions(state, seat)) for seat in turn.seats]
    assert entry.forced == (max(counts) == 1)
    return game.apply(state, entry.step), [count for count in counts if count > 1]


@pytest.mark.parametrize("line", [pytest.param(line, id=name) for name, line in known_games()])
def test_a_recorded_game_replays(line: dict[str, Any]) -> None:
    """Legal counts of asked seats, forced steps, scores and ranks are those of the independent engine."""
    game = made(line)
    state, counted = game.initial(), []
    for raw in line["steps"]:
        state, counts = advance(game, state, entry_in(raw))
        counted += counts
    assert counted == line["legal"]
    assert game.turn(state) == GameOver(tuple(line["scores"]), tuple(line["ranks"]))
    assert len(line["steps"]) <= game.spec.steps_max


ILLEGAL = [line for line in lines("illegal") if line["game"] in game_ids()]


@pytest.mark.parametrize(
    "line", [pytest.param(line, id=f"{i}-{line['game']}-{line['error']}") for i, line in enumerate(ILLEGAL)]
)
def test_an_illegal_attempt_is_refused(line: dict[str, Any]) -> None:
    """Each row of the illegal corpus gets its code, and the state stays."""
    if line["error"] in REFEREES_CODES:
        pytest.skip(f"{line['error']} is a code of the referee, not of the rules")
    if line["error"] == "bad_options":
        with pytest.raises(BadOptions):
            made(line)
        return
    game = made(line)
    state = game.initial()
    for raw in line["steps"]:
        state, _ = advance(game, state, entry_in(raw))
    before = hash(state)
    with pytest.raises(IllegalAction) as refusal:
        game.check(state, line["seat"], line["action"])
    assert (refusal.value.code, refusal.value.seat) == (line["error"], line["seat"])
    assert hash(state) == before


def test_the_skipped_rows_are_counted() -> None:
    """Only second submissions in one window are left to the tests of the referee: five of the 93 rows."""
    assert Counter(line["game"] for line in lines("illegal") if line["error"] in REFEREES_CODES) == {
        "king_priam": 3,
        "rainbow": 2,
    }
    assert len(lines("illegal")) == 93


def test_the_corpus_is_whole() -> None:
    """Fifty games for each of seven games, ten human ones: no file has been cut."""
    counts = Counter(line["game"] for name in FILES for line in lines(name))
    assert counts.pop("no_thanks") == 60
    assert set(counts.values()) == {50}
    assert len(counts) == 6
