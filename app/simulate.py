"""`followsuit simulate`: games between policies, as records."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from ..envs.kernels import streams
from ..envs.records import GameLog, write_file, write_records
from ..envs.tables import MATCH, Tables, load_game
from ..policies import policy
from ..policies.base import Policy
from ..training.arena import finish
from . import options

TABLES = 256

T = TypeVar("T")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    options.add_game(parser)
    options.explain_policies(parser)
    options.add_players(parser)
    parser.add_argument(
        "--policies", type=options.names, default=["uniform"], metavar="P[,P…]",
        help="who sits where, seat 0 first, over again for the remaining seats (default uniform)",
    )  # fmt: skip
    parser.add_argument("--games", type=options.at_least(1), default=1, metavar="K", help="how many (default 1)")
    options.add_seed(parser)
    options.add_rounds(parser)
    parser.add_argument("--legal", action="store_true", help="also write what was legal at every move")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write here (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Writes the records."""
    game = load_game(args.game)
    policies = [policy(name, game) for name in args.policies]
    games = simulate(args.game, args.players, policies, args.games, args.seed, args.rounds, args.legal)
    if sys.stderr.isatty():
        games = _counted(games, args.games)
    if args.output:
        write_file(args.output, games)
    else:
        write_records(games, sys.stdout)
    return 0


def simulate(
    game: str,
    players: int,
    policies: Sequence[Policy],
    games: int,
    seed: int = 0,
    rounds: int | str = MATCH,
    legal: bool = False,
    tables: int = TABLES,
) -> Iterator[dict[str, Any]]:
    """The records of `games` games, `tables` of them played at a time.

    Seat s is played by `policies[s % len(policies)]`. Game k depends on the seed and k alone, whatever `tables` is.
    """
    seats = [policies[seat % len(policies)] for seat in range(players)]
    for first in range(0, games, tables):
        numbers = np.arange(first, min(first + tables, games))
        observes = any(player.observes for player in seats)
        batch = Tables(
            game, len(numbers), players, rounds, seed=seed, streams=numbers, observations=observes, restart=False
        )
        logs = [GameLog(batch, table, legal) for table in range(len(batch))]
        finish(batch, np.tile(np.arange(players), (len(batch), 1)), seats, streams(seed + 1, numbers), logs)
        for log in logs:
            yield log.record() | {"names": [player.name for player in seats]}


def _counted(games: Iterable[T], total: int) -> Iterator[T]:
    """The same games, counted on a line of the terminal."""
    for number, game in enumerate(games, 1):
        print(f"\r{number} of {total} games", end="", file=sys.stderr, flush=True)
        yield game
    print(file=sys.stderr)
