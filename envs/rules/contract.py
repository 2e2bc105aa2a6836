"""What a game module must define, and the few types it is written in.

A game is a module. Its rules are plain functions over one fixed-size record, the state of one table; they carry
`@rule`, run uncompiled as they stand (on a row of an `np.recarray`), and are compiled into loops over many tables by
`followsuit.envs.kernels`. Rules never draw anything at random: cards come to `deal` already shuffled.
"""

import math
from collections import namedtuple
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numba.extending import register_jitable

rule = register_jitable
"""Marks a rules function: ordinary Python, and compilable. What it adds or multiplies must be wider than int8."""


inline_rule = register_jitable(inline="always")
"""The same for a helper that is handed a slice of a constant array, which a call would make slow."""


class Feature(NamedTuple):
    """One named block of an observation, int8."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    doc: str

    @property
    def size(self) -> int:
        """The number of entries."""
        return math.prod(self.shape)


class Option(NamedTuple):
    """One option of a game's rules: its default, the values allowed (None: see `doc`) and what it means."""

    default: Any
    allowed: tuple[Any, ...] | range | None
    doc: str


class SeatView(NamedTuple):
    """One seat as it is shown: cards by name, public facts by label (the same labels for every seat)."""

    hand: list[str]
    played: str | None
    facts: dict[str, str]
    seen: list[str] | None = None
    """The hand as the others see it where they see more than its size: a card by name, a back by its letter or ""."""


class Track(NamedTuple):
    """A row of numbered spaces `low` … `high` on which every seat has a piece."""

    label: str
    low: int
    high: int
    pieces: list[int]


class View(NamedTuple):
    """A table as it is shown: seats clockwise from seat 0, whose turn it is (None when the game is over), who led and
    who is winning the trick, and facts of the whole table by label.
    """

    seats: list[SeatView]
    actor: int | None
    leader: int
    winner: int | None
    facts: dict[str, str]
    track: Track | None = None
    piles: dict[str, list[str]] | None = None
    """Cards that lie on the table by label, as in `SeatView.seen`."""
    won: int | None = None
    """Who won the trick before, where that is not who leads now."""
    secret: bool = False
    """Whether the others may not see the move of the seat to act yet."""


def offsets(features: tuple[Feature, ...]) -> Any:
    """Where each feature begins in the flat observation: a named tuple of ints, one field a feature."""
    kind = namedtuple("At", [feature.name for feature in features])  # which compiled rules read as constants
    return kind(*(total_size(features[:i]) for i in range(len(features))))


def total_size(features: tuple[Feature, ...]) -> int:
    """The length of the flat observation of these features."""
    return sum(feature.size for feature in features)


def decode(features: tuple[Feature, ...], observation: Any) -> dict[str, Any]:
    """A flat observation [..., F] as its features by name, views [..., *shape]."""
    starts = offsets(features)
    return {
        feature.name: observation[..., start : start + feature.size].reshape(*observation.shape[:-1], *feature.shape)
        for feature, start in zip(features, starts, strict=True)
    }


def state_dtype(seats: int, *fields: tuple[Any, ...]) -> np.dtype[Any]:
    """The dtype of a table: what every game has, then the game's own `fields`, as numpy takes them."""
    common = [
        ("players", np.int32),  # seats 0 … players-1 are taken
        ("rounds", np.int32),  # rounds to play; 0: until the official game ends
        ("rounds_played", np.int32),
        ("starter", np.int32),  # seat that starts the current (or, between rounds, the next) round
        ("actor", np.int32),  # seat to act
        ("leader", np.int32),  # seat that leads the trick
        ("winner", np.int32),  # seat winning the trick so far
        ("round_over", np.int32),  # 1 after the decision that ended a round, until the next deal
        ("game_over", np.int32),  # 1 after the decision that ended the game
        ("earned", np.int32, (seats,)),  # points scored by the last decision
        ("total", np.int32, (seats,)),  # points of the game so far
    ]
    return np.dtype((np.record, np.dtype([*common, *fields], align=True)))


def state_record(dtype: np.dtype[np.record]) -> Any:
    """One zeroed state on its own, for rules run uncompiled."""
    return np.zeros(1, dtype).view(np.recarray)[0]


class Game(Protocol):
    """The names a game module defines. Shapes: K kinds of card, A actions, F and H observation and hidden sizes."""

    __name__: str
    NAME: str
    """Name in records, on the command line and in module names."""
    TITLE: str
    DESIGNER: str
    PLAYERS: range
    """Table sizes; the layouts below hold for all of them."""
    SEATS: int
    """Seats in the layouts: the largest table."""
    POINTS_SIGN: int
    """+1 where the highest total wins, -1 where the lowest does."""
    OPTIONS: Mapping[str, Option]
    ACTIONS: tuple[str, ...]
    """The name of every action; cards come first."""
    CARDS: int
    """How many of the actions, the first ones, are the playing of a card: K."""
    FEATURES: tuple[Feature, ...]
    """What a seat knows, relative to that seat (0 is itself, 1 the next clockwise)."""
    HIDDEN: tuple[Feature, ...]
    """What a seat does not know, relative to it; with FEATURES the whole state."""
    COLOURS: Mapping[str, str]
    """The colour of a card by the first letter of its name, as #rrggbb."""
    State: np.dtype[Any]

    def configure(self, s: Any, players: int, rounds: int, **options: Any) -> None:
        """Writes the table size and options into a fresh state (plain Python, checked before)."""
        ...

    def piles(self, s: Any) -> list[list[int]]:
        """The piles that are shuffled, each on its own, before every deal; laid end to end they are `cards`."""
        ...

    def begin(self, s: Any, starter: int) -> None:
        """A new game: totals at zero, `starter` starts the first round."""
        ...

    def deal(self, s: Any, cards: Any) -> None:
        """Lays out a round from shuffled `cards`, int [sum of piles]."""
        ...

    def legal(self, s: Any, mask: Any) -> None:
        """Writes 1 for each legal action of the seat to act and 0 for the others into `mask`, int8 [A]."""
        ...

    def play(self, s: Any, action: int) -> None:
        """One decision of the seat to act, legal or undefined; scores what it ends."""
        ...

    def observe(self, s: Any, seat: int, out: Any) -> None:
        """Writes what `seat` knows into `out`, int8 [F], at any time."""
        ...

    def reveal(self, s: Any, seat: int, out: Any) -> None:
        """Writes what `seat` does not know into `out`, int8 [H]."""
        ...

    def possible(self, s: Any, seat: int, out: Any) -> None:
        """Marks in `out`, int8 [seats, K], each card kind that each other seat could still hold, as far as the rules
        let `seat` infer; its own row is its own hand. Rows are absolute seats.
        """
        ...

    def points(self, s: Any, out: Any) -> None:
        """Writes what the round would score for each seat if it ended now, and the totals, into `out`, int32
        [2, seats].
        """
        ...

    def action_names(self, s: Any) -> tuple[str, ...]:
        """The name of every action in the notation of game records: ACTIONS, unless what an action stands for differs
        from deal to deal; between two deals it stays the same.
        """
        ...

    def view(self, s: Any) -> View:
        """The table as it is shown to people, all hands open."""
        ...

    def name_deal(self, s: Any, cards: Any) -> dict[str, Any]:
        """The deal in the notation of game records."""
        ...

    def read_deal(self, s: Any, deal: Mapping[str, Any]) -> list[int]:
        """`cards` from a record's deal; ValueError with the reason where it is no deal of this game."""
        ...


def as_game(module: ModuleType | Game) -> Game:
    """The module, typed; TypeError names what it lacks."""
    names = [name for name in (*Game.__annotations__, *vars(Game)) if not name.startswith("_")]
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        raise TypeError(f"game module {module.__name__} lacks {', '.join(missing)}")
    return cast("Game", cast("object", module))
