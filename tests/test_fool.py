"""FOOL!: its rules case by case, in cards; what a seat is shown, counted again from the record; its heuristic."""

from collections import Counter

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.rules import fool
from followsuit.envs.rules.contract import decode
from followsuit.envs.scores import win_shares
from followsuit.envs.tables import MATCH
from followsuit.policies.heuristics import fool as heuristic
from helpers import PlainTable, golden, play_record
from hypothesis import given
from hypothesis import strategies as st

PLAYERS = list(fool.PLAYERS)
MOST_TRICKS = dict(zip(PLAYERS, (15, 14, 14, 16, 14), strict=True))


def colour_of(card):
    return None if card == "1" else card[0]


def number_of(card):
    return int(card.lstrip("GRYB"))


def cost_of(cards):
    return sum(5 if card == "1" else number_of(card) for card in cards)


def kinds(cards):
    """Cards by name, with how many of each, in the order of an observation."""
    counts = Counter(cards)
    return [counts[name] for name in fool.ACTIONS]


def endgame(*hands, discs=(), rounds=MATCH, **options):
    """A table, a seat for each hand, with these cards left; seat 0 leads, `discs` sit out."""
    table = PlainTable("fool", len(hands), rounds, **options)
    table.deal_at_random(np.random.default_rng(0), 0)
    state = table.state
    for seat, hand in enumerate(hands):
        state.hand[seat] = kinds(hand)
        state.held[seat] = len(hand)
        state.cost[seat] = cost_of(hand)
        state.disc[seat] = seat in discs
    state.unplayed[:] = state.hand.sum(0)
    return table


def legal(table):
    return {fool.ACTIONS[action] for action in np.flatnonzero(table.mask)}


def play(table, *cards):
    for card in cards:
        assert card in legal(table)
        table.step(fool.ACTIONS.index(card))


def discs(table):
    return set(np.flatnonzero(table.state.disc).tolist())


def earned(table):
    return table.state.earned[: table.players].tolist()


@pytest.mark.parametrize(
    ("players", "highest", "ones", "hand"),
    [
        (4, (17, 13, 11, 8), 3, 12),
        (5, (20, 16, 14, 10), 4, 12),
        (6, (23, 19, 17, 12), 5, 12),
        (7, (26, 22, 20, 14), 6, 12),
        (8, (27, 23, 21, 15), 6, 11),
    ],
)
def test_decks(players, highest, ones, hand):
    table = PlainTable("fool", players)
    [pile] = fool.piles(table.state)
    numbered = {f"{colour}{n}" for colour, top in zip("GRYB", highest, strict=True) for n in range(2, top + 1)}
    assert Counter(fool.ACTIONS[card] for card in pile) == dict.fromkeys(numbered, 1) | {"1": ones}
    table.deal_at_random(np.random.default_rng(1), 0)
    assert [len(cards) for cards in table.hands()] == [hand] * players


@pytest.mark.parametrize(
    ("cards", "winner", "fools"),
    [
        ("B5 B8 B2 B6", 1, {2}),  # the highest of the colour wins, the lowest is the fool
        ("B2 R13 B8 B6", 2, {1}),  # cards off the colour are worse
        ("B2 R7 Y5 B3", 3, {2}),  # the lower the worse
        ("B2 R5 Y5 B3", 3, {2}),  # of equal numbers the later
        ("B2 Y5 R5 G9", 0, {2}),
        ("B2 1 B5 B6", 3, {1}),  # a 1 is the lowest of the colour
        ("B2 1 R13 B6", 3, {2}),  # and better than any other colour
        ("1 B2 1 B6", 3, {2}),  # of several the later is worse
        ("1 1 R2 G17", 2, {3}),  # the first that is no 1 makes the colour
        ("1 R2 1 1", 1, {3}),
        ("1 1 1 1", 0, {3}),  # 1s alone
        ("B8 B7 B6 B5 B4", 0, {4}),
        ("B8 G2 G3 Y2 R2 B7", 0, {4}),
        ("B2 B3 B4 B5 B6 B7 B8", 6, {0, 1}),  # the worst two of seven and eight
        ("B2 R5 Y5 G4 B6 B7 B8", 6, {2, 3}),
        ("B2 R5 Y5 G5 B6 B7 B8", 6, {2, 3}),
        ("B2 G9 1 1 B3 B4 B5", 6, {1, 3}),
        ("1 1 1 1 1 1 R2", 6, {4, 5}),
        ("1 1 1 1 1 1 1", 0, {5, 6}),
        ("G2 G9 B3 G8 R3 G7 Y3 1", 1, {4, 6}),
    ],
)
def test_who_wins_a_trick_and_who_is_the_fool(cards, winner, fools):
    cards = cards.split()
    table = endgame(*([card, "1"] for card in cards))
    play(table, *cards)
    assert discs(table) == fools
    assert table.state.leader == winner
    assert table.state.actor == winner
    assert not table.state.round_over


def test_following_the_colour():
    table = endgame(["B5", "R2"], ["B2", "R3", "1", "B8"], ["1", "R5", "Y4"], ["B3", "G2", "B4"])
    assert legal(table) == {"B5", "R2"}
    play(table, "B5")
    assert legal(table) == {"B2", "B8", "1"}  # a 1 is always legal, never a must
    play(table, "1")
    assert legal(table) == {"1", "R5", "Y4"}  # and no card of the colour
    play(table, "Y4")
    assert legal(table) == {"B3", "B4"}


def test_ones_leave_the_colour_open():
    table = endgame(["1", "B5"], ["R3", "1", "G2"], ["B2", "R8"], ["G5", "Y5"])
    play(table, "1")
    assert legal(table) == {"R3", "1", "G2"}
    play(table, "1")
    assert legal(table) == {"B2", "R8"}
    play(table, "R8")
    assert legal(table) == {"G5", "Y5"}
    table = endgame(["1", "B5"], ["R3", "1", "G2"], ["B2", "R8"], ["G5", "Y5"])
    play(table, "1", "R3")
    assert legal(table) == {"R8"}


def test_fools_sit_out_one_trick_and_may_be_fools_again():
    table = endgame(
        ["B5", "G4", "Y4", "Y11"], ["B6", "G5", "Y5", "Y10"], ["B2", "Y2", "Y3", "B3"], ["B7", "G6", "G2", "Y9"]
    )
    play(table, "B5", "B6", "B2", "B7")
    assert discs(table) == {2}
    play(table, "G6", "G4", "G5")  # 3 led, 2 is skipped
    assert discs(table) == {0}
    assert table.state.leader == 3
    assert table.state.held.tolist() == [2, 2, 3, 2] + [0] * 4
    play(table, "G2", "Y5", "Y2")  # 2 is back, 0 skipped
    assert discs(table) == {2}
    assert table.state.actor == 3


def test_two_sit_out_of_seven():
    table = endgame(*(["B2", "1", "R2"] for _ in range(7)), discs=(1, 6))
    order = []
    for card in ("R2", "1", "1", "1", "1"):
        order.append(int(table.state.actor))
        play(table, card)
    assert order == [0, 2, 3, 4, 5]
    assert discs(table) == {4, 5}


def test_the_last_trick_is_completed():
    """+10 for an empty hand, 0 with a new disc, otherwise minus the numbers held; each 1 costs 5."""
    table = endgame(["B5"], ["B6", "R2", "G17"], ["B7", "R3"], ["B2", "1", "G2", "1"])
    play(table, "B5", "B6", "B7")
    assert not table.state.round_over
    assert table.points()[0].tolist() == [10, -19, -3, -14]
    play(table, "B2")
    assert table.state.round_over
    assert discs(table) == {3}
    assert earned(table) == [10, -19, -3, -12]
    assert table.points().tolist() == [[10, -19, -3, -12]] * 2
    assert table.state.tens.tolist() == [1] + [0] * 7


def test_an_empty_hand_with_a_new_disc_scores_nothing():
    table = endgame(["B5"], ["B2"], ["B7", "R3"], ["1", "R4"], discs=(3,))
    play(table, "B5", "B2", "B7")
    assert earned(table) == [10, 0, -3, -9]  # the old disc of 3 has gone back
    assert discs(table) == {1}
    table = endgame(*(["1"] for _ in range(8)))
    play(table, *["1"] * 8)
    assert earned(table) == [10] * 6 + [0] * 2


def last_trick(totals, tens, **rules):
    """A table after a round that scored +10, −4, −3, −12."""
    table = endgame(["B5"], ["B6", "R4"], ["B7", "R3"], ["B2", "R12"], **rules)
    table.state.total[:4] = totals
    table.state.tens[:4] = tens
    play(table, "B5", "B6", "B7", "B2")
    assert table.state.round_over
    assert table.state.total[:4].tolist() == np.add(totals, earned(table)).tolist()
    return table


@pytest.mark.parametrize(
    ("over", "totals", "tens", "rules"),
    [
        (False, (0, -75, 0, -67), (4, 0, 0, 5), {}),
        (True, (0, -76, 0, 0), (0, 0, 0, 0), {}),  # −80
        (True, (0, 0, 0, -75), (0, 0, 0, 0), {}),
        (True, (0, 0, 0, 0), (5, 0, 0, 0), {}),  # the sixth +10 of a player
        (False, (0, 0, 0, 0), (1, 2, 2, 1), {}),
        (True, (0, 0, 0, 0), (1, 2, 2, 0), {"end10": "total"}),  # of all together
        (False, (0, 0, 0, 0), (1, 2, 1, 0), {"end10": "total"}),
        (True, (0, 0, -77, 0), (0, 0, 0, 0), {"end10": "total"}),
        (True, (0, 0, 0, 0), (0, 0, 0, 0), {"rounds": 1}),
        (False, (0, -90, 0, 0), (5, 0, 0, 0), {"rounds": 2}),  # where rounds are counted, nothing else ends the game
    ],
)
def test_the_end_of_the_game(over, totals, tens, rules):
    assert last_trick(totals, tens, **rules).state.game_over == over


@pytest.mark.parametrize(
    ("deck", "reason"),
    [
        ({"G": 17, "R": 13}, "highest number of each colour"),
        ({"G": 17, "R": 13, "Y": 11, "B": 8, "0": 3}, "highest number of each colour"),
        ({"G": 28, "R": 13, "Y": 11, "B": 8, "1": 4}, "at most .*'G': 27"),
        ({"G": 17, "R": 13, "Y": 11, "B": 8, "1": 7}, "at most .*'1': 6"),
        ({"G": 17, "R": 13, "Y": 11, "B": 0, "1": 3}, "highest number of each colour"),
        ({"G": 17, "R": 13, "Y": 11, "B": 8, "1": True}, "highest number of each colour"),
        ({"G": 17, "R": 13, "Y": 11, "B": 8.0, "1": 3}, "highest number of each colour"),
        ({"G": 17, "R": 13, "Y": 11, "B": 8, "1": 4}, "49 cards, which 4 players cannot share"),
        ({"G": 1, "R": 1, "Y": 1, "B": 1, "1": 0}, "0 cards"),
        ("GRYB", "highest number of each colour"),
    ],
)
def test_decks_that_are_refused(deck, reason):
    with pytest.raises(InputError, match=reason):
        PlainTable("fool", 4, deck=deck)


def test_a_deck_of_ones_own():
    table = PlainTable("fool", 4, deck={"G": 27, "R": 1, "Y": 5, "B": 2, "1": 5})
    cards = table.deal_at_random(np.random.default_rng(2), 1)
    names = Counter(fool.ACTIONS[card] for card in cards)
    assert names == dict.fromkeys([f"G{n}" for n in range(2, 28)] + ["Y2", "Y3", "Y4", "Y5", "B2"], 1) | {"1": 5}
    assert table.state.held.tolist() == [9] * 4 + [0] * 4


@pytest.mark.parametrize(("name", "value"), [("end10", "all"), ("rounds", 0), ("decks", None)])
def test_options_that_are_refused(name, value):
    with pytest.raises(InputError):
        PlainTable("fool", 4, **{name: value})


@pytest.mark.parametrize("players", PLAYERS)
def test_the_start_passes_clockwise(players):
    for seed in range(3):
        record = play_record("fool", players, seed, "match")
        first = record["rounds"][0]["starter"]
        starters = [entry["starter"] for entry in record["rounds"]]
        assert starters == [(first + number) % players for number in range(len(starters))]
        assert [entry["moves"][0][0] for entry in record["rounds"]] == starters
        assert [{seat for seat, _ in entry["moves"][:players]} for entry in record["rounds"]] == [
            set(range(players))
        ] * len(starters)
        assert record["totals"] == np.sum([entry["points"] for entry in record["rounds"]], 0).tolist()


def test_the_highest_total_wins_and_equal_totals_share():
    assert win_shares([-80, 12, 12, 0], fool.POINTS_SIGN).tolist() == [0, 0.5, 0.5, 0]


@pytest.mark.parametrize("players", PLAYERS)
@given(seed=st.integers(0, 2**32))
def test_what_holds_in_every_trick(players, seed):
    """Its winner is no fool, all who come to it have cards, and a round has not too many."""
    random = np.random.default_rng(seed)
    table = PlainTable("fool", players, 1)
    table.deal_at_random(random, seed % players)
    tricks, state = 0, table.state
    while not state.round_over:
        if state.trick_size == 0:
            tricks += 1
            assert (state.held[:players] > 0).all()
            assert not state.disc[state.leader]
            assert len(discs(table)) == (0 if tricks == 1 else 1 if players < 7 else 2)
        assert not state.disc[state.actor]
        table.step_at_random(random)
    assert tricks <= MOST_TRICKS[players]
    assert not state.disc[state.winner]


def test_a_void_is_inferred_from_another_colour_alone():
    table = endgame(["B2", "B3"], ["1", "B4"], ["R5", "Y4"], ["B6", "G2"])
    possible = {0: "1BGRY", 1: "1BGRY", 2: "1BGRY", 3: "1BGRY"}

    def colours(viewer):
        shown = table.possible(viewer)
        assert not shown[4:].any()
        return {seat: "".join(sorted({fool.ACTIONS[k][0] for k in np.flatnonzero(shown[seat])})) for seat in range(4)}

    assert colours(0) == possible | {0: "B"}
    play(table, "B2", "1")
    assert colours(2) == {0: "BG", 1: "BG", 2: "RY", 3: "BG"}  # a 1 tells nothing; 2 holds all that is R or Y
    play(table, "R5")
    assert colours(1) == {0: "BGY", 1: "B", 2: "GY", 3: "BGY"}
    assert table.features(1)["voids"].tolist() == [[0] * 4, [0, 0, 0, 1]] + [[0] * 4] * 6
    table.state.held[0] = 0
    assert colours(1)[0] == ""


# A second, slow count of the round, in cards


class Count:
    """A round of a record, counted move by move."""

    def __init__(self, hands, starter):
        self.players = len(hands)
        self.fools = 1 if self.players < 7 else 2
        self.hands = [list(hand) for hand in hands]
        self.played = [[] for _ in hands]
        self.voids = [set() for _ in hands]
        self.discs = set()
        self.leader, self.trick, self.points = starter, [], None

    def move(self, seat, card):
        assert seat not in self.discs
        assert seat not in dict(self.trick)
        self.hands[seat].remove(card)
        self.played[seat].append(card)
        self.trick.append((seat, card))
        if colour_of(card) not in (None, colour(self.trick)):
            self.voids[seat].add(colour(self.trick))
        if len(self.trick) + len(self.discs) == self.players:
            self.leader, self.discs = order(self.trick)[-1], set(order(self.trick)[: self.fools])
            self.trick = []
            if not all(self.hands):
                self.points = [
                    -cost_of(hand) if hand else 10 * (seat not in self.discs) for seat, hand in enumerate(self.hands)
                ]

    def unseen(self, seat):
        return [card for other, hand in enumerate(self.hands) if other != seat for card in hand]

    def possible(self, viewer):
        rows = [[0] * len(fool.ACTIONS) for _ in range(8)]
        for seat, hand in enumerate(self.hands):
            could = hand if seat == viewer else self.unseen(viewer) if hand else []
            shown = set() if seat == viewer else self.voids[seat]
            rows[seat] = [int(count > 0) for count in kinds(card for card in could if colour_of(card) not in shown)]
        return rows

    def features(self, viewer, totals, tens, ends, rounds_left):
        seats = [(viewer + r) % self.players if r < self.players else None for r in range(8)]
        hand, ranking, trick = self.hands[viewer], order(self.trick), dict(self.trick)

        def per_seat(of, absent):
            return [absent if seat is None else of(seat) for seat in seats]

        def marks(marked):
            return [int(seat is not None and seat in marked) for seat in seats]

        def one_hot(place, size):
            return [int(i == place) for i in range(size)]

        def card_row(card):
            return one_hot("GRYB1".index(card[0] if card else "1"), 5) + one_hot(number_of(card) if card else 0, 28)

        def own(would):
            """The kinds of own card that would do so if they were played next."""
            return [int(kind in hand and would(order([*self.trick, (None, kind)]))) for kind in fool.ACTIONS]

        return {
            "hand": kinds(hand),
            "played": per_seat(lambda seat: kinds(self.played[seat]), kinds([])),
            "unseen": kinds(self.unseen(viewer)),
            "trick": per_seat(lambda seat: card_row(trick.get(seat)), [0] * 33),
            "trick_colour": one_hot("GRYB".index(colour(self.trick)) if colour(self.trick) else 4, 5),
            "leader": marks([self.leader]),
            "winner": marks(ranking[-1:] or [self.leader]),
            "best": one_hot(number_of(trick[ranking[-1]]) - 1 if trick else None, 27),
            "fools": marks(ranking[: self.fools]),
            "wins": own(lambda ranking: ranking[-1] is None),
            "safe": own(lambda ranking: None not in ranking[: self.fools]),
            "discs": marks(self.discs),
            "hand_sizes": per_seat(lambda seat: one_hot(len(self.hands[seat]), 13), [0] * 13),
            "voids": per_seat(lambda seat: [int(colour in self.voids[seat]) for colour in "GRYB"], [0] * 4),
            "cost": one_hot(min(-(-cost_of(hand) // 10), 20), 21),
            "tens": per_seat(lambda seat: one_hot(tens[seat], 7), [0] * 7),
            "totals": per_seat(lambda seat: max(totals[seat], -128), 0),
            "above_end": per_seat(lambda seat: one_hot(min(max(-(-(totals[seat] + 80) // 8), 0), 10), 11), [0] * 11),
            "ends": ends,
            "rounds_left": [rounds_left],
            "players": one_hot(self.players - 4, 5),
        }


def colour(trick):
    return next((colour_of(card) for _, card in trick if card != "1"), None)


def order(trick):
    """The seats of a trick, the worst first."""
    places = range(len(trick))
    good = {i: trick[i][1] == "1" or colour_of(trick[i][1]) == colour(trick) for i in places}
    return [trick[i][0] for i in sorted(places, key=lambda i: (good[i], number_of(trick[i][1]), -i))]


@pytest.mark.parametrize("players", PLAYERS)
def test_points_counted_again(players):
    points = set()
    for record in golden("fool", players):
        for entry in record["rounds"]:
            count = Count(entry["deal"]["hands"], entry["starter"])
            for move in entry["moves"]:
                assert count.points is None
                count.move(*move)
            assert count.points == entry["points"]
            points |= set(count.points)
    assert points >= {0, 10}


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("rules", [{}, {"rounds": 3}, {"end10": "total"}])
def test_observations_counted_again(players, rules):
    record = play_record("fool", players, 7, **({"rounds": "match"} | rules))
    table = PlainTable("fool", players, **rules)
    totals, tens = [0] * players, [0] * players
    ends = [int("rounds" not in rules and "end10" not in rules), int("end10" in rules)]
    for number, entry in enumerate(record["rounds"]):
        table.deal(fool.read_deal(table.state, entry["deal"]), None if number else entry["starter"])
        count = Count(entry["deal"]["hands"], entry["starter"])
        for made, (seat, card) in enumerate(entry["moves"]):
            for viewer in {seat, made * 7 % players} if made % 5 == number % 5 else ():
                shown = {name: block.tolist() for name, block in table.features(viewer).items()}
                assert shown == count.features(viewer, totals, tens, ends, max(rules.get("rounds", 0) - number - 1, 0))
                assert table.possible(viewer).tolist() == count.possible(viewer)
                hands = [kinds(count.hands[(viewer + r) % players]) for r in range(1, players)]
                hidden = decode(fool.HIDDEN, table.reveal(viewer))["hands"]
                assert hidden.tolist() == hands + [kinds([])] * (8 - players)
            count.move(seat, card)
            play(table, card)
        totals = [total + points for total, points in zip(totals, entry["points"], strict=True)]
        tens = [ten + (points == 10) for ten, points in zip(tens, entry["points"], strict=True)]


# The heuristic


def choice(table):
    """What the heuristic, run uncompiled, plays next."""
    values = np.zeros(len(fool.ACTIONS), np.float32)
    heuristic.values(table.state, table.mask, values)
    return fool.ACTIONS[np.where(table.mask, values, -np.inf).argmax()]


@pytest.mark.parametrize(
    ("chosen", "trick", "hand", "others"),
    [
        # With tricks enough for all of the hand, a low card goes where it is safe …
        ("B3", "B8 R2 B6", "B3 B7 G9 Y9", "G5 G6 Y5"),
        # … and is kept where it would make a fool.
        ("B7", "B5 B9 B6", "B3 B7 G9 Y9", "G5 G6 Y5"),
        # Where cards will be left over, the high one goes.
        ("B7", "B8 R2 B6", "B3 B7 G9 Y9", "G5"),
        # Nothing but the cost counts in the last trick.
        ("Y9", "B5 R2 B6", "1 G8 Y9", ""),
        # Off the colour a 1 saves; so does a higher number than another's, and then the 1 is kept.
        ("1", "B5 R7 B6", "1 G2 Y3", "G5 G6"),
        ("Y8", "B5 R7 B6", "1 G2 Y8 Y9", "G5 G6 Y5"),
        # On lead: not the lowest of a colour, which the others still hold all higher cards of.
        ("G17", "", "G2 G17 G3", "G5 G6"),
    ],
)
def test_what_the_heuristic_plays(chosen, trick, hand, others):
    """The others have `others` left when it is its turn, the last one or, on lead, the first."""
    trick = trick.split()
    hands = [[*trick[seat : seat + 1], *others.split()] for seat in range(3)]
    table = endgame(*(hands if trick else ()), hand.split(), *(() if trick else hands))
    play(table, *trick)
    assert choice(table) == chosen


def test_the_heuristic_knows_no_hidden_card():
    random = np.random.default_rng(4)
    table = PlainTable("fool", 5, 1)
    table.deal_at_random(random, 0)
    state = table.state
    while not state.round_over:
        chosen, hands, costs = choice(table), state.hand.copy(), state.cost.copy()
        others = [seat for seat in range(5) if seat != state.actor]
        cards = random.permutation(np.repeat(np.arange(fool.CARDS), hands[others].sum(0)))
        for seat, hand in zip(others, np.split(cards, np.cumsum(state.held[others])[:-1]), strict=True):
            state.hand[seat] = np.bincount(hand, minlength=fool.CARDS)
            state.cost[seat] = fool.COST[hand].sum()
        assert choice(table) == chosen
        state.hand[:], state.cost[:] = hands, costs
        play(table, chosen)
