"""What the views of one seat share: who sits where, and how an observation is handed over."""

import os
from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium
import numpy as np

from .aec import box
from .errors import InputError, unknown
from .kernels import below, streams
from .rules.contract import Game
from .tables import Tables

RANDOM = "random"
"""The value of `seat` for a seat drawn anew for each episode."""

LEARNER = -1


class Player(Protocol):
    """The part of a `followsuit.policies.Policy` that an opponent needs."""

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:
        """A legal action for each of `rows`, int64 [n]."""
        ...


class Seating:
    """The learner's seat and who plays the others, at each of B tables, drawn anew for each episode.

    An opponent is the name of a policy, the path of a checkpoint, a `Policy`, or a function (observation int8 [F],
    mask int8 [A]) -> action. `opponents` is

    - one opponent, who plays all other seats;
    - a list of opponents: for each other seat one is drawn anew for each episode;
    - a dict {1: …, 2: …} that says who sits how many seats clockwise from the learner, each value one opponent or a
      list to draw from.

    Args:
        tables: B tables, with observations.
        seat: of the learner, or "random".
        opponents: see above.

    Attributes:
        learner: the learner's seat, int64 [B].

    Raises:
        InputError: a seat or an opponent that there is not.
    """

    def __init__(self, tables: Tables, seat: int | str, opponents: Any) -> None:
        if seat != RANDOM and (type(seat) is not int or not 0 <= seat < tables.players):
            raise InputError(f"seat is {RANDOM!r} or a number from 0 to {tables.players - 1}, not {seat!r}")
        self.tables = tables
        self._seat = seat
        self.learner = np.zeros(len(tables), np.int64)
        self._chooser = np.full((len(tables), tables.players), LEARNER)
        self._random = streams(0, tables.streams)
        self.set_opponents(opponents)

    def set_opponents(self, opponents: Any) -> None:
        """Puts others in their place at once, in the games under way too."""
        self._players, self._pools = _read(self.tables.game, self.tables.players, opponents)
        self._draw_opponents(np.arange(len(self.tables)))

    def reset(self, seed: int) -> None:
        """All chance anew: of seats, of who sits at them and of how they play; a stream for each table's own."""
        self._random[:] = streams(seed + 1, self.tables.streams)

    def draw(self, rows: np.ndarray) -> None:
        """The seats of an episode that begins at `rows`."""
        players = self.tables.players
        self.learner[rows] = below(self._random, rows, players) if self._seat == RANDOM else self._seat
        self._draw_opponents(rows)

    def others(self, rows: np.ndarray) -> np.ndarray:
        """Those of `rows` at which an opponent is to act."""
        tables = self.tables
        return rows[(tables.seat[rows] != self.learner[rows]) & ~tables.game_over[rows]]

    def act(self, rows: np.ndarray) -> np.ndarray:
        """What the opponents to act at `rows` do, int64 [n]."""
        tables = self.tables
        if not len(rows):
            return np.empty(0, np.int64)  # nobody is asked about no table
        if len(self._players) == 1:
            return self._players[0].act(tables, rows, self._random)
        chooser = self._chooser[rows, tables.seat[rows]]
        actions = np.empty(len(rows), np.int64)
        for number, player in enumerate(self._players):
            own = np.flatnonzero(chooser == number)
            if len(own):
                actions[own] = player.act(tables, rows[own], self._random)
        return actions

    def _draw_opponents(self, rows: np.ndarray) -> None:
        for places, pool in enumerate(self._pools, 1):
            drawn = pool[below(self._random, rows, len(pool)) if len(pool) > 1 else 0]
            self._chooser[rows, (self.learner[rows] + places) % self.tables.players] = drawn
        self._chooser[rows, self.learner[rows]] = LEARNER


def _read(game: Game, players: int, opponents: Any) -> tuple[list[Player], list[np.ndarray]]:
    """The opponents there are, and for each other seat, clockwise, the numbers of those it is drawn from."""
    others = range(1, players)
    if not isinstance(opponents, Mapping):
        opponents = dict.fromkeys(others, opponents)
    if set(opponents) != set(others):
        raise InputError(f"opponents by place are {{1: …}} with the places 1 to {players - 1}, not {list(opponents)}")
    known: dict[Any, tuple[int, Player]] = {}
    pools = []
    for place in others:
        pool = opponents[place] if isinstance(opponents[place], (list, tuple)) else [opponents[place]]
        if not pool:
            raise InputError("a list of opponents to draw from holds at least one")
        for one in pool:
            key = one if isinstance(one, str) else id(one)
            if key not in known:
                known[key] = len(known), _player(game, one)
        pools.append(np.array([known[one if isinstance(one, str) else id(one)][0] for one in pool]))
    return [player for _, player in known.values()], pools


def _player(game: Game, opponent: Any) -> Player:
    if isinstance(opponent, (str, os.PathLike)):
        from ..policies import policy  # here, not above: policies are built upon the environments

        return policy(str(opponent), game)
    if hasattr(opponent, "act"):
        return opponent
    if callable(opponent):
        from ..policies.function import FunctionPolicy

        return FunctionPolicy(opponent, getattr(opponent, "__name__", "opponent"))
    raise InputError(f"an opponent is a policy's name, a checkpoint, a Policy or a function, not {opponent!r}")


FORMS = {"box": (), "dict": ("observation", "action_mask")}
"""The names of `Form`: the keys of observation and mask."""


class Form:
    """How an observation is handed over: "box", the array alone; "dict", `{"observation": …, "action_mask": …}`; or a
    dictionary with any other two keys, such as ("obs", "mask").
    """

    def __init__(self, game: Game, observation: Any) -> None:
        if isinstance(observation, str):
            if observation not in FORMS:
                raise unknown("form of observation", observation, FORMS)
            observation = FORMS[observation]
        self.keys = tuple(observation)
        if len(self.keys) not in (0, 2) or len(set(self.keys)) < len(self.keys):
            raise InputError(f"an observation is 'box', 'dict' or two keys, not {observation!r}")
        spaces = box(game.FEATURES), gymnasium.spaces.Box(0, 1, (len(game.ACTIONS),), np.int8)
        self.space: Any = gymnasium.spaces.Dict(dict(zip(self.keys, spaces, strict=True))) if self.keys else spaces[0]

    def __call__(self, observation: np.ndarray, mask: np.ndarray) -> Any:
        """One observation, or a batch."""
        return dict(zip(self.keys, (observation, mask), strict=True)) if self.keys else observation
