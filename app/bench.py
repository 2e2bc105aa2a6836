"""`followsuit bench`: how fast everything is on one core, and how fast others are in the same run."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ..envs import GAMES
from ..envs.files import write_json
from ..envs.kernels import streams
from ..envs.tables import Tables, load_game
from ..policies.base import uniform_kernel
from . import options, rates
from .machine import machine
from .rates import Row, random_game, rate
from .threads import spin_little

TABLES = 1024
TRAIN_UPDATES = 12


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)} (default: all)")
    options.add_players(parser, required=False)
    parser.add_argument("--peers", action="store_true", help="also measure open_spiel and pettingzoo[classic]")
    parser.add_argument("--json", metavar="FILE", help="also write the figures here")


def run(args: argparse.Namespace) -> int:
    """Measures, then prints a table."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    with console.status("measuring") as status:
        rows = list(_measure(args.games or list(GAMES), args.players, args.peers, status.update))
    told = machine("numba", "numpy", "pettingzoo")
    table = Table("game", "players", "what", "value", "unit", caption=told, caption_justify="left")
    for column, justify in zip(table.columns, ("left", "right", "left", "right", "left"), strict=True):
        column.justify, column.overflow = justify, "fold"
    for row in rows:
        value = f"{row.value:,.0f}" if row.value >= 100 else f"{row.value:.2f}"
        table.add_row(row.game, str(row.players), row.what, value, row.unit)
    console.print(table)
    if args.json:
        write_json(args.json, [row._asdict() for row in rows])
    return 0


def _measure(games: list[str], players: int | None, peers: bool, tell: Callable[[str], None]) -> Iterator[Row]:
    for name in games:
        load_game(name)  # an unknown name is refused before anything is measured
    for name in games:
        seats = len(environment(name, players).possible_agents)
        for measure in MEASURES:
            tell(f"{name}: {measure.__name__}")
            yield from measure(name, seats)
    if peers:
        from . import peers as others

        for measure in (others.open_spiel_hearts, others.connect_four):
            tell(f"peers: {measure.__name__}")
            try:
                yield from measure()
            except ModuleNotFoundError as error:
                print(f"not measured: {error.name} is not installed (pip install 'followsuit[peers]')", file=sys.stderr)


def environment(name: str, players: int | None = None) -> Any:
    """The environment of a game, of its usual table size by default."""
    env = import_module(f"followsuit.envs.{GAMES[name]}").env
    return env() if players is None else env(players=players)


def tables_masks(name: str, players: int) -> Iterator[Row]:
    """Many tables of uniform play, without observations."""
    value = rate(uniform_play(name, players, TABLES, observations=False))
    yield Row(name, players, "tables_masks", value, "decisions/s")


def tables_observations(name: str, players: int) -> Iterator[Row]:
    """Many tables of uniform play, with the observation of every seat to act."""
    value = rate(uniform_play(name, players, TABLES, observations=True))
    yield Row(name, players, "tables_observations", value, "decisions/s")


def one_table(name: str, players: int) -> Iterator[Row]:
    """One table, driven from Python."""
    value = rate(uniform_play(name, players, 1, observations=False))
    yield Row(name, players, "one_table", value, "steps/s")


def uniform_play(name: str, players: int, count: int, observations: bool) -> Callable[[], int]:
    """What plays `count` tables on by some steps, and says how many decisions that took."""
    tables = Tables(name, count, players, observations=observations)
    choose = uniform_kernel(tables.game)
    rows = np.arange(count)
    generators = streams(1, rows)
    actions = np.zeros(count, np.int64)
    steps = max(1, 100_000 // count)

    def play() -> int:
        for _ in range(steps):
            choose(tables.mask, rows, generators, actions)
            tables.step(actions)
        return steps * count

    return play


def aec(name: str, players: int) -> Iterator[Row]:
    """PettingZoo's loop over the turns of one game."""
    env = environment(name, players)
    yield Row(name, players, "aec", rate(lambda: random_game(env)), "turns/s")


def first_use(name: str, players: int) -> Iterator[Row]:
    """A new process until its first observation: with nothing compiled yet, and later."""
    code = f"from followsuit.envs import {GAMES[name]} as m; e = m.env(players={players}); e.reset(seed=0); e.last()"

    def seconds(cache: str) -> float:
        start = perf_counter()
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"FOLLOWSUIT_CACHE_DIR": cache}, check=True)  # noqa: S603
        return perf_counter() - start

    fresh, cached = [], []
    for _ in range(rates.REPETITIONS):
        with tempfile.TemporaryDirectory() as cache:
            fresh.append(seconds(cache))
            cached.append(seconds(cache))
    yield Row(name, players, "first_use", median(fresh), "s")
    yield Row(name, players, "first_use_cached", median(cached), "s")


def train(name: str, players: int) -> Iterator[Row]:
    """Self-play with the game's own settings, from cards to learnt weights, on all cores."""
    spin_little()
    from ..training.config import load_config, override
    from ..training.ppo import Trainer

    config = override(load_config(name), [f"game.players={players}", "run.evaluate_seconds=0"])
    with tempfile.TemporaryDirectory() as folder:
        updates = list(islice(Trainer(config, folder).train(), TRAIN_UPDATES))[1:]
    yield Row(name, players, "train", median(update.decisions_per_second for update in updates), "decisions/s")
    engine = median(update.shares["engine"] for update in updates)
    yield Row(name, players, "train_engine", 100 * engine, "% of the time")


MEASURES = (tables_masks, tables_observations, one_table, aec, first_use, train)
