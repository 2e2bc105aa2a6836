"""Tables: many tables of one game, played in lockstep."""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from . import GAMES
from .errors import InputError, unknown
from .kernels import compile_game, streams
from .rules.contract import Game, as_game, state_record, total_size

MATCH = "match"
"""The value of `rounds` for the official game."""


def load_game(game: str | ModuleType | Game) -> Game:
    """A game by its name or module; InputError lists the games there are."""
    if not isinstance(game, str):
        return as_game(game)
    if game not in GAMES:
        raise unknown("game", game, GAMES)
    return as_game(import_module(f"followsuit.envs.rules.{game}"))


def new_state(game: Game, players: int, rounds: int | str = MATCH, options: Mapping[str, Any] | None = None) -> Any:
    """A table set up for `players`, before its first game; InputError at what the game does not have."""
    if players not in game.PLAYERS:
        raise InputError(f"{game.NAME} is for {table_sizes(game)} players, not {players!r}")
    if rounds != MATCH and (not isinstance(rounds, int) or isinstance(rounds, bool) or not 0 < rounds < 2**31):
        raise InputError(f"rounds is {MATCH!r} or a number above 0, not {rounds!r}")
    options = dict(options or {})
    for name, value in options.items():
        if name not in game.OPTIONS:
            raise unknown(f"option of {game.NAME}", name, ["rounds", *game.OPTIONS])
        allowed = game.OPTIONS[name].allowed
        number = type(value) is int or not isinstance(allowed, range)  # a range is searched for anything else
        if allowed is not None and not (number and value in allowed):
            right = f"from {allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else f"one of {allowed}"
            raise InputError(f"{game.NAME}: {name} is {right}, not {value!r}")
    state = state_record(game.State)
    defaults = {name: option.default for name, option in game.OPTIONS.items()}
    try:
        game.configure(state, players, 0 if rounds == MATCH else int(rounds), **(defaults | options))
    except ValueError as error:
        raise InputError(f"{game.NAME}: {error}") from error
    return state


def table_sizes(game: Game) -> str:
    """The table sizes of a game in words."""
    sizes = list(game.PLAYERS)
    return f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 2 else " or ".join(map(str, sizes))


class Tables:
    """B tables of one game in lockstep; every array below is one buffer that each call fills anew.

    B is `tables`, S `players`, A the game's actions, F its observation's length.

    Args:
        game: name or module of the game.
        tables: how many.
        players: table size; the game's largest by default.
        rounds: "match" for the official game, or how many rounds a game has.
        seed: with `streams`, decides every deal and every first starter.
        streams: the number of each table's stream of deals, 0 … B-1 by default. A table's games depend on the seed
            and its stream alone; tables that share a stream are dealt the same cards.
        observations: False leaves `observation` empty, [B, 0].
        restart: whether a table starts a new game at once when one has ended. Otherwise it rests: its mask is all 0
            and its action is ignored.
        options: of the game's rules.

    Attributes:
        options: of the rules, those that differ from their defaults.
        seat: seat to act, int64 [B].
        mask: its legal actions, int8 [B, A].
        observation: what it knows, int8 [B, F].
        points: what each seat scored in the last step, int32 [B, S].
        round_over, game_over: whether the last step ended a round, a game; bool [B].
        states: the whole state of each table, a structured array [B] of the game's `State`.
        cards: the deal of each table, int32 [B, cards], as the game's `deal` takes it.

    Raises:
        InputError: a game, table size or option that there is not.
    """

    def __init__(
        self,
        game: str | ModuleType | Game,
        tables: int,
        players: int | None = None,
        rounds: int | str = MATCH,
        *,
        seed: int = 0,
        streams: Any = None,
        observations: bool = True,
        restart: bool = True,
        **options: Any,
    ) -> None:
        self.game = load_game(game)
        self.players = max(self.game.PLAYERS) if players is None else players
        self.rounds = rounds
        self.restart = restart
        self.streams = np.arange(tables) if streams is None else np.asarray(streams, np.int64)
        if tables < 1 or self.streams.shape != (tables,):
            raise InputError(f"{tables} tables need as many streams, and at least one")
        state = new_state(self.game, self.players, rounds, options)
        self.options = {name: value for name, value in options.items() if value != self.game.OPTIONS[name].default}
        piles = self.game.piles(state)
        self._piles = np.array([len(pile) for pile in piles], np.int32)
        self._deck = np.concatenate([np.array(pile, np.int32) for pile in piles])
        self._generators = np.zeros(tables, np.uint64)
        self.states = np.repeat(np.asarray(state)[None], tables)
        self.cards = np.tile(self._deck, (tables, 1))
        self.seat = np.zeros(tables, np.int64)
        self.mask = np.zeros((tables, len(self.game.ACTIONS)), np.int8)
        self._sizes = total_size(self.game.FEATURES), total_size(self.game.HIDDEN)
        self.observation = np.zeros((tables, self._sizes[0] if observations else 0), np.int8)
        self.points = np.zeros((tables, self.players), np.int32)
        self.round_over = np.zeros(tables, np.bool_)
        self.game_over = np.zeros(tables, np.bool_)
        self._bind()
        self.reset(seed)

    def __len__(self) -> int:
        """The number of tables."""
        return len(self.states)

    def reset(self, seed: int) -> None:
        """New games at every table, the same for the same seed."""
        self.seed = seed
        self._generators[:] = streams(seed, self.streams)
        self.cards[:] = self._deck
        self._clear()
        self._kernels.start(*self._table, *self._shown)

    def renew(self, rows: Any) -> None:
        """New games at some tables, int [n] ascending, each from where its stream of deals is; the others stay."""
        rows = self._rows(rows)
        self.points[rows] = 0
        self.round_over[rows] = self.game_over[rows] = False
        self._kernels.start_some(*self._table, rows, *self._shown)

    def step(self, actions: Any, rows: Any = None) -> None:
        """One decision at every table, int [B], or at `rows` alone, both int [n], rows ascending: the other tables and
        what is told of them stay as they are. InputError, and nothing done, where one is illegal.
        """
        actions = np.asarray(actions, np.int64)
        if rows is not None:
            self._step_some(actions, self._rows(rows))
            return
        if actions.shape != self._shape:
            raise InputError(f"{len(self)} tables need as many actions, not {list(actions.shape)}")
        wrong = self._step(*self._table, self.restart, actions, *self._shown, *self._result)
        if wrong >= 0:
            raise InputError(self._illegal(wrong, actions[wrong]))

    def deal(self, cards: Any, starters: Any = None) -> None:
        """Lays out these cards, int [B, cards] or [cards], in place of the current deal; with `starters`, int [B] or
        one seat, they open a new game. InputError where they are no deal of this table.
        """
        cards = np.asarray(cards)
        if cards.shape not in (self.cards.shape, self._deck.shape) or not self._is_deck(cards):
            raise InputError(f"a deal is the game's {len(self._deck)} cards in some order, each pile by itself")
        if starters is None:
            starters = -1
        else:
            starters = np.asarray(starters, np.int64)
            if starters.shape not in ((), self.seat.shape) or not np.isin(starters, range(self.players)).all():
                raise InputError(f"starters are seats, 0 to {self.players - 1}: one, or one a table")
            self._clear()
        self.cards[:] = cards
        starters = np.broadcast_to(starters, len(self)).astype(np.int64)
        self._kernels.lay_out(self.states, starters, self.cards, *self._shown)

    def observe(self, seats: Any) -> np.ndarray:
        """What a seat of each table knows, seats int [B]: a new int8 [B, F]."""
        return self._of_seats(self._kernels.observe, seats, self._sizes[0])

    def reveal(self, seats: Any) -> np.ndarray:
        """What a seat of each table does not know, seats int [B]: a new int8 [B, H] of the game's HIDDEN features."""
        return self._of_seats(self._kernels.reveal, seats, self._sizes[1])

    def possible(self, seats: Any) -> np.ndarray:
        """Which kinds of card each seat could hold as a seat of each table may infer: a new int8 [B, SEATS, CARDS]."""
        return self._of_seats(self._kernels.possible, seats, self.game.SEATS, self.game.CARDS)

    def totals(self) -> np.ndarray:
        """The points of each seat in the game so far: a new int32 [B, S]."""
        return self.states["total"][:, : self.players].copy()

    def save(self) -> dict[str, np.ndarray]:
        """Everything that differs from a fresh batch of the same make, as arrays; see `load`."""
        kept = {name: getattr(self, name).copy() for name in ("cards", "points", "round_over", "game_over")}
        return kept | {
            "generators": self._generators.copy(),
            "states": np.frombuffer(self.states.tobytes(), np.uint8).reshape(len(self), -1).copy(),
        }

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Goes on from what `save` gave; InputError where it is of another make."""
        fresh = self.save()
        for name, array in fresh.items():
            if name not in saved or saved[name].shape != array.shape or saved[name].dtype != array.dtype:
                raise InputError(f"saved tables of another make: {name} does not fit")
        for name in ("cards", "points", "round_over", "game_over"):
            getattr(self, name)[:] = saved[name]
        self._generators[:] = saved["generators"]
        self.states[:] = np.frombuffer(saved["states"].tobytes(), self.states.dtype)
        self._kernels.refresh(self.states, *self._shown)

    def _bind(self) -> None:
        # The arguments of the kernels once and for all: with one table, looking them up would be a third of a step.
        self._kernels = compile_game(self.game)
        self._step = self._kernels.step
        self._table = self.states, self._generators, self._piles, self.cards
        self._shown = self.seat, self.mask, self.observation
        self._result = self.points, self.round_over, self.game_over
        self._shape = self.seat.shape

    def _of_seats(self, kernel: Any, seats: Any, *shape: int) -> np.ndarray:
        seats = np.asarray(seats, np.int64)
        out = np.empty((len(self), *shape), np.int8)
        if seats.shape != self.seat.shape or kernel(self.states, seats, out) >= 0:
            raise InputError(f"seats must be {len(self)} numbers from 0 to {self.players - 1}")
        return out

    def _rows(self, rows: Any) -> np.ndarray:
        rows = np.asarray(rows, np.int64)
        if rows.ndim != 1 or (len(rows) and (rows[0] < 0 or rows[-1] >= len(self) or (rows[1:] <= rows[:-1]).any())):
            raise InputError(f"rows are tables in ascending order, from 0 to {len(self) - 1}")
        return rows

    def _step_some(self, actions: np.ndarray, rows: np.ndarray) -> None:
        if actions.shape != rows.shape:
            raise InputError(f"{len(rows)} rows need as many actions, not {list(actions.shape)}")
        wrong = self._kernels.step_some(*self._table, self.restart, rows, actions, *self._shown, *self._result)
        if wrong >= 0:
            raise InputError(self._illegal(int(rows[wrong]), actions[wrong]))

    def _is_deck(self, cards: np.ndarray) -> bool:
        piles = np.cumsum(self._piles)[:-1]
        pairs = zip(np.split(cards, piles, -1), np.split(self._deck, piles), strict=True)
        return all((np.sort(pile) == np.sort(whole)).all() for pile, whole in pairs)

    def _clear(self) -> None:
        self.points[:] = 0
        self.round_over[:] = False
        self.game_over[:] = False

    def _illegal(self, table: int, action: Any) -> str:
        names = self.game.action_names(self.states[table])
        name = names[action] if 0 <= action < len(names) else action
        legal = ", ".join(names[a] for a in np.flatnonzero(self.mask[table]))
        return f"illegal action {name} of seat {self.seat[table]} at table {table}; legal: {legal}"

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in _BOUND}
        kept["game"] = self.game.__name__
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self.game = as_game(import_module(kept["game"]))
        self._bind()


_BOUND = ("_kernels", "_step", "_table", "_shown", "_result", "_shape")
