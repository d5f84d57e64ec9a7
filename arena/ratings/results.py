"""Results of games: one game as a value, and many games as columns.

A seat is *ranked* (1-based place, shared = tie), *unranked* (behind every ranked seat, never compared with another
unranked one: all that is known when only the winner was written down) or *retired* (lost by fault: behind everybody,
never compared with another retired seat). Unranked is not tied, and a fault is never a tie. Where one table has both,
the fit compares neither with the other; points put the retired seats last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.ratings.units import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Result:
    """One finished game, seats in order.

    Attributes:
        players: names by seat, at least two, all different.
        ranks: final places by seat, 1 = best, equal = tie, None = unranked.
        retired: which seats lost by fault; empty means none. Their ranks are ignored.
        deal: label of the deal (the same cards to the same seats); games of one deal are one cluster.
        block: label of a set of rotated games when no deal is known.
        game_id: unique id of the game.
        scores: by seat, in the game's own unit.
    """

    players: tuple[str, ...]
    ranks: tuple[int | None, ...]
    retired: tuple[bool, ...] = ()
    deal: str | None = None
    block: str | None = None
    game_id: str | None = None
    scores: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        seats = len(self.players)
        if not self.retired:
            object.__setattr__(self, "retired", (False,) * seats)
        if len(self.ranks) != seats or len(self.retired) != seats:
            raise ValueError(f"game {self.game_id}: {seats} players need {seats} ranks and {seats} retired flags")
        if self.scores is not None and len(self.scores) != seats:
            raise ValueError(f"game {self.game_id}: {seats} players need {seats} scores")


@dataclass(frozen=True, slots=True)
class Table:
    """The games of one table size, as rectangles.

    Attributes:
        seats: k, the table size.
        games: numbers of the games in their ``Results``, shape (games,).
        player: player numbers by seat, shape (games, k).
        rank: places by seat, 0 = unranked or retired, shape (games, k).
        retired: seats lost by fault, shape (games, k).
    """

    seats: int
    games: Ints
    player: Ints
    rank: Ints
    retired: Bools


@dataclass(frozen=True, slots=True)
class Results:
    """Many games as columns; build one with ``of`` or ``from_arrays``, which validate.

    Attributes:
        names: the players, sorted; a player's number is its place here.
        starts: first seat entry of each game and, last, the number of entries, shape (games + 1,).
        player: player numbers, seat by seat and game by game, shape (entries,).
        rank: places, 0 = unranked or retired, shape (entries,).
        retired: seats lost by fault, shape (entries,).
        deal: number of the deal's label in ``deal_labels``, -1 = none, shape (games,).
        block: number of the block's label, -1 = none, shape (games,).
        deal_labels: the deals' labels in natural order (numbers by value).
        game_ids: ids in the order of the games, or empty.
        scores: in the game's own unit, shape (entries,), or None.
    """

    names: tuple[str, ...]
    starts: Ints
    player: Ints
    rank: Ints
    retired: Bools
    deal: Ints
    block: Ints
    deal_labels: tuple[str, ...] = ()
    game_ids: tuple[str, ...] = field(default=(), repr=False)
    scores: Floats | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of(cls, results: Iterable[Result]) -> Results:
        """Return the columns of single results.

        Raises:
            ValueError: for a game with fewer than two players, a player twice at a table, a rank under 1, a game id
                twice, or scores in some games only.
        """
        games = list(results)
        names = tuple(sorted({name for game in games for name in game.players}))
        number = {name: index for index, name in enumerate(names)}
        flat_ranks = [rank for game in games for rank in game.ranks]
        if any(rank is not None and rank < 1 for rank in flat_ranks):
            raise ValueError("a rank must be 1 or more (None: unranked)")
        retired = np.array([flag for game in games for flag in game.retired], dtype=np.bool_)
        deal, deal_labels = _codes([game.deal for game in games])
        block, _ = _codes([game.block for game in games])
        built = cls(
            names=names,
            starts=np.cumsum([0, *(len(game.players) for game in games)], dtype=np.int64),
            player=np.array([number[name] for game in games for name in game.players], dtype=np.int64),
            rank=np.where(retired, 0, np.array([rank or 0 for rank in flat_ranks], dtype=np.int64)),
            retired=retired,
            deal=deal,
            block=block,
            deal_labels=deal_labels,
            game_ids=_checked_ids([game.game_id for game in games]),
            scores=_flat_scores(games),
        )
        _check_tables(built)
        return built

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[str],
        player: Ints,
        rank: Ints,
        *,
        retired: Bools | None = None,
        deal: Ints | None = None,
    ) -> Results:
        """Return games of one table size from rectangles, without a Python object per game.

        Args:
            names: one name per player number, all different, in any order.
            player: numbers into ``names`` by seat, shape (games, k), k >= 2.
            rank: places by seat, 0 = unranked, shape (games, k).
            retired: seats lost by fault, shape (games, k).
            deal: label numbers, -1 = none, shape (games,).

        Raises:
            ValueError: for shapes that do not fit, unknown player numbers, a player twice at a table, a rank under 0.
        """
        games, seats = player.shape
        if rank.shape != player.shape or seats < 2:
            raise ValueError("player and rank must be rectangles of one shape, with two or more seats")
        if len(set(names)) != len(names):
            raise ValueError("two players share one name")
        if games and not (player.min() >= 0 and player.max() < len(names) and rank.min() >= 0):
            raise ValueError("player numbers must point into names and ranks must not be negative")
        order = np.array(sorted(range(len(names)), key=lambda index: names[index]), dtype=np.int64)
        number = np.empty(len(names), dtype=np.int64)
        number[order] = np.arange(len(names))
        flags = np.zeros(player.shape, dtype=np.bool_) if retired is None else retired
        labels, deal_codes = (
            (np.zeros(0, dtype=np.int64), np.full(games, -1, dtype=np.int64)) if deal is None else _label_codes(deal)
        )
        built = cls(
            names=tuple(names[index] for index in order),
            starts=np.arange(0, games * seats + 1, seats, dtype=np.int64),
            player=number[player.ravel()],
            rank=np.where(flags, 0, rank).ravel().astype(np.int64),
            retired=flags.ravel(),
            deal=deal_codes,
            block=np.full(games, -1, dtype=np.int64),
            deal_labels=tuple(str(label) for label in labels),
        )
        _check_tables(built)
        return built

    def tables(self) -> tuple[Table, ...]:
        """Return the games as rectangles, one per table size, smallest first."""
        sizes = np.diff(self.starts)
        if len(sizes) and sizes.min() == sizes.max():
            return (self._table(int(sizes[0]), np.arange(len(self))),)
        return tuple(self._table(int(seats), np.flatnonzero(sizes == seats)) for seats in np.unique(sizes))

    def _table(self, seats: int, games: Ints) -> Table:
        if len(games) == len(self):
            shape = (len(games), seats)
            return Table(
                seats, games, self.player.reshape(shape), self.rank.reshape(shape), self.retired.reshape(shape)
            )
        entry = self.starts[games][:, None] + np.arange(seats)
        return Table(seats, games, self.player[entry], self.rank[entry], self.retired[entry])

    def select(self, games: Ints) -> Results:
        """Return the games with these numbers (repeats allowed), all players kept; game ids are dropped."""
        sizes = np.diff(self.starts)[games]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entry = np.repeat(self.starts[games] - starts[:-1], sizes) + np.arange(starts[-1])
        return Results(
            names=self.names,
            starts=starts,
            player=self.player[entry],
            rank=self.rank[entry],
            retired=self.retired[entry],
            deal=self.deal[games],
            block=self.block[games],
            deal_labels=self.deal_labels,
            scores=None if self.scores is None else self.scores[entry],
        )


@dataclass(frozen=True, slots=True)
class Clusters:
    """Which games share luck: the unit of the errors.

    Attributes:
        kind: ``deal``, ``block`` or ``game``: the widest unit in use.
        code: cluster number by game, shape (games,), 0..count-1.
        count: number of clusters.
    """

    kind: str
    code: Ints
    count: int


def cluster_games(results: Results, by: str = "deal") -> Clusters:
    """Return the clusters: a game's deal, else its block, else the game alone.

    Args:
        results: the games.
        by: the widest unit to use: ``deal`` (all three), ``block`` or ``game``.

    Raises:
        ValueError: if ``by`` is another word.
    """
    if by not in ("deal", "block", "game"):
        raise ValueError(f"cluster by {by!r}: accepted are deal, block, game")
    games = len(results)
    key = np.arange(games, dtype=np.int64)
    if by in ("deal", "block"):
        key = np.where(results.block >= 0, games + results.block, key)
    if by == "deal":
        key = np.where(results.deal >= 0, 2 * games + results.deal, key)
    kind = "deal" if (key >= 2 * games).any() else "block" if (key >= games).any() else "game"
    if kind == "game":
        return Clusters(kind, key, games)
    number = np.cumsum(np.bincount(key) > 0) - 1
    return Clusters(kind, number[key], int(number[-1]) + 1)


def natural_key(label: str) -> tuple[int, int, str]:
    """Return a sort key that puts whole numbers first, by value, and other labels after, by text."""
    return (0, int(label), label) if label.isascii() and label.isdigit() else (1, 0, label)


def _codes(labels: list[str | None]) -> tuple[Ints, tuple[str, ...]]:
    known = sorted({label for label in labels if label is not None}, key=natural_key)
    number = {label: index for index, label in enumerate(known)}
    codes = [-1 if label is None else number[label] for label in labels]
    return np.array(codes, dtype=np.int64), tuple(known)


def _label_codes(deal: Ints) -> tuple[Ints, Ints]:
    labels, code = np.unique(deal, return_inverse=True)
    below = int((labels < 0).sum())
    return labels[below:], np.maximum(code.astype(np.int64) - below, -1)


def _checked_ids(ids: list[str | None]) -> tuple[str, ...]:
    known = [game_id for game_id in ids if game_id is not None]
    if len(set(known)) != len(known):
        twice, _ = Counter(known).most_common(1)[0]
        raise ValueError(f"game id {twice!r} is given twice")
    return tuple(known) if len(known) == len(ids) else ()


def _flat_scores(games: list[Result]) -> Floats | None:
    given = [game.scores for game in games if game.scores is not None]
    if not given:
        return None
    if len(given) != len(games):
        raise ValueError("some games have scores and some have none")
    return np.array([score for scores in given for score in scores], dtype=np.float64)


def _check_tables(results: Results) -> None:
    sizes = np.diff(results.starts)
    if len(sizes) and sizes.min() < 2:
        raise ValueError(f"game {int(np.argmin(sizes)) + 1} has fewer than two players")
    for table in results.tables():
        in_order = np.sort(table.player, axis=1)
        twice = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        if twice.any():
            row = int(np.argmax(twice))
            raise ValueError(f"game {int(table.games[row]) + 1} has a player twice at its table")
