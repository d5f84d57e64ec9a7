"""Verification: every stored game dealt again from the secret, replayed, and compared with what is stored about it.

Nothing is taken on trust but the rules: the id of a game follows from its ruleset, line-up, seating and deal, the cards
from the secret, forced and default actions from the referee's table, the result from the steps.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import BadOptions, RecordError, UsageError
from arena.games import Game, create
from arena.players.base import FaultPolicy
from arena.records.codec import decode, encode
from arena.records.record import Record
from arena.records.replay import game_of
from arena.referee.reenact import reenact
from arena.referee.table import Table
from arena.schedules.line_ups import Entrant
from arena.schedules.plan import game_id
from arena.seeds import commitment, deal_key
from arena.storage.reader import Reader
from arena.storage.rows import GameRow, StoredEntrant


@dataclass(frozen=True, slots=True)
class Checked:
    """One stored game that was checked.

    Attributes:
        game_id: its id.
        problem: what does not fit, "" when all does.
    """

    game_id: str
    problem: str


class Verifier:
    """Checks the games of one store against the league's secret.

    Args:
        store: the journal.
        secret: the league's secret, 32 bytes.

    Raises:
        RecordError: when the secret is not the one that the league began with.
    """

    def __init__(self, store: Reader, secret: bytes) -> None:
        meta = store.meta()
        self._store, self._secret = store, secret
        self._commitment = commitment(secret)
        if meta["commitment"] != self._commitment:
            raise RecordError(
                f"the secret is not the one of this league: its SHA-256 is {self._commitment}, "
                f"the league began with {meta['commitment']}"
            )
        facts = json.loads(meta["fingerprint"])
        self._policy = stored_policy(facts["faults"])
        self._ask_forced = bool(facts["league"]["ask_forced"])
        self._rulesets = {item.key: item.ruleset for item in store.rulesets()}
        self._entrants = {item.key: item for item in store.entrants()}
        self._games: dict[int, Game[Any, Any]] = {}
        self._digests: dict[str, bytes] = {}

    def games(self) -> Iterator[Checked]:
        """Check every stored game in the order of blocks; yield each when it is done."""
        for row in self._store.games():
            try:
                self._check(row)
            except (RecordError, UsageError) as error:
                yield Checked(row.game_id, str(error))
            else:
                yield Checked(row.game_id, "")

    def digest(self) -> str:
        """Return the league digest over the records that ``games`` has read, hex; as ``Reader.digest`` chains it."""
        chained = bytes(32)
        for key in sorted(self._digests):
            chained = hashlib.sha256(chained + self._digests[key]).digest()
        return chained.hex()

    def _check(self, row: GameRow) -> None:
        data = self._store.record_bytes(row.game_id)
        self._digests[row.game_id] = hashlib.sha256(data).digest()
        record = decode(data)
        if encode(record) != data:
            raise RecordError("the record is not in its canonical form")
        self._check_row(row, record)
        trace = json.loads(self._store.trace(row.game_id))
        if trace["id"] != row.game_id:
            raise RecordError(f"the trace is that of game {trace['id']}")
        game = self._game(row.ruleset)
        key = deal_key(self._secret, self._rulesets[row.ruleset], row.deal)
        for _ in reenact(record, Table(game, key, self._policy, ask_forced=self._ask_forced)):
            pass

    def _check_row(self, row: GameRow, record: Record) -> None:
        """Compare what the columns of a game say, and what follows from them, with its record."""
        seated = [self._entrants[key] for key in row.seated]
        line_up = tuple(Entrant(self._entrants[key].name, self._entrants[key].ordinal) for key in row.line_up)
        ruleset = self._rulesets[row.ruleset]
        pairs: dict[str, tuple[object, object]] = {
            "id": (row.game_id, record.game_id),
            "deal": (row.deal, record.deal),
            "players": ([_player(bot) for bot in seated], [[p.name, p.version, p.digest] for p in record.players]),
            "terminations": (row.terminations, record.terminations),
            "scores": (row.scores, record.scores),
            "ranks": (row.ranks, record.ranks),
            "commitment": (self._commitment, record.commitment),
            "ruleset": (self._game(row.ruleset).spec.ruleset, game_of(record).spec.ruleset),
        }
        for part, (stored, recorded) in pairs.items():
            if stored != recorded:
                raise RecordError(f"its row and its record differ in {part}: {_plain(stored)}, {_plain(recorded)}")
        if row.game_id != (due := game_id(ruleset, line_up, row.seating, row.deal)):
            raise RecordError(f"its ruleset, line-up, seating and deal are those of game {due}")

    def _game(self, key: int) -> Game[Any, Any]:
        """Return the rules of a stored ruleset.

        Raises:
            RecordError: when they are unknown here, or of another version.
        """
        if key not in self._games:
            stored = json.loads(self._rulesets[key])
            try:
                game = create(stored["game"], stored["seats"], **stored["options"])
            except BadOptions as error:
                raise RecordError(f"its ruleset cannot be played here: {error}") from error
            if game.spec.ruleset != self._rulesets[key]:
                raise RecordError(f"its ruleset is {self._rulesets[key]}; here it is {game.spec.ruleset}")
            self._games[key] = game
        return self._games[key]


def stored_policy(faults: Mapping[str, Any]) -> FaultPolicy:
    """Return what faults cost in a stored league, from the ``faults`` of its fingerprint."""
    costs = tuple((word, cost) for word, cost in faults.items() if word != "strikes")
    return FaultPolicy(costs, faults["strikes"])


def _player(bot: StoredEntrant) -> list[str]:
    return [bot.name, bot.version, bot.digest]


def _plain(value: object) -> str:
    return str(list(map(str, value)) if isinstance(value, tuple) else value)
