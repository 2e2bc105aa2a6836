import io
import json
from pathlib import Path

import pytest
from followsuit.app import play
from followsuit.app.main import main
from followsuit.envs import records
from followsuit.envs.errors import InputError
from followsuit.envs.rules.contract import SeatView, View
from followsuit.envs.tables import load_game
from rich.console import Console

GAME = load_game("fearless")
WRONG = ["", "foo", "99", "?", "p", "h"]


@pytest.fixture
def sit(monkeypatch, tmp_path):
    """Plays a scripted session: what it returned, its record and what was asked of `answers`, callables included."""
    monkeypatch.chdir(tmp_path)

    def session(answers, *arguments):
        script = iter(answers)

        def answer(_prompt=""):
            given = next(script)
            if isinstance(given, BaseException):
                raise given
            return given

        monkeypatch.setattr("builtins.input", answer)
        code = main(["play", "fearless", "--seed", "3", "--record", "game.jsonl", *arguments])
        (record,) = (json.loads(line) for line in (tmp_path / "game.jsonl").read_text(encoding="utf-8").splitlines())
        return code, record

    return session


def first_legal():
    while True:
        yield "1"


def stubborn():
    """Wrong inputs and questions before every move."""
    while True:
        yield from WRONG
        yield "1"


@pytest.mark.parametrize("arguments", [[], ["--players", "3", "--seat", "2", "--against", "uniform,heuristic"]])
def test_a_whole_game_is_recorded(sit, capsys, arguments):
    code, record = sit(first_legal(), "--rounds", "2", *arguments)
    assert code == 0
    assert records.verify(record).faults == []
    assert len(record["rounds"]) == 2
    assert record["winners"]
    assert record["names"].count("human") == 1
    shown = capsys.readouterr().out
    assert "Round 2" in shown
    assert "game.jsonl" in shown
    assert shown.count("★") == 2 * 13


def test_wrong_input_asks_again(sit, capsys):
    code, record = sit(stubborn(), "--rounds", "1")
    assert code == 0
    assert records.verify(record).faults == []
    shown = capsys.readouterr().out
    assert shown.count("'foo' is no card, number or command") == 13
    assert shown.count(" played in this round ─") == 13
    assert shown.count(" heuristic would play ─") == 13


@pytest.mark.parametrize("leaving", ["q", KeyboardInterrupt(), EOFError()])
def test_leaving_saves_the_unfinished_game(sit, leaving):
    code, record = sit(["1", "1", leaving])
    assert code == 0
    assert records.verify(record).faults == []
    assert "winners" not in record
    assert sum(seat == 0 for seat, _ in record["rounds"][0]["moves"]) == 2


def test_a_refused_card_comes_with_the_reason(sit, capsys):
    """With seed 3, seat 0 holds cards that the first trick does not allow."""
    _, record = sit(["q"])
    hands, moves = record["rounds"][0]["deal"]["hands"], record["rounds"][0]["moves"]
    suit = next(card[0] for _, card in moves if card != "0")
    off_suit = next(card for card in hands[0] if card[0] not in (suit, "0"))
    Path("game.jsonl").unlink()
    capsys.readouterr()
    sit([next(card for card in hands[1] if card not in hands[0]), off_suit.lower(), "q"])
    shown = capsys.readouterr().out
    assert "you do not hold" in shown
    assert f"{off_suit} is not allowed now; these are: {suit}" in shown


def test_moves_are_read_in_any_notation():
    choices = {"1": "B+6", "2": "0"}
    assert play.named(GAME.ACTIONS, choices, "2") == "0"
    assert play.named(GAME.ACTIONS, choices, "0") == "0"
    assert play.named(GAME.ACTIONS, choices, " b+6 ") == "B+6"
    assert play.named(GAME.ACTIONS, choices, "3") is None


def test_other_hands_stay_hidden():
    from followsuit.app.table import Screen

    out = io.StringIO()
    screen = Screen(GAME, GAME.ACTIONS[: GAME.CARDS], ["human", "uniform"], 0, Console(file=out, width=80))
    facts = {"total": "0"}
    seats = [SeatView(["B+6", "0"], None, facts), SeatView(["M-1", "G+3"], None, facts, seen=["M", "G+3"])]
    screen.show(View(seats, 0, 0, None, {}), {"1": "B+6"})
    screen.narrate(1, "M-1", secret=True)
    shown = out.getvalue()
    assert "B+6" in shown
    assert "G+3" in shown
    assert "M-1" not in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--seat", "4"], "0 to 3"),
        (["--option", "colour"], "NAME=VALUE"),
        (["--option", "colour=red"], "unknown option"),
        (["--record", "nowhere/game.jsonl"], "no such folder"),
        (["--against", "nobody"], "unknown policy"),
    ],
)
def test_bad_input_is_one_line(sit, capsys, arguments, reason):
    assert main(["play", "fearless", *arguments]) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1


def test_a_record_is_not_overwritten(sit, capsys):
    sit(["q"])
    assert main(["play", "fearless", "--record", "game.jsonl"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_options_are_read_as_json_or_words():
    with pytest.raises(InputError, match="unknown option"):
        play.read_options(GAME, ["target=121"])
