"""Whether seat effects can be told from strengths: they cannot when, say, each player always sat in the same seat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from arena.ratings.blocks import Block
from arena.ratings.groups import Groups
from arena.ratings.layout import Layout
from arena.ratings.pairs import PairBlock
from arena.ratings.units import Floats

_RELATIVE = 1e-9


def seat_sizes(
    blocks: Sequence[Block], players: int, sizes: tuple[int, ...], groups: Groups, tie_start: float | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the table sizes whose seat effects can be fitted, and those that are confounded with the strengths.

    The information that is left for the seats after the strengths took theirs must be regular. Which directions carry
    no information does not depend on the strengths, so it is looked at where all are equal.

    Args:
        blocks: the games.
        players: number of players.
        sizes: the table sizes, ascending.
        groups: connected groups.
        tie_start: a value of the tie parameter, or None in a model without one.
    """
    if not sizes:
        return (), ()
    if all(isinstance(block, PairBlock) and block.has_both_seatings() for block in blocks):
        return sizes, ()
    layout = Layout.of(players, sizes, has_tie=tie_start is not None)
    rest = _left_for_seats(blocks, layout, groups, np.append(np.zeros(layout.seat_end), tie_start or 0.0))
    kept: list[int] = []
    for seats in sizes:
        if _is_regular(rest, layout, [*kept, seats]):
            kept.append(seats)
    return tuple(kept), tuple(seats for seats in sizes if seats not in kept)


def _left_for_seats(blocks: Sequence[Block], layout: Layout, groups: Groups, params: Floats) -> Floats:
    """Return the Schur complement of the players in the information at equal strengths, shape (seats, seats)."""
    information = np.zeros((layout.size, layout.size))
    for block in blocks:
        block.evaluate(params[: layout.size], layout, information)
    n, end = layout.players, layout.seat_end
    strengths = information[:n, :n]
    for group in range(groups.weak_count):
        members = groups.members(group)
        strengths[np.ix_(members, members)] += max(float(np.diag(strengths)[members].mean()), 1.0) / len(members)
    cross = information[:n, n:end]
    return np.asarray(information[n:end, n:end] - cross.T @ cho_solve(cho_factor(strengths, lower=True), cross))


def _is_regular(rest: Floats, layout: Layout, sizes: list[int]) -> bool:
    columns = np.concatenate([layout.seat_columns(seats) for seats in sizes]) - layout.players
    matrix = rest[np.ix_(columns, columns)].copy()
    scale = max(float(np.abs(rest).max()), 1e-12)
    start = 0
    for seats in sizes:
        matrix[start : start + seats, start : start + seats] += scale  # the effects of one size sum to 0
        start += seats
    return float(np.linalg.eigvalsh(matrix)[0]) > _RELATIVE * max(scale, 1.0)
