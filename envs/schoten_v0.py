"""Scharfe Schoten by Arve D. Fühler as a PettingZoo AEC environment, for 3 or 4 players."""

from typing import Any

from .aec import CardGame
from .rules import schoten


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; a colour is its place in the round's order of strength, see `rules.schoten`."""

    def __init__(self, players: int = 4, **options: Any) -> None:
        super().__init__(schoten, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""
