"""From points to what is compared: margins and shares of the win. Seats are the last axis."""

from typing import Any

import numpy as np


def margins(points: Any, sign: int) -> np.ndarray:
    """By how much each seat is ahead of the mean of the others, float64 like `points`; higher is better, sum 0.

    `sign` is the game's POINTS_SIGN.
    """
    points = np.asarray(points, np.float64)
    players = points.shape[-1]
    return sign * (points * players - points.sum(-1, keepdims=True)) / (players - 1)


def win_shares(totals: Any, sign: int) -> np.ndarray:
    """The share of the win of each seat, float64 like `totals`: 1 / w for each of w winners, 0 for the others."""
    ahead = sign * np.asarray(totals)
    winners = ahead == ahead.max(-1, keepdims=True)
    return winners / winners.sum(-1, keepdims=True)


def win_rewards(totals: Any, sign: int) -> np.ndarray:
    """Zero-sum rewards for winning, float64 like `totals`: of w winners among n each gets (n / w - 1) / (n - 1), the
    others -1 / (n - 1).
    """
    return margins(win_shares(totals, sign), 1)
