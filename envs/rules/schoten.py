"""Scharfe Schoten by Arve D. Fühler, 3 and 4 players: foretell which colour you take most of, and which least.

Written from the rules as this project states them (see docs/rules); numbers in brackets name their paragraphs.

A round's trumps put the colours in order, and that is all that matters of a colour. So after `deal` a colour is its
place in that order, 0 the strongest: in state, observation and actions alike (8 is the 9 of the strongest colour). What
a network learns of one order then holds for all 24, and a card has the same place among its inputs and its outputs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .cards import beats, clip, clockwise, copy, end_round, fill, follow, hold, new_game, start_round, subtract
from .contract import Feature, Option, View, offsets, rule, state_dtype
from .notation import check_deck, name_cards, name_hands, read_hands, read_part, show

NAME = "schoten"
TITLE = "Scharfe Schoten"
DESIGNER = "Arve D. Fühler"
PLAYERS = range(3, 5)
SEATS = 4
POINTS_SIGN = 1
OPTIONS: dict[str, Option] = {}

COLOUR_NAMES = "RBYG"
N, SIZE, CARDS = 4, 12, 48  # colours, cards of each, of all
COLOURS = {"R": "#cf3b2f", "B": "#3a3a3a", "Y": "#d9a81a", "G": "#3f9e4a"}
PAIRS = np.array([(most, least) for most in range(N) for least in range(N) if most != least], np.int32)
TAKE_ACTION = CARDS + len(PAIRS)  # the action of taking a card of the strongest colour off the shelf


def names_by(colours: Sequence[str]) -> tuple[str, ...]:
    """The actions where `colours` are called so, strongest first."""
    cards = [f"{colour}{number}" for colour in colours for number in range(1, SIZE + 1)]
    predictions = [f"+{colours[most]}-{colours[least]}" for most, least in PAIRS]
    return (*cards, *predictions, *(f"take {colour}" for colour in colours))


ACTIONS = names_by("abcd")
KINDS = names_by(COLOUR_NAMES)[:CARDS]  # of the cards as they come to `deal`
COLOUR = np.repeat(np.arange(N, dtype=np.int32), SIZE)
OF_COLOUR = np.array([*(colour == COLOUR for colour in range(N)), np.ones(CARDS)], np.int8)
NO_COLOUR = N  # the colour of a trick before its first card
POWER = ((N - 1 - COLOUR) * SIZE + np.arange(CARDS) % SIZE + 1).astype(np.int8)  # of a card that is no trump [4]
NONE = -1  # no card, no prediction
PREDICTING, PLAYING, TAKING = range(3)  # phases
TOTAL_MAX = 127

FEATURES = (
    Feature("hand", (CARDS,), 0, 1, "own cards, the strongest colour first"),
    Feature("played", (SEATS, CARDS), 0, 1, "cards each seat has played this round"),
    Feature("unseen", (CARDS,), 0, 1, "cards neither played nor in the own hand"),
    Feature("trumps", (N, SIZE), 0, 1, "number of the trump of each colour"),
    Feature("trump_in", (2, N), 0, 1, "whether the trump of each colour is in the own hand; is unseen"),
    Feature("backs", (SEATS + 1, N), 0, SIZE, "cards of each colour in each hand; on the shelf"),
    Feature("captured", (SEATS, N), 0, SIZE, "cards of each colour that each seat has taken"),
    Feature("prediction", (SEATS, len(PAIRS)), 0, 1, "most and least foretold; others' once all have chosen"),
    Feature("margins", (SEATS, 2), -SIZE, SIZE, "by how much that most leads, and that least trails, the next"),
    Feature("trick", (SEATS, CARDS), 0, 1, "each seat's card in the trick"),
    Feature("leader", (SEATS,), 0, 1, "seat that leads the trick"),
    Feature("winner", (SEATS,), 0, 1, "seat that is winning the trick; the leader before its first card"),
    Feature("trick_colour", (N + 1,), 0, 1, "colour of the trick; the last before its first card"),
    Feature("wins", (CARDS,), 0, 1, "own cards that would beat all in the trick so far"),
    Feature("phase", (3,), 0, 1, "what is to be done: predict, play a card, take one off the shelf"),
    Feature("tricks_left", (SIZE,), 0, 1, "tricks to come, the current one included until complete, as many 1s"),
    Feature("totals", (SEATS,), 0, TOTAL_MAX, "points of the rounds before, clipped to 127"),
    Feature("rounds_left", (1,), 0, TOTAL_MAX, "rounds to come after this one"),
    Feature("players", (2,), 0, 1, "players at the table (3, 4)"),
)  # fmt: skip
HIDDEN = (
    Feature("hands", (SEATS - 1, CARDS), 0, 1, "cards of the other seats; the rest of the unseen is or was the shelf"),
    Feature("predictions", (SEATS - 1, len(PAIRS)), 0, 1, "most and least foretold by the others and not yet public"),
)
AT, HIDDEN_AT = offsets(FEATURES), offsets(HIDDEN)

begin = new_game
State = state_dtype(
    SEATS,
    ("hand_size", np.int32),
    ("phase", np.int32),
    ("tricks_left", np.int32),
    ("colour", np.int32),  # of the trick
    ("best", np.int32),  # power of the card winning the trick so far
    ("place", np.int32, (N,)),  # of each of COLOUR_NAMES
    ("trump", np.int32, (N,)),  # kind of each trump
    ("prediction", np.int32, (SEATS,)),  # index in PAIRS
    ("trick", np.int32, (SEATS,)),  # kind each seat has played to the trick
    ("captured", np.int8, (SEATS, N)),
    ("backs", np.int8, (SEATS + 1, N)),  # of each hand and, in the row after the last seat, of the shelf
    ("hand", np.int8, (SEATS + 1, CARDS)),  # and the shelf as it was dealt
    ("played", np.int8, (SEATS, CARDS)),
    ("unplayed", np.int8, (CARDS,)),
    ("power", np.int8, (CARDS,)),
)


def configure(s: Any, players: int, rounds: int) -> None:
    s.players = players
    s.rounds, s.hand_size = rounds or players, {3: 12, 4: 10}[players]  # [7]


def piles(_s: Any) -> list[list[int]]:
    return [list(range(CARDS)), list(range(1, SIZE + 1))]


@rule
def deal(s: Any, cards: Any) -> None:
    start_round(s)
    fill(s.captured.ravel(), 0)
    fill(s.backs.ravel(), 0)
    fill(s.hand.ravel(), 0)
    fill(s.played.ravel(), 0)
    fill(s.unplayed, 1)
    fill(s.prediction, NONE)
    copy(POWER, s.power)
    for colour in range(N):  # [1]
        place = (cards[CARDS : CARDS + N] > cards[CARDS + colour]).sum()
        s.place[colour] = place
        s.trump[place] = place * SIZE + cards[CARDS + colour] - 1
        s.power[s.trump[place]] = CARDS + N - place
    for i in range(CARDS):
        place = s.place[cards[i] // SIZE]
        s.hand[i // s.hand_size, place * SIZE + cards[i] % SIZE] = 1
        s.backs[i // s.hand_size, place] += 1
    s.tricks_left = s.hand_size
    lead(s, s.starter)
    s.phase = PREDICTING


@rule
def lead(s: Any, seat: int) -> None:
    """An empty trick, to be led by `seat`."""
    s.leader = s.winner = s.actor = seat
    s.phase, s.colour, s.best = PLAYING, NO_COLOUR, 0
    fill(s.trick, NONE)


@rule
def legal(s: Any, mask: Any) -> None:
    fill(mask, 0)
    if s.phase == PREDICTING:
        fill(mask[CARDS:TAKE_ACTION], 1)
    elif s.phase == PLAYING:
        follow(s.hand[s.actor], OF_COLOUR[s.colour], mask[:CARDS])  # [3]
    else:
        hold(s.backs[s.players], mask[TAKE_ACTION:])


@rule
def play(s: Any, action: int) -> None:
    seat = s.actor
    s.actor = clockwise(seat, 1, s.players)
    if s.phase == PREDICTING:
        s.prediction[seat] = action - CARDS
        if s.prediction[s.actor] != NONE:
            s.phase = PLAYING
    elif s.phase == TAKING:
        s.backs[s.players, action - TAKE_ACTION] -= 1
        s.captured[seat, action - TAKE_ACTION] += 1
        end_trick(s)
    else:
        s.hand[seat, action] = 0
        s.played[seat, action] = 1
        s.unplayed[action] = 0
        s.backs[seat, COLOUR[action]] -= 1
        s.trick[seat] = action
        if s.colour == NO_COLOUR:
            s.colour = COLOUR[action]
        if s.power[action] > s.best:  # [4]
            s.winner, s.best = seat, s.power[action]
        if s.trick[s.actor] != NONE:
            for other in range(s.players):
                s.captured[s.winner, COLOUR[s.trick[other]]] += 1
            s.actor, s.phase = s.winner, TAKING
            if not s.backs[s.players].any():  # [5]
                end_trick(s)


@rule
def end_trick(s: Any) -> None:
    s.tricks_left -= 1
    if s.tricks_left > 0:
        lead(s, s.winner)
        return
    for seat in range(s.players):
        s.earned[seat] = score(s, seat)
    end_round(s)  # [7]


@rule
def margins(s: Any, seat: int) -> tuple[int, int, int]:
    """By how much the colour foretold to be the most leads, and the least trails, the next; and most less least."""
    most, least = PAIRS[s.prediction[seat], 0], PAIRS[s.prediction[seat], 1]
    counts, highest, lowest = s.captured[seat], 0, SIZE
    for colour in range(N):
        highest = max(highest, counts[colour] if colour != most else 0)
        lowest = min(lowest, counts[colour] if colour != least else SIZE)
    return counts[most] - highest, lowest - counts[least], counts[most] - counts[least]


@rule
def score(s: Any, seat: int) -> int:  # [6]
    most, least, difference = margins(s, seat)
    total = (5 if most > 0 else 3 if most == 0 else 0) + (5 if least > 0 else 3 if least == 0 else 0)
    return total + difference if most >= 0 and least >= 0 else total


@rule
def points(s: Any, out: Any) -> None:
    for seat in range(SEATS):
        out[0, seat] = score(s, seat) if s.prediction[seat] != NONE else 0
    copy(s.total, out[1])


@rule
def observe(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[seat], out[AT.hand :])
    subtract(s.unplayed, s.hand[seat], out[AT.unseen :])
    copy(s.backs[s.players], out[AT.backs + SEATS * N :])
    beats(s.hand[seat], s.power, s.best, out[AT.wins :])
    for colour in range(N):
        out[AT.trumps + s.trump[colour]] = 1
        out[AT.trump_in + colour] = s.hand[seat, s.trump[colour]]
        out[AT.trump_in + N + colour] = s.unplayed[s.trump[colour]] - s.hand[seat, s.trump[colour]]
    for r in range(s.players):
        other = clockwise(seat, r, s.players)
        copy(s.played[other], out[AT.played + r * CARDS :])
        copy(s.backs[other], out[AT.backs + r * N :])
        copy(s.captured[other], out[AT.captured + r * N :])
        if s.prediction[other] != NONE and (other == seat or s.phase != PREDICTING):  # [2]
            out[AT.prediction + r * len(PAIRS) + s.prediction[other]] = 1
            out[AT.margins + 2 * r], out[AT.margins + 2 * r + 1], _ = margins(s, other)
        if s.trick[other] != NONE:
            out[AT.trick + r * CARDS + s.trick[other]] = 1
        out[AT.leader + r] = other == s.leader
        out[AT.winner + r] = other == s.winner
        out[AT.totals + r] = clip(s.total[other], 0, TOTAL_MAX)
    out[AT.trick_colour + s.colour] = 1
    out[AT.phase + s.phase] = 1
    fill(out[AT.tricks_left : AT.tricks_left + s.tricks_left], 1)
    out[AT.rounds_left] = clip(s.rounds - s.rounds_played - 1, 0, TOTAL_MAX)
    out[AT.players + s.players - 3] = 1


@rule
def reveal(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    for r in range(s.players - 1):
        other = clockwise(seat, r + 1, s.players)
        copy(s.hand[other], out[r * CARDS :])
        if s.phase == PREDICTING and s.prediction[other] != NONE:
            out[HIDDEN_AT.predictions + r * len(PAIRS) + s.prediction[other]] = 1


@rule
def possible(s: Any, seat: int, out: Any) -> None:
    fill(out.ravel(), 0)
    for other in range(s.players):
        for card in range(CARDS):  # a seat holds the colours that its backs show, and any card of them
            out[other, card] = s.unplayed[card] > s.hand[seat, card] and s.backs[other, COLOUR[card]] > 0
    hold(s.hand[seat], out[seat])


def action_names(s: Any) -> tuple[str, ...]:
    return names_by([COLOUR_NAMES[colour] for colour in np.argsort(s.place)])


def view(s: Any) -> View:
    names = action_names(s)
    colours = [name[-1] for name in names[TAKE_ACTION:]]
    foretold = ["–" if s.phase == PREDICTING else names[CARDS + prediction] for prediction in s.prediction]
    captured = [" ".join(f"{n}{colour}" for n, colour in zip(row, colours, strict=True)) for row in s.captured]
    rows = zip(foretold, captured, s.total, strict=True)
    facts = [{"prediction": choice, "captured": cards, "total": str(total)} for choice, cards, total in rows]
    table = {"tricks left": str(s.tricks_left), "trumps": " > ".join(name_cards(s.trump, names))}
    backs = [np.repeat(colours, row).tolist() for row in s.backs]
    shelf, secret = {"shelf": backs[s.players]}, bool(s.phase == PREDICTING)
    return show(s, names, s.trick, facts, table, backs, piles=shelf, secret=secret)


def name_deal(s: Any, cards: Any) -> dict[str, Any]:
    shelf = name_cards(cards[s.players * s.hand_size : CARDS], KINDS)
    trumps = {colour: int(cards[CARDS + i]) for i, colour in enumerate(COLOUR_NAMES)}
    return {"hands": name_hands(cards, KINDS, s.players, s.hand_size), "shelf": shelf, "trumps": trumps}


def read_deal(s: Any, deal: Mapping[str, Any]) -> list[int]:
    cards = read_hands(deal, KINDS, s.players, s.hand_size)
    cards += read_part(deal, "shelf", KINDS, CARDS - len(cards))
    check_deck(cards, range(CARDS), KINDS)
    trumps = deal.get("trumps")
    chosen: list[Any] = [trumps.get(colour) for colour in COLOUR_NAMES] if isinstance(trumps, dict) else []
    others = [number for number in range(1, SIZE + 1) if number not in chosen]
    if len(others) != SIZE - N:
        raise ValueError(f"the trumps are four different numbers from 1 to {SIZE}, for {', '.join(COLOUR_NAMES)}")
    return cards + chosen + others
