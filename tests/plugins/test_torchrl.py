"""TorchRL's own test of an environment, and what ours tells of a game; run where TorchRL is installed."""
# pyright: reportMissingImports=false

import numpy as np
import pytest
from followsuit.envs import illegal
from followsuit.envs.errors import InputError
from helpers import every_game

torch = pytest.importorskip("torch")
check_env_specs = pytest.importorskip("torchrl.envs.utils").check_env_specs

from followsuit.envs.torchrl import GROUP, TableEnv  # noqa: E402


@every_game
def test_check_env_specs(game):
    check_env_specs(TableEnv(game, 3, rounds=1))


@every_game
def test_one_seat_acts_at_a_time_and_rewards_sum_to_zero(game):
    played = TableEnv(game, 1, rounds=1).rollout(1000)  # to the end of the game
    assert played["next", "done"].flatten().tolist() == [False] * (played.shape[1] - 1) + [True]
    assert (played[GROUP, "mask"].sum(2) == 1).all()
    rewards = played["next", GROUP, "reward"]
    assert rewards.any()
    assert rewards.sum(2).abs().max() < 1e-4


def test_an_illegal_action_is_reported_and_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(illegal.VARIABLE, str(tmp_path / "illegal.txt"))
    env = TableEnv("fearless", 3, 4, 1)
    step = env.rand_action(env.reset())
    seat = int(env.tables.seat[1])
    wrong = int(np.flatnonzero(env.tables.mask[1] == 0)[0])
    step[GROUP, "action"][1, seat] = wrong
    with pytest.raises(InputError, match=f"of seat {seat} at table 1"):
        env.step(step)
    assert (tmp_path / "illegal.txt").read_text().split(" ", 1)[1] == f"fearless {seat} {wrong}\n"
