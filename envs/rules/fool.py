"""FOOL! by Friedemann Friese, 4 to 8 players: shed your hand; who plays the worst card of a trick sits out the next.

Written from the rules as this project states them (see docs/rules); numbers in brackets name their paragraphs.
The decks of smaller tables are derived, not printed: the option `deck` replaces them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .cards import beats, clip, clockwise, copy, end_round, fill, follow, hold, new_game, rotate, start_round, subtract
from .contract import Feature, Option, View, offsets, rule, state_dtype
from .notation import check_deck, name_hands, read_hands, show

NAME = "fool"
TITLE = "FOOL!"
DESIGNER = "Friedemann Friese"
PLAYERS = range(4, 9)
SEATS = 8
POINTS_SIGN = 1
EXAMPLE = "{'G': 17, 'R': 13, 'Y': 11, 'B': 8, '1': 3}"
OPTIONS = {
    "deck": Option(None, None, f"highest number of each colour and how many 1s, like {EXAMPLE}; None: by table size"),
    "end10": Option("player", ("player", "total"), "whether six +10s of one player end the game, or of all together"),
}

COLOURS = {"G": "#2f9e54", "R": "#cf3b2f", "Y": "#d9a81a", "B": "#2f6fd0", "1": "#5b6472"}
SIZES = ((17, 13, 11, 8, 3), (20, 16, 14, 10, 4), (23, 19, 17, 12, 5), (26, 22, 20, 14, 6), (27, 23, 21, 15, 6))
DECKS = {players: dict(zip("GRYB1", sizes, strict=True)) for players, sizes in zip(PLAYERS, SIZES, strict=True)}
FULL = DECKS[SEATS]
ACTIONS = (*(f"{colour}{number}" for colour in "GRYB" for number in range(2, FULL[colour] + 1)), "1")
CARDS = len(ACTIONS)
ONE = CARDS - 1  # the kind of the 1s
N = 4  # colours
NO_COLOUR = N  # the colour of a 1, and of a trick before its first card that is not a 1
COLOUR = np.array(["GRYB1".index(name[0]) for name in ACTIONS], np.int32)
NUMBER = np.array([int(name.lstrip("GRYB")) for name in ACTIONS], np.int32)
OF_COLOUR = np.array([*(colour == COLOUR for colour in range(N)), np.ones(CARDS)], np.int8)
COST = np.where(COLOUR == NO_COLOUR, 5, NUMBER).astype(np.int32)  # in the hand at the end [7]
IN_COLOUR = 64
RANK = (NUMBER + IN_COLOUR * ((OF_COLOUR > 0) | (COLOUR == NO_COLOUR))).astype(np.int8)
"""How good each kind is in a trick of each colour; of equals the first is better [4, 5]."""
NONE = -1
END_TOTAL, END_TENS = -80, 6  # [9]

HIGHEST, HAND_MAX, COST_STEPS, TOTAL_STEPS = 27, 12, 20, 10  # of the observation; beyond, the last is shared
ROW = N + 1 + HIGHEST + 1
FEATURES = (
    Feature("hand", (CARDS,), 0, 6, "own cards, by kind"),
    Feature("played", (SEATS, CARDS), 0, 6, "cards each seat has played this round, by kind"),
    Feature("unseen", (CARDS,), 0, 6, "cards neither played nor in the own hand, by kind"),
    Feature(
        "trick", (SEATS, ROW), 0, 1, "each seat's card in the trick: colour (GRYB, none), number (0: no card, 1…27)"
    ),
    Feature("trick_colour", (N + 1,), 0, 1, "colour of the trick (GRYB, none yet)"),
    Feature("leader", (SEATS,), 0, 1, "seat that leads the trick"),
    Feature("winner", (SEATS,), 0, 1, "seat that is winning the trick; the leader before its first card"),
    Feature("best", (HIGHEST,), 0, 1, "number of the winning card (1…27); all 0 before the first card"),
    Feature("fools", (SEATS,), 0, 1, "seats that would be the fools of the trick so far"),
    Feature("wins", (CARDS,), 0, 1, "own cards that would win the trick so far"),
    Feature("safe", (CARDS,), 0, 1, "own cards that would make no fool of the seat in the trick so far"),
    Feature("discs", (SEATS,), 0, 1, "seats that sit out this trick"),
    Feature("hand_sizes", (SEATS, HAND_MAX + 1), 0, 1, "number of cards in hand (0…12)"),
    Feature("voids", (SEATS, N), 0, 1, "colours a seat has shown to hold no card of, 1s apart"),
    Feature("cost", (COST_STEPS + 1,), 0, 1, "tens begun of what the own hand would cost (0…20)"),
    Feature("tens", (SEATS, END_TENS + 1), 0, 1, "rounds in which a seat scored +10 (0…6)"),
    Feature("totals", (SEATS,), -128, 127, "points of the rounds before, clipped"),
    Feature("above_end", (SEATS, TOTAL_STEPS + 1), 0, 1, "eights begun of points above −80 (0…10)"),
    Feature("ends", (2,), 0, 1, "six +10s that end the game are one player's; are all players'"),
    Feature("rounds_left", (1,), 0, 127, "rounds to come after this one, if their number is fixed"),
    Feature("players", (5,), 0, 1, "players at the table (4…8)"),
)
HIDDEN = (Feature("hands", (SEATS - 1, CARDS), 0, 6, "cards of the other seats, by kind"),)
AT = offsets(FEATURES)

State = state_dtype(
    SEATS,
    ("hand_size", np.int32),  # at the deal
    ("fools", np.int32),  # in a trick
    ("tens_of_all", np.int32),  # 1: six +10s of all players together end the game
    ("colour", np.int32),  # of the trick
    ("trick_size", np.int32),
    ("best", np.int32),  # rank of the winning card
    ("worst", np.int32, (2,)),  # ranks of the worst two cards in the trick, and who played them
    ("fool", np.int32, (2,)),
    ("trick", np.int32, (SEATS,)),  # kind each seat has played to the trick
    ("held", np.int32, (SEATS,)),  # cards in hand
    ("cost", np.int32, (SEATS,)),  # of the hand
    ("tens", np.int32, (SEATS,)),  # rounds with +10
    ("disc", np.int8, (SEATS,)),  # 1: sits out
    ("void", np.int8, (SEATS, N)),
    ("deck", np.int8, (CARDS,)),  # counts by kind, as are the next three
    ("unplayed", np.int8, (CARDS,)),
    ("hand", np.int8, (SEATS, CARDS)),
    ("played", np.int8, (SEATS * CARDS,)),  # by seat and kind
)


def configure(s: Any, players: int, rounds: int, deck: Mapping[str, int] | None, end10: str) -> None:
    deck = DECKS[players] if deck is None else deck
    known = isinstance(deck, Mapping) and set(deck) == set(FULL)
    if not known or not all(type(deck[c]) is int and (c != "1") <= deck[c] <= FULL[c] for c in FULL):
        raise ValueError(f"deck is the highest number of each colour and how many 1s, at most {FULL}, not {deck!r}")
    s.deck[:] = [deck["1"] if name == "1" else int(name[1:]) <= deck[name[0]] for name in ACTIONS]
    size = int(s.deck.sum())
    if size % players or not size:
        raise ValueError(f"the deck has {size} cards, which {players} players cannot share evenly")
    s.players = players
    s.rounds = rounds
    s.hand_size = size // players
    s.fools = 1 if players < 7 else 2
    s.tens_of_all = end10 == "total"


def piles(s: Any) -> list[list[int]]:
    return [np.repeat(np.arange(CARDS), s.deck).tolist()]


@rule
def begin(s: Any, starter: int) -> None:
    new_game(s, starter)
    fill(s.tens, 0)


@rule
def deal(s: Any, cards: Any) -> None:
    start_round(s)
    fill(s.held, 0)
    fill(s.cost, 0)
    fill(s.disc, 0)
    fill(s.void.ravel(), 0)
    fill(s.hand.ravel(), 0)
    fill(s.played, 0)
    copy(s.deck, s.unplayed)
    for i in range(s.players * s.hand_size):
        seat = i // s.hand_size
        s.hand[seat, cards[i]] += 1
        s.held[seat] += 1
        s.cost[seat] += COST[cards[i]]
    lead(s, s.starter)


@rule
def lead(s: Any, seat: int) -> None:
    """An empty trick, to be led by `seat`."""
    s.leader = s.winner = s.actor = seat
    s.colour, s.trick_size, s.best = NO_COLOUR, 0, 0
    fill(s.worst, 127)
    fill(s.fool, NONE)
    fill(s.trick, NONE)


@rule
def legal(s: Any, mask: Any) -> None:
    follow(s.hand[s.actor], OF_COLOUR[s.colour], mask)  # [3]
    mask[ONE] = s.hand[s.actor, ONE] > 0


@rule
def play(s: Any, action: int) -> None:
    seat = s.actor
    colour = COLOUR[action]
    s.hand[seat, action] -= 1
    s.played[seat * CARDS + action] += 1
    s.unplayed[action] -= 1
    s.held[seat] -= 1
    s.cost[seat] -= COST[action]
    if s.colour == NO_COLOUR:  # [2]
        s.colour = colour
    elif colour != s.colour and colour != NO_COLOUR:
        s.void[seat, s.colour] = 1
    rank = RANK[s.colour, action]
    if rank > s.best:
        s.winner, s.best = seat, rank
    if rank <= s.worst[0]:
        s.worst[1], s.fool[1] = s.worst[0], s.fool[0]
        s.worst[0], s.fool[0] = rank, seat
    elif rank <= s.worst[1]:
        s.worst[1], s.fool[1] = rank, seat
    s.trick[seat] = action
    s.trick_size += 1
    s.actor = clockwise(seat, 1, s.players)
    while s.disc[s.actor]:  # [1]
        s.actor = clockwise(s.actor, 1, s.players)
    if s.trick[s.actor] != NONE:
        finish_trick(s)


@rule
def finish_trick(s: Any) -> None:
    fill(s.disc, 0)
    for i in range(s.fools):
        s.disc[s.fool[i]] = 1
    if s.held[: s.players].min() > 0:
        lead(s, s.winner)
        return
    for seat in range(s.players):  # [6]
        s.earned[seat] = score(s, seat)
        s.tens[seat] += s.earned[seat] > 0
    end_round(s)  # [8]
    if s.rounds == 0:  # [9]
        tens = s.tens.sum() if s.tens_of_all else s.tens.max()
        s.game_over = s.total.min() <= END_TOTAL or tens >= END_TENS


@rule
def score(s: Any, seat: int) -> int:  # [7]
    if s.held[seat] > 0:
        return -s.cost[seat]
    return 0 if s.disc[seat] else 10


@rule
def points(s: Any, out: Any) -> None:
    fill(out[0], 0)
    for seat in range(s.players):
        out[0, seat] = score(s, seat)
    copy(s.total, out[1])


@rule
def observe(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[seat], out[AT.hand :])
    subtract(s.unplayed, s.hand[seat], out[AT.unseen :])
    beats(s.hand[seat], RANK[s.colour], s.best, out[AT.wins :])
    beats(s.hand[seat], RANK[s.colour], s.worst[s.fools - 1], out[AT.safe :])
    rotate(seat, s.players, CARDS, s.played, out[AT.played :])
    for r in range(s.players):
        other = clockwise(seat, r, s.players)
        card = s.trick[other]
        out[AT.trick + r * ROW + (COLOUR[card] if card != NONE else NO_COLOUR)] = 1
        out[AT.trick + r * ROW + N + 1 + (NUMBER[card] if card != NONE else 0)] = 1
        out[AT.leader + r] = other == s.leader
        out[AT.winner + r] = other == s.winner
        out[AT.fools + r] = (other == s.fool[0]) | (other == s.fool[1]) & (s.fools > 1)
        for colour in range(N):
            out[AT.voids + r * N + colour] = s.void[other, colour]
        out[AT.discs + r] = s.disc[other]
        out[AT.hand_sizes + r * (HAND_MAX + 1) + min(s.held[other], HAND_MAX)] = 1
        out[AT.tens + r * (END_TENS + 1) + min(s.tens[other], END_TENS)] = 1
        out[AT.totals + r] = clip(s.total[other], -128, 127)
        above = clip((s.total[other] - END_TOTAL + 7) >> 3, 0, TOTAL_STEPS)
        out[AT.above_end + r * (TOTAL_STEPS + 1) + above] = 1
    out[AT.trick_colour + s.colour] = 1
    if s.trick_size > 0:
        out[AT.best + NUMBER[s.trick[s.winner]] - 1] = 1
    out[AT.cost + min((s.cost[seat] + 9) // 10, COST_STEPS)] = 1
    if s.rounds == 0:
        out[AT.ends + s.tens_of_all] = 1
    out[AT.rounds_left] = clip(s.rounds - s.rounds_played - 1, 0, 127)
    out[AT.players + s.players - 4] = 1


@rule
def reveal(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    for r in range(s.players - 1):
        copy(s.hand[clockwise(seat, r + 1, s.players)], out[r * CARDS :])


@rule
def possible(s: Any, seat: int, out: Any) -> None:
    for other in range(SEATS):
        for kind in range(CARDS):
            void = kind != ONE and s.void[other, COLOUR[kind]] > 0
            out[other, kind] = s.unplayed[kind] > s.hand[seat, kind] and s.held[other] > 0 and not void
    hold(s.hand[seat], out[seat])


def action_names(_s: Any) -> tuple[str, ...]:
    return ACTIONS


def view(s: Any) -> View:
    facts = [
        {
            "cards": str(s.held[seat]),
            "disc": "sits out" if s.disc[seat] else "–",
            "tens": str(s.tens[seat]),
            "total": str(s.total[seat]),
        }
        for seat in range(s.players)
    ]
    fools = sorted(int(seat) for seat in s.fool[: s.fools] if seat != NONE)
    table = {"colour": "GRYB–"[s.colour], "fool so far": " and ".join(map(str, fools)) or "–"}
    return show(s, ACTIONS, s.trick, facts, table)


def name_deal(s: Any, cards: Any) -> dict[str, Any]:
    return {"hands": name_hands(cards, ACTIONS, s.players, s.hand_size)}


def read_deal(s: Any, deal: Mapping[str, Any]) -> list[int]:
    cards = read_hands(deal, ACTIONS, s.players, s.hand_size)
    check_deck(cards, piles(s)[0], ACTIONS)
    return cards
