"""A record is one canonical line: the same game has the same bytes, and bytes read back are the same game."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from arena.errors import RecordError, Termination
from arena.games import Chance, Moves
from arena.records.codec import canonical_json, decode, encode, entry_in
from arena.records.record import Entry, Fault, Player, Record

RECORD = Record(
    game_id="g1",
    game="no_thanks",
    rules_version=1,
    seats=2,
    options={"rounds": 1, "known_removed": (10, 20, 30), "tokens": None},
    deal=3,
    commitment="ab",
    sandbox="bwrap",
    players=(Player("ä", "1", "d0"), Player("b", "", "d1")),
    entries=(
        Entry(Chance("shuffle 3 1 2")),
        Entry(Moves(((0, "pass"),))),
        Entry(Moves(((0, "pass"), (1, "pass"))), forced=True),
        Entry(Moves(((0, "claim 1 2 3"), (1, "pass")), (4, None)), defaulted=(1,)),
    ),
    faults=(Fault(3, 1, Termination.TIMEOUT, "default"),),
    terminations=(Termination.NORMAL, Termination.NO_SHOW),
    scores=(-3, 4),
    ranks=(2, 1),
)
LINE = (
    '{"commitment":"ab","deal":3,"faults":[[3,1,"timeout","default"]],"game":"no_thanks","id":"g1",'
    '"options":{"known_removed":[10,20,30],"rounds":1,"tokens":null},"players":[["ä","1","d0"],["b","","d1"]],'
    '"ranks":[2,1],"rules_version":1,"sandbox":"bwrap","schema":1,"scores":[-3,4],"seats":2,'
    '"steps":[["c","shuffle 3 1 2"],["m",{"0":"pass"}],["m",{"0":"pass","1":"pass"},"forced"],'
    '["m",{"0":"claim 1 2 3","1":"pass"},{"0":4,"1":null},{"default":[1]}]],"terminations":["normal","no-show"]}\n'
)


def test_canonical_bytes() -> None:
    """Sorted keys, no spaces, UTF-8, one line end: every byte of a record is fixed."""
    assert encode(RECORD) == LINE.encode()


def test_round_trip() -> None:
    assert decode(encode(RECORD)) == RECORD


def test_the_order_of_options_does_not_matter() -> None:
    """Records of the same game are the same bytes, however its options were written."""
    turned = replace(RECORD, options=dict(reversed(list(RECORD.options.items()))))
    assert encode(turned) == encode(RECORD)


def test_no_nan() -> None:
    """A record never holds what is not JSON."""
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json({"x": float("nan")})


@pytest.mark.parametrize(
    ("raw", "entry"),
    [
        (["c", "draw 1"], Entry(Chance("draw 1"))),
        (["m", {"2": "play 4"}, "forced"], Entry(Moves(((2, "play 4"),)), forced=True)),
        (["m", {"0": "pass", "1": "pass"}, {"0": 0, "1": 7}], Entry(Moves(((0, "pass"), (1, "pass")), (0, 7)))),
        (["m", {"0": "take"}, {"default": [0]}], Entry(Moves(((0, "take"),)), defaulted=(0,))),
    ],
)
def test_steps_as_written(raw: list[object], entry: Entry) -> None:
    assert entry_in(raw) == entry


def test_a_newer_schema_is_refused() -> None:
    document = json.loads(encode(RECORD)) | {"schema": 2}
    with pytest.raises(RecordError, match=r"record g1 has schema 2; this version reads up to 1"):
        decode(canonical_json(document))


@pytest.mark.parametrize("key", sorted(json.loads(LINE)))
def test_a_missing_key_is_refused(key: str) -> None:
    document = json.loads(LINE)
    del document[key]
    with pytest.raises(RecordError, match="not a game record"):
        decode(canonical_json(document))


@pytest.mark.parametrize("data", [b"", b"[]", b"3", b"null", b"{", b"\xff", b'{"schema":"1"}'])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(RecordError, match="not a game record"):
        decode(data)


def test_damaged_bytes_never_raise_anything_else() -> None:
    """Any flipped byte gives a record, or a RecordError: the command line shows no traceback for a damaged store."""
    draw = random.Random(1)
    for _ in range(2_000):
        data = bytearray(LINE.encode())
        data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            assert isinstance(decode(bytes(data)), Record)
        except RecordError:
            continue
