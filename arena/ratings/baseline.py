"""A bare Bradley-Terry Newton on counts, to measure the real fit against: no seats, half wins, naive covariance."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from arena.ratings.units import Floats, Ints


def count_points(player: Ints, rank: Ints, players: int) -> tuple[Floats, Floats]:
    """Return points (row's against column) and games of two-seat games, shape (players, players) each.

    Args:
        player: player numbers by seat, shape (games, 2).
        rank: places by seat, shape (games, 2).
        players: number of players.
    """
    size = players * players
    first = (1 + np.sign(rank[:, 1] - rank[:, 0])) / 2
    key = player[:, 0] * players + player[:, 1]
    won = np.bincount(key, first, size).reshape(players, players)
    games = np.bincount(key, minlength=size).reshape(players, players)
    points = won + (games - won).T
    return points, (games + games.T).astype(np.float64)


def bradley_terry(points: Floats, games: Floats) -> tuple[Floats, Floats]:
    """Return maximum-likelihood strengths in nats (mean 0), shape (players,), and their naive covariance in nats².

    Args:
        points: points of row against column, shape (players, players).
        games: games between row and column, symmetric.
    """
    players = len(points)
    strength = np.zeros(players)
    for _ in range(100):
        p = expit(strength[:, None] - strength[None, :])
        gradient = (points - games * p).sum(axis=1)
        information = -games * p * (1 - p)
        information[np.diag_indices(players)] -= information.sum(axis=1)
        factor = cho_factor(information + np.trace(information) / players**2, lower=True)
        strength = strength + cho_solve(factor, gradient)
        if np.abs(gradient).max() <= 1e-9 * games.sum() / 2:
            break
    covariance = cho_solve(factor, np.eye(players))
    covariance -= covariance.mean(axis=0)
    return strength - strength.mean(), covariance - covariance.mean(axis=1, keepdims=True)
