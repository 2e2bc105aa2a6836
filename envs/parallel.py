"""A game as a PettingZoo parallel environment, for libraries that know no other kind."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import ParallelEnv

from .aec import CardGame, box
from .errors import InputError


class ParallelCardGame(ParallelEnv[str, dict[str, np.ndarray], int]):
    """All seats act at every step, but only one of them by the rules: the others wait.

    Waiting is one action more, the last, A. It is the only legal one of a seat that is not to act, and illegal for the
    seat that is. Observations are as in `CardGame` with a mask int8 [A + 1] that always allows something; rewards
    arrive when they are earned. An illegal action of any seat ends the game with -1 for that seat and 0 for the others.

    Args:
        card_game: the game; this class plays it.
    """

    def __init__(self, card_game: CardGame) -> None:
        self.card_game = card_game
        self.render_mode = card_game.render_mode
        self.metadata = card_game.metadata | {"is_parallelizable": True}
        self.possible_agents = card_game.possible_agents[:]
        self.agents = []
        self.wait = len(card_game.game.ACTIONS)
        mask = gymnasium.spaces.Box(0, 1, (self.wait + 1,), np.int8)
        observation = gymnasium.spaces.Dict({"observation": box(card_game.game.FEATURES), "action_mask": mask})
        self.observation_spaces: Any = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces: Any = {agent: gymnasium.spaces.Discrete(self.wait + 1) for agent in self.possible_agents}
        self.state_space = card_game.state_space

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """An equal space for every agent, each drawing by itself."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, dict[str, Any]]]:
        """A new game, as `CardGame.reset`."""
        self.card_game.reset(seed, options)
        self.agents = self.possible_agents[:]
        return self._observe(), self._infos()

    def step(self, actions: Mapping[str, int]) -> Any:
        """One decision of the seat to act, while the others wait.

        Observations, rewards, terminations, truncations and infos, by agent. InputError where an agent has no action.
        """
        missing = [agent for agent in self.agents if agent not in actions]
        if missing or not self.agents:
            raise InputError(f"no action of {', '.join(missing)}" if missing else "no game under way: call reset()")
        game = self.card_game
        actor = game.agent_selection
        wrong = {agent: actions[agent] for agent in self.agents if agent != actor and actions[agent] != self.wait}
        if wrong:
            game.end_illegally(wrong)
        else:
            game.step(actions[actor])
        over = all(game.terminations.values())
        result = self._observe(), dict(game.rewards), dict(game.terminations), dict(game.truncations), self._infos()
        if over:
            self.agents = []
        return result

    def state(self) -> np.ndarray:
        """As `CardGame.state`."""
        return self.card_game.state()

    def render(self) -> Any:
        """As `CardGame.render`."""
        return self.card_game.render()

    def close(self) -> None:
        """Nothing is held open."""

    def record(self) -> dict[str, Any]:
        """The game record so far."""
        return self.card_game.record()

    def _observe(self) -> dict[str, dict[str, np.ndarray]]:
        views = {}
        for agent in self.possible_agents:
            seen = self.card_game.observe(agent)
            mask = seen["action_mask"]
            views[agent] = seen | {"action_mask": np.append(mask, np.int8(not mask.any()))}
        return views

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {} for agent in self.possible_agents}
