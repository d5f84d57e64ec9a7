"""The clustered part of the errors: the sum over clusters of the outer square of each cluster's summed score.

Source: the cluster-robust ("sandwich") covariance of Huber 1967 and Liang and Zeger 1986.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from arena.ratings.blocks import Block, Scores
from arena.ratings.layout import Layout
from arena.ratings.results import Clusters
from arena.ratings.units import Floats

_ROWS = 4096
_SPARSE_COST = 30.0
"""A multiplication in a sparse product costs about this many in a dense one."""


def squared_cluster_scores(blocks: Sequence[Block], params: Floats, layout: Layout, clusters: Clusters) -> Floats:
    """Return the sum of squared cluster scores, shape (parameters, parameters)."""
    total = np.zeros((layout.size, layout.size))
    if clusters.kind == "game":
        for block in blocks:
            block.squared_scores(params, layout, total)
        return total
    parts = [_cluster_rows(block.scores(params, layout), layout, clusters) for block in blocks]
    if not parts:
        return total
    rows = parts[0]
    for part in parts[1:]:
        rows = rows + part
    return _gram(rows)


def _cluster_rows(scores: Scores, layout: Layout, clusters: Clusters) -> csr_array:
    """Return the summed scores of one block's games by cluster, shape (clusters, parameters)."""
    code = clusters.code[scores.game]
    value = scores.value[scores.row]
    width = value.shape[1]
    row, column, data = [np.repeat(code, width)], [scores.player[scores.row].ravel()], [value.ravel()]
    if scores.seat is not None:
        row.append(row[0])
        column.append(scores.seat[scores.row].ravel())
        data.append(value.ravel())
    if scores.tie is not None:
        row.append(code)
        column.append(np.full(len(code), layout.size - 1))
        data.append(scores.tie[scores.row])
    index = (np.concatenate(row), np.concatenate(column))
    return csr_array((np.concatenate(data), index), shape=(clusters.count, layout.size))


def _gram(rows: csr_array) -> Floats:
    """Return rows' rows, by whichever of sparse and dense products is cheaper."""
    size = rows.shape[1]
    filled = np.diff(rows.indptr).astype(np.float64)
    if _SPARSE_COST * float(filled @ filled) < rows.shape[0] * float(size) ** 2:
        return np.asarray((rows.T @ rows).toarray())
    total = np.zeros((size, size))
    for start in range(0, rows.shape[0], _ROWS):
        part = rows[start : start + _ROWS].toarray()
        total += part.T @ part
    return total
