"""What command-line arguments share: argument types that say in one line what would be right."""

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..envs import GAMES
from ..envs.tables import MATCH
from ..policies import KINDS
from .threads import cores

if TYPE_CHECKING:
    from ..training.cluster import Cluster


def add_game(parser: ArgumentParser) -> None:
    """The positional GAME; the engine refuses a name that is none."""
    parser.add_argument("game", metavar="GAME", help=", ".join(GAMES))


def explain_policies(parser: ArgumentParser) -> None:
    """Ends the help with what the name of a policy may be."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = "policies:\n" + "\n".join(f"  {name:17} {told}" for name, told in KINDS.items())


def add_players(parser: ArgumentParser, required: bool = True) -> None:
    """The option --players."""
    parser.add_argument("--players", type=at_least(2), required=required, metavar="N", help="table size")


def add_seed(parser: ArgumentParser) -> None:
    """The option --seed."""
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="S", help="decides all chance (default 0)")


def add_threads(parser: ArgumentParser) -> None:
    """The option --threads."""
    parser.add_argument("--threads", type=at_least(1), default=cores(), metavar="T",
                        help="play on so many cores (default: all); figures do not depend on it")  # fmt: skip


def add_ray(parser: ArgumentParser) -> None:
    """The option --ray; see `cluster`."""
    parser.add_argument("--ray", nargs="?", const="", metavar="ADDRESS",
                        help="on all cores of a Ray cluster: this one, or RAY_ADDRESS, or this machine")  # fmt: skip


def cluster(args: Namespace) -> "Cluster | None":
    """What --ray asks for, connected to."""
    if args.ray is None:
        return None
    from ..training.cluster import Cluster

    return Cluster(args.ray or None)


def add_results(parser: ArgumentParser) -> None:
    """The options --json and --html."""
    parser.add_argument("--json", metavar="FILE", help="also write the result here")
    parser.add_argument("--html", metavar="FILE", help="also write a report with plots here, one page for itself")


def add_rounds(parser: ArgumentParser) -> None:
    """The option --rounds."""
    parser.add_argument(
        "--rounds",
        type=rounds,
        default=MATCH,
        help="rounds of a game: a number, or match for the official game (default)",
    )


def at_least(low: int) -> Callable[[str], int]:
    """The type of an option that is a whole number not below `low`."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < low:
            raise ArgumentTypeError(f"a whole number from {low} on, not {text!r}")
        return int(text)

    return whole


def rounds(text: str) -> int | str:
    """The type of --rounds."""
    return text if text == MATCH else at_least(1)(text)


def names(text: str) -> list[str]:
    """The type of a list of names with commas between."""
    if not all(parts := [part.strip() for part in text.split(",")]):
        raise ArgumentTypeError(f"names with commas between, not {text!r}")
    return parts


def positive(text: str) -> float:
    """The type of an option that is a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise ArgumentTypeError(f"a number above 0, not {text!r}")
    return number


def sizes(text: str) -> tuple[int, ...]:
    """The type of a list of table sizes with commas between."""
    return tuple(at_least(2)(name) for name in names(text))
