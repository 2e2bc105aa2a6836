"""Where the hidden cards of Scharfe Schoten may be."""

from typing import Any

from ...envs.rules.cards import copy, fill, subtract
from ...envs.rules.contract import rule
from ...envs.rules.schoten import CARDS, COLOUR, NONE, OF_COLOUR, PAIRS, PREDICTING, SEATS, N

PLACES = (SEATS + 1) * N  # the cards of a colour in a hand or, after the last seat, on the shelf as it was dealt


@rule
def hidden(s: Any, seat: int, unseen: Any, room: Any, fits: Any) -> None:
    subtract(s.unplayed, s.hand[seat], unseen)
    fill(room, 0)
    shelf = s.players * N
    for card in range(CARDS):
        room[shelf + COLOUR[card]] += unseen[card]
    for place in range(shelf):
        if place // N != seat:
            room[place] = s.backs[place // N, place % N]
            room[shelf + place % N] -= room[place]
    for place in range(PLACES):
        copy(OF_COLOUR[place % N], fits[place])


@rule
def redeal(s: Any, seat: int, cards: Any, places: Any, luck: Any) -> None:
    for holder in range(s.players + 1):
        if holder != seat:
            fill(s.hand[holder], 0)
    for i in range(len(cards)):
        s.hand[places[i] // N, cards[i]] = 1
    for other in range(s.players):
        if s.phase == PREDICTING and other != seat and s.prediction[other] != NONE:
            s.prediction[other] = luck[other] % len(PAIRS)
