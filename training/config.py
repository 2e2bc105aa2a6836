"""The settings of a training run: frozen dataclasses, read from TOML, changed key by key."""

import json
import os
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..envs import GAMES
from ..envs.errors import InputError, unknown
from ..envs.tables import MATCH, load_game, new_state


@dataclass(frozen=True)
class GameConfig:
    """What is played."""

    name: str = ""
    players: tuple[int, ...] = ()
    """Table sizes; the tables are shared out evenly among them."""
    rounds: Literal["match"] | int = MATCH
    reward: Literal["points", "win"] = "points"
    """Points of the round ahead of the others' mean, or the win of the game (see `envs.aec.REWARDS`)."""
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunConfig:
    """How long, how often, where."""

    minutes: float = 3.0
    """Training time; not used where `decisions` is set."""
    decisions: int = 0
    """Budget in decisions, forced ones included; 0: by time. Only such a run is repeatable number by number."""
    seed: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Of matrix products; "auto" takes the faster one as measured at start."""
    threads: int = 0
    """Of PyTorch on the CPU; 0: one a core."""
    save_seconds: float = 60.0
    evaluate_seconds: float = 30.0
    """How often the margin against the baselines is measured on the way; 0: never."""
    evaluate_deals: int = 100
    final_deals: int = 1000
    """Deals of the evaluation table at the end; 0: none."""


@dataclass(frozen=True)
class NetworkConfig:
    """The shape of the network."""

    width: int = 256
    layers: int = 2
    critic: Literal["state", "observation"] = "state"
    """Whether the value head also sees what is hidden from the seat; the policy never does."""
    critic_width: int = 128


@dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimization (Schulman et al. 2017) with GAE (Schulman et al. 2016)."""

    tables: int = 1024
    """Tables played in lockstep."""
    steps: int = 64
    """Decisions at each table between two updates."""
    minibatch: int = 8192
    epochs: int = 1
    """Passes over the decisions of one update."""
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-4
    """Annealed linearly to this over the run; so is the entropy bonus."""
    entropy: float = 0.01
    final_entropy: float = 0.001
    clip: float = 0.2
    gae_lambda: float = 0.95
    value_weight: float = 0.5
    reward_scale: float = 0.1
    """Rewards are multiplied by this; points of a round should come out near 1."""
    max_gradient: float = 0.5


@dataclass(frozen=True)
class Config:
    """All settings of a run."""

    game: GameConfig = field(default_factory=GameConfig)
    run: RunConfig = field(default_factory=RunConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)


def load_config(source: str | os.PathLike[str]) -> Config:
    """The settings of a game by its name, or of a TOML file; InputError says what is wrong in it."""
    if str(source) in GAMES:
        text = resources.files("followsuit.configs").joinpath(f"{source}.toml").read_text("utf-8")
    else:
        path = Path(source)
        if path.suffix != ".toml":
            raise unknown("game (or .toml file)", source, GAMES)
        try:
            text = path.read_text("utf-8")
        except OSError as error:
            raise InputError(f"{source}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{source}: not a text file") from error
    return parse_config(text, str(source))


def parse_config(text: str, source: str) -> Config:
    """The settings in a TOML text; `source` names it in errors."""
    try:
        config = _merge(Config(), tomllib.loads(text), "")
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: {error}") from error
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
    return config


def override(config: Config, settings: Iterable[str]) -> Config:
    """`config` with settings like "ppo.learning_rate=0.001" changed."""
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise InputError(f"{setting!r}: a setting is written section.key=value")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text  # a bare word is a string
        tree: Any = value
        for part in reversed(key.split(".")):
            tree = {part: tree}
        config = _merge(config, tree, "")
    return config


def check(config: Config) -> None:
    """InputError where the settings cannot work together."""
    game = load_game(config.game.name)
    for players in config.game.players:
        new_state(game, players, config.game.rounds, config.game.options)
    positive = {
        "game.players": len(config.game.players), "network.width": config.network.width,
        "network.layers": config.network.layers, "network.critic_width": config.network.critic_width,
        "ppo.steps": config.ppo.steps, "ppo.minibatch": config.ppo.minibatch, "ppo.epochs": config.ppo.epochs,
        "ppo.learning_rate": config.ppo.learning_rate, "ppo.clip": config.ppo.clip,
        "ppo.max_gradient": config.ppo.max_gradient, "ppo.reward_scale": config.ppo.reward_scale,
        "run.minutes": config.run.minutes or config.run.decisions, "run.evaluate_deals": config.run.evaluate_deals,
        "run.save_seconds": config.run.save_seconds,
    }  # fmt: skip
    for key, value in positive.items():
        if not value > 0:
            raise InputError(f"{key} must be above 0")
    if config.ppo.tables < len(config.game.players):
        raise InputError(f"ppo.tables must be at least {len(config.game.players)}, one for each table size")


def dump(config: Config) -> str:
    """The settings as TOML."""
    lines = []
    for section, values in asdict(config).items():
        lines += [f"[{section}]", *(f"{key} = {_toml(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def _merge(base: Any, values: Any, where: str) -> Any:
    """`base`, a dataclass, with a tree of values written over it."""
    if not isinstance(values, Mapping):
        raise InputError(f"{where or 'a config'} is a section: its keys are {', '.join(_names(base))}")
    changes = {}
    hints = get_type_hints(type(base))
    for key, value in values.items():
        path = f"{where}.{key}" if where else key
        if key not in _names(base):
            raise unknown("config key", path, [f"{where}.{name}" if where else name for name in _names(base)])
        old = getattr(base, key)
        changes[key] = _merge(old, value, path) if is_dataclass(old) else _typed(value, hints[key], path)
    return replace(base, **changes)


def _names(section: Any) -> list[str]:
    return [entry.name for entry in fields(section)]


def _typed(value: Any, hint: Any, path: str) -> Any:
    """`value` as the type `hint` says, or InputError."""
    if get_origin(hint) is tuple:
        items = value if isinstance(value, list) else [value]
        return tuple(_typed(item, get_args(hint)[0], path) for item in items)
    kinds = get_args(hint) if get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    for kind in kinds:
        if get_origin(kind) is Literal and value in get_args(kind) and not isinstance(value, bool):
            return value
        if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if kind in (int, str) and type(value) is kind:
            return value
        if get_origin(kind) is dict and isinstance(value, dict):
            return value
    raise InputError(f"{path} must be {' or '.join(_told(kind) for kind in kinds)}, not {value!r}")


def _told(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(repr(choice) for choice in get_args(kind))
    names = {int: "a whole number", float: "a number", str: "a string"}
    return names.get(kind, "a table of options")
