"""Games recorded by an independent implementation of the rules come out the same by every way to play."""

import pytest
from followsuit.envs.records import verify, winners
from followsuit.envs.tables import load_game
from helpers import ByEnvironment, ByRules, ByTables, every_table, golden


@every_table
def test_every_table_size_has_golden_records(game, players):
    records = golden(game, players)
    assert len(records) >= 10
    assert all((record["game"], record["players"]) == (game, players) for record in records)
    assert all("legal" in entry for record in records for entry in record["rounds"])


@every_table
def test_golden_records_verify(game, players):
    for record in golden(game, players):
        moves = sum(len(entry["moves"]) for entry in record["rounds"])
        assert verify(record) == (moves, [])


@pytest.mark.parametrize("way", [ByRules, ByTables, ByEnvironment])
@every_table
def test_golden_records_replay(game, players, way):
    for record in golden(game, players):
        replay = way(record)
        for entry in record["rounds"]:
            replay.begin_round(entry)
            for (seat, name), legal in zip(entry["moves"], entry["legal"], strict=True):
                assert replay.turn() == (seat, legal)
                replay.play(name)
        points, totals = replay.result()
        assert points == [entry["points"] for entry in record["rounds"]]
        assert totals == record["totals"]
        assert winners(totals, load_game(game).POINTS_SIGN) == record["winners"]
