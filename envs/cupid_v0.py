"""CUPID: Tricks & Tactics as a PettingZoo AEC environment, for 2 players."""

from typing import Any

from .aec import CardGame
from .rules import cupid


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; rewards `points` are by how much more a seat scored than the other."""

    def __init__(self, players: int = 2, **options: Any) -> None:
        super().__init__(cupid, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""
