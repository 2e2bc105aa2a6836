"""Compiled rules: kept on disk, and never older than their sources."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import followsuit
import numpy as np
import pytest
from followsuit.envs.kernels import below, streams

PACKAGE = Path(followsuit.__file__).parent

PLAY = """
import followsuit, json
from followsuit.envs import Tables
tables = Tables("fearless", 60, 3, 1, seed=1, observations=False, restart=False)
while not tables.game_over.all():
    tables.step(tables.mask.argmax(1))
print(json.dumps([followsuit.__file__, tables.totals().ravel().tolist()]))
"""


@pytest.mark.slow
def test_an_edited_rule_takes_effect_in_a_new_process(tmp_path):
    for part in ("__init__.py", "envs"):
        source, target = PACKAGE / part, tmp_path / "followsuit" / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir()
            shutil.copy(source, target)
    rules = tmp_path / "followsuit" / "envs" / "rules" / "fearless.py"
    cache = tmp_path / "cache"

    def run():
        """The fear of all seats, and the compiled files with when they were written."""
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "FOLLOWSUIT_CACHE_DIR": str(cache)}
        command = [sys.executable, "-c", PLAY]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
        place, fear = json.loads(done.stdout)
        assert Path(place).is_relative_to(tmp_path)
        return np.array(fear), {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb*")}

    fear, compiled = run()
    in_ruin = fear == 15
    assert in_ruin.any()
    assert compiled
    again, compiled_again = run()
    assert (again == fear).all()
    assert compiled_again == compiled

    text = rules.read_text(encoding="utf-8")
    assert "RUIN_FEAR = 15" in text
    rules.write_text(text.replace("RUIN_FEAR = 15", "RUIN_FEAR = 99"), encoding="utf-8")
    edited, compiled_edited = run()
    changed = edited != fear
    assert set(edited[changed]) == {99}
    assert in_ruin[changed].all()
    assert compiled_edited.keys() > compiled.keys()

    rules.write_text(text, encoding="utf-8")
    restored, compiled_restored = run()
    assert (restored == fear).all()
    assert compiled_restored == compiled_edited


def test_random_numbers_below():
    generators = streams(7, range(1000))
    assert len(set(generators.tolist())) == 1000
    with np.errstate(over="ignore"):
        drawn = np.array([[below(generators, i, 7) for _ in range(10)] for i in range(1000)])
    counts = np.bincount(drawn.ravel(), minlength=7)
    assert len(counts) == 7
    assert ((counts - 10_000 / 7) ** 2 / (10_000 / 7)).sum() < 6 + 5 * np.sqrt(12)
    assert len({tuple(row) for row in drawn.tolist()}) == 1000
    with np.errstate(over="ignore"):
        again = streams(7, [31])
        assert [below(again, 0, 7) for _ in range(10)] == drawn[31].tolist()


def test_seeds_may_be_any_integers():
    for seed in (-1, 0, 2**63, 2**64 - 1):
        assert streams(seed, [0, -1, 2**40]).dtype == np.uint64
    assert streams(3, [0]) != streams(4, [0])
    assert streams(3, [1]) != streams(4, [0])
