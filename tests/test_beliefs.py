"""Worlds drawn for a seat: all that it can hold possible, each as often as any other, and nothing else."""

from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.kernels import streams
from followsuit.envs.rules.contract import decode
from followsuit.envs.tables import Tables, load_game
from followsuit.policies.beliefs import NODES, Beliefs, places_of
from helpers import PlainTable, choose, every_game, every_table
from test_knowledge import hidden_places

CHAIN = 1  # nodes: whatever is not settled is drawn by the chain


def positions(game, players, seed):
    """Every decision of a round of random play: a table there, and the starter and moves that led there. It is one
    and the same table: look at it before the next.
    """
    tables = Tables(game, 1, players, 1, seed=seed, restart=False)
    random, starter, moves = np.random.default_rng(seed), int(tables.seat[0]), []
    while not tables.game_over[0]:
        yield tables, starter, moves
        moves.append((int(tables.seat[0]), int(choose(tables.mask, random.integers(2**31, size=1))[0])))
        tables.step([moves[-1][1]])


def shown(tables, states):
    """Tables in these states."""
    others = Tables(tables.game, len(states), tables.players, 1, restart=False)
    others.states[:] = states
    others.load(others.save())
    return others


def worlds_of(tables, seats, worlds, nodes):
    random = streams(1, np.arange(len(tables)))
    return Beliefs(tables.game, nodes).sample(tables, np.arange(len(tables)), random, worlds, seats)


def held(tables):
    """Which kinds each seat holds at each table, bool [B, SEATS, K]."""
    out = np.zeros((len(tables), tables.game.SEATS, tables.game.CARDS), bool)
    for table, state in enumerate(tables.states.view(np.recarray)):
        kind = {name: k for k, name in enumerate(tables.game.action_names(state))}
        for seat, view in enumerate(tables.game.view(state).seats):
            out[table, seat, [kind[card] for card in view.hand]] = True
    return out


def public(view, viewer):
    """What a table shows to a seat."""
    others = [seat if k == viewer else seat._replace(hand=[""] * len(seat.hand)) for k, seat in enumerate(view.seats)]
    return view._replace(seats=others)


def every_deal(tables, starter, moves, viewer, limit=5200):
    """What is hidden from `viewer` in every deal, each card being one of its own, in which all it knows would have
    come the same: by playing all of them again. Bytes of `reveal`, once for each deal; none where they are too many.
    """
    game, state = tables.game, tables.states.view(np.recarray)[0]
    names = game.action_names(state)
    unseen = decode(game.FEATURES, tables.observe([viewer])[0])["unseen"]
    if unseen.sum() > 16:
        return []
    deal = game.name_deal(state, tables.cards[0])
    piles = {("hand", seat): hand for seat, hand in enumerate(deal["hands"])}
    piles |= {(key, None): cards for key, cards in deal.items() if key != "hands" and isinstance(cards, list)}
    laid = [(pile, k, card) for pile, cards in piles.items() for k, card in enumerate(cards)]
    hidden = set(hidden_places(deal, [(seat, names[action]) for seat, action in moves], viewer))
    backs = any(card in game.COLOURS for seat in game.view(state).seats for card in seat.seen or ())
    parts = {}
    for i, (pile, k, card) in enumerate(laid):
        if (pile, k) in hidden and unseen[names.index(card)]:
            parts.setdefault(card[0] if backs else "", []).append(i)
    if prod(factorial(len(part)) for part in parts.values()) > limit:
        return []
    base = np.array(game.read_deal(state, deal))
    orders = [np.concatenate(order) for order in product(*(map(list, permutations(part)) for part in parts.values()))]
    deals = np.tile(base, (len(orders), 1))
    deals[:, np.concatenate(list(parts.values()))] = base[np.array(orders)]
    return played_again(tables, deals, starter, moves, viewer)


def played_again(tables, deals, starter, moves, viewer):
    """What is hidden in each of `deals` that shows `viewer` the same all along as the deal of `tables`."""
    first = Tables(tables.game, 1, tables.players, 1, restart=False)
    others = Tables(tables.game, len(deals), tables.players, 1, restart=False)
    first.deal(tables.cards, starter)
    others.deal(deals, starter)
    same, seats = np.ones(len(deals), bool), [viewer] * len(deals)
    for _, action in moves:
        fits = same & (others.observe(seats) == first.observe([viewer])).all(1) & (others.mask[:, action] > 0)
        if (fits != same).any():
            others.states[~fits] = others.states[fits.argmax()]  # which goes on in their place
            others.load(others.save())
        same = fits
        first.step([action])
        others.step([action] * len(deals))
    same &= (others.observe(seats) == first.observe([viewer])).all(1)
    return [hidden.tobytes() for hidden in others.reveal(seats)[same]]


def surprise(counts, expected):
    """About how many standard deviations the chi-square of these counts is off (Wilson & Hilferty 1931)."""
    degrees = len(counts) - 1
    if degrees == 0:
        return 0.0
    square, spread = ((counts - expected) ** 2 / expected).sum(), 2 / (9 * degrees)
    return ((square / degrees) ** (1 / 3) - (1 - spread)) / spread**0.5


def endgames(game, players):
    """Positions late in a round with all that may be hidden there."""
    for seed in range(100):
        viewer = seed % players
        for tables, starter, moves in positions(game, players, seed):
            deals = every_deal(tables, starter, moves, viewer)
            if len(set(deals)) > 1:
                yield tables, viewer, deals
                break


@every_table
def test_in_an_endgame_every_deal_comes_equally_often(game, players):
    for (tables, viewer, deals), _ in zip(endgames(game, players), range(3), strict=False):
        kinds, ways = np.unique(deals, return_counts=True)
        number = {kind: k for k, kind in enumerate(kinds.tolist())}
        for nodes in (NODES, CHAIN):
            drawn = worlds_of(tables, viewer, 8 * len(kinds) + 1000, nodes=nodes)
            counts = np.zeros(len(kinds))
            for hidden in shown(tables, drawn).reveal([viewer] * len(drawn)):
                counts[number[hidden.tobytes().rstrip(b"\0")]] += 1
            assert abs(surprise(counts, len(drawn) * ways / ways.sum())) < 4


@every_table
def test_worlds_show_the_seat_what_it_knows(game, players):
    for step, (tables, _, _) in enumerate(positions(game, players, 3)):
        if step % 3:
            continue
        seat = int(tables.seat[0])
        for viewer in {seat, (seat + 1) % players}:
            for nodes in (NODES, CHAIN):
                others = shown(tables, worlds_of(tables, viewer, 6, nodes=nodes))
                seats = [viewer] * len(others)
                assert (others.observe(seats) == tables.observe([viewer])).all()
                assert (others.possible(seats) == tables.possible([viewer])).all()
                assert (others.seat == seat).all()
                assert viewer != seat or (others.mask == tables.mask).all()
                view = public(tables.game.view(tables.states[0]), viewer)
                assert all(public(tables.game.view(state), viewer) == view for state in others.states)
                assert (held(others) <= (tables.possible([viewer]) > 0)).all()
                while not others.game_over.all():  # to the end, as any round
                    others.step(choose(others.mask, np.arange(len(others))))


@every_table
def test_no_world_tells_what_is_true(game, players):
    """Whichever world is the true one, the same chance draws the same."""
    for step, (tables, _, _) in enumerate(positions(game, players, 4)):
        if step % 4 == 1:
            for nodes in (NODES, CHAIN):
                viewer = step % players
                worlds = worlds_of(tables, viewer, 5, nodes=nodes)
                others = shown(tables, worlds)
                one = Tables(game, 1, players, 1, restart=False)
                for state in others.states:
                    one.states[0] = state
                    assert worlds_of(one, viewer, 5, nodes=nodes).tobytes() == worlds.tobytes()


@every_game
def test_the_chain_agrees_with_the_exact_draw(game):
    """In the midst of a round: how often each seat holds each card."""
    players = max(load_game(game).PLAYERS)
    for step, (tables, _, _) in enumerate(positions(game, players, 5)):
        if step in (20, 35, 45):
            viewer, number = (step + 1) % players, 800
            exact, chain = (
                held(shown(tables, worlds_of(tables, viewer, number, nodes=nodes))).mean(0) for nodes in (NODES, CHAIN)
            )
            share = (exact + chain) / 2
            assert (np.abs(exact - chain) <= 5 * np.sqrt(2 * share * (1 - share) / number)).all()


@every_table
def test_late_in_a_round_no_void_is_broken(game, players):
    batch, random = 80, np.random.default_rng(6)
    tables = Tables(game, batch, players, 1, seed=6, restart=False)
    seats = np.arange(batch) % players
    while not tables.game_over.any():
        for nodes in (NODES, CHAIN):
            others = shown(tables, worlds_of(tables, seats, 1, nodes=nodes))
            assert (others.observe(seats) == tables.observe(seats)).all()
            assert (others.possible(seats) == tables.possible(seats)).all()
            if random.random() < 0.2:  # it takes its time
                assert (held(others) <= (tables.possible(seats) > 0)).all()
        tables.step(choose(tables.mask, random.integers(2**31, size=batch)))


@every_table
def test_the_rules_tell_all_that_is_hidden(game, players):
    """As plain Python, whatever a buffer held before."""
    table, random = PlainTable(game, players, 1), np.random.default_rng(8)
    rules, places = table.game, places_of(table.game)
    table.deal_at_random(random, 0)
    while not table.state.game_over:
        viewer = int(random.integers(players))
        told = [
            [np.full(shape, value, kind) for shape, kind in (
                (rules.CARDS, np.int32), (places.PLACES, np.int32), ((places.PLACES, rules.CARDS), np.int8),
            )]
            for value in (-7, 99)
        ]  # fmt: skip
        for buffers in told:
            places.hidden(table.state, viewer, *buffers)
        unseen, room, fits = told[0]
        assert all((one == other).all() for one, other in zip(*told, strict=True))
        assert unseen.tolist() == table.features(viewer)["unseen"].tolist()
        assert room.sum() == unseen.sum()
        assert (room >= 0).all()
        assert (fits[room > 0].any(0) >= (unseen > 0)).all()
        table.step_at_random(random)


def test_a_seat_that_is_none_is_refused():
    tables = Tables("fearless", 1, 3)
    with pytest.raises(InputError, match="seats must be numbers from 0 to 2"):
        worlds_of(tables, 3, 1, NODES)
