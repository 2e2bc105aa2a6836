"""`followsuit evaluate`: policies compared on duplicate deals."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from ..envs.files import write_json
from ..envs.records import write_file
from ..envs.tables import load_game
from ..policies import policy
from ..training import arena
from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    options.add_game(parser)
    options.add_players(parser)
    parser.add_argument(
        "--policies", type=options.names, required=True, metavar="A,B,…",
        help="as many as there are seats: that line-up; else each alone against a table full of each other one",
    )  # fmt: skip
    parser.add_argument("--deals", type=options.at_least(2), required=True, metavar="K",
                        help="deals, each played once with every rotation of the seats")  # fmt: skip
    options.add_rounds(parser)
    options.add_seed(parser)
    parser.add_argument("--json", metavar="FILE", help="also write the result here")
    parser.add_argument("--records", metavar="FILE", help="also write the records of all games here")


def run(args: argparse.Namespace) -> int:
    """Evaluates, then prints a table."""
    game = load_game(args.game)
    contestants = [policy(name, game) for name in args.policies]
    console = Console()
    records: list[dict[str, Any]] = []
    with progress_bar(console, "playing") as tell:
        result = arena.evaluate(
            game, args.players, contestants, args.deals, args.rounds, args.seed,
            keep=records.append if args.records else None, progress=tell,
        )  # fmt: skip
    console.print(result_table(result))
    if args.records:
        write_file(args.records, records)
    if args.json:
        write_json(args.json, result.to_json())
    return 0


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Callable[[float], None]]:
    """A bar on the terminal; yields what it is told the part done with, 0 … 1."""
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda part: progress.update(task, completed=part)


def result_table(result: arena.Result) -> Table:
    """The standings, as a person reads them."""
    rounds = "official match" if result.rounds == "match" else f"rounds: {result.rounds}"
    table = Table(
        title=f"{load_game(result.game).TITLE}, {result.players} players, {rounds}",
        caption=f"{result.deals:,} deals × {result.players} rotations, seed {result.seed}; "
        "margin: points a round ahead of the others' mean; ± 95 % interval by deal",
    )
    for name in ("policy", "points a round", "margin", "share of wins"):
        table.add_column(name, justify="left" if name == "policy" else "right", overflow="fold")
    for standing in sorted(result.standings, key=lambda standing: -standing.margin.mean):
        table.add_row(
            Path(standing.policy).name,
            f"{standing.points_per_round:.2f}",
            f"{standing.margin.mean:+.2f} ± {half(standing.margin):.2f}",
            f"{100 * standing.wins.mean:.1f} % ± {100 * half(standing.wins):.1f}",
        )
    return table


def half(estimate: arena.Estimate) -> float:
    """Half the width of the interval."""
    return (estimate.high - estimate.low) / 2
