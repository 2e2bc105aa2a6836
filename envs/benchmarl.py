"""BenchMARL: a game as one of its tasks, many tables of it in lockstep."""

# pyright: reportMissingImports=false

from collections.abc import Callable
from typing import Any

from .errors import InputError

try:
    from benchmarl.environments.common import TaskClass
    from torchrl.data import Composite
    from torchrl.envs import EnvBase

    from .torchrl import GROUP, TableEnv
except ModuleNotFoundError as error:
    raise InputError(f"this needs {error.name}: pip install 'followsuit[benchmarl]'") from error


class TableTask(TaskClass):
    """A game for BenchMARL's algorithms, all seats in one group.

    As many tables as the experiment has environments for a worker, on the CPU. Waiting is an action: BenchMARL learns
    from all seats at every step, and a seat's only legal action teaches it nothing.

    Args:
        game: the game's name.
        config: arguments of `TableEnv` by name, such as players and rounds.
    """

    def __init__(self, game: str, config: dict[str, Any]) -> None:
        super().__init__(game, config)

    def get_env_fun(
        self,
        num_envs: int,
        continuous_actions: bool,  # noqa: ARG002 (there are none)
        seed: int | None,
        device: Any,  # noqa: ARG002 (the CPU)
    ) -> Callable[[], EnvBase]:
        return lambda: TableEnv(self.name, num_envs, seed=seed or 0, wait=True, **self.config)

    def supports_continuous_actions(self) -> bool:
        return False

    def supports_discrete_actions(self) -> bool:
        return True

    def max_steps(self, env: EnvBase) -> int:  # noqa: ARG002 (as below)
        """Of an evaluation's games: more than a match of any game has."""
        return 10_000

    def has_render(self, env: EnvBase) -> bool:  # noqa: ARG002
        return False

    def group_map(self, env: TableEnv) -> dict[str, list[str]]:
        return {GROUP: [str(seat) for seat in range(env.tables.players)]}

    def observation_spec(self, env: EnvBase) -> Composite:
        return _only("observation", env)

    def action_mask_spec(self, env: EnvBase) -> Composite:
        return _only("action_mask", env)

    def action_spec(self, env: EnvBase) -> Composite:
        return env.full_action_spec_unbatched

    def info_spec(self, env: EnvBase) -> None:
        """None."""

    def state_spec(self, env: EnvBase) -> None:
        """None: each seat's critic sees what the seat sees."""

    @staticmethod
    def env_name() -> str:
        return "followsuit"


def _only(name: str, env: EnvBase) -> Composite:
    """What the group observes, without its other parts."""
    spec = env.observation_spec_unbatched.clone()
    for other in set(spec[GROUP].keys()) - {name}:
        del spec[GROUP, other]
    return spec
