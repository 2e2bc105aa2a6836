"""One seat of a game as a Gymnasium environment, opponents playing the others.

`one_seat` is one table as a `gymnasium.Env`, `many_seats` many in lockstep as a `gymnasium.vector.VectorEnv`; both are
registered, `gymnasium.make("followsuit/Fearless-v0")` and `gymnasium.make_vec` of the same name.
"""

from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from .aec import RENDER_MODES, CardGame
from .errors import InputError
from .rules.contract import Game
from .seating import RANDOM, Form, Seating
from .seats import ManySeats
from .tables import MATCH, load_game


class OneSeat(gymnasium.Env[Any, Any]):
    """One table of a game, seen from one seat.

    An action is the seat's next decision, 0 … A-1. Opponents act inside `reset` and `step`; the reward is what the seat
    earned until its next decision. An episode is one game and ends with it, never truncated; it is dealt anew where the
    seat would not have a decision. An illegal action ends it with -1.

    `reset` takes the options of `CardGame.reset`; without a seed games differ, continuing from the last seed given.

    Args:
        game: name or module of the game.
        opponents: see `Seating`.
        seat: 0 … players-1, or "random": drawn for each episode.
        players: table size; the game's largest by default.
        rounds: "match" for the official game, or how many rounds an episode has.
        observation: see `Form`.
        mask_in_info: whether infos hold the mask, int8 [A], as `action_mask`; they are empty otherwise.
        reward: "points" or "win", see `aec.REWARDS`.
        render_mode: see `CardGame`.
        options: of the game's rules.

    Raises:
        InputError: an argument that is none of these.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (Gymnasium's)

    def __init__(
        self,
        game: str | ModuleType | Game,
        opponents: Any = "uniform",
        seat: int | str = RANDOM,
        *,
        players: int | None = None,
        rounds: int | str = MATCH,
        observation: Any = "box",
        mask_in_info: bool = False,
        reward: str = "points",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        module = load_game(game)
        players = max(module.PLAYERS) if players is None else players
        self.card_game = CardGame(module, players, rounds, reward, render_mode, observations=True, **options)
        self.render_mode = render_mode
        self._seating = Seating(self.card_game.tables, seat, opponents)
        self._form = Form(module, observation)
        self._mask_in_info = mask_in_info
        self.observation_space = self._form.space
        self.action_space = gymnasium.spaces.Discrete(len(module.ACTIONS))
        self._over = True

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._seating.learner[0])

    def set_opponents(self, opponents: Any) -> None:
        """Puts others in their place at once, for the rest of a game under way too."""
        self._seating.set_opponents(opponents)

    def action_masks(self) -> np.ndarray:
        """The seat's legal actions, a new int8 [A]; all zeros once the game has ended."""
        mask = self.card_game.tables.mask[0]
        return np.zeros_like(mask) if self._over else mask.copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new game, up to the seat's first decision."""
        super().reset(seed=seed)
        self._over = True
        while self._over:
            seed = int(self.np_random.integers(2**63)) if seed is None else seed
            self.card_game.reset(seed, options)
            self._seating.reset(seed)
            self._seating.draw(_FIRST)
            self._play_others()
            seed = options = None
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The seat's decision, and the others' until its next one."""
        if self._over:
            raise InputError("there is no game under way: call reset()")
        self.card_game.step(action)
        self._play_others()
        reward = float(self.card_game._cumulative_rewards[self._agent])
        return self._observe(), reward, self._over, False, self._info()

    def render(self) -> Any:
        """As `CardGame.render`."""
        return self.card_game.render()

    @property
    def _agent(self) -> str:
        return self.card_game.possible_agents[self.seat]

    def _play_others(self) -> None:
        game = self.card_game
        while not game.terminations[self._agent] and game.agent_selection != self._agent:
            action = self._seating.act(_FIRST)[0]
            if not game.is_legal(action):
                raise InputError(f"the opponent at seat {game.tables.seat[0]} chose {action}, which is illegal")
            game.step(action)
        self._over = game.terminations[self._agent]

    def _observe(self) -> Any:
        return self._form(*self.card_game.observe(self._agent).values())

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks()} if self._mask_in_info else {}


_FIRST = np.zeros(1, np.int64)

one_seat = OneSeat
many_seats = ManySeats
