"""`followsuit describe`: the page of a game, written from its code; docs/games/ holds those of all games."""

import argparse
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ..envs import GAMES, render
from ..envs.aec import ILLEGAL_REWARD, RENDER_MODES, REWARDS
from ..envs.errors import InputError
from ..envs.files import replacing, write_json, write_text
from ..envs.kernels import streams
from ..envs.rules.contract import Feature, Game, View, offsets, total_size
from ..envs.tables import MATCH, Tables, load_game, table_sizes
from ..policies import policy
from ..policies.base import Uniform
from ..training.results import evaluate
from . import options

RETURNS = "reference.json"
"""Beside the pages, by game: evaluations as `followsuit evaluate --json` writes them."""
SEED = 7
COLOURS_OF_PICTURE = 64


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    options.add_game(parser)
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the page and its picture there")
    parser.add_argument(
        "--deals", type=options.at_least(2), metavar="K",
        help=f"measure the reference returns over so many deals; else they are those of DIR/{RETURNS}, if any",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Prints the page or writes it."""
    game = load_game(args.game)
    kept = read_returns(args.write) if args.write else {}
    if args.deals:
        kept[game.NAME] = measure(game, args.deals)
    text = page(game, kept.get(game.NAME, []))
    if not args.write:
        print(text, end="")
        return 0
    args.write.mkdir(parents=True, exist_ok=True)
    if args.deals:
        write_json(args.write / RETURNS, kept)
    write_text(args.write / f"{game.NAME}.md", text)
    with replacing(args.write / f"{game.NAME}.png") as beside:
        picture(game).save(beside, "png", optimize=True)
    return 0


REFERENCES = ("uniform", "heuristic")
"""Whose returns a page gives; stronger players are measured by `followsuit ladder`."""


def read_returns(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The evaluations of each game that are kept in a folder of pages."""
    path = folder / RETURNS
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def measure(game: Game, deals: int) -> list[dict[str, Any]]:
    """At every table size each policy that the game has among its like, and against each other one.

    Without times, which differ from run to run.
    """
    policies = []
    for name in REFERENCES:
        with suppress(InputError):  # a game may be without a heuristic
            policies.append(policy(name, game))
    contests = [[one] for one in policies] + [policies] * (len(policies) > 1)
    results = [
        evaluate(game, players, contestants, deals, seed=SEED).to_json()
        for players in game.PLAYERS
        for contestants in contests
    ]
    for result in results:
        for contestant in result["contestants"]:
            del contestant["ms_per_decision"]
    return results


def scene(game: Game) -> tuple[View, tuple[str, ...]]:
    """The table in the picture, of a middling size and in the middle of a round, and the names of its actions."""
    players = game.PLAYERS[len(game.PLAYERS) // 2]
    tables = Tables(game, 1, players, seed=SEED, observations=False, restart=False)
    names = game.action_names(tables.states[0])
    uniform, random, views = Uniform(game), streams(SEED, [0]), []
    while not tables.round_over[0]:
        views.append(game.view(tables.states[0]))
        tables.step(uniform.act(tables, np.zeros(1, np.int64), random))
    middle = views[len(views) // 3 : 2 * len(views) // 3]
    return max(middle, key=lambda view: sum(seat.played is not None for seat in view.seats)), names


def picture(game: Game) -> Image.Image:
    """The picture of the page, of few colours so that its file is small."""
    return Image.fromarray(render.picture(game, scene(game)[0])).quantize(COLOURS_OF_PICTURE)


def page(game: Game, returns: Sequence[Mapping[str, Any]]) -> str:
    """The page of a game as Markdown, with `returns` as `measure` gives them."""
    environment = import_module(f"..envs.{GAMES[game.NAME]}", __package__)
    prose = (inspect.getdoc(environment) or "").partition("\n\n")[2]
    parts = [*_head(game, environment), *_layout(game), *_play(game), *_returns(game, returns), prose]
    return "\n\n".join(parts) + "\n"


def _head(game: Game, environment: Any) -> Iterator[str]:
    name, players = GAMES[game.NAME], inspect.signature(environment.env).parameters["players"].default
    yield f"# {game.TITLE}"
    yield f"<!-- written by `followsuit describe {game.NAME} --write docs/games` -->"
    yield f"By {game.DESIGNER}, for {table_sizes(game)} players. [The rules](../rules/{game.NAME}.md)"
    yield f"![A table of {game.TITLE} in the middle of a round]({game.NAME}.png)"
    yield "## How to make it"
    yield f"""```python
from followsuit.envs import Tables, {name}

env = {name}.env(players={players})  # PettingZoo
tables = Tables("{game.NAME}", 1024, players={players})  # many tables in lockstep
```"""
    yield (
        f'`pettingzoo.make("aec", "followsuit/{name.replace("_", "-")}", players={players})` makes the same '
        "environment once `followsuit.envs` is imported."
    )


def _layout(game: Game) -> Iterator[str]:
    known, hidden, actions = total_size(game.FEATURES), total_size(game.HIDDEN), len(game.ACTIONS)
    yield "## Spaces"
    yield "The same for every seat and table size."
    yield _table(
        ("what", "type", "shape", "values"),
        [
            ('`observation["observation"]`', "int8", f"[{known}]", "see below"),
            ('`observation["action_mask"]`', "int8", f"[{actions}]", "1: legal; all 0 for a seat that is not to act"),
            ("action", "int", "", f"0 … {actions - 1}"),
            ("`env.state()`", "int8", f"[{known + hidden}]", "what the seat to act knows, then what it does not"),
        ],
    )
    yield "## Observation"
    yield (
        "Seats are relative: 0 is the seat itself, 1 the next clockwise. What a smaller table does not have is 0. "
        f"`decode(FEATURES, observation)` of `followsuit.envs.rules.contract` gives the features of "
        f"`followsuit.envs.rules.{game.NAME}` by name."
    )
    yield _features(game.FEATURES)
    yield "Hidden from the seat, and given to a critic (`Tables.reveal`):"
    yield _features(game.HIDDEN)


def _features(features: tuple[Feature, ...]) -> str:
    rows = [
        (start, f"`{feature.name}`", list(feature.shape), f"{feature.low} … {feature.high}", feature.doc)
        for feature, start in zip(features, offsets(features), strict=True)
    ]
    return _table(("offset", "name", "shape", "range", "meaning"), rows)


def _play(game: Game) -> Iterator[str]:
    names = scene(game)[1]
    differ = names != game.ACTIONS
    yield "## Actions"
    if differ:
        yield "What an action is called differs from deal to deal, `action_names(state)` says how."
    heads = ("number", "action", *["in the deal of the picture"] * differ, "what it does")
    yield _table(heads, [_action_row(game, run, names if differ else None) for run in _runs(game)])
    yield "## Rewards"
    yield _table(("`reward`", "what a seat gets"), [(f'`"{name}"`', doc) for name, doc in REWARDS.items()])
    best = "highest" if game.POINTS_SIGN > 0 else "lowest"
    yield (
        f"Rewards sum to 0; the {best} total wins. An illegal action ends the game with {ILLEGAL_REWARD:g} for its "
        "seat and 0 for the others."
    )
    yield "## Options"
    rows = [
        ("rounds", f'`"{MATCH}"`', "a number", "rounds of a game, or the official game"),
        ("reward", '`"points"`', _either(REWARDS), "see above"),
        ("render_mode", "`None`", _either(RENDER_MODES), "what `render()` gives"),
    ]
    for name, option in game.OPTIONS.items():
        allowed = option.allowed
        told = f"{allowed[0]} … {allowed[-1]}" if isinstance(allowed, range) else _either(allowed or ()) or "as it says"
        rows.append((name, f"`{json.dumps(option.default)}`".replace("null", "None"), told, option.doc))
    yield _table(("option", "default", "allowed", "meaning"), rows)


def _either(values: Any) -> str:
    return ", ".join(f"`{json.dumps(value)}`" for value in values)


def _runs(game: Game) -> Iterator[list[int]]:
    """The actions in runs of one first letter; runs of one or two are joined."""
    runs = [list(run) for _, run in groupby(range(len(game.ACTIONS)), lambda action: game.ACTIONS[action][0])]
    for _, joined in groupby(runs, lambda run: (run[0] < game.CARDS, len(run) > 2 and run[0] + 1)):
        yield [action for run in joined for action in run]


def _action_row(game: Game, run: list[int], pictured: Sequence[str] | None) -> list[str]:
    alike = len(run) > 4 and len({game.ACTIONS[action][0] for action in run}) == 1

    def told(names: Sequence[str]) -> str:
        words = [f"`{names[action]}`" for action in run]
        return f"{words[0]}, {words[1]} … {words[-1]}" if alike else ", ".join(words)

    numbers = f"{run[0]} … {run[-1]}" if len(run) > 1 else str(run[0])
    does = "plays this card" if run[0] < game.CARDS else "see the rules"
    return [numbers, told(game.ACTIONS), *([told(pictured)] if pictured else []), does]


def _returns(game: Game, returns: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if returns:
        yield "## Reference returns"
        yield (
            f"Official games, {returns[0]['deals']} deals × every rotation of the seats, seed {returns[0]['seed']}, "
            f"as `followsuit evaluate {game.NAME}` plays them: one seat of the policy against a table of the other. "
            "Margin: points a round better than the mean of the others; ± 95 % interval by deal."
        )
        rows = [_return_row(result, number) for result in returns for number in range(len(result["contestants"]))]
        yield _table(("players", "policy", "against", "points a round", "margin", "share of wins"), rows)
    yield "## Speed"
    yield f"`followsuit bench {game.NAME}` measures it; the [README](../../README.md) has figures."


def _return_row(result: Mapping[str, Any], number: int) -> list[str]:
    own, *others = result["contestants"][number:] + result["contestants"][:number]
    row = [str(result["players"]), own["policy"], (others or [own])[0]["policy"], f"{own['points_per_round']:.2f}"]
    if not others:  # among its like nobody is ahead
        return [*row, "–", "–"]
    margin = f"{own['margin']:+.2f} ± {_half(own['margin_ci']):.2f}"
    return [*row, margin, f"{100 * own['win_share']:.1f} % ± {100 * _half(own['win_ci']):.1f}"]


def _half(interval: Sequence[float]) -> float:
    return (interval[1] - interval[0]) / 2


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [heads, ["---"] * len(heads), *rows])
