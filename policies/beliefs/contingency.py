"""Tables of counts with given sums, drawn at random: each with a weight of the product of 1/x! over its entries x.

Some cells are closed, their count is 0. `w` is the working memory of `beliefs`; `lines`, `columns`, `line` and
`column` (their sums) and `cell` (1: open) are the table asked for, `count` is the one drawn.
"""

from math import factorial
from typing import Any

import numpy as np

from ...envs.kernels import GOLDEN, below, mix
from ...envs.rules.contract import rule

NODES = 1 << 15
SWEEPS = 32
SHARE = np.array([1 / factorial(n) for n in range(128)])
SHIFT_11 = np.uint64(11)


def fields(side: int, cards: int) -> list[tuple[Any, ...]]:
    """What `w` holds of a table with up to `side` lines and columns and `cards` counted in it."""
    return [
        ("lines", np.int64),
        ("columns", np.int64),
        ("line", np.int64, (side,)),  # sums
        ("column", np.int64, (side,)),
        ("cell", np.int8, (side, side)),
        ("count", np.int64, (side, side)),
        ("left", np.int64, (side,)),
        ("stride", np.int64, (side,)),
        ("states", np.int64),
        ("limit", np.int64),  # nodes up to which the draw is exact
        ("exact", np.int64),
        ("ways", np.float64, (NODES,)),
        ("chain", np.int64),  # places in the chain, then the line and the column each is of
        ("at", np.int64, (cards,)),
        ("holds", np.int64, (cards,)),
        ("steps", np.int64),
        ("taker", np.int64, (side,)),
        ("giving", np.int64, (side,)),
        ("queue", np.int64, (side,)),
    ]


@rule
def nodes(cells: Any, columns: Any) -> float:
    """How many numbers `count_ways` needs with these columns."""
    states, layers, most = 1.0, 1, 0
    for c in range(cells.shape[1]):
        states *= columns[c] + 1
    for r in range(cells.shape[0]):
        wide = cells[r].sum()
        layers += wide
        most = max(most, wide)
    return states * (layers - most)


# The exact draw


@rule
def count_ways(w: Any) -> None:
    """For each open cell but those of the last line, in order, and for what may be left of each column before it:
    the summed weight of all ways to fill the table from there.
    """
    w.states = 1
    for c in range(w.columns):
        w.stride[c] = w.states
        w.states *= w.column[c] + 1
        w.left[c] = 0
    last = w.lines - 1
    layer = w.cell[: w.lines, : w.columns].sum() - w.cell[last, : w.columns].sum() if w.lines else 0
    for state in range(w.states):
        total, weight = 0, 1.0
        for c in range(w.columns):
            total += w.left[c]
            weight *= SHARE[w.left[c]] if w.cell[last, c] or w.left[c] == 0 else 0.0
        w.ways[layer * w.states + state] = weight if w.lines == 0 or total == w.line[last] else 0.0
        count_up(w)
    after = 0
    for r in range(last - 1, -1, -1):
        after += w.line[r + 1]
        for c in range(w.columns - 1, -1, -1):
            if w.cell[r, c]:
                layer -= 1
                for state in range(w.states):
                    most = -after
                    for other in range(w.columns):
                        most += w.left[other]
                    weight, then = 0.0, (layer + 1) * w.states + state
                    if 0 <= most <= w.line[r]:
                        for cards in range(min(most, w.left[c]) + 1):
                            weight += SHARE[cards] * w.ways[then - cards * w.stride[c]]
                    w.ways[layer * w.states + state] = weight
                    count_up(w)


@rule
def count_up(w: Any) -> None:
    """What is left in the next state; after the last, nothing."""
    for c in range(w.columns):
        w.left[c] += 1
        if w.left[c] <= w.column[c]:
            return
        w.left[c] = 0


@rule
def draw_table(w: Any, random: Any, i: int) -> None:
    w.left[: w.columns] = w.column[: w.columns]
    node = w.states - 1
    for r in range(w.lines - 1):
        room = w.line[r]
        for c in range(w.columns):
            if w.cell[r, c]:
                mass = fraction(random, i) * w.ways[node]
                node += w.states
                chosen = 0
                for cards in range(min(room, w.left[c]) + 1):
                    weight = SHARE[cards] * w.ways[node - cards * w.stride[c]]
                    if weight > 0:
                        chosen = cards
                        mass -= weight
                        if mass < 0:
                            break
                w.count[r, c] = chosen
                w.left[c] -= chosen
                room -= chosen
                node -= chosen * w.stride[c]
    for c in range(w.columns):
        w.count[w.lines - 1, c] = w.left[c]


@rule
def fraction(random: Any, i: int) -> Any:
    """A random number in [0, 1)."""
    random[i] += GOLDEN
    return np.float64(mix(random[i]) >> SHIFT_11) * 2.0**-53


# The chain


@rule
def start_chain(w: Any) -> None:
    """A feasible table, found card by card along augmenting paths."""
    w.left[: w.columns] = w.column[: w.columns]
    w.chain = 0
    for r in range(w.lines):
        for _ in range(w.line[r]):
            c = find_path(w, r)
            w.left[c] -= 1
            while w.taker[c] != r:
                line = w.taker[c]
                w.count[line, c] += 1
                c = w.giving[line]
                w.count[line, c] -= 1
            w.count[r, c] += 1
    for r in range(w.lines):
        for c in range(w.columns):
            for _ in range(w.count[r, c]):
                w.at[w.chain], w.holds[w.chain] = r, c
                w.chain += 1
    w.steps = 8 * SWEEPS * w.chain


@rule
def find_path(w: Any, r: int) -> int:
    """A column with a card left from which line r gets one, by other lines giving one of a column (`giving`) for one
    of another (whose `taker` they are).
    """
    w.taker[: w.columns] = -1
    w.giving[: w.lines] = -1
    w.queue[0], head, tail = r, 0, 1
    while head < tail:
        line = w.queue[head]
        head += 1
        for c in range(w.columns):
            if w.cell[line, c] and w.taker[c] < 0:
                w.taker[c] = line
                if w.left[c] > 0:
                    return c
                for other in range(w.lines):
                    if other != r and w.count[other, c] and w.giving[other] < 0:
                        w.giving[other] = c
                        w.queue[tail] = other
                        tail += 1
    return -1  # never: the true deal is feasible


@rule
def walk_chain(w: Any, random: Any, i: int) -> None:
    longest = min(w.lines, w.columns)
    for _ in range(w.steps):
        length = 2 + below(random, i, longest - 1)
        fits = True
        for n in range(length):
            w.queue[n] = below(random, i, w.chain)
            for earlier in range(n):
                fits &= w.queue[earlier] != w.queue[n]
        for n in range(length):
            fits &= w.cell[w.at[w.queue[n]], w.holds[w.queue[n - 1 if n else length - 1]]] > 0
        if fits:
            moved = w.holds[w.queue[length - 1]]
            for n in range(length):
                w.holds[w.queue[n]], moved = moved, w.holds[w.queue[n]]
    w.steps = SWEEPS * w.chain
    w.count[: w.lines, : w.columns] = 0
    for n in range(w.chain):
        w.count[w.at[n], w.holds[n]] += 1
