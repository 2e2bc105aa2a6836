"""Compiles a game's rules into loops over many tables.

A kernel is closed over the functions of one game module and compiled by numba at first use, then kept on disk. The
disk cache of numba does not notice an edit in another file, so its folder is named by a hash of all that can be
compiled in: the sources of this package and the versions of Python and numba.
"""

import functools
import hashlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import platformdirs
from numba import njit
from numba.core import config as numba_config

from .rules.contract import Game, rule


def cache_folder(*more: Any) -> Path:
    """Where compiled kernels of the present sources lie; `more` is hashed in.

    FOLLOWSUIT_CACHE_DIR moves it; the default is the user's cache folder.
    """
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    text = [*(source.read_bytes() for source in sources), sys.version, numba.__version__, *more]
    digest = hashlib.sha256(b"\0".join(t if isinstance(t, bytes) else str(t).encode() for t in text)).hexdigest()[:16]
    root = os.environ.get("FOLLOWSUIT_CACHE_DIR") or platformdirs.user_cache_dir("followsuit", appauthor=False)
    return Path(root) / "kernels" / digest


def kernel(game: Game, *modules: ModuleType) -> Callable[[Callable[..., Any]], Any]:
    """Decorates a function that is closed over `game`'s rules: compiled at first call, cached on disk, without GIL.

    `modules`: what else of the project, outside this package, it is closed over.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        function.__qualname__ = f"{game.NAME}.{function.__name__}"  # two games must not share a cache entry
        config: Any = numba_config  # it sets its attributes as it loads
        before = config.CACHE_DIR
        config.CACHE_DIR = str(_cache(game, *modules))
        try:
            return njit(cache=True, nogil=True, error_model="numpy")(function)
        finally:
            config.CACHE_DIR = before

    return compiled


@functools.cache
def _cache(game: Game, *modules: ModuleType) -> Path:
    outside = sys.modules[game.play.__module__], *modules  # a game of the user's own lies elsewhere
    return cache_folder(game.NAME, *map(inspect.getsource, outside))


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_32 = (np.uint64(n) for n in (30, 27, 31, 32))


@rule
def mix(x: Any) -> Any:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> SHIFT_30)) * MIX_1
    x = (x ^ (x >> SHIFT_27)) * MIX_2
    return x ^ (x >> SHIFT_31)


@rule
def below(generators: Any, i: Any, n: int) -> Any:
    """A random number in 0 … n-1 from SplitMix64 generator i, or from each of several; its bias is under n / 2**32."""
    generators[i] += GOLDEN
    return np.int64(((mix(generators[i]) >> SHIFT_32) * np.uint64(n)) >> SHIFT_32)


def streams(seed: int, numbers: Any) -> np.ndarray:
    """One generator for each of `numbers` under `seed`, uint64 [len(numbers)]."""
    with np.errstate(over="ignore"):
        numbers = np.asarray(numbers, np.int64).astype(np.uint64)
        return mix(mix(np.uint64(seed % 2**64) + GOLDEN) + numbers * GOLDEN + MIX_1)


@functools.cache
def compile_game(game: Game) -> SimpleNamespace:
    """The kernels of a game: B states [B], generators uint64 [B], piles int32 [n], cards int32 [B, sum(piles)]."""
    begin, deal, legal, play, observe = game.begin, game.deal, game.legal, game.play, game.observe

    @rule
    def shuffle_and_deal(s, generators, i, piles, cards):
        first = 0
        for pile in piles:
            for left in range(pile, 1, -1):
                a, b = first + left - 1, first + below(generators, i, left)
                cards[i, a], cards[i, b] = cards[i, b], cards[i, a]
            first += pile
        deal(s, cards[i])

    @rule
    def new_game(s, generators, i, piles, cards):
        begin(s, below(generators, i, s.players))
        shuffle_and_deal(s, generators, i, piles, cards)

    @rule
    def show(s, i, seat, mask):
        seat[i] = s.actor
        if s.game_over:
            mask[i] = 0
        else:
            legal(s, mask[i])

    @rule
    def look(states, seat, observation):
        # In a pass of its own: in the loop that plays it would cost that loop a fifth of its speed, seen or not.
        if observation.shape[1]:
            for i in range(len(states)):
                observe(states[i], seat[i], observation[i])

    @kernel(game)
    def start(states, generators, piles, cards, seat, mask, observation):
        for i in range(len(states)):
            new_game(states[i], generators, i, piles, cards)
            show(states[i], i, seat, mask)
        look(states, seat, observation)

    @kernel(game)
    def start_some(states, generators, piles, cards, rows, seat, mask, observation):
        for i in rows:
            new_game(states[i], generators, i, piles, cards)
            show(states[i], i, seat, mask)
            if observation.shape[1]:
                observe(states[i], seat[i], observation[i])

    @kernel(game)
    def lay_out(states, starters, cards, seat, mask, observation):
        for i in range(len(states)):
            if starters[i] >= 0:
                begin(states[i], starters[i])
            deal(states[i], cards[i])
            show(states[i], i, seat, mask)
        look(states, seat, observation)

    @kernel(game)
    def refresh(states, seat, mask, observation):
        for i in range(len(states)):
            show(states[i], i, seat, mask)
        look(states, seat, observation)

    @rule
    def turn(i, action, states, generators, piles, cards, restart, seat, mask, points, round_over, game_over):
        s = states[i]
        if s.game_over:
            for k in range(points.shape[1]):
                points[i, k] = 0
            round_over[i] = False
            return
        play(s, action)
        round_over[i] = s.round_over
        game_over[i] = s.game_over
        for k in range(points.shape[1]):
            points[i, k] = s.earned[k]
        if s.round_over or s.game_over:
            if not s.game_over:
                shuffle_and_deal(s, generators, i, piles, cards)
            elif restart:
                new_game(s, generators, i, piles, cards)
        show(s, i, seat, mask)

    @kernel(game)
    def step(
        states, generators, piles, cards, restart, actions, seat, mask, observation, points, round_over, game_over
    ):
        """The index of the first table with an illegal action, before anything was done, or -1."""
        for i in range(len(states)):
            legal_action = 0 <= actions[i] < mask.shape[1] and mask[i, actions[i]]
            if not legal_action and not states[i].game_over:
                return i
        for i in range(len(states)):
            turn(i, actions[i], states, generators, piles, cards, restart, seat, mask, points, round_over, game_over)
        look(states, seat, observation)
        return -1

    @kernel(game)
    def step_some(
        states, generators, piles, cards, restart, rows, actions, seat, mask, observation, points, round_over, game_over
    ):
        """The same at `rows` alone: the index in `rows` of the first wrong action, or -1."""
        for k in range(len(rows)):
            i = rows[k]
            legal_action = 0 <= actions[k] < mask.shape[1] and mask[i, actions[k]]
            if not legal_action and not states[i].game_over:
                return k
        for k in range(len(rows)):
            i = rows[k]
            turn(i, actions[k], states, generators, piles, cards, restart, seat, mask, points, round_over, game_over)
            if observation.shape[1]:
                observe(states[i], seat[i], observation[i])
        return -1

    def for_seats(write, name):
        """Calls `write(state, seat, out)` at every table; the index of the first that has no such seat, or -1."""

        def loop(states, seats, out):
            for i in range(len(states)):
                if not 0 <= seats[i] < states[i].players:
                    return i
                write(states[i], seats[i], out[i])
            return -1

        loop.__name__ = name
        return kernel(game)(loop)

    return SimpleNamespace(
        start=start, start_some=start_some, lay_out=lay_out, refresh=refresh, step=step, step_some=step_some,
        observe=for_seats(game.observe, "observe"), reveal=for_seats(game.reveal, "reveal"),
        possible=for_seats(game.possible, "possible"),
    )  # fmt: skip
