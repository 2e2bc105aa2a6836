"""How many threads there are, and how PyTorch's wait for each other."""

import os
import sys


def spin_little() -> None:
    """Lets threads sleep soon where they wait; to be called before PyTorch is loaded.

    Left to themselves they spin, and stand still while another program has their core: on two cores of which one was
    busy, training was 50 times slower. What the user has set stays.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    os.environ.setdefault("KMP_BLOCKTIME", "1")


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_core_each() -> None:
    """Lets PyTorch, where it is loaded, compute on the core of the thread that asks: others play meanwhile."""
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)
