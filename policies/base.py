"""What a policy is, and the one that plays at random."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from ..envs.errors import InputError
from ..envs.kernels import below, kernel
from ..envs.rules.contract import Game
from ..envs.tables import Tables


class Policy(Protocol):
    """Chooses actions at many tables at once.

    `rows` (int64 [n]) are the tables to act at; the seat to act and its mask are the tables' own. `random` (uint64 [B],
    one SplitMix64 generator a table, advanced in place) is the only source of chance, so that a table's game does not
    depend on which others are played beside it.
    """

    name: str
    observes: bool
    """Whether it reads `tables.observation`; tables made without observations serve the others."""

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:
        """A legal action for each of `rows`, int64 [n]."""
        ...

    def probabilities(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """With what probability it would take each action, float [n, A]; zero where illegal."""
        ...


class Uniform:
    """Every legal action with the same probability."""

    name = "uniform"
    observes = False

    def __init__(self, game: Game) -> None:
        self._choose = uniform_kernel(game)

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:
        actions = np.empty(len(rows), np.int64)
        self._choose(tables.mask, rows, random, actions)
        return actions

    def probabilities(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        mask = tables.mask[rows].astype(np.float64)
        return mask / mask.sum(-1, keepdims=True)


def certain(actions: np.ndarray, tables: Tables) -> np.ndarray:
    """The probabilities of a policy sure to take `actions`, int [n]: float64 [n, A]."""
    chosen = np.zeros((len(actions), tables.mask.shape[1]))
    chosen[np.arange(len(actions)), actions] = 1
    return chosen


def companion(package: str, game: Game, what: str) -> ModuleType:
    """The module of `package` that is named like the game; InputError where the game has none."""
    name = f"{package}.{game.NAME}"
    if find_spec(name) is None:
        path = name.partition(".")[2].replace(".", "/")
        raise InputError(f"{game.NAME} has no {what}; it would be {path}.py")
    return import_module(name)


def uniform_kernel(game: Game) -> Any:
    """Writes a uniformly random legal action of each of `rows` into `actions`."""

    @kernel(game)
    def choose_uniform(mask, rows, random, actions):
        # Two passes: the branches of the second would else wait for the sums of the first.
        for k in range(len(rows)):
            legal = mask[rows[k]]
            count = np.int32(0)  # of this width twice as many are added at a time
            for action in range(len(legal)):
                count = np.int32(count + legal[action])
            actions[k] = below(random, rows[k], int(count))
        for k in range(len(rows)):
            legal = mask[rows[k]]
            left = actions[k]
            action = -1
            while left >= 0:
                action += 1
                left -= legal[action]
            actions[k] = action

    return choose_uniform
