"""What the end of an imagined game is worth to each seat: most of all to have won, and something for the lead."""

from __future__ import annotations

from collections.abc import Sequence

LEAD_SHARE = 0.3
"""How much of the worth is the lead in points; the rest is winning itself."""


def worths(places: Sequence[tuple[int, int]], scale: float) -> tuple[float, ...]:
    """Return the worth of an end by seat, in 0..1.

    Args:
        places: by seat what ranks it: points, then what breaks ties.
        scale: points of lead over the best other seat that are worth all that a lead is worth.
    """
    return tuple(_worth(mine, max(_without(places, seat)), scale) for seat, mine in enumerate(places))


def _without(places: Sequence[tuple[int, int]], seat: int) -> list[tuple[int, int]]:
    return [place for other, place in enumerate(places) if other != seat]


def _worth(mine: tuple[int, int], best: tuple[int, int], scale: float) -> float:
    won = 0.5 + 0.5 * ((mine > best) - (mine < best))
    lead = 0.5 + (mine[0] - best[0]) / (2 * scale)
    return (1 - LEAD_SHARE) * won + LEAD_SHARE * min(1.0, max(0.0, lead))
