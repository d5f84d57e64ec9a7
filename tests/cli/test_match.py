"""``arena match`` with real bots: plays, stops when decided, resumes, and says what users of engine testers expect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.cli.match import read_sprt
from arena.errors import UsageError
from arena.ratings.sprt import Sprt
from tests.cli.stored import Command


def test_a_decided_match_stops_and_stays_decided(run: Command, tmp_path: Path) -> None:
    """A clear difference is decided in the first chunk; the same command again plays nothing and says the same."""
    words = ("match", "careful", "always-take", "random", "--game", "no_thanks", "--option", "rounds=1",
             "--sprt", "elo0=0,elo1=600", "--deals", "20", "--results", tmp_path / "m", "--workers", "1")  # fmt: skip
    first = json.loads(run(*words, "--json"))
    assert first["sprt"]["state"] == "H1"
    assert first["sprt"]["llr"] >= first["sprt"]["upper"]
    assert first["deals"] == first["sprt"]["deals"] <= 20
    assert first["games"] == 6 * first["deals"]
    assert first["score"]["difference"] > 0.5
    again = run(*words)
    assert f"LLR: {first['sprt']['llr']:.2f} (" in again
    assert "(-2.94, 2.94) [0.00, 600.00]" in again
    assert f"H1 accepted after {first['deals']} deals" in again
    assert json.loads(run(*words, "--json")) == first
    assert "measured speed of" in run("standings", tmp_path / "m", "--plan"), "a run keeps its speed for the plan"


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_two_seats_print_the_known_lines(run: Command, tmp_path: Path) -> None:
    """Elo, nElo, LOS, ratios and pentanomial of pairs."""
    text = run("match", "random", "greedy", "--game", "prime_cards", "--deals", "25", "--results", tmp_path / "m")
    assert "Results of random against greedy, from random's side:" in text
    assert all(f"{word}: " in text for word in ("Elo", "LOS", "DrawRatio", "Games: 50, Wins"))
    assert "Ptnml(0-2): [" in text


def test_tests_are_read_from_words() -> None:
    """The defaults are those of engine testers; both spellings of the model are taken."""
    assert read_sprt("elo0=0,elo1=10") == Sprt(0, 10, 0.05, 0.05, "normalised")
    assert read_sprt("elo0=-5, elo1=5,alpha=0.1,beta=0.02,model=logistic") == Sprt(-5, 5, 0.1, 0.02, "logistic")
    assert read_sprt("elo0=0,elo1=1,model=normalized").model == "normalised"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("elo0=0", "elo1 is missing"),
        ("elo0=0,elo=10", "unknown key; did you mean 'elo"),
        ("elo0=0,elo1=ten", "accepted is a number"),
        ("elo0=0,elo1=1,model=bayesian", "accepted is normalized or logistic"),
        ("elo0=5,elo1=5", "must be below"),
        ("elo0=0,elo1=5,alpha=0.7", "between 0 and 0.5"),
    ],
)
def test_bad_tests_are_refused(text: str, said: str) -> None:
    """A usage error names the key and what is accepted."""
    with pytest.raises(UsageError, match=said):
        read_sprt(text)


def test_bad_matches_are_refused(run: Command) -> None:
    """One bot is no match, and logistic Elo is for two."""
    with pytest.raises(UsageError, match="two bots or more"):
        run("match", "careful", "--game", "no_thanks")
    with pytest.raises(UsageError, match="for two seats"):
        run("match", "careful", "margin", "random", "--game", "no_thanks", "--sprt", "elo0=0,elo1=5,model=logistic")
