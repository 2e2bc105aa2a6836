"""Players that search: legal, repeatable, blind to hidden cards; their solved endings are those of plain minimax."""

from itertools import combinations

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.kernels import streams
from followsuit.envs.rules import cupid
from followsuit.envs.scores import margins, win_rewards
from followsuit.envs.tables import Tables, load_game, new_state
from followsuit.policies import NAMES, policy
from followsuit.policies.base import Uniform
from followsuit.policies.beliefs import Beliefs
from followsuit.policies.heuristics import load_heuristic
from followsuit.policies.search import METHODS, Search, search
from followsuit.policies.search import endings as endings_module
from followsuit.policies.search.endings import solver
from followsuit.policies.search.rollout import DEPTH, STAKE, finished, memory, rollout_rules, round_spread
from followsuit.training.results import evaluate
from helpers import every_game, every_table

every_method = pytest.mark.parametrize("method", METHODS)
FAIR = [method for method in METHODS if method != "cheat"]


def in_the_middle(game, players, tables=12, rounds=1, seed=0):
    """Tables that uniform play has brought to different moments of their first round."""
    middle = Tables(game, tables, players, rounds, seed=seed, observations=False, restart=False)
    uniform, random = Uniform(middle.game), streams(3, np.arange(tables))
    kept = middle.save()
    for moment in range(200):
        if middle.round_over.any():
            break
        now, here = middle.save(), moment // 2 % tables
        for name, array in kept.items():
            array[here] = now[name][here]
        middle.step(uniform.act(middle, np.arange(tables), random))
    middle.load(kept)
    return middle


@every_method
@every_table
def test_legal_and_repeatable_and_by_itself_at_each_table(game, players, method):
    tables = in_the_middle(game, players)
    player, rows = Search(tables.game, method, 10), np.arange(len(tables))
    before = tables.states.tobytes()
    actions = player.act(tables, rows, streams(5, rows))
    assert tables.mask[rows, actions].all()
    assert (player.act(tables, rows, streams(5, rows)) == actions).all()
    some = rows[::-3]
    assert (player.act(tables, some, streams(5, rows)) == actions[some]).all()
    assert tables.states.tobytes() == before
    chosen = player.probabilities(tables, rows)
    assert (chosen.sum(1) == 1).all()
    assert tables.mask[rows, chosen.argmax(1)].all()


@pytest.mark.parametrize("laps", [None, 2])
@pytest.mark.parametrize("method", FAIR)
@every_game
def test_hidden_cards_do_not_matter(game, method, laps):
    players = max(load_game(game).PLAYERS)
    tables = in_the_middle(game, players)
    rows = np.arange(len(tables))
    player = Search(tables.game, method, 20, laps)
    chosen = player.act(tables, rows, streams(5, rows))
    for seed in range(3):
        other = in_the_middle(game, players)
        other.states[:] = Beliefs(other.game).sample(tables, rows, streams(seed, rows), 1)
        assert other.states.tobytes() != tables.states.tobytes()
        assert (player.act(other, rows, streams(5, rows)) == chosen).all()


def test_the_cheat_sees_them():
    tables = in_the_middle("fearless", 4, 64)
    rows = np.arange(len(tables))
    cheat = Search(tables.game, "cheat", 20)
    chosen = cheat.act(tables, rows, streams(5, rows))
    tables.states[:] = Beliefs(tables.game).sample(tables, rows, streams(1, rows), 1)
    assert (cheat.act(tables, rows, streams(5, rows)) != chosen).any()


@pytest.mark.parametrize("method", METHODS)
@every_game
def test_stronger_than_chance(game, method):
    played = load_game(game)
    players = max(played.PLAYERS)
    contestants = [Search(played, method, 60 if method == "ismcts" else 5), Uniform(played)]
    assert evaluate(played, players, contestants, 20, 1).standings[0].margin.low > 0


# What the end of a round is worth


def judged(game, players, rounds, before, total, over, spread):
    """The worth for each seat of a round that took the totals from `before` to `total`."""
    s = new_state(game, players, rounds)
    s.total[:players] = total
    s.round_over, s.game_over = 1, over
    out, totals = np.zeros(game.SEATS), np.zeros(game.SEATS, int)
    totals[:players] = before
    rollout_rules(game).judge(s, totals, spread, memory(game)[0], out)
    return out[:players]


@every_table
def test_a_round_by_itself_is_worth_its_margins(game, players):
    played = load_game(game)
    before, earned = np.arange(players) * 3, np.arange(players)[::-1] ** 2
    worth = judged(played, players, 1, before, before + earned, 1, 0.0)
    assert worth == pytest.approx(margins(earned, played.POINTS_SIGN))


@every_table
def test_the_end_of_a_match_is_worth_its_win_too(game, players):
    played = load_game(game)
    before, total = np.zeros(players, int), np.minimum(np.arange(players), 2)
    worth = judged(played, players, "match", before, total, 1, 10.0)
    expected = margins(total, played.POINTS_SIGN) + 10 * STAKE * win_rewards(total, played.POINTS_SIGN)
    assert worth == pytest.approx(expected)
    assert judged(played, players, "match", before, total, 0, 10.0) == pytest.approx(margins(total, played.POINTS_SIGN))


@every_method
def test_a_match_is_won_where_a_round_would_bring_more_points(method):
    """CUPID, 120 to 118 points, S4 is led, and a card more is in each hand. S10 wins one point, and the match; HA would
    lose five, and the match, but S10 would then win the last trick and the prize.
    """
    for rounds, best in (("match", "S10"), (1, "HA")):
        tables = Tables("cupid", 1, 2, rounds, observations=False)
        s = tables.states.view(np.recarray)[0]
        card = cupid.KINDS.index
        s.phase, s.actor, s.leader, s.winner = cupid.REPLY, 0, 1, 1
        s.drawn, s.tricks_left = cupid.STOCK, 2
        s.total[:], s.trick[:], s.prize[:] = (120, 118), (cupid.NO_CARD, card("S4")), (card("H8"), card("S8"))
        s.hand[:], s.open[:], s.unseen[:], s.played[:] = 0, 0, 0, 1
        s.hand[0, [card("S10"), card("HA")]] = s.hand[1, card("H9")] = 1
        s.unseen[0, [card("H8"), card("S8"), card("H9")]] = s.unseen[
            1, [card("H8"), card("S8"), card("S10"), card("HA")]
        ] = 1
        for hidden in ("H8", "S8", "H9", "S10", "HA"):
            s.played[:, card(hidden)] = 0
        tables.load(tables.save())
        chosen = Search(tables.game, method, 50).act(tables, np.arange(1), streams(0, [0]))
        assert cupid.ACTIONS[chosen[0]] == best


@every_table
def test_the_spread_of_a_round_is_a_fact_of_the_game(game, players):
    assert 1 < round_spread(load_game(game), players) < 100


# Solved endings


def plain_values(game, s, before, spread):
    """What `s` is worth for each seat when everybody plays best and sees all, by plain recursion."""
    if finished(s):
        out = np.zeros(game.SEATS)
        rollout_rules(game).judge(s, before, spread, memory(game)[0], out)
        return out
    mask = np.zeros(len(game.ACTIONS), np.int8)
    game.legal(s, mask)
    best = None
    for action in np.flatnonzero(mask):
        after = copy_of(game, s)
        game.play(after, action)
        worth = plain_values(game, after, before, spread)
        if best is None or worth[s.actor] > best[s.actor]:
            best = worth
    return best


def copy_of(game, s):
    copies = np.zeros(1, game.State).view(np.recarray)
    copies[0] = s
    return copies[0]


def leaves(game, s, limit):
    """How many ways the rest of the round can go, as far as `limit`."""
    if finished(s) or limit < 1:
        return 1
    mask = np.zeros(len(game.ACTIONS), np.int8)
    game.legal(s, mask)
    ways = 0
    for action in np.flatnonzero(mask):
        after = copy_of(game, s)
        game.play(after, action)
        ways += leaves(game, after, limit - ways)
    return ways


def endings(game, players, seed, rounds=1):
    """Late positions of a round of uniform play, from the last decision backwards."""
    tables = Tables(game, 1, players, rounds, seed=seed, observations=False, restart=False)
    random, line = streams(seed, [0]), []
    uniform = Uniform(tables.game)
    while not (tables.round_over[0] or tables.game_over[0]):
        line.append(copy_of(tables.game, tables.states.view(np.recarray)[0]))
        tables.step(uniform.act(tables, np.arange(1), random))
    return line[::-1]


@pytest.mark.parametrize("spread", [0.0, 9.0])
@every_table
def test_solved_endings_are_those_of_plain_search(game, players, spread):
    played, solved = load_game(game), 0
    solve, m = solver(played), memory(played)[0]
    for seed in range(4):
        for s in endings(game, players, seed):
            if leaves(played, s, 100) >= 100:
                break
            tables = np.zeros(DEPTH + 2, played.State).view(np.recarray)
            tables[0] = s
            before = s.total.copy()
            assert solve(tables, before, spread, m)
            assert m.best[0][:players] == pytest.approx(plain_values(played, s, before, spread)[:players])
            solved += 1
    assert solved > 20


def test_a_tree_that_is_too_large_is_given_up(monkeypatch):
    monkeypatch.setattr(endings_module, "NODES", 50)
    game = load_game("fearless")
    tables = np.zeros(DEPTH + 2, game.State).view(np.recarray)
    tables[0] = endings("fearless", 3, 0)[-1]
    assert not solver(game)(tables, tables[0].total.copy(), 0.0, memory(game)[0])


# CUPID once the stock is empty: all is known but which two of a few cards the prize is


def last_draws(count):
    """Positions of CUPID where a card is to be led or played and the stock is empty."""
    for seed in range(count):
        line = [s for s in endings("cupid", 2, seed) if s.drawn == cupid.STOCK and s.phase != cupid.TAKE]
        yield line[min(seed % 10, len(line) - 1)]


def prizes(s):
    """The state with each pair of cards as the prize that the seat to act holds possible."""
    me, other = s.actor, 1 - s.actor
    unseen = [card for card in range(cupid.CARDS) if s.unseen[me, card]]
    for prize in combinations(unseen, cupid.PRIZE):
        world = copy_of(cupid, s)
        world.prize[:] = prize
        for card in unseen:
            world.hand[other, card] = card not in prize
            world.unseen[other, card] = card in prize
        yield world


def test_pimc_plays_the_end_of_cupid_best():
    game = load_game("cupid")
    solve, m, checked = solver(game), memory(game)[0], 0
    player = search("pimc:400", game)
    for s in last_draws(40):
        mask = np.zeros(len(game.ACTIONS), np.int8)
        game.legal(s, mask)
        if s.hand[s.actor].sum() not in (2, 3):
            continue
        means = {}
        for action in np.flatnonzero(mask):
            values = []
            for world in prizes(s):
                tables = np.zeros(DEPTH + 2, game.State).view(np.recarray)
                tables[0] = world
                game.play(tables[0], action)
                assert finished(tables[0]) or solve(tables, s.total.copy(), 0.0, m)
                if finished(tables[0]):
                    rollout_rules(game).judge(tables[0], s.total.copy(), 0.0, m, m.best[0])
                values.append(m.best[0, s.actor])
            means[action] = np.mean(values)
        tables = Tables(game, 1, 2, 1, observations=False)
        tables.states[0] = s
        tables.load(tables.save())
        chosen = player.act(tables, np.arange(1), streams(0, [0]))[0]
        assert means[chosen] > max(means.values()) - 1.0
        checked += 1
    assert checked > 10


def test_the_solver_plays_out_to_what_it_said():
    game = load_game("cupid")
    solve, m = solver(game), memory(game)[0]
    for s in last_draws(12):
        if s.hand[s.actor].sum() > 3:
            continue
        before, said = s.total.copy(), None
        while not finished(s):
            options = {}
            mask = np.zeros(len(game.ACTIONS), np.int8)
            game.legal(s, mask)
            for action in np.flatnonzero(mask):
                tables = np.zeros(DEPTH + 2, game.State).view(np.recarray)
                tables[0] = s
                game.play(tables[0], action)
                if finished(tables[0]):
                    rollout_rules(game).judge(tables[0], before, 0.0, m, m.best[0])
                else:
                    assert solve(tables, before, 0.0, m)
                options[action] = m.best[0, s.actor]
            best = max(options, key=options.get)
            said = options[best] * (1 if s.actor == 0 else -1) if said is None else said
            game.play(s, best)
        assert (s.total - before)[0] - (s.total - before)[1] == pytest.approx(said)


# Names


def test_names():
    game = load_game("cupid")
    assert search("flat", game).name == "flat:20"
    assert search("pimc:7", game).name == "pimc:7"
    assert search(f"flat:7:{load_heuristic(game).LAPS}", game).name == "flat:7"  # what this game has anyway
    assert search("flat:7:0", game).name == "flat:7:0"
    for name in NAMES:
        assert policy(name, game).name == name


@pytest.mark.parametrize(
    "name", ["flat:0", "flat:-1", "flat:x", "pimc:1.5", "ismcts:3:magic", "cheat:1:0:2", "flat:", "flat::1"]
)
def test_bad_names_say_what_is_right(name):
    with pytest.raises(InputError, match=rf"^{name.partition(':')[0]} takes a number of .* above 0.*, not '{name}'$"):
        policy(name, load_game("fearless"))


def test_an_unknown_method_lists_what_there_is():
    with pytest.raises(InputError, match=r"flat:20.*No module named 'tree'"):
        policy("tree:20", load_game("fearless"))
