"""Tables: many tables in lockstep, seeded, saved, restored; and that chance is fair."""

import copy
import pickle

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.rules.contract import decode
from followsuit.envs.tables import Tables, load_game
from followsuit.policies.base import Uniform
from helpers import choose, every_game, every_table

SHOWN = ("seat", "mask", "observation", "points", "round_over", "game_over", "cards")


def shown(tables):
    """A copy of all that tables show."""
    return {name: getattr(tables, name).copy() for name in SHOWN}


def whole(tables):
    """The same and their states, field by field (the gaps between fields are of no account)."""
    return shown(tables) | {f"state.{field}": tables.states[field].copy() for field in tables.states.dtype.names}


def same(one, other):
    return all(one[name].tobytes() == other[name].tobytes() for name in one)


def play(tables, steps, first=0):
    """What tables show at each of some steps; every table's decisions depend on its stream and the step alone."""
    for step in range(first, first + steps):
        tables.step(choose(tables.mask, tables.streams * 7919 + step * 104_729))
        yield whole(tables)


@every_table
def test_the_same_seed_gives_the_same_games_however_the_batch_is_split(game, players):
    everything = Tables(game, 9, players, 1, seed=3)
    parts = [Tables(game, len(part), players, 1, seed=3, streams=part) for part in np.split(np.arange(9), [2, 3])]
    for expected, *of_parts in zip(play(everything, 200), *(play(part, 200) for part in parts), strict=True):
        for name, array in expected.items():
            assert array.tobytes() == b"".join(part[name].tobytes() for part in of_parts)


@every_table
def test_seeds_differ_and_shared_streams_do_not(game, players):
    tables = Tables(game, 50, players, seed=3)
    assert len(np.unique(tables.cards, axis=0)) == 50
    for seed in (4, -3, 2**64 - 1, 2**40 + 3):
        assert (Tables(game, 50, players, seed=seed).cards != tables.cards).any(1).all()
    shared = Tables(game, 50, players, seed=3, streams=[7] * 50)
    assert (shared.cards == tables.cards[7]).all()
    before = shown(tables)
    tables.step(choose(tables.mask, np.arange(50)))
    tables.reset(3)
    assert same(shown(tables), before)
    tables.reset(4)
    assert not same(shown(tables), before)


@every_table
@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda tables: pickle.loads(pickle.dumps(tables)), lambda tables: restored(tables)],
    ids=["deepcopy", "pickle", "save and load"],
)
def test_copies_go_on_identically(game, players, copied):
    tables = Tables(game, 5, players, 2, seed=5)
    list(play(tables, 83))
    other = copied(tables)
    assert same(whole(other), whole(tables))
    for one, another in zip(list(play(tables, 200, 83)), play(other, 200, 83), strict=True):
        assert same(one, another)
    list(play(tables, 1))
    assert not same(whole(tables), whole(other))


def restored(tables):
    other = Tables(tables.game, len(tables), tables.players, tables.rounds, seed=99)
    list(play(other, 31))
    other.load({name: array.copy() for name, array in tables.save().items()})
    return other


@every_table
def test_what_was_saved_of_another_make_is_refused(game, players):
    tables = Tables(game, 5, players, seed=1)
    saved = tables.save()
    before = whole(tables)
    damaged = [Tables(game, 6, players).save(), {**saved, "states": saved["states"][:, 1:]}, {}]
    damaged.append({**saved, "points": saved["points"].astype(float)})
    for wrong in damaged:
        with pytest.raises(InputError, match="does not fit"):
            tables.load(wrong)
    assert same(whole(tables), before)


@every_table
def test_buffers_are_kept(game, players):
    tables = Tables(game, 3, players, seed=1)
    buffers = {name: getattr(tables, name) for name in (*SHOWN, "states")}
    list(play(tables, 100))
    tables.reset(5)
    tables.load(tables.save())
    tables.deal(tables.cards.copy(), 0)
    assert all(getattr(tables, name) is buffer for name, buffer in buffers.items())
    assert {name: str(buffer.dtype) for name, buffer in buffers.items() if name in SHOWN} == {
        "seat": "int64", "mask": "int8", "observation": "int8", "points": "int32", "round_over": "bool",
        "game_over": "bool", "cards": "int32",
    }  # fmt: skip
    assert Tables(game, 3, players, observations=False).observation.shape == (3, 0)
    assert len(tables) == 3


@every_table
def test_tables_restart_by_themselves(game, players):
    tables = Tables(game, 20, players, 1, seed=6)
    assert tables.mask.any(1).all()
    ended = 0
    for now in play(tables, 300):
        assert tables.mask.any(1).all()
        over = now["game_over"]
        ended += over.sum()
        assert (now["round_over"] | ~over).all()
        assert not tables.totals()[over].any()
        assert not now["state.game_over"].any()
    assert ended > 20


@every_table
def test_tables_rest_when_they_may_not_restart(game, players):
    tables = Tables(game, 3, players, 1, seed=6, restart=False)
    while not tables.game_over.all():
        list(play(tables, 1))
    before = whole(tables)
    totals = tables.totals()
    assert not tables.mask.any()
    tables.step([-5, 10**9, 0])
    assert not tables.points.any()
    assert not tables.round_over.any()
    assert tables.game_over.all()
    assert (tables.totals() == totals).all()
    assert all(array.tobytes() == before[name].tobytes() for name, array in whole(tables).items() if "state." in name)
    tables.deal(tables.cards.copy(), 0)
    assert not tables.game_over.any()
    assert tables.mask.any(1).all()
    assert not tables.totals().any()


@every_table
def test_an_illegal_action_is_refused_before_anything_is_done(game, players):
    tables = Tables(game, 4, players, seed=7)
    list(play(tables, 11))
    before = whole(tables)
    legal = choose(tables.mask, np.zeros(4, int))
    for wrong in (-1, len(tables.game.ACTIONS), 2**40, int(np.flatnonzero(tables.mask[2] == 0)[0])):
        actions = legal.copy()
        actions[2] = wrong
        with pytest.raises(
            InputError, match=rf"illegal action .* of seat {tables.seat[2]} at table 2; legal: "
        ) as told:
            tables.step(actions)
        for action in np.flatnonzero(tables.mask[2]):
            assert tables.game.action_names(tables.states[2])[action] in str(told.value)
        assert same(whole(tables), before)
    for actions in (legal[:3], legal[:, None], 0, [*legal, 0]):
        with pytest.raises(InputError, match="4 tables need as many actions"):
            tables.step(actions)
    assert same(whole(tables), before)
    tables.step(legal)
    assert not same(whole(tables), before)


@every_table
def test_deals_are_laid_out_or_refused(game, players):
    tables, other = Tables(game, 3, players, seed=8), Tables(game, 3, players, seed=9)
    list(play(tables, 20))
    tables.deal(other.cards, other.seat)
    assert tables.observation.tolist() == other.observation.tolist()
    tables.deal(other.cards[1], 0)
    assert (tables.cards == other.cards[1]).all()
    assert (tables.seat == 0).all()
    before = whole(tables)
    twice, beyond = other.cards.copy(), other.cards.copy()
    twice[1, 0] = next(card for card in twice[1] if card != twice[1, 0])
    beyond[2, 3] = 1000
    for cards in (other.cards[:2], other.cards[0, 1:], twice, beyond, 0):
        with pytest.raises(InputError, match="a deal is the game's"):
            tables.deal(cards, 0)
    for starters in (players, -1, [0, 0, players], [0, 1]):
        with pytest.raises(InputError, match="starters are seats"):
            tables.deal(other.cards, starters)
    assert same(whole(tables), before)


@every_table
def test_bad_arguments_are_refused(game, players):
    for tables, streams in ((0, None), (-1, None), (3, [1, 2]), (2, [[1, 2]])):
        with pytest.raises(InputError, match="at least one"):
            Tables(game, tables, players, streams=streams)
    for rounds in (0, -1, 1.5, "all", True, None, 2**31, [1]):
        with pytest.raises(InputError, match="rounds is 'match' or a number above 0"):
            Tables(game, 1, players, rounds)
    for wrong in (0, max(load_game(game).PLAYERS) + 1, "4", 3.5):
        with pytest.raises(InputError, match=f"{game} is for .* players, not"):
            Tables(game, 1, wrong)
    with pytest.raises(InputError, match=f"unknown option of {game} 'moonshots'"):
        Tables(game, 1, players, moonshots=True)
    with pytest.raises(InputError, match=f"did you mean '{game}'"):
        Tables(game[:-1], 1, players)


@every_game
def test_the_largest_table_is_the_default(game):
    assert Tables(game, 1).players == max(load_game(game).PLAYERS)


# Chance


def chi_square(counts, expected):
    """How many standard deviations Pearson's statistic is off what fair chance gives; counts [..., kinds]."""
    degrees = (expected > 0).sum() - 1
    statistic = ((counts - expected) ** 2 / np.where(expected, expected, 1)).sum(-1)
    return (statistic - degrees) / np.sqrt(2 * degrees)


@every_table
def test_every_card_comes_to_every_place_alike(game, players):
    number = 4000
    tables = Tables(game, number, players, 1, seed=10, observations=False)
    for _ in range(2):  # the first deal, and one after some games
        first = 0
        for pile in tables.game.piles(tables.states.view(np.recarray)[0]):
            places = tables.cards[:, first : first + len(pile)]
            deck = np.bincount(pile)
            counts = np.stack([np.bincount(place, minlength=len(deck)) for place in places.T])
            assert np.abs(chi_square(counts, deck * number / len(pile))).max() < 5
            first += len(pile)
        for _ in range(120):
            tables.step(choose(tables.mask, tables.streams))


@every_table
def test_neighbouring_cards_are_independent(game, players):
    number = 20_000
    tables = Tables(game, number, players, seed=11, observations=False)
    first = 0
    for pile in tables.game.piles(tables.states.view(np.recarray)[0]):
        a, b = tables.cards[:, first], tables.cards[:, first + 1]
        deck = np.bincount(pile)
        pairs = np.outer(deck, deck) - np.diag(deck)
        counts = np.bincount(a * len(deck) + b, minlength=deck.size**2)
        assert abs(chi_square(counts, pairs.ravel() * number / pairs.sum())) < 5
        first += len(pile)


@every_table
def test_every_seat_starts_alike(game, players):
    starters = Tables(game, 10_000, players, seed=12, observations=False).seat
    assert abs(chi_square(np.bincount(starters, minlength=players), np.full(players, 10_000 / players))) < 5


@every_table
def test_neighbouring_streams_and_seeds_are_independent(game, players):
    number = 4000
    tables = Tables(game, number, players, seed=13, observations=False)
    others = [tables.cards[1:], Tables(game, number, players, seed=14, observations=False).cards[:-1]]
    deck = np.bincount(tables.game.piles(tables.states.view(np.recarray)[0])[0])
    agreement = (deck**2).sum() / deck.sum() ** 2
    for other in others:
        share = (tables.cards[:-1, : deck.sum()] == other[:, : deck.sum()]).mean()
        assert abs(share - agreement) < 5 * np.sqrt(agreement / (number * deck.sum()))


@every_table
def test_uniform_play_is_uniform_and_legal(game, players):
    number = 5000
    tables = Tables(game, number, players, seed=15, streams=np.zeros(number, int), observations=False)
    uniform = Uniform(tables.game)
    random = np.arange(number, dtype=np.uint64) * 12345
    rows = np.arange(1, number)
    before = random.copy()
    actions = uniform.act(tables, rows, random)
    expected = uniform.probabilities(tables, rows[:1])[0] * len(rows)
    assert abs(chi_square(np.bincount(actions, minlength=len(expected)), expected)) < 5
    assert random[0] == before[0]
    assert (random[1:] != before[1:]).all()
    assert uniform.act(tables, rows[7:9], before).tolist() == actions[7:9].tolist()


@every_table
def test_sharing_a_deck_is_not_sharing_decisions(game, players):
    """Tables on one stream that play differently stay with the same deals from round to round."""
    tables = Tables(game, 2, players, 2, seed=16, streams=[3, 3])
    seen = [[], []]
    for step in range(1000):
        tables.step(choose(tables.mask, [step, step * 31 + 1]))
        for table in np.flatnonzero(tables.round_over):
            seen[table].append(tables.cards[table].tolist())
    rounds = min(map(len, seen))
    assert rounds > 3
    assert seen[0][:rounds] == seen[1][:rounds]


@every_table
def test_decode_takes_batches(game, players):
    tables = Tables(game, 6, players, seed=17)
    batch = decode(tables.game.FEATURES, tables.observation)
    for feature in tables.game.FEATURES:
        assert batch[feature.name].shape == (6, *feature.shape)
        one = decode(tables.game.FEATURES, tables.observation[4])[feature.name]
        assert one.tolist() == batch[feature.name][4].tolist()


@every_table
def test_steps_at_some_tables_leave_the_others_alone(game, players):
    """The same games come about whether all tables step at once or some at a time."""
    whole, parts = (Tables(game, 20, players, 1, seed=3, restart=False) for _ in range(2))
    random = np.random.default_rng(3)
    for _ in range(80):
        actions = choose(whole.mask, random.integers(2**31, size=20))
        whole.step(actions)
        chosen = random.random(20) < 0.5
        for rows in (np.flatnonzero(chosen), np.flatnonzero(~chosen)):
            before = parts.states.copy()
            parts.step(actions[rows], rows)
            others = np.setdiff1d(np.arange(20), rows)
            assert (parts.states[others] == before[others]).all()
        for name in ("states", "seat", "mask", "observation", "points", "round_over", "game_over"):
            assert (getattr(parts, name) == getattr(whole, name)).all()


@every_table
def test_some_tables_begin_anew(game, players):
    """As those that restart by themselves do; the others stay."""
    restarting, renewed = (Tables(game, 10, players, 1, seed=4, restart=restart) for restart in (True, False))
    random = np.random.default_rng(4)
    for _ in range(150):
        actions = choose(restarting.mask, random.integers(2**31, size=10))
        restarting.step(actions)
        renewed.step(actions)
        over = np.flatnonzero(renewed.game_over)
        renewed.renew(over)
        assert not renewed.game_over.any()
        assert not renewed.points[over].any()
        assert (renewed.cards == restarting.cards).all()
        for name in ("seat", "mask", "observation"):
            assert (getattr(renewed, name) == getattr(restarting, name)).all()


@every_game
def test_wrong_rows_are_refused(game):
    tables = Tables(game, 4)
    before = tables.states.copy()
    legal = tables.mask.argmax(1)
    for rows in ([4], [-1], [1, 1], [2, 1], [[0]]):
        with pytest.raises(InputError, match="rows are tables in ascending order, from 0 to 3"):
            tables.step(legal[: len(rows)], rows)
        with pytest.raises(InputError, match="rows are tables"):
            tables.renew(rows)
    with pytest.raises(InputError, match="2 rows need as many actions"):
        tables.step(legal[:1], [0, 1])
    with pytest.raises(InputError, match="at table 2; legal: "):
        tables.step([legal[1], -1], [1, 2])
    assert (tables.states == before).all()
