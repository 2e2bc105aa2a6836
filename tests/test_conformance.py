"""What every game must come with, and keep at every table size, beyond what the other tests of all games hold it to."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from followsuit.envs import GAMES, render
from followsuit.envs.errors import InputError
from followsuit.envs.kernels import compile_game
from followsuit.envs.rules.contract import total_size
from followsuit.envs.tables import Tables, load_game
from helpers import choose, every_game, every_table, make_env

ROOT = Path(__file__).parent.parent
GARBAGE = (77, -99)


@every_game
def test_nothing_is_missing(game):
    module = load_game(game)
    files = [
        f"envs/{GAMES[game]}.py",
        f"configs/{game}.toml",
        f"policies/beliefs/{game}.py",
        f"policies/heuristics/{game}.py",
        f"docs/rules/{game}.md",
        f"docs/games/{game}.md",
        f"docs/games/{game}.png",
        *(f"tests/golden/{game}_{players}.jsonl" for players in module.PLAYERS),
    ]
    missing = [file for file in files if not (ROOT / file).exists()]
    for page, words in (("README.md", f"| [{module.TITLE}]("), ("CHANGELOG.md", module.TITLE)):
        if words not in (ROOT / page).read_text("utf-8"):
            missing.append(f"{module.TITLE} in {page}")
    assert not missing, f"{game} lacks {', '.join(missing)}"


@every_game
def test_the_environment_tells_decisions_and_versions(game):
    document = import_module(f"followsuit.envs.{GAMES[game]}").__doc__ or ""
    assert "\n## Rule decisions\n" in document
    assert "\n## Version history\n" in document
    assert f"- {GAMES[game].removeprefix(f'{game}_')}: " in document


@every_game
def test_spaces_are_the_same_for_all_table_sizes(game):
    first, *others = (make_env(game, players) for players in load_game(game).PLAYERS)
    for other in others:
        assert other.observation_space("player_0") == first.observation_space("player_0")
        assert other.action_space("player_0") == first.action_space("player_0")
        assert other.state_space == first.state_space


@every_table
def test_actions_have_different_names_in_every_deal(game, players):
    tables = Tables(game, 50, players, observations=False)
    for state in tables.states:
        names = tables.game.action_names(state)
        assert len(names) == len(set(names)) == len(tables.game.ACTIONS)
        assert all(names)


@every_table
def test_rules_write_every_entry(game, players):
    """Whatever a buffer held before."""
    tables = Tables(game, 32, players, 1, seed=5)
    module, compiled, random = tables.game, compile_game(tables.game), np.random.default_rng(5)
    shapes = {
        "observe": (total_size(module.FEATURES),),
        "reveal": (total_size(module.HIDDEN),),
        "possible": (module.SEATS, module.CARDS),
    }
    for _ in range(120):
        for name, shape in shapes.items():
            seats = random.integers(players, size=32)
            one, other = (np.full((32, *shape), value, np.int8) for value in GARBAGE)
            for out in (one, other):
                getattr(compiled, name)(tables.states, seats, out)
            assert (one == other).all()
        one, other = (np.full((2, module.SEATS), value, np.int32) for value in GARBAGE)
        for out in (one, other):
            module.points(tables.states.view(np.recarray)[0], out)
        assert (one == other).all()
        actions = choose(tables.mask, random.integers(2**31, size=32))
        tables.mask[:] = GARBAGE[0]
        tables.step(actions)
        assert ((tables.mask == 0) | (tables.mask == 1)).all()


@every_table
def test_a_table_is_drawn_and_told_at_every_stage(game, players):
    tables = Tables(game, 1, players, 1, seed=6, observations=False, restart=False)
    random, images, steps = np.random.default_rng(6), [], 0
    while True:
        view = tables.game.view(tables.states[0])
        text = render.text(tables.game, view)
        assert text.startswith(tables.game.TITLE)
        assert all(card in text for seat in view.seats for card in (*seat.hand, seat.played or ""))
        if steps in (0, 1, players, 2 * players + 1) or tables.game_over[0]:
            images.append(render.picture(tables.game, view))
        if tables.game_over[0]:
            break
        tables.step(choose(tables.mask, random.integers(2**31, size=1)))
        steps += 1
    assert all(image.dtype == np.uint8 and image.shape == images[0].shape for image in images)
    assert len({image.tobytes() for image in images}) == len(images)


OPTIONS = [(game, option) for game in GAMES for option in load_game(game).OPTIONS]


@pytest.mark.parametrize("wrong", ["nonsense", -1, 0.5, (), {"nonsense": 1}])
@pytest.mark.parametrize(("game", "name"), OPTIONS)
def test_wrong_options_are_refused_with_what_is_right(game, name, wrong):
    option = load_game(game).OPTIONS[name]
    with pytest.raises(InputError) as refusal:
        Tables(game, 1, **{name: wrong})
    told = str(refusal.value)
    assert told.startswith(f"{game}: {name} is ")
    assert repr(wrong) in told
    assert "\n" not in told
    if option.allowed is not None:
        assert str(option.allowed[0]) in told
        assert str(option.allowed[-1]) in told


@pytest.mark.parametrize(("game", "name"), OPTIONS)
def test_a_misspelt_option_is_refused_with_the_nearest(game, name):
    with pytest.raises(InputError, match=f"did you mean '{name}'"):
        Tables(game, 1, **{name + "s": 1})
