"""followsuit's own self-play with its decisions collected on all cores of a Ray cluster, here of this machine alone.

pip install 'followsuit[ray,app]'
python with_ray.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_ray:act,uniform
"""

import sys
import tempfile

import torch
from followsuit.policies.checkpoint import load_checkpoint, save_checkpoint
from followsuit.training.cluster import Cluster
from followsuit.training.config import load_config, override
from followsuit.training.ppo import Trainer


def act(observation, mask):
    return int(network.act(torch.tensor(observation)[None], torch.tensor(mask)[None]).argmax())


if __name__ == "__main__":
    seconds = float((sys.argv[1:] or [60])[0])
    settings = ["game.players=4", "game.rounds=1", f"run.minutes={seconds / 60}", "run.evaluate_seconds=0"]
    settings += ["ppo.tables=512", "ppo.minibatch=512"]  # little at a time, for it has little time
    with tempfile.TemporaryDirectory() as folder:  # name one of your own to go on from: Trainer.resume(folder)
        trainer = Trainer(override(load_config("fearless"), settings), folder, Cluster())
        *_, progress = trainer.train()
    save_checkpoint("ray.safetensors", trainer.game, trainer.network, {})
    print(f"{progress.decisions} decisions in {progress.seconds:.1f} s, kept in ray.safetensors")
else:
    network = load_checkpoint("ray.safetensors")[1]
