"""OpenSpiel's `rl_environment` over a PettingZoo environment of ours, for OpenSpiel's agents.

    Environment(fearless_v0.env(players=4, rounds=1), seed=1)

It has the methods, time steps and spaces of `open_spiel.python.rl_environment.Environment`, so that its agents and its
`SyncVectorEnv` take one for the other. What differs is what an agent is paid: in a time step, each seat's rewards of
all that happened since its own last action. The original gives those of the last action alone, whoever made it, and an
agent that looks only when it is to act misses what others' turns brought it.
"""

from typing import Any

import numpy as np

from .aec import CardGame
from .errors import InputError

try:
    from open_spiel.python.rl_environment import StepType, TimeStep  # pyright: ignore[reportMissingImports]
    from pyspiel import PlayerId  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    raise InputError(f"this needs {error.name}: pip install 'followsuit[openspiel]'") from error


class Environment:
    """One table for OpenSpiel's agents; an illegal action ends its game as it ends that of `env`.

    A time step's observations are `info_state`, what each seat knows, S arrays float32 [F]; `legal_actions`, S lists,
    empty for all but the seat to act; `current_player`, that seat (TERMINAL in the last step); and an empty
    `serialized_state`. `rewards` and `discounts` are lists [S], None in the first step; `discounts` are 0 in the last.

    The original's info states are lists; those would cost the agents more time than the game. Tabular agents, whose key
    is `str` of one, need their `info_state_to_string_override`: numpy cuts long arrays short.

    Args:
        env: the game, its table size, rules and kind of rewards.
        discount: of every step but the first and the last.
        seed: decides every deal; without it each environment differs.

    Raises:
        InputError: a discount not from 0 to 1, or not one action at a time.
    """

    is_turn_based = True
    is_chance_node = False
    num_actions_per_step = 1

    def __init__(self, env: CardGame, discount: float = 1.0, seed: int | None = None) -> None:
        if not 0 <= discount <= 1:
            raise InputError(f"discount is a number from 0 to 1, not {discount!r}")
        self.game = env
        self.name = str(env)
        self.num_players = len(env.possible_agents)
        self._discount = discount
        self._agents = env.possible_agents
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """What the games from the next one on depend on."""
        self._random = np.random.default_rng(seed)
        self._should_reset = True

    def reset(self) -> Any:
        """The first time step of a new game."""
        self.game.reset(int(self._random.integers(2**63)))
        self._should_reset = False
        return self.get_time_step()._replace(rewards=None, discounts=None, step_type=StepType.FIRST)

    def step(self, actions: list[int]) -> Any:
        """The time step after the action of the seat to act, [action]; that of a new game after a last one."""
        if len(actions) != 1:
            raise InputError(f"one seat acts at a time: a list of one action, not {len(actions)}")
        if self._should_reset:
            return self.reset()
        self.game.step(actions[0])
        return self.get_time_step()

    def get_time_step(self) -> Any:
        """The present time step, and nothing done; a first one comes as one in the midst of the game."""
        env = self.game
        self._should_reset = env.terminations[env.agent_selection]
        seen = [env.observe(agent) for agent in self._agents]
        observations = {
            "info_state": [one["observation"].astype(np.float32) for one in seen],
            "legal_actions": [np.flatnonzero(one["action_mask"]).tolist() for one in seen],
            "current_player": int(PlayerId.TERMINAL) if self._should_reset else self._agents.index(env.agent_selection),
            "serialized_state": [],
        }
        return TimeStep(
            observations=observations,
            rewards=[env._cumulative_rewards[agent] for agent in self._agents],
            discounts=[0.0 if self._should_reset else self._discount] * self.num_players,
            step_type=StepType.LAST if self._should_reset else StepType.MID,
        )

    def observation_spec(self) -> dict[str, tuple[int, ...]]:
        """The shapes of what one seat is shown."""
        space: Any = self.game.observation_space(self._agents[0])
        knows, legal = space["observation"].shape, space["action_mask"].shape
        return {"info_state": knows, "legal_actions": legal, "current_player": (), "serialized_state": ()}

    def action_spec(self) -> dict[str, Any]:
        """The actions that there are, legal or not."""
        actions = int(self.game.action_space(self._agents[0]).n)  # pyright: ignore[reportAttributeAccessIssue]
        return {"num_actions": actions, "min": 0, "max": actions - 1, "dtype": int}
