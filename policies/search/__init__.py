"""Players that search: `flat:20`, `pimc:20`, `ismcts:1000`, `cheat:50`, … for any game, no training needed.

They imagine worlds that fit what the seat knows (`followsuit.policies.beliefs`), play them on to the end of the round
and take what comes out best on average. A name is METHOD, METHOD:BUDGET or METHOD:BUDGET:LAPS: in a rollout each seat
takes its next LAPS decisions as the game's heuristic would, and plays at random after that (by default `LAPS` of the
heuristic's module).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...envs.errors import InputError
from ...envs.kernels import streams
from ...envs.rules.contract import Game
from ...envs.tables import Tables
from ..base import certain
from ..beliefs import scratch
from ..heuristics import load_heuristic
from .endings import pimc_kernel
from .flat import cheat_kernel, flat_kernel
from .ismcts import ismcts_kernel
from .rollout import memory, round_spread


class Method(NamedTuple):
    """A way to search: `compile(game)` is its kernel, `budget` the default of what it counts in `unit`."""

    compile: Callable[[Game], Any]
    budget: int
    unit: str
    doc: str


METHODS = {
    "flat": Method(flat_kernel, 20, "worlds", "flat Monte Carlo"),
    "pimc": Method(pimc_kernel, 20, "worlds", "flat Monte Carlo, the last tricks of each world solved"),
    "ismcts": Method(ismcts_kernel, 1000, "iterations", "information-set Monte Carlo tree search"),
    "cheat": Method(cheat_kernel, 50, "rollouts", "flat Monte Carlo that SEES ALL CARDS: a ceiling, not a player"),
}


class Search:
    """Takes the best action that the search finds. Deterministic under the generators it is given.

    A decision of a match weighs its end as well as the points of the round; a game of one round is about points alone.
    """

    observes = False

    def __init__(self, game: Game, method: str, budget: int, laps: int | None = None) -> None:
        default = load_heuristic(game).LAPS
        self.game, self.budget, self.laps = game, budget, default if laps is None else laps
        self.name = f"{method}:{budget}" + (f":{laps}" if laps not in (None, default) else "")
        self._search = METHODS[method].compile(game)

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:
        mask = tables.mask[rows]
        actions = mask.argmax(1)  # where there is only one
        free = np.flatnonzero(mask.sum(1) > 1)
        if not len(free):
            return actions
        chosen = np.empty(len(free), np.int64)
        spread = 0.0 if tables.rounds == 1 else round_spread(self.game, tables.players)
        self._search(
            tables.states, rows[free], random, self.budget, self.laps, spread,
            scratch(self.game), memory(self.game), chosen,
        )  # fmt: skip
        actions[free] = chosen
        return actions

    def probabilities(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """1 for the action it takes under generators of its own, 0 for the others."""
        return certain(self.act(tables, rows, streams(0, np.arange(len(tables)))), tables)


def search(name: str, game: Game) -> Search:
    """The search of that name; InputError says what would be right."""
    method, *numbers = name.split(":")
    kind = METHODS[method]
    if (
        len(numbers) > 2
        or not all(number.isdecimal() and int(number) < 2**31 for number in numbers)
        or numbers[:1] == ["0"]
    ):
        raise InputError(
            f"{method} takes a number of {kind.unit} above 0, and may take the laps that its rollouts are guided for, "
            f"as {method}:{kind.budget} or {method}:{kind.budget}:1, not {name!r}"
        )
    return Search(game, method, *(map(int, numbers) if numbers else [kind.budget]))
