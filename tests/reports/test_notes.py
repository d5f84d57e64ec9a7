"""The lines under a ladder say how it was made, from the ladder itself."""

from __future__ import annotations

from dataclasses import replace

from arena.ratings.ladder import Ladder
from arena.reports.notes import ladder_notes


def test_notes_name_method_and_counts(rated: Ladder) -> None:
    """A reader learns the model, what errors rest on, how many games and faults there were."""
    elo, method, counts, seats, *rest = ladder_notes(rated)
    assert elo.startswith("Elo: expected score")
    assert "Plackett-Luce" in method
    assert "clustered by deal, 12 deals" in method
    assert counts.startswith("72 games; ")
    assert "3 seats lost by fault" in counts
    assert seats.startswith("Seats at tables of 3: 1: ")
    assert rest == list(rated.notes)


def test_an_anchor_is_named(rated: Ladder) -> None:
    """Zero is the mean of the field only if nothing else fixes the scale."""
    assert "the mean of the field is 0" in ladder_notes(rated)[0]
    fixed = replace(rated, rows=(replace(rated.rows[0], is_anchor=True, elo=100.0), *rated.rows[1:]))
    assert f"{rated.rows[0].name} is fixed at +100.0" in ladder_notes(fixed)[0]


def test_notes_show_no_nonsense(rated: Ladder) -> None:
    """Never nan, inf or a negative zero."""
    text = "\n".join(ladder_notes(rated)).lower()
    assert "nan" not in text.split()
    assert "inf" not in text.split()
    assert "-0.0 " not in text
