"""Units of strength and the array types that the package shares."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LN10 = math.log(10.0)
ELO_PER_NAT = 400.0 / LN10
"""173.7178 Elo: the rating difference that multiplies the odds by e."""


def expected_score(diff_elo: float) -> float:
    """Return a player's expected score in one game, in (0, 1); a tie counts 1/2.

    Args:
        diff_elo: own rating minus the opponent's, in Elo; any finite number.

    Raises:
        ValueError: if diff_elo is not finite.

    Source: the logistic Elo model, base 10, scale 400.
    """
    if not math.isfinite(diff_elo):
        raise ValueError(f"expected_score({diff_elo}): the difference must be finite")
    if diff_elo < 0:
        power = math.pow(10.0, max(diff_elo, -120000.0) / 400.0)
        return power / (1.0 + power)
    return 1.0 / (1.0 + math.pow(10.0, -min(diff_elo, 120000.0) / 400.0))


def elo_of_score(score: float) -> float:
    """Return the Elo difference at which the expected score is ``score``.

    Args:
        score: strictly between 0 and 1.

    Raises:
        ValueError: at or outside the ends, where no finite difference exists.
    """
    if not 0.0 < score < 1.0:
        raise ValueError(f"elo_of_score({score}): a finite Elo needs a score strictly between 0 and 1")
    return ELO_PER_NAT * math.log(score / (1.0 - score))
