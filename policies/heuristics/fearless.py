"""Rules of thumb for Fearless: where would each card leave the ghosts, and what would the rest of the hand bring?

A card is worth the fear that the others may expect, on average, less one's own: the margin by which players are
compared. Avoiding and taking tricks, unloading onto others and leaving the ruin in time all follow from that. Seats
still to play are taken to hold any of the unseen cards and to play any that would be legal.
"""

import math
from typing import Any

import numpy as np

from ...envs.rules.contract import rule
from ...envs.rules.fearless import NO_SUIT, RUIN_FEAR, SIZE, SUIT, VALUE, ZERO

# The weights were tuned by duplicate deals, against uniform play and against this heuristic with other weights.
DRIFT = np.maximum(VALUE - 1, -1).astype(np.float64)
"""How far a card still in the hand moves the own ghost by the end: high ones win tricks and raise their sums."""
FADE = 0.93
"""What each trick to come leaves of that drift: the more there are, the better one can steer against it."""
SPREAD = 2.5
"""How far luck moves a ghost in a trick: the more tricks to come, the less it matters where the ghost stands now."""
RUIN_RATE = 0.87
"""The chance, in each trick to come, that a seat in the ruin does not win it."""
ZERO_WORTH = 0.5
"""Fear saved by a 0 in the hand, which is legal in every trick."""

LAPS = 1
"""Of searches: in the same time one does more than none or two."""


@rule
def values(s: Any, mask: Any, out: Any) -> None:
    hand = s.hand[s.actor]
    unseen = 0
    unseen_sum = 0
    drift = 0.0
    for kind in range(len(hand)):
        count = s.unplayed[kind] - hand[kind]
        unseen += count
        unseen_sum += count * VALUE[kind]
        drift += hand[kind] * DRIFT[kind]
    fade = FADE ** (s.tricks_left - 1)
    for card in range(len(mask)):
        if mask[card]:
            out[card] = worth(s, card, (drift - DRIFT[card]) * fade, unseen, unseen_sum)


@rule
def worth(s: Any, card: int, drift: float, unseen: int, unseen_sum: int) -> float:
    """The margin that the seat to act may expect after `card`; `drift` is that of the rest of its hand."""
    me = s.actor
    suit = SUIT[card] if s.suit == NO_SUIT else s.suit
    winner = s.winner
    best = s.winner_value
    if s.trick_size == 0 or ((SUIT[card] == suit or card == ZERO) and VALUE[card] > best):
        winner = me
        best = VALUE[card]

    # What is unseen: cards of the suit that beat `best` (high) and that do not (low), and cards off the suit.
    high = low = high_sum = low_sum = 0
    first, end = (0, ZERO) if suit == NO_SUIT else (suit * SIZE, suit * SIZE + SIZE)
    for kind in range(first, end):
        count = s.unplayed[kind] - s.hand[me, kind]
        if VALUE[kind] > best:
            high += count
            high_sum += count * VALUE[kind]
        else:
            low += count
            low_sum += count * VALUE[kind]
    off = unseen - high - low
    off_mean = (unseen_sum - high_sum - low_sum) / max(off, 1)
    void = void_chance(s, suit, high + low)
    zeros = s.unplayed[ZERO] - s.hand[me, ZERO]  # off the suit, and yet they follow it
    off_beat = zeros / max(off, 1) if best < 0 else 0.0
    if best < 0:
        high += zeros
    else:
        low += zeros
    beat = high / max(high + low, 1)
    high_mean = high_sum / max(high, 1)
    low_mean = low_sum / max(low, 1)

    # The sum if no one beats `best`, and the chance of that.
    total = float(s.trick_sum + VALUE[card])
    hold = 1.0
    beats = 0.0
    later = s.players - s.trick_size - 1
    for i in range(1, later + 1):
        p = known_void(s, clockwise(s, i), suit, void)
        total += p * off_mean + (1 - p) * low_mean
        hold *= 1 - (p * off_beat + (1 - p) * beat)
        beats += p * off_beat + (1 - p) * beat

    # Who wins it then, and what that does to whom; one's own ghost is seen where the hand will bring it.
    margin = -fear_ahead(s, s.ghost[me] + drift, s.out_of_ruin[me])
    if winner == me:
        margin -= hold * trick_fear(s, me, total, drift)
    else:
        margin += hold * trick_fear(s, winner, total, 0.0) / (s.players - 1)
    if beats > 0:
        for i in range(1, later + 1):
            seat = clockwise(s, i)
            p = known_void(s, seat, suit, void)
            share = (p * off_beat + (1 - p) * beat) / beats
            margin += (1 - hold) * share * trick_fear(s, seat, total + high_mean - low_mean, 0.0) / (s.players - 1)
    if card == ZERO and s.tricks_left > 1:
        margin -= ZERO_WORTH
    return margin


@rule
def trick_fear(s: Any, seat: int, total: float, drift: float) -> float:
    """How much more fear `seat` may expect if it wins the trick with this sum."""
    ghost = s.ghost[seat] + drift
    return fear_ahead(s, ghost + total, 1) - fear_ahead(s, ghost, s.out_of_ruin[seat])


@rule
def fear_ahead(s: Any, ghost: float, out_of_ruin: int) -> float:
    """The fear that a seat may expect at the end of the round when its ghost stands there after this trick."""
    tricks = s.tricks_left - 1
    fear = math.sqrt(ghost * ghost + SPREAD * SPREAD * tricks)
    return fear if out_of_ruin else fear + (RUIN_FEAR - fear) * RUIN_RATE**tricks


@rule
def void_chance(s: Any, suit: int, cards: int) -> float:
    """The chance that a seat still to play holds none of so many unseen cards of `suit`, unless it is known."""
    room = 0  # in the hands that may hold them
    for i in range(1, s.players):
        if not known_void(s, clockwise(s, i), suit, 0.0):
            room += s.tricks_left - (i >= s.players - s.trick_size)
    return max(0.0, 1 - s.tricks_left / max(room, s.tricks_left)) ** cards


@rule
def known_void(s: Any, seat: int, suit: int, otherwise: float) -> float:
    """The chance that `seat` holds no card of `suit`: 1 where it has shown so."""
    return 1.0 if suit != NO_SUIT and s.void[seat, suit] else otherwise


@rule
def clockwise(s: Any, steps: int) -> int:
    """The seat so many steps from the seat to act."""
    seat = s.actor + steps
    return seat if seat < s.players else seat - s.players
