"""Matches and sequential tests against fishtest and fastchess, over every reference case."""

from __future__ import annotations

import math

import pytest

from arena.ratings.matches import match_score
from arena.ratings.sprt import Sprt, SprtModel
from tests.ratings.reference import DATA, Row, read_rows


def counts_of(row: Row) -> list[int]:
    """Return losses, ties, wins, or the five pair counts with WL and DD together."""
    if row["kind"] == "wdl":
        return [int(row[key]) for key in ("losses", "draws", "wins")]
    ll, ld, wl, dd, wd, ww = (int(row[key]) for key in ("LL", "LD", "WL", "DD", "WD", "WW"))
    return [ll, ld, wl + dd, wd, ww]


LLR_CASES = [row for row in read_rows(DATA / "sprt" / "llr.csv") if row["model"] in ("logistic", "normalized")]


def test_llr_bounds_and_states() -> None:
    """Protects the SPRT: ratio within 0.002 (the programs' own tolerance), bounds within 1e-6, states equal."""
    assert len(LLR_CASES) > 200
    for row in LLR_CASES:
        model: SprtModel = "logistic" if row["model"] == "logistic" else "normalised"
        sprt = Sprt(float(row["elo0"]), float(row["elo1"]), float(row["alpha"]), float(row["beta"]), model)
        llr = sprt.llr(counts_of(row))
        assert llr == pytest.approx(float(row["llr_fishtest"]), abs=0.002), row
        assert llr == pytest.approx(float(row["llr_fastchess"]), abs=0.002), row
        assert sprt.lower == pytest.approx(float(row["lower_bound"]), abs=1e-6)
        assert sprt.upper == pytest.approx(float(row["upper_bound"]), abs=1e-6)
        assert sprt.state(llr) == row["state_fastchess"], row


def test_elo_nelo_and_los() -> None:
    """Protects a match's numbers; where fastchess prints ``inf`` or ``nan`` there is a bound or nothing instead."""
    rows = read_rows(DATA / "sprt" / "elo.csv")
    assert len(rows) > 30
    for row in rows:
        score = match_score(counts_of(row))
        assert score.score == pytest.approx(float(row["score"]), abs=1e-4)
        for own, column in (
            (score.elo, "elo_fastchess"),
            (score.elo_error, "elo_err95_fastchess"),
            (score.nelo, "nelo_fastchess"),
            (score.nelo_error, "nelo_err95_fastchess"),
        ):
            expected = float(row[column])
            if own is None:
                assert not math.isfinite(expected) or expected == 0.0, row
            else:
                assert own == pytest.approx(expected, abs=0.01), row
        if score.elo_error is not None:
            assert 100 * score.los == pytest.approx(float(row["los_fastchess"]), abs=0.01), row
        elif score.elo is None:
            assert score.bound == (">" if score.score == 1 else "<")
            assert score.limit is not None
            assert math.isfinite(score.limit)


def test_pentanomial_of_the_paired_deals() -> None:
    """Protects pairs of one deal: all 28 pairs of bots against fastchess, from games to numbers."""
    from arena.ratings.matches import match_counts
    from tests.ratings.reference import two_seat

    results = two_seat("paired_deals_p8")
    rows = read_rows(DATA / "twoplayer" / "paired_deals_p8" / "pentanomial.csv")
    assert len(rows) == 28
    for row in rows:
        counts = match_counts(results, row["player_a"], row["player_b"])
        assert list(counts.pairs) == [int(row[key]) for key in ("LL", "LD", "WL", "DD", "WD", "WW")]
        assert counts.unpaired == 0
        score = match_score(counts.units)
        assert score.elo == pytest.approx(float(row["elo_fastchess"]), abs=0.01)
        assert score.nelo == pytest.approx(float(row["nelo_fastchess"]), abs=0.01)
        assert 100 * score.los == pytest.approx(float(row["los_percent_fastchess"]), abs=0.01)
