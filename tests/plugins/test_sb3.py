"""Stable-Baselines3's own test of an environment, and its vector environment over many seats."""

from importlib import import_module

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.seat import many_seats, one_seat
from helpers import every_game, every_table

check_env = pytest.importorskip("stable_baselines3.common.env_checker").check_env
VecMonitor = pytest.importorskip("stable_baselines3.common.vec_env").VecMonitor
MaskablePPO = pytest.importorskip("sb3_contrib").MaskablePPO
masks_of = pytest.importorskip("sb3_contrib.common.maskable.utils")
SeatVecEnv = import_module("followsuit.envs.sb3").SeatVecEnv


@pytest.mark.filterwarnings("ignore:It seems like your observation:UserWarning")  # int8: is it an image?
@pytest.mark.parametrize("form", ["box", "dict"])
@every_table
def test_check_env(game, players, form):
    check_env(one_seat(game, players=players, observation=form))


@pytest.mark.parametrize("form", ["box", "dict"])
@every_game
def test_it_is_many_seats(game, form):
    env, plain = SeatVecEnv(game, 5, rounds=1, observation=form), many_seats(game, 5, rounds=1, observation=form)
    env.seed(3)
    observation, expected = env.reset(), plain.reset(seed=3)[0]
    random, ended = np.random.default_rng(3), 0
    for _ in range(60):
        assert str(observation) == str(expected)
        masks = masks_of.get_action_masks(env)
        assert masks.tolist() == plain.action_masks().tolist()
        actions = (random.random(masks.shape) * masks).argmax(1)
        observation, rewards, over, infos = env.step(actions)
        expected, earned, ends, _, told = plain.step(actions)
        assert rewards.dtype == np.float32
        assert rewards == pytest.approx(earned)
        assert over.tolist() == ends.tolist()
        for table, info in enumerate(infos):
            assert bool(info) == over[table]
            if info:
                assert str(info["terminal_observation"]) == str(told["final_obs"][table])
                assert not info["TimeLimit.truncated"]
        ended += over.sum()
    assert ended


def test_what_it_lends():
    env = SeatVecEnv("fearless", 4, "uniform", players=3)
    assert masks_of.is_masking_supported(VecMonitor(env))
    env.reset()
    masks = env.env_method("action_masks", indices=[2, 0])
    assert [mask.tolist() for mask in masks] == env.seats.action_masks()[[2, 0]].tolist()
    assert env.env_method("set_opponents", "heuristic") == [None] * 4
    assert env.get_attr("num_envs", 1) == [4]
    assert env.env_is_wrapped(object) == [False] * 4
    with pytest.raises(InputError, match="set it for all"):
        env.set_attr("reward", "win", [1])
    with pytest.raises(InputError, match="did you mean 'points'"):
        SeatVecEnv("fearless", 4, reward="point")


@every_game
def test_maskable_ppo_keeps_to_the_masks(game, tmp_path, monkeypatch):
    monkeypatch.setenv("FOLLOWSUIT_ILLEGAL_ACTIONS", str(tmp_path / "illegal.txt"))
    env = VecMonitor(SeatVecEnv(game, 8, rounds=1))
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, seed=1).learn(512)
    assert model.ep_info_buffer
    assert not (tmp_path / "illegal.txt").exists()
