"""Single-observer information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012).

One tree for all imagined worlds: each iteration draws a world and goes down by the actions legal in it, an action being
judged against the times it was available, not against the times its parent was visited. Each seat maximises its own
worth.
"""

import math
import sys
from functools import cache
from typing import Any

import numpy as np

from ...envs.kernels import below, kernel
from ...envs.rules.contract import Game, rule
from ..beliefs import belief_rules
from .rollout import DEPTH, closed_over, finished, rollout_rules

EXPLORATION = 1.5
"""Of the confidence bound, in standard deviations of what the iterations so far were worth."""


@cache
def ismcts_kernel(game: Game) -> Any:
    """The kernel that writes the action to take at each of `rows` into `actions`, int64 [n], by `budget` iterations."""
    legal, play = game.legal, game.play
    finish, judge = rollout_rules(game).finish, rollout_rules(game).judge
    prepare, draw = belief_rules(game).prepare, belief_rules(game).draw
    width = len(game.ACTIONS)

    def search(states, rows, random, budget, laps, spread, scratch, memory, actions):
        table, m = np.empty(1, states.dtype), memory[0]
        child = np.empty((budget + 1, width), np.int32)  # node 0 is the root and nobody's child
        available, visits = np.empty(budget + 1, np.int64), np.empty(budget + 1, np.int64)
        reward = np.empty(budget + 1, np.float64)  # of the seat that moves to the node
        path, mover = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
        for n in range(len(rows)):
            i, s = rows[n], states[rows[n]]
            prepare(s, s.actor, scratch[0])
            child[0] = 0
            nodes = 1
            total = squares = 0.0
            for k in range(budget):
                explore = EXPLORATION * math.sqrt(max(squares - total * total / max(k, 1), 0.0) / max(k, 1))
                draw(s, s.actor, scratch[0], random, i, table, 0)
                t = table[0]
                depth = node = 0
                grown = False
                while not (grown or finished(t) or depth == DEPTH):
                    legal(t, m.mask)
                    action = select(m.mask, child[node], available, visits, reward, explore, random, i)
                    grown = child[node, action] == 0
                    if grown:
                        child[node, action] = nodes
                        child[nodes] = 0
                        available[nodes], visits[nodes], reward[nodes] = 1, 0, 0.0
                        nodes += 1
                    node = child[node, action]
                    path[depth], mover[depth] = node, t.actor
                    depth += 1
                    play(t, action)
                finish(t, m, laps, random, i)
                judge(t, s.total, spread, m, m.worth)
                for d in range(depth):
                    visits[path[d]] += 1
                    reward[path[d]] += m.worth[mover[d]]
                total += m.worth[s.actor]
                squares += m.worth[s.actor] ** 2
            best = -1
            for action in range(width):
                if child[0, action] and (best < 0 or visits[child[0, action]] > visits[child[0, best]]):
                    best = action
            actions[n] = best

    search.__name__ = "ismcts"
    return kernel(game, sys.modules[__name__], *closed_over(game))(search)


@rule
def select(mask: Any, child: Any, available: Any, visits: Any, reward: Any, explore: float, random: Any, i: int) -> int:
    """An action not tried yet, at random, or the one with the highest upper confidence bound."""
    untried = 0
    for action in range(len(mask)):
        if mask[action]:
            if child[action]:
                available[child[action]] += 1
            else:
                untried += 1
    if untried:
        left = below(random, i, untried)
        for action in range(len(mask)):
            if mask[action] and not child[action]:
                if left == 0:
                    return action
                left -= 1
    best, highest = -1, 0.0
    for action in range(len(mask)):
        if mask[action]:
            c = child[action]
            bound = reward[c] / visits[c] + explore * math.sqrt(math.log(available[c]) / visits[c])
            if best < 0 or bound > highest:
                best, highest = action, bound
    return best
