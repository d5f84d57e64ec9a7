"""``arena standings --integrity``: one program under two names, bots that answer alike, and what was not looked at."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from arena.errors import Termination
from arena.games import create
from arena.records.record import Conduct, Player, Record
from arena.reports.integrity import alike, conduct_words, same_programs
from arena.storage.rows import StoredEntrant
from tests.cli.running import Run, records
from tests.commands import arena as arena_command
from tests.commands import fixture, league
from tests.reports.conftest import play

Arena = Callable[..., Run]


def recorded(deal: int, names: tuple[str, ...], actors: tuple[str, ...]) -> Record:
    """A game of No Thanks! that was decided by these actors, recorded under other names."""
    entries, over = play(deal, actors)
    game = create("no_thanks", len(names), rounds=1)
    players = tuple(Player(name, "1", "") for name in names)
    return Record(
        "g", "no_thanks", 1, len(names), dict(game.spec.options), deal, "", "none", players, entries, (),
        (Termination.NORMAL,) * len(names), over.scores, over.ranks,
    )  # fmt: skip


def test_a_copy_answers_alike_everywhere_and_another_bot_does_not() -> None:
    """The copy sits where the original sat, at tables with the same others."""
    names = ("alpha", "beta", "gamma")
    games = []
    for deal in range(12):
        games.append(recorded(deal, names, names))
        games.append(recorded(deal, ("copy", "beta", "gamma"), names))
        games.append(recorded(deal, ("other", "beta", "gamma"), ("gamma", "beta", "alpha")))
    found = alike(games)
    assert found["alpha", "copy"].is_notable
    assert found["alpha", "copy"].shared > 100
    assert not found["alpha", "other"].is_notable
    assert 0 < found["alpha", "other"].equal < found["alpha", "other"].shared


def test_agreement_on_what_everybody_answers_says_nothing() -> None:
    names = ("alpha", "beta", "gamma")
    games = [recorded(deal, who, names) for deal in range(12) for who in (names, ("copy", "beta", "gamma"))]
    item = alike(games)["alpha", "copy"]
    item.actions.clear()
    item.actions["pass"] = item.shared
    assert not item.is_notable


def test_what_the_referee_played_is_no_answer_of_a_bot() -> None:
    names = ("alpha", "beta", "gamma")
    game = recorded(1, names, names)
    entries = tuple(replace(entry, defaulted=(0, 1, 2)) for entry in game.entries)
    assert not alike([replace(game, entries=entries), replace(game, entries=entries)])


def test_one_program_under_two_names_is_named() -> None:
    one = StoredEntrant("b", 1, "1", "", "d" * 64, ())
    notes = list(same_programs([one, replace(one, name="a"), replace(one, name="c", digest="e" * 64)]))
    assert notes == [f"One program under several names: 'a', 'b' (sha256 {'d' * 12})."]


def test_what_a_bot_does_beside_its_answers_is_noted_when_it_is_much() -> None:
    second = 1_000_000_000
    assert list(conduct_words("calm", Conduct(100 * second, 20 * second))) == []
    assert list(conduct_words("brief", Conduct(second, second // 2))) == []
    (words,) = conduct_words("busy", Conduct(100 * second, 30 * second))
    assert words.startswith("'busy' used 30.0 s of processor time in 100.0 s in which it owed no answer")
    assert [words.split()[1] for words in conduct_words("odd", Conduct(left_over=2, network_attempts=3))] == [
        "left",
        "tried",
    ]


def test_conduct_is_stored_and_shown_under_the_standings(tmp_path: Path) -> None:
    """The bot spins on after its first answer; the others take their time, so that it has much time to do so."""
    slow = ("--sleep-ms", "10")
    bots = [fixture("a", *slow), fixture("b", *slow), fixture("busy", "--fault", "spin", "--at", "1")]
    league(tmp_path / "spring.toml", bots, deals=2)
    for _ in range(3):  # the bot is nice: a machine that is busy with other things may give it too little
        ran = arena_command("run-league", "spring.toml", "--fresh", cwd=tmp_path)
        assert ran.status == 0, ran.err
        if "integrity: 'busy' used" in ran.out:
            break
    assert "integrity: 'busy' used" in ran.out
    report = arena_command("standings", "results/spring", "--integrity", cwd=tmp_path).out
    assert "'busy' used" in report
    assert "'a' used" not in report


def test_the_report_says_what_was_looked_at_and_what_was_not(played: Path, arena: Arena) -> None:
    run = arena("standings", played, "--integrity")
    assert run.status == 0
    assert f"the situations of {len(records(played))} games" in run.out
    assert "Processor time between turns" in run.out
    notes = json.loads(arena("standings", played, "--integrity", "--json").out)["notes"]
    assert run.out.splitlines() == notes


def test_notes_stand_under_the_standings(results: Path, arena: Arena) -> None:
    with closing(sqlite3.connect(results / "league.db")) as database, database:
        database.execute("UPDATE entrants SET digest = ?", ("f" * 64,))
    out = arena("standings", results).out
    assert "integrity: One program under several names: 'cheat', 'honest', 'wreck'" in out
