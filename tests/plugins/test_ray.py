"""A cluster of two Ray nodes on this machine: both work, either may die, and the figures are those of one machine."""
# pyright: reportMissingImports=false

import json
import subprocess
import sys
import tempfile
import time
from itertools import pairwise

import numpy as np
import pytest
import torch
from followsuit.app.main import main
from followsuit.envs.errors import InputError
from followsuit.envs.tables import load_game
from followsuit.policies import policy
from followsuit.policies.function import FunctionPolicy
from followsuit.training.config import load_config, override
from followsuit.training.ppo import Trainer
from followsuit.training.results import evaluate, ladder

ray = pytest.importorskip("ray")
from followsuit.training.cluster import Cluster  # noqa: E402
from ray.cluster_utils import Cluster as Nodes  # noqa: E402

GAME = load_game("fearless")
FAST = (
    "game.players=[3, 4]", "game.rounds=1", "network.width=32", "network.critic_width=16", "ppo.tables=1200",
    "ppo.steps=32", "ppo.minibatch=1024", "run.decisions=384000", "run.evaluate_seconds=0", "run.precision=float32",
    "run.threads=1", "run.final_deals=20",
)  # fmt: skip


@pytest.fixture(scope="module")
def nodes():
    # Ray's sockets lie in this folder, and their paths must be short.
    with (
        tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as own,
    ):
        own.setenv("RAY_TMPDIR", folder)
        nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        yield nodes
        ray.shutdown()
        nodes.shutdown()


@pytest.fixture
def second(nodes):
    """The node beside the head."""
    node = nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    yield node
    if node in nodes.worker_nodes:
        nodes.remove_node(node)


@pytest.fixture
def cluster(nodes, second):
    return Cluster(nodes.address)


def ran_on_both(task):
    """Whether tasks of that name ran at the same time, which takes two nodes, for each has one core."""
    time.sleep(2)  # Ray hears a little later what its workers did
    events = sorted(
        (event for event in ray.timeline() if event["cat"] == f"task::{task}"), key=lambda event: event["ts"]
    )
    return any(one["ts"] + one["dur"] > other["ts"] for one, other in pairwise(events))


def weights(trainer):
    return torch.cat([parameter.detach().ravel() for parameter in trainer.network.parameters()])


def contestants(*names):
    return [policy(name, GAME) for name in names]


def test_both_nodes_play_and_the_figures_are_those_of_one_machine(cluster):
    three = contestants("uniform", "heuristic", "flat:20")
    records = {None: [], cluster: []}
    results = [
        evaluate(GAME, 4, three, 60, 1, seed=7, keep=kept.append, cluster=where) for where, kept in records.items()
    ]
    assert results[0] == results[1]
    assert records[None] == records[cluster]
    assert ran_on_both("_play")
    here = ladder(GAME, 3, three, 0.9, 60, 12, seed=7)
    assert ladder(GAME, 3, three, 0.9, 60, 12, seed=7, cluster=cluster) == here


def test_an_evaluation_outlives_a_node(cluster, nodes, second):
    three, told = contestants("uniform", "heuristic", "flat:20"), []

    def kill(part):
        told.append(part)
        if len(told) == 10:
            nodes.remove_node(second, allow_graceful=False)

    result = evaluate(GAME, 4, three, 60, 1, progress=kill, cluster=cluster)
    assert len(told) > 20
    assert result == evaluate(GAME, 4, three, 60, 1)


def test_training_outlives_a_node_and_goes_on_with_the_same_numbers(cluster, nodes, second, tmp_path):
    config = override(load_config("fearless"), FAST)
    whole = Trainer(config, tmp_path / "whole", cluster)
    for progress in whole.train():
        assert sum(progress.shares.values()) == pytest.approx(1)
    assert ran_on_both("_collect")

    parts = Trainer(config, tmp_path / "parts", cluster)
    for progress in parts.train():
        if progress.updates == 3:
            nodes.remove_node(second, allow_graceful=False)
        if progress.updates == 5:
            break
    assert cluster.cores() == 1
    parts.save()
    resumed = Trainer.resume(tmp_path / "parts", cluster=cluster)
    assert resumed.updates == 5
    for _ in resumed.train():
        pass
    assert torch.equal(weights(whole), weights(resumed))

    alone = Trainer.resume(tmp_path / "parts", {"decisions": 500_000})
    for progress in alone.train():
        assert np.isfinite(list(progress.losses.values())).all()


def test_weights_travel_and_the_command_gives_the_same_table(cluster, nodes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the workers were started elsewhere
    settings = [f"--{setting}" for setting in (*FAST, "run.decisions=80000")]
    assert main(["train", "fearless", "--out", "run", *settings, "--ray", nodes.address]) == 0
    command = ["evaluate", "fearless", "--players", "4", "--policies", "run,uniform", "--rounds", "1", "--deals", "40"]
    assert main([*command, "--json", "here.json"]) == 0
    assert main([*command, "--json", "there.json", "--ray", nodes.address]) == 0
    here, there = (json.loads((tmp_path / f"{name}.json").read_text("utf-8")) for name in ("here", "there"))
    for one in (*here["contestants"], *there["contestants"]):
        assert one.pop("ms_per_decision") > 0
    assert here == there


def test_what_goes_wrong_there_is_told_in_one_line(cluster):
    nobody = FunctionPolicy(lambda observation, mask: mask.argmax(), "nowhere:nobody")
    with pytest.raises(InputError, match="nowhere") as told:
        evaluate(GAME, 4, [nobody, *contestants("uniform")], 20, 1, cluster=cluster)
    assert "\n" not in str(told.value)


def test_no_cluster_at_the_address():
    command = [sys.executable, "-m", "followsuit.app", "evaluate", "fearless", "--players", "4", "--deals", "2"]
    done = subprocess.run([*command, "--policies", "uniform", "--ray", "127.0.0.1:1"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no Ray cluster answers at 127.0.0.1:1" in done.stderr
