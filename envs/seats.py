"""One seat at each of many tables as a Gymnasium vector environment."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from .aec import ILLEGAL_REWARD, REWARDS
from .errors import InputError, unknown
from .illegal import is_legal, report
from .rules.contract import Game
from .scores import margins, win_rewards
from .seating import RANDOM, Form, Seating
from .tables import MATCH, Tables


class ManySeats(gymnasium.vector.VectorEnv):
    """B tables in lockstep, each as in `OneSeat`, over one `Tables`; opponents act at all of them at once.

    Episodes restart in the step that ends them (same-step autoreset): the observation is the next episode's first,
    `infos["final_obs"]` the last of each that ended, an object array [B] with `infos["_final_obs"]`, bool [B], saying
    which. What happens at a table depends on the seed and its number alone, not on how many there are beside it.

    Observations are int8 [B, F] or a dictionary with the mask [B, A], rewards float64 [B], terminations bool [B].

    Args:
        game: name or module of the game.
        num_envs: B.
        opponents: and what follows: as for `OneSeat`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's)
    if hasattr(gymnasium.vector, "AutoresetMode"):  # from 1.1 on
        metadata["autoreset_mode"] = gymnasium.vector.AutoresetMode.SAME_STEP

    def __init__(
        self,
        game: str | ModuleType | Game,
        num_envs: int,
        opponents: Any = "uniform",
        seat: int | str = RANDOM,
        *,
        players: int | None = None,
        rounds: int | str = MATCH,
        observation: Any = "box",
        mask_in_info: bool = False,
        reward: str = "points",
        **options: Any,
    ) -> None:
        if reward not in REWARDS:
            raise unknown("reward", reward, REWARDS)
        self.num_envs = num_envs
        self.tables = Tables(game, num_envs, players, rounds, restart=False, **options)
        self.reward = reward
        self._seating = Seating(self.tables, seat, opponents)
        self._form = Form(self.tables.game, observation)
        self._mask_in_info = mask_in_info
        self.single_observation_space = self._form.space
        self.single_action_space = gymnasium.spaces.Discrete(len(self.tables.game.ACTIONS))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeds = np.random.default_rng()
        self._every = np.arange(num_envs)

    @property
    def seat(self) -> np.ndarray:
        """The learner's seat at each table, a new int64 [B]."""
        return self._seating.learner.copy()

    def set_opponents(self, opponents: Any) -> None:
        """Puts others in their place at once, for the rest of the games under way too."""
        self._seating.set_opponents(opponents)

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions at each table, a new int8 [B, A]."""
        return self.tables.mask.copy()

    def reset(
        self,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,  # noqa: ARG002 (Gymnasium's)
    ) -> tuple[Any, dict[str, Any]]:
        """New games at all tables, each up to the learner's first decision. Without a seed they differ each time."""
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        seed = int(self._seeds.integers(2**63)) if seed is None else seed
        self.tables.reset(seed)
        self._seating.reset(seed)
        self._begin(self._every)
        return self._observe(), self._infos(self.tables.mask)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learner's decision at each table, int [B], and the others' until its next one there."""
        actions = self._checked(actions)
        legal = is_legal(actions, self.tables.mask)
        before = self.tables.totals()
        rows = np.flatnonzero(legal)
        self._play(rows, actions[rows])
        over = self.tables.game_over | ~legal
        rewards = self._rewards(self.tables.totals(), before)
        for row in np.flatnonzero(~legal):
            report(self.tables.game.NAME, self._seating.learner[row], actions[row])
            rewards[row] = ILLEGAL_REWARD
        ended = np.flatnonzero(over)
        infos = self._final(ended, over) if len(ended) else {}
        if len(ended):
            self.tables.renew(ended)
            self._begin(ended)
        return self._observe(), rewards, over, np.zeros_like(over), infos | self._infos(self.tables.mask)

    def close(self, **kwargs: Any) -> None:  # noqa: ARG002 (Gymnasium's)
        """Nothing is held open."""
        self.closed = True

    def _checked(self, actions: Any) -> np.ndarray:
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise InputError(f"{self.num_envs} tables need as many integers as actions, not {actions.dtype} of shape "
                             f"{list(actions.shape)}")  # fmt: skip
        return actions.astype(np.int64)

    def _begin(self, rows: np.ndarray) -> None:
        """Plays new games up to the learner's first decision; dealt anew where it would have none."""
        while len(rows):
            self._seating.draw(rows)
            others = self._seating.others(rows)
            self._play(others, self._seating.act(others))
            rows = rows[self.tables.game_over[rows]]
            self.tables.renew(rows)

    def _play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Decisions at `rows`, then the opponents' until the learner is to act or the game is over."""
        while len(rows):
            self.tables.step(actions, rows)
            rows = self._seating.others(rows)
            actions = self._seating.act(rows)

    def _rewards(self, totals: np.ndarray, before: np.ndarray) -> np.ndarray:
        sign, learner = self.tables.game.POINTS_SIGN, self._seating.learner
        if self.reward == "points":
            return margins(totals - before, sign)[self._every, learner]
        return np.where(self.tables.game_over, win_rewards(totals, sign)[self._every, learner], 0.0)

    def _final(self, ended: np.ndarray, over: np.ndarray) -> dict[str, Any]:
        observation, mask = self.tables.observe(self._seating.learner), np.zeros_like(self.tables.mask)
        final = np.full(self.num_envs, None, object)
        for row in ended:
            final[row] = self._form(observation[row], mask[row])
        return {
            "final_obs": final,
            "_final_obs": over.copy(),
            "final_info": self._infos(mask),
            "_final_info": over.copy(),
        }

    def _observe(self) -> Any:
        return self._form(self.tables.observation.copy(), self.tables.mask.copy())

    def _infos(self, mask: np.ndarray) -> dict[str, Any]:
        if not self._mask_in_info:
            return {}
        return {"action_mask": mask.copy(), "_action_mask": np.ones(self.num_envs, np.bool_)}
