"""The heuristic players: legal, blind to hidden cards, better than chance, sensible where the right card is plain."""

import pkgutil
from types import SimpleNamespace

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.kernels import streams
from followsuit.envs.rules import fearless
from followsuit.envs.scores import margins
from followsuit.envs.tables import Tables, load_game, new_state
from followsuit.policies import heuristics
from followsuit.policies.base import Uniform
from followsuit.policies.heuristics import Heuristic, load_heuristic

GAMES = [module.name for module in pkgutil.iter_modules(heuristics.__path__)]
TABLES = [(game, players) for game in GAMES for players in load_game(game).PLAYERS]
"""Every table size of every game that has a heuristic."""


def middle_games(game, players, tables=64):
    """Tables that heuristic and uniform play have brought some way into a round, at every step of it."""
    table = Tables(game, tables, players, rounds=1, observations=False, restart=False)
    policies = Heuristic(table.game), Uniform(table.game)
    rows, random = np.arange(tables), streams(3, np.arange(tables))
    while not table.game_over.any():
        yield table
        by_rule, by_chance = (policy.act(table, rows, random) for policy in policies)
        table.step(np.where(rows % 2, by_rule, by_chance))


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_legal(game, players):
    heuristic, rows = Heuristic(load_game(game)), np.arange(1, 64, 3)
    for table in middle_games(game, players):
        before = table.states.tobytes()
        actions = heuristic.act(table, rows, np.empty(0, np.uint64))
        assert actions.shape == rows.shape
        assert actions.dtype == np.int64
        assert table.mask[rows, actions].all()
        probabilities = heuristic.probabilities(table, rows)
        assert (probabilities.sum(-1) == 1).all()
        assert (probabilities.argmax(-1) == actions).all()
        assert table.states.tobytes() == before


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_compiled_as_written(game, players):
    rules, heuristic = load_heuristic(load_game(game)), Heuristic(load_game(game))
    for table in middle_games(game, players, tables=4):
        actions = heuristic.act(table, np.arange(4), np.empty(0, np.uint64))
        for state, mask, action in zip(table.states.view(np.recarray), table.mask, actions, strict=True):
            values = np.zeros(len(mask), np.float32)
            rules.values(state, mask, values)
            assert values[action] == pytest.approx(values[mask == 1].max(), rel=1e-5)


@pytest.mark.parametrize("players", fearless.PLAYERS)
def test_hidden_cards_do_not_matter(players):
    heuristic, rows, random = Heuristic(load_game("fearless")), np.arange(64), np.random.default_rng(1)
    for table in middle_games("fearless", players):
        chosen = heuristic.act(table, rows, np.empty(0, np.uint64))
        hands = table.states["hand"].copy()
        for row in rows:
            others = [seat for seat in range(players) if seat != table.seat[row]]
            sizes = hands[row, others].sum(-1)
            hidden = random.permutation(np.repeat(np.arange(fearless.CARDS), hands[row, others].sum(0)))
            for seat, cards in zip(others, np.split(hidden, np.cumsum(sizes)[:-1]), strict=True):
                table.states["hand"][row, seat] = np.bincount(cards, minlength=fearless.CARDS)
        assert (heuristic.act(table, rows, np.empty(0, np.uint64)) == chosen).all()
        table.states["hand"][:] = hands


def duplicate_margins(game, players, deals):
    """The margin of one heuristic seat against uniform ones, the mean over all seats of each deal."""
    table = Tables(
        game,
        deals * players,
        players,
        1,
        streams=np.repeat(np.arange(deals), players),
        observations=False,
        restart=False,
    )
    heuristic, uniform = Heuristic(table.game), Uniform(table.game)
    seats, random = np.tile(np.arange(players), deals), streams(9, np.arange(len(table)))
    while not table.game_over.all():
        actions = np.zeros(len(table), np.int64)
        for policy, turn in ((heuristic, table.seat == seats), (uniform, table.seat != seats)):
            rows = np.flatnonzero(turn & ~table.game_over)
            actions[rows] = policy.act(table, rows, random)
        table.step(actions)
    all_margins = margins(table.totals(), table.game.POINTS_SIGN)
    return all_margins[np.arange(len(table)), seats].reshape(deals, players).mean(1)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_beats_uniform(game, players):
    margin = duplicate_margins(game, players, deals=500)
    assert margin.mean() - 4 * margin.std() / np.sqrt(len(margin)) > 0


@pytest.mark.parametrize(("players", "least"), [(3, 3.5), (4, 3.5), (5, 2.5)])
def test_fearless_strength(players, least):
    assert duplicate_margins("fearless", players, deals=500).mean() > least


def fearless_choice(hand, trick="", unseen="", ghosts=(0, 0, 0, 0), ruin=()):
    """What seat 0 of four plays, its heuristic run uncompiled, as many tricks from the end as it has cards."""
    kinds = {name: kind for kind, name in enumerate(fearless.ACTIONS)}
    hand, trick, unseen = ([kinds[name] for name in names.split()] for names in (hand, trick, unseen))
    s = new_state(load_game("fearless"), 4, 1)
    fearless.begin(s, 0)
    s.unplayed[:] = np.bincount(hand + trick + unseen, minlength=fearless.CARDS)
    s.hand[0] = np.bincount(hand, minlength=fearless.CARDS)
    s.tricks_left = len(hand)
    s.ghost[:4] = ghosts
    s.out_of_ruin[:4] = [seat not in ruin for seat in range(4)]
    fearless.lead(s, -len(trick) % 4)
    for kind in trick:
        s.hand[s.actor, kind] = 1
        fearless.play(s, kind)
    mask, values = np.zeros(len(fearless.ACTIONS), np.int8), np.zeros(len(fearless.ACTIONS), np.float32)
    fearless.legal(s, mask)
    load_heuristic(load_game("fearless")).values(s, mask, values)
    return fearless.ACTIONS[np.where(mask, values, -np.inf).argmax()]


REST = "O+3 O-3 M+2 M-2 G+1 G-1"
"""Harmless cards in the other hands."""


@pytest.mark.parametrize(
    ("chosen", "position"),
    [
        # Last to play, a trick of +15 on the table: a 0 leaves it to another …
        ("0", {"hand": "B+6 0", "trick": "B+5 B+4 G+6", "unseen": "O+3 O-3 M+2"}),
        # … and the +6 takes it where that brings a ghost home.
        ("B+6", {"hand": "B+6 0", "trick": "B+5 B+4 G+6", "unseen": "O+3 O-3 M+2", "ghosts": (-20, 10, 5, 5)}),
        # Out of suit: the card that drives the winner of the trick further away.
        ("G-6", {"hand": "G-6 G+6", "trick": "B+5 B-1 B-2", "unseen": "O+3 O-3 M+2", "ghosts": (-6, -10, 8, 8)}),
        ("G+6", {"hand": "G-6 G+6", "trick": "B+5 B-1 B-2", "unseen": "O+3 O-3 M+2", "ghosts": (6, 10, -8, -8)}),
        # The last but one trick, cheap, for a seat still in the ruin that will hardly win another.
        ("B+2", {"hand": "B+2 B-6", "trick": "B+1 B-1 B-3", "unseen": "O+3 O-3 M+2", "ruin": (0,)}),
        # With one trick won and the ghost at 0, the same trick with a high sum is better left alone.
        ("B-6", {"hand": "B+2 B-6", "trick": "B+1 G+6 G+5", "unseen": "O+3 O-3 M+2"}),
        # On lead with the ghost far up: not the +6, which is sure to win.
        ("O-5", {"hand": "B+6 O-5", "unseen": REST, "ghosts": (14, -4, -5, -5)}),
        # On lead with the ghost far down: the +6.
        ("B+6", {"hand": "B+6 O-5", "unseen": REST, "ghosts": (-14, 4, 5, 5)}),
    ],
)
def test_fearless_positions(chosen, position):
    assert fearless_choice(**position) == chosen


def test_no_heuristic():
    with pytest.raises(InputError, match="none_such has no heuristic"):
        load_heuristic(SimpleNamespace(NAME="none_such"))  # pyright: ignore[reportArgumentType]
