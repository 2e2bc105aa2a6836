"""Ratings: one number for strength at any table, with its uncertainty, from the final totals of games."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from openskill.models import PlackettLuce


class Rating(NamedTuple):
    """Strength on openskill's scale, where everyone begins at 25 ± 25/3, and its standard deviation."""

    mu: float
    sigma: float


def rate(contestants: int, games: Iterable[tuple[Sequence[int], Any]], sign: int) -> list[Rating]:
    """Rates contestants 0 … contestants-1 by games in their order, with the Plackett–Luce model of Weng and Lin (2011).

    A game is who sat at each seat and the totals of the seats; `sign` is the game's POINTS_SIGN, equal totals tie.
    Contestants do not change, so their uncertainty only falls (tau = 0). One that sat at several seats of a game is
    rated at each of them from what it had before, and takes all of these steps, as the likelihood of the game does.
    Games of the same cards count as independent: sigma is the model's, and too small where there are few deals.
    """
    model = PlackettLuce(tau=0.0)
    ratings = [model.rating() for _ in range(contestants)]
    for seats, totals in games:
        teams = [[model.rating(mu=ratings[one].mu, sigma=ratings[one].sigma)] for one in seats]
        after = [team[0] for team in model.rate(teams, scores=(sign * np.asarray(totals, float)).tolist())]
        before = ratings.copy()
        for one, rating in zip(seats, after, strict=True):
            now, was = ratings[one], before[one]
            ratings[one] = model.rating(mu=now.mu + rating.mu - was.mu, sigma=now.sigma * rating.sigma / was.sigma)
    return [Rating(rating.mu, rating.sigma) for rating in ratings]
