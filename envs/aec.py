"""The PettingZoo AEC environment of every game."""

import copy
from collections.abc import Mapping
from types import ModuleType
from typing import Any, TypeGuard

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from . import GAMES
from .errors import unknown
from .illegal import report
from .records import GameLog, read_deals
from .rules.contract import Feature, Game
from .scores import margins, win_rewards
from .tables import MATCH, Tables

REWARDS = {
    "points": "whenever points are scored, the margin: how much better a seat did than the mean of the others",
    "win": "at the end, w winners among n get (n/w − 1)/(n − 1) each, the others −1/(n − 1)",
}
RENDER_MODES = ("ansi", "human", "rgb_array")
ILLEGAL_REWARD = -1.0
_INTEGER = (int, np.integer)


def box(features: tuple[Feature, ...]) -> gymnasium.spaces.Box:
    """The space of a flat observation of these features."""
    low = np.concatenate([np.full(feature.size, feature.low, np.int8) for feature in features])
    high = np.concatenate([np.full(feature.size, feature.high, np.int8) for feature in features])
    return gymnasium.spaces.Box(low, high, dtype=np.int8)


class CardGame(AECEnv[str, dict[str, np.ndarray], int]):
    """One table of a game; seats are the agents `player_0` … clockwise.

    Observations are `{"observation": int8 [F], "action_mask": int8 [A]}`, laid out by the game's FEATURES, the same
    for all seats and table sizes. The mask of a seat that is not to act is all zeros (a mask would show its hand).
    Rewards sum to zero and arrive when they are earned, also on others' turns. An illegal action ends the game with
    -1 for its seat and 0 for the others.

    Args:
        game: name or module of the game.
        players: table size.
        rounds: "match" for the official game, or a number of rounds.
        reward: "points" or "win", see `REWARDS`.
        render_mode: "ansi" (render returns text), "human" (prints it) or "rgb_array" (an image, uint8 [H, W, 3]).
        observations: whether `tables.observation` is kept, for policies that read it.
        options: of the game's rules.

    Raises:
        InputError: a table size, reward, render mode or option that there is not.
    """

    def __init__(
        self,
        game: str | ModuleType | Game,
        players: int,
        rounds: int | str = MATCH,
        reward: str = "points",
        render_mode: str | None = None,
        *,
        observations: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        if reward not in REWARDS:
            raise unknown("reward", reward, REWARDS)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise unknown("render mode", render_mode, RENDER_MODES)
        self.reward = reward
        self.render_mode = render_mode
        self.tables = Tables(game, 1, players, rounds, observations=observations, restart=False, **options)
        self.metadata = {
            "name": GAMES.get(self.game.NAME, self.game.NAME),
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: np.array([seat]) for seat, agent in enumerate(self.possible_agents)}
        self._action = np.zeros(1, np.int64)
        actions = len(self.game.ACTIONS)
        observation = gymnasium.spaces.Dict(
            {
                "observation": box(self.game.FEATURES),
                "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces: Any = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces: Any = dict.fromkeys(self.possible_agents, gymnasium.spaces.Discrete(actions))
        self.state_space = box(self.game.FEATURES + self.game.HIDDEN)
        self._random = np.random.default_rng()

    @property
    def game(self) -> Game:
        """The game module."""
        return self.tables.game  # kept there alone, since a module cannot be pickled

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space for every agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """A new game. Without a seed it differs each time, continuing from the last seed given.

        Of the options, `record` (a game record of this game and table size) sets up its deals, one a round; rounds
        past its last are dealt at random. Others are ignored.
        """
        if seed is not None:
            self._random = np.random.default_rng(seed)
        record = (options or {}).get("record")
        self._scripted = [] if record is None else read_deals(record, self.tables)
        self.tables.reset(int(self._random.integers(2**63)) if seed is None else seed)
        if self._scripted:
            cards, starter = self._scripted.pop(0)
            self.tables.deal(cards, starter)
        self._log = GameLog(self.tables)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.tables.seat[0]]
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """One decision of the agent to act; None for an agent whose game has ended."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)  # pyright: ignore[reportArgumentType]
            return
        self._cumulative_rewards[agent] = 0.0
        tables = self.tables
        if not self.is_legal(action):
            self.end_illegally({agent: action})
            return
        self._log.move(action)
        self._action[0] = action
        tables.step(self._action)
        self._reward(tables.points[0].tolist())
        if tables.round_over[0]:
            self._between_rounds()
        if tables.game_over[0]:
            self._terminate()
        else:
            self.agent_selection = self.possible_agents[tables.seat[0]]
        if self.render_mode == "human":
            self.render()

    def _reward(self, points: list[int]) -> None:
        over = self.tables.game_over[0]
        if self.reward == "points" and any(points):
            rewards = margins(points, self.game.POINTS_SIGN).tolist()
        elif self.reward == "win" and over:
            rewards = win_rewards(self.tables.totals()[0], self.game.POINTS_SIGN).tolist()
        else:
            self._clear_rewards()
            return
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()

    def _between_rounds(self) -> None:
        self._log.score()
        if not self.tables.game_over[0]:
            if self._scripted:
                self.tables.deal(self._scripted.pop(0)[0])
            self._log.deal()

    def _terminate(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def is_legal(self, action: int | None) -> TypeGuard[int]:
        """Whether the seat to act may do this; TypeError where it is no integer."""
        if not isinstance(action, _INTEGER) or action is True or action is False:
            raise TypeError(f"an action is an integer, not {action!r}")
        mask = self.tables.mask[0]
        return bool(0 <= action < len(mask) and mask[action])

    def end_illegally(self, actions: Mapping[str, Any]) -> None:
        """Ends the game for illegal actions by agent, which `illegal.report` hears of."""
        self.rewards = dict.fromkeys(self.agents, 0.0)
        for agent, action in actions.items():
            report(self.game.NAME, self.possible_agents.index(agent), action)
            self.rewards[agent] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self._terminate()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent knows now, at any time, the end included; new arrays."""
        seat = self._seats[agent]
        tables = self.tables
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            mask = tables.mask[0].copy()
        else:
            mask = np.zeros_like(tables.mask[0])
        return {"observation": tables.observe(seat)[0], "action_mask": mask}

    def state(self) -> np.ndarray:
        """The whole hidden state, int8, of `state_space`: what the seat to act knows, then what it does not."""
        seat = self.tables.seat
        return np.concatenate([self.tables.observe(seat)[0], self.tables.reveal(seat)[0]])

    def render(self) -> str | np.ndarray | None:
        """The table with all hands open, as the render mode says; None without one."""
        from . import render

        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: " + ", ".join(RENDER_MODES))
            return None
        view = self.game.view(self.tables.states[0])
        if self.render_mode == "rgb_array":
            return render.picture(self.game, view)
        if self.render_mode == "ansi":
            return render.text(self.game, view)
        print(render.text(self.game, view))
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def record(self) -> dict[str, Any]:
        """The game record so far."""
        return self._log.record()

    def clone(self) -> "CardGame":
        """A copy that goes on by itself."""
        return copy.deepcopy(self)

    def get_state(self) -> dict[str, Any]:
        """Everything that changes in the course of games, for `set_state`."""
        return copy.deepcopy({name: self.__dict__[name] for name in _STATE})

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Goes on from what `get_state` gave, of this or an equal environment."""
        self.__dict__.update(copy.deepcopy(dict(state)))

    def __str__(self) -> str:
        return self.metadata["name"]


_STATE = (
    "tables", "agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "agent_selection",
    "_random", "_scripted", "_log",
)  # fmt: skip
