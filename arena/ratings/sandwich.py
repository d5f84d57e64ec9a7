"""The clustered part of the errors: the sum over clusters of the outer square of each cluster's summed score.

Scores sum to zero in every game, so a small cluster's square is a sum over pairs of its entries (``layout.Edges``);
clusters with many entries are added up as dense rows instead.

Source: the cluster-robust ("sandwich") covariance of Huber 1967 and Liang and Zeger 1986.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from arena.ratings.blocks import Block, Scores
from arena.ratings.layout import Edges, Layout
from arena.ratings.results import Clusters
from arena.ratings.units import Floats, Ints

_ROWS = 4096
_EDGES = 1 << 19
_DENSE_FROM = 8
"""A cluster is taken as a dense row when it has more entries than this part of the number of players."""


def squared_cluster_scores(blocks: Sequence[Block], params: Floats, layout: Layout, clusters: Clusters) -> Floats:
    """Return the sum of squared cluster scores, shape (parameters, parameters)."""
    total = np.zeros((layout.size, layout.size))
    if clusters.kind == "game":
        for block in blocks:
            block.squared_scores(params, layout, total)
        return total
    parts = [block.scores(params, layout) for block in blocks]
    entries = _Entries.of(parts, layout.players, clusters)
    other = _other_columns(parts, layout, clusters)
    n = layout.players
    entries.add_squares(total)
    total[n:, n:] = other.T @ other
    if layout.size > n:
        cross = entries.times(other)
        total[:n, n:] = cross
        total[n:, :n] = cross.T
    return total


@dataclass(frozen=True, slots=True)
class _Entries:
    """Scores of the strengths, entry by entry, sorted by cluster; equal players of a cluster are not yet summed."""

    players: int
    code: Ints
    player: Ints
    value: Floats
    count: Ints

    @classmethod
    def of(cls, parts: Sequence[Scores], players: int, clusters: Clusters) -> _Entries:
        """Return the entries of all games."""
        code = _joined([np.repeat(clusters.code[part.game], part.value.shape[1]) for part in parts])
        player = _joined([part.player.ravel() for part in parts])
        value = _joined([part.value.ravel() for part in parts])
        count = np.bincount(code, minlength=clusters.count)
        is_one_chunk = clusters.count <= _ROWS and int(count.min()) * _DENSE_FROM > players
        if not is_one_chunk and (code[1:] < code[:-1]).any():
            order = np.argsort(code, kind="stable")
            code, player, value = code[order], player[order], value[order]
        return cls(players, code, player, value, count)

    def times(self, other: Floats) -> Floats:
        """Return the sum over clusters of score times a row of other columns, shape (players, columns)."""
        columns = [np.bincount(self.player, self.value * column[self.code], self.players) for column in other.T]
        return np.stack(columns, axis=1)

    def add_squares(self, total: Floats) -> None:
        """Add the outer squares of the clusters' sums to the players' corner of a matrix, in place."""
        starts = np.cumsum(self.count) - self.count
        layout = Layout.of(self.players, ())
        is_dense = self.count * _DENSE_FROM > self.players
        for size in np.flatnonzero(np.bincount(self.count[~is_dense])):
            if size:
                entry = starts[(self.count == size) & ~is_dense] + np.arange(size)[:, None]
                self._add_pairs(entry, total, layout)
        dense = np.flatnonzero(is_dense)
        for first in range(0, len(dense), _ROWS):
            rows = self._dense(dense[first : first + _ROWS])
            total[: self.players, : self.players] += rows.T @ rows

    def _add_pairs(self, entry: Ints, total: Floats, layout: Layout) -> None:
        """Add the entry pairs of clusters of one size; entry numbers have the shape (size, clusters).

        A slice of the pairs at a time: large temporary arrays cost more than the sums.
        """
        a, b = np.triu_indices(len(entry), 1)
        player, value = self.player[entry], self.value[entry]
        step = max(1, _EDGES // entry.shape[1])
        for first in range(0, len(a), step):
            i, j = a[first : first + step], b[first : first + step]
            Edges(player[i].ravel(), player[j].ravel(), (-value[i] * value[j]).ravel()).add_to(total, layout)

    def _dense(self, chosen: Ints) -> Floats:
        """Return the summed scores of some clusters as rows, shape (chosen, players)."""
        code, player, value = self.code, self.player, self.value
        if len(chosen) < len(self.count):
            first, last = np.searchsorted(code, [chosen[0], chosen[-1] + 1])
            code, player, value = code[first:last], player[first:last], value[first:last]
            row = np.full(len(self.count), -1, dtype=np.int64)
            row[chosen] = np.arange(len(chosen))
            kept = row[code] >= 0
            code, player, value = row[code[kept]], player[kept], value[kept]
        flat = np.bincount(code * self.players + player, value, len(chosen) * self.players)
        return np.asarray(flat.reshape(len(chosen), self.players), dtype=np.float64)


Column = TypeVar("Column", Ints, Floats)


def _joined(columns: list[Column]) -> Column:
    """Return columns end to end, without a copy when there is one."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _other_columns(parts: Sequence[Scores], layout: Layout, clusters: Clusters) -> Floats:
    """Return the summed scores of seat effects and tie parameter by cluster, shape (clusters, parameters - players)."""
    n, width = layout.players, layout.size - layout.players
    other = np.zeros(clusters.count * width)
    for part in parts:
        base = clusters.code[part.game] * width
        if part.seat is not None:
            for position in range(part.value.shape[1]):
                key = base + (part.seat[..., position] - n)
                other += np.bincount(key, part.value[:, position], len(other))
        if part.tie is not None:
            other += np.bincount(base + width - 1, part.tie, len(other))
    return other.reshape(clusters.count, width)
