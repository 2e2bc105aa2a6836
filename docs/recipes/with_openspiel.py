"""OpenSpiel's PPO on our environment: the learner sits at seat 0 of 32 tables, the others play at random.

pip install 'followsuit[openspiel,app]'
python with_openspiel.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 200 --policies with_openspiel:act,uniform
"""

import sys
import time

import numpy as np
import torch
from followsuit.envs import fearless_v0
from followsuit.envs.openspiel import Environment
from open_spiel.python.pytorch.ppo import PPO, PPOAgent

envs = [Environment(fearless_v0.env(players=4, rounds=1), seed=seed) for seed in range(32)]
# What a seat knows, 659 numbers; 49 actions; 4 players.
learner = PPO((659,), 49, 4, num_envs=32, steps_per_batch=64, learning_rate=1e-3, gamma=1.0, agent_fn=PPOAgent)
random, kept = np.random.default_rng(), "openspiel.pt"


def act(observation, mask):
    """The best card as the network sees it."""
    return int((learner.network.actor(torch.tensor(observation).float()) - 1e9 * torch.tensor(1 - mask)).argmax())


def to_learner(env, time_step):
    """The time step at which the learner is to act, or the game's last."""
    while not time_step.last() and (seat := time_step.current_player()) != 0:
        time_step = env.step([random.choice(time_step.observations["legal_actions"][seat])])
    return time_step


if __name__ == "__main__":
    seconds, start = float((sys.argv[1:] or [60])[0]), time.perf_counter()
    now = [to_learner(env, env.reset()) for env in envs]
    while time.perf_counter() - start < seconds:
        for _ in range(learner.steps_per_batch):
            chosen = learner.step(now)  # legal actions alone: it masks by the time step's own
            now = [to_learner(env, env.step([output.action])) for env, output in zip(envs, chosen, strict=True)]
            learner.post_step([time_step.rewards[0] / 10 for time_step in now], [time_step.last() for time_step in now])
            now = [to_learner(env, env.reset()) if last.last() else last for env, last in zip(envs, now, strict=True)]
        learner.learn(now)
    torch.save(learner.network.state_dict(), kept)
    print(f"{learner.total_steps_done} decisions in {time.perf_counter() - start:.1f} s, kept in {kept}")
else:
    learner.network.load_state_dict(torch.load(kept, weights_only=True))
