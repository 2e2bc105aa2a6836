"""Whatever can choose a card: `policy("uniform", game)`, `policy("heuristic", game)`, `policy("runs/…", game)`.

Policies never import what trains or shows them.
"""

from pathlib import Path

from ..envs.errors import InputError, unknown
from ..envs.rules.contract import Game
from .base import Policy, Uniform

NAMES = ("uniform", "heuristic")

__all__ = ["NAMES", "Policy", "policy"]


def policy(name: str, game: Game) -> Policy:
    """The policy of that name: one of `NAMES`, or the path of a checkpoint (its file or its run folder).

    InputError lists the names there are; so do a damaged checkpoint and one of another game say what is wrong.
    """
    if name == "uniform":
        return Uniform(game)
    if name == "heuristic":
        from .heuristics import Heuristic

        return Heuristic(game)
    if not Path(name).exists():
        if ":" in name:
            from .function import load_function

            return load_function(name)
        error = unknown("policy", name, NAMES)
        raise InputError(f"{error}; or the path of a checkpoint (no such file: {name}), or module:function")
    try:
        from .checkpoint import load_policy
    except ModuleNotFoundError as error:
        raise InputError(f"a checkpoint needs {error.name}: pip install 'followsuit[train]'") from error
    return load_policy(name, game)
