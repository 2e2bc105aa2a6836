"""The games and the ways to reach them.

`fearless_v0` … are the PettingZoo environments, `Tables` plays many tables of one game at once, `records` writes,
reads and verifies games. `GAMES` names every game there is; a new one is one line here.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium
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


for _game, _module in GAMES.items():
    _name = _module.replace("_", "-")
    gymnasium.register(
        f"followsuit/{_name.capitalize()}",
        f"{__name__}.seat:one_seat",
        vector_entry_point=f"{__name__}.seat:many_seats",
        kwargs={"game": _game},
    )
    if hasattr(pettingzoo, "register"):  # from 1.26 on
        pettingzoo.register("aec", f"followsuit/{_name}", f"{__name__}.{_module}:env")
        pettingzoo.register("parallel", f"followsuit/{_name}", f"{__name__}.{_module}:parallel_env")
