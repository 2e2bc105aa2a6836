"""A table as text and as a picture, drawn from a game's `View` alone; all hands are open."""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .rules.cards import clip
from .rules.contract import Game, Track, View


def text(game: Game, view: View) -> str:
    """The table in plain text, for a monospace terminal."""
    facts = "   ".join(f"{label} {value}" for label, value in view.facts.items())
    lines = [f"{game.TITLE}   {facts}" + ("" if view.actor is not None else "   game over")]
    lines += [f"{label}: {' '.join(card or '?' for card in cards)}" for label, cards in (view.piles or {}).items()]
    if view.track:
        lines += ["", *track_lines(view.track)]
    rows = [[" ", "seat", "", "played", *view.seats[0].facts, "hand"]]
    for seat, shown in enumerate(view.seats):
        turn = ">" if seat == view.actor else ""
        roles = " ".join(_roles(view, seat))
        rows.append([turn, str(seat), roles, shown.played or "", *shown.facts.values(), " ".join(shown.hand)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines += ["", *("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)]
    return "\n".join(lines)


def track_lines(track: Track, width: int = 61) -> list[str]:
    """The track as text: pieces by seat over a scale of at most `width` spaces, stacked where they meet."""
    width = min(width, track.high - track.low + 1)
    columns = [round(share * (width - 1)) for share in _shares(track)]
    stacked = _levels(columns, 1)
    margin = " " * (len(track.label) + len(_number(track.low, track)) + 2)
    lines = []
    for level in range(max(stacked), -1, -1):
        seats = {column: str(seat) for seat, column in enumerate(columns) if stacked[seat] == level}
        lines.append((margin + "".join(seats.get(column, " ") for column in range(width))).rstrip())
    zero = round(-track.low / (track.high - track.low) * (width - 1))
    scale = "".join("┼" if column == zero else "┴" for column in range(width))
    lines.append(f"{track.label} {_number(track.low, track)} {scale} {_number(track.high, track)}")
    beyond = [
        f"{seat} at {_number(place, track)}"
        for seat, place in enumerate(track.pieces)
        if not track.low <= place <= track.high
    ]
    return lines + [f"beyond the ends: {', '.join(beyond)}"] * bool(beyond)


def picture(game: Game, view: View) -> np.ndarray:
    """The table as an image, uint8 [H, W, 3]; its size depends on the seats and on how many facts there are."""
    plan = _Plan(view)
    canvas = _Canvas(plan.width, plan.height)
    canvas.box(*plan.felt, 90, FELT, outline=FELT_EDGE, line=3)
    _draw_middle(canvas, plan, game, view)
    for seat in range(len(view.seats)):
        _draw_seat(canvas, plan, game, view, seat)
    return canvas.pixels()


PAPER, FELT, FELT_EDGE, SLOT = "#f5f2ec", "#d5e1d8", "#b9cabe", "#c3d2c7"
INK, QUIET, SLATE, WHITE = "#25302b", "#6f7d75", "#46534c", "#ffffff"
GOLD, ACCENT, EDGE, BACK = "#e2a91f", "#c8442f", "#d9d5cb", "#8b958f"
ROLE_COLOURS = {"to act": ACCENT, "leads": SLATE, "winning": GOLD}

MARGIN, PADDING = 24, 14
PANEL = 432
CARD = 40, 54  # in a hand
TRICK_CARD = 58, 80
MIDDLE = 720  # width of what lies between the seats
FACTS_A_ROW = 3
FACT_ROW = 38
HEADER = 26
PIECE = 22
PILE_ROW = 54

# Where the panels lie, clockwise from seat 0 at the bottom: the share of the room left of and above each.
PLACES: dict[int, list[tuple[float, float]]] = {
    2: [(0.5, 1), (0.5, 0)],
    3: [(0.5, 1), (0, 0.35), (1, 0.35)],
    4: [(0.5, 1), (0, 0.5), (0.5, 0), (1, 0.5)],
    5: [(0.5, 1), (0, 0.58), (0.2, 0), (0.8, 0), (1, 0.58)],
    6: [(0.5, 1), (0, 0.75), (0, 0.25), (0.5, 0), (1, 0.25), (1, 0.75)],
    7: [(0.5, 1), (0, 0.8), (0, 0.38), (0.2, 0), (0.8, 0), (1, 0.38), (1, 0.8)],
    8: [(0.5, 1), (0, 1), (0, 0.5), (0, 0), (0.5, 0), (1, 0), (1, 0.5), (1, 1)],
}


class _Plan:
    """Where everything lies, in pixels of the picture."""

    def __init__(self, view: View) -> None:
        seats = len(view.seats)
        places = PLACES[seats]
        fact_rows = math.ceil(len(view.seats[0].facts) / FACTS_A_ROW)
        self.panel_height = 2 * PADDING + HEADER + 8 + CARD[1] + fact_rows * FACT_ROW + 4
        band = self.panel_height + MARGIN
        self.title_height = 40 + 46 * math.ceil(len(view.facts) / 6)
        ring = max(112, 52 + PILE_ROW * len(view.piles or {}) // 2)
        self.radii = 265, ring
        ring_height = 2 * ring + TRICK_CARD[1] + 30
        track_height = seats * PIECE + 66 if view.track else 0
        self.width = MIDDLE + 2 * MARGIN + (2 * (PANEL + MARGIN) if seats > 2 else 0)
        self.top = MARGIN + (band if any(y == 0 for _, y in places) else 0)
        self.track_bottom = self.top + self.title_height + ring_height + track_height
        self.height = self.track_bottom + band + MARGIN
        self.centre = self.width / 2, self.top + self.title_height + ring_height / 2
        self.panels = [
            (
                MARGIN + x * (self.width - PANEL - 2 * MARGIN),
                MARGIN + y * (self.height - self.panel_height - 2 * MARGIN),
            )
            for x, y in places
        ]
        side = MARGIN + (PANEL / 2 if seats > 2 else 0)
        above = MARGIN + (self.panel_height / 2 if self.top > MARGIN else 0)
        below = self.panel_height / 2 + MARGIN
        self.felt = side, above, self.width - 2 * side, self.height - above - below

    def spot(self, seat: int) -> tuple[float, float]:
        """The middle of the card that `seat` plays."""
        angle = math.tau * (1 / 4 + seat / len(self.panels))
        return self.centre[0] + self.radii[0] * math.cos(angle), self.centre[1] + self.radii[1] * math.sin(angle)


class _Canvas:
    """Draws in pixels of the picture, enlarged for smooth edges."""

    SCALE = 2

    def __init__(self, width: float, height: float) -> None:
        self.image = Image.new("RGB", (round(width) * self.SCALE, round(height) * self.SCALE), PAPER)
        self.draw = ImageDraw.Draw(self.image)

    def pixels(self) -> np.ndarray:
        return np.array(self.image.reduce(self.SCALE))

    def box(
        self, x: float, y: float, width: float, height: float, radius: float, fill: str | None,
        outline: str | None = None, line: float = 0,
    ) -> None:  # fmt: skip
        corners = [round(v * self.SCALE) for v in (x, y, x + width, y + height)]
        self.draw.rounded_rectangle(corners, radius * self.SCALE, fill, outline, round(line * self.SCALE))

    def line(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self.draw.rectangle([round(v * self.SCALE) for v in (x, y, x + width, y + height)], fill)

    def text(
        self, x: float, y: float, words: str, size: float, fill: str, anchor: str = "lm", bold: bool = False,
        width: float = math.inf,
    ) -> None:  # fmt: skip
        """Words at most `width` wide: smaller where they would be wider."""
        words = words.translate(DASHES)
        size *= min(1, width / max(self.measure(words, size), 1))
        spot = x * self.SCALE, y * self.SCALE
        stroke = round(size / 20) if bold else 0
        self.draw.text(spot, words, fill, _font(size * self.SCALE), anchor, stroke_width=stroke, stroke_fill=fill)

    def measure(self, words: str, size: float) -> float:
        return _font(size * self.SCALE).getlength(words) / self.SCALE

    def disc(self, x: float, y: float, size: float, label: str, fill: str) -> None:
        """A disc round (x, y) with a number."""
        self.box(x - size / 2, y - size / 2, size, size, size / 2, fill)
        self.text(x, y, label, size * 0.62, ink_on(fill), "mm", bold=True)

    def pill(self, x: float, y: float, label: str, fill: str) -> float:
        """A label in a rounded box left of x, round the height y; its width."""
        width = self.measure(label, 13) + 18
        self.box(x - width, y - 11, width, 22, 11, fill)
        self.text(x - width / 2, y, label, 13, ink_on(fill), "mm")
        return width

    def card(self, x: float, y: float, size: tuple[int, int], name: str, game: Game) -> None:
        """A whole card with its name in the middle."""
        fill = card_colour(game, name)
        self.box(x, y, *size, 7, fill, outline=WHITE, line=2)
        self.text(x + size[0] / 2, y + size[1] / 2, name, 24, ink_on(fill), "mm", bold=True, width=size[0] - 12)

    def fan(self, x: float, y: float, width: float, size: tuple[int, int], cards: Sequence[str], game: Game) -> None:
        """Cards from left to right, overlapping where there is not room for all; each shows its name."""
        step = min(size[0] + 3, (width - size[0]) / (len(cards) - 1)) if len(cards) > 1 else size[0]
        shown = min(step, size[0])
        label = 15 * min(1, (shown - 5) / max([1, *(self.measure(name, 15) for name in cards)]))
        for i, name in enumerate(cards):
            fill = card_colour(game, name)
            self.box(x + i * step, y, *size, 5, fill, outline=WHITE, line=1.5)
            self.text(x + i * step + shown / 2, y + 16, name, label, ink_on(fill), "mm")


def _draw_seat(canvas: _Canvas, plan: _Plan, game: Game, view: View, seat: int) -> None:
    shown = view.seats[seat]
    x, y = plan.panels[seat]
    acts = seat == view.actor
    canvas.box(x + 2, y + 4, PANEL, plan.panel_height, 14, EDGE)
    canvas.box(x, y, PANEL, plan.panel_height, 14, WHITE, outline=ACCENT if acts else EDGE, line=3 if acts else 1.5)
    x, y, inside = x + PADDING, y + PADDING, PANEL - 2 * PADDING
    canvas.disc(x + HEADER / 2, y + HEADER / 2, HEADER, str(seat), ACCENT if acts else SLATE)
    canvas.text(x + HEADER + 10, y + HEADER / 2, f"seat {seat}", 17, INK)
    right = x + inside
    for role in reversed(_roles(view, seat) + ["to act"] * acts):
        right -= canvas.pill(right, y + HEADER / 2, role, ROLE_COLOURS[role]) + 6
    y += HEADER + 8
    canvas.fan(x, y, inside, CARD, shown.hand, game)
    if not shown.hand:
        canvas.text(x, y + CARD[1] / 2, "no cards", 14, QUIET)
    _draw_facts(canvas, x, y + CARD[1] + 8, inside, FACTS_A_ROW, FACT_ROW, shown.facts)


def _draw_facts(
    canvas: _Canvas, x: float, y: float, width: float, columns: int, height: float, facts: Mapping[str, str],
    anchor: str = "l",
) -> None:  # fmt: skip
    """Facts in rows of `columns`, each its label over its value."""
    cell = width / columns
    for i, (label, value) in enumerate(facts.items()):
        left = x + i % columns * cell + (cell / 2 if anchor == "m" else 0)
        top = y + i // columns * height
        canvas.text(left, top + 8, label, 12, QUIET, anchor + "m", width=cell - 8)
        canvas.text(left, top + 25, value, 17, INK, anchor + "m", width=cell - 8)


def _draw_middle(canvas: _Canvas, plan: _Plan, game: Game, view: View) -> None:
    centre, left = plan.centre[0], plan.centre[0] - MIDDLE / 2
    title = game.TITLE if view.actor is not None else f"{game.TITLE}: game over"
    canvas.text(centre, plan.top + 24, title, 24, INK, "mm", bold=True)
    columns = min(max(len(view.facts), 1), 6)
    width = columns * 110
    _draw_facts(canvas, centre - width / 2, plan.top + 44, width, columns, 46, view.facts, anchor="m")
    for seat, shown in enumerate(view.seats):
        _draw_played(canvas, *plan.spot(seat), game, shown.played, seat, _leads(view, seat), seat == view.winner)
    piles = view.piles or {}
    y = plan.centre[1] - PILE_ROW * len(piles) / 2
    for label, cards in piles.items():
        canvas.text(centre, y + 8, label, 12, QUIET, "mm")
        room = min(len(cards) * 30, 290)
        canvas.fan(centre - room / 2, y + 18, room, (27, 32), cards, game)
        y += PILE_ROW
    if view.track:
        _draw_track(canvas, left + 60, plan.track_bottom, MIDDLE - 120, view.track, view.actor)


def _draw_played(
    canvas: _Canvas, x: float, y: float, game: Game, card: str | None, seat: int, leads: bool, wins: bool
) -> None:
    width, height = TRICK_CARD
    if leads:
        canvas.text(x, y + height / 2 + 14, "led" if card else "leads", 13, SLATE, "mm")
    x, y = x - width / 2, y - height / 2
    if card is None:
        canvas.box(x, y, width, height, 7, None, outline=SLOT, line=2)
        canvas.text(x + width / 2, y + height / 2, str(seat), 18, SLOT, "mm", bold=True)
        return
    if wins:
        canvas.box(x - 6, y - 6, width + 12, height + 12, 12, GOLD)
    canvas.card(x, y, TRICK_CARD, card, game)
    canvas.disc(x + width - 4, y + 4, 22, str(seat), SLATE)


def _draw_track(canvas: _Canvas, x: float, bottom: float, width: float, track: Track, actor: int | None) -> None:
    y = bottom - 42
    canvas.text(x + width / 2, y + 34, track.label, 12, QUIET, "mm")
    canvas.line(x, y, width, 2, SLATE)
    spaces = track.high - track.low
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 1000) if spaces / n <= 40)
    for place in range(track.low, track.high + 1):
        at = x + (place - track.low) / spaces * width
        from_end = min(at - x, x + width - at)
        labelled = from_end == 0 or (place % (5 * every) == 0 and from_end > 36)
        if labelled or place % every == 0:
            canvas.line(at - 0.5, y, 1, 10 if labelled else 6, SLATE)
        if labelled:
            canvas.text(at, y + 18, _number(place, track), 12, QUIET, "mm")
    places = [x + share * width for share in _shares(track)]
    for seat, (at, level) in enumerate(zip(places, _levels(places, PIECE), strict=True)):
        middle = y - PIECE / 2 - 2 - level * PIECE
        canvas.disc(at, middle, PIECE - 2, str(seat), ACCENT if seat == actor else SLATE)
        place = track.pieces[seat]
        if not track.low <= place <= track.high:
            side = 1 if place > track.high else -1
            canvas.text(at + side * 15, middle, _number(place, track), 14, INK, "lm" if side > 0 else "rm", bold=True)


DASHES = str.maketrans("−–—", "---")  # which the built-in font lacks


@functools.cache
def _font(size: float) -> Any:
    return ImageFont.load_default(size)


def _roles(view: View, seat: int) -> list[str]:
    return ["leads"] * _leads(view, seat) + ["winning"] * (seat == view.winner)


def _leads(view: View, seat: int) -> bool:
    return seat == view.leader and view.actor is not None


def card_colour(game: Game, card: str) -> str:
    """The colour of a card or of a back, #rrggbb."""
    return game.COLOURS.get(card[:1], BACK)


def ink_on(fill: str) -> str:
    """Ink that is legible on `fill`, both #rrggbb."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return WHITE if 0.299 * red + 0.587 * green + 0.114 * blue < 160 else INK


def _shares(track: Track) -> list[float]:
    """How far along the track each piece stands, 0 … 1; at an end if beyond it."""
    return [(clip(place, track.low, track.high) - track.low) / (track.high - track.low) for place in track.pieces]


def _number(place: int, track: Track) -> str:
    """A number as it stands on the track: with its sign where the track has both."""
    return f"{place:+d}" if track.low < 0 and place else str(place)


def _levels(places: Sequence[float], size: float) -> list[int]:
    """How high to stack each piece so that none of `size` overlaps another, seat by seat."""
    taken: list[tuple[float, int]] = []
    for place in places:
        near = {level for other, level in taken if abs(other - place) < size}
        taken.append((place, next(level for level in itertools.count() if level not in near)))
    return [level for _, level in taken]
