"""How PyTorch's threads wait for each other."""

import os


def spin_little() -> None:
    """Lets threads sleep soon where they wait; to be called before PyTorch is loaded.

    Left to themselves they spin, and stand still while another program has their core: on two cores of which one was
    busy, training was 50 times slower. What the user has set stays.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    os.environ.setdefault("KMP_BLOCKTIME", "1")
