"""Which shapes come near each other: their balls, in order along an axis, and behind each those that begin before it ends.

    e = radius + reach + margin | sort centre - e along the axis of most spread | balls that overlap | row by row, as pairs are numbered

What is found is what a look at all pairs finds, in the same order. Sorting begins with the order of the step before, which matters for time
alone.
"""

from __future__ import annotations

from redmax.contact.law import CENTRE, KEPT, RADIUS, REACH
from redmax.dynamics.contact.detect import MARGIN, margin_of, near
from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, whole

FIRST, SECOND, NUMBER, KIND = 0, 1, 2, 3  # of two shapes that are near: their rows, the lower kind first; the number of the pair; of kinds
NEAR = 4
KIND_OF, RANK, APART, BEHIND, BASE = 0, 1, 2, 3, 4  # in a table of shapes: its kind, how many of that are before it; where in the list of
# those behind it that it passes through its own begin and end; by kind: the number of its pair with a shape, less the rank of that
AXIS, BEGUN, STATE = 0, 1, 2  # behind the order of the step before: its axis, and 1 where there is one
EXTENT, BEGIN, BALL = 3, 4, 5  # behind the centre of a ball: e, and where it begins along the axis
WIDER = 2.0  # times the spread: then another axis is taken
ROOM = 1.0 + 1e-9  # for roundings: what is near is asked of each pair itself


@routine
def place_balls(
    S: Matrix, B: Matrix, order: Vector, table: Matrix, apart: Vector, shape: Places, numbers: Wholes, others: Wholes, shapes: Whole,
    moving: Whole, columns: Whole, excluded: Whole,
) -> None:  # fmt: skip
    """S: what is kept of each shape; B: its ball; table, apart: whole numbers that are looked up by what is found."""
    for s in range(shapes):
        S[s, 0:KEPT] = shape[s][0:KEPT]
        for c in range(columns):
            table[s, c] = float(numbers[columns * s + c])
    for e in range(excluded):
        apart[e] = float(others[e])
    if order[shapes + BEGUN] != 1.0:
        order[shapes + BEGUN] = 1.0
        order[shapes + AXIS] = 0.0
        for s in range(shapes):
            order[s] = float(s)
    turn_axis(S, order, shapes, moving)
    axis = order[shapes + AXIS]
    for k in range(shapes):
        row, ball = S[whole(order[k])], B[k]
        e = ROOM * (row[RADIUS] + row[REACH] + MARGIN * row[RADIUS])
        x, y, z = row[CENTRE], row[CENTRE + 1], row[CENTRE + 2]
        ball[0] = x
        ball[1] = y
        ball[2] = z
        ball[EXTENT] = e
        ball[BEGIN] = where(axis > 1.5, z, where(axis > 0.5, y, x)) - e


@routine
def turn_axis(S: Matrix, order: Vector, shapes: Whole, moving: Whole) -> None:
    """To the axis along which the centres of what moves are spread most, if that is much more than along the one before."""
    a, b, c, p, q, r = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for s in range(moving):
        x, y, z = S[s, CENTRE] - S[0, CENTRE], S[s, CENTRE + 1] - S[0, CENTRE + 1], S[s, CENTRE + 2] - S[0, CENTRE + 2]
        a, b, c = a + x, b + y, c + z
        p, q, r = p + x * x, q + y * y, r + z * z
    m = float(moving)
    a, b, c = p - a * a / m, q - b * b / m, r - c * c / m
    now = order[shapes + AXIS]
    spread = WIDER * where(now > 1.5, c, where(now > 0.5, b, a))
    most = max(b, c)
    if a > spread or most > spread:
        order[shapes + AXIS] = where(a >= most, 0.0, where(b >= c, 1.0, 2.0))


@routine
def sort_balls(B: Matrix, order: Vector, shapes: Whole) -> None:
    """By where they begin: each is put before those of the ones before it that begin later."""
    for k in range(1, shapes):
        begin = B[k, BEGIN]
        if B[k - 1, BEGIN] > begin:
            s, x, y, z, e = order[k], B[k, 0], B[k, 1], B[k, 2], B[k, EXTENT]
            m, going = float(k), 1.0
            while going > 0.5:
                to, of = B[whole(m)], B[whole(m - 1.0)]
                order[whole(m)] = order[whole(m - 1.0)]
                for i in range(BALL):
                    to[i] = of[i]
                m -= 1.0
                going = where(m > 0.5, where(B[whole(max(m - 1.0, 0.0)), BEGIN] > begin, 1.0, 0.0), 0.0)
            ball = B[whole(m)]
            order[whole(m)] = s
            ball[0] = x
            ball[1] = y
            ball[2] = z
            ball[EXTENT] = e
            ball[BEGIN] = begin


@routine
def find_near(
    S: Matrix, B: Matrix, order: Vector, table: Matrix, pairs: Matrix, many: Vector, begin: Vector, shapes: Whole, moving: Whole,
    room: Whole,
) -> None:  # fmt: skip
    """pairs: two shapes each, of which one moves, as many as are near; begin: how many of them each shape is the first of."""
    n, axis = 0.0, order[shapes + AXIS]
    for s in range(shapes + 1):
        begin[s] = 0.0
    for k in range(shapes):
        s, x, y, z, e = order[k], B[k, 0], B[k, 1], B[k, 2], B[k, EXTENT]
        end = where(axis > 1.5, z, where(axis > 0.5, y, x)) + e
        m = float(k) + 1.0
        going = where(m < float(shapes) - 0.5, where(B[whole(m), BEGIN] <= end, 1.0, 0.0), 0.0)
        while going > 0.5:
            ball = B[whole(m)]
            a, b, c, reach = ball[0] - x, ball[1] - y, ball[2] - z, ball[EXTENT] + e
            if a * a + b * b + c * c <= reach * reach:
                t = order[whole(m)]
                first, second = min(s, t), max(s, t)
                if first < float(moving) - 0.5 and n < float(room) - 0.5:
                    swapped = where(table[whole(first), KIND_OF] > table[whole(second), KIND_OF], 1.0, 0.0)
                    i, j = where(swapped > 0.5, second, first), where(swapped > 0.5, first, second)
                    close = near(S[whole(i)], S[whole(j)], margin_of(S[whole(i)], S[whole(j)]))
                    if close > 0.5:
                        pairs[whole(n), FIRST] = first
                        pairs[whole(n), SECOND] = second
                        begin[whole(first) + 1] += 1.0
                        n += 1.0
            m += 1.0
            going = where(m < float(shapes) - 0.5, where(B[whole(m), BEGIN] <= end, 1.0, 0.0), 0.0)
    many[0] = n
    for s in range(shapes):
        begin[s + 1] += begin[s]


@routine
def number_near(
    table: Matrix, apart: Vector, pairs: Matrix, many: Vector, begin: Vector, seconds: Vector, rest: Vector, shapes: Whole, kinds: Whole
) -> None:
    """pairs: those that may touch, the lower kind first, in the order of all pairs of their kinds, with their numbers."""
    for s in range(shapes):
        rest[s] = begin[s]
    for k in range(whole(many[0])):
        i = whole(pairs[k, FIRST])
        seconds[whole(rest[i])] = pairs[k, SECOND]
        rest[i] += 1.0
    n = 0.0
    for s in range(shapes):
        row, count = seconds[whole(begin[s]) :], whole(begin[s + 1] - begin[s])
        for k in range(1, count):
            t, m = row[k], float(k)
            going = where(row[k - 1] > t, 1.0, 0.0)
            while going > 0.5:
                row[whole(m)] = row[whole(m - 1.0)]
                m -= 1.0
                going = where(m > 0.5, where(row[whole(max(m - 1.0, 0.0))] > t, 1.0, 0.0), 0.0)
            row[whole(m)] = t
        for k in range(count):
            j = whole(row[k])
            mine, other = table[s, KIND_OF], table[j, KIND_OF]
            number, may = table[s, BASE + whole(other)] + table[j, RANK], 1.0
            for e in range(whole(table[s, APART]), whole(table[s, BEHIND])):
                if apart[e] < row[k] - 0.5:
                    number -= where(abs(table[whole(apart[e]), KIND_OF] - other) < 0.5, 1.0, 0.0)
                elif apart[e] < row[k] + 0.5:
                    may = 0.0
            if may > 0.5:
                out = pairs[whole(n)]
                out[FIRST] = where(mine > other, row[k], float(s))
                out[SECOND] = where(mine > other, float(s), row[k])
                out[NUMBER] = number
                out[KIND] = min(mine, other) * float(kinds) + max(mine, other)
                n += 1.0
    many[0] = n
