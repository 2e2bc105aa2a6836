"""`followsuit train`: self-play with a live display, from nothing or from where a run was stopped."""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..envs.errors import InputError
from ..envs.files import write_json
from . import options
from .threads import spin_little

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ..training.config import Config
    from ..training.ppo import Progress, Trainer

OVERRIDES = True
PLAIN_SECONDS = 20
"""How often progress is told where there is no terminal to show it live."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.add_argument("game", nargs="?", metavar="GAME|CONFIG.toml", help="a game's own settings, or a file of them")
    parser.add_argument("--players", type=options.sizes, metavar="N[,N…]", help="table size, or several to share")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--minutes", type=options.positive, metavar="M", help="training time")
    budget.add_argument("--decisions", type=options.at_least(1), metavar="D", help="or decisions; repeatable")
    parser.add_argument("--seed", type=options.at_least(0), metavar="S", help="decides all chance")
    parser.add_argument("--out", metavar="DIR", help="the run's folder (default runs/GAME-PLAYERSp-DATE)")
    parser.add_argument("--resume", metavar="DIR", help="go on with the run of this folder from its last save")
    options.add_ray(parser)


def run(args: argparse.Namespace) -> int:
    """Trains, evaluates, and says how to go on."""
    spin_little()
    from rich.console import Console

    from ..training.ppo import Trainer

    trainer = _resumed(args) if args.resume else Trainer(*_new(args), options.cluster(args))
    console = Console()
    console.print(_opening(trainer))
    try:
        _train(trainer, console)
    except KeyboardInterrupt:
        trainer.save()
        console.print(f"stopped and saved; go on with: followsuit train --resume {trainer.folder}")
        return 130
    _evaluate(trainer, console)
    console.print(f"watch: tensorboard --logdir {trainer.folder}", soft_wrap=True)
    console.print(f"play:  followsuit play {trainer.game.NAME} --against {trainer.folder}", soft_wrap=True)
    return 0


def _new(args: argparse.Namespace) -> "tuple[Config, str | Path]":
    from ..training.config import load_config, override

    if not args.game:
        raise InputError("train needs a GAME, a CONFIG.toml or --resume DIR")
    config = override(load_config(args.game), args.overrides)
    if args.players:
        config = replace(config, game=replace(config.game, players=args.players))
    config = replace(config, run=replace(config.run, **_budget(args)))
    if args.seed is not None:
        config = replace(config, run=replace(config.run, seed=args.seed))
    sizes = "-".join(map(str, config.game.players))
    default = Path("runs") / f"{config.game.name}-{sizes}p-{time.strftime('%Y%m%d-%H%M%S')}"
    return config, args.out or default


def _resumed(args: argparse.Namespace) -> "Trainer":
    from ..training.ppo import Trainer

    for option in ("game", "players", "seed", "out"):
        if getattr(args, option) is not None:
            raise InputError(f"--resume goes on with the run's own settings; leave {option} out")
    if args.overrides:
        raise InputError(f"--resume goes on with the run's own settings; leave --{args.overrides[0]} out")
    trainer = Trainer.resume(args.resume, _budget(args), options.cluster(args))
    if trainer.part_done >= 1:
        raise InputError(f"{args.resume} is finished; give it more with --minutes or --decisions")
    return trainer


def _budget(args: argparse.Namespace) -> dict[str, float]:
    if args.minutes:
        return {"minutes": args.minutes, "decisions": 0}
    return {"decisions": args.decisions} if args.decisions else {}


def _opening(trainer: "Trainer") -> str:
    config = trainer.config
    sizes = ", ".join(map(str, config.game.players))
    budget = f"{config.run.decisions:,} decisions" if config.run.decisions else f"{config.run.minutes:g} minutes"
    weights = sum(parameter.numel() for parameter in trainer.network.parameters())
    cores = f", decisions from {trainer.cluster.cores()} cores of a cluster" if trainer.cluster else ""
    return (
        f"{trainer.game.TITLE}, {sizes} players: {budget} of self-play, {weights:,} weights, "
        f"{config.run.precision} on {trainer.device}{cores}, into {trainer.folder}"
    )


def _train(trainer: "Trainer", console: "Console") -> None:
    from rich.live import Live

    from ..training.log import Log

    log = Log(trainer.folder, trainer.decisions)
    told, line = time.monotonic(), ""
    try:
        with Live(console=console, refresh_per_second=4, transient=True) as live:
            for progress in trainer.train():
                log.write(progress)
                live.update(_display(progress))
                line = _line(progress)
                if not console.is_terminal and time.monotonic() - told >= PLAIN_SECONDS:
                    told = time.monotonic()
                    console.print(line, soft_wrap=True)
    finally:
        log.close()
    console.print(line, soft_wrap=True)


def _display(progress: "Progress") -> "RenderableType":
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    grid = Table.grid(padding=(0, 3))
    losses, shares = progress.losses, progress.shares
    grid.add_row("decisions", f"{progress.decisions:,}", "per second", f"{progress.decisions_per_second:,.0f}")
    grid.add_row("time left", _time_left(progress), "entropy", f"{losses['entropy']:.3f}")
    grid.add_row("policy loss", f"{losses['policy']:+.4f}", "value loss", f"{losses['value']:.4f}")
    grid.add_row("time in", " · ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items()))
    for name, margin in progress.margins.items():
        grid.add_row(f"vs {name}", f"{margin.mean:+.2f}", "95 % interval", f"{margin.low:+.2f} … {margin.high:+.2f}")
    return Group(ProgressBar(total=1.0, completed=progress.part_done), grid)


def _line(progress: "Progress") -> str:
    margins = ", ".join(f"{margin.mean:+.2f} vs {name}" for name, margin in progress.margins.items())
    return (
        f"{progress.decisions:,} decisions, {progress.decisions / progress.seconds:,.0f}/s, "
        f"{_time_left(progress)} left, loss {progress.losses['policy']:+.4f}, entropy {progress.losses['entropy']:.3f}"
    ) + (f", margin {margins}" if margins else "")


def _time_left(progress: "Progress") -> str:
    seconds = progress.seconds * (1 / progress.part_done - 1)
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def _evaluate(trainer: "Trainer", console: "Console") -> None:
    from ..policies import policy
    from ..policies.checkpoint import load_policy
    from ..training.ppo import BASELINES
    from ..training.results import evaluate
    from .evaluate import progress_bar, result_table

    deals = trainer.config.run.final_deals
    if not deals:
        return
    game = trainer.game
    own = load_policy(trainer.folder, game)
    results = []
    for players in trainer.config.game.players:
        for name in BASELINES:
            with progress_bar(console, f"evaluating against {name}") as tell:
                contestants = [own, policy(name, game)]
                results.append(
                    evaluate(
                        game, players, contestants, deals, 1,
                        options=trainer.config.game.options, progress=tell, cluster=trainer.cluster,
                    )
                )  # fmt: skip
            console.print(result_table(results[-1]))
    write_json(trainer.folder / "evaluation.json", [result.to_json() for result in results])
