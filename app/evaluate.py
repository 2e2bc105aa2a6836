"""`followsuit evaluate`: policies compared on duplicate deals."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from ..envs.files import write_json, write_text
from ..envs.records import write_file
from ..envs.tables import MATCH, load_game
from ..policies import policy
from ..training.results import Result, Standing, evaluate
from . import options
from .threads import one_core_each


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    options.add_game(parser)
    options.explain_policies(parser)
    options.add_players(parser)
    parser.add_argument(
        "--policies", type=options.names, required=True, metavar="A,B,…",
        help="as many as there are seats: that line-up; else each alone against a table full of each other one",
    )  # fmt: skip
    parser.add_argument("--deals", type=options.at_least(2), metavar="K",
                        help="deals, each played once with every rotation of the seats")  # fmt: skip
    parser.add_argument(
        "--until-sure", type=options.positive, metavar="X",
        help="end when every contestant's margin is known to ± X points a round, or after --deals",
    )  # fmt: skip
    options.add_rounds(parser)
    options.add_seed(parser)
    options.add_threads(parser)
    options.add_ray(parser)
    options.add_results(parser)
    parser.add_argument("--records", metavar="FILE", help="also write the records of all games here")
    parser.add_argument("--state", type=Path, metavar="FILE",
                        help="keep what was played here, and go on from it where it exists")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Evaluates, then prints a table."""
    game = load_game(args.game)
    contestants = [policy(name, game) for name in args.policies]
    one_core_each()
    cluster = options.cluster(args)
    console = Console()
    records: list[dict[str, Any]] = []
    with progress_bar(console, "playing") as tell:
        result = evaluate(
            game, args.players, contestants, args.deals, args.rounds, args.seed,
            keep=records.append if args.records else None, progress=tell,
            until_sure=args.until_sure, threads=args.threads, state=args.state, cluster=cluster,
        )  # fmt: skip
    write(result, console, args.json, args.html)
    if args.records:
        write_file(args.records, records)
    return 0


def write(result: Result, console: Console, json: str | Path | None, html: str | Path | None) -> None:
    """Prints a result as tables, and writes the files asked for."""
    console.print(result_table(result))
    if result.matrix and len(result.matrix) > 2:
        console.print(matrix_table(result))
    if json:
        write_json(json, result.to_json())
    if html:
        from .report import page

        write_text(html, page(result))


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Callable[[float], None]]:
    """A bar on the terminal; yields what it is told the part done with, 0 … 1."""
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda part: progress.update(task, completed=part)


def result_table(result: Result) -> Table:
    """The standings, as a person reads them."""
    table = Table(title=title(result), caption=caption(result))
    rated = any(standing.rating for standing in result.standings)
    heads = ["policy", "points", "margin", "wins", *["rating"] * rated, "ms"]
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    table.columns[0].justify, table.columns[0].overflow, table.columns[0].no_wrap = "left", "fold", False
    for standing in ranked(result):
        rating = standing.rating
        table.add_row(
            Path(standing.policy).name,
            f"{standing.points_per_round:.2f}",
            f"{standing.margin.mean:+.2f} ± {standing.margin.half:.2f}",
            f"{100 * standing.wins.mean:.1f} ± {100 * standing.wins.half:.1f} %",
            *([f"{rating.mu:.1f} ± {rating.sigma:.1f}"] if rating else [""] * rated),
            milliseconds(standing.ms_per_decision),
        )
    return table


def matrix_table(result: Result) -> Table:
    """The margins of one against the rest, as a person reads them."""
    table = Table(
        title="margin of one (row) against a table of the other (column)", caption="± is in the report and in the JSON"
    )
    names = [Path(standing.policy).name for standing in result.standings]
    table.add_column("one")
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for name, row in zip(names, result.matrix or [], strict=True):
        table.add_row(name, *(f"{cell.mean:+.2f}" if cell else "" for cell in row))
    return table


def ranked(result: Result) -> list[Standing]:
    """The standings, the best first."""
    return sorted(result.standings, key=lambda standing: -standing.margin.mean)


def title(result: Result) -> str:
    """Game, table size and how long games are."""
    rounds = "official match" if result.rounds == MATCH else f"rounds: {result.rounds}"
    return f"{load_game(result.game).TITLE}, {result.players} players, {rounds}"


def caption(result: Result) -> str:
    """From what the figures are, and what they mean."""
    told = f"{result.deals:,} deals × {result.players} rotations, seed {result.seed}; "
    if result.matches is not None:
        told += f"wins and rating: official matches at {result.matches:,} mixed tables × {result.players} rotations; "
    told += "points a round; margin: ahead of the others' mean; ± 95 % interval by deal"
    if any(standing.rating for standing in result.standings):
        told += ", of ratings one standard deviation"
    return told + "; ms of one core for a decision"


def milliseconds(value: float | None) -> str:
    """A time of thinking to two significant digits."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.2g}" if value < 10 else f"{value:.0f}"
