"""Plain PyTorch on `Tables`: an actor-critic that plays all four seats of 32 tables against itself, top to bottom.

pip install 'followsuit[train,app]'
python with_pytorch.py [SECONDS]
followsuit evaluate fearless --players 4 --rounds 1 --deals 1000 --policies with_pytorch:act,uniform
"""

import sys
import time

import torch
from followsuit.envs import Tables

# What a seat knows, 659 numbers -> a score for each of the 49 actions, and the value of the position.
player = torch.nn.Sequential(torch.nn.Linear(659, 256), torch.nn.ReLU(), torch.nn.Linear(256, 50))


def look(observation, mask):
    """What to play, legal actions alone, and the value; for any number of positions, int8 [..., 659] and [..., 49]."""
    scores, value = player(observation.float()).split([49, 1], -1)
    return torch.distributions.Categorical(logits=scores.masked_fill(mask == 0, -torch.inf)), value.squeeze(-1)


def act(observation, mask):
    """The card that the network likes best."""
    return int(look(torch.tensor(observation), torch.tensor(mask))[0].probs.argmax())


if __name__ == "__main__":
    tables, optimizer = Tables("fearless", 32, players=4, rounds=1), torch.optim.Adam(player.parameters(), 1e-3)
    seconds, start, decisions = float((sys.argv[1:] or [60])[0]), time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        steps = []
        for _ in range(52):  # cards: a whole round at every table
            choice, value = look(torch.tensor(tables.observation), torch.tensor(tables.mask))
            steps.append((torch.tensor(tables.seat), choice.log_prob(action := choice.sample()), value))
            tables.step(action)
        seat, log_probability, value = map(torch.cat, zip(*steps, strict=True))
        # Fear is bad: a decision is worth how far its own seat ended below the table's mean. Whole rounds are played,
        # so that no seat is credited with what another did, and nothing is cut off.
        fear = torch.tensor(tables.points, dtype=torch.float32)
        worth = (fear.mean(1, keepdim=True) - fear).repeat(52, 1).gather(1, seat[:, None])[:, 0] / 10
        optimizer.zero_grad()
        ((worth - value).square() - log_probability * (worth - value).detach()).mean().backward()
        optimizer.step()
        decisions += len(seat)
    torch.save(player.state_dict(), "pytorch.pt")
    print(f"{decisions} decisions in {time.perf_counter() - start:.1f} s, kept in pytorch.pt")
else:
    player.load_state_dict(torch.load("pytorch.pt", weights_only=True))
