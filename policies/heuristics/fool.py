"""Rules of thumb for FOOL!: what does a card take off the hand, and how likely does it make its player the fool?

A card is worth the points that its shedding saves, where some of the hand will be left over at the end, less what a
disc would cost, by the chance of one. Seats still to play are taken to hold any of the unseen cards and to play any
that would be legal.
"""

from typing import Any

from ...envs.rules.contract import rule
from ...envs.rules.fool import CARDS, COLOUR, COST, IN_COLOUR, NO_COLOUR, NONE, ONE, RANK

# The weights were tuned by duplicate deals, against uniform play and against this heuristic with other weights.
MISS = 0.25
DISC = 4.0
STUCK = 0.5
LEAD = 0.5
LAST = 1.0
WILD = 3.0
TEN = 10.0
"""What a disc costs that comes with an empty hand."""


@rule
def values(s: Any, mask: Any, out: Any) -> None:
    me = s.actor
    left = s.held[me] - 1
    tricks = left  # to come after this one, were nobody to sit out
    for seat in range(s.players):
        if seat != me:
            tricks = min(tricks, s.held[seat] - still_to_play(s, seat))
    stuck = 1.0 if tricks == 0 else min(1.0, (left - tricks + MISS * tricks) / left)
    for card in range(len(mask)):
        if mask[card]:
            out[card] = worth(s, card, left, tricks, stuck)


@rule
def worth(s: Any, card: int, left: int, tricks: int, stuck: float) -> float:
    me = s.actor
    colour = COLOUR[card] if s.colour == NO_COLOUR else s.colour
    rank = RANK[colour, card]
    follow = low = off = off_low = 0
    for kind in range(CARDS):
        count = s.unplayed[kind] - s.hand[me, kind]
        other = RANK[colour, kind]
        if other > IN_COLOUR:
            follow += count
            low += count * (other <= rank)
        else:
            off += count
            off_low += count * (other <= rank)
    ones = s.unplayed[ONE] - s.hand[me, ONE]
    room = 0
    worse = 0
    for seat in range(s.players):
        if seat == me:
            continue
        if colour == NO_COLOUR or not s.void[seat, colour]:
            room += s.held[seat]
        if s.trick[seat] != NONE:
            worse += RANK[colour, s.trick[seat]] < rank

    none, one, win = 1.0, 0.0, 1.0 * (rank > s.best)
    for seat in range(s.players):
        if seat != me and still_to_play(s, seat):
            void = 1.0
            if colour == NO_COLOUR or not s.void[seat, colour]:
                void = max(0.0, 1 - s.held[seat] / max(room, 1)) ** (follow - ones)
            q = void * off_low / max(off + ones, 1) + (1 - void) * low / max(follow, 1)
            one = one * (1 - q) + none * q
            none *= 1 - q
            win *= 1 - (1 - void) * (follow - low) / max(follow, 1)
    short = s.fools - worse
    fool = 0.0 if short <= 0 else none if short == 1 else none + one

    if left == 0:
        return -TEN * fool
    if tricks == 0:
        return COST[card]
    mean = (s.cost[me] - COST[card]) / left
    value = stuck * COST[card] - fool * (DISC + STUCK * mean) + LEAD * win
    if card == ONE:
        value -= WILD
    elif last_of_colour(s, card):
        value -= LAST
    return value


@rule
def last_of_colour(s: Any, card: int) -> bool:
    count = 0
    for kind in range(ONE):
        if COLOUR[kind] == COLOUR[card]:
            count += s.hand[s.actor, kind]
    return count == 1


@rule
def still_to_play(s: Any, seat: int) -> bool:
    return s.trick[seat] == NONE and not s.disc[seat]
