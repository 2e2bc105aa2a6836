"""The plots of a report as SVG that holds all it needs: readable in print, a contestant in one colour in all."""

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from ..training.arena import NORMAL_95, Estimate
from ..training.results import Result, Standing

COLOURS = (
    "#7a7a7a", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#332288", "#999933", "#882255",
)  # fmt: skip
"""Told apart by the colour-blind too, after Okabe and Ito; the first for what usually comes first, uniform play."""
INK, PALE = "#222222", "#c8c8c8"
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.5,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "followsuit",
}
WIDTH = 6.9
"""Inches, the width of a page's text."""
HALO = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5}
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}
LONGEST_LABEL = 26
RARE = 0.003
"""Of the games, at either end of a distribution, are left out where they would only make the plot wide."""


def label(name: str) -> str:
    """A contestant's name, short: of a checkpoint the last part of its path."""
    short = Path(name).name
    return short if len(short) <= LONGEST_LABEL else short[: LONGEST_LABEL - 1] + "…"


def colours(result: Result) -> dict[str, str]:
    """The colour of each contestant."""
    return {standing.policy: COLOURS[k % len(COLOURS)] for k, standing in enumerate(result.standings)}


def drawn(height: float, draw: Callable[[Axes], None], width: float = WIDTH) -> str:
    """The SVG of one plot."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def heat_map(result: Result, order: Sequence[int]) -> str:
    """The margin of one (row) against a table of the other (column), in the `order` of contestants given."""
    matrix = result.matrix or []
    names = [label(result.standings[one].policy) for one in order]
    cells = [[matrix[one][other] for other in order] for one in order]
    means = np.array([[cell.mean if cell else np.nan for cell in row] for row in cells])
    furthest = max(float(np.nanmax(np.abs(means))), 1e-9)

    def draw(axes: Axes) -> None:
        edges = np.arange(len(names) + 1) - 0.5
        end = 1.15 * furthest  # the ends of the scale are too dark to be told apart
        mesh = axes.pcolormesh(
            edges,
            edges,
            np.ma.masked_invalid(means),
            cmap="RdBu",
            vmin=-end,
            vmax=end,
            edgecolors="white",
            linewidth=1.5,
        )
        for row, line in enumerate(cells):
            for column, cell in enumerate(line):
                if cell:
                    ink = "white" if abs(cell.mean) > 0.58 * furthest else INK
                    axes.text(column, row - 0.14, _signed(cell.mean), color=ink, **CENTRED)
                    axes.text(column, row + 0.2, f"± {cell.half:.2f}", color=ink, fontsize=6.5, **CENTRED)
                else:
                    axes.text(column, row, "–", color=PALE, **CENTRED)
        axes.set_xticks(range(len(names)), names, rotation=30, ha="left", rotation_mode="anchor")
        axes.set_yticks(range(len(names)), names)
        axes.xaxis.tick_top()
        axes.invert_yaxis()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        bar = axes.figure.colorbar(mesh, ax=axes, fraction=0.04, pad=0.02, aspect=30)
        bar.set_label("points a round ahead")
        bar.ax.set_ylim(-furthest, furthest)
        bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _signed(value, int(value != round(value)))))

    return drawn(0.95 + 0.42 * len(names), draw)


def margins(result: Result, standings: Sequence[Standing]) -> str:
    """The margin of every contestant."""
    return _dots(
        result, standings, [standing.margin for standing in standings], "points a round ahead of the others’ mean", 0.0
    )


def ratings(result: Result, standings: Sequence[Standing]) -> str:
    """The rating of every contestant and its 95 % interval."""
    intervals = []
    for standing in standings:
        mu, sigma = standing.rating or (0.0, 0.0)
        intervals.append(Estimate(mu, mu - NORMAL_95 * sigma, mu + NORMAL_95 * sigma))
    return _dots(result, standings, intervals, "rating (Plackett–Luce, everyone begins at 25)", None)


def win_shares(result: Result, standings: Sequence[Standing]) -> str:
    """Of the games, the share that each contestant won."""

    def adorn(axes: Axes) -> None:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(PercentFormatter(1, 0, symbol=" %"))

    intervals = [standing.wins for standing in standings]
    return _dots(result, standings, intervals, "share of games won; dashed: an equal share", 1 / result.players, adorn)


def _dots(
    result: Result,
    standings: Sequence[Standing],
    intervals: Sequence[Estimate],
    told: str,
    neutral: float | None,
    adorn: Callable[[Axes], None] = lambda _: None,
) -> str:
    """A line for each contestant, from the best down: its figure as a dot and in digits, its interval as a bar."""
    paint = colours(result)

    def draw(axes: Axes) -> None:
        if neutral is not None:
            axes.axvline(neutral, color=INK, linewidth=0.7, linestyle=(0, (4, 3)), zorder=1)
        for row, (standing, interval) in enumerate(zip(standings, intervals, strict=True)):
            colour = paint[standing.policy]
            axes.plot([interval.low, interval.high], [row, row], color=colour, linewidth=2.2, solid_capstyle="butt")
            axes.plot(interval.mean, row, "o", color=colour, markersize=5.5, markeredgecolor="white", zorder=3)
        axes.set_yticks(range(len(standings)), [label(standing.policy) for standing in standings])
        axes.set_ylim(len(standings) - 0.5, -0.5)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(told)
        adorn(axes)

    return drawn(0.75 + 0.27 * len(standings), draw)


def strength_by_time(result: Result, standings: Sequence[Standing]) -> str:
    """Margin against milliseconds a decision."""
    paint = colours(result)
    timed = [standing for standing in standings if standing.ms_per_decision]
    points = [(standing.ms_per_decision or 0.0, standing.margin.mean) for standing in timed]

    def draw(axes: Axes) -> None:
        axes.axhline(0, color=INK, linewidth=0.7, linestyle=(0, (4, 3)), zorder=1)
        axes.set_xscale("log")
        for standing, (time, mean) in zip(timed, points, strict=True):
            colour, margin = paint[standing.policy], standing.margin
            axes.plot([time, time], [margin.low, margin.high], color=colour, linewidth=1.6, solid_capstyle="butt")
            axes.plot(time, mean, "o", color=colour, markersize=5, markeredgecolor="white", markeredgewidth=0.7)
        axes.grid()
        axes.set_axisbelow(True)
        axes.margins(x=0.14, y=0.12)
        axes.minorticks_off()
        axes.set_xlabel("milliseconds of one core for a decision")
        axes.set_ylabel("points a round ahead")
        _name(axes, points, [label(standing.policy) for standing in timed])

    return drawn(3.4, draw)


LINE, LETTER = 10.0, 4.7
"""Points that a label takes: the height of its line and the width of a letter."""


def _name(axes: Axes, points: Sequence[tuple[float, float]], names: Sequence[str]) -> None:
    """Writes a name beside each point, where it covers no other name and no other point; far ones get a line."""
    axes.figure.draw_without_rendering()  # pyright: ignore[reportAttributeAccessIssue] (places are known afterwards)
    at = axes.transData.transform(points) * 72 / axes.figure.dpi
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in at]
    steps = (0, 0.7, -0.7, 1.4, -1.4, 2.1, -2.1, 2.8, -2.8)
    offsets = [(side * 7.0, LINE * step) for step in steps for side in (1, -1)]
    for (x, y), point, name in zip(at, points, names, strict=True):
        boxes = {(dx, dy): _box(x + dx, y + dy, name, dx < 0) for dx, dy in offsets}
        free = [offset for offset, box in boxes.items() if not any(_meet(box, other) for other in taken)]
        dx, dy = (free or offsets)[0]
        taken.append(boxes[dx, dy])
        axes.annotate(
            name, point, xytext=(dx, dy), textcoords="offset points", fontsize=8, va="center",
            ha="right" if dx < 0 else "left", bbox=HALO,
            arrowprops={"arrowstyle": "-", "color": PALE, "linewidth": 0.6, "shrinkB": 3} if abs(dy) > LINE else None,
        )  # fmt: skip


def _box(x: float, y: float, name: str, left: bool) -> tuple[float, float, float, float]:
    width = LETTER * len(name)
    return (x - width if left else x), y - LINE / 2, (x if left else x + width), y + LINE / 2


def _meet(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


BINS = 60
"""About how many steps the outline of a distribution has at most."""


def distributions(result: Result, standings: Sequence[Standing]) -> str:
    """How often each contestant got so many points a round: outlines above each other, of equal area."""
    paint = colours(result)
    low, high = _most([standing.distribution for standing in standings])
    width = max(1, round((high - low) / BINS))
    edges = np.arange(low, high + width + 1, width) - 0.5
    shares = [_shares(standing.distribution, edges) for standing in standings]
    highest = max(float(heights.max()) for heights in shares)

    def draw(axes: Axes) -> None:
        for row, (standing, heights) in enumerate(zip(standings, shares, strict=True)):
            colour = paint[standing.policy]
            tops = row - 0.88 * heights / highest
            axes.stairs(tops, edges, baseline=row, fill=True, color=colour, alpha=0.3, linewidth=0)
            axes.stairs(tops, edges, baseline=None, color=colour, linewidth=1.0)
            mean = standing.points_per_round
            axes.plot([mean, mean], [row, row - 0.88], color=INK, linewidth=0.9)
        axes.set_yticks(np.arange(len(standings)) - 0.16, [label(standing.policy) for standing in standings])
        axes.set_ylim(len(standings) - 0.85, -1.0)
        axes.set_xlim(edges[0], edges[-1])
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("points a round; black: the mean")

    return drawn(0.8 + 0.46 * len(standings), draw)


def _shares(distribution: Mapping[int, int], edges: np.ndarray) -> np.ndarray:
    """The share of the games between two edges and the next."""
    counts, _ = np.histogram(list(distribution), edges, weights=list(distribution.values()))
    return counts / sum(distribution.values())


def _most(distributions: Sequence[Mapping[int, int]]) -> tuple[int, int]:
    """From where to where the points of all but a few games of each contestant are."""
    ends = [
        np.quantile(np.repeat(list(distribution), list(distribution.values())), [RARE, 1 - RARE], method="nearest")
        for distribution in distributions
    ]
    return int(np.min(ends)), int(np.max(ends))


def _signed(value: float, digits: int = 2) -> str:
    """With a true minus, and no sign at zero."""
    told = f"{value:+.{digits}f}".replace("-", "−")
    return told if told.strip("+−0.") else told[1:]
