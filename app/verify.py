"""`followsuit verify`: replays game records against the rules."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from ..envs.errors import InputError
from ..envs.records import Fault, verify_lines


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .jsonl file of records, or - for standard input")


def run(args: argparse.Namespace) -> int:
    """Prints every fault and the sums; 1 where there was a fault."""
    try:
        if args.file == "-":
            return _verify(sys.stdin)
        with Path(args.file).open(encoding="utf-8") as file:
            return _verify(file)
    except UnicodeDecodeError as error:
        raise InputError(f"{args.file} is not UTF-8 text") from error


def _verify(lines: Iterable[str]) -> int:
    records = moves = faults = 0
    for records, replayed in enumerate(verify_lines(lines), 1):
        moves += replayed.moves
        faults += len(replayed.faults)
        for fault in replayed.faults:
            print(f"{_place(records, fault)}: {fault.reason}")
    print(f"{records} records, {moves} moves, {faults} faults")
    return 1 if faults else 0


def _place(record: int, fault: Fault) -> str:
    places = (("round", fault.round), ("move", fault.move))
    return ", ".join([f"record {record}"] + [f"{name} {number + 1}" for name, number in places if number is not None])
