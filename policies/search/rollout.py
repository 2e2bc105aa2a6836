"""What all searches share: how a round is played out in an imagined world, and what its end is worth."""

import functools
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ...envs.kernels import below, streams
from ...envs.rules.contract import Game, rule
from ...envs.scores import margins
from ...envs.tables import Tables
from .. import beliefs
from ..base import Uniform
from ..beliefs import contingency, hands, places_of
from ..heuristics import load_heuristic

STAKE = 2.0
"""What the win of a match is worth, in spreads of a round."""
LONGEST = 256  # decisions of a rollout that are remembered
DEPTH = 64  # decisions on a line that is solved


def closed_over(game: Game) -> tuple[ModuleType, ...]:
    """The modules a search kernel is closed over besides its own; see `kernel`."""
    return sys.modules[__name__], beliefs, contingency, hands, places_of(game), load_heuristic(game)


def memory(game: Game) -> np.ndarray:
    """Working memory `m` of the rules below, one entry."""
    actions, seats = len(game.ACTIONS), game.SEATS
    dtype = np.dtype(
        [
            ("mask", np.int8, (actions,)),
            ("rank", np.float32, (actions,)),  # of the actions, by the heuristic
            ("share", np.float64, (seats,)),  # of each seat
            ("worth", np.float64, (seats,)),  # of the finished round for each seat
            ("path", np.int64, (LONGEST,)),  # actions of a rollout
            ("choices", np.int64, (LONGEST,)),  # how many were legal
            ("open", np.int8, (DEPTH, actions)),  # on the line being solved: actions still to try at each decision,
            ("tried", np.int64, (DEPTH,)),  # how many were tried,
            ("best", np.float64, (DEPTH + 1, seats)),  # the best worth found, or that of the end,
            ("low", np.float64, (DEPTH,)),  # and what seats 0 and 1, if they are alone, can already be sure of
            ("high", np.float64, (DEPTH,)),
        ],
        align=True,
    )
    return np.zeros(1, (np.record, dtype))


@rule
def count_legal(mask: Any) -> Any:
    """How many actions are legal."""
    count = np.int32(0)
    for action in range(len(mask)):
        count = np.int32(count + mask[action])
    return np.int64(count)


@rule
def nth_legal(mask: Any, n: int) -> int:
    """The legal action number n, from 0."""
    action = -1
    while n >= 0:
        action += 1
        n -= mask[action]
    return action


@rule
def finished(s: Any) -> bool:
    """Whether the round is over, by its own end or that of the game."""
    return s.round_over != 0 or s.game_over != 0


@rule
def add_margins(points: Any, players: int, weight: float, out: Any) -> None:
    """Adds to `out` how far each seat's points are ahead of the mean of the others, times `weight`."""
    total = 0.0
    for seat in range(players):
        total += points[seat]
    for seat in range(players):
        out[seat] += weight * (points[seat] * players - total) / (players - 1)


@functools.cache
def rollout_rules(game: Game) -> SimpleNamespace:
    """The rules a search kernel of `game` is closed over; `m` is its `memory`, chance comes from random[i].

    `choose(s, m, guided, random, i)` is the next action of a rollout, where m.mask is what is legal: what the game's
    heuristic would do if `guided`, else drawn uniformly.

    `finish(s, m, laps, random, i)` plays the round to its end: so many decisions for each seat guided, the others not.

    `judge(s, before, spread, m, out)` writes what the finished round is worth for each seat into `out`, float64
    [SEATS], in points, with sum 0: by how much its points since the totals `before`, int [SEATS], are ahead of the mean
    of the others. With `spread` above 0 the round belongs to a match: where it ended the match, winning that is worth
    STAKE spreads more.
    """
    legal, play, sign, values = game.legal, game.play, game.POINTS_SIGN, load_heuristic(game).values

    @rule
    def choose(s, m, guided, random, i):
        if not guided:
            return nth_legal(m.mask, below(random, i, count_legal(m.mask)))
        values(s, m.mask, m.rank)
        best = -1
        for action in range(len(m.mask)):
            if m.mask[action] and (best < 0 or m.rank[action] > m.rank[best]):
                best = action
        return best

    @rule
    def finish(s, m, laps, random, i):
        decision = 0
        while not finished(s):
            legal(s, m.mask)
            play(s, choose(s, m, decision < laps * s.players, random, i))
            decision += 1

    @rule
    def judge(s, before, spread, m, out):
        for seat in range(s.players):
            out[seat] = 0.0
            m.share[seat] = s.total[seat] - before[seat]
        add_margins(m.share, s.players, float(sign), out)
        if spread > 0 and s.game_over:
            best = s.total[0] * sign
            for seat in range(1, s.players):
                best = max(best, s.total[seat] * sign)
            winners = 0.0
            for seat in range(s.players):
                m.share[seat] = s.total[seat] * sign == best
                winners += m.share[seat]
            add_margins(m.share, s.players, STAKE * spread / winners, out)

    return SimpleNamespace(choose=choose, finish=finish, judge=judge)


@functools.cache
def round_spread(game: Game, players: int) -> float:
    """The standard deviation of a seat's margin in a round of uniform play, in points."""
    tables = Tables(game, 512, players, 1, observations=False, restart=False)
    uniform, random, every = Uniform(game), streams(1, tables.streams), np.arange(len(tables))
    while not tables.game_over.all():
        tables.step(uniform.act(tables, every, random))
    return float(margins(tables.totals(), game.POINTS_SIGN).std())
