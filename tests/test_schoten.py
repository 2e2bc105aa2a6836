"""Scharfe Schoten: its rules case by case, in cards; and what a seat is shown, counted again from the record."""

from collections import Counter

import numpy as np
import pytest
from followsuit.envs.kernels import streams
from followsuit.envs.rules import schoten
from followsuit.envs.rules.contract import decode
from followsuit.envs.scores import win_shares
from followsuit.envs.tables import Tables
from followsuit.policies.base import Uniform
from followsuit.policies.heuristics import Heuristic, load_heuristic
from helpers import PlainTable, golden, play_record
from hypothesis import given
from hypothesis import strategies as st

PLAYERS = list(schoten.PLAYERS)
HAND = {3: 12, 4: 10}
ORDER = ["R10", "B9", "G2", "Y1"]
"""The trumps of a table, strongest first, where a test does not say."""


def number_of(card):
    return int(card[1:])


def by_colour(cards, colours):
    """How many cards there are of each colour."""
    counts = Counter(card[0] for card in cards)
    return [counts[colour] for colour in colours]


def names(table):
    return schoten.action_names(table.state)


def kinds(table, cards):
    return [int(name in cards) for name in names(table)[: schoten.CARDS]]


def table_of(*hands, trumps=ORDER, shelf="", leader=0, foretold="+R-Y", captured=()):
    """A table, a seat for each hand, with these cards left, and backs by letter on the shelf; `leader` leads."""
    players, deck = len(hands), list(schoten.KINDS)
    table = PlainTable("schoten", players, 1)
    deal = {
        "hands": [[deck.pop() for _ in range(HAND[players])] for _ in hands],
        "shelf": deck,
        "trumps": {trump[0]: number_of(trump) for trump in trumps},
    }
    table.deal(schoten.read_deal(table.state, deal), leader)
    state, colours = table.state, [trump[0] for trump in trumps]
    for seat, hand in enumerate(hands):
        state.hand[seat] = kinds(table, hand)
        state.backs[seat] = by_colour(hand, colours)
        state.prediction[seat] = names(table).index(foretold) - schoten.CARDS
    for seat, cards in enumerate(captured):
        state.captured[seat] = by_colour(cards, colours)
    state.backs[players] = by_colour(shelf, colours)
    state.tricks_left = len(hands[0])
    schoten.lead(state, leader)
    return table


def legal(table):
    return {names(table)[action] for action in np.flatnonzero(table.mask)}


def play(table, *moves):
    for move in moves:
        assert move in legal(table)
        table.step(names(table).index(move))


def captured(table, seat):
    """What a seat has taken, as letters, the strongest colour first."""
    colours = [name[-1] for name in names(table)[schoten.TAKE_ACTION :]]
    return "".join(colour * n for colour, n in zip(colours, table.state.captured[seat], strict=True))


@pytest.mark.parametrize(("players", "hand", "shelf"), [(3, 12, 12), (4, 10, 8)])
def test_the_deal(players, hand, shelf):
    assert sorted(schoten.KINDS) == sorted(f"{colour}{number}" for colour in "RBYG" for number in range(1, 13))
    table = PlainTable("schoten", players)
    for seed in range(20):
        cards = table.deal_at_random(np.random.default_rng(seed), 0)
        assert [len(cards) for cards in table.hands()] == [hand] * players
        assert table.state.backs.sum(1)[: players + 1].tolist() == [hand] * players + [shelf]
        deal = schoten.name_deal(table.state, cards)
        assert len(deal["shelf"]) == shelf
        trumps = sorted(deal["trumps"], key=deal["trumps"].get, reverse=True)
        assert len(set(deal["trumps"].values())) == 4
        shown = [names(table)[kind] for kind in table.state.trump]
        assert shown == [f"{colour}{deal['trumps'][colour]}" for colour in trumps]  # [1]: the highest is the strongest


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        # The example of the rules.
        (["R9", "B8", "R11", "R2"], 3),
        (["R9", "B9", "R11", "R2"], 1),
        # Without a trump the strongest colour wins, led or not, and in it the highest number.
        (["R9", "B8", "R11"], 1),
        (["Y12", "R3", "B4", "G5"], 3),
        (["Y12", "B3", "B11", "R12"], 2),
        (["B3", "R12", "Y12"], 0),
        (["Y2", "Y12", "Y11"], 1),
        # A trump beats all that is none, the trump of a stronger colour that of a weaker one.
        (["G12", "Y1", "G11"], 1),
        (["Y1", "R2", "G12"], 1),
        (["R2", "Y1", "R12"], 0),
        (["Y1", "R2", "B9", "G10"], 3),
        (["G11", "G10", "B9", "G12"], 1),
    ],
)
def test_who_wins_a_trick(cards, winner):
    hands = [[card, f"Y{11 - seat}"] for seat, card in enumerate(cards)]
    table = table_of(*hands, trumps=["G10", "B9", "R2", "Y1"])
    for card in cards:
        table.step(names(table).index(card))
    assert table.state.actor == table.state.leader == winner  # [5]
    assert Counter(captured(table, winner)) == Counter(card[0] for card in cards)


def test_following_the_first_card():
    table = table_of(["R3", "B1"], ["R10", "G4"], ["B9", "R5"], ["B2", "G2", "Y1"])
    assert legal(table) == {"R3", "B1"}
    play(table, "R3")
    assert legal(table) == {"R10"}  # trumps belong to their colour: they must follow it …
    play(table, "R10")
    assert legal(table) == {"R5"}  # … and may not be played to another
    play(table, "R5")
    assert legal(table) == {"B2", "G2", "Y1"}  # who cannot follow may play anything


def test_the_winner_takes_a_card_off_the_shelf_and_leads():
    table = table_of(["R3", "B1"], ["R10", "G4"], ["G8", "B5"], shelf="BBG")
    play(table, "R3", "R10", "G8")
    assert table.state.actor == 1
    assert captured(table, 1) == "RRG"
    assert legal(table) == {"take B", "take G"}
    play(table, "take G")
    assert captured(table, 1) == "RRGG"
    assert legal(table) == {"G4"}
    play(table, "G4", "B5", "B1")
    assert table.state.actor == 2  # black is stronger than green
    assert legal(table) == {"take B"}  # a move even where there is one colour
    play(table, "take B")
    assert table.state.round_over
    assert captured(table, 2) == "BBBG"


def test_an_empty_shelf_gives_nothing():
    table = table_of(["R3", "B1"], ["R10", "G4"], ["G8", "B5"])
    play(table, "R3", "R10", "G8")
    assert legal(table) == {"G4"}
    play(table, "G4", "B5", "B1")
    assert table.state.round_over


@pytest.mark.parametrize(("players", "takes"), [(3, 12), (4, 8)])
def test_tricks_with_a_card_off_the_shelf(players, takes):
    """With four players the last two tricks bring none."""
    [entry] = play_record("schoten", players, 5)["rounds"]
    moves = entry["moves"][players:]
    with_take = moves[: takes * (players + 1)]
    assert all(move.startswith("take") == (i % (players + 1) == players) for i, (_, move) in enumerate(with_take))
    rest = moves[takes * (players + 1) :]
    assert [move[0] in "RBYG" for _, move in rest] == [True] * players * (HAND[players] - takes)


@pytest.mark.parametrize(
    ("foretold", "taken", "points"),
    [
        ("+R-Y", "RRRRRR GG", 5 + 3 + 6),  # the example of the rules
        ("+R-Y", "RRRRRR B G Y", 5 + 3 + 5),
        ("+R-Y", "RRRRRR BB GG Y", 5 + 5 + 5),  # both alone
        ("+R-Y", "RRRR BBBB GG Y", 3 + 5 + 3),  # the most tied
        ("+R-Y", "RRRR BBBB G Y", 3 + 3 + 3),
        ("+R-Y", "RRR BBB GGG YYY", 3 + 3 + 0),
        ("+R-Y", "RRR BBB GGG YY", 3 + 5 + 1),
        ("+R-Y", "RRRR BBB G YY", 5),  # the least wrong: no difference
        ("+R-Y", "RRR BBBB GG Y", 5),
        ("+R-Y", "RRRR BBBB Y", 3),
        ("+R-Y", "RRR BBBB Y", 0),
        ("+R-Y", "BBBB G", 3),
        ("+B-R", "R BB G Y", 5 + 3 + 1),
        ("+Y-R", "RRR", 0),
        ("+R-Y", "R", 5 + 3 + 1),  # a colour of which none was taken counts as 0
        ("+R-Y", "", 3 + 3 + 0),  # so do all
    ],
)
def test_points(foretold, taken, points):
    table = table_of(["R1"], ["R2"], ["R3"], foretold=foretold, captured=[taken.replace(" ", "")])
    assert table.points()[:, 0].tolist() == [points, 0]


def test_points_are_earned_with_the_last_trick():
    table = table_of(["R3"], ["R10"], ["G8"], shelf="B", captured=["BB", "BR", "Y"])
    play(table, "R3", "R10", "G8")
    assert not table.state.round_over
    assert table.state.earned.tolist() == [0] * 4
    play(table, "take B")
    assert table.state.round_over
    assert table.state.game_over
    assert captured(table, 1) == "RRRBBG"
    assert table.state.earned.tolist() == [3, 5 + 5 + 3, 0, 0]
    assert table.points().tolist() == [[3, 13, 0]] * 2


def test_predictions():
    table = PlainTable("schoten", 4)
    table.deal_at_random(np.random.default_rng(2), 2)
    pairs = {f"+{most}-{least}" for most in "RBYG" for least in "RBYG" if most != least}
    made = []
    for seat, prediction in [(2, "+R-B"), (3, "+R-B"), (0, "+G-Y"), (1, "+Y-R")]:
        assert table.state.actor == seat
        assert legal(table) == pairs
        for viewer in range(4):  # [2]: each knows its own, and no one another's
            own = [choice for chooser, choice in made if chooser == viewer]
            assert foretold(table, viewer) == own + [None] * (4 - len(own))
            hidden = decode(schoten.HIDDEN, table.reveal(viewer))["predictions"]
            assert hidden.sum() == len(made) - len(own)
        play(table, prediction)
        made.append((seat, prediction))
    choices = [choice for _, choice in sorted(made)]
    for viewer in range(4):
        assert foretold(table, viewer) == choices[viewer:] + choices[:viewer]
        assert not decode(schoten.HIDDEN, table.reveal(viewer))["predictions"].any()
    assert table.state.actor == table.state.leader == 2
    assert table.mask[: schoten.CARDS].sum() == 10


def foretold(table, viewer):
    """What each seat has foretold as `viewer` sees it, itself first."""
    names_of = names(table)[schoten.CARDS :]
    rows = table.features(viewer)["prediction"]
    return [names_of[row.argmax()] if row.any() else None for row in rows]


@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_starts_once_clockwise(players):
    for seed in range(4):
        record = play_record("schoten", players, seed, "match")
        first = record["rounds"][0]["starter"]
        starters = [entry["starter"] for entry in record["rounds"]]
        assert starters == [(first + round_) % players for round_ in range(players)]
        for entry in record["rounds"]:
            seats = [(entry["starter"] + r) % players for r in range(players)]
            assert [seat for seat, _ in entry["moves"][: players + 1]] == [*seats, seats[0]]
        assert record["totals"] == np.sum([entry["points"] for entry in record["rounds"]], 0).tolist()


def test_the_highest_total_wins_and_equal_totals_share():
    assert win_shares([30, 42, 12, 42], schoten.POINTS_SIGN).tolist() == [0, 0.5, 0, 0.5]


@pytest.mark.parametrize("players", PLAYERS)
@given(seed=st.integers(0, 2**32))
def test_all_cards_are_taken(players, seed):
    random = np.random.default_rng(seed)
    table = PlainTable("schoten", players, 1)
    table.deal_at_random(random, seed % players)
    backs = table.state.backs.copy()
    while not table.state.round_over:
        table.step_at_random(random)
    assert table.state.captured.sum(0).tolist() == [12] * 4
    assert backs.sum(0).tolist() == [12] * 4
    assert not table.state.backs.any()


def test_backs_tell_what_a_seat_may_hold():
    table = PlainTable("schoten", 3, 1)

    def cards(colour, numbers):
        return [f"{colour}{number}" for number in numbers]

    def held(viewer, other):
        kinds = np.flatnonzero(table.possible(viewer)[other])
        return [names(table)[kind] for kind in kinds]

    low, high, whole = range(1, 7), range(7, 13), range(1, 13)
    deal = {
        "hands": [cards("R", whole), cards("B", low) + cards("Y", low), cards("G", whole)],
        "shelf": cards("B", high) + cards("Y", high),
        "trumps": {"R": 10, "B": 9, "G": 2, "Y": 1},
    }
    table.deal(schoten.read_deal(table.state, deal), 0)
    assert held(0, 0) == cards("R", whole)
    assert held(0, 1) == held(2, 1) == cards("B", whole) + cards("Y", whole)  # any of them may lie on the shelf
    assert held(0, 2) == cards("G", whole)
    assert held(1, 1) == cards("B", low) + cards("Y", low)
    play(table, "+R-B", "+R-B", "+R-B")
    for number in (1, 3, 4, 5, 6):
        play(table, f"R{number}", f"B{number}", f"G{number}", "take B")
    assert held(0, 1) == held(2, 1) == cards("B", [2, *high]) + cards("Y", whole)
    play(table, "R7", "B2", "G7")
    assert held(0, 1) == held(2, 1) == cards("Y", whole)  # its last black is gone
    assert held(1, 0) == cards("R", [2, *range(8, 13)])
    assert table.features(0)["backs"].tolist() == [[6, 0, 0, 0], [0, 0, 0, 6], [0, 0, 6, 0], [0] * 4, [0, 1, 0, 6]]


# A second, slow count of the round, in cards


class Count:
    """A round of a record, counted move by move."""

    def __init__(self, deal, starter):
        self.players = players = len(deal["hands"])
        self.trump = deal["trumps"]
        self.colours = sorted(self.trump, key=self.trump.get, reverse=True)
        self.names = schoten.names_by(self.colours)
        self.hands = [list(hand) for hand in deal["hands"]]
        self.shelf = by_colour(deal["shelf"], self.colours)
        self.cards = {card for hand in self.hands for card in hand} | set(deal["shelf"])
        self.played = [[] for _ in range(players)]
        self.captured = [[0] * 4 for _ in range(players)]
        self.foretold = [None] * players
        self.leader, self.trick = starter, []
        self.tricks_left = HAND[players]

    def move(self, seat, move):
        if move[0] == "+":
            self.foretold[seat] = move
            return
        if move.startswith("take"):
            colour = self.colours.index(move[-1])
            self.shelf[colour] -= 1
            self.captured[seat][colour] += 1
        else:
            assert seat == (self.leader + len(self.trick)) % self.players
            self.hands[seat].remove(move)
            self.played[seat].append(move)
            self.trick.append(move)
            if len(self.trick) < self.players:
                return
            won = by_colour(self.trick, self.colours)
            self.captured[self.winner] = [sum(pair) for pair in zip(self.captured[self.winner], won, strict=True)]
            if any(self.shelf):
                return
        self.leader, self.trick = self.winner, []
        self.tricks_left -= 1

    def power(self, card):
        """What a card is compared by: trumps first, then the colour, then the number."""
        trump = self.trump[card[0]] == number_of(card)
        return trump, -self.colours.index(card[0]), number_of(card)

    @property
    def winner(self):
        if not self.trick:
            return self.leader
        best = max(self.trick, key=self.power)
        return (self.leader + self.trick.index(best)) % self.players

    @property
    def phase(self):
        return 0 if None in self.foretold else 2 if len(self.trick) == self.players else 1

    def margins(self, seat):
        """How far the most leads, and the least trails, the next."""
        _, most, _, least = self.foretold[seat]
        most, least = self.colours.index(most), self.colours.index(least)
        counts = self.captured[seat]
        next_most = max(count for colour, count in enumerate(counts) if colour != most)
        next_least = min(count for colour, count in enumerate(counts) if colour != least)
        return [counts[most] - next_most, next_least - counts[least]]

    def points(self, seat):
        _, most, _, least = self.foretold[seat]
        counts = dict(zip(self.colours, self.captured[seat], strict=True))
        ranked = sorted(counts.values())
        right = [counts[most] == ranked[-1], counts[least] == ranked[0]]
        tied = [ranked[-1] == ranked[-2], ranked[0] == ranked[1]]
        points = sum(yes * (3 if shared else 5) for yes, shared in zip(right, tied, strict=True))
        return points + all(right) * (counts[most] - counts[least])

    def unseen(self, viewer):
        """Cards neither played nor in the hand of `viewer`."""
        return self.cards - set(self.hands[viewer]) - {card for cards in self.played for card in cards}

    def backs(self, seat):
        return by_colour(self.hands[seat], self.colours)

    def kinds(self, cards):
        return [int(name in cards) for name in self.names[: schoten.CARDS]]

    def possible(self, viewer):
        rows = [self.kinds([])] * 4
        for seat in range(self.players):
            colours = {card[0] for card in self.hands[seat]}
            could = self.hands[viewer] if seat == viewer else self.unseen(viewer)
            rows[seat] = self.kinds([card for card in could if card[0] in colours])
        return rows

    def hidden(self, viewer):
        others = [(viewer + r) % self.players for r in range(1, self.players)]
        hands = [self.kinds(self.hands[seat]) for seat in others]
        secret = [self.pair(self.foretold[seat] if self.phase == 0 else None) for seat in others]
        empty = 4 - self.players
        return {"hands": hands + [self.kinds([])] * empty, "predictions": secret + [self.pair(None)] * empty}

    def pair(self, prediction):
        return [int(name == prediction) for name in self.names[schoten.CARDS : schoten.TAKE_ACTION]]

    def features(self, viewer, totals, rounds_left):
        seats = [(viewer + r) % self.players if r < self.players else None for r in range(4)]
        hand, unseen = self.hands[viewer], self.unseen(viewer)
        trumps = [f"{colour}{self.trump[colour]}" for colour in self.colours]
        best = max(map(self.power, self.trick), default=(False, -4, 0))
        trick = {(self.leader + i) % self.players: card for i, card in enumerate(self.trick)}

        def per_seat(of, absent):
            return [absent if seat is None else of(seat) for seat in seats]

        def one_hot(place, size):
            return [int(i == place) for i in range(size)]

        def public(seat):
            return seat is not None and self.foretold[seat] and (seat == viewer or self.phase > 0)

        return {
            "hand": self.kinds(hand),
            "played": per_seat(lambda seat: self.kinds(self.played[seat]), self.kinds([])),
            "unseen": self.kinds(unseen),
            "trumps": [one_hot(number_of(trump) - 1, 12) for trump in trumps],
            "trump_in": [[int(trump in place) for trump in trumps] for place in (hand, unseen)],
            "backs": [*per_seat(self.backs, [0] * 4), self.shelf],
            "captured": per_seat(lambda seat: self.captured[seat], [0] * 4),
            "prediction": [self.pair(self.foretold[seat] if public(seat) else None) for seat in seats],
            "margins": [self.margins(seat) if public(seat) else [0, 0] for seat in seats],
            "trick": [self.kinds([trick.get(seat)]) for seat in seats],
            "leader": one_hot(seats.index(self.leader), 4),
            "winner": one_hot(seats.index(self.winner), 4),
            "trick_colour": one_hot(self.colours.index(self.trick[0][0]) if self.trick else 4, 5),
            "wins": self.kinds([card for card in hand if self.power(card) > best]),
            "phase": one_hot(self.phase, 3),
            "tricks_left": [int(i < self.tricks_left) for i in range(12)],
            "totals": per_seat(lambda seat: min(totals[seat], 127), 0),
            "rounds_left": [rounds_left],
            "players": [int(self.players == size) for size in (3, 4)],
        }


@pytest.mark.parametrize("players", PLAYERS)
def test_points_counted_again(players):
    for record in golden("schoten", players):
        for entry in record["rounds"]:
            count = Count(entry["deal"], entry["starter"])
            for move in entry["moves"]:
                count.move(*move)
            assert [count.points(seat) for seat in range(players)] == entry["points"]


@pytest.mark.parametrize("players", PLAYERS)
def test_observations_counted_again(players):
    record = golden("schoten", players)[3]
    table = PlainTable("schoten", players)
    totals = [0] * players
    for number, entry in enumerate(record["rounds"]):
        table.deal(schoten.read_deal(table.state, entry["deal"]), None if number else entry["starter"])
        count = Count(entry["deal"], entry["starter"])
        assert names(table) == count.names
        for made, (seat, move) in enumerate(entry["moves"]):
            for viewer in (seat, made * 7 % players):
                shown = {name: block.tolist() for name, block in table.features(viewer).items()}
                assert shown == count.features(viewer, totals, players - number - 1)
                hidden = decode(schoten.HIDDEN, table.reveal(viewer))
                assert {name: block.tolist() for name, block in hidden.items()} == count.hidden(viewer)
                assert table.possible(viewer).tolist() == count.possible(viewer)
            count.move(seat, move)
            play(table, move)
        totals = [total + points for total, points in zip(totals, entry["points"], strict=True)]


# The heuristic


@pytest.mark.parametrize("players", PLAYERS)
def test_the_heuristic_foretells(players):
    """At least 45 % of "most" and of "least" right or tied, at seat 0 against uniform opponents."""
    table = Tables("schoten", 1000, players, 1, observations=False, restart=False)
    heuristic, uniform = Heuristic(table.game), Uniform(table.game)
    random = streams(3, np.arange(len(table)))
    while not table.game_over.all():
        actions = np.zeros(len(table), np.int64)
        for policy, turn in ((heuristic, table.seat == 0), (uniform, table.seat != 0)):
            rows = np.flatnonzero(turn & ~table.game_over)
            actions[rows] = policy.act(table, rows, random)
        table.step(actions)
    counts = table.states["captured"][:, 0]
    most, least = schoten.PAIRS[table.states["prediction"][:, 0]].T
    rows = np.arange(len(table))
    assert (counts[rows, most] == counts.max(1)).mean() > 0.45
    assert (counts[rows, least] == counts.min(1)).mean() > 0.45


def chosen(table):
    """What the heuristic, uncompiled, does at a table."""
    values = np.zeros(len(schoten.ACTIONS), np.float32)
    load_heuristic(table.game).values(table.state, table.mask, values)
    return names(table)[np.where(table.mask, values, -np.inf).argmax()]


@pytest.mark.parametrize(
    ("move", "hand", "trick", "position"),
    [
        # Last to play: a trick of the most colour is won, one of the least is not.
        ("R7", ["R7", "R2"], ["R3", "R5"], {"foretold": "+R-Y"}),
        ("R2", ["R7", "R2"], ["R3", "R5"], {"foretold": "+B-R"}),
        # The difference grows where both are right, …
        ("R7", ["R7", "R2"], ["R3", "R5"], {"foretold": "+R-Y", "captured": ["RRRRRRBGG"]}),
        # … and a trick is left to the others where it would bring a tie.
        ("B2", ["B7", "B2"], ["B3", "B5"], {"foretold": "+R-Y", "captured": ["RRRRBGG"]}),
        # Out of the colour led: the winner is given what it wanted least.
        ("Y5", ["Y5", "B1"], ["R3", "R5"], {"foretold": "+B-Y"}),
        # Off the shelf: the most colour; else one that spoils neither prediction.
        ("take R", ["R7", "R2"], ["R3", "R5", "R7"], {"shelf": "BGRY"}),
        ("take G", ["R7", "R2"], ["R3", "R5", "R7"], {"shelf": "BGY", "captured": ["BBBG"]}),
    ],
)
def test_what_the_heuristic_does(move, hand, trick, position):
    table = table_of(hand, [trick[0], "G5"], [trick[1], "B12"], leader=1, **position)
    play(table, *trick)
    assert chosen(table) == move


def test_the_heuristic_foretells_from_its_hand_alone():
    table = PlainTable("schoten", 3)
    for seed in range(5):
        table.deal_at_random(np.random.default_rng(seed), 0)
        choice = chosen(table)
        table.state.prediction[1:3] = 5, 7
        assert chosen(table) == choice
    deal = {
        "hands": [
            ["R7", "R8", "R9", "R10", "R11", "R12", "B1", "B2", "B3", "G1", "G3", "G4"],
            ["R1", "R2", "R3", "B4", "B5", "B6", "Y1", "Y2", "Y3", "G5", "G6", "G7"],
            ["R4", "R5", "R6", "B7", "B8", "B9", "Y4", "Y5", "Y6", "G8", "G9", "G10"],
        ],
        "shelf": ["B10", "B11", "B12", "Y7", "Y8", "Y9", "Y10", "Y11", "Y12", "G2", "G11", "G12"],
        "trumps": {"R": 10, "B": 9, "G": 2, "Y": 1},
    }
    table.deal(schoten.read_deal(table.state, deal), 0)
    assert chosen(table).startswith("+R")
