"""The pages in docs/games say what the code says."""

from pathlib import Path

import numpy as np
import pytest
from followsuit.app import describe, main
from followsuit.envs.tables import load_game
from helpers import every_game
from PIL import Image

PAGES = Path(__file__).parent.parent / "docs" / "games"


@every_game
def test_the_kept_page_is_what_the_code_says(game):
    page = describe.page(load_game(game), describe.read_returns(PAGES).get(game, []))
    assert (PAGES / f"{game}.md").read_text("utf-8") == page, (
        f"docs/games/{game}.md is out of date: followsuit describe {game} --write docs/games renews it"
    )


@every_game
def test_the_kept_picture_is_what_the_code_draws(game):
    path = PAGES / f"{game}.png"
    assert path.stat().st_size < 150_000
    kept, drawn = (
        np.array(image.convert("RGB"), int) for image in (Image.open(path), describe.picture(load_game(game)))
    )
    renew = f"docs/games/{game}.png is out of date: followsuit describe {game} --write docs/games renews it"
    assert kept.shape == drawn.shape, renew
    assert np.abs(kept - drawn).mean() < 1, renew  # another version of the font library may draw edges otherwise


@every_game
def test_reference_returns_are_of_every_table_size(game):
    told = [
        (result["players"], {one["policy"] for one in result["contestants"]})
        for result in describe.read_returns(PAGES).get(game, [])
    ]
    contests = {"uniform"}, {"heuristic"}, {"uniform", "heuristic"}
    expected = [(players, contest) for players in load_game(game).PLAYERS for contest in contests]
    assert told == expected, f"followsuit describe {game} --deals 500 --write docs/games measures what is missing"


@every_game
def test_every_feature_and_action_is_in_the_page(game):
    module = load_game(game)
    page = describe.page(module, [])
    assert all(f"`{feature.name}`" in page and feature.doc in page for feature in module.FEATURES + module.HIDDEN)
    assert [action for run in describe._runs(module) for action in run] == list(range(len(module.ACTIONS)))
    assert all(f"| {option} |" in page for option in ("rounds", "reward", "render_mode", *module.OPTIONS))


def test_a_page_is_printed_or_written(tmp_path, capsys):
    assert main.main(["describe", "fearless"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("# Fearless\n")
    assert "Reference returns" not in printed
    assert main.main(["describe", "fearless", "--write", str(tmp_path / "pages")]) == 0
    assert {path.name for path in (tmp_path / "pages").iterdir()} == {"fearless.md", "fearless.png"}
    assert (tmp_path / "pages" / "fearless.md").read_text("utf-8") == printed


@pytest.mark.parametrize("game", ["fearless"])
def test_returns_are_measured_and_kept(game, tmp_path):
    module = load_game(game)
    assert main.main(["describe", game, "--deals", "2", "--write", str(tmp_path)]) == 0
    kept = describe.read_returns(tmp_path)[game]
    assert kept == describe.measure(module, 2)
    assert describe.page(module, kept) == (tmp_path / f"{game}.md").read_text("utf-8")
    assert "| 3 | heuristic | uniform | " in describe.page(module, kept)
