"""Scharfe Schoten by Arve D. Fühler as a PettingZoo AEC environment, for 3 and 4 players.

## Rule decisions

- Colours are named by strength, a the strongest: `a12` is the 12 of the strongest colour, `+a-d` foretells most of the
  strongest and least of the weakest, `take a` takes a card of the strongest off the shelf.
- Players foretell one after the other, from the starter clockwise; nobody observes a choice before all have made one.
- Whoever wins a trick has to take a card off the shelf while there is one.
- Colours of which a player took none count as 0; a player without any card scores 3 + 3 + 0.
- Who starts first is drawn; a game has as many rounds as players. Equal totals share the win.

## Version history

- v0: first release.
"""

from typing import Any

from .aec import CardGame
from .parallel import ParallelCardGame
from .rules import schoten


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; a colour is its place in the round's order of strength, see `rules.schoten`."""

    def __init__(self, players: int = 4, **options: Any) -> None:
        super().__init__(schoten, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""


def parallel_env(**options: Any) -> ParallelCardGame:
    """The same for libraries that know parallel environments only, with an action to wait."""
    return ParallelCardGame(raw_env(**options))
