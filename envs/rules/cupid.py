"""CUPID: Tricks & Tactics, 2 players: any card may be played, every trick scores at once, first to 121 wins.

Written from the rules as this project states them (see docs/rules); numbers in brackets name their paragraphs.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .cards import among, clip, copy, fill, hold, new_game, start_round
from .contract import Feature, Option, View, offsets, rule, state_dtype
from .notation import check_deck, name_cards, name_hands, read_hands, read_part, show

NAME = "cupid"
TITLE = "CUPID: Tricks & Tactics"
DESIGNER = "Riffle Shuffle & Roll"
PLAYERS = range(2, 3)
SEATS = 2
POINTS_SIGN = 1
OPTIONS = {"target": Option(121, range(1, 2**31), "points that win the game; with `rounds` there is no target")}

_NUMBERS = tuple(f"{suit}{'A' if pips == 1 else pips}" for pips in range(1, 11) for suit in "HS")
KINDS = ("JK", "DQ", *_NUMBERS[:10], "CJ", *_NUMBERS[10:], "HK")  # from low to high
FIGURES = ("DQ", "CJ", "HK")
CARDS = len(KINDS)
ANIMA, MONSTER, CUPID = (KINDS.index(card) for card in FIGURES)
ACTIONS = (*KINDS, "take up", "take down")
TAKE_UP = CARDS
COLOURS = {"H": "#cf3b4f", "S": "#3d4a5c", "D": "#d98a1f", "C": "#2f8f6b", "J": "#6a5acd"}

HAND_SIZE, PRIZE, STOCK = 5, 2, 12
TRICKS = HAND_SIZE + STOCK // 2
LEAD, REPLY, TAKE = range(3)  # phases
NO_CARD = -1


def _worth(one: str, other: str) -> int:
    figures = (one in FIGURES) + (other in FIGURES)
    if figures or "JK" in (one, other):
        return 11 if figures == 2 else 0
    low, high = sorted(_NUMBERS.index(card) // 2 + 1 for card in (one, other))
    return low + high if one[0] != other[0] else high - low if one[0] == "H" else 1


WORTH = np.array([[_worth(one, other) for other in KINDS] for one in KINDS], np.int32)  # of a trick, or the prize [3]
BEATEN_BY = np.triu(np.ones((CARDS, CARDS), np.int8), 1)  # whether the second kind beats the first [2]
BEATEN_BY[ANIMA, CUPID], BEATEN_BY[CUPID, ANIMA] = 0, 1
GAIN = np.where(BEATEN_BY, WORTH, -WORTH).astype(np.int8)  # what the second kind brings as a reply to the first

TOTAL_MAX = 127
STEP, STEPS = 5, 25  # the distance to the target is shown in steps of 5 points

FEATURES = (
    Feature("hand", (CARDS,), 0, 1, "own cards, by kind from low to high"),
    Feature("turn_up", (CARDS,), 0, 1, "the face-up card of the stock"),
    Feature("unseen", (CARDS,), 0, 1, "cards the seat has not seen yet"),
    Feature("open", (SEATS, CARDS), 0, 1, "cards a seat took openly and still holds"),
    Feature("played", (SEATS, CARDS), 0, 1, "cards each seat has played this round"),
    Feature("trick", (SEATS, CARDS), 0, 1, "each seat's card in the trick"),
    Feature("wins", (CARDS,), 0, 1, "own cards that would beat the card led; all 0 unless the seat is to reply"),
    Feature("gain", (CARDS,), -20, 20, "points each own card would win (lose: below 0) as a reply"),
    Feature("phase", (3,), 0, 1, "what is to be done: lead, reply, take a card"),
    Feature("leader", (SEATS,), 0, 1, "seat that leads the trick"),
    Feature("winner", (SEATS,), 0, 1, "seat that won the trick; all 0 before the reply"),
    Feature("stock", (STOCK // 2,), 0, 1, "draws to come, as many 1s"),
    Feature("tricks_left", (TRICKS,), 0, 1, "tricks to come, the current one included until its reply, as many 1s"),
    Feature("totals", (SEATS,), 0, TOTAL_MAX, "points, clipped to 127"),
    Feature("needed", (SEATS, STEPS), 0, 1, "points lacking to the target, a 1 for each 5 begun; 0 without target"),
    Feature("dealer", (SEATS,), 0, 1, "seat that dealt and led first"),
    Feature("rounds_left", (1,), 0, TOTAL_MAX, "rounds to come after this one; 0 with a target"),
)
HIDDEN = (
    Feature("hand_of_other", (CARDS,), 0, 1, "cards of the other seat"),
    Feature("prize", (CARDS,), 0, 1, "the two cards of the prize"),
    Feature("stock_order", (STOCK - 1, CARDS), 0, 1, "the cards under the turn-up in the order they are drawn"),
)
AT = offsets(FEATURES)
HIDDEN_AT = offsets(HIDDEN)

begin = new_game
State = state_dtype(
    SEATS,
    ("target", np.int32),  # 0: none
    ("phase", np.int32),  # LEAD, REPLY or TAKE
    ("tricks_left", np.int32),
    ("drawn", np.int32),  # cards of the stock drawn
    ("scored", np.int32, (SEATS,)),  # in this round
    ("trick", np.int32, (SEATS,)),  # kind each seat has played to the trick
    ("prize", np.int32, (PRIZE,)),
    ("stock", np.int32, (STOCK,)),
    ("hand", np.int8, (SEATS, CARDS)),
    ("open", np.int8, (SEATS, CARDS)),  # of the hand, what the other has seen
    ("unseen", np.int8, (SEATS, CARDS)),  # what a seat has not seen
    ("played", np.int8, (SEATS, CARDS)),
)


def configure(s: Any, players: int, rounds: int, target: int) -> None:
    s.players = players
    s.rounds = rounds
    s.target = 0 if rounds else target


def piles(_s: Any) -> list[list[int]]:
    return [list(range(CARDS))]


@rule
def deal(s: Any, cards: Any) -> None:
    start_round(s)
    fill(s.scored, 0)
    fill(s.hand.ravel(), 0)
    fill(s.open.ravel(), 0)
    fill(s.unseen.ravel(), 1)
    fill(s.played.ravel(), 0)
    for i in range(SEATS * HAND_SIZE):
        s.hand[i // HAND_SIZE, cards[i]] = 1
        s.unseen[i // HAND_SIZE, cards[i]] = 0
    copy(cards[SEATS * HAND_SIZE : -STOCK], s.prize)
    copy(cards[-STOCK:], s.stock)
    s.drawn = 0
    s.tricks_left = TRICKS
    s.winner = s.starter  # [1]
    fill(s.trick, NO_CARD)
    lead(s)


@rule
def lead(s: Any) -> None:
    """An empty trick and a new turn-up; the winner of the trick before leads, the loser where the Monster won [5]."""
    s.phase = LEAD
    s.leader = 1 - s.winner if s.trick[s.winner] == MONSTER else s.winner
    s.actor = s.leader
    fill(s.trick, NO_CARD)
    if s.drawn < STOCK:
        s.unseen[:, s.stock[s.drawn]] = 0


@rule
def legal(s: Any, mask: Any) -> None:
    fill(mask, 0)
    if s.phase == TAKE:
        fill(mask[TAKE_UP:], 1)
    else:
        copy(s.hand[s.actor], mask)


@rule
def play(s: Any, action: int) -> None:
    fill(s.earned, 0)
    if s.phase == TAKE:
        take(s, action == TAKE_UP)
        return
    seat = s.actor
    s.hand[seat, action] = 0
    s.open[seat, action] = 0
    s.unseen[1 - seat, action] = 0
    s.played[seat, action] = 1
    s.trick[seat] = action
    if s.phase == LEAD or BEATEN_BY[s.trick[s.leader], action]:
        s.winner = seat
    if s.phase == LEAD:
        s.phase, s.actor = REPLY, 1 - seat
    else:
        finish_trick(s)


@rule
def finish_trick(s: Any) -> None:
    s.phase = TAKE
    s.actor = s.winner
    s.tricks_left -= 1
    score(s, s.winner, WORTH[s.trick[0], s.trick[1]])
    if s.tricks_left == 0 and not s.game_over:
        score(s, s.winner, WORTH[s.prize[0], s.prize[1]])  # [6]
    if s.tricks_left == 0 or s.game_over:
        s.starter = s.winner if s.total[0] == s.total[1] else s.total[1] > s.total[0]  # [1]
        s.rounds_played += 1
        s.round_over = 1
        s.game_over |= s.rounds_played == s.rounds
    elif s.drawn == STOCK:
        lead(s)


@rule
def score(s: Any, seat: int, points: Any) -> None:
    s.earned[seat] += points
    s.scored[seat] += points
    s.total[seat] += points
    s.game_over |= 0 < s.target <= s.total[seat]  # [7]


@rule
def take(s: Any, up: bool) -> None:
    opener = s.winner if up else 1 - s.winner  # who gets the turn-up [4]
    turned, hidden = s.stock[s.drawn], s.stock[s.drawn + 1]
    s.hand[opener, turned] = 1
    s.open[opener, turned] = 1
    s.hand[1 - opener, hidden] = 1
    s.unseen[1 - opener, hidden] = 0
    s.drawn += 2
    lead(s)


@rule
def points(s: Any, out: Any) -> None:
    copy(s.scored, out[0])
    copy(s.total, out[1])


@rule
def observe(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[seat], out[AT.hand :])
    copy(s.unseen[seat], out[AT.unseen :])
    if s.drawn < STOCK:
        out[AT.turn_up + s.stock[s.drawn]] = 1
    if s.phase == REPLY and seat == s.actor:
        among(s.hand[seat], BEATEN_BY[s.trick[s.leader]], out[AT.wins :])
        among(s.hand[seat], GAIN[s.trick[s.leader]], out[AT.gain :])
    for r in range(SEATS):
        whose = (seat + r) % SEATS
        copy(s.open[whose], out[AT.open + r * CARDS :])
        copy(s.played[whose], out[AT.played + r * CARDS :])
        if s.trick[whose] != NO_CARD:
            out[AT.trick + r * CARDS + s.trick[whose]] = 1
        out[AT.leader + r] = whose == s.leader
        out[AT.winner + r] = whose == s.winner and s.phase == TAKE
        out[AT.dealer + r] = whose == s.starter
        out[AT.totals + r] = clip(s.total[whose], 0, TOTAL_MAX)
        steps = clip((s.target - s.total[whose] + STEP - 1) // STEP, 0, STEPS)
        fill(out[AT.needed + r * STEPS : AT.needed + r * STEPS + steps], 1)
    out[AT.phase + s.phase] = 1
    fill(out[AT.stock : AT.stock + (STOCK - s.drawn) // 2], 1)
    fill(out[AT.tricks_left : AT.tricks_left + s.tricks_left], 1)
    out[AT.rounds_left] = clip(s.rounds - s.rounds_played - 1, 0, TOTAL_MAX)


@rule
def reveal(s: Any, seat: int, out: Any) -> None:
    fill(out, 0)
    copy(s.hand[1 - seat], out)
    for card in s.prize:
        out[HIDDEN_AT.prize + card] = 1
    for i in range(s.drawn + 1, STOCK):
        out[HIDDEN_AT.stock_order + (i - s.drawn - 1) * CARDS + s.stock[i]] = 1


@rule
def possible(s: Any, seat: int, out: Any) -> None:
    other = 1 - seat
    unknown = s.hand[other].sum() > s.open[other].sum()  # else all its cards are known
    for card in range(CARDS):
        out[other, card] = s.open[other, card] or (unknown and s.unseen[seat, card])
    hold(s.hand[seat], out[seat])


def action_names(_s: Any) -> tuple[str, ...]:
    return ACTIONS


def view(s: Any) -> View:
    return show(
        s,
        KINDS,
        s.trick,
        facts=[{"total": str(s.total[seat]), "this round": str(s.scored[seat])} for seat in range(SEATS)],
        seen=[  # backs last: between open cards they would tell their rank
            name_cards(np.flatnonzero(s.open[seat]).tolist(), KINDS) + [""] * (s.hand[seat].sum() - s.open[seat].sum())
            for seat in range(SEATS)
        ],
        table={"target": str(s.target) if s.target else "–", "tricks left": str(s.tricks_left)},
        piles={
            "turn-up": name_cards(s.stock[s.drawn : s.drawn + 1], KINDS),
            "stock": [""] * (STOCK - 1 - s.drawn),
            "prize": [""] * (PRIZE if s.tricks_left else 0),
        },
        won=int(s.winner) if s.phase == LEAD and s.winner != s.leader else None,
    )


def name_deal(_s: Any, cards: Any) -> dict[str, Any]:
    rest = name_cards(cards[SEATS * HAND_SIZE :], KINDS)
    return {"hands": name_hands(cards, KINDS, SEATS, HAND_SIZE), "prize": rest[:PRIZE], "stock": rest[PRIZE:]}


def read_deal(s: Any, deal: Mapping[str, Any]) -> list[int]:
    cards = read_hands(deal, KINDS, SEATS, HAND_SIZE)
    cards += read_part(deal, "prize", KINDS, PRIZE) + read_part(deal, "stock", KINDS, STOCK)
    check_deck(cards, piles(s)[0], KINDS)
    return cards
