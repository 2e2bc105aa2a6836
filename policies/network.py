"""The network: a policy over the legal actions and, for training, the value of a position."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..envs.rules.contract import Feature, Game, total_size
from ..envs.tables import Tables


class Shape(NamedTuple):
    """What a network is built from, all of it in a checkpoint's header."""

    width: int
    layers: int
    critic: str
    critic_width: int


def scale(features: tuple[Feature, ...]) -> Tensor:
    """What an observation is multiplied by to lie within −1 … 1, float32 [F]."""
    return torch.cat([torch.full((f.size,), 1 / max(abs(f.low), abs(f.high))) for f in features])


class ActorCritic(nn.Module):
    """One network for all seats and table sizes of a game.

    A multilayer perceptron on the observation carries two heads: the logits of the actions, and the value of the
    position for the seat, in scaled reward. With critic "state" the value head also sees what is hidden from the seat,
    which is known in training; nothing hidden reaches the logits.
    """

    def __init__(self, game: Game, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        sizes = [total_size(game.FEATURES)] + [shape.width] * shape.layers
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers += [nn.Linear(before, after), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.policy = nn.Linear(shape.width, len(game.ACTIONS))
        hidden = total_size(game.HIDDEN) if shape.critic == "state" else 0
        self.value = nn.Sequential(
            nn.Linear(shape.width + hidden, shape.critic_width), nn.ReLU(), nn.Linear(shape.critic_width, 1)
        )
        self.observation_scale = nn.Buffer(scale(game.FEATURES), persistent=False)
        self.hidden_scale = nn.Buffer(scale(game.HIDDEN), persistent=False)
        nn.init.normal_(self.policy.weight, std=0.001)  # begin close to uniform play
        nn.init.zeros_(self.policy.bias)

    def forward(self, observation: Tensor, mask: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities [N, A] and values [N], float32, from int8 [N, F], [N, A] and [N, H]."""
        features = self.trunk(scaled(observation, self.observation_scale))
        if self.shape.critic == "state":
            value = self.value(torch.cat([features, scaled(hidden, self.hidden_scale)], -1))
        else:
            value = self.value(features)
        return log_softmax(self.policy(features), mask), value.squeeze(-1).float()

    def act(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Log-probabilities alone, float32 [N, A]."""
        return log_softmax(self.policy(self.trunk(scaled(observation, self.observation_scale))), mask)


def scaled(observation: Tensor, factors: Tensor) -> Tensor:
    """An int8 observation within −1 … 1, at once in the precision that autocast will compute in."""
    kind = observation.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else torch.float32
    return observation.to(dtype) * factors.to(dtype)


def log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Of the legal actions; illegal ones get −inf-like −1e9, so that 0 · log 0 stays 0."""
    return functional.log_softmax(logits.float().masked_fill(mask == 0, -1e9), -1)


class NetworkPolicy:
    """Plays the most probable action of a network."""

    observes = True

    def __init__(self, network: ActorCritic, name: str = "network", bfloat16: bool = False) -> None:
        self.network, self.name, self.bfloat16 = network, name, bfloat16

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:  # noqa: ARG002
        return self._log_probabilities(tables, rows).argmax(-1).cpu().numpy()

    def probabilities(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        return self._log_probabilities(tables, rows).exp().cpu().numpy()

    @torch.inference_mode()
    def _log_probabilities(self, tables: Tables, rows: np.ndarray) -> Tensor:
        device = self.network.policy.weight.device
        observation, mask = (torch.from_numpy(array[rows]).to(device) for array in (tables.observation, tables.mask))
        with torch.autocast(device.type, torch.bfloat16, enabled=self.bfloat16):
            return self.network.act(observation, mask)
