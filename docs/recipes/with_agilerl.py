"""AgileRL's PPO at one seat of 64 tables, drawn anew for each game, against random play.

pip install 'followsuit[agilerl,app]'
python with_agilerl.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_agilerl:act,uniform
"""

import sys
import time

import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts
from followsuit.envs.seat import many_seats
from gymnasium.wrappers.vector import TransformReward

# AgileRL takes the mask from the infos; it lets a value change by 0.2 a rollout, so points have to be small.
tables = many_seats("fearless", 64, "uniform", players=4, rounds=1, mask_in_info=True)
tables = TransformReward(tables, lambda points: points / 5)
net = {"encoder_config": {"hidden_size": [128]}, "head_config": {"hidden_size": [128]}, "latent_dim": 128}
options = {"num_envs": 64, "learn_step": 64 * 39, "batch_size": 256, "lr": 1e-3, "gamma": 1.0, "share_encoders": False}
options["rollout_buffer_config"] = {"use_gae": False}  # its GAE gives an episode's last reward to the last step alone
agent = PPO(tables.single_observation_space, tables.single_action_space, net_config=net, **options)


@torch.no_grad()
def act(observation, mask):
    scores = agent.actor.head_net.wrapped(agent.actor.encoder(torch.tensor(observation)[None].float()))[0]
    return int(scores.masked_fill(torch.tensor(mask) == 0, -torch.inf).argmax())


if __name__ == "__main__":
    seconds, start, decisions, now = float((sys.argv[1:] or [60])[0]), time.perf_counter(), 0, {}
    while time.perf_counter() - start < seconds:
        _, *after = collect_rollouts(agent, tables, **now)
        now = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), after, strict=True))
        agent.learn()
        decisions += agent.learn_step
    torch.save(agent.actor.state_dict(), "agilerl.pt")
    print(f"{decisions} decisions in {time.perf_counter() - start:.1f} s, kept in agilerl.pt")
else:
    agent.actor.load_state_dict(torch.load("agilerl.pt", weights_only=True))
