"""Where the hidden cards of CUPID may be."""

from typing import Any

from ...envs.rules.cards import copy, fill
from ...envs.rules.contract import rule
from ...envs.rules.cupid import PRIZE, STOCK

IN_HAND, IN_PRIZE, IN_STOCK = range(3)  # places of hidden cards
PLACES = 3


@rule
def hidden(s: Any, seat: int, unseen: Any, room: Any, fits: Any) -> None:
    copy(s.unseen[seat], unseen)
    room[IN_HAND] = s.hand[1 - seat].sum() - s.open[1 - seat].sum()
    room[IN_PRIZE] = PRIZE
    room[IN_STOCK] = max(STOCK - s.drawn - 1, 0)
    fill(fits.ravel(), 1)


@rule
def redeal(s: Any, seat: int, cards: Any, places: Any, _luck: Any) -> None:
    other = 1 - seat
    prize, drawn = 0, s.drawn + 1
    for i in range(len(cards)):
        card = cards[i]
        s.hand[other, card] = places[i] == IN_HAND
        s.unseen[other, card] = places[i] != IN_HAND
        if places[i] == IN_PRIZE:
            s.prize[prize] = card
            prize += 1
        elif places[i] == IN_STOCK:
            s.stock[drawn] = card
            drawn += 1
