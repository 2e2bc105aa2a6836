"""Measures the time spent inside the environment; Python loads this by itself where its folder is on PYTHONPATH.

Each process keeps the seconds that its outermost calls into followsuit's environments took, in the file named by its
number in the folder FOLLOWSUIT_PROFILE. A view's time contains that of the table below it and of its opponents.
"""

import functools
import os
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

KEPT = Path(os.environ["FOLLOWSUIT_PROFILE"])
KINDS = {
    "tables": "Tables", "aec": "CardGame", "parallel": "ParallelCardGame", "seat": "OneSeat", "seats": "ManySeats",
    "openspiel": "Environment", "sb3": "SeatVecEnv", "torchrl": "TableEnv",
}  # fmt: skip
"""The classes by their modules."""
NEEDED = {"openspiel": "pyspiel", "sb3": "stable_baselines3", "torchrl": "torchrl"}
"""What a module needs of other libraries."""
OURS = "followsuit", "pettingzoo"  # what a view inherits of the library it is for is the library's own
NAMES = (
    "reset", "step", "observe", "last", "reveal", "possible", "state", "deal", "renew", "action_masks",
    "step_wait", "env_method", "_reset", "_step",
)  # fmt: skip

depth, inside, written = 0, 0.0, 0.0


def measured(method):
    """The method, its time added up where it was not called by another one measured."""

    @functools.wraps(method)
    def call(*args, **kwargs):
        global depth, inside, written
        depth += 1
        start = time.perf_counter()
        try:
            return method(*args, **kwargs)
        finally:
            depth -= 1
            if not depth:
                now = time.perf_counter()
                inside += now - start
                if now - written > 0.5:  # not at the end alone: some libraries kill their processes
                    written = now
                    (KEPT / str(os.getpid())).write_text(str(inside), "utf-8")

    return call


for module, kind in KINDS.items():
    if module not in NEEDED or find_spec(NEEDED[module]):
        view = getattr(import_module(f"followsuit.envs.{module}"), kind)
        for name in NAMES:
            method = getattr(view, name, None)
            if method and method.__module__.startswith(OURS):
                setattr(view, name, measured(method))
