"""Runs the recipe of each library in an environment of its own and measures what it learnt: `make test-plugins`.

    python tests/plugins/run_recipes.py [LIBRARY …] [--seconds N] [--profile] [--json FILE]

For each library: makes the virtual environment `.plugins/LIBRARY` with the releases that `tests/plugins/LIBRARY.txt`
pins (kept until that file or pyproject.toml changes), trains with its recipe, lets our own arena play what was trained
against uniform play, and prints a table. It fails where the recipe fails, makes no decision or in any of its processes
an illegal one, or where the interval of the margin is not above 0.

To add a library NAME:

1. its release in LIBRARIES below, and in pyproject.toml an extra called NAME;
2. `docs/recipes/with_NAME.py`, at most 30 lines of code (`code_lines`): run, it trains Fearless (four players, one
   round a game) for about as many seconds as its only argument says (60 without one), keeps what it learnt under a
   name that begins with NAME in the folder it is run in, and prints `N decisions in S s`, counting those it learns
   from; imported, it loads that and has `act(observation, mask) -> int` for one seat, int8 [F] and int8 [A]. It is not
   called NAME.py, which would hide the library from itself;
3. `python tests/plugins/run_recipes.py NAME --pin`, which writes `tests/plugins/NAME.txt`;
4. where followsuit adds more than the recipe shows, `tests/plugins/test_NAME.py`, which pytest runs in the same
   environment and `importorskip` elsewhere;
5. its row in docs/libraries.md; its name in `.ci/run` where CI shall run it every time.
"""

import argparse
import ast
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tokenize
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "recipes"
PLUGINS = Path(__file__).parent
LIBRARIES = {
    "agilerl": "agilerl==2.58.0",
    "benchmarl": "benchmarl==1.5.2",
    "openspiel": "open-spiel==2.0.2",
    "pytorch": "torch==2.13.0",
    "ray": "ray==2.60.0",
    "rllib": "ray[rllib]==2.60.0",
    "sb3": "sb3-contrib==2.9.2",
    "tianshou": "tianshou==2.0.1",
    "torchrl": "torchrl==0.14.1",
}
"""What is tested of each library."""
TORCH = "torch==2.13.0"  # the same everywhere: another one would bring gigabytes along
SETTINGS = {"OMP_NUM_THREADS": "1", "RAY_ADDRESS": "local"}  # threads spin; Ray would join any cluster that runs here
DEALS = 1000
COLUMNS = (
    "library", "release", "lines", "install_s", "train_s", "evaluate_s", "tests_s", "decisions_per_s", "margin", "half",
    "illegal_actions", "environment_share", "failure",
)  # fmt: skip


def main() -> int:
    """Runs every recipe asked for, also after one has failed; 1 where any has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=f"of {', '.join(LIBRARIES)}; all by default")
    parser.add_argument("--seconds", type=float, default=60, help="of training (default: %(default)s)")
    parser.add_argument("--profile", action="store_true", help="also measure the share of the time in the environment")
    parser.add_argument("--json", metavar="FILE", help="also write the table here")
    parser.add_argument("--pin", action="store_true", help="instead: resolve its requirements anew and pin them")
    args = parser.parse_args()
    if unknown := set(args.libraries) - set(LIBRARIES):
        parser.error(f"no such library: {', '.join(sorted(unknown))}; there are {', '.join(LIBRARIES)}")
    libraries = args.libraries or list(LIBRARIES)
    if args.pin:
        for library in libraries:
            pin(library)
        return 0
    rows = []
    for library in libraries:
        rows.append(run(library, args.seconds, args.profile))
        print(rows[-1], file=sys.stderr, flush=True)  # so long as it all takes, as it comes
    print(table(rows))
    if args.json:
        Path(args.json).write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    return int(any("failure" in row for row in rows))


def run(library: str, seconds: float, profile: bool) -> dict[str, Any]:
    """Installs, trains, evaluates: a row of the table, with `failure` where there was one."""
    recipe = RECIPES / f"with_{library}.py"
    row: dict[str, Any] = {"library": library, "release": LIBRARIES[library]}
    try:
        row["lines"] = code_lines(recipe.read_text("utf-8"))
        row["install_s"] = timed(install, library)
        with tempfile.TemporaryDirectory() as kept:
            folder = Path(kept)
            row |= train(library, recipe, seconds, folder, profile)
            row |= evaluate(library, recipe, folder)
        if tests_of(library).exists():
            pytest = ["python", "-m", "pytest", "-q", "-x", str(tests_of(library))]
            row["tests_s"] = timed(call, library, pytest, ROOT, {})
        if row["illegal_actions"]:
            row["failure"] = "illegal actions"
        elif row["margin"] <= row["half"]:
            row["failure"] = "not above uniform play"
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        row["failure"] = f"{type(error).__name__}: {error}"
    return row


def train(library: str, recipe: Path, seconds: float, folder: Path, profile: bool) -> dict[str, Any]:
    """Runs the recipe in an empty folder; what it said, and what it did to the environment."""
    illegal, times = folder / "illegal_actions", folder / "times"
    illegal.touch()
    times.mkdir()
    environment = {"FOLLOWSUIT_ILLEGAL_ACTIONS": str(illegal)}
    if profile:  # see the module there, which Python loads in every process
        environment |= {"FOLLOWSUIT_PROFILE": str(times), "PYTHONPATH": str(PLUGINS / "profile")}
    start = time.perf_counter()
    printed = call(library, ["python", str(recipe), str(seconds)], folder, environment)
    row: dict[str, Any] = {"train_s": round(time.perf_counter() - start, 1)}
    said = re.search(r"(\d+) decisions in ([\d.]+) s", printed)
    if not said or not int(said[1]):
        raise ValueError(f"{recipe.name} does not say how many decisions it made:\n{printed[-2000:]}")
    row["decisions_per_s"] = round(int(said[1]) / float(said[2]))
    row["illegal_actions"] = len(illegal.read_text("utf-8").splitlines())
    if profile:
        inside = sum(float(file.read_text("utf-8")) for file in times.iterdir())
        row["environment_share"] = round(inside / float(said[2]), 3)
    return row


def evaluate(library: str, recipe: Path, folder: Path) -> dict[str, Any]:
    """Plays what was trained alone against a table full of uniform play."""
    result = folder / "result.json"
    command = ["followsuit", "evaluate", "fearless", "--players", "4", "--rounds", "1", "--deals", str(DEALS)]
    command += ["--policies", f"{recipe.stem}:act,uniform", "--json", str(result)]
    seconds = timed(call, library, command, folder, {"PYTHONPATH": str(recipe.parent)})
    trained = json.loads(result.read_text("utf-8"))["contestants"][0]
    low, high = trained["margin_ci"]
    return {"evaluate_s": seconds, "margin": round(trained["margin"], 3), "half": round((high - low) / 2, 3)}


def call(library: str, command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Runs a command of the library's environment in a folder; what it printed. ValueError where it fails."""
    program, *arguments = command
    done = subprocess.run(
        [home(library) / "bin" / program, *arguments], cwd=folder, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=os.environ | SETTINGS | environment,
    )  # fmt: skip
    if done.returncode:
        raise ValueError(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def home(library: str) -> Path:
    """The library's environment."""
    return ROOT / ".plugins" / library


def tests_of(library: str) -> Path:
    """Tests of what we add for the library, where there are any."""
    return PLUGINS / f"test_{library}.py"


def install(library: str) -> None:
    """Makes the library's environment as its constraints say, unless it is there."""
    constraints = PLUGINS / f"{library}.txt"
    sources = constraints.read_bytes() + (ROOT / "pyproject.toml").read_bytes()
    stamp, made_of = home(library) / "made_of", hashlib.sha256(sources).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == made_of:
        return
    pip(library, LIBRARIES[library], "-c", str(constraints))
    stamp.write_text(made_of, "utf-8")


def pin(library: str) -> None:
    """Installs the tested release with the newest of everything else, and writes the library's constraints."""
    pip(library, LIBRARIES[library], TORCH, "--upgrade", "--upgrade-strategy", "eager")
    frozen = subprocess.run(
        [home(library) / "bin" / "python", "-m", "pip", "freeze", "--exclude-editable"],
        check=True, text=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    head = f"# Made by `python tests/plugins/run_recipes.py {library} --pin`: the releases last tested together.\n"
    pins = re.sub(r"\+\w+$", "", frozen.stdout, flags=re.MULTILINE)  # torch==2.13.0+cpu
    (PLUGINS / f"{library}.txt").write_text(head + pins, "utf-8")


def pip(library: str, *requirements: str) -> None:
    """Installs followsuit with the library's extra in a fresh environment."""
    venv.create(home(library), clear=True, with_pip=True)
    own = f"{ROOT}[{'train' if library == 'pytorch' else library},app]"
    command = [home(library) / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    tests = ["pytest", "hypothesis"] if tests_of(library).exists() else []
    subprocess.run([*command, "-e", own, *requirements, *tests], check=True)


def timed(function: Any, *arguments: Any) -> float:
    """Calls it; the seconds that took."""
    start = time.perf_counter()
    function(*arguments)
    return round(time.perf_counter() - start, 1)


def code_lines(source: str) -> int:
    """Lines of code: neither blank nor a comment nor of a docstring."""
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            docstrings |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in layout:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as text, failures below."""
    columns = [name for name in COLUMNS[:-1] if any(name in row for row in rows)]
    cells = [columns, *([str(row.get(name, "–")) for name in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join(lines + [f"FAILED {row['library']}: {row['failure']}" for row in rows if "failure" in row])


if __name__ == "__main__":
    sys.exit(main())
