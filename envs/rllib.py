"""Ray's RLlib: a game as one of its multi-agent environments, in the form that its module for action masks reads."""

# pyright: reportMissingImports=false

from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from .aec import CardGame
from .errors import InputError
from .rules.contract import Game

try:
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
except ModuleNotFoundError as error:
    raise InputError(f"this needs {error.name}: pip install 'followsuit[rllib]'") from error


class MaskedGame(CardGame):
    """A game whose observations are `{"observations": float32 [F], "action_mask": int8 [A]}`: what RLlib's
    `ActionMaskingTorchRLModule` wants.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        known = self.observation_spaces[self.possible_agents[0]]
        box = known["observation"]
        observations = gymnasium.spaces.Box(box.low.astype(np.float32), box.high.astype(np.float32), dtype=np.float32)
        space = gymnasium.spaces.Dict({"observations": observations, "action_mask": known["action_mask"]})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        known = super().observe(agent)
        return {"observations": known["observation"].astype(np.float32), "action_mask": known["action_mask"]}


def rllib_env(game: str | ModuleType | Game, players: int, **keywords: Any) -> PettingZooEnv:
    """A `MultiAgentEnv` in which only the seat to act is seen; each seat's reward is what it earned since its last
    decision. Arguments as for `CardGame`.
    """
    return PettingZooEnv(MaskedGame(game, players, **keywords))
