"""How speeds are measured, ours and others'."""

import random
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

REPETITIONS = 5
SECONDS = 0.5
"""The length of one repetition."""


class Row(NamedTuple):
    """One figure, the median of its repetitions."""

    game: str
    players: int
    what: str
    value: float
    unit: str


def rate(work: Callable[[], int]) -> float:
    """How much is done a second, the median of several repetitions; `work` does some of it and says how much."""
    work()
    rates = []
    for _ in range(REPETITIONS):
        done, start = 0, perf_counter()
        while (seconds := perf_counter() - start) < SECONDS:
            done += work()
        rates.append(done / seconds)
    return median(rates)


def random_game(env: Any) -> int:
    """Plays one game of an AEC environment with masks at random; its number of turns."""
    turns = 0
    env.reset()
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        env.step(random.choice(observation["action_mask"].nonzero()[0]))  # noqa: S311
        turns += 1
    return turns
