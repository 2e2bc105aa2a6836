"""Tianshou's PPO at one seat of 32 tables, drawn anew each game, against random play.

pip install 'followsuit[tianshou,app]'
python with_tianshou.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_tianshou:act,uniform
"""

import sys
import time

import tianshou as ts
import torch
from followsuit.envs.seat import one_seat


class Critic(torch.nn.Sequential):
    def forward(self, seen, **_):
        return super().forward(torch.as_tensor(seen["obs"]).float())


class Actor(Critic):
    def forward(self, seen, **_):  # illegal actions are as good as never chosen; the other is a recurrent actor's state
        return super().forward(seen).masked_fill(torch.as_tensor(seen["mask"]) == 0, -1e9), None


# What a seat knows, 659 numbers -> a score for each of the 49 actions; the value of the position.
actor = Actor(torch.nn.Linear(659, 256), torch.nn.ReLU(), torch.nn.Linear(256, 49))
critic = Critic(torch.nn.Linear(659, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))


def act(observation, mask):
    return int(actor({"obs": observation, "mask": mask})[0].argmax())


if __name__ == "__main__":
    env = ts.env.DummyVectorEnv([lambda: one_seat("fearless", players=4, rounds=1, observation=("obs", "mask"))] * 32)
    policy = ts.algorithm.modelfree.reinforce.DiscreteActorPolicy(actor=actor, action_space=env.action_space[0])
    adam = ts.algorithm.optim.AdamOptimizerFactory(lr=1e-3)
    algorithm = ts.algorithm.PPO(policy=policy, critic=critic, optim=adam, gamma=1.0)
    collector = ts.data.Collector(policy, env, ts.data.VectorReplayBuffer(4096, 32))
    policy.is_within_training_step = True  # as its trainer sets it, which cannot stop at a given time
    seconds, start, decisions = float((sys.argv[1:] or [60])[0]), time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        decisions += collector.collect(n_episode=160, reset_before_collect=True).n_collected_steps
        algorithm.update(collector.buffer, batch_size=256, repeat=8)
    torch.save(actor.state_dict(), "tianshou.pt")
    print(f"{decisions} decisions in {time.perf_counter() - start:.1f} s, kept in tianshou.pt")
else:
    actor.load_state_dict(torch.load("tianshou.pt", weights_only=True))
