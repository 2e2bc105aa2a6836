"""Rules of thumb for FOOL!: which card is better gone than kept, and how likely does it make its player the fool?

While there are tricks enough for all cards of the hand, low ones are better gone: they make fools. Where some will be
left over at the end, high ones are: they cost most. Seats still to play are taken to hold any of the unseen cards and
to play any that would be legal.
"""

from typing import Any

from ...envs.rules.contract import rule
from ...envs.rules.fool import CARDS, COLOUR, COST, IN_COLOUR, NO_COLOUR, NONE, ONE, RANK

# The weights, in points, were tuned by duplicate deals, against uniform play and against this heuristic with others.
KEEP = 0.12
"""How much safer in later tricks each point of a kept card's number makes it, if it is not left over at the end."""
DISC = 22.0
"""What it costs to sit out a trick …"""
LAST_DISC = 10.0
"""… and to be the fool of the last one with an empty hand."""
LEAD = 1.0
"""What it is worth to lead the next trick."""
LAST_OF_COLOUR = 1.5
"""What it is worth to keep a card of a colour, so as not to fall off it."""
WILD = 1.5
"""The same for a 1, which is of every colour."""

LAPS = 2
"""Of searches: with six players one is not enough."""


@rule
def values(s: Any, mask: Any, out: Any) -> None:
    left = s.held[s.actor] - 1
    tricks = left  # to come after this one, if no one who plays on sits out
    for seat in range(s.players):
        if seat != s.actor:
            tricks = min(tricks, s.held[seat] - still_to_play(s, seat))
    for card in range(len(mask)):
        if mask[card]:
            out[card] = worth(s, card, left, tricks)


@rule
def worth(s: Any, card: int, left: int, tricks: int) -> float:
    """The points that the seat to act may expect from playing `card`, compared with other cards."""
    fool, lead = prospects(s, card)
    if left == 0:
        return -LAST_DISC * fool
    if tricks == 0:  # the round ends with this trick, and discs no longer matter
        return COST[card]
    stuck = (left - tricks) / left  # the share of the hand that will be left over
    value = (stuck - KEEP * (1 - stuck)) * COST[card] - DISC * fool + LEAD * lead
    if card == ONE:
        value -= WILD
    elif is_last_of_colour(s, card):
        value -= LAST_OF_COLOUR
    return value


@rule
def prospects(s: Any, card: int) -> tuple[float, float]:
    """The chances that `card` makes its player the fool of the trick, and that it wins it."""
    me = s.actor
    colour = COLOUR[card] if s.colour == NO_COLOUR else s.colour
    rank = RANK[colour, card]

    # What is unseen: cards that follow the colour, 1s among them, and others; how many of each are worse than `card`.
    follow = follow_worse = off = off_worse = 0
    for kind in range(CARDS):
        count = s.unplayed[kind] - s.hand[me, kind]
        worse = RANK[colour, kind] <= rank  # later in the trick, so equals too
        if RANK[colour, kind] > IN_COLOUR:
            follow += count
            follow_worse += count * worse
        else:
            off += count
            off_worse += count * worse
    ones = s.unplayed[ONE] - s.hand[me, ONE]

    spared = 0  # by worse cards in the trick
    room = 0  # in the hands that may hold the colour
    for seat in range(s.players):
        if seat != me and s.trick[seat] != NONE:
            spared += RANK[colour, s.trick[seat]] < rank
        if seat != me and not is_void(s, seat, colour):
            room += s.held[seat]

    none_worse = 1.0  # the chances of that among the seats still to play
    one_worse = 0.0
    lead = 1.0 if rank > s.best else 0.0
    for seat in range(s.players):
        if seat != me and still_to_play(s, seat):
            void = 1.0
            if not is_void(s, seat, colour):
                void = max(0.0, 1 - s.held[seat] / max(room, 1)) ** (follow - ones)
            chance = void * off_worse / max(off + ones, 1) + (1 - void) * follow_worse / max(follow, 1)
            one_worse += (none_worse - one_worse) * chance
            none_worse *= 1 - chance
            lead *= 1 - (1 - void) * (follow - follow_worse) / max(follow, 1)

    if spared >= s.fools:
        return 0.0, lead
    return (none_worse if spared + 1 == s.fools else none_worse + one_worse), lead


@rule
def is_last_of_colour(s: Any, card: int) -> bool:
    """Whether the seat to act holds no other card of the colour of `card`."""
    count = 0
    for kind in range(CARDS):
        if COLOUR[kind] == COLOUR[card]:
            count += s.hand[s.actor, kind]
    return count == 1


@rule
def is_void(s: Any, seat: int, colour: int) -> bool:
    """Whether `seat` has shown that it holds no card of `colour`."""
    return colour != NO_COLOUR and s.void[seat, colour] > 0


@rule
def still_to_play(s: Any, seat: int) -> bool:
    """Whether the trick waits for `seat`."""
    return s.trick[seat] == NONE and not s.disc[seat]
