"""The games and the ways to reach them.

`fearless_v0` … are the PettingZoo environments, `Tables` plays many tables of one game at once, `records` writes,
reads and verifies games. `GAMES` names every game there is; a new one is one line here.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pettingzoo

if TYPE_CHECKING:
    from .tables import Tables, load_game

GAMES = {"fearless": "fearless_v0", "fool": "fool_v0", "schoten": "schoten_v0", "cupid": "cupid_v0"}
"""The module of rules of each game, by name, and its environment module with the version that results quote."""

_LAZY = {"Tables": "tables", "load_game": "tables"} | {module: module for module in GAMES.values()}

__all__ = ["GAMES", "Tables", "load_game", *GAMES.values()]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module: ModuleType = import_module(f".{_LAZY[name]}", __name__)
    return module if name == _LAZY[name] else getattr(module, name)


if hasattr(pettingzoo, "register"):  # from 1.26 on
    for _module in GAMES.values():
        pettingzoo.register("aec", f"followsuit/{_module.replace('_', '-')}", f"{__name__}.{_module}:env")
