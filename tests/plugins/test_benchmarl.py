"""Tables at which waiting is an action, and these as BenchMARL's task; run where BenchMARL is installed."""
# pyright: reportMissingImports=false

import pytest
from followsuit.envs import GAMES
from followsuit.envs.errors import InputError

pytest.importorskip("benchmarl")

import torch
from followsuit.envs.benchmarl import TableTask
from followsuit.envs.torchrl import GROUP, TableEnv
from torchrl.envs.utils import check_env_specs

pytestmark = pytest.mark.filterwarnings("default")  # TorchRL's own


@pytest.mark.parametrize("game", GAMES)
def test_tables_are_as_they_are_declared(game):
    check_env_specs(TableEnv(game, 3, wait=True))


def test_waiting_is_the_only_legal_action_of_a_seat_that_is_not_to_act():
    tables = TableEnv("fearless", 5, players=4, rounds=1, wait=True)
    seen = tables.reset()[GROUP]
    own, others = seen["action_mask"][seen["mask"]], seen["action_mask"][~seen["mask"]]
    assert own[:, :-1].any(-1).all()
    assert not own[:, -1].any()
    assert others[:, -1].all()
    assert not others[:, :-1].any()
    rollout = tables.rollout(52)
    assert rollout["next", "done"][:, -1].all()
    assert (rollout["next", GROUP, "reward"].sum(-2).abs() < 1e-4).all()


@pytest.mark.parametrize("who", ["the seat to act", "another"])
def test_what_is_not_legal_is_refused(who):
    tables = TableEnv("fearless", 5, players=4, rounds=1, wait=True)
    seen = tables.rand_action(tables.reset())
    seat = seen[GROUP, "mask"] == (who == "the seat to act")
    seen[GROUP, "action"][seat] = 49 if who == "the seat to act" else 0
    with pytest.raises(InputError):
        tables.step(seen)


def test_a_task_is_described_for_one_table():
    task = TableTask("fearless", {"players": 4, "rounds": 1})
    tables = task.get_env_fun(7, False, 1, torch.device("cpu"))()
    assert tables.batch_size == (7,)
    assert task.observation_spec(tables)[GROUP, "observation"].shape == (4, 659)
    assert task.action_mask_spec(tables)[GROUP, "action_mask"].shape == (4, 50)
    assert task.action_spec(tables)[GROUP, "action"].shape == (4,)
    assert list(task.group_map(tables)) == [GROUP]
