"""The PettingZoo environment: the library's own tests, and what those miss."""

import copy
import pickle

import numpy as np
import pettingzoo
import pytest
from followsuit.envs import GAMES
from followsuit.envs.errors import InputError
from followsuit.envs.records import verify
from followsuit.envs.rules.contract import total_size
from followsuit.envs.scores import margins, win_rewards
from followsuit.envs.tables import load_game
from helpers import TABLES, every_game, every_table, golden, make_env, play_env, play_record
from pettingzoo.test import api_test, render_test, seed_test


@pytest.mark.filterwarnings("ignore:Observation .*:UserWarning")  # it looks for arrays, not dicts
@every_table
def test_pettingzoo_api(game, players):
    api_test(make_env(game, players), num_cycles=300)


@every_table
def test_pettingzoo_seed(game, players):
    seed_test(lambda: make_env(game, players), num_cycles=300)


@every_table
def test_pettingzoo_render(game, players):
    render_test(lambda render_mode: make_env(game, players, render_mode=render_mode))


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.26 has no registry")
@every_game
def test_pettingzoo_make(game):
    name = f"followsuit/{GAMES[game].replace('_', '-')}"
    players = max(load_game(game).PLAYERS)
    env = pettingzoo.make("aec", name, players=players, rounds=1)
    env.reset(seed=1)
    assert env.num_agents == players
    assert env.unwrapped.record()["rules"] == {"rounds": 1}


@every_table
def test_agents_and_spaces(game, players):
    env = make_env(game, players)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    assert env.max_num_agents == players
    assert str(env) == env.metadata["name"] == GAMES[game]
    spaces = [(env.observation_space(agent), env.action_space(agent)) for agent in env.possible_agents * 2]
    assert all(one is spaces[0][0] and other is spaces[0][1] for one, other in spaces)
    assert spaces[0][1].n == len(env.game.ACTIONS)
    assert spaces[0][0]["observation"].shape == (total_size(env.game.FEATURES),)
    assert env.unwrapped is env


@every_table
def test_observations_and_masks_at_every_moment(game, players):
    """Every seat may be observed at any time; the mask is the rules' for the seat to act and empty for the others."""
    env = make_env(game, players, rounds=1)
    env.reset(seed=1)
    rules_mask = np.zeros(len(env.game.ACTIONS), np.int8)

    def check(acting):
        assert env.state_space.contains(env.state())
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].tolist() == (rules_mask.tolist() if agent == acting else [0] * len(rules_mask))
            seen["observation"][:] = seen["action_mask"][:] = 55  # a copy, of no account to the game

    random = np.random.default_rng(1)
    env.game.legal(env.tables.states.view(np.recarray)[0], rules_mask)
    check(env.agent_selection)
    for agent in play_env(env, random):
        env.game.legal(env.tables.states.view(np.recarray)[0], rules_mask)
        assert rules_mask.any()
        check(agent)
        assert env.last()[0]["action_mask"].tolist() == rules_mask.tolist()
    check(None)


@pytest.mark.parametrize("reward", ["points", "win"])
@every_table
def test_rewards_are_paid_when_earned_and_sum_to_nothing(game, players, reward):
    env = make_env(game, players, rounds=2, reward=reward)
    env.reset(seed=2)
    random = np.random.default_rng(2)
    collected = dict.fromkeys(env.possible_agents, 0.0)  # by agents that look at `last` on their turn
    paid = np.zeros(players)
    on_others_turns = False
    for agent in env.agent_iter():
        observation, gained, over, cut, _ = env.last()
        collected[agent] += gained
        assert not cut
        env.step(None if over else int(random.choice(np.flatnonzero(observation["action_mask"]))))
        if over:
            assert not observation["action_mask"].any()
            continue
        rewards = np.array([env.rewards[name] for name in env.possible_agents])
        paid += rewards
        assert abs(rewards.sum()) < 1e-9
        on_others_turns |= bool(np.delete(rewards, env.possible_agents.index(agent)).any())
        points = env.tables.points[0]
        if reward == "points":
            assert rewards.tolist() == pytest.approx(margins(points, env.game.POINTS_SIGN).tolist())
        elif not env.tables.game_over[0]:
            assert not rewards.any()
    totals, sign = env.tables.totals()[0], env.game.POINTS_SIGN
    expected = margins(totals, sign) if reward == "points" else win_rewards(totals, sign)
    assert on_others_turns
    assert paid.tolist() == pytest.approx(expected.tolist())
    assert list(collected.values()) == pytest.approx(expected.tolist())
    assert env.agents == []


@pytest.mark.parametrize("reward", ["points", "win"])
@every_table
def test_rewards_of_golden_games(game, players, reward):
    """Shared wins among them."""
    shared = False
    for record in golden(game, players):
        env = make_env(game, players, reward=reward, **record["rules"])
        env.reset(options={"record": record})
        paid = np.zeros(players)
        for entry in record["rounds"]:
            for _, name in entry["moves"]:
                env.step(env.game.action_names(env.tables.states[0]).index(name))
                paid += list(env.rewards.values())
        won = len(record["winners"])
        shared |= won > 1
        if reward == "win":
            winner, loser = (players / won - 1) / (players - 1), -1 / (players - 1)
            expected = [winner if seat in record["winners"] else loser for seat in range(players)]
        else:
            total = sum(record["totals"])
            means = [(total - own) / (players - 1) for own in record["totals"]]
            gaps = [own - mean for own, mean in zip(record["totals"], means, strict=True)]
            expected = [env.game.POINTS_SIGN * gap for gap in gaps]
        assert paid.tolist() == pytest.approx(expected)
        assert env.record()["winners"] == record["winners"]
        assert all(env.terminations.values())
    assert shared or players == 2


@every_table
def test_last_after_the_end(game, players):
    env = make_env(game, players, rounds=1)
    env.reset(seed=3)
    for _ in play_env(env, np.random.default_rng(3)):
        assert not any(env.terminations.values())
    final = dict(env._cumulative_rewards)
    for left in range(players, 0, -1):
        assert len(env.agents) == left
        agent = env.agent_selection
        observation, gained, over, _, info = env.last()
        assert (gained, over, info) == (final[agent], True, {})
        assert not observation["action_mask"].any()
        env.step(None)
    assert env.agents == []
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(env.observe(agent))
    assert env.state_space.contains(env.state())


@every_table
def test_an_illegal_action_ends_the_game_and_the_next_is_none_the_worse(game, players):
    env, fresh = make_env(game, players, rounds=1), make_env(game, players, rounds=1)
    for kind in range(3):
        env.reset(seed=kind)
        list(play_env(env, np.random.default_rng(kind), decisions=6))
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"]
        before, owed = env.record(), dict(env._cumulative_rewards)
        env.step([int(np.flatnonzero(mask == 0)[0]), -1, len(mask)][kind])
        assert env.rewards == {name: -1.0 if name == agent else 0.0 for name in env.possible_agents}
        assert all(env.terminations.values())
        assert env.record() == before
        returns = {}
        for name in env.agent_iter():
            observation, returns[name], over, _, _ = env.last()
            assert over
            assert not observation["action_mask"].any()
            env.step(None)
        assert returns == owed | {agent: -1.0}
        for one in (env, fresh):
            one.reset(seed=100 + kind)
            list(play_env(one, np.random.default_rng(kind)))
        assert env.record() == fresh.record()
        assert env._cumulative_rewards == fresh._cumulative_rewards
        assert verify(env.record()).faults == []


@every_game
def test_what_is_no_integer_is_no_action(game):
    env = make_env(game, max(load_game(game).PLAYERS))
    env.reset(seed=1)
    legal = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])
    before = env.record()
    for wrong in (None, float(legal), True, "1", [legal]):
        with pytest.raises(TypeError, match="an action is an integer, not"):
            env.step(wrong)
    assert env.record() == before
    env.step(np.int8(legal))
    assert len(env.record()["rounds"][0]["moves"]) == 1


def story(env, random):
    """All that happens in the rest of a game and in the two after it."""
    events = []
    for _ in range(3):
        for agent in play_env(env, random):
            observation, reward, *_ = env.last()
            events.append((agent, observation["observation"].tobytes(), reward, env.state().tobytes()))
        events.append((env.record(), env.rewards, env._cumulative_rewards, env.terminations))
        env.reset()
    return events


def state_in_another(env):
    other = make_env(env.game.NAME, len(env.possible_agents), rounds=2)
    other.set_state(env.get_state())
    return other


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.clone(), state_in_another],
    ids=["deepcopy", "pickle", "clone", "get_state"],
)
@every_table
def test_copies_in_mid_game_go_on_identically(game, players, copied):
    env = make_env(game, players, rounds=2)
    env.reset(seed=4, options={"record": play_record(game, players, 4)})
    list(play_env(env, np.random.default_rng(4), decisions=11))
    other = copied(env)
    kept = env.record()
    of_other = story(other, np.random.default_rng(5))
    assert env.record() == kept
    assert story(env, np.random.default_rng(5)) == of_other


@every_table
def test_a_state_may_be_returned_to_again_and_again(game, players):
    env = make_env(game, players, rounds=2)
    env.reset(seed=4)
    list(play_env(env, np.random.default_rng(4), decisions=11))
    state = env.get_state()
    stories = []
    for _ in range(2):
        env.set_state(state)
        stories.append(story(env, np.random.default_rng(5)))
    assert stories[0] == stories[1]


@every_table
def test_reset(game, players):
    env, other = make_env(game, players), make_env(game, players)
    env.reset(seed=5, options={"colour": "blue"})
    other.reset(seed=5)
    first = env.record()
    assert first == other.record()
    env.reset()
    second = env.record()
    assert second["rounds"][0]["deal"] != first["rounds"][0]["deal"]
    list(play_env(other, np.random.default_rng(5), decisions=9))
    other.reset()
    assert other.record() == second
    env.reset(seed=5, options={})
    assert env.record() == first
    other = make_env(game, players)
    other.reset()
    assert other.record()["rounds"][0]["deal"] != first["rounds"][0]["deal"]
    assert len(other.agents) == players


@every_table
def test_a_record_sets_up_its_deals(game, players):
    record = play_record(game, players, 6, rounds=2)
    env = make_env(game, players, rounds=3)
    for _ in range(2):
        env.reset(seed=6, options={"record": record})
        list(play_env(env, np.random.default_rng(6)))
        played = env.record()
        assert len(played["rounds"]) == 3
        assert [entry["deal"] for entry in played["rounds"][:2]] == [entry["deal"] for entry in record["rounds"]]
        assert played["rounds"][0]["starter"] == record["rounds"][0]["starter"]
        assert verify(played).faults == []
    env.reset(seed=7)
    assert env.record()["rounds"][0]["deal"] != record["rounds"][0]["deal"]


@every_table
def test_a_record_that_does_not_fit_is_refused(game, players):
    env = make_env(game, players)
    env.reset(seed=7)
    list(play_env(env, np.random.default_rng(7), decisions=3))
    before = env.record()
    record = play_record(game, players, 7)
    starter, deal = record["rounds"][0]["starter"], record["rounds"][0]["deal"]
    others = [play_record(*table, 7) for table in TABLES if table != (game, players)]
    no_deal = [{"starter": starter}, {"starter": -1, "deal": deal}, {"starter": 0, "deal": {"hands": []}}]
    broken = [3, "record", {}, {**record, "game": "hearts"}, *({**record, "rounds": [entry]} for entry in no_deal)]
    for wrong in [*others, *broken]:
        with pytest.raises(InputError):
            env.reset(options={"record": wrong})
        assert env.record() == before


@every_table
def test_records_replay(game, players):
    env = make_env(game, players)
    for seed in range(2):
        env.reset(seed=seed)
        decisions = sum(1 for _ in play_env(env, np.random.default_rng(seed)))
        record = env.record()
        assert record["seed"] == seed
        assert verify(record) == (decisions, [])
        other = make_env(game, players)
        other.reset(options={"record": record})
        for entry in record["rounds"]:
            for _, name in entry["moves"]:
                other.step(other.game.action_names(other.tables.states[0]).index(name))
        assert {**other.record(), "seed": seed} == record


@every_table
def test_bad_arguments_are_refused(game, players):
    for wrong in (
        {"reward": "money"}, {"render_mode": "video"}, {"rounds": 0}, {"rounds": "all"}, {"moonshots": 1},
    ):  # fmt: skip
        with pytest.raises(InputError):
            make_env(game, players, **wrong)
    for size in (0, 99, "4"):
        with pytest.raises(InputError, match="players"):
            make_env(game, size)
    with pytest.raises(InputError, match="did you mean 'points'"):
        make_env(game, players, reward="point")
