"""What trick-taking games share: following suit, seats seen from a seat, deals in notation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .contract import SeatView, Track, View, inline_rule, rule


# For speed: numba makes vector code of a loop whose bound is the length of a plain array or slice and whose counter is
# the only index. A constant bound is unrolled instead, an offset added to the counter or a slice assigned to a slice
# is slow too: hence `copy(row, out[at:])`, and loops over the array that is written.


@rule
def copy(row: Any, out: Any) -> None:
    """Copies `row` to the beginning of `out`."""
    for i in range(len(row)):
        out[i] = row[i]


@rule
def fill(out: Any, value: int) -> None:
    """Sets all of `out`."""
    for i in range(len(out)):
        out[i] = value


@rule
def subtract(row: Any, less: Any, out: Any) -> None:
    """Writes `row` - `less` to the beginning of `out`."""
    for i in range(len(row)):
        out[i] = row[i] - less[i]


@inline_rule
def among(hand: Any, row: Any, out: Any) -> None:
    """Copies `row` to the beginning of `out` where `hand` has a card."""
    for i in range(len(hand)):
        out[i] = row[i] * (hand[i] > 0)


@rule
def hold(hand: Any, mask: Any) -> None:
    """Marks in `mask` every kind of card in `hand` (counts by kind)."""
    for card in range(len(mask)):
        mask[card] = hand[card] > 0


@inline_rule
def follow(hand: Any, members: Any, mask: Any) -> None:
    """Marks in `mask` what may be played from `hand` (counts by kind) to a trick of a suit: whoever holds a card of
    the suit, 1 in `members`, must play one; whoever holds none may play anything.
    """
    held = False
    for card in range(len(mask)):
        has = hand[card] > 0
        mask[card] = has
        held |= has & (members[card] > 0)
    if held:
        for card in range(len(mask)):
            mask[card] &= members[card]


@rule
def beating(hand: Any, power: Any, best: int, out: Any) -> None:
    """Marks at the beginning of `out` the cards of `hand` with more `power` than `best`."""
    for i in range(len(hand)):
        out[i] = (hand[i] > 0) & (power[i] > best)


@rule
def relative(seat: int, viewer: int, players: int) -> int:
    """How far clockwise `seat` sits from `viewer`."""
    return seat - viewer if seat >= viewer else seat - viewer + players


@rule
def clip(value: int, low: int, high: int) -> int:
    """`value` within [low, high]."""
    return low if value < low else high if value > high else value


@rule
def new_game(s: Any, starter: int) -> None:
    """Totals at zero; `starter` starts the first round."""
    s.round = 0
    s.starter = starter
    s.game_over = 0
    fill(s.total, 0)


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
    seats: Sequence[dict[str, str]],
    facts: dict[str, str],
    track: Track | None = None,
) -> View:
    """The view of a table; `trick` has the kind each seat has played to the trick, below 0 for none, and `seats` the
    facts of each seat."""
    return View(
        seats=[
            SeatView(
                hand=name_cards(np.repeat(np.arange(len(s.hand[seat])), s.hand[seat]).tolist(), names),
                played=names[trick[seat]] if trick[seat] >= 0 else None,
                facts=seat_facts,
            )
            for seat, seat_facts in enumerate(seats)
        ],
        actor=None if s.game_over else int(s.actor),
        leader=int(s.leader),
        winner=int(s.winner) if max(trick) >= 0 else None,
        facts=facts,
        track=track,
    )
