"""Every game module keeps the contract (followsuit.envs.rules.contract)."""

import re
from types import ModuleType

import numpy as np
import pytest
from followsuit.envs.rules.contract import Feature, as_game, decode, offsets, total_size
from followsuit.envs.tables import Tables, load_game
from helpers import PlainTable, bounds, choose, dealt_cards, every_game, every_table, make_env


def test_a_module_that_lacks_something_is_named_with_it():
    with pytest.raises(TypeError, match=r"game module half lacks .*NAME.*deal"):
        as_game(ModuleType("half"))


@every_game
def test_names(game):
    module = load_game(game)
    assert game == module.NAME
    assert module.TITLE
    assert module.DESIGNER
    assert len(set(module.ACTIONS)) == len(module.ACTIONS)
    assert 0 < module.CARDS <= len(module.ACTIONS)
    names = module.action_names(Tables(game, 1).states[0])
    assert len(names) == len(set(names)) == len(module.ACTIONS)
    assert {card[0] for card in names[: module.CARDS]} <= set(module.COLOURS)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in module.COLOURS.values())
    assert max(module.PLAYERS) == module.SEATS
    assert module.POINTS_SIGN in (1, -1)


@every_game
def test_options_have_a_default_that_is_allowed(game):
    for option in load_game(game).OPTIONS.values():
        assert option.doc
        assert option.allowed is None or option.default in option.allowed


@every_game
@pytest.mark.parametrize("block", ["FEATURES", "HIDDEN"])
def test_features_fit_int8(game, block):
    features = getattr(load_game(game), block)
    assert len({feature.name for feature in features}) == len(features)
    for feature in features:
        assert feature.doc
        assert feature.size > 0
        assert -128 <= feature.low < feature.high <= 127


def test_decode_gives_views_by_name():
    features = (Feature("a", (2, 3), 0, 1, ""), Feature("b", (1,), 0, 9, ""))
    flat = np.arange(14, dtype=np.int8).reshape(2, 7)
    decoded = decode(features, flat)
    assert total_size(features) == 7
    assert offsets(features)._asdict() == {"a": 0, "b": 6}
    assert decoded["a"].tolist() == [[[0, 1, 2], [3, 4, 5]], [[7, 8, 9], [10, 11, 12]]]
    assert decoded["b"].tolist() == [[6], [13]]
    decoded["b"][0] = 99
    assert flat[0, 6] == 99


@every_table
def test_observations_keep_within_their_bounds(game, players):
    tables = Tables(game, 200, players, observations=False, seed=1)
    random = np.random.default_rng(1)
    low, high = bounds(tables.game.FEATURES)
    hidden_low, hidden_high = bounds(tables.game.HIDDEN)
    for _ in range(400):
        seats = random.integers(players, size=200)
        observation, hidden = tables.observe(seats), tables.reveal(seats)
        assert ((low <= observation) & (observation <= high)).all()
        assert ((hidden_low <= hidden) & (hidden <= hidden_high)).all()
        tables.step(choose(tables.mask, random.integers(2**31, size=200)))


@every_table
def test_deals_have_a_notation(game, players):
    tables = Tables(game, 5, players, seed=3)
    module, state = tables.game, tables.states.view(np.recarray)[0]
    for cards in tables.cards:
        deal = module.name_deal(state, cards)
        assert module.name_deal(state, module.read_deal(state, deal)) == deal
        assert set(dealt_cards(deal)) <= set(module.action_names(state)[: module.CARDS])
        one, other = PlainTable(game, players), PlainTable(game, players)
        one.deal(cards, 0)
        other.deal(module.read_deal(state, deal), 0)
        assert one.state.tobytes() == other.state.tobytes()
        assert [sorted(hand) for hand in one.hands()] == [sorted(hand) for hand in deal["hands"]]


@every_table
def test_a_table_is_shown_in_full(game, players):
    env = make_env(game, players, rounds=1)
    env.reset(seed=4)
    labels = None
    while not all(env.terminations.values()):
        view = env.game.view(env.tables.states[0])
        assert len(view.seats) == players
        assert view.actor == int(env.agent_selection.removeprefix("player_"))
        assert view.leader in range(players)
        assert view.winner in (None, *range(players))
        assert view.track is None or len(view.track.pieces) == players
        assert all(isinstance(text, str) for seat in view.seats for text in seat.facts.values())
        labels = labels or [list(view.facts), *(list(seat.facts) for seat in view.seats)]
        assert [list(view.facts), *(list(seat.facts) for seat in view.seats)] == labels
        assert len({tuple(seat.facts) for seat in view.seats}) == 1
        hand = view.seats[view.actor].hand
        names = env.game.action_names(env.tables.states[0])
        legal = [names[action] for action in np.flatnonzero(env.tables.mask[0])]
        assert all(name in hand for name in legal if name in names[: env.game.CARDS])
        env.step(int(np.flatnonzero(env.tables.mask[0])[-1]))
    assert env.game.view(env.tables.states[0]).actor is None
