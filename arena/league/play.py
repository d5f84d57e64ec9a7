"""One game while it is played in a sitting: its table, its seats' clocks and views, its trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arena.errors import Termination
from arena.games import Game, Seat
from arena.games.base import Race
from arena.league.job import GameJob, Job
from arena.players.base import Limits
from arena.players.levels import level_of
from arena.protocol.convert import Bundle, SeatView
from arena.records.codec import canonical_json, encode
from arena.records.record import Finished, Player, Record, places
from arena.referee.clock import US, Key, SeatClock
from arena.referee.table import Table


def race_limits(limits: Limits, race: Race) -> Limits:
    """Return the limits of a game of mode ``race``: its window acts alone (design section 9)."""
    return replace(limits, move_ms=race.window_ms, bank_ms=0, increment_ms=0, margin_ms=0)


class Play:
    """An open game.

    Attributes:
        number: index in the job's games, which is deal order.
        table: where it is played.
        clocks: time by seat.
        strays: answers to no open request, by seat.
        race: the timing of its windows in mode ``race``, else None.
        late_in_a_row: mode ``race``: windows in a row that a seat missed.
        job: ids, keys and seeds of the game.
        wire_id: what bots are told as its id, and name it by.
    """

    __slots__ = (
        "_evidence",
        "_game",
        "_job",
        "_timings",
        "_views",
        "clocks",
        "job",
        "late_in_a_row",
        "number",
        "race",
        "strays",
        "table",
        "wire_id",
    )

    def __init__(self, sitting: Job, game: Game[Any, Any], number: int) -> None:
        self._job = sitting
        self._game = game
        self.job: GameJob = sitting.games[number]
        self.number = number
        self.wire_id = self.job.wire_id or self.job.game_id
        self.table = Table(game, self.job.deal_key, sitting.policy, ask_forced=sitting.ask_forced)
        self.race = game.race_timing
        limits = race_limits(sitting.limits, self.race) if self.race else sitting.limits
        self.clocks = tuple(SeatClock(limits) for _ in range(game.seats))
        self.late_in_a_row = [0] * game.seats
        self.strays = [0] * game.seats
        self._views = tuple(SeatView(sitting.game) for _ in range(game.seats))
        self._timings: list[tuple[int, int, int, int]] = []
        self._evidence: list[dict[str, Any]] = []

    @property
    def game_id(self) -> str:
        """Id of the game."""
        return self.job.game_id

    def key(self, seat: Seat) -> Key:
        """Return the name of the seat's present request."""
        return self.wire_id, self.table.decisions[seat] - 1

    def announce(self, seat: Seat, bundle: Bundle) -> None:
        """Add the announcement of this game to a seat."""
        spec = self._game.spec
        bundle.new_game(self.wire_id, spec.id, seat, spec.seats, spec.options, self.job.bot_seeds[seat])

    def ask(self, seat: Seat, bundle: Bundle, *, events: bool) -> None:
        """Add the seat's present request."""
        table, times = self.table, self.clocks[seat].times
        news = table.news(seat) if events else ()
        bundle.request(self.key(seat), times, table.listed(seat), self._views[seat], table.view(seat), news)

    def charge(self, seat: Seat, used_ns: int) -> None:
        """Charge a decision to its seat and note it in the trace."""
        clock = self.clocks[seat]
        clock.charge(used_ns)
        self._timings.append((seat, len(self.table.entries), used_ns // US, clock.bank_ns // US))

    def note(self, seat: Seat, word: Termination, words: str, **evidence: Any) -> None:
        """Keep the evidence of a fault, before it is ruled."""
        legal = list(self.table.legal(seat)) if self.table.is_asked(seat) else []
        clock = self.clocks[seat]
        self._evidence.append(
            {
                "step": len(self.table.entries),
                "seat": seat,
                "word": word,
                "words": words,
                "decision": self.table.decisions[seat] - 1,
                "legal": legal,
                "bank_us": clock.bank_ns // US,
                "spent_us": clock.spent_ns // US,
                **evidence,
            }
        )

    def tell_over(self, bundle: Bundle) -> None:
        """Add the end of this game; ranks are final places."""
        over, words = self.table.over, self.table.terminations
        assert over is not None
        bundle.game_over(self.wire_id, over.scores, places(over.ranks, words), words)

    def finished(self) -> Finished:
        """Return the game for the store."""
        over, table = self.table.over, self.table
        assert over is not None
        words = tuple(table.terminations)
        return Finished(
            self.game_id, words, over.scores, over.ranks, encode(self._record()), canonical_json(self._trace())
        )

    def _record(self) -> Record:
        spec, table = self._game.spec, self.table
        assert table.over is not None
        return Record(
            game_id=self.game_id,
            game=spec.id,
            rules_version=spec.rules_version,
            seats=spec.seats,
            options=spec.options,
            deal=self.job.deal,
            commitment=self._job.commitment,
            sandbox=level_of(self._job.limits),
            players=tuple(Player(bot.name, bot.version, bot.digest) for bot in self._job.programs),
            entries=tuple(table.entries),
            faults=tuple(table.faults),
            terminations=tuple(table.terminations),
            scores=table.over.scores,
            ranks=table.over.ranks,
        )

    def _trace(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "id": self.game_id,
            "wire_id": self.wire_id,
            "decisions": self._timings,
            "decision_columns": ["seat", "step", "charged_us", "bank_us"],
            "faults": self._evidence,
            "strays": self.strays,
        }
