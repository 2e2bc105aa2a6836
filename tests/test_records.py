"""Records: written, read, replayed; whatever is wrong in one is found, and nothing in one raises."""

import copy
import io
import json

import numpy as np
import pytest
from followsuit.envs import GAMES
from followsuit.envs.records import verify, verify_lines, write_file, write_records
from helpers import dealt_cards, every_table, golden, make_env, play_env, play_record
from hypothesis import assume, given
from hypothesis import strategies as st

# Damages: each takes a whole record of two rounds or more and breaks it


def with_choice(record):
    """Round, and move in it, of the last decision at which there was a choice."""
    return next(
        (entry, move)
        for entry in reversed(record["rounds"])
        for move in reversed(range(len(entry["legal"])))
        if len(entry["legal"][move]) > 1
    )


def first_hand(record):
    return record["rounds"][0]["deal"]["hands"][0]


def another(record, card):
    return next(name for name in first_hand(record) if name != card)


def illegal_card(record):
    entry, move = with_choice(record)
    entry["moves"][move][1] = next(card for card in dealt_cards(entry["deal"]) if card not in entry["legal"][move])


def another_legal_card(record):
    entry, move = with_choice(record)
    played = entry["moves"][move][1]
    entry["moves"][move][1] = next(name for name in entry["legal"][move] if name != played)


def no_card(record):
    record["rounds"][1]["moves"][3][1] = "X9"


def wrong_seat(record):
    move = record["rounds"][1]["moves"][3]
    move[0] = (move[0] + 1) % record["players"]


def no_seat(record):
    record["rounds"][0]["moves"][2][0] = record["players"]


def move_left_out(record):
    del record["rounds"][0]["moves"][5], record["rounds"][0]["legal"][5]


def moves_exchanged(record):
    moves = record["rounds"][0]["moves"]
    moves[1], moves[2] = moves[2], moves[1]


def last_move_missing(record):
    del record["rounds"][-1]["moves"][-1], record["rounds"][-1]["legal"][-1]


def move_after_the_round(record):
    entry = record["rounds"][-1]
    entry["moves"].append(entry["moves"][0])
    entry["legal"].append(entry["legal"][0])


def round_after_the_game(record):
    record["rounds"].append(copy.deepcopy(record["rounds"][0]))


def round_missing(record):
    del record["rounds"][-1]


def no_rounds(record):
    record["rounds"] = []


def legal_set_smaller(record):
    entry, move = with_choice(record)
    entry["legal"][move].remove(next(name for name in entry["legal"][move] if name != entry["moves"][move][1]))


def legal_set_larger(record):
    record["rounds"][0]["legal"][4].append("X9")


def legal_sets_too_few(record):
    record["rounds"][0]["legal"].pop()


def points_changed(record):
    record["rounds"][1]["points"][0] += 1


def points_missing(record):
    del record["rounds"][0]["points"]


def totals_changed(record):
    record["totals"][-1] -= 1


def totals_missing(record):
    del record["totals"]


def winners_changed(record):
    record["winners"] = [seat for seat in range(record["players"]) if seat not in record["winners"]]


def winners_missing(record):
    del record["winners"]


def card_missing_in_the_deal(record):
    first_hand(record).pop()


def card_twice_in_the_deal(record):
    hand = first_hand(record)
    hand[hand.index(another(record, hand[0]))] = hand[0]


def no_card_in_the_deal(record):
    first_hand(record)[0] = "X9"


def hand_missing(record):
    record["rounds"][0]["deal"]["hands"].pop()


def hands_exchanged(record):
    hands = record["rounds"][0]["deal"]["hands"]
    hands[0], hands[1] = hands[1], hands[0]


def first_starter_wrong(record):
    entry = record["rounds"][0]
    entry["starter"] = (entry["starter"] + 1) % record["players"]


def second_starter_wrong(record):
    entry = record["rounds"][1]
    entry["starter"] = (entry["starter"] + 1) % record["players"]


def unknown_game(record):
    record["game"] = "hearts"


def unknown_rule(record):
    record["rules"] = {"moonshots": True}


def rule_named_like_a_keyword(record):
    record["rules"] = {"self": 1}


def unknown_value_of_a_rule(record):
    record["rules"] = {"rounds": -1}


def too_many_players(record):
    record["players"] = 99


DAMAGES = [
    illegal_card, another_legal_card, no_card, wrong_seat, no_seat, move_left_out, moves_exchanged, last_move_missing,
    move_after_the_round, round_after_the_game, round_missing, no_rounds, legal_set_smaller, legal_set_larger,
    legal_sets_too_few, points_changed, points_missing, totals_changed, totals_missing, winners_changed,
    winners_missing, card_missing_in_the_deal, card_twice_in_the_deal, no_card_in_the_deal, hand_missing,
    hands_exchanged, first_starter_wrong, second_starter_wrong, unknown_game, unknown_rule, rule_named_like_a_keyword,
    unknown_value_of_a_rule, too_many_players,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@every_table
def test_damage_is_found(game, players, damage):
    record = copy.deepcopy(next(record for record in golden(game, players) if len(record["rounds"]) > 1))
    damage(record)
    [fault] = verify(record).faults
    assert fault.reason
    assert "\n" not in fault.reason


@every_table
def test_damage_is_found_without_legal_sets(game, players):
    for damage in (illegal_card, another_legal_card, move_left_out, hands_exchanged):
        record = copy.deepcopy(next(record for record in golden(game, players) if len(record["rounds"]) > 1))
        damage(record)
        for entry in record["rounds"]:
            del entry["legal"]
        assert verify(record).faults


@every_table
def test_a_fault_says_where_it_is(game, players):
    record = copy.deepcopy(next(record for record in golden(game, players) if len(record["rounds"]) > 1))
    record["rounds"][1]["moves"][3][1] = "X9"
    verified = verify(record)
    assert verified.faults == [(1, 3, "'X9' is no move of this game")]
    assert verified.moves == len(record["rounds"][0]["moves"]) + 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def places(value):
    """Every (container, key) in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from places(inner)


@every_table
@given(data=st.data())
def test_no_json_value_in_any_place_raises(game, players, data):
    record = copy.deepcopy(golden(game, players)[0])
    everywhere = list(places(record))
    shallow = [(container, key) for container, key in everywhere if not isinstance(key, int) or key < 2]
    container, key = data.draw(st.sampled_from(shallow) | st.sampled_from(everywhere))
    before, container[key] = container[key], data.draw(JSON)
    assume(container[key] != before)
    ignored = key == "seed" or (key == "legal" and container[key] is None)
    assert bool(verify(record).faults) != ignored


@given(record=JSON)
def test_no_json_value_is_a_record(record):
    assert verify(record).faults


@every_table
def test_lines(game, players):
    line = json.dumps(golden(game, players)[0])
    lines = [line, "", line[: len(line) // 2], "[" * 100_000, "not JSON", "\ud800", "3", line + line, line]
    assert [not verified.faults for verified in verify_lines(lines)] == [True, *[False] * 6, True]


@every_table
def test_played_records_verify_and_survive_the_file(game, players, tmp_path):
    records = [play_record(game, players, seed) for seed in range(3)]
    assert write_file(tmp_path / "games.jsonl", iter(records)) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]
    with (tmp_path / "games.jsonl").open(encoding="utf-8") as file:
        lines = list(file)
    assert [json.loads(line) for line in lines] == records
    assert all(not verified.faults for verified in verify_lines(lines))
    assert write_records(records, out := io.StringIO()) == 3
    assert out.getvalue().splitlines(keepends=True) == lines


def test_a_file_is_replaced_only_when_it_is_complete(tmp_path):
    def broken():
        yield {"game": 1}
        raise RuntimeError

    path = tmp_path / "games.jsonl"
    write_file(path, [{"game": 0}])
    with pytest.raises(RuntimeError):
        write_file(path, broken())
    assert json.loads(path.read_text()) == {"game": 0}


@every_table
def test_an_unfinished_record_verifies_at_every_move(game, players):
    env = make_env(game, players, rounds=2)
    env.reset(seed=5)
    random = np.random.default_rng(5)
    for turn, _ in enumerate(play_env(env, random)):
        if turn % 7 == 0:
            record = env.record()
            assert "winners" not in record
            assert verify(record) == (turn, [])
    assert verify(env.record()).faults == []
    assert "winners" in env.record()
    assert env.record()["rules"] == {"rounds": 2}


@every_table
def test_further_keys_are_ignored(game, players):
    record = play_record(game, players, 6) | {"names": ["a", "b"], "seed": "anything"}
    record["rounds"][0]["note"] = None
    assert verify(record).faults == []


@every_table
def test_a_deal_names_every_card_it_deals(game, players):
    deal = play_record(game, players, 7)["rounds"][0]["deal"]
    assert [len(hand) for hand in deal["hands"]] == [len(deal["hands"][0])] * players
    assert len(dealt_cards(deal)) >= players * len(deal["hands"][0])


def test_an_unknown_game_names_the_nearest():
    name = next(iter(GAMES))
    [fault] = verify({"game": name[:-1], "players": 4, "rounds": []}).faults
    assert name in fault.reason
