"""The recipes for other libraries, as far as they can be checked without these: `make test-plugins` runs them."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from plugins.run_recipes import LIBRARIES, TORCH, code_lines

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def test_lines_of_code_are_counted_without_blanks_comments_and_docstrings():
    source = '"""Two\nlines."""\n\nimport os  # one\n\n# none\ndef f():\n    """None."""\n    return """a\nb"""\n'
    assert code_lines(source) == 4


def test_every_recipe_is_run():
    assert {path.stem for path in (ROOT / "docs" / "recipes").glob("*.py")} == {f"with_{name}" for name in LIBRARIES}


@pytest.mark.parametrize("library", LIBRARIES)
def test_recipe_is_short_pinned_and_written_about(library):
    recipe = (ROOT / "docs" / "recipes" / f"with_{library}.py").read_text("utf-8")
    assert code_lines(recipe) <= 30
    extra = "train" if library == "pytorch" else library
    assert extra in EXTRAS
    assert f"pip install 'followsuit[{extra},app]'" in recipe
    pins = (ROOT / "tests" / "plugins" / f"{library}.txt").read_text("utf-8").replace("_", "-").splitlines()
    name, release = LIBRARIES[library].split("==")
    assert {f"{name.partition('[')[0]}=={release}", TORCH} <= set(pins)
    assert f"recipes/with_{library}.py" in (ROOT / "docs" / "libraries.md").read_text("utf-8")


@pytest.mark.parametrize(("library", "package"), [("benchmarl", "benchmarl"), ("rllib", "ray"), ("torchrl", "torch")])
def test_an_adapter_says_how_to_install_its_library(library, package):
    code = f"import sys; sys.modules['{package}'] = None; import followsuit.envs.{library}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"InputError: this needs {package}" in done.stderr
    assert done.stderr.endswith(f": pip install 'followsuit[{library}]'\n")


def test_no_library_is_loaded_unasked():
    code = "import followsuit.envs, sys; from followsuit.envs import Tables, fearless_v0; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"ray", "torchrl", "tensordict", "torch"}
