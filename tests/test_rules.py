"""What holds of every game under random play, and that all ways to play are one."""

from collections import Counter

import numpy as np
from followsuit.envs.tables import Tables
from helpers import PlainTable, choose, dealt_cards, every_table, make_env
from hypothesis import given
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32)


@every_table
@given(seed=SEEDS)
def test_cards_are_neither_lost_nor_made(game, players, seed):
    random = np.random.default_rng(seed)
    table = PlainTable(game, players, 1)
    cards = table.deal_at_random(random, seed % players)
    deck = Counter(dealt_cards(table.game.name_deal(table.state, cards)))
    played, met = Counter(), Counter()
    while not table.state.game_over:
        assert table.mask.any()
        seen = played + Counter(card for hand in table.hands() for card in hand)
        assert met <= seen <= deck
        met = seen
        seat, before = int(table.state.actor), table.hands()
        action = table.step_at_random(random)
        card = Counter([table.game.action_names(table.state)[action]] if action < table.game.CARDS else [])
        played += card
        assert Counter(before[seat]) - Counter(table.hands()[seat]) == card
    assert not table.mask.any()
    assert met <= played + Counter(card for hand in table.hands() for card in hand)


@every_table
@given(seed=SEEDS)
def test_points_of_a_round_are_what_was_earned_in_it(game, players, seed):
    random = np.random.default_rng(seed)
    table = PlainTable(game, players, 3)
    table.deal_at_random(random, seed % players)
    earned, totals = np.zeros(players, int), np.zeros(players, int)
    while not table.state.game_over:
        if table.state.round_over:
            table.deal_at_random(random)
            earned[:] = 0
        table.step_at_random(random)
        earned += table.state.earned[:players]
        totals += table.state.earned[:players]
        if table.state.round_over:
            assert table.points()[0].tolist() == earned.tolist()
        assert table.points()[1].tolist() == table.state.total[:players].tolist() == totals.tolist()


@every_table
@given(seed=SEEDS, rounds=st.integers(1, 2))
def test_rules_tables_and_environment_agree_move_by_move(game, players, seed, rounds):
    tables = Tables(game, 1, players, rounds, seed=seed, restart=False)
    env = make_env(game, players, rounds=rounds)
    env.reset(seed=seed)
    table = PlainTable(game, players, rounds)
    table.deal(tables.cards[0], tables.seat[0])
    random = np.random.default_rng(seed)
    while True:
        seat = int(tables.seat[0])
        other = int(random.integers(players))
        over = bool(tables.game_over[0])
        assert over == bool(table.state.game_over) == all(env.terminations.values())
        assert table.mask.tolist() == tables.mask[0].tolist()
        assert table.observe(seat).tolist() == tables.observation[0].tolist()
        assert table.observe(other).tolist() == tables.observe([other])[0].tolist()
        assert table.reveal(other).tolist() == tables.reveal([other])[0].tolist()
        assert table.possible(other).tolist() == tables.possible([other])[0].tolist()
        assert env.observe(env.possible_agents[other])["observation"].tolist() == table.observe(other).tolist()
        assert env.state().tolist() == [*table.observe(seat), *table.reveal(seat)]
        assert tables.totals()[0].tolist() == table.points()[1].tolist()
        if over:
            break
        assert table.state.actor == seat == env.possible_agents.index(env.agent_selection)
        assert env.last()[0]["action_mask"].tolist() == tables.mask[0].tolist()
        [action] = choose(tables.mask, random.integers(2**31, size=1)).tolist()
        tables.step([action])
        env.step(action)
        table.step(action)
        assert table.state.earned[:players].tolist() == tables.points[0].tolist()
        assert bool(table.state.round_over) == tables.round_over[0]
        if table.state.round_over and not table.state.game_over:
            table.deal(tables.cards[0])


@every_table
def test_rounds_is_how_many_rounds_a_game_has(game, players):
    for rounds in (1, 3):
        tables = Tables(game, 4, players, rounds, seed=8, observations=False, restart=False)
        ended = np.zeros(4, int)
        for _ in range(10_000):
            tables.step(choose(tables.mask, [5, 6, 7, 8]))
            ended += tables.round_over
            if tables.game_over.all():
                break
        assert ended.tolist() == [rounds] * 4
