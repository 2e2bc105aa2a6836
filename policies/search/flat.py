"""Flat Monte Carlo: every legal action is tried in the same worlds, and each time the round is played to its end."""

import sys
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np

from ...envs.kernels import kernel
from ...envs.rules.contract import Game, rule
from ..beliefs import belief_rules
from .rollout import DEPTH, closed_over, count_legal, rollout_rules

FIRST_LOOK = 8
"""Worlds after which actions are first compared; then each time their number has doubled."""
CLEARLY_WORSE = 2.5
"""Standard errors by which an action is behind the best, world by world, when it is dropped."""


def flat_kernel(game: Game) -> Any:
    """Flat Monte Carlo in worlds drawn by belief."""
    return partial(rollout_kernel(game), False)


def cheat_kernel(game: Game) -> Any:
    """Flat Monte Carlo in the one true world."""
    return partial(rollout_kernel(game), True)


@cache
def rollout_kernel(game: Game) -> Any:
    """What these two share."""
    finish, judge = rollout_rules(game).finish, rollout_rules(game).judge

    @rule
    def play_on(tables, before, spread, m, laps, random, i):
        finish(tables[0], m, laps, random, i)
        judge(tables[0], before, spread, m, m.worth)

    return monte_carlo(game, "flat", play_on)


def monte_carlo(game: Game, name: str, play_on: Any, *modules: ModuleType) -> Any:
    """The kernel that writes the action to take at each of `rows`, where there is a choice, into `actions`, int64 [n],
    after trying all in `budget` worlds: drawn by belief or, `cheating`, the true one again and again.

    `play_on(tables, before, spread, m, laps, random, i)` plays tables[0] to the end of the round and writes into
    m.worth what that is worth; tables, states [DEPTH + 2], and m are its to use. See `rollout_rules` for the rest.
    """
    legal, play = game.legal, game.play
    prepare, draw = belief_rules(game).prepare, belief_rules(game).draw
    width = len(game.ACTIONS)

    def search(cheating, states, rows, random, budget, laps, spread, scratch, memory, actions):
        world, tables, m = np.empty(1, states.dtype), np.empty(DEPTH + 2, states.dtype), memory[0]
        alive = np.empty(width, np.int8)
        values = np.empty((budget, width), np.float64)
        for n in range(len(rows)):
            i, s = rows[n], states[rows[n]]
            legal(s, alive)
            left = count_legal(alive)
            if not cheating:
                prepare(s, s.actor, scratch[0])
            k, look = 0, FIRST_LOOK
            while k < budget and left > 1:
                if cheating:
                    world[0] = s
                else:
                    draw(s, s.actor, scratch[0], random, i, world, 0)
                for action in range(width):
                    if alive[action]:
                        tables[0] = world[0]
                        play(tables[0], action)
                        play_on(tables, s.total, spread, m, laps, random, i)
                        values[k, action] = m.worth[s.actor]
                k += 1
                if k == look:
                    left = drop_worse(values[:k], alive)
                    look *= 2
            actions[n] = best_action(values[:k], alive)

    search.__name__ = name
    return kernel(game, sys.modules[__name__], *modules, *closed_over(game))(search)


@rule
def drop_worse(values: Any, alive: Any) -> Any:
    """Takes the clearly worse actions out of `alive`, int8 [A], and says how many are left. values: [worlds, A]."""
    best = best_action(values, alive)
    worlds, left = len(values), 0
    for action in range(len(alive)):
        if not alive[action]:
            continue
        ahead = squares = 0.0
        for k in range(worlds):
            difference = values[k, best] - values[k, action]
            ahead += difference
            squares += difference * difference
        error = np.sqrt(max(squares - ahead * ahead / worlds, 0.0) * worlds / (worlds - 1))  # of the sum `ahead`
        if action != best and ahead > CLEARLY_WORSE * error:
            alive[action] = 0
        left += alive[action]
    return left


@rule
def best_action(values: Any, alive: Any) -> int:
    """The first of the actions in `alive` whose mean over the worlds is highest."""
    best, highest = -1, 0.0
    for action in range(len(alive)):
        if alive[action]:
            total = 0.0
            for k in range(len(values)):
                total += values[k, action]
            if best < 0 or total > highest:
                best, highest = action, total
    return best
