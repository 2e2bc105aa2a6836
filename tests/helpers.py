"""What the tests share: every game at every table size, its golden records, and one table reached in three ways."""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from followsuit.envs import GAMES
from followsuit.envs.aec import CardGame
from followsuit.envs.records import GameLog, table_of
from followsuit.envs.rules.contract import Feature, decode, total_size
from followsuit.envs.tables import MATCH, Tables, load_game, new_state

TABLES = [(game, players) for game in GAMES for players in load_game(game).PLAYERS]
every_game = pytest.mark.parametrize("game", list(GAMES))
every_table = pytest.mark.parametrize(("game", "players"), TABLES)


def make_env(game: str, players: int, **keywords: Any) -> CardGame:
    return import_module(f"followsuit.envs.{GAMES[game]}").env(players=players, **keywords)


# Golden records


def golden(game: str, players: int) -> list[dict[str, Any]]:
    """The golden records of a game at a table size; a game without them fails here."""
    folder = Path(__file__).parent / "golden"
    records = read_golden(folder / f"{game}_{players}.jsonl")
    cases = folder / f"cases_{game}.jsonl"
    if cases.exists():
        records += [record for record in read_golden(cases) if record["players"] == players]
    return records


def read_golden(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        pytest.fail(f"{path.name} is missing: each game needs golden records of each table size")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Playing


def choose(mask: np.ndarray, numbers: Any) -> np.ndarray:
    """The legal actions that `numbers` (int [B], modulo how many are legal) pick from masks [B, A]; 0 where none is."""
    ranks = np.cumsum(mask, -1)
    wanted = np.asarray(numbers) % np.maximum(ranks[:, -1], 1)
    return (ranks > wanted[:, None]).argmax(-1)


def play_record(game: str, players: int, seed: int, rounds: int | str = 1, **options: Any) -> dict[str, Any]:
    """The record, with legal sets, of one game of random decisions."""
    tables = Tables(game, 1, players, rounds, seed=seed, observations=False, restart=False, **options)
    random = np.random.default_rng(seed)
    log = GameLog(tables, legal=True)
    while not tables.game_over[0]:
        action = choose(tables.mask, random.integers(2**31, size=1))
        log.move(int(action[0]))
        tables.step(action)
        if tables.round_over[0]:
            log.score()
            if not tables.game_over[0]:
                log.deal()
    return log.record()


def play_env(env: CardGame, random: np.random.Generator, decisions: int | None = None) -> Iterator[str]:
    """Plays legal decisions at random, to the end or so many; yields the agent before each."""
    while not env.terminations[env.agent_selection] and decisions != 0:
        yield env.agent_selection
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        env.step(int(random.choice(legal)))
        decisions = None if decisions is None else decisions - 1


def dealt_cards(deal: Any) -> list[str]:
    """Every card named in a deal of a record."""
    if isinstance(deal, str):
        return [deal]
    parts = deal.values() if isinstance(deal, dict) else deal if isinstance(deal, list) else ()
    return [card for part in parts for card in dealt_cards(part)]


class PlainTable:
    """One table whose rules run as the plain Python they are written in, with what `Tables` shows of one."""

    def __init__(self, game: str, players: int, rounds: int | str = MATCH, **options: Any) -> None:
        self.game = load_game(game)
        self.players = players
        self.state = new_state(self.game, players, rounds, options)

    def deal(self, cards: Any, starter: int | None = None) -> None:
        if starter is not None:
            self.game.begin(self.state, starter)
        self.game.deal(self.state, np.asarray(cards))

    def deal_at_random(self, random: np.random.Generator, starter: int | None = None) -> np.ndarray:
        cards = np.concatenate([random.permutation(pile) for pile in self.game.piles(self.state)])
        self.deal(cards, starter)
        return cards

    def step(self, action: int) -> None:
        self.game.play(self.state, action)

    def step_at_random(self, random: np.random.Generator) -> int:
        action = int(random.choice(np.flatnonzero(self.mask)))
        self.step(action)
        return action

    @property
    def mask(self) -> np.ndarray:
        mask = np.zeros(len(self.game.ACTIONS), np.int8)
        if not self.state.game_over:
            self.game.legal(self.state, mask)
        return mask

    def observe(self, seat: int) -> np.ndarray:
        out = np.zeros(total_size(self.game.FEATURES), np.int8)
        self.game.observe(self.state, seat, out)
        return out

    def features(self, seat: int) -> dict[str, np.ndarray]:
        return decode(self.game.FEATURES, self.observe(seat))

    def reveal(self, seat: int) -> np.ndarray:
        out = np.zeros(total_size(self.game.HIDDEN), np.int8)
        self.game.reveal(self.state, seat, out)
        return out

    def possible(self, seat: int) -> np.ndarray:
        out = np.zeros((self.game.SEATS, self.game.CARDS), np.int8)
        self.game.possible(self.state, seat, out)
        return out

    def points(self) -> np.ndarray:
        """Of the round and of the game, [2, players]."""
        out = np.zeros((2, self.game.SEATS), np.int32)
        self.game.points(self.state, out)
        return out[:, : self.players]

    def hands(self) -> list[list[str]]:
        return [seat.hand for seat in self.game.view(self.state).seats]


def bounds(features: tuple[Feature, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest value of each entry of an observation of these features."""
    low = np.concatenate([np.full(feature.size, feature.low) for feature in features])
    high = np.concatenate([np.full(feature.size, feature.high) for feature in features])
    return low, high


# Three ways to replay a record: whose turn it is, what is legal, how it ended


class ByRules:
    """By the uncompiled rules."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.table = PlainTable(record["game"], record["players"], **record["rules"])
        self.rounds: list[np.ndarray] = []

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.game.action_names(self.table.state)

    def begin_round(self, entry: dict[str, Any]) -> None:
        state = self.table.state
        if self.rounds:
            assert state.starter == entry["starter"]
        cards = self.table.game.read_deal(state, entry["deal"])
        self.table.deal(cards, None if self.rounds else entry["starter"])
        self.rounds.append(np.zeros(self.table.players, int))

    def turn(self) -> tuple[int, list[str]]:
        legal = np.flatnonzero(self.table.mask)
        return int(self.table.state.actor), sorted(self.names[action] for action in legal)

    def play(self, name: str) -> None:
        self.table.step(self.names.index(name))
        self.rounds[-1] += self.table.state.earned[: self.table.players]

    def result(self) -> tuple[list[list[int]], list[int]]:
        assert self.table.state.game_over
        assert self.table.points()[1].tolist() == sum(self.rounds).tolist()  # pyright: ignore[reportAttributeAccessIssue]
        return [points.tolist() for points in self.rounds], self.table.points()[1].tolist()


class ByTables:
    """By the compiled batch engine."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.tables = table_of(record, {})
        self.rounds: list[np.ndarray] = []

    @property
    def names(self) -> tuple[str, ...]:
        return self.tables.game.action_names(self.tables.states[0])

    def begin_round(self, entry: dict[str, Any]) -> None:
        cards = self.tables.game.read_deal(self.tables.states[0], entry["deal"])
        if self.rounds:
            assert self.tables.states["starter"][0] == entry["starter"]
        self.tables.deal(cards, None if self.rounds else entry["starter"])
        self.rounds.append(np.zeros(self.tables.players, int))

    def turn(self) -> tuple[int, list[str]]:
        legal = np.flatnonzero(self.tables.mask[0])
        return int(self.tables.seat[0]), sorted(self.names[action] for action in legal)

    def play(self, name: str) -> None:
        self.tables.step([self.names.index(name)])
        self.rounds[-1] += self.tables.points[0]

    def result(self) -> tuple[list[list[int]], list[int]]:
        assert self.tables.game_over[0]
        assert not self.tables.mask.any()
        return [points.tolist() for points in self.rounds], self.tables.totals()[0].tolist()


class ByEnvironment:
    """By the PettingZoo environment."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.env = make_env(record["game"], record["players"], **record["rules"])
        self.env.reset(options={"record": record})

    @property
    def names(self) -> tuple[str, ...]:
        return self.env.game.action_names(self.env.tables.states[0])

    def begin_round(self, entry: dict[str, Any]) -> None:
        told = self.env.record()["rounds"][-1]
        assert (told["starter"], told["deal"], told["moves"]) == (entry["starter"], entry["deal"], [])

    def turn(self) -> tuple[int, list[str]]:
        agent = self.env.agent_selection
        legal = np.flatnonzero(self.env.observe(agent)["action_mask"])
        return self.env.possible_agents.index(agent), sorted(self.names[action] for action in legal)

    def play(self, name: str) -> None:
        self.env.step(self.names.index(name))

    def result(self) -> tuple[list[list[int]], list[int]]:
        assert all(self.env.terminations.values())
        record = self.env.record()
        return [entry["points"] for entry in record["rounds"]], record["totals"]
