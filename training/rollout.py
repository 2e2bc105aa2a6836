"""Self-play for the learner: decisions collected from many tables, and what each was worth."""

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numba import njit

from ..envs.kernels import kernel, streams
from ..envs.scores import margins, win_rewards
from ..envs.tables import Tables
from ..policies.base import Uniform
from ..policies.network import ActorCritic
from .config import Config


class Choice(NamedTuple):
    """What the network chose for n seats: int64 [n], its log-probability and the value of the position, float32 [n]."""

    action: np.ndarray
    log_probability: np.ndarray
    value: np.ndarray


class Samples(NamedTuple):
    """N decisions with more than one legal action, in no particular order."""

    observation: np.ndarray
    """int8 [N, F]"""
    mask: np.ndarray
    """int8 [N, A]"""
    hidden: np.ndarray
    """int8 [N, H]"""
    action: np.ndarray
    """int64 [N]"""
    log_probability: np.ndarray
    """float32 [N], when it was taken"""
    value: np.ndarray
    """float32 [N], as estimated then"""
    advantage: np.ndarray
    """float32 [N]"""
    target: np.ndarray
    """float32 [N], for the value"""


class Rollout:
    """A batch of tables and the buffers for `steps` decisions at each.

    Args:
        tables: B tables that restart by themselves.
        steps: T.
        reward: "points" or "win", as for the environments. With points the return of a decision ends with its round:
            later rounds add nothing to it but noise.
        reward_scale: what rewards are multiplied by.
        gae_lambda: of generalized advantage estimation; the discount is 1.
    """

    def __init__(self, tables: Tables, steps: int, reward: str, reward_scale: float, gae_lambda: float) -> None:
        self.tables, self.steps = tables, steps
        self.reward, self.reward_scale, self.gae_lambda = reward, reward_scale, gae_lambda
        self._split = _split_kernel(tables)
        batch, many = len(tables), steps * len(tables)
        self._observation = np.zeros((many, tables.observation.shape[1]), np.int8)
        self._mask = np.zeros((many, tables.mask.shape[1]), np.int8)
        self._hidden = np.zeros((many, tables.reveal(tables.seat).shape[1]), np.int8)
        self._action = np.zeros(many, np.int64)
        self._floats = np.zeros((4, many), np.float32)  # log_probability, value, advantage, target
        self._index = np.zeros((steps, batch), np.int64)  # of the sample; -1: forced
        self._seat = np.zeros((steps, batch), np.int64)
        self._rewards = np.zeros((steps, batch, tables.players), np.float32)
        self._end = np.zeros((steps, batch), np.bool_)
        stagger(tables)
        self.totals = tables.totals().astype(np.int64)  # of the games under way

    def collect(self, choose: Callable[..., Choice]) -> tuple[Samples, float]:
        """`steps` decisions at every table, and the seconds spent in `choose`.

        `choose(observation, mask, hidden)` decides for the seats that have a choice. The arrays are this rollout's
        buffers, filled anew by the next call.
        """
        tables, count, inference = self.tables, 0, 0.0
        actions, rows = np.zeros(len(tables), np.int64), np.zeros(len(tables), np.int64)
        for t in range(self.steps):
            chosen = slice(count, count + self._split(tables.mask, actions, rows, self._index[t], count))
            free = rows[: chosen.stop - count]
            np.take(tables.observation, free, 0, self._observation[chosen], "clip")
            np.take(tables.mask, free, 0, self._mask[chosen], "clip")
            np.take(tables.reveal(tables.seat), free, 0, self._hidden[chosen], "clip")
            if len(free):
                start = time.perf_counter()
                choice = choose(self._observation[chosen], self._mask[chosen], self._hidden[chosen])
                inference += time.perf_counter() - start
                self._action[chosen], self._floats[0, chosen], self._floats[1, chosen] = choice
                actions[free] = choice.action
            self._seat[t] = tables.seat
            tables.step(actions)
            self._score(t)
            count = chosen.stop
        return self._samples(count), inference

    def save(self) -> dict[str, np.ndarray]:
        """Where the tables stand, as arrays with a row a table; see `load`."""
        return self.tables.save() | {"totals": self.totals.copy()}

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Goes on from what `save` gave, here or at as many other tables."""
        self.tables.load(saved)
        self.totals[:] = saved["totals"]

    def _score(self, t: int) -> None:
        tables, sign = self.tables, self.tables.game.POINTS_SIGN
        self._rewards[t] = 0
        if self.reward == "points":
            self._end[t] = tables.round_over
            if tables.points.any():
                self._rewards[t] = margins(tables.points, sign) * self.reward_scale
            return
        self._end[t] = over = tables.game_over
        self.totals += tables.points
        if over.any():
            self._rewards[t, over] = win_rewards(self.totals[over], sign) * self.reward_scale
            self.totals[over] = 0

    def _samples(self, count: int) -> Samples:
        log_probability, value, advantage, target = self._floats[:, :count]
        known = np.zeros(count, np.bool_)
        credit(self._seat, self._index, self._rewards, self._end, value, self.gae_lambda, advantage, target, known)
        everything = (
            self._observation[:count], self._mask[:count], self._hidden[:count], self._action[:count],
            log_probability, value, advantage, target,
        )  # fmt: skip
        return Samples(*(array[known] for array in everything))


def new_rollout(config: Config, players: int, tables: int, seed: int = 0) -> Rollout:
    """The rollout of a run at so many tables of one size."""
    game, ppo = config.game, config.ppo
    played = Tables(game.name, tables, players, game.rounds, seed=seed, **game.options)
    return Rollout(played, ppo.steps, game.reward, ppo.reward_scale, ppo.gae_lambda)


@torch.inference_mode()
def draw(
    network: ActorCritic, random: torch.Generator, bfloat16: bool,
    observation: np.ndarray, mask: np.ndarray, hidden: np.ndarray,
) -> Choice:  # fmt: skip
    """What `Rollout.collect` asks for: actions drawn from a network, on the device of `random`."""
    with torch.autocast(random.device.type, torch.bfloat16, enabled=bfloat16):
        inputs = (torch.from_numpy(array).to(random.device) for array in (observation, mask, hidden))
        log_probabilities, value = network(*inputs)
    # The Gumbel-max trick: the argmax of log-probabilities with Gumbel noise is a draw from them.
    noise = torch.empty_like(log_probabilities).exponential_(generator=random)
    action = (log_probabilities - noise.log()).argmax(-1)
    taken = log_probabilities.gather(1, action[:, None]).squeeze(1)
    return Choice(action.cpu().numpy(), taken.cpu().numpy(), value.cpu().numpy())


def stagger(tables: Tables) -> None:
    """Takes each table to a moment of its first round drawn at random, by uniform play.

    Tables that begin together stay in step, so that one update would see first tricks alone and another last ones.
    """
    random, draws = streams(tables.seed + 1, tables.streams), np.random.default_rng(tables.seed)
    uniform, every = Uniform(tables.game), np.arange(len(tables))
    kept, playing = tables.save(), np.ones(len(tables), np.bool_)
    for moment in itertools.count(1):
        tables.step(uniform.act(tables, every, random))
        playing &= ~tables.round_over
        if not playing.any():
            break
        drawn = playing & (draws.random(len(tables)) < 1 / (moment + 1))  # each moment of a round is equally likely
        for name, now in tables.save().items():
            kept[name][drawn] = now[drawn]
    tables.load(kept)


def _split_kernel(tables: Tables) -> Any:
    @kernel(tables.game)
    def split_forced(mask, actions, rows, index, first):
        """Writes the only legal action of forced seats into `actions`, the others' tables into `rows`; how many."""
        count = 0
        for i in range(len(mask)):
            legal = mask[i]
            choices = 0
            for action in range(len(legal)):
                choices += legal[action]
            if choices > 1:
                rows[count] = i
                index[i] = first + count
                count += 1
            else:
                index[i] = -1
                for action in range(len(legal)):
                    if legal[action]:
                        actions[i] = action
        return count

    return split_forced


@njit(cache=True, nogil=True)
def credit(
    seat: Any, index: Any, rewards: Any, end: Any, value: Any, gae_lambda: float,
    advantage: Any, target: Any, known: Any,
) -> None:  # fmt: skip
    """Generalized advantage estimation (Schulman et al. 2016) along each seat's own decisions.

    Rewards earned on others' turns belong to the seat's decision before. The last decision of a seat in an episode
    that goes on after the rollout only lends its value to the one before and stays unknown itself.

    Shapes: seat, index and end [T, B], rewards [T, B, seats], the others [N] as `index` numbers them.
    """
    steps, tables, seats = rewards.shape
    open_end = np.empty(seats, np.bool_)
    earned, next_value, next_advantage = np.empty(seats), np.empty(seats), np.empty(seats)
    for b in range(tables):
        open_end[:] = True
        earned[:] = 0.0
        for t in range(steps - 1, -1, -1):
            if end[t, b]:
                open_end[:] = False
                earned[:] = 0.0
                next_value[:] = 0.0
                next_advantage[:] = 0.0
            for k in range(seats):
                earned[k] += rewards[t, b, k]
            i = index[t, b]
            if i < 0:
                continue
            k = seat[t, b]
            if open_end[k]:
                open_end[k] = False
                next_advantage[k] = 0.0
            else:
                next_advantage[k] = earned[k] + next_value[k] - value[i] + gae_lambda * next_advantage[k]
                advantage[i] = next_advantage[k]
                target[i] = advantage[i] + value[i]
                known[i] = True
            next_value[k] = value[i]
            earned[k] = 0.0
