"""FOOL! by Friedemann Friese as a PettingZoo AEC environment, for 4 to 8 players."""

from typing import Any

from .aec import CardGame
from .rules import fool


class raw_env(CardGame):  # noqa: N801 (PettingZoo's name)
    """See `CardGame`; a seat that sits out a trick is skipped."""

    def __init__(self, players: int = 5, **options: Any) -> None:
        super().__init__(fool, players, **options)


env = raw_env
"""The environment, without wrappers: what PettingZoo's would check, it checks itself."""
