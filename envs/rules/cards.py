"""What the rules of trick-taking games share: following suit, seats seen from a seat, rows of numbers."""

from typing import Any

from .contract import inline_rule, rule

# For speed: numba makes vector code of a loop whose bound is the length of a plain array or slice and whose counter is
# the only index. A constant bound is unrolled instead, an offset added to the counter or a slice assigned to a slice
# is slow too: hence `copy(row, out[at:])`, and loops over the array that is written.


@rule
def copy(row: Any, out: Any) -> None:
    """Copies `row` to the beginning of `out`."""
    for i in range(len(row)):
        out[i] = row[i]


@rule
def fill(out: Any, value: int) -> None:
    """Sets all of `out`."""
    for i in range(len(out)):
        out[i] = value


@rule
def rotate(seat: int, players: int, size: int, rows: Any, out: Any) -> None:
    """Copies `rows`, flat with `size` numbers a seat, to the beginning of `out`, clockwise from `seat`."""
    copy(rows[seat * size : players * size], out)
    copy(rows[: seat * size], out[(players - seat) * size :])


@rule
def subtract(row: Any, less: Any, out: Any) -> None:
    """Writes `row` - `less` to the beginning of `out`."""
    for i in range(len(row)):
        out[i] = row[i] - less[i]


@inline_rule
def among(hand: Any, row: Any, out: Any) -> None:
    """Copies `row` to the beginning of `out` where `hand`, with one card of a kind at most, has it."""
    for i in range(len(hand)):
        out[i] = row[i] * hand[i]


@rule
def hold(hand: Any, mask: Any) -> None:
    """Marks in `mask` every kind of card in `hand` (counts by kind)."""
    for card in range(len(mask)):
        mask[card] = hand[card] > 0


@inline_rule
def follow(hand: Any, members: Any, mask: Any) -> None:
    """Marks in `mask` what may be played from `hand` (counts by kind) to a trick of a suit: whoever holds a card of
    the suit, 1 in `members`, must play one; whoever holds none may play anything.
    """
    held = False
    for card in range(len(mask)):
        has = hand[card] > 0
        mask[card] = has
        held |= has & (members[card] > 0)
    if held:
        for card in range(len(mask)):
            mask[card] &= members[card]


@inline_rule
def beats(hand: Any, power: Any, best: int, out: Any) -> None:
    """Marks at the beginning of `out` the cards of `hand` with more `power` than `best`."""
    limit = power.dtype.type(best)  # of one type, many are compared at a time
    for i in range(len(hand)):
        out[i] = (hand[i] > 0) & (power[i] > limit)


@rule
def relative(seat: int, viewer: int, players: int) -> int:
    """How far clockwise `seat` sits from `viewer`."""
    return seat - viewer if seat >= viewer else seat - viewer + players


@rule
def clockwise(seat: int, steps: int, players: int) -> int:
    """The seat `steps` clockwise from `seat`."""
    return seat + steps if seat + steps < players else seat + steps - players


@rule
def clip(value: int, low: int, high: int) -> int:
    """`value` within [low, high]."""
    return low if value < low else high if value > high else value


@rule
def new_game(s: Any, starter: int) -> None:
    """Totals at zero; `starter` starts the first round."""
    s.rounds_played = 0
    s.starter = starter
    s.game_over = 0
    fill(s.total, 0)


@rule
def start_round(s: Any) -> None:
    """Nothing is earned yet."""
    fill(s.earned, 0)
    s.round_over = 0


@rule
def end_round(s: Any) -> None:
    """What was `earned` goes to the totals, the start passes clockwise; the game ends after its number of rounds."""
    for seat in range(s.players):
        s.total[seat] += s.earned[seat]
    s.starter = s.starter + 1 if s.starter + 1 < s.players else 0
    s.rounds_played += 1
    s.round_over = 1
    s.game_over = s.rounds_played == s.rounds
