"""`followsuit ladder`: all baselines of a game and what is added, measured in both scores, with a report."""

import argparse
from pathlib import Path

from rich.console import Console

from ..envs.tables import load_game
from ..policies import policy
from ..training.results import ladder
from . import options
from .evaluate import progress_bar, write
from .threads import one_core_each

RUNGS = ("uniform", "heuristic", "flat:20", "flat:200", "pimc", "ismcts:1000", "cheat:50")
"""The baselines, from the weakest; the last sees all hands, a ceiling."""
STATE, JSON, HTML = "state.npz", "ladder.json", "report.html"
"""What the folder of a ladder holds."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    options.add_game(parser)
    options.explain_policies(parser)
    options.add_players(parser, required=False)
    parser.add_argument("--policies", type=options.names, default=[], metavar="A,B,…",
                        help="contestants beside the baselines: checkpoints, module:function, …")  # fmt: skip
    parser.add_argument("--baselines", type=options.names, default=list(RUNGS), metavar="A,B,…",
                        help=f"in place of {','.join(RUNGS)}")  # fmt: skip
    parser.add_argument("--until-sure", type=options.positive, default=0.5, metavar="X",
                        help="rounds end when every margin is known to ± X points (default 0.5)")  # fmt: skip
    parser.add_argument("--minutes", type=options.positive, default=15.0, metavar="M",
                        help="or after two thirds of this time; matches have the rest (default 15)")  # fmt: skip
    parser.add_argument("--matches", type=options.at_least(2), default=100, metavar="K",
                        help="mixed tables, each plays the official match in every rotation (default 100)")  # fmt: skip
    options.add_seed(parser)
    options.add_threads(parser)
    options.add_ray(parser)
    options.add_results(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="the ladder's folder (default runs/ladder-GAME-Np)")


def run(args: argparse.Namespace) -> int:
    """Plays, from where the folder's ladder was stopped if it was; prints the tables and writes the report."""
    game = load_game(args.game)
    players = args.players or max(game.PLAYERS)
    names = list(dict.fromkeys([*args.baselines, *args.policies]))
    contestants = [policy(name, game) for name in names]
    one_core_each()
    cluster = options.cluster(args)
    folder = args.out or Path("runs") / f"ladder-{game.NAME}-{players}p"
    folder.mkdir(parents=True, exist_ok=True)
    console = Console()
    try:
        with progress_bar(console, "playing") as tell:
            result = ladder(
                game, players, contestants, args.until_sure, args.minutes, args.matches, args.seed,
                progress=tell, threads=args.threads, state=folder / STATE, cluster=cluster,
            )  # fmt: skip
    except KeyboardInterrupt:
        console.print(f"stopped and saved in {folder}; the same command goes on", soft_wrap=True)
        return 130
    write(result, console, args.json or folder / JSON, args.html or folder / HTML)
    console.print(f"report: {args.html or folder / HTML}", soft_wrap=True)
    return 0
