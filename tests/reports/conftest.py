"""A small league of No Thanks! as data: 12 deals in all seatings, one crash and one illegal action."""

from __future__ import annotations

from itertools import permutations

import pytest

from arena.errors import Termination
from arena.games import Chance, ChanceTurn, GameOver, Moves, create
from arena.ratings.ladder import Ladder
from arena.ratings.results import Result, Results
from arena.records.record import Entry, Fault, Player, Record, places
from arena.reports.rated import Rated
from arena.reports.standings import Played
from arena.seeds import Stream, chance_stream, deal_key, derive

NAMES = ("alpha", "beta", "gamma")
NORMAL = Termination.NORMAL


def play(deal: int, names: tuple[str, ...]) -> tuple[tuple[Entry, ...], GameOver]:
    """Play one round of No Thanks! at random; alpha alone spares itself the worst cards."""
    game = create("no_thanks", len(names), rounds=1)
    key = deal_key(b"x" * 32, game.spec.ruleset, deal)
    luck = Stream(derive(key, "bots", *names))
    state, entries = game.initial(), []
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            step: Chance | Moves = game.sample_chance(state, chance_stream(key, 0))
        else:
            (seat,) = turn.seats
            legal = game.legal_actions(state, seat)
            is_alpha = names[seat] == "alpha"
            takes = luck.below(2) and not (is_alpha and state.target > 30)
            step = Moves(((seat, "take" if takes or len(legal) == 1 else "pass"),))
        entries.append(Entry(step, isinstance(step, Moves) and len(legal) == 1))
        state = game.apply(state, step)
    return tuple(entries), turn


@pytest.fixture(scope="session")
def games() -> list[Played]:
    found = []
    for deal in range(12):
        for seating in permutations(NAMES):
            _, over = play(deal, seating)
            words = [NORMAL] * 3
            if deal == 3 and seating == NAMES:
                words[1] = Termination.CRASH
            if deal == 4 and seating == NAMES:
                words[1], words[2] = Termination.ILLEGAL, Termination.CRASH
            found.append(Played(deal, seating, tuple(words), over.scores, over.ranks))
    return found


@pytest.fixture(scope="session")
def whole(games: list[Played]) -> Rated:
    """The games with ladder and checks; 72 games in 1 second were measured."""
    return Rated.of(
        Results.of(
            Result(
                game.players,
                places(game.ranks, game.terminations),
                tuple(word is not NORMAL for word in game.terminations),
                deal=str(game.deal),
            )
            for game in games
        ),
        seconds_per_deal=6 / 72,
    )


@pytest.fixture(scope="session")
def rated(whole: Rated) -> Ladder:
    return whole.ladder


@pytest.fixture(scope="session")
def record() -> Record:
    """A recorded game in which beta's last answer was illegal, so that it is retired, and alpha once timed out."""
    entries, over = play(7, NAMES)
    timed_out = next(n for n, entry in enumerate(entries) if isinstance(entry.step, Moves) and not entry.forced)
    faults = (
        Fault(timed_out, 0, Termination.TIMEOUT, "default"),
        Fault(len(entries) - 1, 1, Termination.ILLEGAL, "retire"),
    )
    defaulted = Entry(entries[timed_out].step, defaulted=(0,))
    return Record(
        game_id="g7",
        game="no_thanks",
        rules_version=1,
        seats=3,
        options=dict(create("no_thanks", 3, rounds=1).spec.options),
        deal=7,
        commitment="",
        sandbox="none",
        players=tuple(Player(name, "1", "") for name in NAMES),
        entries=(*entries[:timed_out], defaulted, *entries[timed_out + 1 :]),
        faults=faults,
        terminations=(NORMAL, Termination.ILLEGAL, NORMAL),
        scores=over.scores,
        ranks=over.ranks,
    )
