"""How much faster MaskablePPO trains on the vector view than on a loop over one table, all else equal.

    .plugins/sb3/bin/python tests/plugins/sb3_speed.py [SECONDS]

Trains on each in turn for that long (20), three times, learning included; 1 where the median of the ratios is below 5.
"""
# pyright: reportMissingImports=false

import statistics
import sys
import time

from followsuit.envs.sb3 import SeatVecEnv
from followsuit.envs.seat import one_seat
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

DECISIONS = 4096  # between two updates, whatever the number of tables
TABLE = {"players": 4, "rounds": 1}
VIEWS = {
    "128 tables, vector view": lambda: SeatVecEnv("fearless", 128, **TABLE),
    "one table, loop": lambda: DummyVecEnv([lambda: one_seat("fearless", **TABLE)]),
}


def decisions_per_second(view, seconds: float) -> float:
    """Trains a new agent; up to its first update it is not timed, for that compiles kernels."""
    tables = view()
    player = MaskablePPO(
        "MlpPolicy", tables, 1e-3, n_steps=DECISIONS // tables.num_envs, batch_size=512, n_epochs=4, gamma=1.0
    )
    player.learn(DECISIONS)
    start, before = time.perf_counter(), player.num_timesteps
    while (now := time.perf_counter()) - start < seconds:
        player.learn(DECISIONS, reset_num_timesteps=False)
    return (player.num_timesteps - before) / (now - start)


def main() -> int:
    seconds, ratios = float((sys.argv[1:] or [20])[0]), []
    for _ in range(3):
        speeds = [decisions_per_second(view, seconds) for view in VIEWS.values()]
        ratios.append(speeds[0] / speeds[1])
        for name, speed in zip(VIEWS, speeds, strict=True):
            print(f"{name}: {speed:,.0f} decisions/s", flush=True)
    ratio = statistics.median(ratios)
    print(f"{ratio:.1f} times, median of {', '.join(f'{one:.1f}' for one in sorted(ratios))}")
    return int(ratio < 5)


if __name__ == "__main__":
    sys.exit(main())
