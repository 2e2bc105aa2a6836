"""The report of an evaluation or a ladder: one HTML page that needs no other file, no network and no script."""

import base64
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from html import escape

from ..envs.tables import MATCH, load_game
from ..training.results import Result, Standing
from . import figures
from .evaluate import milliseconds, ranked
from .machine import machine

PACKAGES = ("followsuit", "numpy", "numba", "torch", "openskill")
STYLE = """
body { font: 16px/1.5 Charter, "Bitstream Charter", Cambria, Georgia, serif; color: #222; background: #fff;
       max-width: 50rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; font-weight: 600; }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .6rem; font-weight: 600; }
p.lead { color: #555; margin: 0 0 1.6rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums lining-nums; font-size: .92rem; }
table.wide { width: 100%; border-top: 1.5px solid #222; border-bottom: 1.5px solid #222; }
th, td { padding: .28rem .7rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: .2rem; }
table.wide thead th { border-bottom: 1px solid #222; font-weight: 600; vertical-align: bottom; }
td .half { color: #666; font-size: .85em; }
td .swatch { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin-right: .5em; }
figure { margin: 1rem 0 0; break-inside: avoid; }
figure img { width: 100%; height: auto; display: block; }
figcaption, caption, .note { font-size: .88rem; color: #444; line-height: 1.45; }
figcaption { margin-top: .5rem; }
caption { text-align: left; caption-side: bottom; padding-top: .5rem; }
table.plain th { font-weight: normal; color: #666; vertical-align: top; }
table.plain td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
code { font: .86em/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
@page { margin: 18mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  h2 { break-after: avoid; margin-top: 1.4rem; }
  th, td { padding: .2rem .45rem; }
}
"""


def page(result: Result, command: Sequence[str] | None = None) -> str:
    """The page; `command` is the command line that made the result, the process's own by default."""
    title = f"{load_game(result.game).TITLE}, {result.players} players"
    parts = [f"<h1>{escape(title)}</h1>", f'<p class="lead">{escape(_lead(result))}</p>', _standings(result)]
    for number, (heading, told, alt, svg) in enumerate(_plots(result), 1):
        data = base64.b64encode(svg.encode()).decode()
        parts += [
            f"<h2>{escape(heading)}</h2>",
            f'<figure><img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">',
            f"<figcaption><b>Figure {number}.</b> {escape(told)}</figcaption></figure>",
        ]
    parts += ["<h2>How it was made</h2>", _settings(result, command or ["followsuit", *sys.argv[1:]])]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _lead(result: Result) -> str:
    names = len(result.standings)
    many = f"{names} contestants" if names > 1 else "One contestant"
    how = "each alone against a table full of each other one" if result.matrix else "together at one table"
    told = f"{many}, {how}: {_length(result)}, {result.deals:,} deals with every rotation of the seats."
    if result.matches is not None:
        told += f" Official matches at {result.matches:,} mixed tables."
    return told


def _length(result: Result) -> str:
    if result.rounds == MATCH:
        return "official matches"
    return "single rounds" if result.rounds == 1 else f"games of {result.rounds} rounds"


def _standings(result: Result) -> str:
    rated = any(standing.rating for standing in result.standings)
    heads = ["contestant", "points<br>a round", "margin", "games won", *["rating"] * rated, "ms a<br>decision"]
    rows = "".join(_row(standing, figures.colours(result)[standing.policy], rated) for standing in ranked(result))
    wins = "official matches at mixed tables" if result.matches is not None else "the same games"
    told = (
        "Margin: points a round ahead of the mean of the other seats, whichever way the game counts. Games won: of "
        f"{wins}, shared wins in parts. ± is half a 95 % interval by deal"
    ) + (", of ratings one standard deviation. " if rated else ". ")
    return (
        f'<table class="wide"><caption>{told}Milliseconds of one core for a decision with a choice.</caption>'
        f"<thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(standing: Standing, colour: str, rated: bool) -> str:
    rating = standing.rating
    cells = [
        f'<span class="swatch" style="background:{colour}"></span>{escape(figures.label(standing.policy))}',
        f"{standing.points_per_round:.2f}".replace("-", "−"),
        _with_half(f"{standing.margin.mean:+.2f}", f"{standing.margin.half:.2f}"),
        _with_half(f"{100 * standing.wins.mean:.1f}", f"{100 * standing.wins.half:.1f} %"),
        *([_with_half(f"{rating.mu:.1f}", f"{rating.sigma:.1f}")] if rating else [""] * rated),
        escape(milliseconds(standing.ms_per_decision)),
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _with_half(mean: str, half: str) -> str:
    return f'{mean.replace("-", "−")} <span class="half">± {half}</span>'


def _plots(result: Result) -> Iterator[tuple[str, str, str, str]]:
    """Heading, caption, what it shows in words for who cannot see it, and the SVG of each plot."""
    standings = ranked(result)
    names = [figures.label(standing.policy) for standing in standings]
    margins = ", ".join(f"{name} {standing.margin.mean:+.2f}" for name, standing in zip(names, standings, strict=True))
    if result.matrix:
        order = [result.standings.index(standing) for standing in standings]
        yield (
            "Who beats whom",
            "Margin in points a round of one contestant (row) alone against a table full of another (column), with "
            "half of its 95 % interval. Blue: ahead; red: behind.",
            f"Heat map of margins, the strongest first: {', '.join(names)}.",
            figures.heat_map(result, order),
        )
    yield (
        "Margins",
        "Mean margin of each contestant over all it met, with its 95 % interval; dashed: level with the others.",
        f"Margins in points a round: {margins}.",
        figures.margins(result, standings),
    )
    if all(standing.rating for standing in standings):
        by_rating = sorted(standings, key=lambda standing: -(standing.rating.mu if standing.rating else 0.0))
        told = ", ".join(f"{figures.label(one.policy)} {one.rating.mu:.1f}" for one in by_rating if one.rating)
        yield (
            "Ratings",
            "Plackett–Luce ratings (openskill) from the final totals of "
            + ("official matches at mixed tables" if result.matches is not None else "all games")
            + "; bars are 1.96 standard deviations to each side.",
            f"Ratings: {told}.",
            figures.ratings(result, by_rating),
        )
    by_wins = sorted(standings, key=lambda standing: -standing.wins.mean)
    told = ", ".join(f"{figures.label(one.policy)} {100 * one.wins.mean:.0f} %" for one in by_wins)
    yield (
        "Games won",
        "Share of the " + ("official matches at mixed tables" if result.matches is not None else "games")
        + f" won, with its 95 % interval; an equal share would be one in {result.players}.",
        f"Shares of wins: {told}.",
        figures.win_shares(result, by_wins),
    )  # fmt: skip
    if any(standing.ms_per_decision for standing in standings):
        told = ", ".join(f"{figures.label(one.policy)} {milliseconds(one.ms_per_decision)}" for one in standings)
        yield (
            "Strength and time",
            "Margin against the time of one core for a decision that has a choice, on a logarithmic scale.",
            f"Milliseconds a decision: {told}. Margins as above.",
            figures.strength_by_time(result, standings),
        )
    yield (
        "Points a round",
        f"How often each contestant got so many points a round ({_better(result)} is better), in the games of the "
        "margins; equal areas.",
        "Distribution of points a round; means: "
        + ", ".join(f"{figures.label(one.policy)} {one.points_per_round:.2f}" for one in standings) + ".",
        figures.distributions(result, standings),
    )  # fmt: skip


def _better(result: Result) -> str:
    return "more" if load_game(result.game).POINTS_SIGN > 0 else "fewer"


def _settings(result: Result, command: Sequence[str]) -> str:
    options = ", ".join(f"{name} {value}" for name, value in result.options.items()) or "those of the official rules"
    rows = {
        "command": f"<code>{escape(shlex.join(command))}</code>",
        "contestants": escape(", ".join(standing.policy for standing in result.standings)),
        "options": escape(options),
        "deals, seed": f"{result.deals:,}, {result.seed}",
        "machine": escape(machine(*PACKAGES)),
        "made on": time.strftime("%Y-%m-%d"),
    }
    told = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    return f'<table class="plain">{told}</table>'
