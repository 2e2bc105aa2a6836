"""`followsuit play`: a person at the table, in a terminal."""

from __future__ import annotations

import argparse
import itertools
import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.errors import InputError, unknown
from ..envs.kernels import streams
from ..envs.records import GameLog, winners, write_file
from ..envs.rules.contract import Game, View
from ..envs.tables import Tables, load_game
from ..policies import Policy, policy
from . import options

if TYPE_CHECKING:
    from .table import Screen

USUAL_PLAYERS = 4
ROW = np.zeros(1, np.int64)  # the one table there is
LEAST_CHANCE = 0.005  # hints leave out what is less likely
HINTS = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    options.add_game(parser)
    options.explain_policies(parser)
    options.add_players(parser, required=False)
    parser.add_argument(
        "--against", type=options.names, default=["heuristic"], metavar="POLICY[,…]",
        help="the other seats, clockwise from yours, over again for the remaining seats (default heuristic)",
    )  # fmt: skip
    parser.add_argument("--seat", type=options.at_least(0), default=0, metavar="K", help="your seat (default 0)")
    options.add_rounds(parser)
    parser.add_argument("--seed", type=options.at_least(0), metavar="S", help="decides all chance (default: a new one)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    parser.add_argument("--record", type=Path, metavar="FILE", help="where the record goes (default GAME-DATE.jsonl)")


def run(args: argparse.Namespace) -> int:
    """Plays one game and saves its record, unfinished where it was left."""
    from .table import Screen

    game = load_game(args.game)
    players = args.players or min(game.PLAYERS, key=lambda size: abs(size - USUAL_PLAYERS))
    seed = secrets.randbits(31) if args.seed is None else args.seed
    rules = read_options(game, args.option)
    tables = Tables(game, 1, players, args.rounds, seed=seed, restart=False, **rules)
    if args.seat >= players:
        raise InputError(f"--seat is one of 0 to {players - 1} at this table, not {args.seat}")
    file = args.record or Path(f"{game.NAME}-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
    if file.exists() or not file.parent.is_dir():
        raise InputError(f"--record {file}: {'is there already' if file.exists() else 'no such folder'}")
    opponents = [policy(name, game) for name in args.against]
    sitting = {(args.seat + k) % players: opponents[(k - 1) % len(opponents)] for k in range(1, players)}
    names = ["human" if seat == args.seat else Path(sitting[seat].name).name for seat in range(players)]
    adviser = next((opponent for opponent in opponents if opponent.observes), None) or policy("heuristic", game)
    screen = Screen(game, game.action_names(tables.states[0])[: game.CARDS], names, args.seat)
    session = Session(screen, tables, sitting, adviser)
    try:
        session.play()
    except (KeyboardInterrupt, EOFError):
        screen.say("")
    finally:
        write_file(file, [session.log.record() | {"names": names}])
    screen.say(f"The record is in {file}.")
    return 0


def read_options(game: Game, assignments: Sequence[str]) -> dict[str, Any]:
    """Options of the game from "name=value", values in JSON or as plain words."""
    values = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InputError(f"--option takes NAME=VALUE, not {assignment!r}")
        if name not in game.OPTIONS:
            raise unknown(f"option of {game.NAME}", name, game.OPTIONS)
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values


class Session:
    """One game of a person against policies: `sitting` are the others by seat, `adviser` gives the hints."""

    def __init__(self, screen: Screen, tables: Tables, sitting: dict[int, Policy], adviser: Policy) -> None:
        self.screen, self.tables, self.sitting, self.adviser = screen, tables, sitting, adviser
        self.game = tables.game
        self.log = GameLog(tables)
        self._random = streams(~tables.seed, [0])

    def play(self) -> None:
        """Plays to the end of the game, or until the person leaves."""
        self.screen.welcome()
        while not self.tables.game_over[0]:
            seat = int(self.tables.seat[0])
            if seat in self.sitting:
                action = int(self.sitting[seat].act(self.tables, ROW, self._random)[0])
            elif (action := self._ask()) is None:
                return
            self._move(seat, action)
        totals = self.tables.totals()[0]
        won = winners(totals, self.game.POINTS_SIGN)
        self.screen.result(won, int(totals[won[0]]))

    def _move(self, seat: int, action: int) -> None:
        before, after, name = self._view(), self._view_after(action), self._names[action]
        self.log.move(action)
        self.tables.step([action])
        self.screen.narrate(seat, name, before.secret)
        self._tell(before, after, name)
        if self.tables.round_over[0] or self.tables.game_over[0]:
            self.log.score()
            self.screen.scores(
                f"Round {len(self.log.record()['rounds'])}",
                self.tables.points[0].tolist(),
                self.tables.totals()[0].tolist(),
            )
            if not self.tables.game_over[0]:
                self.log.deal()

    def _tell(self, before: View, after: View, action: str) -> None:
        """What came of a move: the trick that it ended, and the facts that changed by it."""
        is_card = self.screen.is_card(action)
        cards = [shown.played for shown in before.seats[before.leader :] + before.seats[: before.leader]]
        cards = [card for card in cards if card] + [action] * is_card
        ended = bool(cards) and not any(shown.played for shown in after.seats)
        if ended:
            self.screen.trick(after.leader if after.won is None else after.won, cards)
        if ended or not is_card:
            self.screen.changes(before, after)

    def _ask(self) -> int | None:
        """A legal action of the person; None to leave."""
        names = self._names
        legal = [names[action] for action in np.flatnonzero(self.tables.mask[0])]
        choices = dict(zip(numbers(names), legal, strict=False))
        view = self._view()
        self.screen.show(view, choices)
        while True:
            answer = self.screen.ask()
            action = named(names, choices, answer)
            if action in legal:
                return names.index(action)
            if answer.lower() == "q":
                return None
            if answer.lower() == "h":
                self._hint()
            elif answer.lower() == "p":
                moves = self.log.record()["rounds"][-1]["moves"]
                self.screen.played([(seat, name) for seat, name in moves if self.screen.is_card(name)])
            elif answer == "?":
                self.screen.help()
            else:
                self.screen.complain(self._reason(answer, action, legal))

    def _reason(self, answer: str, action: str | None, legal: Sequence[str]) -> str:
        if action is None:
            return f"{answer!r} is no card, number or command; ? shows what you can type"
        if self.screen.is_card(action) and action not in self._view().seats[int(self.tables.seat[0])].hand:
            return f"you do not hold {action}"
        return f"{action} is not allowed now; these are: {', '.join(legal)}"

    def _hint(self) -> None:
        chances = self.adviser.probabilities(self.tables, ROW)[0]
        best = [action for action in np.argsort(-chances, kind="stable")[:HINTS] if chances[action] >= LEAST_CHANCE]
        self.screen.hint(
            Path(self.adviser.name).name, [(self._names[action], float(chances[action])) for action in best]
        )

    @property
    def _names(self) -> tuple[str, ...]:
        """What actions are called at the deal on the table."""
        return self.game.action_names(self.tables.states[0])

    def _view(self) -> View:
        return self.game.view(self.tables.states[0])

    def _view_after(self, action: int) -> View:
        """The table right after a move, before the cards of the next round are dealt."""
        state = self.tables.states[0].copy()
        self.game.play(state, action)
        return self.game.view(state)


def numbers(names: Sequence[str]) -> itertools.filterfalse[str]:
    """1, 2, … without those that are names of cards."""
    return itertools.filterfalse(names.__contains__, map(str, itertools.count(1)))


def named(names: Sequence[str], choices: dict[str, str], answer: str) -> str | None:
    """The action that is meant by its number or its name, in whatever case and spacing; None where there is none."""
    word = " ".join(answer.lower().split())
    return choices.get(word) or next((name for name in names if name.lower() == word), None)
