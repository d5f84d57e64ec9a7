"""One golden record for each game and mode: if a rule, a list, a view or a draw changes, a file here differs.

A record has one step a line, so that the difference tells the first step that changed. Beside the record stand the
numbers of legal actions of the asked seats and a digest of every view and redacted event. ``python -m tests.golden``
writes all files anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.games import Game, create, game_class, game_ids
from arena.records.codec import canonical_json, decode, encode
from arena.records.replay import verify_replay
from arena.testing.kit import record_of
from arena.testing.modes import mode_options
from arena.testing.playout import Moment, moments

FOLDER = Path(__file__).parent
NO_MODES = {"token_table", "known_removed", "list_claims"}
"""Options with a few values that change numbers or what is listed, and not how a game is played."""
SEED = 2026


def modes() -> Iterator[tuple[str, Game[Any, Any]]]:
    """Yield (file name, game) for each game with default options, and with each other value of each mode option."""
    for game_id in game_ids():
        seats = game_class(game_id).seat_counts[0]
        yield game_id, create(game_id, seats)
        for option, value in mode_options(game_id):
            if option not in NO_MODES:
                yield f"{game_id}-{option}-{str(value).lower()}", create(game_id, seats, **{option: value})


MODES = dict(modes())


def golden(game: Game[Any, Any]) -> str:
    """Return the golden text of one random game."""
    played = list(moments(game, 0, SEED))
    document = json.loads(encode(record_of(played)))
    document["legal"] = [count for moment, _ in played for count in _counts(moment)]
    document["shown"] = hashlib.sha256("\n".join(_shown(played)).encode()).hexdigest()
    steps = ",\n".join(_line(step) for step in document.pop("steps"))
    rest = ",\n".join(f"{_line(name)}:{_line(value)}" for name, value in sorted(document.items()))
    return f'{{{rest},\n"steps":[\n{steps}\n]}}\n'


def _counts(moment: Moment) -> list[int]:
    counts = [len(moment.game.legal_actions(moment.state, seat)) for seat in moment.acting()]
    return [count for count in counts if count > 1]


def _shown(played: list[tuple[Moment, Any]]) -> Iterator[str]:
    for moment, step in played:
        for seat in (*range(moment.game.seats), None):
            yield repr(moment.game.view(moment.state, seat))
            if step is not None:
                yield repr(moment.game.redact(moment.state, step, seat))


def _line(document: Any) -> str:
    return canonical_json(document).decode().rstrip("\n")


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def regenerate() -> list[str]:
    """Write every golden record, remove those of modes that are gone, and return what was done, by file name."""
    changed = []
    for path in set(FOLDER.glob("*.json")) - {path_of(name) for name in MODES}:
        path.unlink()
        changed.append(f"removed {path.name}")
    for name, game in MODES.items():
        text, path = golden(game), path_of(name)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            changed.append(f"wrote {path.name}")
    return sorted(changed)


@pytest.mark.parametrize("name", MODES)
def test_the_golden_record_stands(name: str) -> None:
    """The same streams give the same game, lists, views and events as when the record was written."""
    assert path_of(name).exists(), f"{name} has no golden record: run python -m tests.golden and read what it wrote"
    assert golden(MODES[name]) == path_of(name).read_text()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_the_golden_record_replays(path: Path) -> None:
    """Records of today are read by later versions; one that belongs to no game or mode is left over."""
    assert path.stem in MODES, f"{path.name} belongs to no mode: run python -m tests.golden"
    verify_replay(decode(path.read_bytes()))
