"""TorchRL's PPO: all seats in one group, played and learnt by one actor and one critic.

pip install 'followsuit[torchrl,app]'
python with_torchrl.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_torchrl:act,uniform
"""

import sys
import time

import torch
from followsuit.envs.torchrl import TableEnv, by_seat, for_group, masked_actor
from tensordict.nn import TensorDictModule
from torchrl.modules import MLP
from torchrl.objectives import ClipPPOLoss

player, judge = MLP(659, 49, num_cells=[256]), MLP(659, 1, num_cells=[256])


def act(observation, mask):
    return int(player(torch.tensor(observation).float()).masked_fill(torch.tensor(mask) == 0, -torch.inf).argmax())


if __name__ == "__main__":
    actor, critic = masked_actor(player), TensorDictModule(judge, ["observation"], ["state_value"])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    loss.make_value_estimator(gamma=1.0, lmbda=0.99)
    tables = TableEnv("fearless", tables=64, players=4, rounds=1)
    optimizer, seconds = torch.optim.Adam(loss.parameters(), 1e-3), float((sys.argv[1:] or [60])[0])
    start, decisions = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        batch = tables.rollout(52, for_group(actor)).detach()  # 52 cards: a whole round at every table
        steps = loss.value_estimator(by_seat(batch))
        acted = steps[steps["mask"]]
        for rows in torch.randint(len(acted), (64, 256)):
            optimizer.zero_grad()
            sum(value for name, value in loss(acted[rows]).items() if name.startswith("loss")).backward()
            optimizer.step()
        decisions += len(acted)
    torch.save(player.state_dict(), "torchrl.pt")
    print(f"{decisions} decisions in {time.perf_counter() - start:.1f} s, kept in torchrl.pt")
else:
    player.load_state_dict(torch.load("torchrl.pt", weights_only=True))
