"""Fearless by Friedemann Friese as a PettingZoo AEC environment, for 3 to 5 players.

## Rule decisions

- A ghost moves without a cap, however far: no end of a track stops it.
- A 0 belongs to every suit, may always be played and never has to be; a trick of 0s alone goes to the first.
- Of equal cards the first played wins.
- Who starts first is drawn; then the start passes clockwise, and a game has as many rounds as players.
- Equal totals share the win.

## Version history

- v0: first release.
"""

from typing import Any

from .aec import CardGame
from .parallel import ParallelCardGame
from .rules import fearless


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; rewards `points` are fear, turned so that higher is better."""

    def __init__(self, players: int = 4, **options: Any) -> None:
        super().__init__(fearless, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""


def parallel_env(**options: Any) -> ParallelCardGame:
    """The same for libraries that know parallel environments only, with an action to wait."""
    return ParallelCardGame(raw_env(**options))
