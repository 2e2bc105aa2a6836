"""The command `followsuit`: finds the subcommand, and turns what goes wrong into one line and an exit code.

A subcommand is a module of this package with `arguments(parser)` and `run(args) -> int`, loaded when it is asked for.
With OVERRIDES = True it also takes options `--section.key=value`, which `run` finds in the list `args.overrides` as
"section.key=value".

Exit codes: 0 fine, 1 the thing asked about is not so, 2 bad input, 130 interrupted.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn

from ..envs.errors import InputError, unknown

COMMANDS = {
    "train": "train by self-play",
    "evaluate": "compare policies on the same deals in every seat",
    "ladder": "measure all baselines of a game, and policies beside them, and write a report",
    "simulate": "play games between policies and write their records",
    "verify": "replay game records against the rules",
    "play": "play against policies in the terminal",
    "bench": "measure the speed of everything",
    "describe": "write the page of a game: spaces, observation, actions, options, reference returns",
}
EXTRAS = {
    "torch": "train", "safetensors": "train", "tensorboard": "train",
    "rich": "app", "openskill": "app", "matplotlib": "report", "ray": "ray",
}  # fmt: skip
"""Which extra brings a package that the environments do without."""


class Parser(argparse.ArgumentParser):
    """Raises InputError where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line, the process's own by default; its exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except InputError as error:
        return _refuse(str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        return _refuse(f"this needs {package}: pip install 'followsuit[{EXTRAS[package]}]'")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the flush at exit would fail again
        return 141
    except OSError as error:
        if error.filename is None:
            raise
        return _refuse(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        return 130


def _run(argv: list[str]) -> int:
    if argv and argv[0] not in (*COMMANDS, "-h", "--help", "--version"):
        raise unknown("command", argv[0], COMMANDS)
    parser = Parser(prog="followsuit", description="Trick-taking card games to learn, measured and played against.")
    parser.add_argument("--version", action="version", version=f"followsuit {version('followsuit')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, told in COMMANDS.items():
        command = commands.add_parser(name, help=told, description=told, allow_abbrev=False)
        if argv[:1] == [name]:  # the others are not even loaded
            import_module(f".{name}", __package__).arguments(command)
    args, rest = parser.parse_known_args(argv)
    module = import_module(f".{args.command}", __package__)
    args.overrides = []
    for option in rest:
        if not (getattr(module, "OVERRIDES", False) and _is_override(option)):
            raise _not_taken(option, commands.choices[args.command])
        args.overrides.append(option.removeprefix("--"))
    code = module.run(args)
    sys.stdout.flush()  # here, where a closed pipe is caught
    return code


def _is_override(option: str) -> bool:
    return option.startswith("--") and "." in option.partition("=")[0]


def _not_taken(option: str, parser: argparse.ArgumentParser) -> InputError:
    if not option.startswith("-"):
        return InputError(f"unexpected argument {option!r}")
    known = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    return unknown("option", option.partition("=")[0], known)


def _refuse(line: str) -> int:
    print(f"followsuit: {line}", file=sys.stderr)
    return 2
