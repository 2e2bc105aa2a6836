"""Points turned into what is compared."""

import numpy as np
import pytest
from followsuit.envs.records import winners
from followsuit.envs.scores import margins, win_rewards, win_shares


def test_margins():
    assert margins([3, 15, 0, 8], -1).tolist() == pytest.approx([14 / 3, -34 / 3, 26 / 3, -2])
    assert margins([[1, 2], [5, 5]], 1).tolist() == [[-1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("totals", "sign", "shares"),
    [
        ([20, 31, 9, 22], -1, [0, 0, 1, 0]),
        ([20, 31, 9, 22], 1, [0, 1, 0, 0]),
        ([7, 9, 7], -1, [0.5, 0, 0.5]),
        ([4, 4, 4], 1, [1 / 3] * 3),
        ([-80, -3], 1, [0, 1]),
    ],
)
def test_winners(totals, sign, shares):
    assert win_shares(totals, sign).tolist() == shares
    assert winners(np.array(totals), sign) == [seat for seat, share in enumerate(shares) if share]
    players, won = len(totals), sum(1 for share in shares if share)
    expected = [((players / won if share else 0) - 1) / (players - 1) for share in shares]
    assert win_rewards(totals, sign).tolist() == pytest.approx(expected)
    assert sum(win_rewards(totals, sign)) == pytest.approx(0)
