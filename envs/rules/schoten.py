"""Scharfe Schoten by Arve D. Fühler, 3 and 4 players: foretell which colour you take most of, and which least.

Written from the rules as this project states them (see docs/rules); numbers in brackets name their paragraphs.

A round's trumps put the colours in order, and all that matters of a colour is its place in that order. So below `deal` a
colour is its place, 0 the strongest, in the state, the observation and the actions alike: action 8 is the 9 of the
strongest colour, whichever it is. What a network learns of one order then holds for all 24, and a card has the same
place among its inputs and its outputs. `action_names` tells which colour is which.
"""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from .cards import beating, check_deck, clip, copy, fill, follow, hold, name_cards, name_hands, new_game, read_hands
from .cards import read_part, relative, show, subtract
from .contract import Feature, Option, View, offsets, rule, state_dtype

NAME = "schoten"
TITLE = "Scharfe Schoten"
DESIGNER = "Arve D. Fühler"
PLAYERS = range(3, 5)
SEATS = 4
POINTS_SIGN = 1
OPTIONS: dict[str, Option] = {}

COLOUR_NAMES = "RBYG"
N = len(COLOUR_NAMES)
SIZE = 12  # cards of a colour
CARDS = N * SIZE
COLOURS = {"R": "#cf3b2f", "B": "#3a3a3a", "Y": "#d9a81a", "G": "#3f9e4a"}
PAIRS = [(most, least) for most in range(N) for least in range(N) if most != least]
TAKE_FIRST = CARDS + len(PAIRS)  # the action of taking a card of the strongest colour off the shelf


@functools.cache
def names_by(colours: tuple[str, ...]) -> tuple[str, ...]:
    """The actions where `colours` are called so, strongest first."""
    cards = [f"{colour}{number}" for colour in colours for number in range(1, SIZE + 1)]
    predictions = [f"+{colours[most]}-{colours[least]}" for most, least in PAIRS]
    return (*cards, *predictions, *(f"take {colour}" for colour in colours))


ACTIONS = names_by(("1st ", "2nd ", "3rd ", "4th "))
KINDS = names_by(tuple(COLOUR_NAMES))[:CARDS]  # of the cards as they come to `deal`
COLOUR = np.repeat(np.arange(N, dtype=np.int32), SIZE)
OF_COLOUR = np.array([*(colour == COLOUR for colour in range(N)), np.ones(CARDS)], np.int8)
NO_COLOUR = N  # the colour of a trick before its first card
POWER = ((N - 1 - COLOUR) * SIZE + np.arange(CARDS) % SIZE + 1).astype(np.int8)  # of a card that is no trump [4]
TRUMP_POWER = CARDS + N  # of the strongest trump
MOST, LEAST = np.array(PAIRS, np.int32).T.copy()
NONE = -1  # no card, no prediction
PREDICT, TRICK, TAKE = range(3)  # phases
NEAR = 4  # margins beyond this share the last bucket
TOTAL_MAX = 127

FEATURES = (
    Feature("hand", (CARDS,), 0, 1, "own cards, the strongest colour first"),
    Feature("played", (SEATS, CARDS), 0, 1, "cards each seat has played this round"),
    Feature("unseen", (CARDS,), 0, 1, "cards neither played nor in the own hand"),
    Feature("trumps", (N, SIZE), 0, 1, "number of the trump of each colour"),
    Feature("trump_in", (2, N), 0, 1, "trumps of each colour in the own hand; unseen"),
    Feature("backs", (SEATS, N), 0, SIZE, "cards of each colour in the hand of each seat"),
    Feature("shelf", (N,), 0, SIZE, "cards of each colour on the shelf"),
    Feature("captured", (SEATS, N), 0, SIZE, "cards of each colour that each seat has taken"),
    Feature("most", (SEATS, N), 0, 1, "colour foretold to be the most; others' once all have chosen"),
    Feature("least", (SEATS, N), 0, 1, "colour foretold to be the least; others' once all have chosen"),
    Feature("margins", (SEATS, 2, 2 * NEAR + 1), 0, 1, "lead of that most, lead of the next over that least: −4…+4"),
    Feature("score", (SEATS,), 0, 22, "points if the round ended now; others' once all have chosen"),
    Feature("trick", (SEATS, CARDS), 0, 1, "each seat's card in the trick"),
    Feature("leader", (SEATS,), 0, 1, "seat that leads the trick"),
    Feature("winner", (SEATS,), 0, 1, "seat that is winning the trick; all 0 before its first card"),
    Feature("best", (CARDS,), 0, 1, "the card that is winning the trick"),
    Feature("best_is_trump", (1,), 0, 1, "whether that is a trump"),
    Feature("trick_colour", (N,), 0, 1, "colour of the trick; all 0 before its first card"),
    Feature("wins", (CARDS,), 0, 1, "own cards that would beat all in the trick so far"),
    Feature("phase", (3,), 0, 1, "what is to be done: predict, play a card, take one off the shelf"),
    Feature("tricks_left", (SIZE,), 0, 1, "tricks to come, the current one included until complete, as many 1s"),
    Feature("totals", (SEATS,), 0, TOTAL_MAX, "points of the rounds before, clipped to 127"),
    Feature("rounds_left", (1,), 0, TOTAL_MAX, "rounds to come after this one"),
    Feature("players", (2,), 0, 1, "players at the table (3, 4)"),
)  # fmt: skip
HIDDEN = (
    Feature("hands", (SEATS - 1, CARDS), 0, 1, "cards of the other seats; the rest of the unseen is or was the shelf"),
    Feature("choices", (SEATS - 1, 2, N), 0, 1, "most and least foretold by the other seats and not yet public"),
)
AT = offsets(FEATURES)
CHOICES = HIDDEN[0].size

begin = new_game
State = state_dtype(
    SEATS,
    [
        ("hand_size", np.int32),
        ("phase", np.int32),
        ("tricks_left", np.int32),
        ("colour", np.int32),  # of the trick
        ("best", np.int32),  # power of the card winning the trick so far
        ("place", np.int32, (N,)),  # of each of COLOUR_NAMES
        ("trump", np.int32, (N,)),  # kind of each trump
        ("most", np.int32, (SEATS,)),
        ("least", np.int32, (SEATS,)),
        ("trick", np.int32, (SEATS,)),  # kind each seat has played to the trick
        ("captured", np.int8, (SEATS, N)),
        ("backs", np.int8, (SEATS + 1, N)),  # of each hand and, in the row after the last seat, of the shelf
        ("hand", np.int8, (SEATS + 1, CARDS)),  # and the shelf as it was dealt
        ("played", np.int8, (SEATS, CARDS)),
        ("unplayed", np.int8, (CARDS,)),
        ("power", np.int8, (CARDS,)),
    ],
)


def configure(s: Any, players: int, rounds: int) -> None:
    s.players = players
    s.rounds = rounds or players  # [7]
    s.hand_size = {3: 12, 4: 10}[players]


def piles(_s: Any) -> list[list[int]]:
    return [list(range(CARDS)), list(range(1, SIZE + 1))]


@rule
def deal(s: Any, cards: Any) -> None:
    fill(s.earned, 0)
    fill(s.captured.ravel(), 0)
    fill(s.backs.ravel(), 0)
    fill(s.hand.ravel(), 0)
    fill(s.played.ravel(), 0)
    fill(s.unplayed, 1)
    fill(s.most, NONE)
    fill(s.least, NONE)
    copy(POWER, s.power)
    for colour in range(N):  # [1]
        number = cards[CARDS + colour]
        place = 0
        for other in range(N):
            place += cards[CARDS + other] > number
        s.place[colour] = place
        s.trump[place] = place * SIZE + number - 1
        s.power[s.trump[place]] = TRUMP_POWER - place
    for i in range(CARDS):
        place = s.place[cards[i] // SIZE]
        s.hand[i // s.hand_size, place * SIZE + cards[i] % SIZE] = 1
        s.backs[i // s.hand_size, place] += 1
    s.tricks_left = s.hand_size
    s.round_over = 0
    lead(s, s.starter)
    s.phase = PREDICT


@rule
def lead(s: Any, seat: int) -> None:
    """An empty trick, to be led by `seat`."""
    s.phase = TRICK
    s.leader = seat
    s.winner = seat
    s.actor = seat
    s.colour = NO_COLOUR
    s.best = 0
    fill(s.trick, NONE)


@rule
def legal(s: Any, mask: Any) -> None:
    fill(mask, 0)
    if s.phase == PREDICT:
        fill(mask[CARDS:TAKE_FIRST], 1)
    elif s.phase == TRICK:
        follow(s.hand[s.actor], OF_COLOUR[s.colour], mask[:CARDS])  # [3]
    else:
        hold(s.backs[s.players], mask[TAKE_FIRST:])


@rule
def play(s: Any, action: int) -> None:
    seat = s.actor
    s.actor = seat + 1 if seat + 1 < s.players else 0
    if s.phase == PREDICT:
        s.most[seat] = MOST[action - CARDS]
        s.least[seat] = LEAST[action - CARDS]
        if s.most[s.actor] != NONE:
            s.phase = TRICK
    elif s.phase == TAKE:
        s.backs[s.players, action - TAKE_FIRST] -= 1
        s.captured[seat, action - TAKE_FIRST] += 1
        finish_trick(s)
    else:
        s.hand[seat, action] = 0
        s.played[seat, action] = 1
        s.unplayed[action] = 0
        s.backs[seat, COLOUR[action]] -= 1
        s.trick[seat] = action
        if s.colour == NO_COLOUR:
            s.colour = COLOUR[action]
        if s.power[action] > s.best:  # [4]
            s.best = s.power[action]
            s.winner = seat
        if s.trick[s.actor] != NONE:
            capture_trick(s)


@rule
def capture_trick(s: Any) -> None:
    for seat in range(s.players):
        s.captured[s.winner, COLOUR[s.trick[seat]]] += 1
    s.tricks_left -= 1
    s.actor = s.winner
    s.phase = TAKE
    if not s.backs[s.players].any():  # [5]
        finish_trick(s)


@rule
def finish_trick(s: Any) -> None:
    if s.tricks_left > 0:
        lead(s, s.winner)
        return
    for seat in range(s.players):
        s.earned[seat] = score(s, seat)
        s.total[seat] += s.earned[seat]
    s.round += 1
    s.starter = (s.starter + 1) % s.players  # [7]
    s.round_over = 1
    s.game_over = s.round == s.rounds


@rule
def margins(s: Any, seat: int) -> tuple[int, int]:
    """By how much the colour foretold to be the most leads, and the one foretold to be the least trails, the next."""
    counts, highest, lowest = s.captured[seat], 0, SIZE
    for colour in range(N):
        highest = max(highest, counts[colour] if colour != s.most[seat] else 0)
        lowest = min(lowest, counts[colour] if colour != s.least[seat] else SIZE)
    return counts[s.most[seat]] - highest, lowest - counts[s.least[seat]]


@rule
def score(s: Any, seat: int) -> int:  # [6]
    most, least = margins(s, seat)
    total = (5 if most > 0 else 3 if most == 0 else 0) + (5 if least > 0 else 3 if least == 0 else 0)
    if most >= 0 and least >= 0:
        total += s.captured[seat, s.most[seat]] - s.captured[seat, s.least[seat]]
    return total


@rule
def points(s: Any, out: Any) -> None:
    for seat in range(SEATS):
        out[0, seat] = score(s, seat) if s.most[seat] != NONE else 0
    copy(s.total, out[1])


@rule
def observe(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[seat], out[AT.hand :])
    subtract(s.unplayed, s.hand[seat], out[AT.unseen :])
    copy(s.backs[s.players], out[AT.shelf :])
    beating(s.hand[seat], s.power, s.best, out[AT.wins :])
    for colour in range(N):
        trump = s.trump[colour]
        out[AT.trumps + trump] = 1
        out[AT.trump_in + colour] = s.hand[seat, trump]
        out[AT.trump_in + N + colour] = s.unplayed[trump] - s.hand[seat, trump]
    for r in range(s.players):
        other = (seat + r) % s.players
        copy(s.played[other], out[AT.played + r * CARDS :])
        copy(s.backs[other], out[AT.backs + r * N :])
        copy(s.captured[other], out[AT.captured + r * N :])
        if s.most[other] != NONE and (other == seat or s.phase != PREDICT):  # [2]
            out[AT.most + r * N + s.most[other]] = 1
            out[AT.least + r * N + s.least[other]] = 1
            most, least = margins(s, other)
            row = AT.margins + r * 2 * (2 * NEAR + 1) + NEAR
            out[row + clip(most, -NEAR, NEAR)] = 1
            out[row + 2 * NEAR + 1 + clip(least, -NEAR, NEAR)] = 1
            out[AT.score + r] = score(s, other)
        if s.trick[other] != NONE:
            out[AT.trick + r * CARDS + s.trick[other]] = 1
        out[AT.totals + r] = clip(s.total[other], 0, TOTAL_MAX)
    out[AT.leader + relative(s.leader, seat, s.players)] = 1
    if s.colour != NO_COLOUR:
        out[AT.winner + relative(s.winner, seat, s.players)] = 1
        out[AT.best + s.trick[s.winner]] = 1
        out[AT.best_is_trump] = s.best >= TRUMP_POWER - N + 1
        out[AT.trick_colour + s.colour] = 1
    out[AT.phase + s.phase] = 1
    fill(out[AT.tricks_left : AT.tricks_left + s.tricks_left], 1)
    out[AT.rounds_left] = clip(s.rounds - s.round - 1, 0, TOTAL_MAX)
    out[AT.players + s.players - 3] = 1


@rule
def reveal(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    for r in range(s.players - 1):
        other = (seat + 1 + r) % s.players
        copy(s.hand[other], out[r * CARDS :])
        if s.phase == PREDICT and s.most[other] != NONE:
            out[CHOICES + r * 2 * N + s.most[other]] = 1
            out[CHOICES + r * 2 * N + N + s.least[other]] = 1


@rule
def possible(s: Any, seat: int, out: Any) -> None:
    for other in range(SEATS):
        for card in range(CARDS):  # a seat holds the colours that its backs show, and any card of them
            unseen = s.unplayed[card] > s.hand[seat, card]
            out[other, card] = unseen and s.backs[other, COLOUR[card]] > 0
    hold(s.hand[seat], out[seat])


def action_names(s: Any) -> tuple[str, ...]:
    return names_by(tuple(COLOUR_NAMES[colour] for colour in np.argsort(s.place)))


def view(s: Any) -> View:
    names = action_names(s)
    colours = [name[-1] for name in names[TAKE_FIRST:]]
    seats = [
        {
            "prediction": "–" if s.most[seat] == NONE else f"+{colours[s.most[seat]]}-{colours[s.least[seat]]}",
            "backs": count(s.backs[seat], colours),
            "captured": count(s.captured[seat], colours),
            "total": str(s.total[seat]),
        }
        for seat in range(s.players)
    ]
    facts = {
        "round": f"{min(s.round + 1, s.rounds)} of {s.rounds}",
        "tricks left": str(s.tricks_left),
        "trumps": " > ".join(name_cards(s.trump, names)),
        "shelf": count(s.backs[s.players], colours),
    }
    return show(s, names, s.trick, seats, facts)


def count(cards: Any, colours: list[str]) -> str:
    return " ".join(f"{number}{colour}" for number, colour in zip(cards, colours, strict=True))


def name_deal(s: Any, cards: Any) -> dict[str, Any]:
    shelf = name_cards(cards[s.players * s.hand_size : CARDS], KINDS)
    trumps = {colour: int(cards[CARDS + i]) for i, colour in enumerate(COLOUR_NAMES)}
    return {"hands": name_hands(cards, KINDS, s.players, s.hand_size), "shelf": shelf, "trumps": trumps}


def read_deal(s: Any, deal: Mapping[str, Any]) -> list[int]:
    cards = read_hands(deal, KINDS, s.players, s.hand_size)
    cards += read_part(deal, "shelf", KINDS, CARDS - len(cards))
    spices, numbers = piles(s)
    check_deck(cards, spices, KINDS)
    trumps = deal.get("trumps")
    chosen = [trumps.get(colour) for colour in COLOUR_NAMES] if isinstance(trumps, dict) else []
    if len(set(chosen) & set(numbers)) != N:
        raise ValueError(f"the trumps are four different numbers from 1 to {SIZE}, for {', '.join(COLOUR_NAMES)}")
    return cards + chosen + [number for number in numbers if number not in chosen]
