"""Where the hidden cards of Dozen may be."""

from typing import Any

from ...envs.rules.contract import rule
from ...envs.rules.dozen import SEATS, possible
from .hands import hidden_hands, redeal_hands

PLACES = SEATS


@rule
def hidden(s: Any, seat: int, unseen: Any, room: Any, fits: Any) -> None:
    hidden_hands(s, seat, unseen, room)
    possible(s, seat, fits)


@rule
def redeal(s: Any, seat: int, cards: Any, places: Any, _luck: Any) -> None:
    redeal_hands(s, seat, cards, places)
