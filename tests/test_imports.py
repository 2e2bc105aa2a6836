"""What an import costs: the environments load without what only training and the terminal need."""

import subprocess
import sys
from importlib import import_module

import followsuit
import followsuit.envs as envs
import pytest
from followsuit.app.main import main
from followsuit.envs.errors import InputError
from helpers import GAMES


def loaded_by(statement):
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_itself_imports_nothing():
    ours = {name for name in loaded_by("import followsuit") if name.startswith("followsuit")}
    assert {name for name in ours if "finder" not in name} == {"followsuit"}
    assert "numpy" not in loaded_by("import followsuit")
    assert followsuit.__doc__


def test_the_environments_need_no_extras():
    modules = loaded_by(f"import followsuit.envs; from followsuit.envs import Tables, {', '.join(GAMES.values())}")
    assert not modules & {"torch", "rich", "PIL", "safetensors", "tensorboard", "openskill", "matplotlib"}
    assert "followsuit.training" not in modules


def test_a_library_that_is_missing_is_named():
    modules = loaded_by("import followsuit.envs.seat, followsuit.envs.fearless_v0, followsuit.envs.parallel")
    assert not modules & {"stable_baselines3", "torch"}
    code = "import sys; sys.modules['stable_baselines3'] = None; import followsuit.envs.sb3"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "InputError: this needs stable_baselines3" in done.stderr
    assert "pip install 'followsuit[sb3]'" in done.stderr


def test_without_ray_it_says_how_to_install_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "followsuit.training.cluster", raising=False)
    command = ["evaluate", "fearless", "--players", "4", "--policies", "uniform", "--deals", "2", "--ray"]
    assert main(command) == 2
    assert capsys.readouterr().err == "followsuit: this needs ray: pip install 'followsuit[ray]'\n"


def test_what_envs_exports():
    assert set(envs.__all__) == {"GAMES", "Tables", "load_game", *GAMES.values()}
    for name in envs.__all__:
        assert getattr(envs, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'hearts_v0'"):
        envs.hearts_v0  # noqa: B018


@pytest.mark.parametrize("module", ["envs.openspiel", "policies.openspiel"])
def test_without_openspiel_it_says_how_to_install_it(module, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, f"followsuit.{module}", raising=False)
    with pytest.raises(InputError, match=r"needs \w+: pip install 'followsuit\[openspiel\]'"):
        import_module(f"followsuit.{module}")
