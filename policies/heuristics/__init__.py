"""Rule-based players, one module a game, and the policy that plays them.

A heuristic is a module named like its game, with one `@rule` function `values(s, mask, out)`: it writes into `out`,
float32 [A], how good each action with `mask` 1 is for the seat to act, higher is better. It may read only what that
seat knows. `LAPS` says for how many decisions of each seat it guides the rollouts of a search: it tells more of a
position than random play, but takes longer.
"""

from types import ModuleType
from typing import Any

import numpy as np

from ...envs.kernels import kernel
from ...envs.rules.contract import Game
from ...envs.tables import Tables
from ..base import certain, companion


class Heuristic:
    """Takes the action its game's rules of thumb value most; of equals the first. Uses no chance."""

    name = "heuristic"
    observes = False

    def __init__(self, game: Game) -> None:
        self._choose = heuristic_kernel(game)

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:  # noqa: ARG002 (as in Policy)
        actions = np.empty(len(rows), np.int64)
        self._choose(tables.states, tables.mask, rows, np.empty(tables.mask.shape[1], np.float32), actions)
        return actions

    def probabilities(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        return certain(self.act(tables, rows, np.empty(0, np.uint64)), tables)


def load_heuristic(game: Game) -> ModuleType:
    """The module of a game's heuristic; InputError where it has none."""
    return companion(__name__, game, "heuristic")


def heuristic_kernel(game: Game) -> Any:
    """Writes the action that the game's heuristic values most at each of `rows` into `actions`."""
    heuristic = load_heuristic(game)
    values = heuristic.values

    @kernel(game, heuristic)
    def choose_best(states, mask, rows, scratch, actions):
        for k in range(len(rows)):
            legal = mask[rows[k]]
            values(states[rows[k]], legal, scratch)
            best = -1
            for action in range(len(legal)):
                if legal[action] and (best < 0 or scratch[action] > scratch[best]):
                    best = action
            actions[k] = best

    return choose_best
