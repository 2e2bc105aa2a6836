"""What a seat knows: nothing it has not seen, and no less than the rules let it infer."""

import numpy as np
import pytest
from followsuit.envs.rules.contract import decode
from followsuit.envs.tables import Tables
from helpers import choose, every_table
from hypothesis import given
from hypothesis import strategies as st


def hidden_places(deal, moves, viewer):
    """Where in a named deal the cards lie that `viewer` has neither held nor seen played: (pile, index, holder)."""
    piles = {("hand", seat): list(hand) for seat, hand in enumerate(deal["hands"])}
    piles |= {(key, None): list(cards) for key, cards in deal.items() if key != "hands" and isinstance(cards, list)}
    for seat, card in moves:
        for pile, cards in piles.items():
            if card in cards and pile[1] in (seat, None):
                cards[cards.index(card)] = None
                break
    return [
        (pile, index)
        for pile, cards in piles.items()
        for index, card in enumerate(cards)
        if card is not None and pile[1] != viewer
    ]


def other_worlds(tables, moves, viewer, count, random):
    """Deals, int [count, cards], that differ in what `viewer` cannot tell apart after these moves of the round."""
    game, state = tables.game, tables.states.view(np.recarray)[0]
    kind = {name: k for k, name in enumerate(game.action_names(state))}
    possible = tables.possible([viewer])[0]
    backs = any(card in game.COLOURS for seat in game.view(state).seats for card in seat.seen or ())  # show colours
    unseen = decode(game.FEATURES, tables.observe([viewer])[0])["unseen"]
    deals = []
    for _ in range(count):
        deal = game.name_deal(state, tables.cards[0])
        piles = {("hand", seat): hand for seat, hand in enumerate(deal["hands"])}
        piles |= {(key, None): cards for key, cards in deal.items() if key != "hands"}
        places = [
            (pile, index)
            for pile, index in hidden_places(
                deal, [(seat, game.action_names(state)[action]) for seat, action in moves], viewer
            )
            if unseen[kind[piles[pile][index]]]
        ]
        for _ in range(4 * len(places)):
            (a, i), (b, j) = (places[k] for k in random.integers(len(places), size=2))
            one, other = piles[a][i], piles[b][j]
            fits = not backs or one[0] == other[0]
            fits &= all(holder is None or possible[holder, kind[card]] for holder, card in ((a[1], other), (b[1], one)))
            if fits:
                piles[a][i], piles[b][j] = other, one
        deals.append(game.read_deal(state, deal))
    return np.array(deals)


@every_table
@given(seed=st.integers(0, 2**32), part=st.floats(0, 1))
def test_what_a_seat_cannot_see_changes_nothing_it_is_shown(game, players, seed, part):
    tables = Tables(game, 1, players, 1, seed=seed, restart=False)
    random = np.random.default_rng(seed)
    starter = int(tables.seat[0])
    moves = []
    for _ in range(int(part * 0.9 * len(tables.cards[0]))):
        [action] = choose(tables.mask, random.integers(2**31, size=1)).tolist()
        moves.append((int(tables.seat[0]), action))
        tables.step([action])
        if tables.game_over[0]:
            return
    worlds = 12
    others = Tables(game, worlds, players, 1, restart=False)
    for viewer in range(players):
        others.deal(other_worlds(tables, moves, viewer, worlds, random), starter)
        for seat, action in moves:
            assert (others.seat == seat).all()
            others.step([action] * worlds)  # refused, were a world not to allow it
        assert (others.seat == tables.seat).all()
        seats = [viewer] * worlds
        assert (others.observe(seats) == tables.observe([viewer])).all()
        assert (others.possible(seats) == tables.possible([viewer])).all()
        if viewer == tables.seat[0]:
            assert (others.mask == tables.mask).all()
        told_apart = (others.reveal(seats) != tables.reveal([viewer])).any(1)
        moved = [
            list(map(sorted, hands_of(others, k))) != list(map(sorted, hands_of(tables, 0))) for k in range(worlds)
        ]
        assert (told_apart | ~np.array(moved)).all()
        assert told_apart.any() or moves


def hands_of(tables, table):
    return [seat.hand for seat in tables.game.view(tables.states.view(np.recarray)[table]).seats]


@every_table
def test_no_card_held_is_thought_impossible(game, players):
    batch = 8
    tables = Tables(game, batch, players, 1, seed=9, restart=False)
    random = np.random.default_rng(9)
    while not tables.game_over.all():
        held = np.zeros((batch, tables.game.SEATS, tables.game.CARDS), bool)
        for table in range(batch):
            for seat, hand in enumerate(hands_of(tables, table)):
                names = tables.game.action_names(tables.states[table])
                held[table, seat, [names.index(card) for card in hand]] = True
        for seat in range(players):
            possible = tables.possible([seat] * batch).astype(bool)
            assert (possible | ~held).all()
            assert (possible[:, seat] == held[:, seat]).all()
            assert not possible[:, players:].any()
        tables.step(choose(tables.mask, random.integers(2**31, size=batch)))


@every_table
def test_what_is_seen_and_what_is_hidden_make_up_the_whole(game, players):
    """Tables that show and hide the same from one seat do so from every seat."""
    tables = Tables(game, 300, players, 1, seed=10, streams=np.arange(300) // 3, restart=False)
    random = np.random.default_rng(10)
    for _ in range(6):
        tables.step(choose(tables.mask, random.integers(2, size=300)))
    wholes = [np.concatenate([tables.observe([seat] * 300), tables.reveal([seat] * 300)], 1) for seat in range(players)]
    first, *others = ([whole.tobytes() for whole in of_seat] for of_seat in wholes)
    assert 1 < len(set(first)) < 300
    for other in others:
        assert len(set(zip(first, other, strict=True))) == len(set(first)) == len(set(other))


@pytest.mark.parametrize("seats", [[0], [0, 9], [-1, 0], [[0, 1]]])
@every_table
def test_seats_that_are_none_are_refused(game, players, seats):
    tables = Tables(game, 2, players, seed=1)
    for view in (tables.observe, tables.reveal, tables.possible):
        with pytest.raises(ValueError, match=f"seats must be 2 numbers from 0 to {players - 1}"):
            view(seats)
