"""The arena: policies compared on duplicate deals, with honest intervals.

Every deal is played once with each rotation of the seats, so that luck of the cards and of the seat cancels. Figures
are means over deals, and their 95 % intervals treat the games of one deal as one observation.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from ..envs import kernels
from ..envs.errors import InputError
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


@dataclass(frozen=True)
class Standing:
    """How one contestant did."""

    policy: str
    points_per_round: float
    margin: Estimate
    """Points a round ahead of the mean of the other seats; higher is better for every game."""
    wins: Estimate
    """Share of the games won; a shared win counts in parts."""


@dataclass(frozen=True)
class Result:
    """An evaluation, complete enough to be repeated."""

    game: str
    players: int
    rounds: int | str
    options: dict[str, Any]
    deals: int
    seed: int
    standings: list[Standing]

    def to_json(self) -> dict[str, Any]:
        """The result in the format that `followsuit evaluate --json` writes."""
        contestants = [
            {
                "policy": standing.policy,
                "points_per_round": standing.points_per_round,
                "margin": standing.margin.mean,
                "margin_ci": [standing.margin.low, standing.margin.high],
                "win_share": standing.wins.mean,
                "win_ci": [standing.wins.low, standing.wins.high],
            }
            for standing in self.standings
        ]
        head = {name: value for name, value in asdict(self).items() if name != "standings"}
        if not self.options:
            del head["options"]
        return head | {"contestants": contestants}


class Scores(NamedTuple):
    """What the games of one line-up gave: [deals, rotations, players] by place in the line-up, not by seat."""

    points: np.ndarray
    margin: np.ndarray
    wins: np.ndarray


def evaluate(
    game: Game,
    players: int,
    contestants: Sequence[Policy],
    deals: int,
    rounds: int | str = MATCH,
    seed: int = 0,
    options: dict[str, Any] | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Result:
    """Compares policies. With as many as there are seats they form one line-up; with fewer or more, each of them plays
    alone against a table full of each other one, and the figures are its own at those tables.

    `deals` games of `rounds` each are played once a rotation and line-up. `keep` is given the record of every game,
    `progress` told the part done, 0 … 1. The same seed gives the same figures.
    """
    if deals < 2:
        raise InputError("an interval needs at least 2 deals")
    lineups = line_ups(players, len(contestants))
    scores = [
        play(
            game, players, [contestants[c] for c in lineup], deals, rounds, seed, options, keep,
            _part(progress, k / len(lineups), 1 / len(lineups)),
        )
        for k, lineup in enumerate(lineups)
    ]  # fmt: skip
    alone = len(contestants) not in (1, players)
    standings = []
    for c, contestant in enumerate(contestants):
        seats = [
            (score, place)
            for score, lineup in zip(scores, lineups, strict=True)
            for place, sitting in enumerate(lineup)
            if sitting == c and (place == 0 or not alone)
        ]
        # One number a deal: the mean over the line-ups, rotations and seats in which the contestant played it.
        points, margin, wins = (
            np.mean([getattr(score, name)[:, :, place].mean(1) for score, place in seats], 0) for name in Scores._fields
        )
        standings.append(Standing(contestant.name, float(points.mean()), estimate(margin), estimate(wins)))
    return Result(game.NAME, players, rounds, dict(options or {}), deals, seed, standings)


def line_ups(players: int, contestants: int) -> list[tuple[int, ...]]:
    """Who plays whom, as indices of contestants by place."""
    if contestants == 0:
        raise InputError("an evaluation needs at least one policy")
    if contestants == 1:
        return [(0,) * players]
    if contestants == players:
        return [tuple(range(players))]
    return [
        (one, *[other] * (players - 1)) for one in range(contestants) for other in range(contestants) if one != other
    ]


def _part(progress: Callable[[float], None], begin: float, width: float) -> Callable[[float], None]:
    """Tells `progress` of a part of the whole, as that part goes from 0 to 1."""
    return lambda done: progress(begin + width * done)


def estimate(by_deal: np.ndarray) -> Estimate:
    """The mean of independent values, one a deal, and its 95 % interval."""
    mean = float(by_deal.mean())
    half = NORMAL_95 * float(by_deal.std(ddof=1)) / len(by_deal) ** 0.5
    return Estimate(mean, mean - half, mean + half)


def play(
    game: Game,
    players: int,
    lineup: Sequence[Policy],
    deals: int,
    rounds: int | str = MATCH,
    seed: int = 0,
    options: dict[str, Any] | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Scores:
    """Plays `deals` duplicate deals of one line-up, each with all rotations; `keep` is given the record of every game.

    In rotation r, place p of the line-up sits at seat (p + r) mod players.
    """
    scores = Scores(*(np.zeros((deals, players, players)) for _ in Scores._fields))
    batch = max(1, BATCH // players)
    for first in range(0, deals, batch):
        some = np.arange(first, min(first + batch, deals))
        rotations = np.tile(np.arange(players), len(some))
        place_at = (np.arange(players) - rotations[:, None]) % players  # [tables, seats]
        tables = Tables(
            game, len(rotations), players, rounds, seed=seed, streams=np.repeat(some, players),
            observations=any(policy.observes for policy in lineup), restart=False, **(options or {}),
        )  # fmt: skip
        # Chance in a game's play depends on its deal and rotation alone, never on the tables beside it.
        random = kernels.streams(seed + 1, tables.streams * players + rotations)
        logs = [GameLog(tables, table) for table in range(len(tables))] if keep else []
        finish(tables, place_at, lineup, random, logs, _part(progress, first / deals, len(some) / deals))
        if keep:
            for log, places in zip(logs, place_at, strict=True):
                keep(log.record() | {"names": [lineup[place].name for place in places]})
        totals = tables.totals()
        by_seat = Scores(
            totals / tables.states["rounds_played"][:, None].clip(1),
            margins(totals, game.POINTS_SIGN) / tables.states["rounds_played"][:, None].clip(1),
            win_shares(totals, game.POINTS_SIGN),
        )
        seat_of = np.argsort(place_at, 1)
        for kept, values in zip(scores, by_seat, strict=True):
            kept[some] = np.take_along_axis(values, seat_of, 1).reshape(len(some), players, players)
    return scores


def finish(
    tables: Tables,
    place_at: np.ndarray,
    lineup: Sequence[Policy],
    random: np.ndarray,
    logs: Sequence[GameLog] = (),
    progress: Callable[[float], None] = lambda _: None,
) -> None:
    """Plays every table (made with restart=False) to the end of its game.

    place_at, int [B, players], says which place of the line-up sits at each seat, `random`, uint64 [B], is the chance
    of their play, `logs`, none or one a table, keep the records.
    """
    policies = list(dict.fromkeys(lineup))  # one that sits at several places acts for them at once
    chooser_at = np.array([policies.index(policy) for policy in lineup])[place_at]
    actions = np.zeros(len(tables), np.int64)
    every = np.arange(len(tables))
    while not tables.game_over.all():
        chooser = np.where(tables.game_over, -1, chooser_at[every, tables.seat])
        for number, policy in enumerate(policies):
            rows = np.flatnonzero(chooser == number)
            if len(rows):
                actions[rows] = policy.act(tables, rows, random)
        if logs:
            _step_logged(tables, actions, logs)
        else:
            tables.step(actions)
        if tables.round_over.any():
            progress(float(tables.game_over.mean()))


def _step_logged(tables: Tables, actions: np.ndarray, logs: Sequence[GameLog]) -> None:
    for table in np.flatnonzero(~tables.game_over).tolist():
        logs[table].move(actions[table])
    tables.step(actions)
    for table in np.flatnonzero(tables.round_over).tolist():
        logs[table].score()
        if not tables.game_over[table]:
            logs[table].deal()
