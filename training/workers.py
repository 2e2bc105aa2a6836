"""Who plays the parts of a tournament: here the threads of this process, in `cluster` many machines."""

import threading
from collections.abc import Callable, Collection, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple, Protocol

import numpy as np

from .arena import Scores
from .schedule import Part


class Played(NamedTuple):
    """What a part gave."""

    scores: Scores
    costs: np.ndarray
    """Seconds and decisions of each contestant, [contestants, 2]."""
    records: list[dict[str, Any]]
    """Of every game, where they were asked for."""


class Workers(Protocol):
    """Play parts of a tournament side by side."""

    def room(self) -> int:
        """How many parts should be with them at a time."""
        ...

    def start(self, rounds: int | str, part: Part, recorded: bool) -> Hashable:
        """Has a part played; gives what `finish` knows it by."""
        ...

    def finish(self, started: Collection[Any]) -> tuple[Any, Played]:
        """Waits until one of those started is played."""
        ...

    def stop(self) -> None:
        """Ends what is under way."""
        ...


class _StoppedError(Exception):
    """Ends the games that a thread is in the middle of."""


class Threads:
    """Workers of this process, given `Tournament.play_part`."""

    def __init__(self, play_part: Callable[..., Played], threads: int) -> None:
        self._play_part, self._threads = play_part, threads
        self._pool, self._stopped = ThreadPoolExecutor(threads), threading.Event()

    def room(self) -> int:
        return self._threads + 1

    def start(self, rounds: int | str, part: Part, recorded: bool) -> Future[Played]:
        return self._pool.submit(self._play_part, rounds, part, recorded, self._check)

    def finish(self, started: Collection[Future[Played]]) -> tuple[Future[Played], Played]:
        future = next(as_completed(started))
        return future, future.result()

    def stop(self) -> None:
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def _check(self, _: float) -> None:
        if self._stopped.is_set():
            raise _StoppedError
