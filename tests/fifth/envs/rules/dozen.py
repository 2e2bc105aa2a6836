"""Dozen, 3 players: made up to show what a game costs. Follow suit; every trick is a point.

Numbers in brackets name the paragraphs of docs/rules.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .cards import clip, clockwise, copy, end_round, fill, follow, hold, new_game, start_round, subtract
from .contract import Feature, Option, View, offsets, rule, state_dtype
from .notation import check_deck, name_hands, read_hands, show

NAME = "dozen"
TITLE = "Dozen"
DESIGNER = "nobody"
PLAYERS = range(3, 4)
SEATS = 3
POINTS_SIGN = 1
OPTIONS = {"worth": Option(1, (1, 2), "points of a trick")}

COLOURS = {"A": "#2f6fd0", "B": "#e07b1a"}
ACTIONS = tuple(f"{suit}{number}" for suit in "AB" for number in range(1, 7))
CARDS = len(ACTIONS)
HAND_SIZE = 4
NO_SUIT = 2  # of a trick before its first card
SUIT = np.arange(CARDS, dtype=np.int32) // 6
OF_SUIT = np.array([SUIT == 0, SUIT == 1, np.ones(CARDS)], np.int8)
NONE = -1

FEATURES = (
    Feature("hand", (CARDS,), 0, 1, "own cards"),
    Feature("played", (SEATS, CARDS), 0, 1, "cards each seat has played this round"),
    Feature("unseen", (CARDS,), 0, 1, "cards neither played nor in the own hand"),
    Feature("trick", (SEATS, CARDS), 0, 1, "each seat's card in the trick"),
    Feature("leader", (SEATS,), 0, 1, "seat that leads the trick"),
    Feature("voids", (SEATS, 2), 0, 1, "suits a seat has shown to hold no card of"),
    Feature("won", (SEATS,), 0, 2 * HAND_SIZE, "points of this round"),
    Feature("totals", (SEATS,), 0, 127, "points of the rounds before, clipped"),
    Feature("rounds_left", (1,), 0, 127, "rounds to come after this one"),
)
HIDDEN = (Feature("hands", (SEATS - 1, CARDS), 0, 1, "cards of the other seats"),)
AT = offsets(FEATURES)

begin = new_game
State = state_dtype(
    SEATS,
    ("worth", np.int32),
    ("tricks_left", np.int32),
    ("won", np.int32, (SEATS,)),
    ("trick", np.int32, (SEATS,)),
    ("void", np.int8, (SEATS, 2)),
    ("hand", np.int8, (SEATS, CARDS)),
    ("played", np.int8, (SEATS, CARDS)),
    ("unplayed", np.int8, (CARDS,)),
)


def configure(s: Any, players: int, rounds: int, worth: int) -> None:
    s.players, s.rounds, s.worth = players, rounds or players, worth  # [4]


def piles(_s: Any) -> list[list[int]]:
    return [list(range(CARDS))]


@rule
def deal(s: Any, cards: Any) -> None:
    start_round(s)
    fill(s.won, 0)
    fill(s.void.ravel(), 0)
    fill(s.hand.ravel(), 0)
    fill(s.played.ravel(), 0)
    fill(s.unplayed, 1)
    for i in range(CARDS):
        s.hand[i // HAND_SIZE, cards[i]] = 1
    s.tricks_left = HAND_SIZE
    lead(s, s.starter)


@rule
def lead(s: Any, seat: int) -> None:
    """An empty trick, to be led by `seat`."""
    s.leader = s.winner = s.actor = seat
    fill(s.trick, NONE)


@rule
def legal(s: Any, mask: Any) -> None:
    led = s.trick[s.leader]
    follow(s.hand[s.actor], OF_SUIT[SUIT[led] if led != NONE else NO_SUIT], mask)  # [2]


@rule
def play(s: Any, action: int) -> None:
    seat = s.actor
    s.hand[seat, action] = 0
    s.played[seat, action] = 1
    s.unplayed[action] = 0
    s.trick[seat] = action
    led = SUIT[s.trick[s.leader]]
    if SUIT[action] != led:
        s.void[seat, led] = 1
    elif action > s.trick[s.winner]:  # [3]
        s.winner = seat
    s.actor = clockwise(seat, 1, s.players)
    if s.trick[s.actor] == NONE:
        return
    s.won[s.winner] += s.worth
    s.tricks_left -= 1
    if s.tricks_left > 0:
        lead(s, s.winner)
    else:
        copy(s.won, s.earned)
        end_round(s)


@rule
def observe(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[seat], out[AT.hand :])
    subtract(s.unplayed, s.hand[seat], out[AT.unseen :])
    for r in range(SEATS):
        other = clockwise(seat, r, SEATS)
        copy(s.played[other], out[AT.played + r * CARDS :])
        if s.trick[other] != NONE:
            out[AT.trick + r * CARDS + s.trick[other]] = 1
        copy(s.void[other], out[AT.voids + 2 * r :])
        out[AT.leader + r] = other == s.leader
        out[AT.won + r] = s.won[other]
        out[AT.totals + r] = clip(s.total[other], 0, 127)
    out[AT.rounds_left] = clip(s.rounds - s.rounds_played - 1, 0, 127)


@rule
def reveal(s: Any, seat: int, out: Any) -> None:
    for r in range(SEATS - 1):
        copy(s.hand[clockwise(seat, r + 1, SEATS)], out[r * CARDS :])


@rule
def possible(s: Any, seat: int, out: Any) -> None:
    for other in range(SEATS):
        for card in range(CARDS):
            out[other, card] = s.unplayed[card] > s.hand[seat, card] and not s.void[other, SUIT[card]]
    hold(s.hand[seat], out[seat])


@rule
def points(s: Any, out: Any) -> None:
    copy(s.won, out[0])
    copy(s.total, out[1])


def action_names(_s: Any) -> tuple[str, ...]:
    return ACTIONS


def view(s: Any) -> View:
    facts = [{"tricks": str(s.won[seat] // s.worth), "total": str(s.total[seat])} for seat in range(SEATS)]
    return show(s, ACTIONS, s.trick, facts, {"tricks left": str(s.tricks_left)})


def name_deal(_s: Any, cards: Any) -> dict[str, Any]:
    return {"hands": name_hands(cards, ACTIONS, SEATS, HAND_SIZE)}


def read_deal(_s: Any, deal: Mapping[str, Any]) -> list[int]:
    cards = read_hands(deal, ACTIONS, SEATS, HAND_SIZE)
    check_deck(cards, range(CARDS), ACTIONS)
    return cards
