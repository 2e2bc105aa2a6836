"""Functions of the user's own as contestants."""

import sys

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.rules.contract import total_size
from followsuit.envs.tables import Tables, load_game
from followsuit.policies import policy
from followsuit.policies.function import FunctionPolicy
from helpers import every_game

GAME = load_game("fearless")
MODULE = """
def first(observation, mask):
    return mask.argmax()

def half(observation, mask):
    return 0.5

def yes(observation, mask):
    return True

def nothing(observation, mask):
    pass

def illegal(observation, mask):
    return int(mask.argmin())

def fails(observation, mask):
    raise KeyError("two\\nlines")

NUMBER = 3

class Agent:
    def __call__(self, observation, mask):
        return int(mask.nonzero()[0][-1])

agent = Agent()
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module in the current folder, which is nowhere else to be found."""
    (tmp_path / "ours_of_a_test.py").write_text(MODULE)
    (tmp_path / "broken_of_a_test.py").write_text("1 +")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "ours_of_a_test"
    sys.modules.pop("ours_of_a_test", None)


def act(one, tables):
    return one.act(tables, np.arange(len(tables)), np.zeros(len(tables), np.uint64))


def test_a_function_is_named_by_its_module(module):
    tables = Tables(GAME, 5, 4)
    first, agent = policy(f"{module}:first", GAME), policy(f"{module}:agent", GAME)
    assert first.name == f"{module}:first"
    assert act(first, tables).dtype == np.int64
    assert (act(first, tables) == tables.mask.argmax(1)).all()
    assert (tables.mask[np.arange(5), act(agent, tables)] == 1).all()
    assert (agent.probabilities(tables, np.arange(5)).argmax(1) == act(agent, tables)).all()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("half", "gave 0.5, not an action"),
        ("yes", "gave True, not an action"),
        ("nothing", "gave None, not an action"),
        ("illegal", r"gave the illegal action \d+; legal: \["),
        ("fails", r"raised KeyError: 'two\\nlines'"),
    ],
)
def test_what_it_does_wrong_is_one_line(module, name, told):
    wrong = policy(f"{module}:{name}", GAME)
    with pytest.raises(InputError, match=f"^{module}:{name} {told}") as refusal:
        act(wrong, Tables(GAME, 1, 4))
    assert "\n" not in str(refusal.value)
    assert (refusal.value.__cause__ is not None) == (name == "fails")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no_such_module_of_a_test:first", "unknown policy .*No module named .no_such_module_of_a_test."),
        ("broken_of_a_test:first", "cannot import broken_of_a_test: SyntaxError"),
        ("ours_of_a_test:second", "has no 'second'"),
        ("ours_of_a_test:NUMBER", "is no function .* but int"),
        ("ours_of_a_test:", "has no ''"),
        (":first", "cannot import : ValueError"),
        ("..x:first", "cannot import"),
    ],
)
def test_what_cannot_be_called_is_refused(module, name, told):
    with pytest.raises(InputError, match=told) as refusal:
        policy(name, GAME)
    assert "\n" not in str(refusal.value)


@every_game
def test_it_is_given_copies(game):
    tables = Tables(game, 3)
    observation, mask = tables.observation.copy(), tables.mask.copy()

    def greedy(seen, legal):
        assert (seen.dtype, seen.shape) == (np.int8, (total_size(tables.game.FEATURES),))
        assert (legal.dtype, legal.shape) == (np.int8, (len(tables.game.ACTIONS),))
        action = legal.argmax()
        seen[:], legal[:] = 1, 1
        return action

    act(FunctionPolicy(greedy), tables)
    assert (tables.observation == observation).all()
    assert (tables.mask == mask).all()
