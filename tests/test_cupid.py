"""CUPID: its rules case by case, in cards; and what a seat is shown, counted again from the record."""

from itertools import combinations

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.records import verify
from followsuit.envs.rules import cupid
from followsuit.envs.rules.contract import decode
from followsuit.envs.scores import win_shares
from followsuit.envs.tables import MATCH, Tables
from followsuit.policies.base import Uniform
from followsuit.policies.heuristics import Heuristic, load_heuristic
from followsuit.training.results import evaluate
from helpers import PlainTable, golden, play_record

LOW = ("HA", "SA", "H2", "S2", "H3", "S3", "H4", "S4", "H5", "S5")
ORDER = ["JK", "DQ", *LOW, "CJ", "H6", "S6", "H7", "S7", "H8", "S8", "H9", "S9", "H10", "S10", "HK"]
"""From low to high."""
FIGURES = {"DQ", "CJ", "HK"}
WHOLE_ROUND = 2 * 11 + 6  # moves


def beats(card, other):
    if {card, other} == {"DQ", "HK"}:
        return card == "DQ"
    return ORDER.index(card) > ORDER.index(other)


def worth(card, other):
    if "JK" in (card, other):
        return 0
    if card in FIGURES or other in FIGURES:
        return 11 if {card, other} <= FIGURES else 0
    low, high = sorted(1 if c[1:] == "A" else int(c[1:]) for c in (card, other))
    if card[0] != other[0]:
        return low + high
    return high - low if card[0] == "H" else 1


def row(cards):
    """Cards by name as they stand in an observation."""
    return [int(name in cards) for name in ORDER]


def dealt(first="", second="", stock="", prize="", leader=0, rounds=MATCH, **options):
    """A table with these cards dealt, and the lowest of the rest where they are too few."""
    table = PlainTable("cupid", 2, rounds, **options)
    parts = [part.split() for part in (first, second, prize, stock)]
    given = {card for part in parts for card in part}
    rest = iter([card for card in ORDER if card not in given])
    for part, size in zip(parts, (5, 5, 2, 12), strict=True):
        part += [next(rest) for _ in range(size - len(part))]
    deal = {"hands": parts[:2], "prize": parts[2], "stock": parts[3]}
    table.deal(cupid.read_deal(table.state, deal), leader)
    return table


def endgame(first, second, prize="H9 S9", leader=0, totals=(0, 0), rounds=MATCH, **options):
    """A table with these cards left and the stock drawn."""
    table = dealt(prize=prize, leader=leader, rounds=rounds, **options)
    state = table.state
    hands = first.split(), second.split()
    state.drawn = 12
    state.tricks_left = len(hands[0])
    state.total[:] = totals
    for seat, hand in enumerate(hands):
        state.hand[seat] = row(hand)
        state.unseen[1 - seat] = row([*hand, *prize.split()])
    return table


def play(table, *moves):
    for move in moves:
        action = cupid.ACTIONS.index(move)
        assert table.mask[action]
        table.step(action)


def legal(table):
    return {cupid.ACTIONS[action] for action in np.flatnonzero(table.mask)}


def earned(table):
    return table.state.earned.tolist()


# The rules


def test_the_order_of_all_cards():
    assert list(cupid.KINDS) == ORDER
    for low, high in combinations(ORDER, 2):
        for led, reply in ((low, high), (high, low)):
            table = dealt(led, reply)
            play(table, led, reply)
            winner = int((reply == high) != ({low, high} == {"DQ", "HK"}))
            assert table.state.winner == winner, (led, reply)


@pytest.mark.parametrize(
    ("led", "reply", "winner", "points"),
    [
        ("JK", "HK", 1, 0),  # a joker: nothing, even with a figure
        ("JK", "H10", 1, 0),
        ("DQ", "JK", 0, 0),
        ("HK", "DQ", 1, 11),  # two figures
        ("DQ", "HK", 0, 11),
        ("CJ", "HK", 1, 11),
        ("DQ", "CJ", 1, 11),
        ("H10", "HK", 1, 0),  # a figure and a number
        ("DQ", "HA", 1, 0),
        ("CJ", "S6", 1, 0),
        ("H10", "S10", 1, 20),  # heart and spade: the sum
        ("S7", "H3", 0, 10),
        ("HA", "SA", 1, 2),
        ("H9", "H2", 0, 7),  # two hearts: the difference
        ("HA", "H10", 1, 9),
        ("S10", "S9", 0, 1),  # two spades
        ("SA", "S2", 1, 1),
    ],
)
def test_what_a_trick_is_worth(led, reply, winner, points):
    table = dealt(led, reply)
    play(table, led)
    assert earned(table) == [0, 0]
    play(table, reply)
    assert table.state.winner == winner
    assert earned(table) == [points * (seat == winner) for seat in range(2)]
    assert table.points().tolist() == [earned(table)] * 2


def test_every_meeting():
    for card, other in combinations(ORDER, 2):
        assert cupid.WORTH[ORDER.index(card), ORDER.index(other)] == worth(card, other)
        assert cupid.WORTH[ORDER.index(other), ORDER.index(card)] == worth(card, other)
    assert cupid.WORTH.max() == 20


def test_any_card_may_be_played():
    table = dealt("JK DQ H5 CJ S10", "HK HA SA H2 S2", leader=1)
    assert legal(table) == {"HK", "HA", "SA", "H2", "S2"}
    play(table, "S2")
    assert legal(table) == {"JK", "DQ", "H5", "CJ", "S10"}
    play(table, "S10")
    assert legal(table) == {"take up", "take down"}
    assert table.state.actor == 0


@pytest.mark.parametrize(("taken", "opener"), [("take up", 1), ("take down", 0)])
def test_the_winner_takes_one_card_and_the_loser_the_other(taken, opener):
    table = dealt("H9 H2", "H3 S2", stock="H6 S6 H7")
    play(table, "H2", "H3")
    assert table.state.actor == 1
    play(table, taken)
    assert "H6" in table.hands()[opener]
    assert "S6" in table.hands()[1 - opener]
    assert table.state.actor == 1
    drew, other = table.features(1 - opener), table.features(opener)
    assert drew["turn_up"].tolist() == other["turn_up"].tolist() == row(["H7"])
    assert drew["open"].tolist() == [row([]), row(["H6"])]
    assert other["open"].tolist() == [row(["H6"]), row([])]
    assert not drew["unseen"][ORDER.index("S6")]
    assert other["unseen"][ORDER.index("S6")]


def test_six_tricks_draw_and_five_do_not():
    random = np.random.default_rng(2)
    table = dealt(stock="H9 S9", rounds=1)
    phases, draws = [], 0
    while not table.state.round_over:
        phases.append(int(table.state.phase))
        if table.state.phase == cupid.TAKE:
            draws += 1
            shown = table.game.view(table.state).piles
            assert len(shown["turn-up"]) == 1  # the last draw too is of an open and a hidden card
            assert len(shown["stock"]) == 13 - 2 * draws
        table.step_at_random(random)
    assert phases == [cupid.LEAD, cupid.REPLY, cupid.TAKE] * 6 + [cupid.LEAD, cupid.REPLY] * 5
    assert table.state.tricks_left == 0
    assert table.hands() == [[], []]


@pytest.mark.parametrize(
    ("led", "reply", "winner", "leader"),
    [
        ("H2", "H3", 1, 1),
        ("H3", "H2", 0, 0),
        ("H2", "CJ", 1, 0),  # a win of the Monster's gives the lead away, of either seat
        ("CJ", "H2", 0, 1),
        ("CJ", "H6", 1, 1),  # but not a loss
        ("HK", "CJ", 0, 0),
    ],
)
def test_who_leads_next(led, reply, winner, leader):
    table = dealt(led, reply)
    play(table, led, reply)
    assert table.state.actor == winner  # who draws first all the same
    play(table, "take up")
    assert (table.state.actor, table.state.leader) == (leader, leader)
    assert table.features(winner)["winner"].tolist() == [0, 0]
    table = endgame(f"{led} JK", f"{reply} SA")
    play(table, led, reply)
    assert table.state.actor == leader


def test_the_prize_goes_to_the_last_trick_and_is_scored_after_it():
    table = endgame("H3", "S5", prize="H10 S10", rounds=1)
    play(table, "H3", "S5")
    assert table.state.round_over
    assert earned(table) == [0, 8 + 20]
    assert table.points().tolist() == [[0, 28]] * 2
    table = endgame("H3", "CJ", prize="DQ HK", leader=1, totals=(60, 40))
    play(table, "CJ", "H3")
    assert earned(table) == [0, 11]
    assert table.state.starter == 0


def test_the_game_ends_at_once():
    table = endgame("H3 H4", "S5 S6", totals=(0, 113))
    play(table, "H3", "S5")
    assert table.state.game_over
    assert table.state.round_over
    assert table.state.total.tolist() == [0, 121]
    assert not table.mask.any()
    table = dealt("H3", "S5")
    table.state.total[:] = 120, 113
    play(table, "H3", "S5")  # no draw any more
    assert table.state.game_over
    assert not table.mask.any()
    table = endgame("H3 H4", "S5 S6", totals=(0, 112))
    play(table, "H3", "S5")
    assert not table.state.game_over


def test_a_trick_that_ends_the_game_comes_before_its_prize():
    table = endgame("H3", "S5", prize="H10 S10", totals=(90, 115))
    play(table, "H3", "S5")
    assert table.state.game_over
    assert table.state.total.tolist() == [90, 123]
    table = endgame("H3", "S5", prize="H10 S10", totals=(90, 105))
    play(table, "H3", "S5")
    assert table.state.game_over
    assert table.state.total.tolist() == [90, 133]


def test_the_highest_total_wins():
    assert win_shares([121, 120], cupid.POINTS_SIGN).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("totals", "last", "starter"),
    [
        ((20, 10), ("H3", "H4"), 0),  # the higher total
        ((10, 20), ("H4", "H3"), 1),
        ((11, 10), ("H3", "H4"), 1),  # equal totals: who won the last trick
        ((10, 11), ("H4", "H3"), 0),
        ((7, 7), ("HK", "H3"), 0),
        ((7, 7), ("H3", "CJ"), 1),  # with the Monster too
    ],
)
def test_who_deals_next(totals, last, starter):
    table = endgame(*last, prize="JK HA", totals=totals)
    play(table, *last)
    table.deal_at_random(np.random.default_rng(0))
    assert table.state.starter == table.state.actor == starter
    assert table.features(1 - starter)["dealer"].tolist() == [0, 1]


def test_target():
    table = endgame("H3 H4", "S5 S6", totals=(0, 22), target=30)
    assert table.features(1)["needed"].sum(-1).tolist() == [2, 6]
    play(table, "H3", "S5")
    assert table.state.game_over
    for wrong in (0, -1, 2**31, "30"):
        with pytest.raises(InputError, match="cupid: target is from 1 to 2147483647, not"):
            PlainTable("cupid", 2, target=wrong)
    with pytest.raises(InputError, match="option of cupid"):
        PlainTable("cupid", 2, goal=30)
    with pytest.raises(InputError, match="cupid is for"):
        PlainTable("cupid", 3)


def test_with_rounds_there_is_no_target():
    table = endgame("H3", "S5", totals=(0, 120), rounds=2)
    assert table.features(0)["needed"].sum() == 0
    play(table, "H3", "S5")
    assert table.state.round_over
    assert not table.state.game_over
    record = play_record("cupid", 2, 3, 12)
    assert len(record["rounds"]) == 12
    assert max(record["totals"]) > 121
    assert all(len(entry["moves"]) == WHOLE_ROUND for entry in record["rounds"])


def test_games_that_end_within_a_round_verify():
    lengths = set()
    for seed in range(30):
        record = play_record("cupid", 2, seed, MATCH, target=30 + seed)
        assert verify(record) == (sum(len(entry["moves"]) for entry in record["rounds"]), [])
        assert max(record["totals"]) >= 30 + seed > min(record["totals"])
        *whole, last = (len(entry["moves"]) for entry in record["rounds"])
        assert whole == [WHOLE_ROUND] * len(whole)
        lengths.add(last)
    assert len(lengths) > 5
    assert min(lengths) < WHOLE_ROUND - 10 < max(lengths)


def test_cards_taken_openly_are_known_for_certain():
    table = dealt("H9 H2", "H3 S2", stock="H6 S6 H7")
    play(table, "H2", "H3", "take up")
    mine = set(table.hands()[0])
    seen = {"H2", "H3", "H7", *mine}
    assert "S6" in mine
    assert "H6" not in mine
    assert table.possible(0).tolist() == [row(mine), row(set(ORDER) - seen)]
    assert table.features(0)["unseen"].tolist() == row(set(ORDER) - seen - {"H6"})


def test_a_hand_known_to_the_last_card():
    table = endgame("H9 H2", "H3 S2", prize="HK DQ")
    assert table.possible(0)[1].tolist() == row(["H3", "S2", "HK", "DQ"])  # or they lie in the prize
    table.state.open[1] = row(["H3"])
    table.state.unseen[0] = row(["S2", "HK", "DQ"])
    assert table.possible(0)[1].tolist() == row(["H3", "S2", "HK", "DQ"])
    play(table, "H2")
    assert table.possible(1)[0].tolist() == row(["H9", "HK", "DQ"])
    table.state.open[1] = row(["H3", "S2"])
    assert table.possible(0)[1].tolist() == row(["H3", "S2"])


# A second, slow count of the round, in cards


class Count:
    """A round of a record, counted move by move."""

    def __init__(self, deal, starter):
        self.hands = [list(hand) for hand in deal["hands"]]
        self.prize, self.stock = deal["prize"], list(deal["stock"])
        self.seen = [{*hand, self.stock[0]} for hand in self.hands]
        self.open = [set(), set()]
        self.played = [[], []]
        self.points = [0, 0]
        self.dealer = self.leader = starter
        self.trick = {}
        self.won = 0

    def move(self, seat, move):
        assert seat == self.actor
        if move.startswith("take"):
            turned, hidden = self.stock[:2]
            opener = seat if move == "take up" else 1 - seat
            self.hands[opener].append(turned)
            self.open[opener].add(turned)
            self.hands[1 - opener].append(hidden)
            self.seen[1 - opener].add(hidden)
            del self.stock[:2]
            self.next_trick()
            return
        self.hands[seat].remove(move)
        self.open[seat].discard(move)
        self.played[seat].append(move)
        self.trick[seat] = move
        self.seen[1 - seat].add(move)
        if len(self.trick) == 2:
            self.won += 1
            self.points[self.winner] += worth(*self.trick.values())
            self.before_prize = list(self.points)
            if self.won == 11:
                self.points[self.winner] += worth(*self.prize)
            elif not self.stock:
                self.next_trick()

    def next_trick(self):
        self.leader = self.winner if self.trick[self.winner] != "CJ" else 1 - self.winner
        self.trick = {}
        for seen in self.seen:
            seen.update(self.stock[:1])

    @property
    def winner(self):
        return 0 if beats(self.trick[0], self.trick[1]) else 1

    @property
    def actor(self):
        return [self.leader, 1 - self.leader, self.winner if len(self.trick) == 2 else None][len(self.trick)]

    def unseen(self, seat):
        return [card for card in ORDER if card not in self.seen[seat]]

    def possible(self, viewer):
        other = 1 - viewer
        known = set(self.hands[other]) == self.open[other]
        rows = [row(self.hands[viewer]), row([*self.open[other], *([] if known else self.unseen(viewer))])]
        return rows if viewer == 0 else rows[::-1]

    def features(self, viewer, totals, target, rounds_left):
        seats = viewer, 1 - viewer
        hand = self.hands[viewer]
        full = len(self.trick) == 2
        led = self.trick.get(self.leader) if viewer == self.actor and not full else None
        totals = [total + points for total, points in zip(totals, self.points, strict=True)]

        def marks(count, size):
            return [1] * count + [0] * (size - count)

        def needed(seat):
            return marks(min(25, max(0, -((totals[seat] - target) // 5))) if target else 0, 25)

        def gain(card):
            return worth(led, card) * (1 if beats(card, led) else -1)

        return {
            "hand": row(hand),
            "turn_up": row(self.stock[:1]),
            "unseen": row(self.unseen(viewer)),
            "open": [row(self.open[seat]) for seat in seats],
            "played": [row(self.played[seat]) for seat in seats],
            "trick": [row([self.trick.get(seat)]) for seat in seats],
            "wins": row([card for card in hand if beats(card, led)] if led else []),
            "gain": [gain(card) if led and card in hand else 0 for card in ORDER],
            "phase": [int(len(self.trick) == played) for played in range(3)],
            "leader": [int(seat == self.leader) for seat in seats],
            "winner": [int(full and seat == self.winner) for seat in seats],
            "stock": marks(len(self.stock) // 2, 6),
            "tricks_left": marks(11 - self.won, 11),
            "totals": [min(totals[seat], 127) for seat in seats],
            "needed": [needed(seat) for seat in seats],
            "dealer": [int(seat == self.dealer) for seat in seats],
            "rounds_left": [rounds_left],
        }

    def hidden(self, viewer):
        under = [row([card]) for card in self.stock[1:]]
        return {
            "hand_of_other": row(self.hands[1 - viewer]),
            "prize": row(self.prize),
            "stock_order": under + [row([])] * (11 - len(under)),
        }


def test_golden_points_counted_again():
    before_prize = 0
    for record in golden("cupid", 2):
        totals, dealer = [0, 0], record["rounds"][0]["starter"]
        target = 0 if "rounds" in record["rules"] else record["rules"].get("target", 121)
        for entry in record["rounds"]:
            assert entry["starter"] == dealer
            count = Count(entry["deal"], dealer)
            for move in entry["moves"]:
                count.move(*move)
            ended = count.won == 11 and 0 < target <= max(np.add(totals, count.before_prize))
            before_prize += ended
            assert entry["points"] == (count.before_prize if ended else count.points)
            totals = np.add(totals, entry["points"]).tolist()
            dealer = totals.index(max(totals)) if totals[0] != totals[1] else count.winner
        assert record["totals"] == totals
    assert before_prize


RECORDS = [(MATCH, {}), (MATCH, {"target": 47}), (MATCH, {"target": 200}), (3, {})]


@pytest.mark.parametrize(("rounds", "options"), RECORDS)
def test_observations_counted_again(rounds, options):
    record = play_record("cupid", 2, 5, rounds, **options)
    table = PlainTable("cupid", 2, rounds, **options)
    target = options.get("target", 121) if rounds == MATCH else 0
    totals = [0, 0]
    for number, entry in enumerate(record["rounds"]):
        table.deal(cupid.read_deal(table.state, entry["deal"]), None if number else entry["starter"])
        count = Count(entry["deal"], entry["starter"])
        rounds_left = len(record["rounds"]) - number - 1 if target == 0 else 0
        for seat, move in entry["moves"]:
            for viewer in range(2):
                shown = {name: block.tolist() for name, block in table.features(viewer).items()}
                assert shown == count.features(viewer, totals, target, rounds_left)
                assert table.possible(viewer).tolist() == count.possible(viewer)
                hidden = decode(cupid.HIDDEN, table.reveal(viewer))
                assert {name: block.tolist() for name, block in hidden.items()} == count.hidden(viewer)
            count.move(seat, move)
            play(table, move)
        totals = [total + points for total, points in zip(totals, entry["points"], strict=True)]
    assert totals == record["totals"]


def test_the_first_dealer_is_random():
    assert set(Tables("cupid", 64, 2, observations=False).states["starter"]) == {0, 1}


# The heuristic player


def chosen(table):
    """What the heuristic does, run uncompiled."""
    values = np.zeros(len(cupid.ACTIONS), np.float32)
    load_heuristic(table.game).values(table.state, table.mask, values)
    return cupid.ACTIONS[np.where(table.mask, values, -np.inf).argmax()]


@pytest.mark.parametrize(
    ("led", "hand", "reply"),
    [
        ("H9", "SA HA S10 JK H2", "S10"),  # 19 points, and not for less than they cost
        ("S9", "HA SA H10 HK H2", "H10"),
        ("HK", "DQ H10 S10 H9 S9", "DQ"),
        ("CJ", "HK H3 S3 H4 S4", "HK"),
        ("S10", "H9 H8 S9 H7 H6", "S9"),  # what cannot be won goes for little
        ("H10", "S9 H5 S8 S7 S6", "H5"),
        ("S9", "HK S10 JK H3 S3", "S3"),  # the great ones wait for their moment
        ("S2", "CJ S10 S9 HK S8", "CJ"),  # a win that does not lead
    ],
)
def test_replies_by_the_heuristic(led, hand, reply):
    table = dealt(led, hand)
    play(table, led)
    assert chosen(table) == reply


@pytest.mark.parametrize(("turn_up", "move"), [("S10", "take up"), ("H4", "take down"), ("JK", "take up")])
def test_draws_by_the_heuristic(turn_up, move):
    table = dealt("H2", "H3", stock=turn_up)
    play(table, "H2", "H3")
    assert chosen(table) == move


def test_the_heuristic_minds_prize_and_target():
    prize = endgame("S7 S3", "S8 H2", prize="H10 S9")
    play(prize, "S7")
    prize.state.open[0] = row(["S3"])
    prize.state.unseen[1] = row(["H10", "S9"])
    assert chosen(prize) == "H2"  # 9 points lost, 19 + 1 won with the last trick
    target = endgame("S7 S3", "S8 H2", prize="H10 S9", totals=(112, 0))
    play(target, "S7")
    target.state.open[0] = row(["S3"])
    target.state.unseen[1] = row(["H10", "S9"])
    assert chosen(target) == "S8"  # but those 9 would end the game


def test_the_heuristic_does_not_see_hidden_cards():
    random = np.random.default_rng(4)
    table = dealt(rounds=1)
    table.deal_at_random(random)
    state = table.state
    while not state.game_over:
        me, other, under = state.actor, 1 - state.actor, slice(state.drawn + 1, None)
        before = chosen(table)
        held = np.flatnonzero(state.hand[other] > state.open[other])
        hidden = random.permutation([*held, *state.prize, *state.stock[under]])
        assert set(hidden) == set(np.flatnonzero(state.unseen[me]))
        state.hand[other] = state.open[other]
        state.hand[other, hidden[: len(held)]] = 1
        state.prize[:] = hidden[len(held) : len(held) + 2]
        state.stock[under] = hidden[len(held) + 2 :]
        state.unseen[other, hidden] = 1 - state.hand[other, hidden]
        assert chosen(table) == before
        table.step_at_random(random)


@pytest.mark.parametrize(("rounds", "deals"), [(1, 500), (MATCH, 100)])
def test_the_heuristic_is_far_above_uniform(rounds, deals):
    game = PlainTable("cupid", 2).game
    result = evaluate(game, 2, [Heuristic(game), Uniform(game)], deals=deals, rounds=rounds)
    assert result.standings[0].margin.low > 30
    assert result.standings[0].wins.low > 0.93
