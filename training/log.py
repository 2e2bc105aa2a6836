"""The TensorBoard log of a run."""

import os

from torch.utils.tensorboard import SummaryWriter

from .ppo import Progress


class Log:
    """Writes the progress of a run, by decisions, into its folder; `since` drops what a killed run wrote beyond it."""

    def __init__(self, folder: str | os.PathLike[str], since: int = 0) -> None:
        self._writer = SummaryWriter(str(folder), purge_step=since + 1 if since else None)

    def write(self, progress: Progress) -> None:
        """Adds the figures of one update."""
        figures = {f"loss/{name}": value for name, value in progress.losses.items()}
        figures |= {f"time/{name}": value for name, value in progress.shares.items()}
        figures["time/decisions_per_second"] = progress.decisions_per_second
        for name, margin in progress.margins.items():
            figures[f"margin/{name}"] = margin.mean
        for name, value in figures.items():
            self._writer.add_scalar(name, value, progress.decisions)

    def close(self) -> None:
        """Flushes."""
        self._writer.close()
