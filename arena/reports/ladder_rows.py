"""A ladder as rows: the columns that standings of a league and ratings of a file share."""

from __future__ import annotations

from arena.ratings.ladder import Ladder, LadderRow
from arena.ratings.planner import plan
from arena.reports.checks import Checks
from arena.reports.rows import Cell, Column, Rows, number, percent

PLACES_NAMED = ("1st %", "2nd %", "3rd %")


def ladder_columns(ladder: Ladder, checks: Checks | None = None) -> tuple[Column, ...]:
    """Return the columns of a ladder.

    A column that would say nothing is left out, in every format alike: the group when all have met, the limit when no
    rating is a bound, places at tables of two, Nash averaging while the results are transitive.
    """
    widest = max((len(row.place_shares) for row in ladder.rows), default=2)
    has_nash = checks is not None and checks.nash is not None
    extra = {
        "group": ladder.groups > 1,
        "limit": any(row.bound for row in ladder.rows),
        "mean_place": widest > 2,
        "nash_percent": has_nash,
        "nash_value_percent": has_nash,
    }
    shares = tuple(Column(_place_key(place), _place_title(place), 1, detail=7) for place in range(1, widest + 1))
    in_circles = checks is not None and bool(checks.transitivity.cycles)
    columns = tuple(column for column in _columns(ladder, in_circles=in_circles) if extra.get(column.key, True))
    return (*columns, *shares) if widest > 2 else columns


def _columns(ladder: Ladder, *, in_circles: bool) -> tuple[Column, ...]:
    nash = 2 if in_circles else 7  # without a circle it says no more than who is first
    return (
        Column("group", "group"),
        Column("rank", "#"),
        Column("name", "bot"),
        Column("bound", ""),
        Column("elo", "Elo", 1, signed=True),
        Column("error", "+/-", 1),
        Column("limit", "limit", 1, signed=True, detail=2),
        Column("los_next_percent", "LOS>", 1, detail=3),
        Column("rank_range", "rank", detail=1),
        Column("more_deals", f"+{ladder.cluster_kind}s", detail=4),
        Column("points", "points", 1),
        Column("games", "games"),
        Column("points_percent", "%", 1, detail=2),
        Column("wins", "W", detail=5),
        Column("ties", "T", detail=5),
        Column("losses", "L", detail=5),
        Column("tie_percent", "T%", 1, detail=7),
        Column("opponents_elo", "OppElo", 1, signed=True, detail=7),
        Column("opponents", "OppN", detail=7),
        Column("sonneborn_berger", "SB", detail=7),
        Column("first_seat_percent", "seat 1 %", 1, detail=7),
        Column("win_share_percent", "wins %", 1, detail=7),
        Column("mean_place", "place", 2, detail=6),
        Column("nash_percent", "Nash %", 1, detail=nash),
        Column("nash_value_percent", "against it", 1, signed=True, detail=nash),
    )


def ladder_cells(ladder: Ladder, checks: Checks | None = None) -> tuple[dict[str, Cell], ...]:
    """Return the cells of all rows, in the order of the ladder; more keys than ``ladder_columns`` shows."""
    more = {row.name: row.deals_more for row in plan(ladder.fit)}
    nash = checks.nash if checks and checks.nash else {}
    return tuple(_cells(row, more.get(row.name)) | _nash_cells(nash.get(row.name)) for row in ladder.rows)


def ladder_rows(ladder: Ladder, checks: Checks | None = None) -> Rows:
    """Return the ladder of a results file, with games lost by fault in one column."""
    columns = (*ladder_columns(ladder, checks), *([Column("faults", "faults")] if ladder.retired else []))
    return Rows(columns, ladder_cells(ladder, checks))


def _cells(row: LadderRow, more_deals: int | None) -> dict[str, Cell]:
    return {
        "group": row.group,
        "rank": row.rank,
        "name": row.name,
        "bound": row.bound,
        "elo": number(row.elo),
        "error": number(row.error),
        "limit": number(row.limit),
        "los_next_percent": percent(row.los_next),
        "rank_range": f"{row.rank_low}-{row.rank_high}",
        "more_deals": more_deals,
        "points": number(row.points),
        "games": row.games,
        "points_percent": percent(row.points_share),
        "wins": row.wins,
        "ties": row.ties,
        "losses": row.losses,
        "tie_percent": percent(row.ties / row.games if row.games else None),
        "opponents_elo": number(row.opponents_elo),
        "opponents": row.opponents,
        "sonneborn_berger": number(row.sonneborn_berger),
        "first_seat_percent": percent(row.first_seat_share),
        "win_share_percent": percent(row.win_share),
        "mean_place": number(row.mean_place),
        "faults": row.retired,
        **{_place_key(place): percent(share) for place, share in enumerate(row.place_shares, start=1)},
    }


def _nash_cells(nash: tuple[float, float] | None) -> dict[str, Cell]:
    mass, value = nash or (None, None)
    return {"nash_percent": percent(mass), "nash_value_percent": percent(value)}


def _place_key(place: int) -> str:
    return f"place_{place}_percent"


def _place_title(place: int) -> str:
    return PLACES_NAMED[place - 1] if place <= len(PLACES_NAMED) else f"{place}th %"
