"""Any function `(observation, mask) -> action` as a policy, such as an agent trained with another library."""

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..envs.errors import InputError
from ..envs.tables import Tables
from .base import certain


class FunctionPolicy:
    """Asks a function for one decision at a time.

    `function` is given the observation, int8 [F], and the mask, int8 [A], of the seat to act, both its own to keep, and
    gives a legal action, an int. It is never called by two threads at once. InputError says what it did wrong.
    """

    observes = True

    def __init__(self, function: Callable[[np.ndarray, np.ndarray], Any], name: str = "function") -> None:
        self.function, self.name = function, name
        self._lock = threading.Lock()

    def act(self, tables: Tables, rows: np.ndarray, random: np.ndarray) -> np.ndarray:  # noqa: ARG002 (as in Policy)
        observations, masks = tables.observation[rows], tables.mask[rows]
        with self._lock:
            pairs = zip(observations, masks, strict=True)
            return np.array([self._choose(observation, mask) for observation, mask in pairs], np.int64)

    def probabilities(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """1 for what the function chooses now."""
        return certain(self.act(tables, rows, np.empty(0, np.uint64)), tables)

    def _choose(self, observation: np.ndarray, mask: np.ndarray) -> int:
        legal = np.flatnonzero(mask).tolist()
        try:
            action = self.function(observation.copy(), mask.copy())
        except Exception as error:
            raise InputError(f"{self.name} raised {type(error).__name__}: {_one_line(error)}") from error
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action[()]
        if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
            raise InputError(f"{self.name} gave {_one_line(repr(action))}, not an action: an int, legal now: {legal}")
        if action not in legal:
            raise InputError(f"{self.name} gave the illegal action {action}; legal: {legal}")
        return int(action)


def load_function(name: str) -> FunctionPolicy:
    """The policy of `module:function`, from any module that can be imported, those of the current folder included.

    ModuleNotFoundError where there is no such module, InputError for all else that is wrong.
    """
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module: Any = import_module(module_name)
    except Exception as error:  # whatever the user's module raises as it loads
        if isinstance(error, ModuleNotFoundError) and error.name == module_name.partition(".")[0]:
            raise
        raise InputError(f"{name}: cannot import {module_name}: {type(error).__name__}: {_one_line(error)}") from error
    function = getattr(module, attribute, None)
    if function is None:
        raise InputError(f"{name}: {module_name} ({_file(module)}) has no {attribute!r}")
    if not callable(function):
        raise InputError(f"{name} is no function (observation, mask) -> action but {type(function).__name__}")
    return FunctionPolicy(function, name)


def _file(module: Any) -> str:
    return getattr(module, "__file__", None) or "built in"


def _one_line(text: Any) -> str:
    return " ".join(str(text).split())[:200]
