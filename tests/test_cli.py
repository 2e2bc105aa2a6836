"""The command `followsuit`: what it writes, what it refuses and how it exits."""

import argparse
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from followsuit.app import bench, main, rates, simulate
from followsuit.app.main import COMMANDS
from followsuit.envs import GAMES
from followsuit.envs.tables import load_game
from followsuit.policies import KINDS, policy
from helpers import TABLES, every_game, every_table

GAME, PLAYERS = TABLES[0]
SIMULATE = ["simulate", GAME, "--players", str(PLAYERS), "--rounds", "1"]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line a command line is refused with."""
    assert main.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"followsuit: [^\n]+\n", err), err
    return err


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    assert main.main([*SIMULATE, "--games", "3", "--legal", "-o", str(path)]) == 0
    return path


# What is wrong with the command line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "COMMAND"),
        (["simulat"], "did you mean 'simulate'?"),
        (["--quick", *SIMULATE], "unknown command '--quick'"),
        (["simulate", "chess", "--players", "4"], "unknown game 'chess'; there are: "),
        (["simulate", GAME], "--players"),
        ([*SIMULATE, "--players", "99"], f"{GAME} is for "),
        ([*SIMULATE, "--players", "four"], "not 'four'"),
        ([*SIMULATE, "--games", "0"], "--games: a whole number from 1 on, not '0'"),
        ([*SIMULATE, "--seed", "-1"], "--seed"),
        ([*SIMULATE, "--rounds", "some"], "--rounds"),
        ([*SIMULATE, "--game", "4"], "unknown option '--game'; did you mean '--games'?"),
        ([*SIMULATE, "--ppo.learning_rate=1"], "unknown option '--ppo.learning_rate'"),
        ([*SIMULATE, "more"], "unexpected argument 'more'"),
        ([*SIMULATE, "--policies", "unifrom"], "did you mean 'uniform'?"),
        ([*SIMULATE, "--policies", "uniform,,uniform"], "names with commas between"),
        ([*SIMULATE, "-o", "no/such/folder/file"], "no/such/folder/file"),
        (["verify", "no/such/file"], "no/such/file: No such file"),
        (["verify", str(Path(__file__).parent)], "directory"),
        (["verify", sys.executable], "not UTF-8 text"),
        (["bench", "chess"], "unknown game 'chess'"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert told in refused(arguments, capsys)


def test_a_missing_extra_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def run(args: argparse.Namespace) -> int:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    command(monkeypatch, run)
    assert "pip install 'followsuit[train]'" in refused(["learn"], capsys)


def command(monkeypatch: pytest.MonkeyPatch, run: Any, overrides: bool = False) -> None:
    """Makes `followsuit learn` a command."""
    module = ModuleType("followsuit.app.learn")
    module.__dict__.update(
        HELP="", OVERRIDES=overrides, run=run, arguments=lambda parser: parser.add_argument("--seed")
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(main, "COMMANDS", {"learn": "a command"})


def test_overrides_reach_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def run(args: argparse.Namespace) -> int:
        seen.extend(args.overrides)
        return 0

    command(monkeypatch, run, overrides=True)
    assert main.main(["learn", "--ppo.clip=0.1", "--seed", "3", "--run.device=cpu"]) == 0
    assert seen == ["ppo.clip=0.1", "run.device=cpu"]
    assert "did you mean '--seed'?" in refused(["learn", "--sed=3"], capsys)


# How it ends


@pytest.mark.parametrize(("wrong", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141)])
def test_interruption_is_quiet(wrong: type, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import sys; from types import ModuleType; from followsuit.app import main\n"
        "def run(args): print('some output', flush=False); raise " + wrong.__name__ + "\n"
        "module = ModuleType('followsuit.app.learn')\n"
        "module.__dict__.update(run=run, arguments=lambda parser: None)\n"
        "sys.modules[module.__name__] = module; main.COMMANDS = {'learn': ''}\n"
        "sys.exit(main.main(['learn']))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (code, "")


def test_a_closed_pipe_is_quiet() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "followsuit.app", *SIMULATE, "--games", "200"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == b""
    assert process.wait() == 141


def test_help_and_verify_load_no_torch(records: Path) -> None:
    for arguments in (["--help"], ["verify", str(records)]):
        code = (
            "import sys; from followsuit.app.main import main\n"
            f"try: main({arguments!r})\n"
            "except SystemExit: pass\n"
            "assert 'torch' not in sys.modules"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("command", ["evaluate", "ladder", "play", "simulate"])
def test_help_says_what_a_policy_may_be(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main([command, "--help"])
    told = capsys.readouterr().out
    assert all(f"  {name} " in told and meaning in told for name, meaning in KINDS.items())


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main.main(["--help"])
    assert end.value.code == 0
    told = capsys.readouterr().out
    assert re.findall(r"^    (\w+)  ", told, re.MULTILINE) == list(COMMANDS)


# simulate and verify


@every_table
def test_simulated_games_are_right(game: str, players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    assert main.main(["simulate", game, "--players", str(players), "--games", "3", "--legal", "-o", str(path)]) == 0
    told = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    moves = sum(len(entry["moves"]) for record in told for entry in record["rounds"])
    assert all(record["winners"] and record["names"] == ["uniform"] * players for record in told)
    assert main.main(["verify", str(path)]) == 0
    assert capsys.readouterr().out == f"3 records, {moves} moves, 0 faults\n"


@every_game
def test_a_game_depends_on_seed_and_number_alone(game: str) -> None:
    players = max(load_game(game).PLAYERS)

    def play(games: int, seed: int, tables: int) -> list[dict[str, Any]]:
        policies = [policy("uniform", load_game(game)), policy("heuristic", load_game(game))]
        return list(simulate.simulate(game, players, policies, games, seed, 1, tables=tables))

    together = play(5, 3, 5)
    assert play(5, 3, 2) == together
    assert play(2, 3, 2) == together[:2]
    assert play(5, 4, 5) != together
    assert together[0]["rounds"] != together[1]["rounds"]
    assert together[0]["names"] == [("uniform", "heuristic")[seat % 2] for seat in range(players)]


def test_the_same_on_standard_output(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*SIMULATE, "--games", "3", "--legal"]) == 0
    assert capsys.readouterr() == (records.read_text("utf-8"), "")


def test_a_failure_leaves_the_old_file(
    records: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> None:
        raise KeyboardInterrupt

    old = records.read_text("utf-8")
    monkeypatch.setattr(simulate.GameLog, "score", fail)
    assert main.main([*SIMULATE, "-o", str(records)]) == 130
    assert records.read_text("utf-8") == old
    assert list(records.parent.iterdir()) == [records]


def test_verify_names_each_fault(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    told[0]["rounds"][0]["moves"][2][1] = "ace"
    told[1]["rounds"][0]["points"][0] += 1
    told[2]["totals"][0] += 1
    records.write_text("".join(json.dumps(record) + "\n" for record in told) + "{\n\n", "utf-8")
    assert main.main(["verify", str(records)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "record 1, round 1, move 3: 'ace' is no move of this game"
    assert lines[1].startswith("record 2, round 1: points: recorded [")
    assert lines[2].startswith("record 3: totals: recorded [")
    assert lines[3].startswith("record 4: not JSON: ")
    assert re.fullmatch(r"4 records, \d+ moves, 4 faults", lines[4])


def test_verify_reads_standard_input(
    records: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(records.read_text("utf-8")))
    assert main.main(["verify", "-"]) == 0
    assert re.fullmatch(r"3 records, \d+ moves, 0 faults\n", capsys.readouterr().out)


# bench


@pytest.mark.slow
def test_bench_measures_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAME
    monkeypatch.setattr(rates, "REPETITIONS", 1)
    monkeypatch.setattr(rates, "SECONDS", 0.01)
    monkeypatch.setattr(bench, "TRAIN_UPDATES", 3)
    path = tmp_path / "figures.json"
    assert main.main(["bench", game, "--json", str(path)]) == 0
    rows = json.loads(path.read_text("utf-8"))
    told = {
        "tables_masks",
        "tables_observations",
        "one_table",
        "aec",
        "first_use",
        "first_use_cached",
        "train",
        "train_engine",
    }
    assert told <= {row["what"] for row in rows}
    for row in rows:
        assert row.keys() == {"game", "players", "what", "value", "unit"}
        assert row["game"] == game
        assert row["game"] in GAMES
        assert row["value"] > 0
