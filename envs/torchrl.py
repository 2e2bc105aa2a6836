"""TorchRL: many tables of a game as one batched environment, and each seat's trajectory in what is collected."""

# pyright: reportMissingImports=false

from types import ModuleType
from typing import Any

import numpy as np

from .errors import InputError
from .illegal import is_legal, report
from .rules.contract import Game
from .scores import margins
from .tables import MATCH, Tables

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from tensordict.nn import TensorDictModule
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
    from torchrl.modules import MaskedCategorical, ProbabilisticActor
except ModuleNotFoundError as error:
    raise InputError(f"this needs {error.name}: pip install 'followsuit[torchrl]'") from error

GROUP = "agents"


class TableEnv(EnvBase):
    """B tables in lockstep, laid out as TorchRL's `PettingZooWrapper` lays out one with all S seats in one group.

    Under `agents`: `observation`, float32 [B, S, F], of every seat at every step; `mask`, bool [B, S], of the seat to
    act; `action_mask`, bool [B, S, A], its legal actions and all for the others; `reward`, float32 [B, S, 1]: whenever
    points are scored, how much better a seat did than the mean of the others. Of `action`, int64 [B, S], only that of
    the seat to act counts; InputError where it is illegal. An episode is one game.

    With `wait`, waiting is one action more, the last, A, as in `ParallelCardGame`: the only legal one of a seat that is
    not to act. Whatever learns from all seats at every step then learns nothing from those that had no choice.

    Args:
        game: name or module of the game.
        tables: B.
        players: S; the game's largest table by default.
        rounds: "match" for the official game, or how many rounds it has.
        seed: of the deals.
        wait: whether waiting is an action.
        options: of the game's rules.
    """

    def __init__(
        self,
        game: str | ModuleType | Game,
        tables: int,
        players: int | None = None,
        rounds: int | str = MATCH,
        seed: int = 0,
        wait: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(batch_size=torch.Size([tables]))
        self._wait = wait
        self.tables = Tables(game, tables, players, rounds, seed=seed, observations=False, **options)
        self._seats = torch.arange(self.tables.players)
        batch, seats = [tables], [tables, self.tables.players]
        features, actions = self.tables.observe(self.tables.seat).shape[1], self.tables.mask.shape[1] + wait

        def group(spec: Composite) -> Composite:
            return Composite({GROUP: spec}, shape=batch)

        self.observation_spec = group(
            Composite(
                observation=Unbounded([*seats, features], dtype=torch.float32),
                action_mask=Binary(actions, [*seats, actions], dtype=torch.bool),
                mask=Categorical(2, seats, dtype=torch.bool),
                shape=seats,
            )
        )
        self.action_spec = group(Composite(action=Categorical(actions, seats), shape=seats))
        self.reward_spec = group(Composite(reward=Unbounded([*seats, 1]), shape=seats))
        ends = {name: Binary(1, [*seats, 1], dtype=torch.bool) for name in ("done", "terminated")}
        self.done_spec = group(Composite(ends, shape=seats))
        self.done_spec.update({name: Binary(1, [*batch, 1], dtype=torch.bool) for name in ends})

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        if tensordict is None or "_reset" not in tensordict.keys():  # noqa: SIM118 (no plain dict)
            self._set_seed(self.tables.seed + 1)
        return self._seen()  # a table whose game is over has started a new one by itself

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        tables = self.tables
        actions = tensordict[GROUP, "action"].numpy()
        if self._wait and (actions == tables.mask.shape[1]).sum() < actions.size - len(tables):
            raise InputError(f"a seat that is not to act waits, action {tables.mask.shape[1]}")
        chosen = actions[np.arange(len(tables)), tables.seat]
        for table in np.flatnonzero(~is_legal(chosen, tables.mask)):
            report(tables.game.NAME, tables.seat[table], chosen[table])
        tables.step(chosen)
        out = self._seen()
        out[GROUP, "reward"] = torch.tensor(margins(tables.points, tables.game.POINTS_SIGN)[..., None]).float()
        over = torch.tensor(tables.game_over)[:, None]
        for name in ("done", "terminated"):
            out[name] = over.clone()
            out[GROUP, name] = over[..., None].repeat(1, tables.players, 1)
        return out

    def _seen(self) -> TensorDictBase:
        tables = self.tables
        known = np.stack([tables.observe(np.full(len(tables), seat)) for seat in range(tables.players)], 1)
        acts = torch.tensor(tables.seat)[:, None] == self._seats
        legal, waits = torch.tensor(tables.mask == 1)[:, None], ~acts[..., None]
        legal = torch.cat([legal & ~waits, waits], -1) if self._wait else legal | waits
        self.input_spec["full_action_spec", GROUP, "action"].update_mask(legal.clone())  # for random actions
        seats = {
            "observation": torch.tensor(known, dtype=torch.float32),
            "action_mask": legal,
            "mask": acts,
        }
        return TensorDict({GROUP: TensorDict(seats, acts.shape)}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        self.tables.reset(seed or 0)


def masked_actor(network: torch.nn.Module) -> ProbabilisticActor:
    """An actor for what a seat sees, whose `network` scores every action, float [..., F] -> [..., A]; the illegal ones
    have probability 0.
    """
    scores = TensorDictModule(network, in_keys=["observation"], out_keys=["logits"])
    keys = {"logits": "logits", "mask": "action_mask"}
    return ProbabilisticActor(scores, in_keys=keys, distribution_class=MaskedCategorical, return_log_prob=True)


def for_group(actor: ProbabilisticActor) -> TensorDictModule:
    """The same actor for the environment, where what all seats see is in their group."""
    return TensorDictModule(actor, in_keys=[GROUP], out_keys=[GROUP])


def by_seat(batch: TensorDictBase) -> TensorDictBase:
    """What was collected, [..., T], as one trajectory a seat, [..., S, T], under the keys that TorchRL expects of a
    single agent. Advantages are estimated over all its steps; where `mask` is False the seat did not act, and a loss
    must leave the step out.
    """
    seats = batch[GROUP].copy()
    seats["next"] = batch["next", GROUP]
    return seats.transpose(-1, -2)
