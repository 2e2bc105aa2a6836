"""Measures the time spent inside the environment; Python loads this by itself where its folder is on PYTHONPATH.

Each process keeps the seconds that its outermost calls into followsuit's environments took, in the file named by its
number in the folder FOLLOWSUIT_PROFILE.
"""

import functools
import os
import time
from importlib.util import find_spec
from pathlib import Path

from followsuit.envs.aec import CardGame
from followsuit.envs.tables import Tables

KEPT = Path(os.environ["FOLLOWSUIT_PROFILE"])
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


KINDS: list[type] = [CardGame, Tables]
if find_spec("torchrl"):
    from followsuit.envs.torchrl import TableEnv

    KINDS.append(TableEnv)

for kind in KINDS:
    for name in ("reset", "step", "observe", "last", "reveal", "possible", "state", "deal", "_reset", "_step"):
        if name in dir(kind) and not getattr(kind, name).__module__.startswith("torchrl"):  # its part around ours
            setattr(kind, name, measured(getattr(kind, name)))
