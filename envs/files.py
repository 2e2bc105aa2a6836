"""Files that are whole or not there."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yields a path beside `path` to write to; what was written takes its place at the end, if nothing went wrong."""
    target = Path(path)
    beside = target.with_name(target.name + ".part")
    try:
        yield beside
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text file, in place of an old one when it is complete."""
    with replacing(path) as beside:
        beside.write_text(text, "utf-8")


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """The same with a JSON value, indented."""
    write_text(path, json.dumps(value, indent=1) + "\n")
