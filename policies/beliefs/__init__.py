"""Worlds a seat can imagine: the hidden cards drawn uniformly among all deals consistent with what it knows.

Only which places may hold a kind of card constrains a deal. Kinds that fit the same places form a group, places that
take the same groups form a pool; all that matters is then how many cards of each group lie in each pool, a table
with given sums of its lines and columns. A table with entries x stands for a number of deals proportional to the
product of 1/x!, each card being one of its own. Entries that follow from the sums are settled first; the rest is drawn

- exactly: the ways to fill the table from each entry on are counted once, for all cards that may be left, and each
  entry is drawn by them; or, where that needs more than `NODES` numbers,
- by a chain: from a feasible deal, cards of a few places change places in a circle where all fit. The circles go
  through as many lines as the table has, up to its columns, and so reach every feasible table (Aoki & Takemura 2005);
  each world is `SWEEPS` proposals a card after the last, the first one eight times as many.

What a game adds is a module named like it, with

- `PLACES`: how many places, at most 62, hidden cards may lie in: hands by seat, or whatever `hidden` can tell apart;
- `hidden(s, seat, unseen, room, fits)`, a `@rule`, writes all that `seat` knows of the cards it cannot see: how many of
  each kind into `unseen`, int32 [K], how many of them each place holds into `room`, int32 [PLACES], and which kinds may
  lie there into `fits`, int8 [PLACES, K];
- `redeal(s, seat, cards, places, luck)`, a `@rule`, lays those cards out anew: card i, int [n], in place places[i], in
  this order where a place has one. Random numbers `luck`, int [SEATS], each below 2**31, stand in for what else is
  hidden. `seat` notices nothing.

All worlds count the same: how likely a policy would have made the moves seen in a world is not asked. It would be a
weight of each world, to be computed right after `draw`.
"""

import functools
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ...envs.errors import InputError
from ...envs.kernels import below, kernel
from ...envs.rules.contract import Game, rule
from ...envs.tables import Tables, new_state
from ..base import companion
from . import contingency, hands
from .contingency import NODES, count_ways, draw_table, nodes, start_chain, walk_chain


class Beliefs:
    """Draws worlds for the seats of tables, all in one call."""

    def __init__(self, game: Game, nodes: int = NODES) -> None:
        self._scratch = scratch(game, nodes=nodes)
        self._sample = belief_kernel(game)

    def sample(self, tables: Tables, rows: np.ndarray, random: np.ndarray, worlds: int, seats: Any = None) -> Any:
        """`worlds` states for each of `rows` (int64 [n]), as `seats` (int [n] or one, by default who is to act) may
        believe.

        `random`: uint64 [B], one generator a table, advanced in place. Returns states [n * worlds], row by row.
        """
        seats = np.full(len(rows), tables.seat[rows] if seats is None else seats, np.int64)
        if not np.isin(seats, range(tables.players)).all():
            raise InputError(f"seats must be numbers from 0 to {tables.players - 1}")
        states = np.empty(len(rows) * worlds, tables.states.dtype)
        self._sample(tables.states, rows, seats, random, self._scratch, states)
        return states


def places_of(game: Game) -> ModuleType:
    """What a game adds; InputError where it adds nothing."""
    return companion(__name__, game, "beliefs")


@functools.cache
def belief_rules(game: Game) -> SimpleNamespace:
    """What other kernels of the game are closed over: `prepare(s, seat, w)`, once a position, reads what the seat
    knows into w, an entry of `scratch`; each `draw(s, seat, w, random, i, worlds, k)` then writes one world into
    worlds[k], states [n], by chance from random[i], uint64 [B].
    """
    places = places_of(game)
    hidden, redeal = places.hidden, places.redeal

    @rule
    def prepare(s, seat, w):
        hidden(s, seat, w.unseen, w.room, w.fits)
        sort_cards(w)
        settle(w)
        if lay_table(w):
            count_ways(w)
        else:
            start_chain(w)

    @rule
    def draw(s, seat, w, random, i, worlds, k):
        if w.exact:
            draw_table(w, random, i)
        else:
            walk_chain(w, random, i)
        deal_out(w, random, i)
        for n in range(len(w.luck)):
            w.luck[n] = below(random, i, 1 << 31)
        worlds[k] = s
        redeal(worlds[k], seat, w.dealt[: w.cards], w.place[: w.cards], w.luck)

    return SimpleNamespace(prepare=prepare, draw=draw)


@functools.cache
def belief_kernel(game: Game) -> Any:
    """Draws len(worlds) / len(rows) worlds for each of `rows`."""
    prepare, draw = belief_rules(game).prepare, belief_rules(game).draw

    @kernel(game, sys.modules[__name__], contingency, hands, places_of(game))
    def sample_worlds(states, rows, seats, random, scratch, worlds):
        each = len(worlds) // max(len(rows), 1)
        for n in range(len(rows)):
            prepare(states[rows[n]], seats[n], scratch[0])
            for k in range(each):
                draw(states[rows[n]], seats[n], scratch[0], random, rows[n], worlds, n * each + k)

    return sample_worlds


def scratch(game: Game, number: int = 1, nodes: int = NODES) -> np.ndarray:
    """Working memory of `belief_rules`, [number]: one entry for each position in use at a time. Beyond `nodes`, at most
    NODES, the chain draws.
    """
    cards = max(sum(map(len, game.piles(new_state(game, players)))) for players in game.PLAYERS)
    kinds, places = game.CARDS, places_of(game).PLACES
    side = max(kinds, places)
    dtype = np.dtype(
        [
            ("unseen", np.int32, (kinds,)),  # these three as the game's `hidden` writes them
            ("room", np.int32, (places,)),
            ("fits", np.int8, (places, kinds)),
            ("groups", np.int64),
            ("group", np.int64, (kinds,)),  # of each kind
            ("mark", np.int64, (kinds,)),  # of each group: the places it fits, a bit each
            ("number", np.int64, (kinds,)),  # of each group: its cards
            ("pools", np.int64),
            ("pool", np.int64, (places,)),  # of each place
            ("like", np.int64, (places,)),  # of each pool: its first place
            ("capacity", np.int64, (places,)),  # of each pool: its cards
            ("open", np.int8, (places, kinds)),  # by pool and group: whether how many cards is to be drawn
            ("settled", np.int64, (places, kinds)),  # by pool and group: cards that are there for certain
            ("amount", np.int64, (places, kinds)),  # by pool and group: cards in the world drawn
            ("turned", np.int64),  # whether the lines of the table are the groups, not the pools
            *contingency.fields(side, cards),
            ("origin", np.int64, (side,)),  # which pool or group a line of the table is
            ("cards", np.int64),
            ("deck", np.int64, (cards,)),  # the hidden cards by group
            ("dealt", np.int64, (cards,)),  # by pool
            ("place", np.int64, (cards,)),  # where each of `dealt` lies
            ("luck", np.int64, (game.SEATS,)),
        ],
        align=True,
    )
    memory = np.zeros(number, (np.record, dtype))
    memory["limit"] = min(nodes, NODES)
    return memory


# From kinds and places to a table


@rule
def sort_cards(w: Any) -> None:
    """Groups, pools, and the cards and places in their order."""
    w.groups = w.pools = 0
    for kind in range(len(w.unseen)):
        mark = 0
        for p in range(len(w.room)):
            mark |= np.int64(w.room[p] > 0 and w.fits[p, kind] > 0) << p
        g = 0
        while g < w.groups and w.mark[g] != mark:
            g += 1
        w.group[kind] = g if w.unseen[kind] else -1
        if w.unseen[kind] and g == w.groups:
            w.mark[g], w.number[g] = mark, 0
            w.groups += 1
        if w.unseen[kind]:
            w.number[g] += w.unseen[kind]
    w.cards = 0
    for g in range(w.groups):
        for kind in range(len(w.unseen)):
            if w.group[kind] == g:
                w.deck[w.cards : w.cards + w.unseen[kind]] = kind
                w.cards += w.unseen[kind]
    for p in range(len(w.room)):
        q = 0
        while q < w.pools and not alike(w, p, w.like[q]):
            q += 1
        w.pool[p] = q if w.room[p] else -1
        if w.room[p] and q == w.pools:
            w.like[q], w.capacity[q] = p, 0
            w.pools += 1
        if w.room[p]:
            w.capacity[q] += w.room[p]
    first = 0
    for q in range(w.pools):
        for p in range(len(w.room)):
            if w.pool[p] == q:
                w.place[first : first + w.room[p]] = p
                first += w.room[p]


@rule
def alike(w: Any, p: int, q: int) -> bool:
    """Whether two places take the same groups."""
    differ = 0
    for g in range(w.groups):
        differ |= w.mark[g] >> p ^ w.mark[g] >> q
    return not differ & 1


@rule
def settle(w: Any) -> None:
    """Whatever has one way to go goes it: `capacity` and `number` keep what is left."""
    for q in range(w.pools):
        for g in range(w.groups):
            w.open[q, g] = w.mark[g] >> w.like[q] & 1
            w.settled[q, g] = 0
    again = True
    while again:
        again = False
        for q in range(w.pools):
            for g in range(w.groups):
                of_pool, of_group = w.open[q, : w.groups], w.open[: w.pools, g]
                alone = of_pool.sum() == 1
                if w.open[q, g] and (alone or of_group.sum() == 1):
                    cards = w.capacity[q] if alone else w.number[g]
                    w.settled[q, g] = cards
                    w.capacity[q] -= cards
                    w.number[g] -= cards
                    of_pool[g] = 0
                    if w.capacity[q] == 0:
                        of_pool[:] = 0
                    if w.number[g] == 0:
                        of_group[:] = 0
                    again = True


@rule
def lay_table(w: Any) -> bool:
    """The table the way round that takes fewer nodes to count; whether they are few enough."""
    upright = nodes(w.open[: w.pools, : w.groups], w.number)
    turned = nodes(w.open[: w.pools, : w.groups].T, w.capacity)
    w.turned = turned < upright
    w.lines, w.columns = (w.groups, w.pools) if w.turned else (w.pools, w.groups)
    widest, most = 0, -1
    for r in range(w.lines):
        w.origin[r] = r
        wide = (w.open[: w.pools, r] if w.turned else w.open[r, : w.groups]).sum()
        if wide > most:
            widest, most = r, wide
    if w.lines:  # the last takes what is left and costs nothing
        w.origin[widest], w.origin[w.lines - 1] = w.lines - 1, widest
    for r in range(w.lines):
        w.line[r] = w.number[w.origin[r]] if w.turned else w.capacity[w.origin[r]]
        for c in range(w.columns):
            w.column[c] = w.capacity[c] if w.turned else w.number[c]
            w.cell[r, c] = w.open[c, w.origin[r]] if w.turned else w.open[w.origin[r], c]
            w.count[r, c] = 0
    w.exact = min(upright, turned) <= w.limit
    return w.exact > 0


# From a table to cards


@rule
def deal_out(w: Any, random: Any, i: int) -> None:
    """Cards of each group, then places of each pool, in random order."""
    for r in range(w.lines):
        for c in range(w.columns):
            q, g = (c, w.origin[r]) if w.turned else (w.origin[r], c)
            w.amount[q, g] = w.settled[q, g] + w.count[r, c]
    first = 0
    for g in range(w.groups):
        w.queue[g] = first
        cards = 0
        for q in range(w.pools):
            cards += w.amount[q, g]
        shuffle(w.deck[first : first + cards], random, i)
        first += cards
    first = 0
    for q in range(w.pools):
        end = first
        for g in range(w.groups):
            for _ in range(w.amount[q, g]):
                w.dealt[end] = w.deck[w.queue[g]]
                w.queue[g] += 1
                end += 1
        shuffle(w.dealt[first:end], random, i)
        first = end


@rule
def shuffle(cards: Any, random: Any, i: int) -> None:
    for left in range(len(cards), 1, -1):
        chosen = below(random, i, left)
        cards[chosen], cards[left - 1] = cards[left - 1], cards[chosen]
