"""The arena: one line-up of policies on duplicate deals, with honest intervals.

Every deal is played once with each rotation of the seats, so that luck of the cards and of the seat cancels. Figures
are means over deals, and their 95 % intervals treat the games of one deal as one observation.
"""

import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..envs import kernels
from ..envs.records import GameLog
from ..envs.rules.contract import Game
from ..envs.scores import margins, win_shares
from ..envs.tables import MATCH, Tables
from ..policies.base import Policy

BATCH = 4096  # tables played at once
NORMAL_95 = 1.959964


class Estimate(NamedTuple):
    """A mean over deals and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval, what is written behind ±."""
        return (self.high - self.low) / 2


class Scores(NamedTuple):
    """What the games of one line-up gave: float64 [deals, rotations, players] by place in the line-up, not by seat."""

    points: np.ndarray
    """A round."""
    margin: np.ndarray
    """Points a round ahead of the mean of the other seats; higher is better for every game."""
    wins: np.ndarray
    """Share of the game won; a shared win counts in parts."""
    totals: np.ndarray
    """Points of the whole game."""


@dataclass
class Cost:
    """What a policy's decisions took."""

    seconds: float = 0.0
    """Of one core."""
    decisions: int = 0
    """Those with more than one legal action."""


def estimate(by_deal: np.ndarray) -> Estimate:
    """The mean of independent values, one a deal, and its 95 % interval."""
    mean = float(by_deal.mean())
    half = NORMAL_95 * float(by_deal.std(ddof=1)) / len(by_deal) ** 0.5
    return Estimate(mean, mean - half, mean + half)


def play(
    game: Game,
    players: int,
    lineup: Sequence[Policy],
    deals: int | np.ndarray,
    rounds: int | str = MATCH,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
    progress: Callable[[float], None] = lambda _: None,
    costs: MutableMapping[Policy, Cost] | None = None,
) -> Scores:
    """Plays duplicate deals of one line-up, each with all rotations.

    In rotation r, place p of the line-up sits at seat (p + r) mod players.

    Args:
        game: as `Tables` takes it, like players, rounds, seed and options.
        players: table size.
        lineup: a policy for each place; one may have several.
        deals: how many, or the numbers of the deals, int [D]; a deal's games depend on the seed and its number alone.
        rounds: of a game, or the official match.
        seed: decides all chance.
        options: of the game's rules.
        keep: is given the record of every game.
        progress: is told the part done, 0 … 1, after every decision.
        costs: is added what the decisions of each policy took.
    """
    numbers = np.arange(deals) if isinstance(deals, int) else deals
    scores = Scores(*(np.zeros((len(numbers), players, players)) for _ in Scores._fields))
    batch = max(1, BATCH // players)
    for first in range(0, len(numbers), batch):
        rows = slice(first, first + batch)
        some = numbers[rows]
        rotations = np.tile(np.arange(players), len(some))
        place_at = (np.arange(players) - rotations[:, None]) % players  # [tables, seats]
        tables = Tables(
            game, len(rotations), players, rounds, seed=seed, streams=np.repeat(some, players),
            observations=any(policy.observes for policy in lineup), restart=False, **(options or {}),
        )  # fmt: skip
        # Chance in a game's play depends on its deal and rotation alone, never on the tables beside it.
        random = kernels.streams(seed + 1, tables.streams * players + rotations)
        logs = [GameLog(tables, table) for table in range(len(tables))] if keep else []
        part = _part(progress, first / len(numbers), len(some) / len(numbers))
        finish(tables, place_at, lineup, random, logs, part, costs)
        if keep:
            for log, places in zip(logs, place_at, strict=True):
                keep(log.record() | {"names": [lineup[place].name for place in places]})
        totals = tables.totals()
        by_seat = Scores(
            totals / tables.states["rounds_played"][:, None].clip(1),
            margins(totals, game.POINTS_SIGN) / tables.states["rounds_played"][:, None].clip(1),
            win_shares(totals, game.POINTS_SIGN),
            totals,
        )
        seat_of = np.argsort(place_at, 1)
        for kept, values in zip(scores, by_seat, strict=True):
            kept[rows] = np.take_along_axis(values, seat_of, 1).reshape(len(some), players, players)
    return scores


def finish(
    tables: Tables,
    place_at: np.ndarray,
    lineup: Sequence[Policy],
    random: np.ndarray,
    logs: Sequence[GameLog] = (),
    progress: Callable[[float], None] = lambda _: None,
    costs: MutableMapping[Policy, Cost] | None = None,
) -> None:
    """Plays every table (made with restart=False) to the end of its game.

    place_at, int [B, players], says which place of the line-up sits at each seat, `random`, uint64 [B], is the chance
    of their play, `logs`, none or one a table, keep the records; `progress` and `costs` are as in `play`.
    """
    costs = {} if costs is None else costs
    policies = list(dict.fromkeys(lineup))  # one that sits at several places acts for them at once
    chooser_at = np.array([policies.index(policy) for policy in lineup])[place_at]
    actions = np.zeros(len(tables), np.int64)
    every = np.arange(len(tables))
    while not tables.game_over.all():
        chooser = np.where(tables.game_over, -1, chooser_at[every, tables.seat])
        free = tables.mask.sum(1) > 1
        for number, policy in enumerate(policies):
            rows = np.flatnonzero(chooser == number)
            if not len(rows):
                continue
            start = time.thread_time()
            actions[rows] = policy.act(tables, rows, random)
            cost = costs.setdefault(policy, Cost())
            cost.seconds += time.thread_time() - start
            cost.decisions += int(free[rows].sum())
        if logs:
            _step_logged(tables, actions, logs)
        else:
            tables.step(actions)
        progress(float(tables.game_over.mean()))


def _step_logged(tables: Tables, actions: np.ndarray, logs: Sequence[GameLog]) -> None:
    for table in np.flatnonzero(~tables.game_over).tolist():
        logs[table].move(actions[table])
    tables.step(actions)
    for table in np.flatnonzero(tables.round_over).tolist():
        logs[table].score()
        if not tables.game_over[table]:
            logs[table].deal()


def _part(progress: Callable[[float], None], begin: float, width: float) -> Callable[[float], None]:
    """Tells `progress` of a part of the whole, as that part goes from 0 to 1."""
    return lambda done: progress(begin + width * done)
