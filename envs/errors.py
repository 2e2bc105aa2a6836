"""What the user got wrong, in one line."""

import difflib
from collections.abc import Iterable
from typing import Any


class InputError(ValueError):
    """Says in one line what is wrong and what would be right; the command line prints it and exits with 2."""


def unknown(what: str, name: Any, known: Iterable[Any]) -> InputError:
    """The error for a name that is none: with the nearest one, or all there are."""
    names = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names) or 'none'}"
    return InputError(f"unknown {what} {name!r}; {hint}")
