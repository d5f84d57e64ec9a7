"""How many more deals, games and hours would separate neighbours of a ladder at 95 %."""

from __future__ import annotations

from arena.ratings.planner import DEALS_MAX, plan
from arena.reports.planned import duration
from arena.reports.rated import Rated
from arena.reports.rows import Cell, Column, Rows, number


def separation_rows(rated: Rated) -> Rows:
    """Return one row for every two neighbours of the ladder."""
    unit = rated.ladder.cluster_kind
    columns = (
        Column("name", "bot"),
        Column("below", "next"),
        Column("difference", "difference", 1, signed=True),
        Column("error", "+/-", 1),
        Column("more_deals", f"more {unit}s"),
        Column("more_games", "more games"),
        Column("seconds", "seconds"),
        Column("takes", "takes"),
    )
    rows: list[dict[str, Cell]] = []
    for row in plan(rated.ladder.fit, rated.seconds_per_deal):
        games = None if row.deals_more is None else round(row.deals_more * rated.games_per_deal)
        rows.append(
            {
                "name": row.name,
                "below": row.below,
                "difference": number(row.difference),
                "error": number(row.error),
                "more_deals": row.deals_more,
                "more_games": games,
                "seconds": number(row.seconds),
                "takes": _takes(row.deals_more, row.seconds),
            }
        )
    return Rows(columns, tuple(rows))


def separation_legend(rated: Rated) -> tuple[str, ...]:
    """Return what the numbers rest on."""
    unit = rated.ladder.cluster_kind
    speed = "The speed of this league is not known: it is measured when a run ends."
    if rated.seconds_per_deal:
        per_second = rated.games_per_deal / rated.seconds_per_deal
        speed = f"Time at the league's measured speed of {per_second:.3g} games/s."
    return (
        f"Difference to the next bot ± its 95 % half width; more {unit}s (played by everybody, "
        f"{rated.games_per_deal:.4g} games each) until the difference exceeds it, if it stays as it is. {speed}",
    )


def _takes(deals: int | None, seconds: float | None) -> str:
    if deals is None:
        return f"beyond {DEALS_MAX}"
    if deals == 0:
        return "separated"
    return "" if seconds is None else duration(seconds)
