"""All languages at one table: a real league, by the real command, in every game and in the modes of simultaneous moves.

Tables are as full as a game allows. Where not all fit, two line-ups are enough for every bot to sit in the game.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.games import game_class, game_ids
from arena.league.starters import languages
from arena.storage.store import Store
from arena.testing.modes import mode_options
from tests.bots.toolchains import BOTS, BUILD_S, built, require_language
from tests.commands import arena

SIMULTANEOUS = (("unique", "sealed"), ("unique", "race"), ("king_priam", "race"), ("rainbow", "race"))
HEAD = """
[league]
name = "together"
secret = "known"
line_ups = 2
[limits]
start_s = 60
move_ms = 20000
game_s = 6000
"""
GAME = """
[[game]]
id = "{id}"
name = "{name}"
seats = {seats}
deals = {deals}
seatings = 1
options = {{ {options} }}
"""


def test_the_modes_are_all_that_let_seats_act_at_once() -> None:
    """A new mode of that kind belongs into the league below."""
    found = {(game, value) for game in game_ids() for option, value in mode_options(game) if option == "mode"}
    assert found == set(SIMULTANEOUS)


def league(path: Path) -> None:
    """Write the league: every game as it is, and the modes."""
    names = languages()
    games = [(game, game, "") for game in game_ids()]
    games += [(game, f"{game} {mode}", f'mode = "{mode}"') for game, mode in SIMULTANEOUS]
    text = HEAD
    for game, name, options in games:
        seats = min(len(names), game_class(game).seat_counts[-1])
        text += GAME.format(id=game, name=name, seats=seats, deals=1 if "race" in name else 2, options=options)
    text += "".join(f'[[bot]]\npath = "{BOTS}/{language}/random"\n' for language in names)
    path.write_text(text)


@pytest.mark.timeout(BUILD_S)
def test_every_language_plays_every_game_with_all_the_others(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No fault in any game of any table; each bot has a place on every ladder, and over all."""
    for language in languages():
        require_language(language)
        built(f"{language}/random", tmp_path_factory)
    league(tmp_path / "together.toml")
    ran = arena("run-league", "together.toml", "--json", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert "building random" not in ran.err
    document = ran.document
    assert document["complete"], document
    assert document["stored"] == document["planned"] > 0
    bots = {row["name"] for row in document["overall"]}
    assert len(bots) == len(languages())
    for ladder in document["ladders"]:
        assert {row["name"] for row in ladder["rows"]} == (set() if "race" in ladder["game"] else bots), ladder
    seated: dict[int, set[str]] = {}
    with Store.open(tmp_path / "results/together/league.db") as store:
        for game_id in store.stored_ids():
            record = store.record(game_id)
            assert {str(word) for word in record.terminations} == {"normal"}, record.players
            seated.setdefault(store.game(game_id).ruleset, set()).update(player.name for player in record.players)
    assert list(seated.values()) == [bots] * (len(game_ids()) + len(SIMULTANEOUS))
