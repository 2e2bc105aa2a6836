"""Fearless by Friedemann Friese as a PettingZoo AEC environment, for 3 to 5 players."""

from typing import Any

from .aec import CardGame
from .rules import fearless


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; rewards `points` are fear, turned so that higher is better."""

    def __init__(self, players: int = 4, **options: Any) -> None:
        super().__init__(fearless, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""
