"""Where hidden cards are, in games whose cards are all in hands until they are played."""

from typing import Any

from ...envs.rules.cards import fill, subtract
from ...envs.rules.contract import rule


@rule
def hidden_hands(s: Any, seat: int, unseen: Any, room: Any) -> None:
    """`unseen` and `room` of a game's `hidden` where all cards not played are in hands."""
    subtract(s.unplayed, s.hand[seat], unseen)
    for other in range(len(room)):
        room[other] = s.hand[other].sum() if other != seat else 0


@rule
def redeal_hands(s: Any, seat: int, cards: Any, places: Any) -> None:
    """A game's `redeal` of cards in hands."""
    for other in range(s.players):
        if other != seat:
            fill(s.hand[other], 0)
    for i in range(len(cards)):
        s.hand[places[i], cards[i]] += 1
