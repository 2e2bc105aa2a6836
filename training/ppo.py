"""Proximal policy optimization by self-play: one network plays every seat and learns from all of them.

Read from top to bottom: `Trainer.train` is the loop, `_update` the algorithm, the rest keeps it going. The settings and
what they mean are in `config`; how decisions are collected and credited is in `rollout`.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..envs.errors import InputError
from ..envs.files import write_text
from ..envs.tables import load_game
from ..policies import policy
from ..policies.checkpoint import FILE_NAME, layout_hash, load_tensors, save_checkpoint, save_tensors
from ..policies.network import ActorCritic, NetworkPolicy, Shape
from . import arena
from .config import Config, RunConfig, check, dump, parse_config
from .rollout import Samples, draw, new_rollout

if TYPE_CHECKING:
    from .cluster import Cluster

STATE_NAME = "state.safetensors"
"""A run folder's training state, for `Trainer.resume`."""
BASELINES = ("uniform", "heuristic")


class Progress(NamedTuple):
    """How a run stands after an update."""

    updates: int
    decisions: int
    seconds: float
    part_done: float
    decisions_per_second: float
    """Of the last update, forced decisions included, from cards to learnt weights."""
    losses: dict[str, float]
    """policy, value, entropy, kl, explained_variance, clipped"""
    shares: dict[str, float]
    """Of the last update's time: engine, inference, learning; they sum to 1."""
    margins: dict[str, arena.Estimate]
    """Points a round ahead of three (or however many) players of each baseline, as last measured."""


class Trainer:
    """A training run: its network, its tables and its folder.

    Args:
        config: all settings, see `training.config`.
        folder: where the run is kept; created. InputError where it already holds a run.
        cluster: collects the decisions on many machines; how a run then repeats itself is told there.
    """

    def __init__(self, config: Config, folder: str | os.PathLike[str], cluster: "Cluster | None" = None) -> None:
        check(config)
        self.folder, self.cluster = Path(folder), cluster
        if (self.folder / STATE_NAME).exists():
            raise InputError(f"{folder} already holds a run; go on with --resume {folder}, or choose another --out")
        self._set_up(config)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / "config.toml", dump(self.config))

    def _set_up(self, config: Config) -> None:
        self.device = torch.device(_device(config.run.device))
        self.random = torch.Generator(self.device).manual_seed(config.run.seed)
        self.game = load_game(config.game.name)
        with torch.random.fork_rng():
            torch.manual_seed(config.run.seed)
            self.network = ActorCritic(self.game, Shape(**asdict(config.network))).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.ppo.learning_rate, eps=1e-5, fused=True)
        sizes = config.game.players
        shares = np.diff(np.linspace(0, config.ppo.tables, len(sizes) + 1).astype(int))
        self.rollouts = [
            new_rollout(config, players, int(share), seed=config.run.seed * len(sizes) + number)
            for number, (players, share) in enumerate(zip(sizes, shares, strict=True))
        ]
        self.updates, self.decisions, self.seconds = 0, 0, 0.0
        self.margins: dict[str, arena.Estimate] = {}
        self._evaluated = 0.0
        self.config = replace(config, run=_fastest(config, self.network, self.device))
        torch.set_num_threads(self.config.run.threads)

    @property
    def part_done(self) -> float:
        """The part of the budget that is used, 0 … 1."""
        run = self.config.run
        used = self.decisions / run.decisions if run.decisions else self.seconds / (60 * run.minutes)
        return min(1.0, used)

    def train(self) -> Iterator[Progress]:
        """Trains until the budget is used, saving on the way and at the end; yields after every update."""
        run = self.config.run
        saved = time.monotonic()
        while self.part_done < 1:
            start = time.perf_counter()
            samples, decisions, inference = self._collect()
            collected = time.perf_counter()
            losses = self._update(samples)
            end = time.perf_counter()
            self.updates += 1
            self.decisions += decisions
            self.seconds += end - start
            if run.evaluate_seconds and self.seconds - self._evaluated >= run.evaluate_seconds:
                self._evaluated = self.seconds
                self.margins = self.measure(run.evaluate_deals)
            if time.monotonic() - saved >= run.save_seconds:
                self.save()
                saved = time.monotonic()
            total = end - start
            shares = {
                "engine": (collected - start - inference) / total,
                "inference": inference / total,
                "learning": (end - collected) / total,
            }
            yield Progress(
                self.updates, self.decisions, self.seconds, self.part_done, decisions / total, losses, shares,
                self.margins,
            )  # fmt: skip
        self.save()

    def _collect(self) -> tuple[Samples, int, float]:
        """The decisions for one update, how many were made with the forced ones, and the seconds of inference."""
        self.network.eval()
        if self.cluster:
            samples, seconds = self.cluster.collect(self.config, self.network, self.rollouts, self.random)
        else:
            choose = partial(draw, self.network, self.random, self.config.run.precision == "bfloat16")
            collected = [rollout.collect(choose) for rollout in self.rollouts]
            samples, seconds = [samples for samples, _ in collected], sum(seconds for _, seconds in collected)
        joined = samples[0] if len(samples) == 1 else Samples(*map(np.concatenate, zip(*samples, strict=True)))
        decisions = sum(rollout.steps * len(rollout.tables) for rollout in self.rollouts)
        return joined, decisions, seconds

    def _update(self, samples: Samples) -> dict[str, float]:
        """One update of the network: `epochs` passes over the samples in random minibatches."""
        ppo = self.config.ppo
        left = 1 - self.part_done
        learning_rate = ppo.final_learning_rate + left * (ppo.learning_rate - ppo.final_learning_rate)
        entropy_weight = ppo.final_entropy + left * (ppo.entropy - ppo.final_entropy)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        observation, mask, hidden, action, old_log_probability, old_value, advantage, target = (
            torch.from_numpy(array).to(self.device) for array in samples
        )
        explained = 1 - (target - old_value).var() / target.var().clamp_min(1e-8)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        self.network.train()
        sums: dict[str, Tensor | float] = {}
        minibatches = max(1, round(len(action) / ppo.minibatch))
        for _ in range(ppo.epochs):
            for batch in torch.randperm(len(action), generator=self.random, device=self.device).chunk(minibatches):
                with self._autocast():
                    log_probabilities, value = self.network(observation[batch], mask[batch], hidden[batch])
                log_probability = log_probabilities.gather(1, action[batch, None]).squeeze(1)
                log_ratio = log_probability - old_log_probability[batch]
                ratio = log_ratio.exp()
                clipped_ratio = ratio.clamp(1 - ppo.clip, 1 + ppo.clip)
                gain = torch.minimum(ratio * advantage[batch], clipped_ratio * advantage[batch])
                entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
                value_loss = functional.mse_loss(value, target[batch])
                policy_loss = -gain.mean()
                loss = policy_loss + ppo.value_weight * value_loss - entropy_weight * entropy
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), ppo.max_gradient)
                self.optimizer.step()
                with torch.no_grad():
                    told = {
                        "policy": policy_loss,
                        "value": value_loss,
                        "entropy": entropy,
                        "kl": (ratio - 1 - log_ratio).mean(),  # Schulman's low-variance estimate
                        "clipped": (ratio != clipped_ratio).float().mean(),
                    }
                    sums = {name: sums.get(name, 0.0) + number.detach() for name, number in told.items()}
        steps = ppo.epochs * minibatches
        return {name: float(number) / steps for name, number in sums.items()} | {"explained_variance": float(explained)}

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.config.run.precision == "bfloat16")

    def measure(self, deals: int) -> dict[str, arena.Estimate]:
        """The margin of the network against a table of each baseline, one round, at the first table size."""
        own = NetworkPolicy(self.network.eval(), "network", self.config.run.precision == "bfloat16")
        return {
            name: arena.estimate(
                arena.play(
                    self.game, self.config.game.players[0],
                    [own] + [policy(name, self.game)] * (self.config.game.players[0] - 1), deals, rounds=1,
                    seed=self.config.run.seed, options=self.config.game.options,
                ).margin[:, :, 0].mean(1)
            )
            for name in BASELINES
        }  # fmt: skip

    def save(self) -> None:
        """Writes the checkpoint and the training state, each beside the old one until it is complete."""
        header = {
            "players": list(self.config.game.players),
            "config": dump(self.config),
            "decisions": self.decisions,
            "version": metadata.version("followsuit"),
        }
        save_checkpoint(self.folder / FILE_NAME, self.game, self.network, header)
        state = header | {
            "layout_hash": layout_hash(self.game),
            "device": self.device.type,
            "updates": self.updates,
            "seconds": self.seconds,
            "evaluated": self._evaluated,
            "margins": self.margins,
        }
        save_tensors(self.folder / STATE_NAME, self._tensors(), state)

    def _tensors(self) -> dict[str, Tensor]:
        """Everything that changes in a run but what the header says."""
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for number, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in moments.items()}
        for number, rollout in enumerate(self.rollouts):
            tensors |= {f"tables.{number}.{name}": _to_tensor(array) for name, array in rollout.save().items()}
        tensors["random"] = self.random.get_state()
        return tensors

    @classmethod
    def resume(
        cls, folder: str | os.PathLike[str], run: dict[str, Any] | None = None, cluster: "Cluster | None" = None
    ) -> "Trainer":
        """Goes on from a folder's last save, with or without a cluster, whichever it was begun with; `run` changes
        settings of the run's length (`RunConfig`).

        InputError where there is no state, it is damaged, or the game's layout has changed since.
        """
        path = Path(folder) / STATE_NAME
        tensors, header = load_tensors(path)
        try:
            config = parse_config(header["config"], str(path))
            trainer = cls.__new__(cls)
            trainer.folder, trainer.cluster = Path(folder), cluster
            trainer._set_up(replace(config, run=replace(config.run, **(run or {}))))
            if header["layout_hash"] != layout_hash(trainer.game):
                raise InputError(f"{path}: the observations or actions of {trainer.game.NAME} have changed since")
            trainer._load(tensors, header)
        except (KeyError, RuntimeError) as error:
            raise InputError(f"{path} is no training state of this project: {error}") from error
        return trainer

    def _load(self, tensors: dict[str, Tensor], header: dict[str, Any]) -> None:
        def part(prefix: str) -> dict[str, Tensor]:
            return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}

        self.network.load_state_dict(part("network."))
        state = self.optimizer.state_dict()
        parameters = range(len(state["param_groups"][0]["params"]))
        self.optimizer.load_state_dict(state | {"state": {n: part(f"optimizer.{n}.") for n in parameters}})
        for number, rollout in enumerate(self.rollouts):
            arrays = {name: tensor.numpy() for name, tensor in part(f"tables.{number}.").items()}
            rollout.load(arrays | {"generators": arrays["generators"].view(np.uint64)})
        if header["device"] == self.device.type:
            self.random.set_state(tensors["random"])
        else:  # chance cannot be carried over from one kind of device to another
            self.random.manual_seed(self.config.run.seed + header["decisions"])
        self.updates, self.decisions, self.seconds = header["updates"], header["decisions"], header["seconds"]
        self._evaluated = header["evaluated"]
        self.margins = {name: arena.Estimate(*numbers) for name, numbers in header["margins"].items()}


def _to_tensor(array: np.ndarray) -> Tensor:
    return torch.from_numpy(array.view(np.int64) if array.dtype == np.uint64 else array)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _device(name: str) -> str:
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("run.device is cuda, but PyTorch finds no CUDA device here")
    return name


def _fastest(config: Config, network: ActorCritic, device: torch.device) -> RunConfig:
    """The settings with precision and threads decided where they were open: whichever learns fastest, as measured."""
    run = config.run
    precisions = ("float32", "bfloat16") if run.precision == "auto" else (run.precision,)
    threads = (run.threads,) if run.threads else dict.fromkeys((_cores(), 1))
    choices = [replace(run, precision=p, threads=t) for p in precisions for t in threads]
    if len(choices) == 1:
        return choices[0]
    sizes = len(network.observation_scale), network.policy.out_features, len(network.hidden_scale)
    inputs = [torch.ones(config.ppo.minibatch, size, dtype=torch.int8, device=device) for size in sizes]
    seconds = [_seconds_to_learn(network, inputs, choice) for choice in choices]
    network.zero_grad()
    return choices[seconds.index(min(seconds))]


def _seconds_to_learn(network: ActorCritic, inputs: list[Tensor], run: RunConfig) -> float:
    torch.set_num_threads(run.threads)
    device, times = inputs[0].device.type, []
    for _ in range(4):
        start = time.perf_counter()
        with torch.autocast(device, torch.bfloat16, enabled=run.precision == "bfloat16"):
            log_probabilities, value = network(*inputs)
        (log_probabilities.mean() + value.mean()).backward()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return median(times[1:])
