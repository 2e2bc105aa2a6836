"""Whatever can choose a card: `policy("heuristic", game)`, `policy("flat:20", game)`, `policy("runs/…", game)`, ….

Policies never import what trains or shows them.
"""

from pathlib import Path

from ..envs.errors import InputError, unknown
from ..envs.rules.contract import Game
from .base import Policy, Uniform
from .search import METHODS, search

NAMES = ("uniform", "heuristic", *(f"{method}:{kind.budget}" for method, kind in METHODS.items()))
KINDS = {
    "uniform": "any legal action, all as likely",
    "heuristic": "rules of thumb",
    **{f"{method}[:N]": f"{kind.doc}; N {kind.unit} (default {kind.budget})" for method, kind in METHODS.items()},
    "PATH": "a checkpoint: its file or its run folder",
    "module:function": "your own (observation, mask) -> action",
}
"""What a policy's name may be, and what it stands for."""

__all__ = ["KINDS", "NAMES", "Policy", "policy"]


def policy(name: str, game: Game) -> Policy:
    """The policy of that name: uniform, heuristic, a search (`followsuit.policies.search`), module:function of
    the user's own code, or the path of a checkpoint, its file or its run folder.

    InputError lists the names there are; so do a damaged checkpoint and one of another game say what is wrong.
    """
    if name == "uniform":
        return Uniform(game)
    if name == "heuristic":
        from .heuristics import Heuristic

        return Heuristic(game)
    if name.partition(":")[0] in METHODS:
        return search(name, game)
    if not Path(name).exists():
        missing = f"no such file: {name}"
        if ":" in name:
            from .function import load_function

            try:
                return load_function(name)
            except ModuleNotFoundError as error:
                missing = str(error)
        raise InputError(
            f"{unknown('policy', name, NAMES)}; or the path of a checkpoint, or module:function ({missing})"
        )
    try:
        from .checkpoint import load_policy
    except ModuleNotFoundError as error:
        raise InputError(f"a checkpoint needs {error.name}: pip install 'followsuit[train]'") from error
    return load_policy(name, game)
