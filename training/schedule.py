"""Who plays whom, in which order, and when it is looked at how sure the figures are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..envs.errors import InputError

Lineup = tuple[int, ...]
"""Contestants by place at a table."""

FIRST_LOOK = 32
"""Deals before a first look at how sure the figures are; each further look comes after a quarter more."""
PARTS = 16
"""Into how many parts the deals between two looks are cut; a part of a line-up is what a thread plays at a time."""


def line_ups(players: int, contestants: int) -> list[Lineup]:
    """Of an evaluation: as many contestants as there are seats form one line-up, others meet one against the rest."""
    if contestants == 0:
        raise InputError("an evaluation needs at least one policy")
    if contestants == 1:
        return [(0,) * players]
    if contestants == players:
        return [tuple(range(players))]
    return one_against_the_rest(players, contestants)


def one_against_the_rest(players: int, contestants: int) -> list[Lineup]:
    """Each contestant alone, at place 0, against a table full of each other one.

    At a table of two both are alone: each pair meets once.
    """
    return [
        (one, *[other] * (players - 1))
        for one in range(contestants)
        for other in range(contestants)
        if one < other or (one > other and players > 2)
    ]


def mixed_tables(players: int, contestants: int, tables: int, seed: int) -> list[Lineup]:
    """Line-ups of different contestants at random, in which each sits as often as any other, but for one.

    They are cut from shuffles of all contestants laid end to end, so a smaller number is the beginning of a larger one.
    """
    random = np.random.default_rng(seed)
    shuffles = [random.permutation(contestants) for _ in range(-(-tables * players // contestants))]
    return [tuple(row) for row in np.concatenate(shuffles)[: tables * players].reshape(-1, players).tolist()]


def looks(deals: int | None, sequential: bool) -> Iterator[tuple[int, int]]:
    """From how many deals to how many is played before each look; a `sequential` evaluation looks often."""
    done, total = 0, FIRST_LOOK
    while sequential and (deals is None or total < deals):
        yield done, total
        done, total = total, total + total // 4
    if deals is not None:
        yield done, deals


class Part(NamedTuple):
    """Some deals of one line-up."""

    lineup: Lineup
    deals: np.ndarray


def parts_of(lineups: Sequence[Lineup], first: int, last: int) -> Iterator[Part]:
    """Deals first … last-1 of every line-up, in parts that do not depend on who plays them; early deals come first."""
    size = max(2, (last - first) // PARTS)
    for start in range(first, last, size):
        for lineup in lineups:
            yield Part(lineup, np.arange(start, min(start + size, last)))
