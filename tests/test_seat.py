"""One seat of a game, at one table and at many: Gymnasium's own test, and that every door leads to the same game."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from followsuit.envs import GAMES, illegal
from followsuit.envs.errors import InputError
from followsuit.envs.scores import margins, win_rewards
from followsuit.envs.seat import many_seats, one_seat
from followsuit.envs.tables import load_game
from followsuit.policies import policy
from gymnasium.utils.env_checker import check_env
from helpers import TABLES, choose, every_game, every_table, make_env

FORMS = ["box", "dict", ("obs", "mask")]


def three_seats(game, *arguments, **keywords):
    return many_seats(game, 3, *arguments, **keywords)


both = pytest.mark.parametrize("view", [one_seat, three_seats])


def think(observation, mask):
    """A player whose choice depends on all it is shown, and on nothing else."""
    legal = np.flatnonzero(mask)
    return int(legal[(int(observation.astype(int) @ np.arange(len(observation))) + len(legal)) % len(legal)])


def last_of(mask):
    return int(np.flatnonzero(mask)[-1])


def aec_story(game, players, seat, seed, **keywords):
    """What `seat` sees, does and earns in a game of PettingZoo's in which all play as `think` does."""
    env = make_env(game, players, **keywords)
    env.reset(seed=seed)
    story, rewards = [], []
    while not env.terminations[env.agent_selection]:
        agent = env.agent_selection
        seen = env.observe(agent)
        action = think(seen["observation"], seen["action_mask"])
        if agent == env.possible_agents[seat]:
            story.append((seen["observation"].tolist(), seen["action_mask"].tolist(), action))
            rewards.append(0.0)
        env.step(action)
        if rewards:
            rewards[-1] += env.rewards[env.possible_agents[seat]]
    last = env.observe(env.possible_agents[seat])["observation"].tolist()
    return story, rewards, last, env.tables.totals()[0]


@pytest.mark.parametrize("reward", ["points", "win"])
@every_table
def test_every_door_leads_to_the_same_game(game, players, reward):
    """The AEC environment, one seat, and table 0 of many."""
    for seat in range(players):
        told = {"players": players, "rounds": 2, "reward": reward}
        expected, earned, last, totals = aec_story(game, players, seat, 11, rounds=2, reward=reward)
        sign = load_game(game).POINTS_SIGN
        whole = margins(totals, sign) if reward == "points" else win_rewards(totals, sign)
        assert sum(earned) == pytest.approx(whole[seat])

        env = one_seat(game, think, seat, observation="dict", **told)
        story, rewards, over = [], [], False
        seen, _ = env.reset(seed=11)
        while not over:
            mask = seen["action_mask"]
            assert env.action_masks().tolist() == mask.tolist()
            story.append((seen["observation"].tolist(), mask.tolist(), think(*seen.values())))
            seen, gained, over, truncated, info = env.step(story[-1][2])
            assert (type(gained), type(over), truncated, info) == (float, bool, False, {})
            rewards.append(gained)
        assert story == expected
        assert rewards == pytest.approx(earned)
        assert seen["observation"].tolist() == last
        assert not seen["action_mask"].any()

        env = many_seats(game, 3, think, seat, observation="dict", **told)
        story, rewards, over = [], [], [False]
        seen, infos = env.reset(seed=11)
        while not over[0]:
            actions = [think(*both) for both in zip(*seen.values(), strict=True)]
            story.append((seen["observation"][0].tolist(), seen["action_mask"][0].tolist(), actions[0]))
            seen, gained, over, truncated, infos = env.step(actions)
            assert not truncated.any()
            rewards.append(gained[0])
        assert story == expected
        assert rewards == pytest.approx(earned)
        assert infos["final_obs"][0]["observation"].tolist() == last


@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes")
@pytest.mark.parametrize("form", FORMS)
@every_table
def test_gymnasium_check_env(game, players, form):
    check_env(one_seat(game, players=players, observation=form, mask_in_info=True))


@every_game
def test_registered(game):
    name = "followsuit/" + GAMES[game].replace("_", "-").capitalize()
    env = gymnasium.make(name, rounds=1, opponents="heuristic")
    env.reset(seed=1)
    assert env.unwrapped.card_game.record()["game"] == game
    check_env(gymnasium.make(name).unwrapped)
    if hasattr(gymnasium.vector, "AutoresetMode"):
        env: Any = gymnasium.make_vec(name, num_envs=4, vectorization_mode="vector_entry_point", rounds=1)
        assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
        assert env.reset(seed=1)[0].shape == (4, *env.single_observation_space.shape)
        assert env.spec.id == name


@pytest.mark.parametrize("form", FORMS)
@every_game
def test_forms_of_observation(game, form):
    one, many = one_seat(game, observation=form), many_seats(game, 3, observation=form)
    first, firsts = one.reset(seed=1)[0], many.reset(seed=1)[0]
    assert one.observation_space == many.single_observation_space
    assert one.observation_space.contains(first)
    assert many.observation_space.contains(firsts)
    if form == "box":
        assert first.tolist() == firsts[0].tolist()
    else:
        assert list(first) == list(firsts) == (["observation", "action_mask"] if form == "dict" else ["obs", "mask"])
        assert list(first.values())[1].tolist() == many.action_masks()[0].tolist()


@every_game
def test_masks_are_in_infos_on_request(game):
    one, many = one_seat(game, rounds=1, mask_in_info=True), many_seats(game, 3, rounds=1, mask_in_info=True)
    _, info = one.reset(seed=2)
    _, infos = many.reset(seed=2)
    over, ended = False, np.zeros(3, bool)
    while not over or not ended.any():
        assert infos["action_mask"].tolist() == many.action_masks().tolist()
        assert infos["_action_mask"].all()
        _, _, ended, _, infos = many.step([last_of(mask) for mask in infos["action_mask"]])
        if not over:
            assert info["action_mask"].tolist() == one.action_masks().tolist()
            _, _, over, _, info = one.step(last_of(info["action_mask"]))
    assert not info["action_mask"].any()
    assert not infos["final_info"]["action_mask"][ended].any()
    assert many_seats(game, 3).reset()[1] == one_seat(game).reset()[1] == {}


@every_table
def test_a_seat_sees_what_it_knows_and_no_more(game, players):
    """At every table, on its turn; arrays handed over are the caller's."""
    env = many_seats(game, 20, players=players, rounds=1, observation="dict")
    seen, _ = env.reset(seed=3)
    random, seats = np.random.default_rng(3), set()
    for _ in range(60):
        assert (env.tables.seat == env.seat).all()
        assert seen["observation"].tolist() == env.tables.observe(env.seat).tolist()
        assert seen["action_mask"].tolist() == env.tables.mask.tolist()
        seats |= set(env.seat.tolist())
        actions = choose(seen["action_mask"], random.integers(2**31, size=20))
        seen["observation"][:] = seen["action_mask"][:] = env.action_masks()[:] = 55
        seen = env.step(actions)[0]
    assert seats == set(range(players))


@every_table
def test_rewards_of_an_episode_are_its_margin(game, players):
    env, totals = many_seats(game, 16, "heuristic", players=players, rounds=1), []
    renew = env.tables.renew

    def renew_and_tell(rows):
        totals.extend(zip(rows, env.tables.totals()[rows], env.seat[rows], strict=True))
        renew(rows)

    env.tables.renew = renew_and_tell
    env.reset(seed=4)
    totals.clear()
    random, paid, episodes = np.random.default_rng(4), np.zeros(16), 0
    while episodes < 40:
        totals.clear()
        _, rewards, over, _, infos = env.step(choose(env.action_masks(), random.integers(2**31, size=16)))
        paid += rewards
        assert over.any() == ("final_obs" in infos)
        assert [row for row, *_ in totals[: over.sum()]] == np.flatnonzero(over).tolist()
        for row, total, seat in totals[: over.sum()]:
            assert paid[row] == pytest.approx(margins(total, env.tables.game.POINTS_SIGN)[seat])
            assert infos["_final_obs"][row]
            assert infos["final_obs"][row].dtype == np.int8
            paid[row] = 0
            episodes += 1


@every_game
def test_a_table_depends_on_seed_and_number_alone(game):
    stories = []
    for tables in (2, 5):
        env, random = many_seats(game, tables, ["uniform", "heuristic"], rounds=1), np.random.default_rng(5)
        story = [env.reset(seed=5)[0][:2]]
        for _ in range(60):
            masks, numbers = env.action_masks(), random.integers(2**31, size=5)
            observation, rewards, over, _, _ = env.step(choose(masks, numbers[:tables]))
            story += [observation[:2], rewards[:2], over[:2], env.seat[:2]]
        stories.append([array.tolist() for array in story])
    assert stories[0] == stories[1]


@both
@every_game
def test_seeds(view, game):
    """The same seed, the same games; without one others, in an order that the last seed decides."""
    env, other, unseeded = (view(game, rounds=1) for _ in range(3))
    first = env.reset(seed=6)[0]
    assert (first == other.reset(seed=6)[0]).all()
    second = env.reset()[0]
    assert (second == other.reset()[0]).all()
    assert (second != first).any()
    assert (env.reset(seed=6)[0] == first).all()
    assert (unseeded.reset()[0] != first).any()


@both
@every_table
def test_an_illegal_action_ends_the_episode(view, game, players, tmp_path, monkeypatch):
    monkeypatch.setenv(illegal.VARIABLE, str(tmp_path / "illegal.txt"))
    env = view(game, players=players, seat=1)
    many = isinstance(env, gymnasium.vector.VectorEnv)
    for wrong in (-1, len(env.unwrapped.action_masks()[-1:].ravel()), None):
        env.reset(seed=7)
        mask = env.action_masks()[0] if many else env.action_masks()
        action = int(np.flatnonzero(mask == 0)[0]) if wrong is None else -1 if wrong == -1 else len(mask)
        if many:
            others = [last_of(mask) for mask in env.action_masks()[1:]]
            before = env.tables.states[0].copy()
            _, reward, over, truncated, infos = env.step([action, *others])
            assert (reward[0], over.tolist(), truncated.any()) == (-1.0, [True, False, False], False)
            assert infos["_final_obs"].tolist() == [True, False, False]
            assert env.tables.states[0] != before
            assert env.action_masks()[0].any()
        else:
            _, reward, over, truncated, _ = env.step(action)
            assert (reward, over, truncated) == (-1.0, True, False)
            assert not env.action_masks().any()
            with pytest.raises(InputError, match=r"call reset\(\)"):
                env.step(0)
        told = (tmp_path / "illegal.txt").read_text().splitlines()[-1].split(" ", 1)[1]
        assert told == f"{game} 1 {action}"
    assert len((tmp_path / "illegal.txt").read_text().splitlines()) == 3


def test_illegal_actions_cannot_be_told_where_nothing_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv(illegal.VARIABLE, str(tmp_path / "nowhere" / "file"))
    env = one_seat("fearless")
    env.reset(seed=1)
    with pytest.raises(InputError, match=r"nowhere.file: No such file or directory; name a file"):
        env.step(-1)


class Recorder:
    """Plays the first legal action and knows where it sat."""

    def __init__(self):
        self.seats = []

    def act(self, tables, rows, random):
        self.seats += tables.seat[rows].tolist()
        return tables.mask[rows].argmax(1)


@both
@every_table
def test_who_sits_where(view, game, players):
    places = {place: Recorder() for place in range(1, players)}
    env = view(game, places, seat=1, players=players)
    play_episodes(env, 30)
    for place, recorder in places.items():
        assert set(recorder.seats) == {(1 + place) % players}


@both
@every_game
def test_opponents_are_drawn_for_each_episode(view, game):
    one, other = Recorder(), Recorder()
    env = view(game, [one, other], seat=0, rounds=1)
    play_episodes(env, 200)
    everyone = set(range(1, env.unwrapped._seating.tables.players))
    assert set(one.seats) == set(other.seats) == everyone


@both
@every_game
def test_opponents_of_every_kind(view, game):
    for opponent in ("uniform", "heuristic", policy("heuristic", load_game(game)), think):
        env = view(game, opponent, rounds=1)
        play_episodes(env, 20)


@both
def test_a_checkpoint_is_an_opponent(view, tmp_path):
    pytest.importorskip("torch")
    from followsuit.policies.checkpoint import save_checkpoint
    from followsuit.policies.network import ActorCritic, Shape

    game = load_game("cupid")
    save_checkpoint(tmp_path / "some.safetensors", game, ActorCritic(game, Shape(8, 1, "state", 8)), {})
    play_episodes(view("cupid", tmp_path / "some.safetensors"), 10)
    play_episodes(view("cupid", ["uniform", str(tmp_path / "some.safetensors")]), 10)
    with pytest.raises(InputError, match="plays cupid, not fool"):
        view("fool", tmp_path / "some.safetensors")


@both
@every_game
def test_opponents_are_replaced_in_the_middle_of_a_game(view, game):
    before, after = Recorder(), Recorder()
    env = view(game, before, seat=0)
    play_episodes(env, 3)
    seen = len(before.seats)
    env.set_opponents(after)
    step(env)
    step(env)
    assert len(before.seats) == seen
    assert after.seats
    with pytest.raises(InputError, match="did you mean 'uniform'"):
        env.set_opponents("unifrom")


def step(env):
    if isinstance(env, gymnasium.vector.VectorEnv):
        return env.step([last_of(mask) for mask in env.action_masks()])
    return env.step(last_of(env.action_masks()))


def play_episodes(env, steps):
    many = isinstance(env, gymnasium.vector.VectorEnv)
    env.reset(seed=8)
    for _ in range(steps):
        if step(env)[2] is True and not many:
            env.reset()


@both
def test_bad_arguments_are_refused(view):
    for wrong, told in [
        ({"seat": 4}, "seat is 'random' or a number from 0 to 3, not 4"),
        ({"seat": True}, "seat is"),
        ({"opponents": "unifrom"}, "did you mean 'uniform'"),
        ({"opponents": 3}, "an opponent is a policy's name, a checkpoint, a Policy or a function, not 3"),
        ({"opponents": []}, "at least one"),
        ({"opponents": {1: "uniform"}}, "with the places 1 to 3"),
        ({"observation": "boxes"}, "did you mean 'box'"),
        ({"observation": ("a", "b", "c")}, "two keys"),
        ({"reward": "money"}, "unknown reward"),
        ({"players": 9}, "3 to 5 players, not 9"),
        ({"rounds": 0}, "rounds is"),
        ({"moonshots": 1}, "unknown option"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=told):
            view("fearless", **({"players": 4} | wrong))
    with pytest.raises(InputError, match="unknown game"):
        view("fearles")


@both
def test_bad_actions_and_opponents_are_refused(view):
    env = view("fearless")
    env.reset(seed=1)
    for wrong in (None, 1.0, "1", [[1]]):
        with pytest.raises((TypeError, InputError), match="integer"):
            env.step([wrong] * 3 if isinstance(env, gymnasium.vector.VectorEnv) else wrong)
    for wrong, told in ((lambda *_: 0.5, "gave 0.5, not an action"), (lambda *_: -1, "illegal")):
        with pytest.raises(InputError, match=told):
            play_episodes(view("fearless", wrong), 3)


@every_table
def test_a_seat_that_would_not_act_is_dealt_anew(game, players):
    """Every episode begins with a decision of the seat, whoever starts and however soon the game ends."""
    env = many_seats(game, 50, players=players, rounds=1, seat=players - 1)
    env.reset(seed=9)
    for _ in range(40):
        assert env.action_masks().any(1).all()
        assert not env.tables.game_over.any()
        env.step([last_of(mask) for mask in env.action_masks()])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@every_game
def test_copies_go_on_identically(game, copied):
    env = one_seat(game, rounds=1)
    env.reset(seed=10)
    step(env)
    other = copied(env)
    for _ in range(30):
        assert env.action_masks().tolist() == other.action_masks().tolist()
        mine, theirs = step(env), step(other)
        assert mine[0].tolist() == theirs[0].tolist()
        assert mine[1:3] == theirs[1:3]
        if mine[2]:
            assert env.reset()[0].tolist() == other.reset()[0].tolist()


@every_game
def test_a_record_sets_up_its_deals(game):
    players = next(players for name, players in TABLES if name == game)
    table = make_env(game, players, rounds=1)
    table.reset(seed=12)
    env = one_seat(game, seat=0, players=players, rounds=1, render_mode="ansi")
    env.reset(seed=13, options={"record": table.record()})
    assert env.card_game.record()["rounds"][0]["deal"] == table.record()["rounds"][0]["deal"]
    assert env.render().startswith(load_game(game).TITLE)
