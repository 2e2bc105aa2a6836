"""Tournaments: many line-ups played on every core, or every machine, and kept in a file to go on from."""

import hashlib
import json
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.errors import InputError
from ..envs.files import replacing
from ..envs.kernels import streams
from ..envs.rules.contract import Game
from ..envs.tables import Tables
from ..policies.base import Policy
from .arena import Cost, Scores, play
from .schedule import Lineup, Part
from .workers import Played, Threads, Workers

if TYPE_CHECKING:
    from .cluster import Cluster

Tell = Callable[[float], None]
"""Is told the part done, 0 … 1."""

SAVE_SECONDS = 10.0


class Games:
    """All that was played of one length: a row for each line-up and deal, in an order that nothing but they decide."""

    def __init__(self, players: int) -> None:
        self.lineups = np.zeros((0, players), np.int64)
        self.deals = np.zeros(0, np.int64)
        self.scores = Scores(*(np.zeros((0, players, players)) for _ in Scores._fields))
        self._new: list[tuple[Part, Scores]] = []
        self._played: dict[Lineup, set[int]] = {}

    def add(self, part: Part, scores: Scores) -> None:
        """Takes in what a part gave."""
        self._new.append((part, scores))
        self._played.setdefault(part.lineup, set()).update(part.deals.tolist())

    def without_played(self, parts: Iterable[Part]) -> Iterator[Part]:
        """What is left of parts."""
        for lineup, deals in parts:
            played = self._played.get(lineup, ())
            left = np.array([deal for deal in deals.tolist() if deal not in played], np.int64)
            if len(left):
                yield Part(lineup, left)

    def complete(self, parts: Iterable[Part], last: int) -> int:
        """How many deals, of the first `last`, are played to the end of `parts`."""
        return min((int(part.deals[0]) for part in self.without_played(parts)), default=last)

    def sort(self) -> None:
        """Brings what was added into its order: by deal, then by line-up."""
        if not self._new:
            return
        lineups = [np.tile(part.lineup, (len(part.deals), 1)) for part, _ in self._new]
        self.lineups = np.concatenate([self.lineups, *lineups])
        self.deals = np.concatenate([self.deals, *(part.deals for part, _ in self._new)])
        columns = zip(self.scores, *(scores for _, scores in self._new), strict=True)
        self.scores = Scores(*map(np.concatenate, columns))
        self._new = []
        order = np.lexsort((*self.lineups.T[::-1], self.deals))
        self.lineups, self.deals = self.lineups[order], self.deals[order]
        self.scores = Scores(*(values[order] for values in self.scores))

    def of(self, lineup: Lineup, deals: int) -> Scores:
        """The scores of one line-up at the first `deals` deals, [deals, rotations, places]."""
        self.sort()
        rows = (self.lineups == np.array(lineup)).all(1) & (self.deals < deals)
        return Scores(*(values[rows] for values in self.scores))

    def save(self) -> dict[str, np.ndarray]:
        """All rows as arrays; see `load`."""
        self.sort()
        return {"lineups": self.lineups, "deals": self.deals, **self.scores._asdict()}

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Takes what `save` gave; ValueError where it does not fit."""
        for name, array in self.save().items():
            if (one := saved[name]).shape != (len(saved["deals"]), *array.shape[1:]) or one.dtype != array.dtype:
                raise ValueError(f"{name} does not fit")
        self.lineups, self.deals = saved["lineups"], saved["deals"]
        self.scores = Scores(*(saved[name] for name in Scores._fields))
        for lineup, deal in zip(self.lineups.tolist(), self.deals.tolist(), strict=True):
            self._played.setdefault(tuple(lineup), set()).add(deal)


def _identity(name: str) -> str:
    """A policy's name; with the hash of its file, if it has one, which can be written anew under the same name."""
    path = Path(name)
    files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path] if path.is_file() else []
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    return f"{name} ({digest})" if files else name


class Tournament:
    """Contestants at tables of one size: plays, counts what decisions cost, keeps all of it in the file `state`.

    `rounds` are the lengths of games that will be played. Figures depend on seed and deals alone, never on `threads`,
    which share the contestants, nor on the `cluster` that plays in their place. InputError where the file is of other
    settings or damaged.
    """

    def __init__(
        self,
        game: Game,
        players: int,
        contestants: Sequence[Policy],
        rounds: Sequence[int | str],
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
        threads: int = 1,
        state: Path | None = None,
        cluster: "Cluster | None" = None,
    ) -> None:
        self.game, self.players, self.contestants, self.seed = game, players, list(contestants), seed
        self.options, self.path = dict(options or {}), state
        self.threads, self.cluster = threads, cluster
        self.games = {length: Games(players) for length in rounds}
        self.costs = np.zeros((len(self.contestants), 2))
        """Seconds and decisions of each contestant."""
        self.seconds = 0.0
        """Played so far, those of earlier processes included."""
        self._saved = time.monotonic()
        self._warm = False
        if state is not None and state.exists():
            self._load(state)

    @property
    def settings(self) -> dict[str, Any]:
        """What figures depend on, as JSON values."""
        return {
            "version": version("followsuit"),
            "game": self.game.NAME,
            "players": self.players,
            "options": self.options,
            "policies": [_identity(policy.name) for policy in self.contestants],
            "rounds": [str(length) for length in self.games],
            "seed": self.seed,
        }

    def ms_per_decision(self, contestant: int) -> float | None:
        """Milliseconds of one core for each decision with a choice; None before there was any."""
        seconds, decisions = self.costs[contestant]
        return 1000 * float(seconds) / float(decisions) if decisions else None

    def play(
        self,
        rounds: int | str,
        parts: Iterable[Part],
        tell: Tell = lambda _: None,
        keep: Callable[[dict[str, Any]], None] | None = None,
        seconds: float = np.inf,
    ) -> bool:
        """Plays what is left of `parts`; False where `seconds`, of the whole tournament, were over before the end.

        However it ends, what was played is kept. `keep` is given the records in the order of the parts.
        """
        games = self.games[rounds]
        left = list(games.without_played(parts))
        if left and self.seconds >= seconds:
            return False
        workers = self._workers()
        start, before = time.monotonic(), self.seconds
        numbers, records = iter(range(len(left))), {}
        waiting: dict[Hashable, int] = {}
        try:
            while True:
                if self.seconds < seconds:
                    for number in islice(numbers, max(0, workers.room() - len(waiting))):
                        waiting[workers.start(rounds, left[number], keep is not None)] = number
                if not waiting:
                    break
                done, played = workers.finish(waiting)
                number = waiting.pop(done)
                games.add(left[number], played.scores)
                self.costs += played.costs
                records[number] = played.records
                self.seconds = before + time.monotonic() - start
                tell(len(records) / len(left))
                if time.monotonic() - self._saved > SAVE_SECONDS:
                    self.save()
        finally:
            workers.stop()
            self.seconds = before + time.monotonic() - start
            self.save()
        if keep:
            for number in sorted(records):
                for record in records[number]:
                    keep(record)
        return len(records) == len(left)

    def _workers(self) -> Workers:
        if self.cluster:
            return self.cluster.workers(self)
        self.warm_up()  # before threads would wait for each other to compile
        return Threads(self.play_part, self.threads)

    def play_part(
        self, rounds: int | str, part: Part, recorded: bool, check: Callable[[float], None] = lambda _: None
    ) -> Played:
        """Plays a part and keeps nothing of it; `check` is called again and again and may raise."""
        costs: dict[Policy, Cost] = {}
        records: list[dict[str, Any]] = []
        lineup = [self.contestants[one] for one in part.lineup]
        scores = play(
            self.game, self.players, lineup, part.deals, rounds, self.seed, self.options,
            records.append if recorded else None, check, costs,
        )  # fmt: skip
        paid = np.zeros_like(self.costs)
        for policy, cost in costs.items():
            paid[self.contestants.index(policy)] = cost.seconds, cost.decisions
        return Played(scores, paid, records)

    def warm_up(self) -> None:
        """Compiles what contestants need, so that it does not count as thinking."""
        if not self._warm:
            tables = Tables(self.game, 4, self.players, 1, **self.options)
            for policy in self.contestants:
                policy.act(tables, np.arange(4), streams(0, np.arange(4)))
            self._warm = True

    def save(self) -> None:
        """Writes all that was played into the file, if there is one."""
        self._saved = time.monotonic()
        if self.path is None:
            return
        arrays: dict[str, Any] = {"settings": json.dumps(self.settings), "costs": self.costs, "seconds": self.seconds}
        for length, games in self.games.items():
            arrays |= {f"{length}.{name}": array for name, array in games.save().items()}
        with replacing(self.path) as beside, beside.open("wb") as file:
            np.savez(file, **arrays)

    def _load(self, path: Path) -> None:
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                saved = dict(arrays)
            settings = json.loads(str(saved["settings"]))
            differ = [name for name, value in self.settings.items() if settings[name] != value]
            if not differ:
                for length, games in self.games.items():
                    games.load({name: saved[f"{length}.{name}"] for name in games.save()})
                self.costs[:] = saved["costs"]
                self.seconds = float(saved["seconds"])
        except Exception as error:  # numpy and zipfile raise many kinds
            raise InputError(f"{path} holds no tournament that is whole; name another place") from error
        if differ:
            was, now = (json.dumps(told[differ[0]]) for told in (settings, self.settings))
            raise InputError(f"{path} was played with {differ[0]} {was}, not {now}; name another place")
