"""Dozen as a PettingZoo AEC environment, for 3 players.

## Rule decisions

- None: it is made up.

## Version history

- v0: first release.
"""

from typing import Any

from .aec import CardGame
from .parallel import ParallelCardGame
from .rules import dozen


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`."""

    def __init__(self, players: int = 3, **options: Any) -> None:
        super().__init__(dozen, players, **options)


env = raw_env
"""The environment, without wrappers."""


def parallel_env(**options: Any) -> ParallelCardGame:
    """The same, with an action to wait."""
    return ParallelCardGame(raw_env(**options))
