"""One place that hears of every illegal action, whichever way it came.

`FOLLOWSUIT_ILLEGAL_ACTIONS=FILE` in the environment appends a line to FILE for each, from all processes: process id,
game, seat and action, with blanks between. A file that stays empty shows that a library keeps to the masks.
"""

import os
from typing import Any

import numpy as np

from .errors import InputError

VARIABLE = "FOLLOWSUIT_ILLEGAL_ACTIONS"


def is_legal(actions: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Which of `actions`, int [B], the masks of their tables, int8 [B, A], allow: bool [B]."""
    known = (actions >= 0) & (actions < mask.shape[1])
    return known & (mask[np.arange(len(mask)), np.where(known, actions, 0)] == 1)


def report(game: str, seat: int, action: Any) -> None:
    """Writes the line, where someone wants it; InputError where the file cannot be written."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 (one short write at the end: lines stay whole)
            file.write(f"{os.getpid()} {game} {seat} {action}\n")
    except OSError as error:
        raise InputError(f"{VARIABLE}={path}: {error.strerror}; name a file that can be written") from error
