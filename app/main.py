"""The command `followsuit`: finds the subcommand, and turns what goes wrong into one line and an exit code.

A subcommand is a module of this package with HELP, `arguments(parser)` and `run(args) -> int`. It imports at its top
only what every installation has, and PyTorch where it runs. With OVERRIDES = True it also takes options
`--section.key=value`, which `run` finds in the list `args.overrides` as "section.key=value".

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

COMMANDS = ("train", "evaluate", "simulate", "verify", "play", "bench")
EXTRAS = {"torch": "train", "safetensors": "train", "tensorboard": "train", "rich": "app"}
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
        if error.name not in EXTRAS:
            raise
        return _refuse(f"this needs {error.name}: pip install 'followsuit[{EXTRAS[error.name]}]'")
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
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise unknown("command", argv[0], COMMANDS)
    parser = Parser(prog="followsuit", description="Trick-taking card games to learn, measured and played against.")
    parser.add_argument("--version", action="version", version=f"followsuit {version('followsuit')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    modules = {}
    for name in argv[:1] if argv[:1] and argv[0] in COMMANDS else COMMANDS:
        module = modules[name] = import_module(f".{name}", __package__)
        command = commands.add_parser(name, help=module.HELP, description=module.HELP, allow_abbrev=False)
        module.arguments(command)
        command.set_defaults(parser=command)
    args, rest = parser.parse_known_args(argv)
    module = modules[args.command]
    args.overrides = []
    for option in rest:
        if not (getattr(module, "OVERRIDES", False) and _is_override(option)):
            raise _not_taken(option, args.parser)
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
