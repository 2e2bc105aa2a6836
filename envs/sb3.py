"""Stable-Baselines3: many seats as one of its vector environments, masks for sb3-contrib's MaskablePPO included."""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np

from .errors import InputError
from .rules.contract import Game
from .seats import ManySeats

try:
    from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    raise InputError(f"this needs {error.name}: pip install 'followsuit[sb3]'") from error

_MASKS = "action_masks"


class SeatVecEnv(VecEnv):
    """`ManySeats` as a `VecEnv`; all its arguments are passed on.

    `env_method("action_masks")` gives each table's mask, int8 [A]. `env_method("set_opponents", …)` puts others at all
    tables, `get_attr` gives what all share, whatever indices are asked for.
    """

    def __init__(
        self, game: str | ModuleType | Game, num_envs: int, opponents: Any = "uniform", **keywords: Any
    ) -> None:
        self.seats = ManySeats(game, num_envs, opponents, **keywords)
        super().__init__(num_envs, self.seats.single_observation_space, self.seats.single_action_space)

    def reset(self) -> Any:
        observation, _ = self.seats.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observation, rewards, over, _, told = self.seats.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for table in np.flatnonzero(over):
            infos[table] = {"terminal_observation": told["final_obs"][table], "TimeLimit.truncated": False}
        return observation, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        self.seats.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.seats, attr_name)] * len(self._tables(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        if len(self._tables(indices)) < self.num_envs:
            raise InputError(f"{attr_name} is shared by all tables: set it for all")
        setattr(self.seats, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        tables = self._tables(indices)
        result = getattr(self.seats, method_name)(*method_args, **method_kwargs)
        return [result[table] for table in tables] if method_name == _MASKS else [result] * len(tables)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002 (Stable-Baselines3's)
        return [False] * len(self._tables(indices))

    def _tables(self, indices: int | Iterable[int] | None) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, int) else list(indices)
