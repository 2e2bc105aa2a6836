"""FOOL! by Friedemann Friese as a PettingZoo AEC environment, for 4 to 8 players.

## Rule decisions

- The decks for 4 to 7 players are derived, not taken from the box: 12 cards a player, the highest numbers left out, so
  that 5 players have the 60 cards of the edition of 1995 and 8 players all 88. The option `deck` replaces them.
- Of cards that are equally bad the later played is worse.
- A hand that is empty but earns a disc scores 0.
- Six +10s of one player end the game; with `end10="total"` six of all players together. A number of `rounds` replaces
  both ends of the official game.
- Who starts first is drawn. Equal totals share the win.

## Version history

- v0: first release.
"""

from typing import Any

from .aec import CardGame
from .parallel import ParallelCardGame
from .rules import fool


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; a seat that sits out a trick is skipped."""

    def __init__(self, players: int = 5, **options: Any) -> None:
        super().__init__(fool, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""


def parallel_env(**options: Any) -> ParallelCardGame:
    """The same for libraries that know parallel environments only, with an action to wait."""
    return ParallelCardGame(raw_env(**options))
