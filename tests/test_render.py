import itertools

import numpy as np
import pytest
from followsuit.envs import render
from followsuit.envs.rules.contract import SeatView, Track, View
from followsuit.envs.tables import Tables, load_game

GAME = load_game("fearless")
TABLE_SIZES = range(2, 9)
HAND = ["G27", "G26", "B+6", "B-6", "R23", "R2", "SA", "H10", "JK", "Y21", "Y2", "1", "0"]


def made_up(seats: int, cards: int = 13, stage: int = 0) -> View:
    """A table of no game, as full as tables get: `stage` cards lie in the middle."""
    facts = dict.fromkeys(("total", "tens", "disc", "most", "least", "taken"), "in the ruin")
    return View(
        seats=[SeatView(HAND[:cards], HAND[seat] if seat < stage else None, facts) for seat in range(seats)],
        actor=stage if stage < seats else None,
        leader=0,
        winner=0 if stage else None,
        facts={"round": "1 of 8", "suit": "–", "sum": "−3"},
        track=Track("totals", -80, 40, list(range(-100, -100 + 25 * seats, 25))),
        piles={"trumps": ["R10", "B9", "Y1", "G12"], "stock": [""] * 11, "turn-up": ["H5"]},
    )


def views_of_a_game(players: int):
    tables = Tables("fearless", 1, players, rounds=1, seed=1, restart=False)
    while True:
        yield tables.game.view(tables.states[0])
        if tables.game_over[0]:
            return
        tables.step([np.flatnonzero(tables.mask[0])[-1]])


@pytest.mark.parametrize("players", GAME.PLAYERS)
def test_pictures_of_a_game_differ_and_keep_their_size(players):
    views = list(views_of_a_game(players))
    pictures = [render.picture(GAME, views[at]) for at in (0, 1, players, len(views) // 2, -1)]
    for image in pictures:
        assert image.dtype == np.uint8
        assert image.ndim == 3
        assert image.shape[2] == 3
        assert image.shape == pictures[0].shape
    assert all((one != other).any() for one, other in itertools.pairwise(pictures))


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_panels_and_cards_do_not_overlap(seats):
    plan = render._Plan(made_up(seats))
    boxes = [(x, y, render.PANEL, plan.panel_height) for x, y in plan.panels]
    width, height = render.TRICK_CARD
    spots = [plan.spot(seat) for seat in range(seats)]
    boxes += [(x - width / 2, y - height / 2, width, height) for x, y in spots]
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= plan.width
        assert y + h <= plan.height
    for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
        assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_any_table_is_drawn_and_told(seats):
    for cards, stage in ((13, 0), (12, 1), (0, seats)):
        view = made_up(seats, cards, stage)
        assert render.picture(GAME, view).min() < render.picture(GAME, view).max()
        told = render.text(GAME, view)
        assert told.count(" ".join(HAND[:cards])) >= seats


def test_text_shows_everything():
    for view in views_of_a_game(4):
        lines = render.text(GAME, view).splitlines()
        assert all(f"{label} {value}" in lines[0] for label, value in view.facts.items())
        for seat, (shown, line) in enumerate(zip(view.seats, lines[-4:], strict=True)):
            assert line.split()[line.startswith(">")] == str(seat)
            assert line.endswith(" ".join(shown.hand))
            assert line.startswith(">") == (seat == view.actor)
            assert all(value in line for value in shown.facts.values())
            assert shown.played is None or shown.played in line


def test_tracks_stack_pieces_and_tell_what_is_beyond():
    assert render.track_lines(Track("ghosts", -3, 3, [0, 0, 1, -9])) == [
        "             1",
        "          3  02",
        "ghosts -3 ┴┴┴┼┴┴┴ +3",
        "beyond the ends: 3 at -9",
    ]
