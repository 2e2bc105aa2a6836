"""Files that are whole or not there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
