"""The arena: duplicate deals, rotations, intervals."""

import json

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.records import verify
from followsuit.envs.tables import load_game
from followsuit.policies import policy
from followsuit.training import arena
from followsuit.training.results import evaluate

GAME = load_game("fearless")
UNIFORM, HEURISTIC = policy("uniform", GAME), policy("heuristic", GAME)


def test_the_same_seed_gives_the_same_figures_whatever_the_batch(monkeypatch):
    whole = evaluate(GAME, 3, [HEURISTIC, UNIFORM], 40, 1, seed=7)
    monkeypatch.setattr(arena, "BATCH", 21)
    assert evaluate(GAME, 3, [HEURISTIC, UNIFORM], 40, 1, seed=7) == whole
    assert evaluate(GAME, 3, [HEURISTIC, UNIFORM], 40, 1, seed=8) != whole


def test_every_deal_is_played_with_every_rotation():
    records = []
    arena.play(GAME, 4, [HEURISTIC, UNIFORM, UNIFORM, UNIFORM], 3, keep=records.append)
    assert len(records) == 12
    for deal in range(3):
        games = records[4 * deal : 4 * deal + 4]
        assert all(game["rounds"][0]["deal"] == games[0]["rounds"][0]["deal"] for game in games)
        assert all(game["rounds"][-1]["deal"] == games[0]["rounds"][-1]["deal"] for game in games)
        assert len({json.dumps(game["rounds"][0]["moves"]) for game in games}) == 4
    assert all(verify(record).faults == [] for record in records)


def test_scores_follow_the_contestant_not_the_seat():
    records = []
    scores = arena.play(GAME, 4, [HEURISTIC, UNIFORM, UNIFORM, UNIFORM], 5, 1, keep=records.append)
    for number, record in enumerate(records):
        deal, rotation = divmod(number, 4)
        totals = record["totals"]
        for place in range(4):
            seat = (place + rotation) % 4
            others = [total for other, total in enumerate(totals) if other != seat]
            assert scores.points[deal, rotation, place] == totals[seat]
            assert scores.margin[deal, rotation, place] == pytest.approx(np.mean(others) - totals[seat])
            assert scores.wins[deal, rotation, place] == (seat in record["winners"]) / len(record["winners"])
    assert scores.margin.sum(2) == pytest.approx(np.zeros((5, 4)))
    assert scores.wins.sum(2) == pytest.approx(np.ones((5, 4)))


def test_identical_play_has_no_margin():
    result = evaluate(GAME, 4, [HEURISTIC], 20)
    assert result.standings[0].margin.mean == pytest.approx(0)
    assert result.standings[0].wins.mean == pytest.approx(0.25)


def test_the_interval_is_clustered_by_deal():
    by_deal = np.array([1.0, 3.0, 2.0, 6.0])
    mean, low, high = arena.estimate(by_deal)
    assert mean == 3.0
    assert high - mean == pytest.approx(1.959964 * np.std(by_deal, ddof=1) / 2)
    assert mean - low == pytest.approx(high - mean)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    truth = evaluate(GAME, 3, [HEURISTIC, UNIFORM], 3000, 1, seed=99).standings[0].margin.mean
    trials = [evaluate(GAME, 3, [HEURISTIC, UNIFORM], 40, 1, seed=seed).standings[0].margin for seed in range(60)]
    covered = sum(trial.low <= truth <= trial.high for trial in trials)
    assert 50 <= covered <= 60


def test_json_has_the_format_that_is_promised():
    result = evaluate(GAME, 4, [HEURISTIC, UNIFORM], 10, 1, seed=3)
    told = json.loads(json.dumps(result.to_json()))
    assert list(told) == ["game", "players", "rounds", "deals", "seed", "contestants", "matrix"]
    assert [told["game"], told["players"], told["rounds"], told["deals"], told["seed"]] == ["fearless", 4, 1, 10, 3]
    assert set(told["contestants"][0]) == {
        "policy", "points_per_round", "margin", "margin_ci", "win_share", "win_ci", "rating", "rating_sigma",
        "ms_per_decision",
    }  # fmt: skip
    own = told["contestants"][0]
    assert told["matrix"][0] == [None, {"margin": own["margin"], "margin_ci": own["margin_ci"]}]
    assert own["rating"] > told["contestants"][1]["rating"]
    assert 0 < own["ms_per_decision"] < 100


def test_one_table_has_no_matrix_and_no_rating():
    told = evaluate(GAME, 3, [HEURISTIC, UNIFORM, UNIFORM], 10, 1).to_json()
    assert "matrix" not in told
    assert "rating" not in told["contestants"][0]


def test_progress_runs_from_0_to_1():
    told = []
    evaluate(GAME, 4, [HEURISTIC, UNIFORM], 10, 2, progress=told.append)
    assert told == sorted(told)
    assert told[0] >= 0
    assert told[-1] == pytest.approx(1)


def test_too_few_deals_are_refused():
    with pytest.raises(InputError, match="at least 2 deals"):
        evaluate(GAME, 4, [HEURISTIC], 1)


def test_deals_may_be_named():
    lineup = [HEURISTIC, UNIFORM, UNIFORM]
    whole = arena.play(GAME, 3, lineup, 6, 1)
    some = arena.play(GAME, 3, lineup, np.array([5, 2]), 1)
    for all_of, part in zip(whole, some, strict=True):
        assert (all_of[[5, 2]] == part).all()


def test_decisions_with_a_choice_are_counted():
    costs = {}
    arena.play(GAME, 3, [HEURISTIC, UNIFORM, UNIFORM], 4, 1, costs=costs)
    records = []
    arena.play(GAME, 3, [HEURISTIC, UNIFORM, UNIFORM], 4, 1, keep=records.append)
    moves = sum(len(record["rounds"][0]["moves"]) for record in records)
    assert set(costs) == {HEURISTIC, UNIFORM}
    assert 0 < costs[HEURISTIC].decisions < costs[UNIFORM].decisions
    assert sum(cost.decisions for cost in costs.values()) < moves  # a last card is forced
    assert all(cost.seconds >= 0 for cost in costs.values())
