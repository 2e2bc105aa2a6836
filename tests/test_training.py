"""Settings, crediting, self-play, checkpoints, resuming."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from followsuit.app.main import main
from followsuit.envs import GAMES, Tables, kernels
from followsuit.envs.errors import InputError
from followsuit.envs.rules.contract import decode
from followsuit.envs.tables import load_game
from followsuit.policies import policy
from followsuit.policies.checkpoint import (
    FILE_NAME,
    layout_hash,
    load_checkpoint,
    load_tensors,
    save_checkpoint,
    save_tensors,
)
from followsuit.policies.network import ActorCritic, NetworkPolicy, Shape
from followsuit.training.config import Config, check, dump, load_config, override, parse_config
from followsuit.training.ppo import STATE_NAME, Trainer
from followsuit.training.results import evaluate
from followsuit.training.rollout import Choice, Rollout, credit, stagger
from helpers import every_table
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

FAST = (
    "ppo.tables=64", "ppo.steps=32", "ppo.minibatch=512", "network.width=64", "run.threads=1", "run.precision=float32",
    "run.evaluate_seconds=0", "run.device=cpu", "run.decisions=8192",
)  # fmt: skip


def fast_config(*more: str) -> Config:
    return override(load_config("fearless"), [*FAST, *more])


def weights(trainer: Trainer) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in trainer.network.parameters()])


# --- settings ---


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_config_that_holds(name):
    config = load_config(name)
    check(config)
    assert config.game.name == name


def test_a_dumped_config_reads_back():
    config = override(
        load_config("fearless"), ["game.players=[3, 5]", "ppo.clip=0.3", "game.rounds=1", "run.device=cpu"]
    )
    assert parse_config(dump(config), "dump") == config
    assert config.game.players == (3, 5)
    assert config.game.rounds == 1


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("ppo.learning_rat=1", "ppo.learning_rate"),
        ("pp.clip=1", "unknown config key 'pp'"),
        ("ppo.clip=high", "ppo.clip must be a number"),
        ("ppo.tables=1.5", "ppo.tables must be a whole number"),
        ("ppo.tables=true", "ppo.tables must be a whole number"),
        ("network.critic=all", "'state' or 'observation'"),
        ("game.rounds=some", "'match' or a whole number"),
        ("ppo=3", "ppo is a section"),
        ("ppo.clip", "section.key=value"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(setting, says):
    with pytest.raises(InputError) as error:
        override(load_config("fearless"), [setting])
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "setting", ["ppo.clip=0", "game.players=[]", "game.players=6", "ppo.tables=0", "game.rounds=0"]
)
def test_settings_that_cannot_work_are_refused(setting):
    with pytest.raises(InputError):
        check(override(load_config("fearless"), [setting]))


def test_a_config_file_says_where_it_is_wrong(tmp_path):
    for text in ("[ppo\n", "[ppo]\nclap = 1\n"):
        (tmp_path / "mine.toml").write_text(text)
        with pytest.raises(InputError, match=r"mine\.toml"):
            load_config(tmp_path / "mine.toml")
    with pytest.raises(InputError, match="No such file"):
        load_config(tmp_path / "none.toml")


# --- crediting ---


def slow_credit(seat, index, rewards, end, value, gae_lambda):
    """GAE along each seat's decisions, written from the definition: one list of decisions a seat and episode."""
    steps, tables, seats = rewards.shape
    advantage, known = {}, set()
    for b in range(tables):
        for k in range(seats):
            begin = 0
            for stop in [*(t + 1 for t in range(steps) if end[t, b]), None]:
                over = stop is not None
                times = range(begin, stop if over else steps)
                own = [t for t in times if seat[t, b] == k and index[t, b] >= 0]
                deltas = []
                for j, t in enumerate(own):
                    last = j == len(own) - 1
                    until = times[-1] if last else own[j + 1] - 1
                    earned = sum(rewards[u, b, k] for u in range(t, until + 1))
                    following = 0.0 if last else value[index[own[j + 1], b]]
                    deltas.append(earned + following - value[index[t, b]])
                if not over:
                    own, deltas = own[:-1], deltas[:-1]
                for j, t in enumerate(own):
                    tail = enumerate(deltas[j:])
                    advantage[index[t, b]] = sum(gae_lambda**distance * delta for distance, delta in tail)
                    known.add(index[t, b])
                begin = stop
    return advantage, known


def test_credit_is_gae_along_each_seats_own_decisions():
    rng = np.random.default_rng(0)
    for _ in range(20):
        steps, tables, seats = 30, 3, 4
        seat = rng.integers(seats, size=(steps, tables))
        free = rng.random((steps, tables)) < 0.7
        index = np.where(free, np.cumsum(free).reshape(free.shape) - 1, -1)
        rewards = rng.normal(size=(steps, tables, seats)) * (rng.random((steps, tables, 1)) < 0.2)
        end = rng.random((steps, tables)) < 0.1
        value = rng.normal(size=free.sum())
        advantage, target = np.zeros(len(value)), np.zeros(len(value))
        known = np.zeros(len(value), bool)
        credit(seat, index, rewards, end, value, 0.9, advantage, target, known)
        expected, expected_known = slow_credit(seat, index, rewards, end, value, 0.9)
        assert set(np.flatnonzero(known)) == expected_known
        for i, number in expected.items():
            assert advantage[i] == pytest.approx(number)
            assert target[i] == pytest.approx(number + value[i])


@pytest.mark.parametrize("reward", ["points", "win"])
def test_rollouts_credit_every_round_or_game_in_full(reward):
    tables = Tables("fearless", 8, 4, rounds=2, seed=1)
    rollout = Rollout(tables, 104, reward, 1.0, 1.0)
    rng = np.random.default_rng(0)

    def choose(observation, mask, hidden):
        assert (mask.sum(1) > 1).all()  # forced seats are not asked
        action = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
        return Choice(action, np.zeros(len(mask), np.float32), np.zeros(len(mask), np.float32))

    samples, seconds = rollout.collect(choose)
    # 104 decisions are whole games: with lambda 1 and values 0 each return is what its seat earned by the end.
    assert len(samples.target) > 8 * 60
    assert seconds > 0
    returns = np.unique(samples.target)
    if reward == "win":
        assert set(returns.astype(float).round(4)) <= {1.0, -0.3333, 0.3333, 0.0, 0.1111}
    else:
        assert len(returns) > 20
    assert samples.observation.dtype == samples.mask.dtype == np.int8
    assert (samples.mask[np.arange(len(samples.action)), samples.action] == 1).all()


# --- the network ---


def test_the_policy_never_sees_what_is_hidden():
    game = load_game("fearless")
    network = ActorCritic(game, Shape(32, 2, "state", 16)).eval()
    tables = Tables(game, 6, 4)
    observation, mask = torch.from_numpy(tables.observation), torch.from_numpy(tables.mask)
    hidden = torch.from_numpy(tables.reveal(tables.seat))
    one, value = network(observation, mask, hidden)
    other, other_value = network(observation, mask, torch.zeros_like(hidden))
    assert torch.equal(one, other)
    assert not torch.equal(value, other_value)
    assert torch.equal(one, network.act(observation, mask))
    assert (one.exp()[mask == 0] == 0).all()
    blind = ActorCritic(game, Shape(32, 2, "observation", 16))
    assert torch.equal(blind(observation, mask, hidden)[1], blind(observation, mask, torch.zeros_like(hidden))[1])


# --- self-play ---


def test_training_beats_uniform_is_killed_resumes_and_plays(tmp_path):
    """The whole walk: a run in a process of its own is killed without warning, goes on, and ends above uniform."""
    more = "ppo.learning_rate=0.003", "ppo.epochs=2", "ppo.tables=128", "ppo.steps=64", "run.save_seconds=0.5"
    settings = [f"--{setting}" for setting in (*FAST, *more)]
    command = [sys.executable, "-m", "followsuit.app", "train", "fearless", "--out", str(tmp_path), *settings]
    process = subprocess.Popen([*command, "--decisions", "10000000"], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (tmp_path / STATE_NAME).exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()

    trainer = Trainer.resume(tmp_path, {"decisions": 500_000, "save_seconds": 60.0})
    before = trainer.decisions
    assert 0 < before < 500_000
    for progress in trainer.train():
        assert np.isfinite(list(progress.losses.values())).all()
        assert sum(progress.shares.values()) == pytest.approx(1)
    assert trainer.decisions >= 500_000
    assert trainer.measure(300)["uniform"].low > 0

    game = load_game("fearless")
    result = evaluate(game, 4, [policy(str(tmp_path), game), policy("uniform", game)], 300, rounds=1)
    assert result.standings[0].margin.low > 0
    header = load_tensors(tmp_path / FILE_NAME)[1]
    assert header["game"] == "fearless"
    assert header["players"] == [4]
    assert header["decisions"] == trainer.decisions
    assert parse_config(header["config"], "header") == trainer.config


def test_the_command_trains_logs_evaluates_and_goes_on(tmp_path, capsys):
    settings = [f"--{setting}" for setting in (*FAST, "run.final_deals=20", "run.evaluate_seconds=0.1")]
    assert main(["train", "fearless", "--out", str(tmp_path), *settings]) == 0
    told = capsys.readouterr().out
    assert f"tensorboard --logdir {tmp_path}" in told
    assert f"followsuit play fearless --against {tmp_path}" in told
    results = json.loads((tmp_path / "evaluation.json").read_text())
    assert [result["contestants"][1]["policy"] for result in results] == ["uniform", "heuristic"]
    assert main(["train", "--resume", str(tmp_path)]) == 2  # its budget is used
    assert main(["train", "--resume", str(tmp_path), "--seed", "1"]) == 2
    capsys.readouterr()
    assert main(["train", "--resume", str(tmp_path), "--decisions", "16384"]) == 0

    events = EventAccumulator(str(tmp_path))
    events.Reload()
    expected = {f"loss/{name}" for name in ("policy", "value", "entropy", "kl", "explained_variance")}
    expected |= {f"time/{name}" for name in ("engine", "inference", "learning", "decisions_per_second")}
    assert expected | {"margin/uniform", "margin/heuristic"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("loss/entropy")] == list(range(2048, 16385, 2048))


def test_a_run_is_evaluated_under_the_rules_it_was_trained_with(tmp_path):
    settings = [f"--{setting}" for setting in (*FAST, "run.final_deals=2", "run.decisions=2048")]
    command = ["train", "cupid", "--out", str(tmp_path), *settings, "--game.options={ target = 61 }"]
    assert main(command) == 0
    results = json.loads((tmp_path / "evaluation.json").read_text())
    assert [result["options"] for result in results] == [{"target": 61}] * 2


def test_a_resumed_run_gives_the_numbers_of_an_uninterrupted_one(tmp_path):
    config = fast_config("game.players=[3, 5]", "run.decisions=16384")
    whole = Trainer(config, tmp_path / "whole")
    for _ in whole.train():
        pass
    first = Trainer(config, tmp_path / "parts")
    for progress in first.train():
        if progress.part_done >= 0.5:
            break
    first.save()
    second = Trainer.resume(tmp_path / "parts")
    assert 0 < second.decisions < 16384
    for _ in second.train():
        pass
    assert whole.decisions == second.decisions
    assert torch.equal(weights(whole), weights(second))


def test_the_same_seed_trains_the_same_network(tmp_path):
    trainers = [Trainer(fast_config(f"run.seed={seed}"), tmp_path / str(n)) for n, seed in enumerate((1, 1, 2))]
    one, same, other = ([list(trainer.train()), weights(trainer)][1] for trainer in trainers)
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_a_folder_with_a_run_is_not_overwritten(tmp_path):
    Trainer(fast_config(), tmp_path).save()
    with pytest.raises(InputError, match="--resume"):
        Trainer(fast_config(), tmp_path)


# --- checkpoints ---


@pytest.fixture
def saved(tmp_path):
    game = load_game("fearless")
    torch.manual_seed(0)
    network = ActorCritic(game, Shape(32, 1, "observation", 16))
    save_checkpoint(tmp_path / FILE_NAME, game, network, {"decisions": 5})
    return tmp_path / FILE_NAME


def test_a_checkpoint_plays_as_it_was_saved(saved):
    game, network, header = load_checkpoint(saved.parent)
    assert header["decisions"] == 5
    tables = Tables(game, 10, 4)
    rows, random = np.arange(10), kernels.streams(0, np.arange(10))
    player = policy(str(saved), game)
    assert (player.act(tables, rows, random) == NetworkPolicy(network).act(tables, rows, random)).all()
    probabilities = player.probabilities(tables, rows)
    assert probabilities.sum(1) == pytest.approx(np.ones(10))
    assert (probabilities[tables.mask == 0] == 0).all()


def test_damaged_checkpoints_are_refused_with_the_reason(saved, tmp_path):
    game = load_game("fearless")
    data = saved.read_bytes()
    for damaged in (b"", data[:7], data[: len(data) // 2], data[:-1], b"\x80\x04pickle", b"x" * 500):
        saved.write_bytes(damaged)
        with pytest.raises(InputError, match="no complete safetensors file"):
            policy(str(saved), game)
    save_tensors(saved, {}, {"hello": 1})
    with pytest.raises(InputError, match="no checkpoint of this project"):
        policy(str(saved), game)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="No such file"):
        policy(str(tmp_path / "empty"), game)
    with pytest.raises(InputError, match=r"unknown policy 'heurstic'; did you mean 'heuristic'\?"):
        policy("heurstic", game)


def test_a_checkpoint_of_another_layout_is_refused_with_the_difference(saved):
    tensors, header = load_tensors(saved)
    header["layout"]["features"]["ghosts"] = [5, 41]
    header["layout_hash"] = "0" * 16
    save_tensors(saved, tensors, header)
    with pytest.raises(InputError, match="feature 'ghosts' was 5×41, is 5×31"):
        policy(str(saved), load_game("fearless"))


def test_weights_that_do_not_fit_are_refused(saved):
    tensors, header = load_tensors(saved)
    save_tensors(saved, {name: tensor for name, tensor in tensors.items() if "policy" not in name}, header)
    with pytest.raises(InputError, match="do not fit"):
        policy(str(saved), load_game("fearless"))


def test_the_layout_hash_covers_features_and_actions():
    game = load_game("fearless")

    class Changed:
        HIDDEN, ACTIONS = game.HIDDEN, game.ACTIONS
        FEATURES = (game.FEATURES[0]._replace(shape=(48,)), *game.FEATURES[1:])

    assert layout_hash(Changed) != layout_hash(game)  # pyright: ignore[reportArgumentType]


def test_a_damaged_training_state_is_refused(tmp_path):
    Trainer(fast_config(), tmp_path).save()
    state = tmp_path / STATE_NAME
    data = state.read_bytes()
    state.write_bytes(data[:-10])
    with pytest.raises(InputError, match=STATE_NAME):
        Trainer.resume(tmp_path)
    state.write_bytes(data)
    tensors, header = load_tensors(state)
    save_tensors(state, tensors, header | {"layout_hash": "x"})
    with pytest.raises(InputError, match="changed"):
        Trainer.resume(tmp_path)
    del header["updates"]
    save_tensors(state, tensors, header)
    with pytest.raises(InputError, match="no training state"):
        Trainer.resume(tmp_path)


def test_a_save_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    trainer = Trainer(fast_config(), tmp_path)
    trainer.save()
    before = (tmp_path / STATE_NAME).read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    with pytest.raises(OSError, match="No space"):
        trainer.save()
    assert (tmp_path / STATE_NAME).read_bytes() == before
    assert not list(Path(tmp_path).glob("*.part"))


@every_table
def test_tables_are_staggered_over_a_whole_round(game, players):
    tables = Tables(game, 200, players, seed=3)
    stagger(tables)
    again = Tables(game, 200, players, seed=3)
    stagger(again)
    assert (tables.observation == again.observation).all()
    played = decode(tables.game.FEATURES, tables.observation)["played"].reshape(200, -1).sum(1)
    assert played.min() < 0.2 * played.max()
    assert len(set(played.tolist())) > 10
    assert not tables.states["round_over"].any()
