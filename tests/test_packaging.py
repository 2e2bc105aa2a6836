"""What is shipped, and what is written about it: the wheel, the README, the docs."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from followsuit.envs import GAMES
from followsuit.envs.tables import load_game, table_sizes

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ROOMS = sorted(
    path.parent.relative_to(ROOT)
    for path in ROOT.rglob("__init__.py")
    if not {".venv", ".types", ".plugins", "build"} & set(path.relative_to(ROOT).parts)
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for room in ROOMS:
        shutil.copytree(ROOT / room, source / room, dirs_exist_ok=True, ignore=_only_files)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", built, source]
    subprocess.run(pip, check=True)
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        archive.extractall(built / "site")
    return built / "site"


def _only_files(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_dir() or name.endswith(".pyc")]


def test_wheel_holds_every_module_and_no_tests(wheel: Path) -> None:
    expected = {(room / path.name).as_posix() for room in ROOMS for path in (ROOT / room).glob("*.py")}
    expected |= {"py.typed"} | {f"configs/{path.name}" for path in (ROOT / "configs").glob("*.toml")}
    package = wheel / "followsuit"
    assert {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()} == expected
    assert {path.name.partition("-")[0] for path in wheel.iterdir()} == {"followsuit"}


def test_environments_work_without_the_extras(wheel: Path) -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'safetensors', 'tensorboard', 'rich', 'openskill', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        f"sys.path.insert(0, {str(wheel)!r})\n"
        "import followsuit, followsuit.app.main\n"
        f"assert followsuit.__file__.startswith({str(wheel)!r})\n"
        "from importlib import import_module\n"
        "from followsuit.envs import GAMES\n"
        "for module in GAMES.values():\n"
        "    env = import_module('followsuit.envs.' + module).env()\n"
        "    env.reset(seed=0)\n"
        "    assert env.last()[0]['action_mask'].any()\n"
        "try: followsuit.app.main.main(['--help'])\n"
        "except SystemExit as end: sys.exit(end.code)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=wheel, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("number", range(README.count("```python")))
def test_readme_example_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[number]
    assert len(code.splitlines()) <= 15
    exec(code, {})
    assert capsys.readouterr().err == ""


def test_readme_lists_the_games() -> None:
    rows = re.findall(r"^\| \[(.+?)\]\((.+?)\) \| (.+?) \| (.+?) \| `(.+?)` \|", README, re.MULTILINE)
    games = [load_game(name) for name in GAMES]
    expected = [
        (game.TITLE, f"docs/rules/{game.NAME}.md", table_sizes(game), game.DESIGNER, GAMES[game.NAME]) for game in games
    ]
    assert rows == expected


def test_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for link in re.findall(r"\]\((?!http)(.+?)\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_commands_of_the_readme_exist() -> None:
    from followsuit.app.main import COMMANDS

    told = re.findall(r"^followsuit (\w+)", README, re.MULTILINE)
    assert set(told) == set(COMMANDS)


def test_pins_cover_what_is_asked_for() -> None:
    """`make` installs what constraints.txt says, so each requirement must be pinned there."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {line.partition("==")[0].lower() for line in lines if "==" in line and not line.startswith("#")}
    extras = PROJECT["project"]["optional-dependencies"]
    asked = [*PROJECT["project"]["dependencies"], *extras["train"], *extras["app"], *extras["report"], *extras["test"]]
    names = {re.split(r"[>=<\[;]", requirement)[0].strip().lower().replace("-", "_") for requirement in asked}
    assert names <= {name.replace("-", "_") for name in pinned}
