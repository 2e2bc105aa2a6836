"""A Ray cluster: its cores play the parts of a tournament, or collect what one learner learns from.

Work goes out as tasks that carry all they depend on and keep nothing: whatever a lost machine was doing, Ray has
another one do again, with the same outcome. A worker keeps only what it can make anew, such as compiled policies.
"""

# pyright: reportMissingImports=false

import json
import logging
import socket
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import ray
import torch

from ..envs.errors import InputError
from ..envs.rules.contract import Game
from ..envs.tables import load_game
from ..policies import Policy, policy
from ..policies.checkpoint import FILE_NAME
from ..policies.network import ActorCritic, NetworkPolicy, Shape
from .config import Config, dump, parse_config
from .rollout import Rollout, Samples, draw, new_rollout
from .schedule import Part
from .tournament import Played, Tournament

TABLES_A_TASK = 256
"""How many tables are played together. Chance goes by them, so figures do not depend on how many machines there are."""


class Cluster:
    """The Ray cluster that this process is connected to, or else connects to.

    A run repeats itself with a cluster as without one, number by number, however many machines there are and whether or
    not some are lost, as long as their processors compute alike; the same run without a cluster gives other numbers.

    Args:
        address: of its head, "host:port". By default the one that RAY_ADDRESS names or that runs on this machine; where
            there is none, this machine alone becomes one for as long as the process lives. InputError where none
            answers.
    """

    def __init__(self, address: str | None = None) -> None:
        if ray.is_initialized():
            return
        if address:
            _knock(address)
        try:
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(f"no Ray cluster: {str(error).partition(chr(10))[0]}") from error

    def cores(self) -> int:
        """Those that it has now."""
        return int(ray.cluster_resources().get("CPU", 1))

    def workers(self, tournament: Tournament) -> "TournamentWorkers":
        """Who plays its parts."""
        return TournamentWorkers(self, tournament)

    def collect(
        self, config: Config, network: ActorCritic, rollouts: Sequence[Rollout], random: torch.Generator
    ) -> tuple[list[Samples], float]:
        """What all rollouts collect with the network as it is, and the part of the seconds spent in it."""
        start = time.perf_counter()
        settings = dump(config)
        weights = ray.put({name: array.cpu().numpy() for name, array in network.state_dict().items()})
        shares = [(rollout, rows) for rollout in rollouts for rows in _blocks(len(rollout.tables))]
        saved = {rollout: rollout.save() for rollout in rollouts}
        tasks = [
            _collect.remote(
                settings, rollout.tables.players, weights,
                {name: array[rows] for name, array in saved[rollout].items()},
                int(torch.randint(2**62, (), generator=random, device=random.device)),
            )
            for rollout, rows in shares
        ]  # fmt: skip
        results: list[Collected] = _results(tasks)
        for (rollout, rows), result in zip(shares, results, strict=True):
            for name, array in saved[rollout].items():
                array[rows] = result.tables[name]
        for rollout in rollouts:
            rollout.load(saved[rollout])
        inference = sum(result.inference for result in results) / sum(result.seconds for result in results)
        return [result.samples for result in results], inference * (time.perf_counter() - start)


class TournamentWorkers:
    """The cores of a cluster, see `workers.Workers`. Contestants travel as names, those with weights with their file
    beside; `module:function` must be found there.
    """

    def __init__(self, cluster: Cluster, tournament: Tournament) -> None:
        contestants = tuple((one.name, _file(one)) for one in tournament.contestants)
        self._cluster, self._started = cluster, []
        self._tournament = ray.put(
            Settings(
                version("followsuit"), tournament.game.NAME, tournament.players, contestants, tournament.seed,
                json.dumps(tournament.options),
            )
        )  # fmt: skip

    def room(self) -> int:
        return 2 * self._cluster.cores()  # each has the next one already

    def start(self, rounds: int | str, part: Part, recorded: bool) -> ray.ObjectRef:
        self._started.append(_play.remote(self._tournament, rounds, part, recorded))
        return self._started[-1]

    def finish(self, started: Collection[ray.ObjectRef]) -> tuple[ray.ObjectRef, Played]:
        [done], _ = ray.wait(list(started))
        [played] = _results([done])
        self._started.remove(done)
        return done, played

    def stop(self) -> None:
        for task in self._started:
            ray.cancel(task)


class Settings(NamedTuple):
    """What makes a tournament in a worker; hashable."""

    version: str
    game: str
    players: int
    contestants: tuple[tuple[str, bytes | None], ...]
    """Names, and what their files hold."""
    seed: int
    options: str
    """In JSON."""


class Collected(NamedTuple):
    """What a task collected."""

    samples: Samples
    tables: dict[str, np.ndarray]
    """Where they stand now, see `Rollout.save`."""
    inference: float
    """Seconds."""
    seconds: float


def task(function: Callable[..., Any]) -> Any:
    """Of one core; done again however often its machine is lost, but not where the function itself raises an error."""
    return ray.remote(num_cpus=1, max_retries=-1)(function)


@task
def _play(settings: Settings, rounds: int | str, part: Part, recorded: bool) -> Played:
    return _tournament(settings).play_part(rounds, part, recorded)


@task
def _collect(
    settings: str, players: int, weights: dict[str, np.ndarray], tables: dict[str, np.ndarray], seed: int
) -> Collected:
    start = time.perf_counter()
    config, network = _learner(settings)
    network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    rollout = _rollout(settings, players, len(tables["totals"]))
    rollout.load(tables)
    random = torch.Generator().manual_seed(seed)
    samples, inference = rollout.collect(partial(draw, network, random, config.run.precision == "bfloat16"))
    return Collected(samples, rollout.save(), inference, time.perf_counter() - start)


@lru_cache(maxsize=2)
def _tournament(settings: Settings) -> Tournament:
    if (here := version("followsuit")) != settings.version:
        raise InputError(f"a machine of the cluster has followsuit {here}, not {settings.version}")
    game = load_game(settings.game)
    contestants = [_contestant(name, file, game) for name, file in settings.contestants]
    tournament = Tournament(game, settings.players, contestants, (), settings.seed, json.loads(settings.options))
    tournament.warm_up()
    return tournament


@lru_cache(maxsize=2)
def _learner(settings: str) -> tuple[Config, ActorCritic]:
    config = parse_config(settings, "the settings of the run")
    return config, ActorCritic(load_game(config.game.name), Shape(**asdict(config.network))).eval()


@lru_cache(maxsize=8)
def _rollout(settings: str, players: int, tables: int) -> Rollout:
    return new_rollout(_learner(settings)[0], players, tables)


def _contestant(name: str, file: bytes | None, game: Game) -> Policy:
    if file is None:
        return policy(name, game)
    with TemporaryDirectory() as folder:
        (Path(folder) / FILE_NAME).write_bytes(file)
        contestant = policy(folder, game)
    contestant.name = name
    return contestant


def _file(contestant: Policy) -> bytes | None:
    if not isinstance(contestant, NetworkPolicy):
        return None
    path = Path(contestant.name)
    return (path / FILE_NAME if path.is_dir() else path).read_bytes()


def _knock(address: str) -> None:
    """InputError where nobody listens, which Ray itself would find out after minutes."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal()):
        raise InputError(f"a Ray cluster's address is host:port, not {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster answers at {address}: {error}") from error


def _blocks(tables: int) -> list[np.ndarray]:
    return np.array_split(np.arange(tables), -(-tables // TABLES_A_TASK))


def _results(tasks: list[ray.ObjectRef]) -> list[Any]:
    try:
        return ray.get(tasks)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error  # as it was raised there, in one line
