"""Rules of thumb for CUPID: what does each card bring now, and what is it worth to keep it?

A trick is counted exactly where the card led is known; the leader counts with the best answer that the other could
hold. What a card may still bring later, its keep, is set against that: so the strong cards and the joker wait for
their moment, and the draw goes for the better card. All is in points ahead of the other.
"""

from typing import Any

import numpy as np

from ...envs.rules.contract import rule
from ...envs.rules.cupid import BEATEN_BY, CARDS, GAIN, KINDS, LEAD, MONSTER, NO_CARD, REPLY, STOCK, TAKE_UP, WORTH

# The weights were tuned by duplicate deals, against uniform play and against this heuristic with other weights.
MEETING = 0.6
"""How much of what a card gains on average from the unseen ones it will bring: one chooses when to play it."""
CHARM = np.zeros(CARDS)
"""What a card is worth to keep beside that."""
for card, charm in {"JK": 2.0, "DQ": 2.0, "CJ": 2.0, "HK": 3.0}.items():
    CHARM[KINDS.index(card)] = charm
LEAD_COST = 2.0
"""What it costs to lead: the other sees the card before it answers."""
DRAW = 1.0
"""What the choice of the draw is worth."""
SECRECY = 0.5
"""What it costs that the other has seen a card."""
GAME = 60.0
"""The game is worth more than any points."""


@rule
def values(s: Any, mask: Any, out: Any) -> None:
    me = s.actor
    keep = np.empty(CARDS)
    for card in range(CARDS):
        keep[card] = worth_to_keep(s.unseen[me], card)
    if s.phase not in (LEAD, REPLY):
        unseen = s.unseen[me].sum()
        hidden = (keep * s.unseen[me]).sum() / unseen
        out[TAKE_UP] = keep[s.stock[s.drawn]] - SECRECY
        out[TAKE_UP + 1] = hidden
        return
    replies = np.empty(CARDS)
    for card in range(CARDS):
        if not mask[card]:
            continue
        if s.phase == REPLY:
            now = swing(s, me, s.trick[1 - me], card)
        else:
            for reply in range(CARDS):
                replies[reply] = swing(s, 1 - me, card, reply) - keep[reply]
            now = -best_reply(s, replies)
        out[card] = now + rest(s, me, card, keep)


@rule
def worth_to_keep(unseen: Any, card: int) -> float:
    """What `card` may bring later: its mean gain from the cards not yet seen, and its charm."""
    gain = 0
    others = 0
    for other in range(CARDS):
        if unseen[other]:
            gain += GAIN[other, card]
            others += 1
    return CHARM[card] + MEETING * gain / max(others, 1)


@rule
def swing(s: Any, seat: int, led: int, reply: int) -> float:
    """What `seat` gains on the other by this reply, and by what it means for the draw, the lead and the game."""
    wins = BEATEN_BY[led, reply]
    leads = wins != ((reply if wins else led) == MONSTER)
    value = float(abs(GAIN[led, reply]))
    winner = seat if wins else 1 - seat
    if 0 < s.target <= s.total[winner] + WORTH[led, reply]:
        value += GAME
    elif s.drawn < STOCK:
        value += DRAW
    return (value if wins else -value) - (LEAD_COST if leads else -LEAD_COST)


@rule
def best_reply(s: Any, replies: Any) -> float:
    """What the other may expect from its best reply, given the value of each: one of its cards that are known, or of
    the hidden ones, which are any of the unseen.
    """
    me = s.actor
    known = s.open[1 - me]
    hidden = s.hand[1 - me].sum() - known.sum()
    unseen = s.unseen[me].sum()
    expected = 0.0
    none_better = 1.0  # the chance that it holds none of those looked at before
    for _ in range(CARDS):
        best = NO_CARD
        for card in range(CARDS):
            if (known[card] or (hidden and s.unseen[me, card])) and (best < 0 or replies[card] > replies[best]):
                best = card
        holds = 1.0 if known[best] else hidden / unseen
        expected += none_better * holds * replies[best]
        none_better *= 1 - holds
        if none_better <= 0:
            break
        unseen -= 1
        replies[best] = -np.inf
    return expected


@rule
def rest(s: Any, me: int, card: int, keep: Any) -> float:
    """What the hand of `me` is worth without `card`."""
    value = 0.0
    for other in range(CARDS):
        if s.hand[me, other] and other != card:
            value += last_trick(s, me, other) if s.tricks_left == 2 else keep[other]
    return value


@rule
def last_trick(s: Any, me: int, card: int) -> float:
    """What `card` gains in the last trick, the prize included: any card the other may hold, any two for the prize."""
    known = s.open[1 - me]
    hidden = s.hand[1 - me].sum() - known.sum()
    value = 0.0
    chances = 0.0
    for other in range(CARDS):
        if known[other] or (hidden and s.unseen[me, other]):
            prize = 0.0
            pairs = 0
            for one in range(CARDS):
                for two in range(one):
                    if s.unseen[me, one] and s.unseen[me, two] and other not in (one, two):
                        prize += WORTH[one, two]
                        pairs += 1
            prize /= max(pairs, 1)
            chance = 1.0 if known[other] else hidden / s.unseen[me].sum()
            value += chance * (GAIN[other, card] + (prize if BEATEN_BY[other, card] else -prize))
            chances += chance
    return value / chances
