"""The games as OpenSpiel's own: importing this registers `followsuit_fearless` … with pyspiel.

    pyspiel.load_game("followsuit_fearless", {"players": 4, "rounds": 1})

Parameters are `players` (the largest table by default), `rounds` (0: the official game), `reward` and the options of
the game's rules. A reward of "points" is the margin by which a seat ends ahead of the mean of the others; "win" is as
in `envs.aec.REWARDS`, and alone has bounds, which AlphaZero for one needs. Both sum to zero, and both are paid at the
end: most of OpenSpiel's algorithms accept nothing else, and its agents would miss what others' turns bring them.

Chance is explicit: who starts is drawn, then card after card of every deal. Every algorithm of OpenSpiel that samples,
enumerates or searches chance takes that, and a clone has no future deal in it that a search could look at, which a
seeded deal inside a sampled stochastic game would be. Where one deal after another by seed and speed are all that
matters, `envs.openspiel` is the way.

OpenSpiel's searches in C++ (`pyspiel.MCTSBot`, `pyspiel.ISMCTSBot`) crash on any game written in Python (2.0.2); use
`open_spiel.python.algorithms.ismcts`. Its `mcts` sees all hands.

A seat recalls everything: its information state string is what it knows now, with a digest of all it has known and done
before. The tensors of information state and observation are the observation that the environments give.
"""

import copy
import functools
import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from ..envs import GAMES
from ..envs.aec import REWARDS
from ..envs.errors import InputError, unknown
from ..envs.kernels import streams
from ..envs.render import text
from ..envs.rules.contract import Feature, Game, decode, total_size
from ..envs.scores import margins, win_rewards
from ..envs.tables import MATCH, load_game, new_state
from .beliefs import belief_kernel, scratch
from .recall import CHANCE, TERMINAL, one_table

try:
    import pyspiel  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    raise InputError(f"this needs {error.name}: pip install 'followsuit[openspiel]'") from error

STARTER = 0  # of the piles of chance, what seat starts: drawn once a game, one alone
OPEN_END = 1000  # rounds that no game without a fixed number of them has come near to


class TableGame(pyspiel.Game):
    """A game at one table size, with all that its states share; `register` makes the class of each game.

    Raises:
        InputError: a table size, reward or option that there is not.
    """

    rules: Game

    def __init__(self, params: Mapping[str, Any]) -> None:
        game = self.rules
        values = defaults(game) | dict(params)
        players, rounds, self.reward = values.pop("players"), values.pop("rounds"), values.pop("reward")
        if self.reward not in REWARDS:
            raise unknown("reward", self.reward, REWARDS)
        options = {name: read_option(game, name, value) for name, value in values.items()}
        self.fresh = np.asarray(new_state(game, players, rounds or MATCH, options))[None]
        piles = game.piles(self.fresh.view(np.recarray)[0])
        self.piles = [np.ones(players, np.int64), *map(np.bincount, piles)]
        """How many of each number there are to draw from: seats for the starter, then the piles."""
        self.names = game.action_names(self.fresh.view(np.recarray)[0])
        self.kernels = one_table(game)
        self.cards = sum(map(len, piles))
        self._chance = (self.cards + 1) * (int(self.fresh["rounds"][0]) or OPEN_END)
        best, worst = (1.0, -1.0 / (players - 1)) if self.reward == "win" else (np.inf, -np.inf)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.ACTIONS),
            max_chance_outcomes=max(map(len, self.piles)),
            num_players=players,
            min_utility=worst,
            max_utility=best,
            utility_sum=0.0,
            max_game_length=2 * self._chance,  # a decision plays a card or goes with one
        )
        super().__init__(game_type(game), info, dict(params))

    @functools.cached_property
    def memory(self) -> np.ndarray:
        """Of the drawing of worlds."""
        return scratch(self.rules)

    def new_initial_state(self) -> "TableState":
        return TableState(self)

    def max_chance_nodes_in_history(self) -> int:
        return self._chance

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "SeatObserver | None":
        """All that a seat knows; None, as OpenSpiel has it, where less is asked for; InputError at parameters."""
        if params:
            raise InputError(f"an observer has no parameters, not {params!r}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return SeatObserver(self.rules.FEATURES, kind.perfect_recall)


class TableState(pyspiel.State):
    """One table. Its attributes are arrays and plain values, which OpenSpiel copies at every clone.

    OpenSpiel's `serialize` pickles them: deserialize nothing that comes from others.
    """

    def __init__(self, game: TableGame) -> None:
        super().__init__(game)
        rules, players = game.rules, game.num_players()
        self.table = game.fresh.copy()
        self.mask = np.zeros(len(rules.ACTIONS), np.int8)
        self.known = np.zeros((players, total_size(rules.FEATURES)), np.int8)
        """What each seat knows now, int8 [S, F]; all 0 before the first deal."""
        self.past = np.zeros(players, np.uint64)
        """A digest of all that each seat has known and done."""
        self.cards = np.zeros(game.cards, np.int64)
        """The deal as far as it has been drawn, `count` of them."""
        self._open(game, pile=STARTER)

    def _open(self, game: TableGame, pile: int) -> None:
        """A deal to be drawn, from pile `pile` on."""
        self.player, self.pile = CHANCE, pile
        self.left = game.piles[pile].copy()
        self.starter, self.count = -1, 0

    def current_player(self) -> int:
        return self.player

    def is_terminal(self) -> bool:
        return self.player == TERMINAL

    def _legal_actions(self, _player: int) -> list[int]:
        return np.flatnonzero(self.mask).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every card left in the pile is as likely as any other."""
        numbers = np.flatnonzero(self.left)
        return list(zip(numbers.tolist(), (self.left[numbers] / self.left.sum()).tolist(), strict=True))

    def _apply_action(self, action: int) -> None:
        """InputError, and nothing done, where it is illegal: OpenSpiel does not look."""
        legal = self.left if self.player == CHANCE else self.mask
        if not (0 <= action < len(legal) and legal[action]):
            raise InputError(f"illegal action {action}; legal: {self.legal_actions()}")
        if self.player == CHANCE:
            self._draw(action)
        else:
            self._decide(action)

    def _draw(self, number: int) -> None:
        """One outcome of chance, and those after it that have no alternative."""
        game = self.get_game()
        while True:
            self.left[number] -= 1
            if self.pile == STARTER:
                self.starter = number
            else:
                self.cards[self.count] = number
                self.count += 1
            if self.pile == STARTER or not self.left.any():
                self.pile += 1
                if self.pile == len(game.piles):
                    break
                self.left = game.piles[self.pile].copy()
            numbers = np.flatnonzero(self.left)
            if len(numbers) > 1:
                return
            number = int(numbers[0])
        self.player = game.kernels.deal(self.table, self.starter, self.cards, self.mask, self.known, self.past)

    def _decide(self, action: int) -> None:
        game = self.get_game()
        self.player = game.kernels.play(self.table, action, self.mask, self.known, self.past)
        if self.player == CHANCE:
            self._open(game, pile=STARTER + 1)

    def returns(self) -> list[float]:
        """By the game's `reward` once it is over, 0 before."""
        players = self.num_players()
        if self.player != TERMINAL:
            return [0.0] * players
        game = self.get_game()
        score = win_rewards if game.reward == "win" else margins
        return score(self.table["total"][0, :players], game.rules.POINTS_SIGN).tolist()

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> "TableState":
        """A world that `player` may believe in, drawn uniformly by `rng` (which gives numbers in [0, 1)).

        It has no history: which deal and hidden moves led there is not told. InputError where the game has no beliefs.
        """
        game = self.get_game()
        world = game.new_initial_state()
        vars(world).update(copy.deepcopy(vars(self)))
        if self.player == CHANCE:  # what has been drawn so far nobody has seen
            world._open(game, pile=STARTER if self.starter >= 0 or self.pile == STARTER else STARTER + 1)
            return world
        random = streams(int(rng() * 2**53), [0])
        sample = belief_kernel(game.rules)
        sample(self.table, np.zeros(1, np.int64), np.array([player]), random, game.memory, world.table)
        game.kernels.look(world.table, world.mask, world.known)
        world.past[:] = self.past[player]  # the others would recall a past of the true world
        return world

    def _action_to_string(self, player: int, action: int) -> str:
        """As in game records; of chance, the starter, a card or what else is drawn."""
        game = self.get_game()
        if player != CHANCE:
            return game.rules.action_names(self.table.view(np.recarray)[0])[action]
        return (f"starter {action}", f"deal {game.names[action]}", f"draw {action}")[min(self.pile, 2)]

    def __str__(self) -> str:
        """The table with all hands open; while cards are drawn, what has been."""
        if self.player == CHANCE:
            return f"drawn {self.starter} {self.cards[: self.count]}, totals {self.table['total'][0]}"
        game = self.get_game()
        return text(game.rules, game.rules.view(self.table.view(np.recarray)[0]))


class SeatObserver:
    """OpenSpiel's observer: `tensor`, float32 [F], and in `dict` its features by name."""

    def __init__(self, features: tuple[Feature, ...], perfect_recall: bool) -> None:
        self.tensor = np.zeros(total_size(features), np.float32)
        self.dict = decode(features, self.tensor)
        self._recalls = perfect_recall
        self._labels = labels(features)

    def set_from(self, state: TableState, player: int) -> None:
        self.tensor[:] = state.known[player]

    def string_from(self, state: TableState, player: int) -> str:
        known = state.known[player]
        places = np.flatnonzero(known).tolist()
        told = [self._labels[i] if (value := known[i]) == 1 else f"{self._labels[i]}={value}" for i in places]
        past = [f"past={state.past[player]:016x}"] if self._recalls else []
        return " ".join([f"seat={player}", *told, *past])


@functools.cache
def labels(features: tuple[Feature, ...]) -> list[str]:
    """The name of every entry of an observation, like `hand[3]`."""
    entries = [(feature.name, place) for feature in features for place in np.ndindex(feature.shape)]
    return [f"{name}[{','.join(map(str, place))}]" for name, place in entries]


def defaults(game: Game) -> dict[str, Any]:
    """The parameters of a game. An option whose default is None is a string, "" for the default, see `read_option`."""
    options = {name: "" if option.default is None else option.default for name, option in game.OPTIONS.items()}
    return {"players": max(game.PLAYERS), "rounds": 0, "reward": next(iter(REWARDS))} | options


def read_option(game: Game, name: str, value: Any) -> Any:
    """An option's value from its parameter: where the default is None, JSON with ; for a comma, which would end it."""
    if name not in game.OPTIONS or game.OPTIONS[name].default is not None or not value:
        return None if value == "" else value
    try:
        return json.loads(value.replace(",", " ").replace(";", ","))
    except ValueError as error:
        raise InputError(f"{game.NAME}: {name} is JSON with ; for each comma, not {value!r}") from error


@functools.cache
def game_type(game: Game) -> Any:
    """What pyspiel registers."""
    return pyspiel.GameType(
        short_name=f"followsuit_{game.NAME}",
        long_name=game.TITLE,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(game.PLAYERS),
        min_num_players=min(game.PLAYERS),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults(game),
    )


def register(game: str | ModuleType | Game) -> None:
    """Makes a game, by name or module, known to pyspiel as `followsuit_NAME`."""
    rules = load_game(game)
    # A class: pyspiel lets go of what it was given only after Python has ended, which no other callable would bear.
    pyspiel.register_game(game_type(rules), type(f"{rules.NAME.title()}Game", (TableGame,), {"rules": rules}))


for _name in GAMES:
    register(_name)
