"""Fearless: its rules case by case, in cards; and what a seat is shown, counted again from the record."""

from collections import Counter

import numpy as np
import pytest
from followsuit.envs.rules import fearless
from followsuit.envs.rules.contract import decode
from followsuit.envs.scores import win_shares
from helpers import PlainTable, golden, play_record
from hypothesis import given
from hypothesis import strategies as st

PLAYERS = list(fearless.PLAYERS)


def suit_of(card):
    return None if card == "0" else card[0]


def value_of(card):
    return int(card[1:] or 0)


def kinds(cards):
    """Cards by name, with how many of each, in the order of an observation."""
    counts = Counter(cards)
    return [counts[name] for name in fearless.ACTIONS]


def endgame(*hands, leader=0, ghosts=None):
    """A table, a seat for each hand, with these cards left; the trick is led by `leader`."""
    table = PlainTable("fearless", len(hands), 1)
    table.deal_at_random(np.random.default_rng(0), leader)
    for seat, hand in enumerate(hands):
        table.state.hand[seat] = kinds(hand)
    table.state.tricks_left = len(hands[0])
    for seat, ghost in (ghosts or {}).items():
        table.state.ghost[seat] = ghost
        table.state.out_of_ruin[seat] = 1
    return table


def legal(table):
    return {fearless.ACTIONS[action] for action in np.flatnonzero(table.mask)}


def play(table, *cards):
    for card in cards:
        assert card in legal(table)
        table.step(fearless.ACTIONS.index(card))


def trick(*cards):
    """The seat that wins these cards, led by seat 0, and where its ghost then stands."""
    table = endgame(*([card, "B+5"] for card in cards))
    for card in cards:
        table.step(fearless.ACTIONS.index(card))
    state = table.state
    assert state.out_of_ruin[: len(cards)].tolist() == [int(seat == state.actor) for seat in range(len(cards))]
    assert state.leader == state.actor
    return int(state.actor), int(state.ghost[state.actor])


@pytest.mark.parametrize(
    ("players", "suits", "each", "zeros", "ones", "hand"),
    [(3, "BOM", 12, 3, 1, 13), (4, "BOMG", 12, 4, 1, 13), (5, "BOMG", 14, 4, 2, 12)],
)
def test_decks(players, suits, each, zeros, ones, hand):
    table = PlainTable("fearless", players)
    [pile] = fearless.piles(table.state)
    deck = Counter(fearless.ACTIONS[card] for card in pile)
    assert sum(deck.values()) == players * hand
    assert Counter(map(suit_of, deck.elements())) == dict.fromkeys(suits, each) | {None: zeros}
    assert all(deck[card] == (ones if abs(value_of(card)) == 1 else 1) for card in deck if card != "0")
    table.deal_at_random(np.random.default_rng(1), 0)
    assert [len(cards) for cards in table.hands()] == [hand] * players


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        (["B+2", "B+5", "B-6"], 1),  # the highest of the suit
        (["B-5", "B-6", "B-3"], 2),
        (["B-6", "O+6", "M+6", "G+6"], 0),  # other suits do not win
        (["B-2", "0", "B-1"], 1),  # between +1 and −1 there is 0
        (["B+1", "0", "B-1"], 0),
        (["B-2", "0", "0"], 1),  # of equal cards the first
        (["0", "B-2", "0"], 0),
        (["0", "0", "0"], 0),  # zeros alone
        (["0", "O-2", "B+6"], 0),  # the first that is no 0 makes the suit
        (["0", "O+2", "B+6"], 1),
        (["0", "0", "O+1", "B+6", "O+2"], 4),
        (["B-6", "B+1", "O+6", "B+1", "0"], 1),  # twins
        (["B-6", "B-1", "B-1", "O-1", "O-1"], 1),
        (["B-1", "B+1", "B-1", "B+1", "B-2"], 1),
    ],
)
def test_who_wins_a_trick(cards, winner):
    assert trick(*cards) == (winner, sum(map(value_of, cards)))


def test_following_suit():
    table = endgame(["B+1", "O+1"], ["B+2", "B-2", "0", "O+2"], ["0", "O-3", "M+4"], ["0", "B-3", "0"])
    assert legal(table) == {"B+1", "O+1"}
    play(table, "B+1")
    assert legal(table) == {"B+2", "B-2", "0"}  # a 0 is always legal, and never a must
    play(table, "B-2")
    assert legal(table) == {"0", "O-3", "M+4"}  # who cannot follow may play anything
    play(table, "O-3")
    assert legal(table) == {"0", "B-3"}


def test_zeros_leave_the_suit_open():
    table = endgame(["0", "B+1"], ["O+3", "0"], ["O-2", "M+1"])
    play(table, "0")
    assert legal(table) == {"O+3", "0"}
    play(table, "0")
    assert legal(table) == {"O-2", "M+1"}
    table = endgame(["0", "B+1"], ["O+3", "0"], ["O-2", "M+1"])
    play(table, "0", "O+3")
    assert legal(table) == {"O-2"}


def test_the_winner_leads_and_its_ghost_moves_by_all_cards():
    table = endgame(["B+1", "O+1"], ["B+2", "O+2"], ["M-6", "G-6"], ["B-3", "O-3"], leader=3)
    play(table, "B-3", "B+1", "B+2")
    assert table.features(0)["sum_value"] == [0]
    play(table, "M-6")
    assert table.state.actor == 1
    assert table.state.ghost.tolist() == [0, -6, 0, 0, 0]
    assert table.features(3)["ghost_values"].tolist() == [0, 0, -6, 0, 0]


def test_a_ghost_has_no_end_of_track():
    table = endgame(["B+6", "O+6"], ["O+5", "B+5"], ["M+6", "M+5"], ghosts={0: 40})
    play(table, "B+6", "B+5", "M+6")
    assert table.state.ghost[0] == 57
    assert table.features(0)["ghosts"][0].tolist() == [0] * 30 + [1]
    assert table.features(0)["ghost_values"][0] == 57


def test_fear():
    """|position|, for tricks that sum to 0 none; 15 in the ruin."""
    table = endgame(["B+6"], ["B-2"], ["O-4"], ["O-5"], ghosts={0: 5, 1: -7, 2: 0})
    assert table.points()[0].tolist() == [5, 7, 0, 15]
    assert table.points()[1].tolist() == [0, 0, 0, 0]
    play(table, "B+6", "B-2", "O-4", "O-5")
    assert table.state.round_over
    assert table.state.game_over
    assert table.state.earned.tolist() == [0, 7, 0, 15, 0]
    assert table.points().tolist() == [[0, 7, 0, 15]] * 2


@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_starts_once_clockwise(players):
    for seed in range(4):
        record = play_record("fearless", players, seed, "match")
        first = record["rounds"][0]["starter"]
        starters = [entry["starter"] for entry in record["rounds"]]
        assert starters == [(first + round_) % players for round_ in range(players)]
        assert [entry["moves"][0][0] for entry in record["rounds"]] == starters
        assert record["totals"] == np.sum([entry["points"] for entry in record["rounds"]], 0).tolist()


def test_the_fewest_fear_wins_and_equal_totals_share():
    assert win_shares([30, 12, 12, 40], fearless.POINTS_SIGN).tolist() == [0, 0.5, 0.5, 0]


@pytest.mark.parametrize("players", PLAYERS)
@given(seed=st.integers(0, 2**32))
def test_ghosts_sum_to_nothing_at_the_end_of_a_round(players, seed):
    random = np.random.default_rng(seed)
    table = PlainTable("fearless", players, 1)
    table.deal_at_random(random, seed % players)
    assert sum(len(hand) for hand in table.hands()) == {3: 39, 4: 52, 5: 60}[players]
    while not table.state.round_over:
        table.step_at_random(random)
    assert table.state.ghost.sum() == 0
    assert table.state.played.sum() == {3: 39, 4: 52, 5: 60}[players]


def test_a_void_is_inferred_from_another_suit_alone():
    table = PlainTable("fearless", 3, 1)
    hands = [
        ["B+6", "B+5", "B+4", "B+3", "B+2", "B+1", "O+6", "O+5", "O+4", "O+3", "O+2", "O+1", "0"],
        ["B-1", "B-2", "B-3", "B-4", "B-5", "B-6", "O-1", "O-2", "O-3", "O-4", "O-5", "O-6", "0"],
        ["M+6", "M+5", "M+4", "M+3", "M+2", "M+1", "M-1", "M-2", "M-3", "M-4", "M-5", "M-6", "0"],
    ]
    table.deal(fearless.read_deal(table.state, {"hands": hands}), 0)

    def suits(viewer, other):
        marked = np.flatnonzero(table.possible(viewer)[other])
        return "".join(sorted({fearless.ACTIONS[kind][0] for kind in marked}))

    assert suits(0, 1) == suits(0, 2) == suits(1, 2) == "0BMO"
    play(table, "B+6", "0", "0")
    assert suits(0, 1) == suits(0, 2) == "BMO"  # no 0 is left for them
    assert suits(1, 2) == "0BMO"
    play(table, "B+5", "B-1", "M+6")
    assert suits(0, 2) == "MO"
    assert suits(1, 2) == "0MO"
    assert suits(0, 1) == "BMO"
    play(table, "O+6", "O-1", "M-6")
    assert suits(0, 2) == "M"
    assert suits(1, 2) == "0M"
    assert table.features(0)["voids"].tolist() == [[0] * 4, [0] * 4, [1, 1, 0, 0], [0] * 4, [0] * 4]


# A second, slow count of the round, in cards


class Count:
    """A round of a record, counted move by move."""

    def __init__(self, hands, starter):
        self.players = players = len(hands)
        self.hands = [list(hand) for hand in hands]
        self.played = [[] for _ in range(players)]
        self.ghosts = [0] * players
        self.won = [0] * players
        self.voids = [set() for _ in range(players)]
        self.leader, self.trick = starter, []

    def move(self, seat, card):
        assert seat == (self.leader + len(self.trick)) % self.players
        self.hands[seat].remove(card)
        self.played[seat].append(card)
        self.trick.append(card)
        if suit_of(card) not in (None, self.suit):
            self.voids[seat].add(self.suit)
        if len(self.trick) == self.players:
            winner = self.winner
            self.ghosts[winner] += self.sum
            self.won[winner] += 1
            self.leader, self.trick = winner, []

    @property
    def suit(self):
        return next((suit_of(card) for card in self.trick if card != "0"), None)

    @property
    def sum(self):
        return sum(map(value_of, self.trick))

    @property
    def best(self):
        """Where in the trick the winning card lies."""
        could = [i for i, card in enumerate(self.trick) if suit_of(card) in (None, self.suit)]
        return max(could, key=lambda i: (value_of(self.trick[i]), -i))

    @property
    def winner(self):
        return (self.leader + self.best) % self.players

    def fear(self):
        return [abs(ghost) if won else 15 for ghost, won in zip(self.ghosts, self.won, strict=True)]

    def unseen(self, seat):
        return [card for other, hand in enumerate(self.hands) if other != seat for card in hand]

    def possible(self, viewer):
        rows = [[0] * len(fearless.ACTIONS) for _ in range(5)]
        for seat in range(self.players):
            could = self.hands[viewer] if seat == viewer else self.unseen(viewer)
            shown = set() if seat == viewer else self.voids[seat]
            rows[seat] = [int(count > 0) for count in kinds(card for card in could if suit_of(card) not in shown)]
        return rows

    def features(self, viewer, totals, rounds_left):
        seats = [(viewer + r) % self.players if r < self.players else None for r in range(5)]

        def per_seat(of, absent):
            return [absent if seat is None else of(seat) for seat in seats]

        def one_hot(place, size):
            return [int(i == place) for i in range(size)]

        def card_row(card):
            return [int(suit_of(card) == suit) for suit in "BOMG"] + one_hot(value_of(card) + 6, 13)

        tricks = {3: 13, 4: 13, 5: 12}[self.players]
        return {
            "hand": kinds(self.hands[viewer]),
            "played": per_seat(lambda seat: kinds(self.played[seat]), kinds([])),
            "unseen": kinds(self.unseen(viewer)),
            "trick": [card_row(card) for card in self.trick] + [[0] * 17] * (4 - len(self.trick)),
            "leader": one_hot(seats.index(self.leader), 5),
            "trick_suit": [int(self.suit == suit) for suit in "BOMG"],
            "winner": one_hot(seats.index(self.winner) if self.trick else None, 5),
            "winner_value": one_hot(value_of(self.trick[self.best]) + 6 if self.trick else None, 13),
            "sum": one_hot(min(max(self.sum, -12), 12) + 12, 25),
            "sum_value": [self.sum],
            "ghosts": per_seat(lambda seat: one_hot(min(max(self.ghosts[seat], -15), 15) + 15, 31), [0] * 31),
            "ghost_values": per_seat(lambda seat: self.ghosts[seat], 0),
            "out_of_ruin": per_seat(lambda seat: int(self.won[seat] > 0), 0),
            "voids": per_seat(lambda seat: [int(suit in self.voids[seat]) for suit in "BOMG"], [0] * 4),
            "tricks_left": [tricks - sum(self.won)],
            "totals": per_seat(lambda seat: min(totals[seat], 127), 0),
            "rounds_left": [rounds_left],
            "players": [int(self.players == size) for size in (3, 4, 5)],
        }


@pytest.mark.parametrize("players", PLAYERS)
def test_points_counted_again(players):
    ruin = nothing = False
    for record in golden("fearless", players):
        for entry in record["rounds"]:
            count = Count(entry["deal"]["hands"], entry["starter"])
            for move in entry["moves"]:
                count.move(*move)
            assert count.fear() == entry["points"]
            ruin |= not all(count.won)
            nothing |= any(won and not ghost for won, ghost in zip(count.won, count.ghosts, strict=True))
    assert ruin
    assert nothing


@pytest.mark.parametrize("players", PLAYERS)
def test_observations_counted_again(players):
    record = golden("fearless", players)[3]
    table = PlainTable("fearless", players)
    totals = [0] * players
    for number, entry in enumerate(record["rounds"]):
        table.deal(fearless.read_deal(table.state, entry["deal"]), None if number else entry["starter"])
        count = Count(entry["deal"]["hands"], entry["starter"])
        for made, (seat, card) in enumerate(entry["moves"]):
            for viewer in (seat, made * 7 % players):
                shown = {name: block.tolist() for name, block in table.features(viewer).items()}
                assert shown == count.features(viewer, totals, players - number - 1)
                assert table.possible(viewer).tolist() == count.possible(viewer)
                hands = [kinds(count.hands[(viewer + r) % players]) for r in range(1, players)]
                hidden = decode(fearless.HIDDEN, table.reveal(viewer))["hands"]
                assert hidden.tolist() == hands + [kinds([])] * (5 - players)
            count.move(seat, card)
            play(table, card)
        totals = [total + points for total, points in zip(totals, entry["points"], strict=True)]
