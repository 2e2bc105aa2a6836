"""The parallel environment: PettingZoo's own tests, and that it is the game of the AEC environment."""

from importlib import import_module
from typing import Any

import numpy as np
import pettingzoo
import pytest
from followsuit.envs import GAMES, illegal
from followsuit.envs.errors import InputError
from followsuit.envs.records import verify
from helpers import every_game, every_table, make_env
from pettingzoo.test import parallel_api_test, parallel_seed_test


def make_parallel(game: str, players: int, **keywords: Any) -> Any:
    return import_module(f"followsuit.envs.{GAMES[game]}").parallel_env(players=players, **keywords)


def waiting(env, agent, action):
    """The actions of a step in which one acts."""
    return {name: action if name == agent else env.wait for name in env.agents}


@every_table
def test_pettingzoo_parallel_api(game, players):
    parallel_api_test(make_parallel(game, players), num_cycles=300)


@every_table
def test_pettingzoo_parallel_seed(game, players):
    parallel_seed_test(lambda: make_parallel(game, players))


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.26 has no registry")
@every_game
def test_pettingzoo_make(game):
    env = pettingzoo.make("parallel", f"followsuit/{GAMES[game].replace('_', '-')}", rounds=1)
    assert set(env.reset(seed=1)[0]) == set(env.possible_agents)


@pytest.mark.parametrize("reward", ["points", "win"])
@every_table
def test_it_is_the_same_game(game, players, reward):
    env = make_parallel(game, players, rounds=2, reward=reward)
    aec = make_env(game, players, rounds=2, reward=reward)
    aec.reset(seed=1)
    views, infos = env.reset(seed=1)
    random, over = np.random.default_rng(1), False
    while not over:
        actor = aec.agent_selection
        assert env.agents == env.possible_agents
        for agent, view in views.items():
            assert env.observation_space(agent).contains(view)
            assert view["observation"].tolist() == aec.observe(agent)["observation"].tolist()
            alone = [0] * env.wait + [1]
            legal = [*aec.observe(actor)["action_mask"].tolist(), 0]
            assert view["action_mask"].tolist() == (legal if agent == actor else alone)
        action = int(random.choice(np.flatnonzero(views[actor]["action_mask"])))
        aec.step(action)
        views, rewards, terminations, truncations, infos = env.step(waiting(env, actor, action))
        over = any(terminations.values())
        assert rewards == aec.rewards
        assert terminations == aec.terminations
        assert not any(truncations.values())
        assert infos == {agent: {} for agent in env.possible_agents}
        assert env.state().tolist() == aec.state().tolist()
    assert env.agents == []
    assert env.record() == aec.record()
    assert verify(env.record()).faults == []
    with pytest.raises(InputError, match=r"call reset\(\)"):
        env.step({})


@every_table
def test_an_illegal_action_ends_the_game(game, players, tmp_path, monkeypatch):
    told = tmp_path / "illegal.txt"
    monkeypatch.setenv(illegal.VARIABLE, str(told))
    env = make_parallel(game, players)
    for kind in ("waits on its turn", "acts off its turn", "is too large"):
        views, _ = env.reset(seed=2)
        actor = next(agent for agent, view in views.items() if not view["action_mask"][-1])
        legal = int(views[actor]["action_mask"].argmax())
        wrong, action = {
            "waits on its turn": (actor, env.wait),
            "acts off its turn": (next(agent for agent in env.agents if agent != actor), legal),
            "is too large": (actor, env.wait + 1),
        }[kind]
        rewards, terminations = env.step(waiting(env, actor, legal) | {wrong: action})[1:3]
        assert rewards == {agent: -1.0 if agent == wrong else 0.0 for agent in env.possible_agents}
        assert all(terminations.values())
        assert told.read_text().splitlines()[-1].endswith(f" {game} {env.possible_agents.index(wrong)} {action}")
    assert len(told.read_text().splitlines()) == 3


def test_every_agent_must_act():
    env = make_parallel("cupid", 2)
    env.reset(seed=3)
    with pytest.raises(InputError, match="no action of player_1"):
        env.step({"player_0": 0})
