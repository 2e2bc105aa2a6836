"""Perfect-information Monte Carlo: flat, but the last tricks of every imagined world are solved, not rolled out.

In a world all cards are known, so its end can be played perfectly: by max^n (Luckhardt & Irani 1986), each seat taking
what is best for itself, or between two seats by alpha-beta. How early that can begin is not asked of the game: a
rollout tells, by the number of legal actions at each of its decisions, how large the tree under each is (Knuth 1975).
A position with at most WHOLE leaves is solved as it stands; else the earliest decision of the rollout with at most
LEAVES is solved in place of the rest.
"""

import math
import sys
from functools import cache, partial
from typing import Any

from ...envs.rules.contract import Game, rule
from .flat import monte_carlo
from .rollout import DEPTH, LONGEST, count_legal, finished, rollout_rules

LEAVES, WHOLE = 20, 150
ALPHA_BETA = 2
"""Between two seats so many times as deep: at best alpha-beta looks at the root of all leaves (Knuth & Moore 1975)."""
NODES = 100 * WHOLE
"""Beyond this the estimate was far too low, and the rollout's own end counts."""


@cache
def pimc_kernel(game: Game) -> Any:
    """Flat Monte Carlo in worlds drawn by belief, their endings solved."""
    legal, play = game.legal, game.play
    choose, judge = rollout_rules(game).choose, rollout_rules(game).judge
    solve = solver(game)

    @rule
    def play_on(tables, before, spread, m, laps, random, i):
        tables[1] = tables[0]
        s = tables[1]
        length = 0
        while not finished(s):
            legal(s, m.mask)
            action = choose(s, m, length < laps * s.players, random, i)
            if length < LONGEST:
                m.path[length] = action
                m.choices[length] = count_legal(m.mask)
            length += 1
            play(s, action)
        judge(s, before, spread, m, m.worth)
        power = ALPHA_BETA if s.players == 2 else 1
        first, leaves = earliest(m.choices[:length], WHOLE**power)
        if first > 0:
            first, leaves = earliest(m.choices[:length], LEAVES**power)
        if leaves > 1 and length <= LONGEST:
            for k in range(first):
                play(tables[0], m.path[k])
            if solve(tables, before, spread, m):
                for seat in range(s.players):
                    m.worth[seat] = m.best[0, seat]

    return partial(monte_carlo(game, "pimc", play_on, sys.modules[__name__]), False)


@rule
def earliest(choices: Any, allowed: int) -> Any:
    """The first of the decisions, with so many choices each, under which there are no more leaves than allowed, and how
    many these are.
    """
    first, leaves = len(choices), 1
    while first > 0 and leaves * choices[first - 1] <= allowed:
        first -= 1
        leaves *= choices[first]
    return first, leaves


def solver(game: Game) -> Any:
    """The rule `solve(tables, before, spread, m)`: writes what tables[0] is worth under perfect play of all seats into
    m.best[0], float64 [SEATS], and returns True; or False where more than NODES or DEPTH were needed.
    """
    legal, play, judge = game.legal, game.play, rollout_rules(game).judge

    @rule
    def begin(s, m, depth, low, high):
        legal(s, m.open[depth])
        m.tried[depth] = 0
        m.low[depth], m.high[depth] = low, high

    @rule
    def solve(tables, before, spread, m):
        begin(tables[0], m, 0, -math.inf, math.inf)
        depth = nodes = action = 0
        while True:
            action = next_action(m, depth)
            if action >= 0:
                if depth == DEPTH - 1 or nodes == NODES:
                    return False
                nodes += 1
                tables[depth + 1] = tables[depth]
                depth += 1
                play(tables[depth], action)
                if not finished(tables[depth]):
                    begin(tables[depth], m, depth, m.low[depth - 1], m.high[depth - 1])
                    continue
                judge(tables[depth], before, spread, m, m.best[depth])
            if depth == 0:
                return True
            depth -= 1
            hand_up(tables[depth], m, depth)

    return solve


@rule
def next_action(m: Any, depth: int) -> int:
    """An action still to be tried there, or -1: none is left, or what is left cannot matter any more."""
    if m.low[depth] < m.high[depth]:
        for action in range(m.open.shape[1]):
            if m.open[depth, action]:
                m.open[depth, action] = 0
                return action
    return -1


@rule
def hand_up(s: Any, m: Any, depth: int) -> None:
    """The seat to act at `depth` has seen what one more of its actions is worth."""
    if m.tried[depth] == 0 or m.best[depth + 1, s.actor] > m.best[depth, s.actor]:
        for seat in range(s.players):
            m.best[depth, seat] = m.best[depth + 1, seat]
    m.tried[depth] += 1
    if s.players == 2:  # what is worth x to seat 0 is worth -x to seat 1
        if s.actor == 0:
            m.low[depth] = max(m.low[depth], m.best[depth, 0])
        else:
            m.high[depth] = min(m.high[depth], m.best[depth, 0])
