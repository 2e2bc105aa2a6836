"""Our games as OpenSpiel's own, and its agents on our environments; run where OpenSpiel is installed."""
# pyright: reportMissingImports=false

from math import log

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.scores import margins
from followsuit.envs.tables import Tables, load_game
from helpers import choose, every_game, every_table, make_env

pyspiel = pytest.importorskip("pyspiel")
pytest.importorskip("tree")

import followsuit.policies.openspiel  # noqa: E402, F401 (registers the games)
from absl import flags  # noqa: E402
from followsuit.envs.openspiel import Environment  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts  # noqa: E402
from open_spiel.python.pytorch import dqn  # noqa: E402


def load(game, players, rounds=1, **params):
    return pyspiel.load_game(f"followsuit_{game}", {"players": players, "rounds": rounds, **params})


def step_at_random(state, random):
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(random.choice(outcomes, p=chances)))
    else:
        state.apply_action(int(random.choice(state.legal_actions())))


def decisions(game, random):
    """Every decision of a game of random play, as one and the same state."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if not state.is_chance_node():
            yield state
        step_at_random(state, random)


def seen(state):
    """All that a state shows."""
    return (
        str(state), state.current_player(), state.legal_actions(), state.returns(), state.history(),
        [state.information_state_string(seat) for seat in range(state.num_players())],
    )  # fmt: skip


def lay_out(state, cards):
    """Applies the chance outcomes that deal these cards."""
    while state.is_chance_node():
        state.apply_action(int(cards[state.count]))


@every_table
@pytest.mark.parametrize("reward", ["points", "win"])
def test_openspiels_own_test_passes(game, players, reward):
    pyspiel.random_sim_test(load(game, players, reward=reward), num_sims=1, serialize=True, verbose=False)


@every_table
def test_it_is_the_same_game(game, players):
    """The same deals and decisions as at our tables, over two rounds."""
    tables, random = Tables(game, 1, players, 2, seed=1, restart=False), np.random.default_rng(1)
    state = load(game, players, 2).new_initial_state()
    state.apply_action(int(tables.states["starter"][0]))
    while not tables.game_over[0]:
        lay_out(state, tables.cards[0])
        assert state.current_player() == tables.seat[0]
        assert (state.legal_actions_mask() == tables.mask[0]).all()
        for seat in range(players):
            expected = tables.observe([seat])[0]
            assert (np.array(state.information_state_tensor(seat)) == expected).all()
            assert (np.array(state.observation_tensor(seat)) == expected).all()
        action = choose(tables.mask, random.integers(2**31, size=1))
        assert state.action_to_string(int(action[0])) == tables.game.action_names(tables.states[0])[action[0]]
        tables.step(action)
        state.apply_action(int(action[0]))
        expected = margins(tables.totals()[0], tables.game.POINTS_SIGN) * tables.game_over[0]
        assert state.rewards() == state.returns() == pytest.approx(expected)
    assert state.is_terminal()
    assert sum(state.returns()) == pytest.approx(0)


@every_table
def test_every_deal_is_equally_likely(game, players):
    """So is every seat to start; what has no alternative is no outcome of chance."""
    random, state = np.random.default_rng(2), load(game, players).new_initial_state()
    chance = 0.0
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        assert len(outcomes) > 1
        assert sum(probability for _, probability in outcomes) == pytest.approx(1)
        before = dict(outcomes)
        step_at_random(state, random)
        chance += log(before[state.history()[-1]])
    ways = log(players)  # of deals: arrangements of each pile, cards of a kind being alike
    for pile in load_game(game).piles(state.table.view(np.recarray)[0]):
        counts = np.bincount(pile)
        ways += sum(map(log, range(1, len(pile) + 1))) - sum(log(k) for n in counts for k in range(1, n + 1))
    assert chance == pytest.approx(-ways)


@every_table
def test_a_clone_goes_its_own_way(game, players):
    random, twin = np.random.default_rng(3), np.random.default_rng(4)
    for number, state in enumerate(decisions(load(game, players), random)):
        if number % 7 == 0:
            before, clone = seen(state), state.clone()
            assert seen(clone) == before
            while not clone.is_terminal():
                step_at_random(clone, twin)
            assert seen(state) == before


@every_table
def test_a_resampled_state_is_a_world_of_its_seat(game, players):
    random, changed = np.random.default_rng(5), False
    for number, state in enumerate(decisions(load(game, players), random)):
        if number % 5:
            continue
        for seat in (state.current_player(), (state.current_player() + 1) % players):
            world = state.resample_from_infostate(seat, random.random)
            assert world.information_state_string(seat) == state.information_state_string(seat)
            assert world.information_state_tensor(seat) == state.information_state_tensor(seat)
            assert world.current_player() == state.current_player()
            assert world.history() == []  # which would tell the true deal
            changed |= str(world) != str(state)
            # Whichever of the two is true, chance draws the same.
            again, other = (one.resample_from_infostate(seat, lambda: 0.5) for one in (state, world))
            assert seen(again) == seen(other)
            if seat == state.current_player():
                assert world.legal_actions() == state.legal_actions()
                action, true = state.legal_actions()[-1], state.clone()
                true.apply_action(action)
                world.apply_action(action)
            while not world.is_terminal():
                step_at_random(world, random)
    assert changed


@every_table
def test_a_seat_recalls_everything(game, players):
    """None of its information states comes twice in two rounds."""
    states = decisions(load(game, players, 2), np.random.default_rng(6))
    told = [[state.information_state_string(seat) for seat in range(players)] for state in states]
    for strings in zip(*told, strict=True):
        digests = [string.rpartition(" past=")[2] for string in strings]
        assert len(set(digests)) == len(digests)


def test_while_cards_are_drawn_a_world_begins_the_deal_anew():
    random, state = np.random.default_rng(7), load("cupid", 2, 2).new_initial_state()
    for _ in range(5):
        step_at_random(state, random)
    assert state.resample_from_infostate(0, random.random).count == 0
    while state.table["rounds_played"][0] == 0:
        step_at_random(state, random)
    step_at_random(state, random)
    world = state.resample_from_infostate(0, random.random)
    assert (world.count, world.table["total"].tolist()) == (0, state.table["total"].tolist())
    while not world.is_terminal():
        step_at_random(world, random)


@every_game
def test_a_playthrough_can_be_repeated(game, tmp_path):
    flags.FLAGS.mark_as_parsed()  # of the command line, as the generator's own program has it
    players = min(load_game(game).PLAYERS)
    lines = generate_playthrough.playthrough(f"followsuit_{game}(players={players},rounds=1)", None, seed=1)
    path = tmp_path / "playthrough.txt"
    path.write_text(lines, "utf-8")
    original, repeated = generate_playthrough.replay(str(path))
    assert original == repeated
    assert "ChanceOutcomes()" in lines


def test_its_search_beats_uniform_play():
    """Information set MCTS of OpenSpiel at CUPID, each deal with both seats."""
    game, margins = load("cupid", 2), []
    search = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), 20.0, 25, random_state=np.random.RandomState(2)
    )
    for number in range(40):
        random = np.random.default_rng(number // 2)  # of the deal
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == number % 2:
                state.apply_action(int(search.step(state)))
            else:
                step_at_random(state, random)
        margins.append(state.returns()[number % 2])
    by_deal = np.reshape(margins, (-1, 2)).mean(1)
    assert by_deal.mean() > 3 * by_deal.std(ddof=1) / len(by_deal) ** 0.5


@every_table
def test_time_steps_are_those_of_rl_environment(game, players):
    random = np.random.default_rng(8)
    env = Environment(make_env(game, players, rounds=1), seed=1)
    original = rl_environment.Environment(load(game, players))
    for name in ("num_players", "is_turn_based", "num_actions_per_step"):
        assert getattr(env, name) == getattr(original, name)
    assert (env.action_spec(), env.observation_spec()) == (original.action_spec(), original.observation_spec())
    public = {name for name in vars(rl_environment.Environment) if not name.startswith("_")}
    of_states = {"set_state", "get_state", "max_game_length", "use_observation"}
    assert {name for name in public if not hasattr(env, name)} == of_states | {n for n in public if "mfg" in n}
    given, expected = env.reset(), original.reset()
    for _ in range(2):
        assert (given.step_type, given.discounts) == (expected.step_type, expected.discounts)
        assert (given.rewards is None) == (expected.rewards is None)
        assert given.observations.keys() == expected.observations.keys()
        assert np.shape(given.observations["info_state"]) == np.shape(expected.observations["info_state"])
        for step in (given, expected):
            able = [bool(legal) for legal in step.observations["legal_actions"]]
            assert able == [seat == step.current_player() for seat in range(players)]
        given, expected = (
            one.step([legal_at_random(step, random)]) for one, step in ((env, given), (original, expected))
        )


def legal_at_random(step, random):
    return int(random.choice(step.observations["legal_actions"][step.current_player()]))


@every_table
@pytest.mark.parametrize("reward", ["points", "win"])
def test_a_seat_is_paid_for_all_since_its_last_action(game, players, reward):
    random = np.random.default_rng(9)
    env = Environment(make_env(game, players, rounds=2, reward=reward), seed=2)
    paid, step = np.zeros(players), env.reset()
    while not step.last():
        step = env.step([legal_at_random(step, random)])
        for seat in range(players) if step.last() else [step.current_player()]:  # an agent looks when it is to act
            paid[seat] += step.rewards[seat]
    assert step.current_player() == pyspiel.PlayerId.TERMINAL
    assert step.discounts == [0.0] * players
    if reward == "points":
        assert paid == pytest.approx(margins(env.game.tables.totals()[0], env.game.game.POINTS_SIGN))
    assert sum(paid) == pytest.approx(0)
    assert any(paid)


def test_its_agents_train_on_our_environment():
    env = Environment(make_env("fearless", 3, rounds=1), seed=3)
    shape, actions = env.observation_spec()["info_state"], env.action_spec()["num_actions"]
    agents = [dqn.DQN(n, shape[0], actions, [32], min_buffer_size_to_learn=64, batch_size=16) for n in range(3)]
    for _ in range(20):
        step, decided = env.reset(), 0
        while not step.last():
            step, decided = env.step([agents[step.current_player()].step(step).action]), decided + 1
        for agent in agents:
            agent.step(step)
        assert decided == 39  # an illegal action would have ended the game before its last card
    assert all(agent.loss is not None for agent in agents)


def test_what_is_wrong_is_said():
    env = make_env("fearless", 4)
    with pytest.raises(InputError, match="discount is a number from 0 to 1, not 2"):
        Environment(env, discount=2)
    with pytest.raises(InputError, match="a list of one action, not 4"):
        Environment(env).step([0, 0, 0, 0])
    for params, message in (
        ({"players": 9}, "fool is for 4 to 8 players, not 9"),
        ({"reward": "chips"}, "unknown reward 'chips'"),
        ({"end10": "all"}, "end10 is one of"),
        ({"deck": "many"}, "deck is JSON with ; for each comma, not 'many'"),
    ):
        with pytest.raises(InputError, match=message):
            pyspiel.load_game("followsuit_fool", params)
    with pytest.raises(InputError, match="an observer has no parameters"):
        load("cupid", 2).make_py_observer(None, {"hands": True})
    state = load("cupid", 2).new_initial_state()
    for _ in range(30):
        with pytest.raises(InputError, match="illegal action 50; legal: "):
            state.apply_action(50)
        step_at_random(state, np.random.default_rng(1))


def test_options_reach_the_rules():
    deck = '{"G": 17; "R": 13; "Y": 11; "B": 9; "1": 2}'
    game = load("fool", 4, deck=deck)
    state = game.new_initial_state()
    again, _ = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(game)
    while state.is_chance_node():
        step_at_random(state, np.random.default_rng(1))
    assert Tables("fool", 1, 4, deck={"G": 17, "R": 13, "Y": 11, "B": 9, "1": 2}).states["deck"].tolist() == [
        state.table["deck"][0].tolist()
    ]
