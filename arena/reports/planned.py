"""The plan of a league before it is played: games, line-ups, sittings, and about how long they take."""

from __future__ import annotations

import random
from collections.abc import Iterator

from arena.games import ChanceTurn, GameOver, Moves, create
from arena.league.runner import Tally
from arena.league.values import GamePlan, League
from arena.reports.rows import Cell, Column, Rows
from arena.schedules.plan import Plan, chunks
from arena.schedules.seatings import evenness, seatings
from arena.seeds import chance_stream

START_S = 0.3
"""Seconds to start the bots of a sitting (performance.md: 0.26 for three Python bots)."""
DECISION_S = 70e-6
"""Seconds of a decision of an instant bot on one core, both sides (performance.md)."""
SAMPLE_GAMES = 3


def plan_rows(league: League) -> Rows:
    """Return one row a ``[[game]]``: what is played, how often, and how even the seatings are."""
    columns = (
        Column("game", "game"),
        Column("seats", "seats"),
        Column("bots", "bots"),
        Column("line_ups", "line-ups"),
        Column("seatings", "seatings"),
        Column("deals", "deals"),
        Column("games", "games"),
        Column("even", "seatings are"),
    )
    rows: list[dict[str, Cell]] = []
    for game, part in zip(league.games, league.plan().rulesets, strict=True):
        rows.append(
            {
                "game": game.name,
                "seats": game.seats,
                "bots": len(part.field.entrants),
                "line_ups": part.field.count,
                "seatings": len(part.seatings),
                "deals": game.deals,
                "games": part.games,
                "even": str(evenness(seatings(game.seatings, game.seats))),
            }
        )
    return Rows(columns, tuple(rows))


def plan_words(league: League, workers: int) -> str:
    """Return the whole plan in one sentence, with an estimate for bots that answer at once."""
    plan = league.plan()
    game_s = [DECISION_S * decisions(game) for game in league.games]
    sittings = sum(part.sittings for part in plan.rulesets)
    playing = sum(part.games * seconds for part, seconds in zip(plan.rulesets, game_s, strict=True))
    seconds = (playing + START_S * sittings) / workers
    share = 100 * plan.start_up_share(START_S, game_s)
    return (
        f"{plan.games} games in {sittings} sittings with {workers} workers: about {duration(seconds)} on an idle "
        f"machine if the bots answer at once ({share:.0f} % of it starting bots), longer as they think or fail"
    )


def time_left(plan: Plan, games_left: int, played: int, tally: Tally, elapsed_s: float) -> float | None:
    """Return about how many seconds a run will go on, from what its sittings have cost so far; None if none has ended.

    Early sittings are short, so that starting bots is much of their time, and late ones long: games a second would say
    too much at first. What a start and a game cost, and how much of that is done in a second, is measured apart; the
    last holds the number of workers and whatever else the machine does.

    Args:
        plan: the whole league.
        games_left: games that are not stored.
        played: games that this run has stored.
        tally: what its sittings have cost.
        elapsed_s: since its first sitting began.
    """
    if not tally.sitting_games or not played or elapsed_s <= 0:
        return None
    start = tally.start_seconds / tally.sittings
    game = max(0.0, tally.seconds - tally.start_seconds) / tally.sitting_games
    done_in_a_second = (start * tally.sittings + game * played) / elapsed_s
    return (start * sittings_left(plan, games_left) + game * games_left) / done_in_a_second


def sittings_left(plan: Plan, games_left: int) -> float:
    """Return how many sittings the last games of a plan are played in; sittings run chunk by chunk of deals."""
    cuts = [chunks(part.deals, later=part.chunk) for part in plan.rulesets]
    found = 0.0
    for chunk in reversed(range(max(map(len, cuts), default=0))):
        rows = [
            (part.field.count * len(part.seatings), len(cut[chunk]))
            for part, cut in zip(plan.rulesets, cuts, strict=True)
            if chunk < len(cut)
        ]
        games = sum(sittings * deals for sittings, deals in rows)
        here = min(games_left, games)
        found += sum(sittings for sittings, _ in rows) * here / games
        games_left -= here
    return found


def decisions(game: GamePlan) -> float:
    """Return the mean number of decisions of a random game, from a few that are played here."""
    return sum(_playout(game, number) for number in range(SAMPLE_GAMES)) / SAMPLE_GAMES


def _playout(plan: GamePlan, number: int) -> int:
    return sum(1 for _ in _asked(plan, random.Random(number), bytes([number]) * 32))


def _asked(plan: GamePlan, choice: random.Random, key: bytes) -> Iterator[int]:
    """Yield the seat of every decision with a choice in a random game."""
    game = create(plan.id, plan.seats, **plan.options)
    state, events = game.initial(), 0
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, chance_stream(key, events)))
            events += 1
            continue
        legal = {seat: game.legal_actions(state, seat) for seat in turn.seats}
        yield from (seat for seat, actions in legal.items() if len(actions) > 1)
        state = game.apply(state, Moves(tuple((seat, choice.choice(actions)) for seat, actions in legal.items())))


def duration(seconds: float) -> str:
    """Return a duration for a person: ``8 s``, ``3 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
