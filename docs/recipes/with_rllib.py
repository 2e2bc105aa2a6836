"""RLlib's PPO: all seats play and learn with one module, which keeps to the masks.

pip install 'followsuit[rllib,app]'
python with_rllib.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_rllib:act,uniform
"""

import sys
import time
from pathlib import Path

import torch
from followsuit.envs.rllib import rllib_env
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env


def act(observation, mask):
    seen = {"observations": torch.tensor(observation)[None].float(), "action_mask": torch.tensor(mask)[None]}
    return int(module.forward_inference({"obs": seen})["action_dist_inputs"].argmax())


if __name__ == "__main__":
    register_env("fearless", lambda _: rllib_env("fearless", players=4, rounds=1))
    layers = {"fcnet_hiddens": [256], "head_fcnet_hiddens": []}
    config = PPOConfig().environment("fearless", disable_env_checking=True)
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=32)
    config.multi_agent(policies={"seat"}, policy_mapping_fn=lambda *_, **__: "seat")
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=layers))
    config.training(train_batch_size_per_learner=2048, minibatch_size=256, num_epochs=6, lr=1e-3, gamma=1.0)
    config.training(lambda_=0.95, vf_clip_param=float("inf"), entropy_coeff=0.01)
    algorithm, seconds = config.build_algo(), float((sys.argv[1:] or [60])[0])
    start, decisions = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        decisions = int(algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"])
    print(f"{decisions} decisions in {time.perf_counter() - start:.1f} s, kept in rllib")
    algorithm.save_to_path(Path("rllib").absolute())
else:
    module = RLModule.from_checkpoint(Path("rllib/learner_group/learner/rl_module/seat").absolute())
