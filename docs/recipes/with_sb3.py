"""Stable-Baselines3: MaskablePPO of sb3-contrib at one seat of 64 tables, drawn anew each game, against random play.

pip install 'followsuit[sb3,app]'
python with_sb3.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_sb3:act,uniform
"""

import sys
import time

from followsuit.envs.sb3 import SeatVecEnv
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback


class Clock(BaseCallback):
    """Ends training when the time is up."""

    def _on_step(self):
        return time.perf_counter() - start < seconds


def act(observation, mask):
    return int(player.predict(observation, action_masks=mask, deterministic=True)[0])


if __name__ == "__main__":
    tables, start = SeatVecEnv("fearless", 64, "uniform", players=4, rounds=1), time.perf_counter()
    player = MaskablePPO("MlpPolicy", tables, 1e-3, n_steps=64, batch_size=512, n_epochs=4, gamma=1.0, ent_coef=0.01)
    seconds = float((sys.argv[1:] or [60])[0])
    player.learn(10**9, Clock())
    print(f"{player.num_timesteps} decisions in {time.perf_counter() - start:.1f} s, kept in sb3.zip")
    player.save("sb3.zip")
else:
    player = MaskablePPO.load("sb3.zip")
