"""Rules of thumb for CUPID: what does each card bring now, and what is it worth to keep it?

A trick is counted exactly where the card led is known; the leader counts with the best answer that the other could
hold. What a card may still bring later is set against that, so that the strong cards and the joker wait for their
moment, and the draw goes for the better card. All is in points ahead of the other.
"""

from typing import Any

import numpy as np

from ...envs.rules.contract import rule
from ...envs.rules.cupid import BEATEN_BY, CARDS, GAIN, MONSTER, NO_CARD, REPLY, STOCK, TAKE, TAKE_UP, WORTH

# KEEP comes from a linear fit of how rounds between two of these players ended to the hands they held on the way, the
# others from duplicate deals against this player with other weights.
KEEP = np.array([
    3.5, 2.5, -1.4, -1.4, -2.3, -2.3, -3.0, -2.6, -3.2, -2.7, -2.9, -2.2,  # JK, DQ, A to 5
    3.8, -2.0, -1.4, -1.4, -0.4, -0.3, 0.7, 1.3, 2.7, 4.7, 6.5, 3.9,  # CJ, 6 to 10, HK
])  # fmt: skip
"""What each kind of card is worth to keep, from low to high: the middling ones neither win much nor lose little."""
LEAD_COST = 5.0
"""What it costs to lead: the other sees the card before it answers. A win leads, but for the Monster's."""
GAME = 60.0
"""The game is worth more than the points of a trick."""

LAPS = 99
"""Of searches: the whole round, for at random good cards are thrown away."""


@rule
def values(s: Any, mask: Any, out: Any) -> None:
    me = s.actor
    unseen = s.unseen[me]
    draw = KEEP[s.stock[s.drawn]] - (KEEP * unseen).sum() / unseen.sum() if s.drawn < STOCK else 0.0
    if s.phase == TAKE:
        out[TAKE_UP] = draw
        out[TAKE_UP + 1] = 0
        return
    replies = np.empty(CARDS)
    for card in range(CARDS):
        if not mask[card]:
            continue
        if s.phase == REPLY:
            out[card] = swing(s, me, s.trick[1 - me], card, abs(draw))
        else:
            for reply in range(CARDS):
                replies[reply] = swing(s, 1 - me, card, reply, abs(draw)) - KEEP[reply]
            out[card] = -best_reply(s, replies)
        out[card] += last_trick(s, card) if s.tricks_left == 2 else -KEEP[card]


@rule
def swing(s: Any, seat: int, led: int, reply: int, draw: float) -> float:
    """What `seat` gains on the other by this reply: the trick, the better card of the draw, the game, the lead."""
    wins = BEATEN_BY[led, reply]
    winner = seat if wins else 1 - seat
    gain = abs(GAIN[led, reply]) + draw
    if 0 < s.target <= s.total[winner] + WORTH[led, reply]:
        gain += GAME
    leads = wins != ((reply if wins else led) == MONSTER)
    lead = LEAD_COST if s.tricks_left > 2 else 0.0  # of two last cards it does not matter which comes first
    return (gain if wins else -gain) - (lead if leads else -lead)


@rule
def best_reply(s: Any, replies: Any) -> float:
    """What the other may expect from its best reply, given the value of each, which is overwritten: any of the unseen
    cards may be the hidden ones of its hand.
    """
    me = s.actor
    known = s.open[1 - me]
    hidden = s.hand[1 - me].sum() - known.sum()
    unseen = s.unseen[me].sum()
    expected = 0.0
    left = 1.0  # the chance that it holds no better reply
    while left > 0:
        best = NO_CARD
        for card in range(CARDS):
            if (known[card] or s.unseen[me, card]) and (best == NO_CARD or replies[card] > replies[best]):
                best = card
        holds = 1.0 if known[best] else hidden / unseen
        expected += left * holds * replies[best]
        left *= 1 - holds
        unseen -= 1
        replies[best] = -np.inf
    return expected


@rule
def last_trick(s: Any, played: int) -> float:
    """What the last card brings in the last trick and the prize, now that `played` goes: the other may hold any card
    that it is known to hold or that is unseen, any two of the unseen lie in the prize.
    """
    me = s.actor
    known = s.open[1 - me]
    hidden = s.hand[1 - me].sum() - known.sum()
    card = NO_CARD
    for other in range(CARDS):
        if s.hand[me, other] and other != played:
            card = other
    value = chances = 0.0
    for other in range(CARDS):
        chance = 1.0 if known[other] else s.unseen[me, other] * hidden / s.unseen[me].sum()
        if chance == 0:
            continue
        prize = pairs = 0
        for one in range(CARDS):
            for two in range(one):
                if s.unseen[me, one] and s.unseen[me, two] and other not in (one, two):
                    prize += WORTH[one, two]
                    pairs += 1
        chances += chance
        value += chance * (GAIN[other, card] + (1 if BEATEN_BY[other, card] else -1) * prize / pairs)
    return value / chances
