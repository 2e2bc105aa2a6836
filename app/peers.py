"""The speed of other libraries, for `followsuit bench --peers`: measured the same way in the same run."""

import importlib
import random
from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any

from . import rates
from .rates import Row, random_game, rate

GAMES_PER_TRY = 1000
CARDS = 52


def open_spiel_hearts() -> Iterator[Row]:
    """Random legal play of hearts without passing, a trick-taking game of 4 players and 52 decisions as well.

    `cpp_rounds`: within its C++, the deal included; `cpp_rollouts`: the same of a round already dealt, which our
    figures never are; `python_rounds`: from Python, the deal included.
    """
    pyspiel = importlib.import_module("pyspiel")
    hearts = pyspiel.load_game("hearts", {"pass_cards": False})
    rollout = median(rollout_seconds(pyspiel, hearts) for _ in range(rates.REPETITIONS))
    deal = median(deal_seconds(pyspiel, hearts) for _ in range(rates.REPETITIONS))
    python = rate(lambda: random_round(hearts))
    for what, value in (
        ("cpp_rounds", CARDS / (rollout + deal)),
        ("cpp_rollouts", CARDS / rollout),
        ("python_rounds", python),
    ):
        yield Row("open_spiel/hearts", 4, what, value, "decisions/s")


def connect_four() -> Iterator[Row]:
    """PettingZoo's own game with masks, in the loop that measures `aec`."""
    env = importlib.import_module("pettingzoo.classic.connect_four_v3").env()
    yield Row("pettingzoo/connect_four_v3", 2, "aec", rate(lambda: random_game(env)), "turns/s")


def rollout_seconds(pyspiel: Any, hearts: Any) -> float:
    """Of one random rollout of a dealt round within OpenSpiel's C++: a search whose only simulation is rollouts."""
    evaluator = pyspiel.RandomRolloutEvaluator(GAMES_PER_TRY, 1)
    search = pyspiel.MCTSBot(hearts, evaluator, 2.0, 1, 100, False, 1, False)
    state = dealt(hearts)
    start = perf_counter()
    search.step(state)
    return (perf_counter() - start) / GAMES_PER_TRY


def deal_seconds(pyspiel: Any, hearts: Any) -> float:
    """Of one deal within OpenSpiel's C++: what games of its random bots take less when they begin with dealt hands."""
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(4)]
    seconds = []
    for begin in (hearts.new_initial_state, lambda: dealt(hearts)):
        states = [begin() for _ in range(GAMES_PER_TRY)]
        start = perf_counter()
        for seed, state in enumerate(states):
            pyspiel.evaluate_bots(state, bots, seed)
        seconds.append((perf_counter() - start) / GAMES_PER_TRY)
    return seconds[0] - seconds[1]


def dealt(hearts: Any) -> Any:
    """A round whose cards have been dealt."""
    state = hearts.new_initial_state()
    while state.is_chance_node():
        cards, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(cards, chances)[0])  # noqa: S311
    return state


def random_round(hearts: Any) -> int:
    """Deals and plays a round from Python; its number of decisions."""
    state = dealt(hearts)
    decisions = 0
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))  # noqa: S311
        decisions += 1
    return decisions
