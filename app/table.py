"""The table in a terminal: a game's `View` as one seat may see it, drawn with rich."""

import math
from collections.abc import Mapping, Sequence

from rich.align import Align
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..envs.render import card_colour, ink_on, track_lines
from ..envs.rules.contract import Game, View

QUIET, GOLD, ACCENT = "bright_black", "bold yellow", "bold cyan"


class Screen:
    """A terminal that shows one game to one seat; `cards` are the names of its cards, `names` the seats', `you` is the
    seat that looks.
    """

    def __init__(
        self, game: Game, cards: Sequence[str], names: Sequence[str], you: int, console: Console | None = None
    ) -> None:
        self.game, self.cards, self.names, self.you = game, cards, names, you
        self.console = console or Console(highlight=False)

    def ask(self) -> str:
        """One line from whoever plays."""
        return self.console.input(Text("your move > ", ACCENT)).strip()

    def say(self, *parts: str | Text) -> None:
        """One line, of plain text and cards."""
        self.console.print(Text.assemble(*parts))

    def complain(self, reason: str) -> None:
        """Why the last input was not taken."""
        self.console.print(Text(reason, "red"))

    def name(self, seat: int) -> Text:
        """A seat, as it is called in what is said."""
        return Text("you", ACCENT) if seat == self.you else Text(f"{seat} {self.names[seat]}", "bold")

    def sign(self, seat: int) -> Text:
        """A seat by its number, as pieces on a track have it, and name."""
        return Text(f"{seat} you", ACCENT) if seat == self.you else self.name(seat)

    def card(self, name: str) -> Text:
        """A card on its colour, or another action as it is called."""
        return self._chip(name) if self.is_card(name) else Text(name, "bold")

    def is_card(self, name: str) -> bool:
        """Whether an action of that name is the playing of a card."""
        return name in self.cards

    def welcome(self) -> None:
        """The first lines."""
        self.console.print(
            Panel(
                Text.assemble(
                    (self.game.TITLE, "bold"), f" by {self.game.DESIGNER}, {len(self.names)} players: ", self._others(),
                    " and ", self.name(self.you), f" (seat {self.you}).\n", self._goal(), " Type ? for help.",
                ),
                border_style=QUIET,
            )
        )  # fmt: skip

    def help(self) -> None:
        """What can be typed."""
        card = self.cards[0]
        keys = {
            card: f"plays it: the card as it is written, {card.lower()!r} will do, or the number under it",
            "h": "a hint: what a policy would do, and how surely",
            "p": "the cards played in this round",
            "?": "this help",
            "q": "saves the record and leaves",
        }
        grid = Table.grid(padding=(0, 2))
        for key, meaning in keys.items():
            grid.add_row(Text(key, "bold"), meaning)
        self.console.print(Panel(grid, title="what you can type", border_style=QUIET))

    def show(self, view: View, choices: Mapping[str, str]) -> None:
        """The table, and the own hand with what may be played: `choices`, action names by number."""
        self.console.print(
            Panel(Group(*self._table(view)), title=Text(self.game.TITLE, "bold"), border_style=QUIET),
            Panel(self._trick(view), title="trick", border_style=QUIET),
            Panel(self._hand(view, choices), title="your hand", border_style="cyan", padding=0),
        )

    def narrate(self, seat: int, action: str, secret: bool) -> None:
        """The move of a seat."""
        verb = "play" if self.is_card(action) else "choose"
        what = Text("in secret", QUIET) if secret and seat != self.you else self.card(action)
        self.say("  ", self.name(seat), f" {verb} " if seat == self.you else f" {verb}s ", what)

    def trick(self, winner: int, cards: Sequence[str]) -> None:
        """The end of a trick."""
        line = Text.assemble(("★ ", GOLD), "the trick ")
        for card in cards:
            line.append_text(self._chip(card)).append(" ")
        self.say(line, " goes to ", self.name(winner))

    def changes(self, before: View, after: View) -> None:
        """What has changed in the facts of the seats."""
        for seat, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
            told = [
                f"{label} {old.facts.get(label, '–')} → {value}"
                for label, value in new.facts.items()
                if old.facts.get(label) != value
            ]
            if told:
                self.say("  ", self.name(seat), ": ", ", ".join(told))

    def played(self, moves: Sequence[tuple[int, str]]) -> None:
        """The cards played in a round, by seat, in order."""
        grid = Table.grid(padding=(0, 2))
        for seat in range(len(self.names)):
            line = Text(" ").join(self._ink(card) for by, card in moves if by == seat)
            grid.add_row(self.sign(seat), line)
        self.console.print(Panel(grid, title="played in this round", border_style=QUIET))

    def hint(self, policy: str, chances: Sequence[tuple[str, float]]) -> None:
        """What a policy would do: action names and probabilities, most likely first."""
        grid = Table.grid(padding=(0, 2))
        for action, chance in chances:
            grid.add_row(self.card(action), f"{chance:6.1%}", Text("█" * round(chance * 30), "cyan"))
        self.console.print(Panel(grid, title=f"{policy} would play", border_style=QUIET))

    def scores(self, title: str, points: Sequence[int], totals: Sequence[int]) -> None:
        """The result of a round."""
        table = Table(title=title, title_style="bold", border_style=QUIET, header_style=QUIET)
        table.add_column("seat")
        table.add_column("round", justify="right")
        table.add_column("total", justify="right")
        for seat, (scored, total) in enumerate(zip(points, totals, strict=True)):
            table.add_row(self.sign(seat), str(scored), str(total))
        self.console.print(table)

    def result(self, winners: Sequence[int], total: int) -> None:
        """The end of the game."""
        names = Text(" and ").join(self.name(seat) for seat in winners)
        verb = "wins" if len(winners) == 1 and winners[0] != self.you else "win"
        self.console.print(Panel(Text.assemble(names, f" {verb} the game with {total} points."), border_style="yellow"))

    def _others(self) -> Text:
        return Text(", ").join(self.name(seat) for seat in range(len(self.names)) if seat != self.you)

    def _goal(self) -> str:
        return f"The {'highest' if self.game.POINTS_SIGN > 0 else 'lowest'} total of points wins."

    def _table(self, view: View) -> list[RenderableType]:
        parts: list[RenderableType] = [self._facts(view.facts)]
        for label, cards in (view.piles or {}).items():
            parts.append(Text.assemble((f"{label} ", QUIET), self._row(cards)))
        parts += ["", self._seats(view)]
        if view.track:
            parts += ["", Text("\n".join(track_lines(view.track, self.console.width - 30)), no_wrap=True)]
        return parts

    def _facts(self, facts: Mapping[str, str]) -> Text:
        return Text("   ").join(Text.assemble((f"{label} ", QUIET), (value, "bold")) for label, value in facts.items())

    def _seats(self, view: View) -> Table:
        table = Table(box=None, padding=(0, 1), header_style=QUIET, expand=True, pad_edge=False)
        table.add_column("")
        table.add_column("seat", no_wrap=True, max_width=18)
        for label in view.seats[0].facts:
            table.add_column(label)
        table.add_column("cards", justify="right")
        for seat, shown in enumerate(view.seats):
            hidden = seat != self.you and shown.seen is not None
            held = self._row(shown.seen or []) if hidden else str(len(shown.hand))
            table.add_row(Text("▸" if seat == view.actor else "", ACCENT), self.sign(seat), *shown.facts.values(), held)
        return table

    def _trick(self, view: View) -> Table:
        table = Table.grid(expand=True, padding=(0, 1, 0, 0))
        seats = [(view.leader + i) % len(view.seats) for i in range(len(view.seats))]
        for _ in seats:
            table.add_column(justify="center", ratio=1, no_wrap=True)
        table.add_row(
            *(
                Align.center(self._chip(card) if (card := view.seats[seat].played) else Text("·", QUIET))
                for seat in seats
            )
        )
        table.add_row(*(self.sign(seat) for seat in seats))
        roles = ["winning" if seat == view.winner else "leads" if seat == view.leader else "" for seat in seats]
        table.add_row(*(Text(role, GOLD if role == "winning" else QUIET) for role in roles))
        return table

    def _hand(self, view: View, choices: Mapping[str, str]) -> RenderableType:
        numbers = {action: number for number, action in choices.items()}
        hand = view.seats[self.you].hand
        cells = [
            (self._chip(card) if card in numbers else self._ink(f" {card} "), numbers.get(card, "")) for card in hand
        ]
        parts = [self._grid(cells)] if cells else []
        others = [(Text(action, "bold"), number) for action, number in numbers.items() if action not in hand]
        return Group(*parts, *([self._grid(others)] if others else []))

    def _grid(self, cells: Sequence[tuple[Text, str]]) -> Table:
        """Cells with their numbers below them, in as few rows of equal length as there is room for."""
        widest = max(len(cell) for cell, _ in cells) + 1
        rows = math.ceil(len(cells) / max((self.console.width - 2) // widest, 1))
        length = math.ceil(len(cells) / rows)
        grid = Table.grid(padding=(0, 1, 0, 0))
        for _ in range(length):
            grid.add_column(justify="center", min_width=widest - 1)
        for start in range(0, len(cells), length):
            row = cells[start : start + length]
            grid.add_row(*(cell for cell, _ in row))
            grid.add_row(*(Text(number, "bold cyan") for _, number in row))
        return grid

    def _row(self, cards: Sequence[str]) -> Text:
        """Cards and backs in little room."""
        gap = " " if any(len(card) > 1 for card in cards) else ""
        return Text(gap).join(self._filled(card, card or "·") for card in cards)

    def _chip(self, card: str) -> Text:
        return self._filled(card, f" {card} ")

    def _ink(self, card: str) -> Text:
        return Text(card, card_colour(self.game, card.strip()))

    def _filled(self, card: str, words: str) -> Text:
        fill = card_colour(self.game, card)
        return Text(words, f"bold {ink_on(fill)} on {fill}")
