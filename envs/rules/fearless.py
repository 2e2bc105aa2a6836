"""Fearless by Friedemann Friese, 3 to 5 players: end each round as near to zero as you can; fewest fear wins.

Written from the rules as this project states them (see docs/rules); numbers in brackets name their paragraphs.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .cards import clip, copy, end_round, fill, follow, hold, new_game, relative, start_round, subtract
from .contract import Feature, Option, Track, View, offsets, rule, state_dtype
from .notation import check_deck, name_hands, read_hands, show

NAME = "fearless"
TITLE = "Fearless"
DESIGNER = "Friedemann Friese"
PLAYERS = range(3, 6)
SEATS = 5
POINTS_SIGN = -1  # fear: the lowest total wins
OPTIONS: dict[str, Option] = {}

SUITS = "BOMG"
SUIT_VALUES = (6, 5, 4, 3, 2, 1, -1, -2, -3, -4, -5, -6)
SIZE = len(SUIT_VALUES)
ZERO = len(SUITS) * SIZE  # the kind of the 0s
NO_SUIT = len(SUITS)  # the suit of a 0, and of a trick before its first card that is not a 0
CARDS = ZERO + 1
COLOURS = {"B": "#2f6fd0", "O": "#e07b1a", "M": "#c2359b", "G": "#2f9e54", "0": "#5b6472"}
ACTIONS = (*(f"{suit}{value:+d}" for suit in SUITS for value in SUIT_VALUES), "0")
VALUE = np.array(SUIT_VALUES * len(SUITS) + (0,), np.int32)
SUIT = np.array([kind // SIZE for kind in range(CARDS)], np.int32)
OF_SUIT = np.array([suit == SUIT for suit in range(len(SUITS))] + [np.ones(CARDS)], np.int8)
"""The kinds of each suit; before a trick has a suit every card is of it [2]."""
HIGHEST = 6
RUIN_FEAR = 15  # [6]

HAND_SIZE = {3: 13, 4: 13, 5: 12}
SUITS_USED = {3: 3, 4: 4, 5: 4}
ZEROS = {3: 3, 4: 4, 5: 4}
TWIN_ONES = {3: False, 4: False, 5: True}

NEAR = 15  # ghosts beyond this many steps share the last bucket
SUM_NEAR = 12  # so do running sums
TOTAL_MAX = 127

FEATURES = (
    Feature("hand", (CARDS,), 0, 4, "own cards, by kind"),
    Feature("played", (SEATS, CARDS), 0, 4, "cards each seat has played this round, by kind"),
    Feature("unseen", (CARDS,), 0, 4, "cards neither played nor in the own hand, by kind"),
    Feature("trick", (SEATS - 1, len(SUITS) + 2 * HIGHEST + 1), 0, 1, "the trick in order: suit (BOMG), value (−6…+6)"),
    Feature("leader", (SEATS,), 0, 1, "seat that leads the trick"),
    Feature("trick_suit", (len(SUITS),), 0, 1, "suit of the trick; all 0 while there is none"),
    Feature("winner", (SEATS,), 0, 1, "seat that is winning the trick; all 0 before its first card"),
    Feature("winner_value", (2 * HIGHEST + 1,), 0, 1, "value of the winning card (−6…+6)"),
    Feature("sum", (2 * SUM_NEAR + 1,), 0, 1, "running sum of the trick, clipped to −12…+12"),
    Feature("sum_value", (1,), -24, 24, "running sum of the trick"),
    Feature("ghosts", (SEATS, 2 * NEAR + 1), 0, 1, "position of each ghost, clipped to −15…+15"),
    Feature("ghost_values", (SEATS,), -88, 88, "position of each ghost"),
    Feature("out_of_ruin", (SEATS,), 0, 1, "whether the seat has won a trick this round"),
    Feature("voids", (SEATS, len(SUITS)), 0, 1, "suits a seat has shown to hold no card of"),
    Feature("tricks_left", (1,), 0, 13, "tricks to come, the current one included"),
    Feature("totals", (SEATS,), 0, TOTAL_MAX, "fear of the rounds before, clipped to 127"),
    Feature("rounds_left", (1,), 0, TOTAL_MAX, "rounds to come after this one"),
    Feature("players", (3,), 0, 1, "players at the table (3, 4, 5)"),
)
HIDDEN = (Feature("hands", (SEATS - 1, CARDS), 0, 4, "cards of the other seats, by kind"),)
AT = offsets(FEATURES)
TRICK_ROW = FEATURES[3].shape[1]

State = state_dtype(
    SEATS,
    ("hand_size", np.int32),
    ("tricks_left", np.int32),
    ("trick_size", np.int32),
    ("trick_sum", np.int32),
    ("suit", np.int32),  # of the trick
    ("winner_value", np.int32),
    ("ghost", np.int32, (SEATS,)),
    ("trick", np.int32, (SEATS,)),  # kinds in the order played
    ("out_of_ruin", np.int8, (SEATS,)),
    ("void", np.int8, (SEATS, len(SUITS))),
    ("deck", np.int8, (CARDS,)),  # counts by kind, as are the next three
    ("unplayed", np.int8, (CARDS,)),
    ("hand", np.int8, (SEATS, CARDS)),
    ("played", np.int8, (SEATS, CARDS)),
)


def configure(s: Any, players: int, rounds: int) -> None:
    s.players = players
    s.rounds = rounds or players  # [7]
    s.hand_size = HAND_SIZE[players]
    s.deck[: SUITS_USED[players] * SIZE] = 1
    s.deck[ZERO] = ZEROS[players]
    if TWIN_ONES[players]:
        s.deck[np.abs(VALUE) == 1] = 2


def piles(s: Any) -> list[list[int]]:
    return [np.repeat(np.arange(CARDS), s.deck).tolist()]


begin = new_game


@rule
def deal(s: Any, cards: Any) -> None:
    start_round(s)
    fill(s.ghost, 0)
    fill(s.out_of_ruin, 0)
    fill(s.void.ravel(), 0)
    fill(s.hand.ravel(), 0)
    fill(s.played.ravel(), 0)
    copy(s.deck, s.unplayed)
    for i in range(s.players * s.hand_size):
        s.hand[i // s.hand_size, cards[i]] += 1
    s.tricks_left = s.hand_size
    lead(s, s.starter)


@rule
def lead(s: Any, seat: int) -> None:
    """An empty trick, to be led by `seat`."""
    s.leader = seat
    s.actor = seat
    s.trick_size = 0
    s.trick_sum = 0
    s.suit = NO_SUIT
    s.winner = seat
    s.winner_value = 0


@rule
def legal(s: Any, mask: Any) -> None:
    follow(s.hand[s.actor], OF_SUIT[s.suit], mask)  # [3]
    mask[ZERO] = s.hand[s.actor, ZERO] > 0


@rule
def play(s: Any, action: int) -> None:
    seat = s.actor
    suit = SUIT[action]
    value = VALUE[action]
    s.hand[seat, action] -= 1
    s.played[seat, action] += 1
    s.unplayed[action] -= 1
    if s.suit == NO_SUIT:
        s.suit = suit
    elif suit != s.suit and suit != NO_SUIT:
        s.void[seat, s.suit] = 1
    if s.trick_size == 0 or ((suit == s.suit or suit == NO_SUIT) and value > s.winner_value):  # [4]
        s.winner = seat
        s.winner_value = value
    s.trick[s.trick_size] = action
    s.trick_size += 1
    s.trick_sum += value
    if s.trick_size < s.players:
        s.actor = seat + 1 if seat + 1 < s.players else 0
    else:
        finish_trick(s)


@rule
def finish_trick(s: Any) -> None:
    s.ghost[s.winner] += s.trick_sum  # [5]
    s.out_of_ruin[s.winner] = 1
    s.tricks_left -= 1
    lead(s, s.winner)
    if s.tricks_left == 0:
        for seat in range(s.players):
            s.earned[seat] = fear(s, seat)
        end_round(s)  # [7]


@rule
def fear(s: Any, seat: int) -> int:
    return abs(s.ghost[seat]) if s.out_of_ruin[seat] else RUIN_FEAR  # [6]


@rule
def points(s: Any, out: Any) -> None:
    for seat in range(SEATS):
        out[0, seat] = fear(s, seat) if seat < s.players else 0
        out[1, seat] = s.total[seat]


@rule
def observe(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[seat], out[AT.hand :])
    subtract(s.unplayed, s.hand[seat], out[AT.unseen :])
    for other in range(s.players):
        r = relative(other, seat, s.players)
        copy(s.played[other], out[AT.played + r * CARDS :])
        copy(s.void[other], out[AT.voids + r * len(SUITS) :])
        out[AT.ghosts + r * (2 * NEAR + 1) + NEAR + clip(s.ghost[other], -NEAR, NEAR)] = 1
        out[AT.ghost_values + r] = s.ghost[other]
        out[AT.out_of_ruin + r] = s.out_of_ruin[other]
        out[AT.totals + r] = clip(s.total[other], 0, TOTAL_MAX)
    out[AT.leader + relative(s.leader, seat, s.players)] = 1
    if s.trick_size > 0:
        out[AT.winner + relative(s.winner, seat, s.players)] = 1
        out[AT.winner_value + HIGHEST + s.winner_value] = 1
    for i in range(s.trick_size):
        row = AT.trick + i * TRICK_ROW
        if s.trick[i] != ZERO:
            out[row + SUIT[s.trick[i]]] = 1
        out[row + len(SUITS) + HIGHEST + VALUE[s.trick[i]]] = 1
    if s.suit != NO_SUIT:
        out[AT.trick_suit + s.suit] = 1
    out[AT.sum + SUM_NEAR + clip(s.trick_sum, -SUM_NEAR, SUM_NEAR)] = 1
    out[AT.sum_value] = s.trick_sum
    out[AT.tricks_left] = s.tricks_left
    out[AT.rounds_left] = clip(s.rounds - s.rounds_played - 1, 0, TOTAL_MAX)
    out[AT.players + s.players - 3] = 1


@rule
def reveal(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    for other in range(s.players):
        if other != seat:
            copy(s.hand[other], out[(relative(other, seat, s.players) - 1) * CARDS :])


@rule
def possible(s: Any, seat: int, out: Any) -> None:
    for other in range(SEATS):
        for kind in range(CARDS):
            unseen = s.unplayed[kind] - s.hand[seat, kind]
            out[other, kind] = other < s.players and unseen > 0
            if kind != ZERO and s.void[other, SUIT[kind]]:
                out[other, kind] = 0
    hold(s.hand[seat], out[seat])


def action_names(_s: Any) -> tuple[str, ...]:
    return ACTIONS


def view(s: Any) -> View:
    played = [-1] * s.players
    for i in range(s.trick_size):
        played[(s.leader + i) % s.players] = s.trick[i]
    facts = [
        {
            "ghost": f"{s.ghost[seat]:+d}" if s.out_of_ruin[seat] else "in the ruin",
            "fear": str(fear(s, seat)),
            "total": str(s.total[seat]),
        }
        for seat in range(s.players)
    ]
    table = {
        "tricks left": str(s.tricks_left),
        "suit": "–" if s.suit == NO_SUIT else SUITS[s.suit],
        "sum": f"{s.trick_sum:+d}",
    }
    track = Track("ghosts", -NEAR, NEAR, s.ghost[: s.players].tolist())
    return show(s, ACTIONS, played, facts, table, track=track)


def name_deal(s: Any, cards: Any) -> dict[str, Any]:
    return {"hands": name_hands(cards, ACTIONS, s.players, s.hand_size)}


def read_deal(s: Any, deal: Mapping[str, Any]) -> list[int]:
    cards = read_hands(deal, ACTIONS, s.players, s.hand_size)
    check_deck(cards, piles(s)[0], ACTIONS)
    return cards
