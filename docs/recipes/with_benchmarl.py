"""BenchMARL's IPPO: all seats play and learn with one actor and one critic.

pip install 'followsuit[benchmarl,app]'
python with_benchmarl.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_benchmarl:act,uniform
"""

import sys
import time
from contextlib import suppress

import torch
from benchmarl.algorithms import IppoConfig
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models import MlpConfig
from followsuit.envs.benchmarl import TableTask
from torchrl.modules import MLP

player = MLP(659, 50, num_cells=[128])  # as BenchMARL makes it; the last of the actions is to wait


class Clock(Callback):
    def on_batch_collected(self, _):
        if time.perf_counter() - start > seconds:
            raise KeyboardInterrupt  # closes the experiment, which itself counts steps alone


def act(observation, mask):
    return int(player(torch.tensor(observation).float())[:-1].masked_fill(torch.tensor(mask) == 0, -torch.inf).argmax())


if __name__ == "__main__":
    config, ippo, net = ExperimentConfig.get_from_yaml(), IppoConfig.get_from_yaml(), MlpConfig.get_from_yaml()
    ippo.lmbda, ippo.entropy_coef, net.num_cells = 0.99, 0.01, [128]
    vars(config).update(gamma=1.0, lr=2e-3, clip_grad_val=None, evaluation=False, loggers=[])
    vars(config).update(on_policy_n_envs_per_worker=64, on_policy_collected_frames_per_batch=64 * 52)  # whole rounds
    vars(config).update(on_policy_minibatch_size=128, on_policy_n_minibatch_iters=2)
    task, start = TableTask("fearless", {"players": 4, "rounds": 1}), time.perf_counter()
    seconds, experiment = float((sys.argv[1:] or [60])[0]), Experiment(task, ippo, net, 0, config, callbacks=[Clock()])
    with suppress(KeyboardInterrupt):
        experiment.run()
    torch.save(experiment.group_policies["agents"][0].mlp.params.data.flatten_keys(".").to_dict(), "benchmarl.pt")
    print(f"{experiment.total_frames} decisions in {time.perf_counter() - start:.1f} s, kept in benchmarl.pt")
else:
    player.load_state_dict(torch.load("benchmarl.pt", weights_only=True))
