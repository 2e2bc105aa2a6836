"""One table at a time, with all that each seat has known: the rules as search through a game's tree wants them.

Chance is left to the caller: who starts and every deal come in.
"""

import functools
import sys
from types import SimpleNamespace

import numpy as np

from ..envs.kernels import kernel, mix
from ..envs.rules.contract import Game, rule

CHANCE, TERMINAL = -1, -4  # in place of the seat to act, as OpenSpiel numbers them


@functools.cache
def one_table(game: Game) -> SimpleNamespace:
    """The kernels of one table, which return who acts next: a seat, CHANCE after a round, TERMINAL after the game.

    - `deal(states, starter, cards, mask, known, past)` lays out a round; a `starter` from 0 on opens a new game.
    - `play(states, action, mask, known, past)` is one decision, a legal one.
    - `look(states, mask, known)` shows a table without any step.

    Each writes what is seen of the table after it: `mask`, int8 [A], of the seat to act, all 0 where none is; `known`,
    int8 [S, F], what each seat knows; `past`, uint64 [S], a digest of all that each seat has known and done. `states`
    is the table, [1]; `cards`, int64 [cards], are what the rules deal.
    """
    begin, deal_cards, legal, play_action, observe = game.begin, game.deal, game.legal, game.play, game.observe

    @rule
    def show(s, mask, known):
        for seat in range(len(known)):
            observe(s, seat, known[seat])
        if s.round_over or s.game_over:
            mask[:] = 0
            return TERMINAL if s.game_over else CHANCE
        legal(s, mask)
        return s.actor

    @rule
    def recall(known, past):
        for seat in range(len(known)):
            for i in range(known.shape[1]):
                if known[seat, i]:
                    past[seat] = mix(past[seat] ^ np.uint64(i << 8 | known[seat, i] & 255))
            past[seat] = mix(past[seat])

    @kernel(game, sys.modules[__name__])
    def deal(states, starter, cards, mask, known, past):
        s = states[0]
        if starter >= 0:
            begin(s, starter)
        deal_cards(s, cards)
        player = show(s, mask, known)
        recall(known, past)
        return player

    @kernel(game, sys.modules[__name__])
    def play(states, action, mask, known, past):
        s = states[0]
        past[s.actor] = mix(past[s.actor] ^ np.uint64(action))
        play_action(s, action)
        player = show(s, mask, known)
        recall(known, past)
        return player

    @kernel(game, sys.modules[__name__])
    def look(states, mask, known):
        return show(states[0], mask, known)

    return SimpleNamespace(deal=deal, play=play, look=look)
