"""Tournaments: who plays whom, threads, going on, when to stop, and what the figures are."""

import json
import threading
from collections import Counter

import numpy as np
import pytest
from followsuit.envs.errors import InputError
from followsuit.envs.tables import load_game
from followsuit.policies import policy
from followsuit.policies.function import FunctionPolicy
from followsuit.training import arena, schedule, tournament
from followsuit.training.ratings import rate
from followsuit.training.results import evaluate, ladder

GAME = load_game("fearless")
UNIFORM, HEURISTIC = policy("uniform", GAME), policy("heuristic", GAME)
FIRST = FunctionPolicy(lambda observation, mask: mask.argmax(), "first")
ALL = [UNIFORM, HEURISTIC, FIRST]


# Who plays whom


def test_line_ups():
    assert schedule.line_ups(4, 1) == [(0, 0, 0, 0)]
    assert schedule.line_ups(4, 2) == [(0, 1, 1, 1), (1, 0, 0, 0)]
    assert schedule.line_ups(3, 3) == [(0, 1, 2)]
    assert len(schedule.line_ups(4, 3)) == 6
    assert schedule.line_ups(2, 2) == schedule.one_against_the_rest(2, 2) == [(0, 1)]
    assert schedule.line_ups(2, 3) == [(0, 1), (0, 2), (1, 2)]
    with pytest.raises(InputError):
        schedule.line_ups(3, 0)


@pytest.mark.parametrize(("players", "contestants"), [(4, 7), (4, 2), (3, 4), (2, 7), (8, 3), (5, 5)])
def test_mixed_tables_use_all_evenly(players, contestants):
    tables = schedule.mixed_tables(players, contestants, 50, seed=3)
    seats = Counter(one for table in tables for one in table)
    assert len(tables) == 50
    assert sorted(seats) == list(range(contestants))
    assert max(seats.values()) - min(seats.values()) <= 1
    assert schedule.mixed_tables(players, contestants, 20, seed=3) == tables[:20]
    assert schedule.mixed_tables(players, contestants, 50, seed=4) != tables
    if contestants > 2 * players:
        assert sum(len(set(table)) == players for table in tables) > 25


def test_looks_come_later_and_later():
    assert list(schedule.looks(1000, sequential=False)) == [(0, 1000)]
    assert list(schedule.looks(60, sequential=True)) == [(0, 32), (32, 40), (40, 50), (50, 60)]
    assert list(schedule.looks(10, sequential=True)) == [(0, 10)]
    parts = list(schedule.parts_of([(0, 1), (1, 0)], 32, 40))
    assert sorted(np.concatenate([deals for lineup, deals in parts if lineup == (1, 0)]).tolist()) == list(
        range(32, 40)
    )


# Figures


def test_the_matrix_by_hand():
    result = evaluate(GAME, 3, [UNIFORM, HEURISTIC, FIRST, UNIFORM], 12, 1, seed=5)
    assert result.matrix is not None
    by_deal = []
    for other, rest in ((0, UNIFORM), (2, FIRST), (3, UNIFORM)):
        margin = arena.play(GAME, 3, [HEURISTIC, rest, rest], 12, 1, seed=5).margin[:, :, 0].mean(1)
        by_deal.append(margin)
        cell = result.matrix[1][other]
        assert cell is not None
        assert cell.mean == pytest.approx(margin.mean())
        assert cell.half == pytest.approx(arena.NORMAL_95 * margin.std(ddof=1) / 12**0.5)
    assert result.matrix[1][1] is None
    # Over all it met: deals are common, so they are averaged first.
    own, mean = result.standings[1].margin, np.mean(by_deal, 0)
    assert own.mean == pytest.approx(mean.mean())
    assert own.half == pytest.approx(arena.NORMAL_95 * mean.std(ddof=1) / 12**0.5)
    assert sum(result.standings[1].distribution.values()) == 3 * 12 * 3


def test_at_a_table_of_two_each_pair_meets_once():
    game = load_game("cupid")
    contestants = [policy("uniform", game), policy("heuristic", game), FIRST]
    matrix = evaluate(game, 2, contestants, 6, 1).matrix
    assert matrix is not None
    for one in range(3):
        for other in range(one):
            here, there = matrix[one][other], matrix[other][one]
            assert here is not None
            assert there is not None
            assert here.mean == pytest.approx(-there.mean)
            assert here.half == pytest.approx(there.half)


def test_figures_do_not_depend_on_threads():
    one = evaluate(GAME, 4, ALL, 40, 1, seed=7, threads=1)
    assert evaluate(GAME, 4, ALL, 40, 1, seed=7, threads=3) == one
    first = ladder(GAME, 3, ALL, 0.9, 60, 12, seed=7, threads=1)
    assert ladder(GAME, 3, ALL, 0.9, 60, 12, seed=7, threads=3) == first


def test_a_ladder_has_both_scores():
    result = ladder(GAME, 4, ALL, 0.9, 60, 40, threads=2)
    uniform, heuristic, _ = result.standings
    assert (result.rounds, result.matches) == (1, 40)
    assert heuristic.margin.low > uniform.margin.high
    assert heuristic.wins.low > uniform.wins.high
    assert heuristic.rating is not None
    assert uniform.rating is not None
    assert heuristic.rating.mu - heuristic.rating.sigma > uniform.rating.mu + uniform.rating.sigma
    told = json.loads(json.dumps(result.to_json()))
    assert told["matches"] == 40
    assert len(told["matrix"]) == 3
    with pytest.raises(InputError, match="at least two"):
        ladder(GAME, 4, [UNIFORM], 0.9, 60, 40)


# Ratings


def test_ties_are_shared_and_the_sign_is_the_games():
    level = rate(2, [((0, 1), [5, 5])] * 10, 1)
    assert level[0].mu == pytest.approx(level[1].mu)
    high, low = rate(2, [((0, 1), [7, 5])] * 10, 1)
    assert high.mu > 25 > low.mu
    assert high.sigma < 25 / 3
    assert rate(2, [((0, 1), [7, 5])] * 10, -1) == [low, high]


def test_one_at_several_seats_is_rated_at_each():
    one, rest = rate(2, [((0, 1, 1), [9, 2, 2])], 1)
    assert one.mu - 25 == pytest.approx(25 - rest.mu)
    assert rate(1, [((0, 0, 0), [3, 1, 2])], 1)[0].mu == pytest.approx(25)


# Stopping and going on


def test_it_ends_when_it_is_sure():
    sure = evaluate(GAME, 3, ALL[:2], None, 1, until_sure=1.0, threads=2)
    assert max(standing.margin.half for standing in sure.standings) <= 1.0
    assert sure.deals in [last for _, last in schedule.looks(sure.deals, sequential=True)]
    assert evaluate(GAME, 3, ALL[:2], None, 1, until_sure=1.0) == sure
    before = next(first for first, last in schedule.looks(sure.deals, sequential=True) if last == sure.deals)
    if before:
        doubtful = evaluate(GAME, 3, ALL[:2], before, 1)
        assert max(standing.margin.half for standing in doubtful.standings) > 1.0
    assert evaluate(GAME, 3, ALL[:2], 20, 1, until_sure=0.01).deals == 20
    with pytest.raises(InputError, match="deals or when"):
        evaluate(GAME, 3, ALL[:2])


def test_a_ladder_without_time_has_the_least_there_can_be():
    result = ladder(GAME, 3, ALL, 0.01, 1e-6, 50)
    assert result.deals >= 2
    assert result.matches is not None
    assert 2 <= result.matches < 50
    assert all(np.isfinite(standing.wins).all() for standing in result.standings)


def test_it_goes_on_where_it_was_interrupted(tmp_path, monkeypatch):
    state = tmp_path / "state.npz"
    whole = ladder(GAME, 3, ALL, 0.9, 60, 12, threads=2)
    done, real, lock = [], tournament.play, threading.Lock()

    def count(*arguments):
        with lock:
            done.append(arguments[3])
        return real(*arguments)

    def interrupt(_):
        if len(done) > 60:
            raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "play", count)
    with pytest.raises(KeyboardInterrupt):
        ladder(GAME, 3, ALL, 0.9, 60, 12, progress=interrupt, threads=2, state=state)
    before = len(done)
    assert ladder(GAME, 3, ALL, 0.9, 60, 12, threads=1, state=state) == whole
    after = len(done)
    assert ladder(GAME, 3, ALL, 0.9, 60, 12, state=state) == whole
    assert len(done) == after  # nothing is played twice
    monkeypatch.setattr(tournament, "play", real)
    assert before < after
    # What lies there already of a longer tournament does not change a shorter one.
    assert ladder(GAME, 3, ALL, 1.5, 60, 5, state=state) == ladder(GAME, 3, ALL, 1.5, 60, 5)


def test_a_state_of_other_settings_or_damaged_is_refused(tmp_path):
    state = tmp_path / "state.npz"
    evaluate(GAME, 3, ALL[:2], 4, 1, state=state)
    told = evaluate(GAME, 3, ALL[:2], 4, 1, state=state)
    assert told == evaluate(GAME, 3, ALL[:2], 4, 1)
    for wrong, name in [
        (lambda: evaluate(GAME, 3, ALL[:2], 4, 1, seed=1, state=state), "seed 0, not 1"),
        (lambda: evaluate(GAME, 4, ALL[:2], 4, 1, state=state), "players 3, not 4"),
        (lambda: evaluate(GAME, 3, ALL[1:], 4, 1, state=state), "policies"),
        (lambda: evaluate(GAME, 3, ALL[:2], 4, 2, state=state), "rounds"),
        (lambda: evaluate(GAME, 3, ALL[:2], 4, 1, state=state, keep=print), "records"),
    ]:
        with pytest.raises(InputError, match=name):
            wrong()
    whole = state.read_bytes()
    for damaged in (b"", whole[:100], whole[: len(whole) // 2], b"PK" + whole[10:]):
        state.write_bytes(damaged)
        with pytest.raises(InputError, match="no tournament that is whole"):
            evaluate(GAME, 3, ALL[:2], 4, 1, state=state)
    np.savez(state, settings=np.array({"a": "pickle"}, object))
    with pytest.raises(InputError, match="no tournament that is whole"):
        evaluate(GAME, 3, ALL[:2], 4, 1, state=state)


def test_a_checkpoint_written_anew_is_another_contestant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    weights, state = tmp_path / "weights", tmp_path / "state.npz"
    weights.write_bytes(b"1")
    own = FunctionPolicy(FIRST.function, "weights")
    evaluate(GAME, 3, [own, UNIFORM], 4, 1, state=state)
    evaluate(GAME, 3, [own, UNIFORM], 4, 1, state=state)
    weights.write_bytes(b"2")
    with pytest.raises(InputError, match="policies"):
        evaluate(GAME, 3, [own, UNIFORM], 4, 1, state=state)


def test_records_come_in_order():
    def records(threads):
        kept = []
        evaluate(GAME, 3, ALL[:2], 10, 1, keep=kept.append, threads=threads)
        return kept

    assert len(records(1)) == 2 * 10 * 3
    assert records(1) == records(3)


def test_what_goes_wrong_in_a_thread_is_told():
    calls = []

    def wrong(observation, mask):
        calls.append(1)
        return mask.argmax() if len(calls) < 100 else -1

    with pytest.raises(InputError, match="wrong gave the illegal action -1"):
        evaluate(GAME, 3, [UNIFORM, FunctionPolicy(wrong, "wrong")], 20, 1, threads=2)
