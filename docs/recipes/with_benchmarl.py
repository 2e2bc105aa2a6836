"""BenchMARL's IPPO: all seats play and learn with one actor and one critic.

pip install 'followsuit[benchmarl,app]'
python with_benchmarl.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_benchmarl:act,uniform
"""

import sys
import time
from contextlib import suppress
from dataclasses import replace

import torch
from benchmarl.algorithms import IppoConfig
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models import MlpConfig
from followsuit.envs.benchmarl import TableTask
from torchrl.modules import MLP

player = MLP(659, 50, num_cells=[128])  # as BenchMARL makes them; the last action of all is to wait


class Clock(Callback):
    def on_batch_collected(self, _):
        if time.perf_counter() - start > seconds:
            raise KeyboardInterrupt  # which closes an experiment before its last step


def act(observation, mask):
    return int(player(torch.tensor(observation).float())[:-1].masked_fill(torch.tensor(mask) == 0, -torch.inf).argmax())


if __name__ == "__main__":
    config, steps = ExperimentConfig.get_from_yaml(), 64 * 52  # cards: a whole round at every table
    config = replace(config, gamma=1.0, lr=2e-3, evaluation=False, loggers=[], create_json=False, max_n_frames=10**9)
    config = replace(config, on_policy_n_envs_per_worker=64, on_policy_collected_frames_per_batch=steps)
    config = replace(config, on_policy_minibatch_size=128, on_policy_n_minibatch_iters=2, clip_grad_val=None)
    ippo = replace(IppoConfig.get_from_yaml(), lmbda=0.99, entropy_coef=0.01)
    net = replace(MlpConfig.get_from_yaml(), num_cells=[128])
    task = TableTask("fearless", {"players": 4, "rounds": 1})
    seconds, start = float((sys.argv[1:] or [60])[0]), time.perf_counter()
    experiment = Experiment(task, ippo, net, 0, config, callbacks=[Clock()])
    with suppress(KeyboardInterrupt):
        experiment.run()
    experiment.group_policies["agents"].module[0].mlp.params.to_module(player)
    torch.save(player.state_dict(), "benchmarl.pt")
    print(f"{experiment.total_frames} decisions in {time.perf_counter() - start:.1f} s, kept in benchmarl.pt")
else:
    player.load_state_dict(torch.load("benchmarl.pt", weights_only=True))
