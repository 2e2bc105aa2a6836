"""Game records: one game as one JSON object, one a line; written, read and replayed against the rules.

A record is complete without its seed: it holds every deal and every decision. The format is in docs/records.md.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

import numpy as np

from . import GAMES
from .errors import InputError, unknown
from .files import replacing
from .scores import win_shares
from .tables import MATCH, Tables, load_game


class GameLog:
    """The record of one table's game as it is played."""

    def __init__(self, tables: Tables, table: int = 0, legal: bool = False) -> None:
        """Begins with the deal that lies at `table`; `legal` also keeps what was legal at every decision."""
        self._tables, self._table, self._legal = tables, table, legal
        rules = tables.options if tables.rounds == MATCH else tables.options | {"rounds": tables.rounds}
        self._head = {"game": tables.game.NAME, "players": tables.players, "rules": rules, "seed": tables.seed}
        self._rounds: list[dict[str, Any]] = []
        self.deal()

    def deal(self) -> None:
        """Begins a round with the deal that lies at the table now."""
        starter = int(self._tables.states["starter"][self._table])
        self._rounds.append(
            {
                "starter": starter,
                "cards": self._tables.cards[self._table].copy(),
                "names": self._tables.game.action_names(self._tables.states[self._table]),
                "moves": [],
                "legal": [],
            }
        )

    def move(self, action: int) -> None:
        """Notes the decision of the seat to act, before the table's step."""
        self._rounds[-1]["moves"].append((int(self._tables.seat[self._table]), int(action)))
        if self._legal:
            self._rounds[-1]["legal"].append(np.flatnonzero(self._tables.mask[self._table]))

    def score(self) -> None:
        """Notes the points of the round, after the step that ended it."""
        self._rounds[-1]["points"] = self._points().tolist()

    def _points(self) -> np.ndarray:
        before = [entry["points"] for entry in self._rounds if "points" in entry]
        totals = self._tables.states["total"][self._table, : self._tables.players]
        return totals - np.sum(before, axis=0, dtype=int) if before else totals.copy()

    def record(self) -> dict[str, Any]:
        """The game so far; `winners` once it is over."""
        tables = self._tables
        state = tables.states[self._table]
        rounds = []
        for entry in self._rounds:
            names = entry["names"]
            told = {
                "starter": entry["starter"],
                "deal": tables.game.name_deal(state, entry["cards"]),
                "moves": [[seat, names[action]] for seat, action in entry["moves"]],
            }
            if self._legal:
                told["legal"] = [sorted(names[action] for action in legal) for legal in entry["legal"]]
            if "points" in entry:
                told["points"] = entry["points"]
            rounds.append(told)
        totals = tables.totals()[self._table]
        record = self._head | {"rounds": rounds, "totals": totals.tolist()}
        if state.game_over:
            record["winners"] = winners(totals, tables.game.POINTS_SIGN)
        return record


def winners(totals: np.ndarray, sign: int) -> list[int]:
    """The seats that share the win."""
    return np.flatnonzero(win_shares(totals, sign)).tolist()


def write_records(records: Iterable[Mapping[str, Any]], file: IO[str]) -> int:
    """Writes records as JSON lines; how many."""
    count = 0
    for record in records:
        file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n")
        count += 1
    return count


def write_file(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Writes a `.jsonl` file, beside the old one until it is complete; how many records."""
    with replacing(path) as beside, beside.open("w", encoding="utf-8") as file:
        return write_records(records, file)


class Fault(NamedTuple):
    """What is wrong in a record; `round` and `move` count from 0, None where the fault is not in one."""

    round: int | None
    move: int | None
    reason: str


class Verified(NamedTuple):
    """The replay of one record."""

    moves: int
    faults: list[Fault]


def verify_lines(lines: Iterable[str]) -> Iterator[Verified]:
    """Replays each JSON line against the rules."""
    tables: dict[str, Tables] = {}
    for line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Verified(0, [Fault(None, None, f"not JSON: {error}")])
            continue
        yield verify(record, tables)


def verify(record: Any, tables: dict[str, Tables] | None = None) -> Verified:
    """Replays a record against the rules, up to its first fault; `tables` keeps what several records can share."""
    replay = _Replay()
    try:
        replay.game(record, {} if tables is None else tables)
    except _Wrong as wrong:
        return Verified(replay.moves, [Fault(replay.round, replay.move, str(wrong))])
    return Verified(replay.moves, [])


def table_of(record: Any, tables: dict[str, Tables]) -> Tables:
    """A table set up as a record says, from `tables` where there is one; InputError says what cannot be."""
    if not isinstance(record, dict):
        raise InputError("a record is a JSON object")
    for key, kind in (("game", str), ("players", int), ("rules", dict), ("rounds", list)):
        if not isinstance(record.get(key, {} if key == "rules" else None), kind):
            raise InputError(f"{key!r} is missing or of the wrong type")
    if record["game"] not in GAMES:
        raise unknown("game", record["game"], GAMES)
    rules = record.get("rules", {})
    known = ["rounds", *load_game(record["game"]).OPTIONS]
    for name in rules:
        if name not in known:
            raise unknown(f"option of {record['game']}", name, known)
    key = json.dumps([record["game"], record["players"], rules], sort_keys=True)
    if key not in tables:
        tables[key] = Tables(record["game"], 1, record["players"], observations=False, restart=False, **rules)
    return tables[key]


def read_deals(record: Any, like: Tables) -> list[tuple[list[int], int]]:
    """The cards and the starter of each round of a record of the same game, table size and rules as `like`.

    InputError says what does not fit.
    """
    table = table_of(record, {})
    if (table.game, table.players, table.options) != (like.game, like.players, like.options):
        raise InputError("the record is of another game, table size or rules")
    try:
        return [_deal_of(table, entry) for entry in record["rounds"]]
    except _Wrong as wrong:
        raise InputError(str(wrong)) from wrong


def _deal_of(table: Tables, entry: Any) -> tuple[list[int], int]:
    if not isinstance(entry, dict) or not isinstance(entry.get("deal"), dict):
        raise _Wrong("a round needs a deal")
    starter = entry.get("starter")
    if type(starter) is not int or not 0 <= starter < table.players:
        raise _Wrong(f"starter is no seat of this table: {starter!r}")
    try:
        return table.game.read_deal(table.states[0], entry["deal"]), starter
    except ValueError as error:
        raise _Wrong(str(error)) from error


class _Wrong(Exception):  # noqa: N818 (never leaves this module)
    pass


class _Replay:
    """Where the replay of one record stands."""

    def __init__(self) -> None:
        self.round: int | None = None
        self.move: int | None = None
        self.moves = 0

    def game(self, record: Any, tables: dict[str, Tables]) -> None:
        try:
            table = table_of(record, tables)
        except InputError as error:
            raise _Wrong(str(error)) from error
        points = np.zeros(table.players, int)
        over = False
        for number, entry in enumerate(record["rounds"]):
            self.round, self.move = number, None
            if over:
                raise _Wrong("the game was over before this round")
            self._deal(table, entry, first=number == 0)
            unfinished_allowed = number == len(record["rounds"]) - 1
            over = self._moves(table, entry, unfinished_allowed)
            scored = table.totals()[0] - points
            points += scored
            ended = bool(entry["moves"]) and (
                table.round_over[0] or over
            )  # without moves they tell of the round before
            if ended or "points" in entry:
                _equal("points", entry.get("points"), scored.tolist())
        self.round = self.move = None
        if not record["rounds"]:
            raise _Wrong("no round")
        if over or "totals" in record:
            _equal("totals", record.get("totals"), points.tolist())
        if over or "winners" in record:
            _equal("winners", record.get("winners"), winners(points, table.game.POINTS_SIGN) if over else None)

    def _deal(self, table: Tables, entry: Any, first: bool) -> None:
        cards, starter = _deal_of(table, entry)
        if not first:
            _equal("starter", starter, int(table.states["starter"][0]))
        table.deal(cards, starter if first else None)

    def _moves(self, table: Tables, entry: dict[str, Any], unfinished_allowed: bool) -> bool:
        names = {name: action for action, name in enumerate(table.game.action_names(table.states[0]))}
        moves, legal = entry.get("moves"), entry.get("legal")
        if not isinstance(moves, list) or not isinstance(legal, list | None):
            raise _Wrong("moves and legal are lists")
        if legal is not None and len(legal) != len(moves):
            raise _Wrong(f"{len(moves)} moves but {len(legal)} sets of what was legal")
        ended = False
        for number, move in enumerate(moves):
            self.move = number
            if ended:
                raise _Wrong("the round was over before this move")
            if not isinstance(move, list) or len(move) != 2:
                raise _Wrong("a move is [seat, action]")
            seat, name = move
            if type(seat) is not int or seat != table.seat[0]:
                raise _Wrong(f"seat {table.seat[0]} is to act, not {seat!r}")
            if not isinstance(name, str) or name not in names:
                raise _Wrong(f"{name!r} is no move of this game")
            mask = table.mask[0]
            if not mask[names[name]] or legal is not None:
                allowed = sorted(name for name, action in names.items() if mask[action])
                if name not in allowed:
                    raise _Wrong(f"{name} is not legal; legal: {', '.join(allowed)}")
                if legal is not None:
                    _equal("legal", legal[number], allowed)
            table.step([names[name]])
            self.moves += 1
            ended = bool(table.round_over[0] or table.game_over[0])
        self.move = None
        if not ended and not unfinished_allowed:
            raise _Wrong("the round is not finished")
        return bool(table.game_over[0])


def _equal(what: str, recorded: Any, right: Any) -> None:
    if recorded != right:
        raise _Wrong(f"{what}: recorded {json.dumps(recorded)}, by the rules {json.dumps(right)}")
