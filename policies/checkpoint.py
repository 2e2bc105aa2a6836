"""Checkpoints: the weights of a network in safetensors, and in its header all that is needed to trust them."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from torch import Tensor

from ..envs.errors import InputError
from ..envs.files import replacing
from ..envs.rules.contract import Game
from ..envs.tables import load_game
from .network import ActorCritic, NetworkPolicy, Shape

FILE_NAME = "checkpoint.safetensors"
"""A run folder's checkpoint."""


def layout(game: Game) -> dict[str, Any]:
    """What a network's inputs and outputs mean: features by name and shape, and the actions."""
    return {
        "features": {feature.name: list(feature.shape) for feature in game.FEATURES},
        "hidden": {feature.name: list(feature.shape) for feature in game.HIDDEN},
        "actions": list(game.ACTIONS),
    }


def layout_hash(game: Game) -> str:
    """Changes with anything in `layout`."""
    return hashlib.sha256(json.dumps(layout(game)).encode()).hexdigest()[:16]


def save_tensors(path: str | os.PathLike[str], tensors: Mapping[str, Tensor], header: Mapping[str, Any]) -> None:
    """Writes tensors and a header of JSON values, beside an old file until it is complete."""
    metadata = {key: json.dumps(value) for key, value in header.items()}
    with replacing(path) as beside:
        safetensors.torch.save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, beside, metadata)


def load_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and header as `save_tensors` wrote them; InputError where the file is missing or damaged."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            header = {key: json.loads(value) for key, value in (file.metadata() or {}).items()}
            return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (safetensors.SafetensorError, ValueError) as error:
        raise InputError(f"{path} is no complete safetensors file: {error}") from error


def save_checkpoint(path: str | os.PathLike[str], game: Game, network: ActorCritic, header: Mapping[str, Any]) -> None:
    """Writes the weights of a network; `header` adds to what every checkpoint says of itself."""
    own = {
        "game": game.NAME,
        "layout": layout(game),
        "layout_hash": layout_hash(game),
        "network": network.shape._asdict(),
    }
    save_tensors(path, network.state_dict(), own | dict(header))


def load_checkpoint(path: str | os.PathLike[str]) -> tuple[Game, ActorCritic, dict[str, Any]]:
    """The game, the network and the header of a checkpoint file or run folder; InputError says why it is refused."""
    file = Path(path)
    if file.is_dir():
        file = file / FILE_NAME
    tensors, header = load_tensors(file)
    if not {"game", "layout", "layout_hash", "network"} <= header.keys():
        raise InputError(f"{file} is no checkpoint of this project: its header lacks game, layout or network")
    game = load_game(header["game"])
    if header["layout_hash"] != layout_hash(game):
        raise InputError(f"{file} does not fit {game.NAME} as it is now: {_difference(header['layout'], layout(game))}")
    network = ActorCritic(game, Shape(**header["network"]))
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise InputError(f"{file}: the weights do not fit the network of its header") from error
    return game, network.eval(), header


def load_policy(path: str | os.PathLike[str], game: Game) -> NetworkPolicy:
    """The policy of a checkpoint; InputError where it is of another game."""
    trained, network, _ = load_checkpoint(path)
    if trained.NAME != game.NAME:
        raise InputError(f"{path} plays {trained.NAME}, not {game.NAME}")
    return NetworkPolicy(network, str(path))


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    for part in ("features", "hidden"):
        before, now = old.get(part, {}), new[part]
        for name in dict.fromkeys([*before, *now]):
            if before.get(name) != now.get(name):
                return f"feature {name!r} was {_size(before.get(name))}, is {_size(now.get(name))}"
    if old.get("actions") != new["actions"]:
        return "its actions were others"
    return "its features were in another order"


def _size(shape: list[int] | None) -> str:
    return "not there" if shape is None else "×".join(map(str, shape))
