"""A fifth game costs the files in tests/fifth, golden records, its page and three lines (see CONTRIBUTING.md).

A copy of the project gets the game, and then passes the tests that run over all games.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COPIED = (
    "__init__.py", "app", "configs", "docs", "envs", "policies", "tests", "training",
    "CHANGELOG.md", "README.md", "pyproject.toml",
)  # fmt: skip
LINES = {
    "envs/__init__.py": ('GAMES = {"fearless"', 'GAMES = {"dozen": "dozen_v0", "fearless"'),
    "README.md": ("| [", "| [Dozen](docs/rules/dozen.md) | 3 | nobody | `dozen_v0` | made up |\n| ["),
    "CHANGELOG.md": ("- ", "- Dozen.\n- "),
}
"""What is written into files that there are: a text of the file, and what takes its place."""
GENERAL = (
    "test_beliefs.py", "test_conformance.py", "test_contract.py", "test_describe.py", "test_golden.py",
    "test_heuristics.py", "test_knowledge.py", "test_packaging.py", "test_parallel.py", "test_rules.py", "test_seat.py",
)  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the copy, with the fifth game."""
    folder = tmp_path_factory.mktemp("fifth") / "followsuit"
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    shutil.copytree(folder / "tests" / "fifth", folder, dirs_exist_ok=True)
    for file, (text, instead) in LINES.items():
        path = folder / file
        path.write_text(path.read_text("utf-8").replace(text, instead, 1), "utf-8")
    golden = folder / "tests" / "golden" / "dozen_3.jsonl"  # of a real game: never from its own rules
    followsuit(
        folder,
        ["simulate", "dozen", "--players", "3", "--games", "10", "--legal", "-o", str(golden)],
        ["describe", "dozen", "--deals", "20", "--write", str(folder / "docs" / "games")],
    )
    return folder


RUN = "import json, sys\nfrom followsuit.app.main import main\nsys.exit(any(map(main, json.loads(sys.argv[1]))))"


def followsuit(folder: Path, *commands: list[str]) -> None:
    """Runs commands in one process, which saves its start; each must do."""
    python(folder, "-c", RUN, json.dumps(commands))


def python(folder: Path, *arguments: str) -> str:
    """What Python prints when the copy is its `followsuit`."""
    environment = os.environ | {"PYTHONPATH": str(folder.parent), "FOLLOWSUIT_CACHE_DIR": str(folder.parent / "cache")}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.parent, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_general_tests_pass(project: Path) -> None:
    tests = [str(project / "tests" / name) for name in GENERAL]
    told = python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "dozen or readme_lists", *tests)
    assert " passed" in told
    assert "skipped" not in told


@pytest.mark.slow
def test_it_is_played_recorded_compared_and_learnt(project: Path, tmp_path: Path) -> None:
    records, result, folder = tmp_path / "games.jsonl", tmp_path / "result.json", tmp_path / "run"
    settings = ("ppo.tables=32", "ppo.steps=16", "network.width=16", "run.decisions=1024", "run.evaluate_seconds=0",
                "run.final_deals=0", "run.threads=1", "run.precision=float32", "run.device=cpu")  # fmt: skip
    play = ["dozen", "--players", "3"]
    policies = [str(folder), "heuristic", "uniform"]
    followsuit(
        project,
        ["train", *play, "--out", str(folder), *(f"--{setting}" for setting in settings)],
        ["simulate", *play, "--policies", ",".join(policies), "--games", "5", "-o", str(records)],
        ["verify", str(records)],
        ["evaluate", *play, "--policies", ",".join(policies), "--deals", "20", "--json", str(result)],
    )
    margins = {one["policy"]: one["margin"] for one in json.loads(result.read_text("utf-8"))["contestants"]}
    assert list(margins) == policies
    assert margins["heuristic"] > margins["uniform"]
