"""The commands `evaluate` and `ladder`, and the page they write."""

import base64
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from followsuit.app import main
from followsuit.app.evaluate import milliseconds

SMALL = ["--baselines", "uniform,heuristic", "--until-sure", "2", "--matches", "6", "--threads", "2"]


class Page(HTMLParser):
    """Checks that every element is closed in its turn, and collects pictures and text."""

    VOID = ("meta", "img", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "img":
            self.pictures.append(dict(attrs))
        assert not {"href", "srcset"} & dict(attrs).keys()
        assert tag not in ("script", "link", "iframe")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_a_ladder_writes_a_page_for_itself_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["ladder", "fearless", "--players", "3", *SMALL]
    assert main.main(command) == 0
    told = capsys.readouterr().out
    assert "heuristic" in told
    folder = tmp_path / "runs" / "ladder-fearless-3p"
    assert sorted(path.name for path in folder.iterdir()) == ["ladder.json", "report.html", "state.npz"]
    result = json.loads((folder / "ladder.json").read_text("utf-8"))
    assert [one["policy"] for one in result["contestants"]] == ["uniform", "heuristic"]
    assert {"rating", "rating_sigma", "ms_per_decision"} <= result["contestants"][0].keys()

    text = (folder / "report.html").read_text("utf-8")
    page = Page(text)
    assert "http" not in text.replace("http-equiv", "")
    assert len(page.pictures) == 6
    for picture in page.pictures:
        assert len(picture["alt"]) > 20
        kind, _, data = picture["src"].partition(",")
        assert kind == "data:image/svg+xml;base64"
        svg = base64.b64decode(data).decode()
        ET.fromstring(svg)
        assert not re.search(r'href="(?!#|data:)', svg)
    assert "Fearless, 3 players" in page.words

    assert main.main(command) == 0
    assert json.loads((folder / "ladder.json").read_text("utf-8")) == result
    assert main.main([*command, "--seed", "2"]) == 2
    assert re.fullmatch(r"followsuit: [^\n]*seed 0, not 2; name another place\n", capsys.readouterr().err)


def test_an_interrupted_ladder_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("followsuit.training.tournament.play", interrupt)
    assert main.main(["ladder", "fearless", *SMALL, "--out", str(tmp_path / "own")]) == 130
    assert "the same command goes on" in capsys.readouterr().out
    assert (tmp_path / "own" / "state.npz").exists()


@pytest.mark.parametrize(
    ("game", "players", "policies", "pictures"),
    [
        ("cupid", 2, "uniform,heuristic,uniform", 6),
        ("fearless", 3, "uniform", 4),
        ("schoten", 3, "uniform,heuristic,uniform", 4),
    ],
)
def test_an_evaluation_has_a_page_too(game, players, policies, pictures, tmp_path):
    path = tmp_path / "page.html"
    command = ["evaluate", game, "--players", str(players), "--policies", policies, "--deals", "8", "--rounds", "1"]
    assert main.main([*command, "--html", str(path)]) == 0
    assert len(Page(path.read_text("utf-8")).pictures) == pictures


def test_an_evaluation_ends_somewhere(capsys):
    assert main.main(["evaluate", "fearless", "--players", "3", "--policies", "uniform"]) == 2
    assert "give one of them" in capsys.readouterr().err


def test_milliseconds_have_two_digits():
    assert [milliseconds(value) for value in (None, 0.00002, 0.0123, 1.25, 9.96, 24.4)] == [
        "–", "< 0.001", "0.012", "1.2", "10", "24",
    ]  # fmt: skip
