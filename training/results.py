"""What a tournament says: standings, a matrix of margins and ratings, from the games of an evaluation or a ladder."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.errors import InputError
from ..envs.rules.contract import Game
from ..envs.tables import MATCH
from ..policies.base import Policy
from .arena import Estimate, estimate
from .ratings import Rating, rate
from .schedule import Lineup, Part, line_ups, looks, mixed_tables, one_against_the_rest, parts_of
from .tournament import Tell, Tournament

if TYPE_CHECKING:
    from .cluster import Cluster

ROUNDS_SHARE = 2 / 3
"""The part of a ladder's time, and of its progress, that single rounds may take before matches begin."""


@dataclass(frozen=True)
class Standing:
    """How one contestant did."""

    policy: str
    points_per_round: float
    margin: Estimate
    """Points a round ahead of the mean of the other seats; higher is better for every game."""
    wins: Estimate
    """Share of the games won; a shared win counts in parts."""
    rating: Rating | None = None
    ms_per_decision: float | None = field(default=None, compare=False)
    """Milliseconds of one core for a decision with a choice."""
    distribution: Mapping[int, int] = field(default_factory=dict)
    """How many of its games gave it so many points a round, rounded."""


@dataclass(frozen=True)
class Result:
    """An evaluation, complete enough to be repeated."""

    game: str
    players: int
    rounds: int | str
    options: dict[str, Any]
    deals: int
    seed: int
    standings: list[Standing]
    matrix: list[list[Estimate | None]] | None = None
    """The margin of each contestant alone, by row, against a table full of each other one."""
    matches: int | None = None
    """Of a ladder: at how many mixed tables official games were played, for shares of wins and ratings."""

    def to_json(self) -> dict[str, Any]:
        """The result in the format that `followsuit evaluate --json` writes."""
        told: dict[str, Any] = {"game": self.game, "players": self.players, "rounds": self.rounds}
        if self.options:
            told["options"] = self.options
        told |= {"deals": self.deals, "seed": self.seed}
        if self.matches is not None:
            told["matches"] = self.matches
        told["contestants"] = [_standing_json(standing) for standing in self.standings]
        if self.matrix:
            told["matrix"] = [[_margin_json(cell) if cell else None for cell in row] for row in self.matrix]
        return told


def _standing_json(standing: Standing) -> dict[str, Any]:
    told = {"policy": standing.policy, "points_per_round": standing.points_per_round, **_margin_json(standing.margin)}
    told |= {"win_share": standing.wins.mean, "win_ci": [standing.wins.low, standing.wins.high]}
    if standing.rating:
        told |= {"rating": standing.rating.mu, "rating_sigma": standing.rating.sigma}
    return told | {"ms_per_decision": standing.ms_per_decision}


def _margin_json(margin: Estimate) -> dict[str, Any]:
    return {"margin": margin.mean, "margin_ci": [margin.low, margin.high]}


def evaluate(
    game: Game,
    players: int,
    contestants: Sequence[Policy],
    deals: int | None = None,
    rounds: int | str = MATCH,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
    progress: Tell = lambda _: None,
    until_sure: float | None = None,
    threads: int = 1,
    state: Path | None = None,
    cluster: "Cluster | None" = None,
) -> Result:
    """Compares policies. With as many as there are seats they form one line-up; with fewer or more, each of them plays
    alone against a table full of each other one, and the figures are its own at those tables. At a table of two these
    are the same. Where each met each alone, the result has a matrix, and ratings by the games played.

    Args:
        game: as `Tables` takes it, like players, rounds, seed and options.
        players: table size.
        contestants: the policies, shared by the threads.
        deals: how many, at least 2, each played once a rotation and line-up; with `until_sure` the most.
        rounds: of a game, or the official match.
        seed: decides all chance.
        options: of the game's rules.
        keep: is given the record of every game.
        progress: is told the part done, 0 … 1.
        until_sure: end when the 95 % interval of every contestant's margin is at most ± this wide. It is looked at
            after 32 deals, then after each quarter more; stopping at a lucky look makes intervals slightly optimistic.
        threads: how many games are played at a time; the figures are the same for any number.
        state: a file to keep what was played in, and to go on from where it exists.
        cluster: plays in place of the threads; the figures are the same.
    """
    if deals is None and until_sure is None:
        raise InputError("an evaluation ends after some deals or when it is sure enough; give one of them")
    if deals is not None and deals < 2:
        raise InputError("an interval needs at least 2 deals")
    lineups = line_ups(players, len(contestants))
    if state and keep:
        raise InputError("records are of all games or none: they are not kept together with a state to go on from")
    tournament = Tournament(game, players, contestants, [rounds], seed, options, threads, state, cluster)
    deals = _play_until(tournament, rounds, lineups, deals, until_sure, np.inf, progress, keep)
    alone = len(contestants) > 1 and lineups == one_against_the_rest(players, len(contestants))
    ratings = rate(len(contestants), _games(tournament, rounds, deals), game.POINTS_SIGN) if alone else None
    standings = []
    for one, contestant in enumerate(contestants):
        points, margin, wins = _own(tournament, rounds, lineups, one, deals, alone)
        standings.append(
            Standing(
                contestant.name, float(points.mean()), estimate(margin.mean(1)), estimate(wins.mean(1)),
                ratings[one] if ratings else None, tournament.ms_per_decision(one), _distribution(points),
            )
        )  # fmt: skip
    matrix = _matrix(tournament, rounds, lineups, deals) if alone else None
    return Result(game.NAME, players, rounds, tournament.options, deals, seed, standings, matrix)


def ladder(
    game: Game,
    players: int,
    contestants: Sequence[Policy],
    until_sure: float,
    minutes: float,
    matches: int,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Tell = lambda _: None,
    threads: int = 1,
    state: Path | None = None,
    cluster: "Cluster | None" = None,
) -> Result:
    """Measures contestants in both scores. Single rounds, each contestant alone against a table full of each other one,
    give points and margins; official games at mixed tables of different contestants give shares of wins and ratings.

    Rounds end when the 95 % interval of every contestant's margin is at most ± `until_sure` wide, looked at as in
    `evaluate`, or after two thirds of `minutes`; then `matches` mixed tables play an official game once a rotation, as
    far as time allows. The time of earlier processes with the same `state` counts. What it cuts short depends on the
    machine; what ends by itself does not. The other arguments are those of `evaluate`.
    """
    if len(contestants) < 2:
        raise InputError("a ladder needs at least two policies")
    tournament = Tournament(game, players, contestants, [1, MATCH], seed, options, threads, state, cluster)
    lineups = one_against_the_rest(players, len(contestants))
    seconds = 60 * minutes
    deals = _play_until(
        tournament, 1, lineups, None, until_sure, ROUNDS_SHARE * seconds, lambda part: progress(ROUNDS_SHARE * part)
    )
    tables = mixed_tables(players, len(contestants), matches, seed)
    matches = _play_matches(
        tournament, tables, seconds, lambda part: progress(ROUNDS_SHARE + (1 - ROUNDS_SHARE) * part)
    )
    ratings = rate(len(contestants), _games(tournament, MATCH, matches), game.POINTS_SIGN)
    standings = []
    for one, contestant in enumerate(contestants):
        points, margin, _ = _own(tournament, 1, lineups, one, deals, alone=True)
        standings.append(
            Standing(
                contestant.name, float(points.mean()), estimate(margin.mean(1)),
                _share_of_wins(tournament, one, matches),
                ratings[one], tournament.ms_per_decision(one), _distribution(points),
            )
        )  # fmt: skip
    matrix = _matrix(tournament, 1, lineups, deals)
    return Result(game.NAME, players, 1, tournament.options, deals, seed, standings, matrix, matches)


def _play_until(
    tournament: Tournament,
    rounds: int | str,
    lineups: Sequence[Lineup],
    deals: int | None,
    until_sure: float | None,
    seconds: float,
    progress: Tell,
    keep: Callable[[dict[str, Any]], None] | None = None,
) -> int:
    """Plays until the deals, the seconds or the doubts are over; how many deals every line-up has played."""
    contestants, games = len(tournament.contestants), tournament.games[rounds]
    alone = lineups == one_against_the_rest(tournament.players, contestants)
    told, expected, first, last = 0.0, 0.0, 0, 0
    for first, last in looks(deals, until_sure is not None):
        # How much is done after this look: what the last one promised for so many deals.
        after = expected * last / first if expected else (1.0 if until_sure is None else 0.1)

        def tell(part: float, begin: float = told, end: float = min(1.0, after)) -> None:
            progress(begin + part * max(0.0, end - begin))

        if not tournament.play(rounds, parts_of(lineups, first, last), tell, keep, seconds):
            if (last := games.complete(parts_of(lineups, 0, last), last)) < 2:
                last = 2
                tournament.play(rounds, parts_of(lineups, 0, last))
            break
        if until_sure is None:
            continue
        widest = max(
            estimate(_own(tournament, rounds, lineups, one, last, alone)[1].mean(1)).half for one in range(contestants)
        )
        if widest <= until_sure:
            break
        told, expected = max(told, min(1.0, after)), (until_sure / widest) ** 2
    progress(1.0)
    return last


def _play_matches(tournament: Tournament, tables: Sequence[Lineup], seconds: float, progress: Tell) -> int:
    """Plays deal k at table k until the tables or the seconds are over; how many tables were played without a gap."""
    parts = [Part(lineup, np.array([deal])) for deal, lineup in enumerate(tables)]
    if tournament.play(MATCH, parts, progress, seconds=seconds):
        return len(tables)
    # A share of wins needs two tables of each contestant: among three of its seats there are two.
    least = max(2, -(-3 * len(tournament.contestants) // tournament.players))
    tournament.play(MATCH, parts[:least])
    return tournament.games[MATCH].complete(parts, len(parts))


def _own(
    tournament: Tournament, rounds: int | str, lineups: Sequence[Lineup], one: int, deals: int, alone: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, margins and wins of a contestant, [deals, games]: all its games of a deal, or those it played alone."""
    columns: list[list[np.ndarray]] = [[], [], []]
    for lineup in lineups:
        places = [place for place, sitting in enumerate(lineup) if sitting == one]
        if not places or (alone and len(places) > 1):
            continue
        scores = tournament.games[rounds].of(lineup, deals)
        for column, values in zip(columns, scores, strict=False):
            column.append(values[:, :, places].reshape(deals, -1))
    points, margin, wins = (np.concatenate(column, 1) for column in columns)
    return points, margin, wins


def _matrix(
    tournament: Tournament, rounds: int | str, lineups: Sequence[Lineup], deals: int
) -> list[list[Estimate | None]]:
    contestants = range(len(tournament.contestants))
    matrix: list[list[Estimate | None]] = [[None for _ in contestants] for _ in contestants]
    for lineup in lineups:
        by_deal = tournament.games[rounds].of(lineup, deals).margin.mean(1)
        for place, (one, other) in enumerate([lineup[:2], lineup[1::-1]]):
            if lineup.count(one) == 1:
                matrix[one][other] = estimate(by_deal[:, place])
    return matrix


def _share_of_wins(tournament: Tournament, one: int, deals: int) -> Estimate:
    """Of official games, over the mixed tables at which a contestant sat."""
    games = tournament.games[MATCH]
    sitting = (games.lineups == one) & (games.deals < deals)[:, None]
    wins = games.scores.wins.mean(1)
    return estimate(np.array([wins[row, places].mean() for row, places in enumerate(sitting) if places.any()]))


def _games(tournament: Tournament, rounds: int | str, deals: int) -> Iterator[tuple[Lineup, np.ndarray]]:
    """Who sat where and the totals of each game, deal by deal."""
    games = tournament.games[rounds]
    games.sort()
    for lineup, totals in zip(games.lineups[games.deals < deals].tolist(), games.scores.totals, strict=False):
        for game in totals:
            yield tuple(lineup), game


def _distribution(points: np.ndarray) -> dict[int, int]:
    return dict(sorted(Counter(np.rint(points).astype(int).ravel().tolist()).items()))
