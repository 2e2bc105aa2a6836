"""CUPID: Tricks & Tactics as a PettingZoo AEC environment, for 2 players.

## Rule decisions

- While the stock lasts the winner of a trick acts once more: `take up` takes the turn-up, `take down` the hidden card.
- Who deals first is drawn, later the player with the higher total deals; on equal totals the winner of the last trick.
- The prize is scored after the last trick, which can end the game before it.
- The game ends at the target in the middle of a round too; a number of `rounds` replaces the target.
- Perfect memory is assumed: the observation keeps all that a player has seen.

## Version history

- v0: first release.
"""

from typing import Any

from .aec import CardGame
from .parallel import ParallelCardGame
from .rules import cupid


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; rewards `points` are by how much more a seat scored than the other."""

    def __init__(self, players: int = 2, **options: Any) -> None:
        super().__init__(cupid, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""


def parallel_env(**options: Any) -> ParallelCardGame:
    """The same for libraries that know parallel environments only, with an action to wait."""
    return ParallelCardGame(raw_env(**options))
