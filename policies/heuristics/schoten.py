"""Rules of thumb for Scharfe Schoten: how many cards of each colour will I have, and what will they be worth?

The backs tell how many cards of each colour every hand has, so a seat's next card of a colour is any of the unseen ones
of that colour. From that come the chance that a card wins and the cards it would bring: summed up over the hand, they
are what to foretell; and the best card to play is the one that leaves most points to hope for, the others' deducted.
"""

import math
from typing import Any

import numpy as np

from ...envs.rules.contract import rule
from ...envs.rules.schoten import CARDS, COLOUR, NO_COLOUR, NONE, PAIRS, PREDICTING, SIZE, TAKE_ACTION, TAKING, N

# The weights were tuned by duplicate deals, against uniform play and against this heuristic with other weights.
RATE = 0.6
"""How often a card of the hand wins a later trick, for each time that it would if it were led now."""
SPREAD = 1.3
"""How far luck moves the lead of a colour in a trick: the more tricks to come, the less is decided."""
OTHERS = 0.7
"""How much the points of the others count, shared out among them."""

SHELF = N
"""Where counts of colours keep the cards to be chosen off the shelf."""

LAPS = 0
"""Of searches: none, for one takes longer than it is worth."""


@rule
def values(s: Any, mask: Any, out: Any) -> None:
    me = s.actor
    prediction = s.prediction[me]
    counts = np.zeros(N + 1)
    for card in range(CARDS):
        if s.hand[me, card]:
            foresee(s, card, 1.0, counts)
    if s.phase == PREDICTING:
        for i in range(len(PAIRS)):
            out[CARDS + i] = outlook(s, counts, i, s.tricks_left)
        return
    for colour in range(N):
        counts[colour] += s.captured[me, colour]
    if s.phase == TAKING:
        for colour in range(N):
            counts[colour] += 1
            out[TAKE_ACTION + colour] = outlook(s, counts, prediction, s.tricks_left - 1)
            counts[colour] -= 1
        return
    for card in range(CARDS):
        if mask[card]:
            foresee(s, card, -1.0, counts)
            out[card] = worth(s, card, counts)
            foresee(s, card, 1.0, counts)


@rule
def foresee(s: Any, card: int, weight: float, counts: Any) -> None:
    """Adds what one card of the hand may bring in a later trick, times `weight`."""
    colour = COLOUR[card]
    wins = RATE * weight
    for seat in range(s.players):
        if seat != s.actor:
            wins *= 1 - beat_chance(s, seat, colour, s.power[card])
    for seat in range(s.players):
        if seat != s.actor:
            add_card(s, seat, colour, wins, counts)
    counts[colour] += wins
    counts[SHELF] += wins


@rule
def worth(s: Any, card: int, counts: Any) -> float:
    """The points that the seat to act may expect after `card`, less the others' on average; `counts` are the cards it
    has and foresees without this trick.
    """
    me = s.actor
    colour = COLOUR[card] if s.colour == NO_COLOUR else s.colour
    winner, best = s.winner, s.best
    if s.power[card] > best:
        winner, best = me, s.power[card]
    gain = np.zeros(N + 1)
    gain[SHELF] = 1
    gain[COLOUR[card]] += 1
    hold = 1.0  # the chance that no one beats `best`
    beats = 0.0
    for seat in range(s.players):
        if s.trick[seat] != NONE:
            gain[COLOUR[s.trick[seat]]] += 1
        elif seat != me:
            add_card(s, seat, colour, 1.0, gain)
            chance = beat_chance(s, seat, colour, best)
            hold *= 1 - chance
            beats += chance
    margin = outlook(s, counts, s.prediction[me], s.tricks_left - 1)
    for seat in range(s.players):
        wins = hold if seat == winner else 0.0
        if s.trick[seat] == NONE and seat != me and beats > 0:
            wins += (1 - hold) * beat_chance(s, seat, colour, best) / beats
        if wins > 0 and seat == me:
            margin += wins * improvement(s, counts, gain, me)
        elif wins > 0:
            margin -= OTHERS / (s.players - 1) * wins * improvement(s, s.captured[seat], gain, seat)
    return margin


@rule
def improvement(s: Any, counts: Any, gain: Any, seat: int) -> float:
    """The points to expect that `gain`, this trick, adds for `seat` with these counts, by colour at least."""
    before = np.zeros(N + 1)
    for i in range(len(counts)):
        before[i] = counts[i]
    tricks = s.tricks_left - 1
    return outlook(s, before + gain, s.prediction[seat], tricks) - outlook(s, before, s.prediction[seat], tricks)


@rule
def outlook(s: Any, counts: Any, prediction: int, tricks: int) -> float:
    """The points to expect of a prediction with these counts, so many tricks from the end."""
    most, least = PAIRS[prediction, 0], PAIRS[prediction, 1]
    top = counts[most] + min(counts[SHELF], s.backs[s.players, most])
    bottom = counts[least]
    highest, lowest = 0.0, float(CARDS)
    for colour in range(N):
        if colour != most:
            highest = max(highest, counts[colour])
        if colour != least:
            lowest = min(lowest, top if colour == most else counts[colour])
    spread = 0.1 + SPREAD * math.sqrt(tricks)
    most_tied, most_alone = likely(top - highest + 0.5, spread), likely(top - highest - 0.5, spread)
    least_tied, least_alone = likely(lowest - bottom + 0.5, spread), likely(lowest - bottom - 0.5, spread)
    points = 3 * (most_tied + least_tied) + 2 * (most_alone + least_alone)
    return points + most_tied * least_tied * max(top - bottom, 0.0)


@rule
def likely(lead: float, spread: float) -> float:
    """The chance that such a lead holds."""
    return 0.5 + 0.5 * math.tanh(lead / spread)


@rule
def add_card(s: Any, seat: int, colour: int, weight: float, counts: Any) -> None:
    """Adds the card by which `seat` would follow `colour`, times `weight`."""
    if s.backs[seat, colour] > 0:
        counts[colour] += weight
        return
    cards = max(s.backs[seat].sum(), 1)
    for other in range(N):
        counts[other] += weight * s.backs[seat, other] / cards


@rule
def beat_chance(s: Any, seat: int, colour: int, best: int) -> float:
    """The chance that a card by which `seat` would follow `colour` has more power than `best`."""
    if s.backs[seat, colour] > 0:
        return stronger(s, colour, best)
    chance = 0.0
    for other in range(N):
        chance += s.backs[seat, other] * stronger(s, other, best)
    return chance / max(s.backs[seat].sum(), 1)


@rule
def stronger(s: Any, colour: int, best: int) -> float:
    """The part of the unseen cards of `colour` that have more power than `best`."""
    unseen = above = 0
    for card in range(colour * SIZE, colour * SIZE + SIZE):
        if s.unplayed[card] and not s.hand[s.actor, card]:
            unseen += 1
            above += s.power[card] > best
    return above / max(unseen, 1)
