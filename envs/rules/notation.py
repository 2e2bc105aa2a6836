"""Cards and deals by name, in game records and in views."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .contract import SeatView, View


def name_cards(cards: Sequence[int], names: Sequence[str]) -> list[str]:
    """Cards by name."""
    return [names[card] for card in cards]


def name_hands(cards: Sequence[int], names: Sequence[str], players: int, size: int) -> list[list[str]]:
    """The first players * size cards as hands, seat 0 first, by name."""
    return [name_cards(cards[seat * size : (seat + 1) * size], names) for seat in range(players)]


def read_hands(deal: Mapping[str, Any], names: Sequence[str], players: int, size: int) -> list[int]:
    """The cards of `deal["hands"]`, seat 0 first; ValueError where the table or a hand has another size."""
    hands = deal.get("hands")
    if not isinstance(hands, list) or len(hands) != players:
        raise ValueError(f"a deal for {players} players has {players} hands")
    for seat, hand in enumerate(hands):
        if not isinstance(hand, list) or len(hand) != size:
            raise ValueError(f"the hand of seat {seat} must have {size} cards")
    return [card for hand in hands for card in read_cards(hand, names)]


def read_part(deal: Mapping[str, Any], part: str, names: Sequence[str], size: int) -> list[int]:
    """The cards of `deal[part]`; ValueError where there are not `size`."""
    cards = deal.get(part)
    if not isinstance(cards, list) or len(cards) != size:
        raise ValueError(f"the {part} must have {size} cards")
    return read_cards(cards, names)


def read_cards(cards: Sequence[Any], names: Sequence[str]) -> list[int]:
    """Card numbers from card names; ValueError at a name that is none."""
    for name in cards:
        if name not in names:
            raise ValueError(f"{name!r} is no card of this game")
    return [names.index(name) for name in cards]


def check_deck(cards: Sequence[int], deck: Sequence[int], names: Sequence[str]) -> None:
    """ValueError unless `cards` is `deck` in some order."""
    if surplus := Counter(cards) - Counter(deck):
        raise ValueError(f"the deck has fewer {names[next(iter(surplus))]} than were dealt")
    if missing := Counter(deck) - Counter(cards):
        raise ValueError(f"{names[next(iter(missing))]} of the deck was not dealt")


def show(
    s: Any,
    names: Sequence[str],
    trick: Sequence[int],
    facts: Sequence[dict[str, str]],
    table: dict[str, str],
    seen: Sequence[list[str]] | None = None,
    **more: Any,
) -> View:
    """The view of a table whose State has each seat's `hand` by kind. `trick` has the kind each seat has played to the
    trick, below 0 for none; `facts` and `seen` are the seats', `table` the facts of the table; `more` are fields of
    the View.
    """
    current = s.rounds_played + (not s.round_over)
    table = {"round": f"{current} of {s.rounds}" if s.rounds else str(current)} | table
    seats = [
        SeatView(
            hand=name_cards(np.repeat(np.arange(len(s.hand[seat])), s.hand[seat]).tolist(), names),
            played=names[trick[seat]] if trick[seat] >= 0 else None,
            facts=facts[seat],
            seen=seen[seat] if seen else None,
        )
        for seat in range(s.players)
    ]
    actor, winner = None if s.game_over else int(s.actor), int(s.winner) if max(trick) >= 0 else None
    return View(seats=seats, actor=actor, leader=int(s.leader), winner=winner, facts=table, **more)
