"""Which triangle is seen where, as compiled routines: a triangle row by row, a row from its first sample to its last.

Ends of rows and spans are half open and the crossing of an edge with a row is found from its lower end upwards, so that triangles with a
common edge leave no gap between them and never share a sample. Of the triangles at a sample the nearest stays, of two as near the later.
A sample has the number (y width + x) samples + s. A triangle has nine numbers: x, y (pixels) and nearness of each corner.

What shows through does not hide what is behind it: its samples are *fragments*, each with its nearness, its triangle and which one follows,
in a list for each sample, from the farthest on.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole

FARTHEST = 1e-30  # nearness that is not zero
SOLID, LINE, CLEAR = 0, 1, 2  # what triangles are: things that hide each other, lines over these, what shows through
AHEAD = 3e-4  # by so much a sheet is nearer than a body whose surface it is
NEAR, TRIANGLE, NEXT, LIT, COLOUR, COVER, FRAGMENT = 0, 1, 2, 3, 4, 7, 8  # parts of a fragment, and how many


@routine
def up(x: Number, last: Whole) -> Any:
    """The whole number at or above x, from 0 to `last`."""
    inside = min(max(x, 0.0), float(last))
    floor = whole(inside)
    return where(inside > float(floor), floor + 1, floor)


@routine
def least(a: Number, b: Number, c: Number) -> Any:
    """The smallest of three."""
    return min(min(a, b), c)  # noqa: PLW3301 (of routines, min takes two)


@routine
def most(a: Number, b: Number, c: Number) -> Any:
    """The largest of three."""
    return max(max(a, b), c)  # noqa: PLW3301


@routine
def crossing(px: Number, py: Number, qx: Number, qy: Number, y: Number, start: Number, stop: Number) -> Any:
    """Where a row begins and ends in a triangle, as far as the edge from p to q says so."""
    ax, ay = where(py > qy, qx, px), where(py > qy, qy, py)  # from the lower end: the same for both triangles of an edge
    bx, by = where(py > qy, px, qx), where(py > qy, py, qy)
    crosses = (ay <= y) and (y < by)
    at = ax + (y - ay) * ((bx - ax) / where(by > ay, by - ay, 1.0))
    return where(crosses, min(start, at), start), where(crosses, max(stop, at), stop)


@routine
def span(t: Vector, ox: Number, y: Number, width: Whole) -> Any:
    """First and last x of the samples of a row at y (offset included) that are inside a triangle, the last not included."""
    start, stop = 1e30, -1e30
    start, stop = crossing(t[0] - ox, t[1], t[3] - ox, t[4], y, start, stop)
    start, stop = crossing(t[3] - ox, t[4], t[6] - ox, t[7], y, start, stop)
    start, stop = crossing(t[6] - ox, t[7], t[0] - ox, t[1], y, start, stop)
    return up(start, width), where(stop > start, up(stop, width), 0)


@routine
def slope(t: Vector) -> Any:
    """a, b, c of the nearness a (x - x0) + b (y - y0) + c of a triangle whose first corner is at x0, y0; of one without area, its mean.

    From the corner on, so that nothing large is subtracted from something large: numbers have seven digits.
    """
    ux, uy, vx, vy = t[3] - t[0], t[4] - t[1], t[6] - t[0], t[7] - t[1]
    du, dv, area = t[5] - t[2], t[8] - t[2], ux * vy - uy * vx
    inverse = where(area == 0.0, 0.0, 1.0 / where(area == 0.0, 1.0, area))
    a, b = (du * vy - dv * uy) * inverse, (dv * ux - du * vx) * inverse
    return a, b, where(area == 0.0, (t[2] + t[5] + t[8]) / 3.0, t[2])


@routine
def insert(at: Whole, near: Number, i: Whole, room: Whole, heads: Vector, fragments: Matrix, used: Vector) -> None:
    """A fragment of triangle i into the list of a sample. used: how many there are, those included for which there was no room."""
    n = whole(used[0])
    used[0] = used[0] + 1.0
    if n < room:
        before, after = -1, whole(heads[at]) - 1
        while (after >= 0) and (fragments[max(after, 0), 0] <= near):
            before, after = after, whole(fragments[after, 2]) - 1
        fragments[n, 0], fragments[n, 1], fragments[n, 2], fragments[n, 3] = near, float(i), float(after + 1), 0.0
        if before < 0:
            heads[at] = float(n + 1)
        else:
            fragments[before, 2] = float(n + 1)


@routine
def scan(
    triangles: Matrix, count: Whole, samples: Matrix, several: Whole, width: Whole, top: Whole, height: Whole, nearest: Vector,
    owner: Vector, kind: Whole, things: Vector, line: Vector, room: Whole, heads: Vector, fragments: Matrix, used: Vector, reach: Matrix,
) -> None:  # fmt: skip
    """What triangles are seen at the samples of the rows from `top` on, `height` of them.

    kind: SOLID, of which the nearest at each sample is noted, and 1 + its number in `owner`; LINE, triangles of `things`: `line` becomes
    1 + the last thing of which one is in front of the sample of something solid; or CLEAR, whose fragments in front of what is solid are
    listed. reach: of each row, the first x and the one after the last x where there may be something, but for lines
    """
    lead = where(kind == CLEAR, 1.0 + AHEAD, 1.0)
    for i in range(count):
        t = triangles[i]
        low, high = least(t[1], t[4], t[7]) - float(top), most(t[1], t[4], t[7]) - float(top)
        left, right = least(t[0], t[3], t[6]), most(t[0], t[3], t[6])
        if high > 0.0 and low < float(height) and right > 0.0 and left < float(width):
            a, b, c = slope(t)
            for s in range(several):
                ox, oy = samples[s, 0], samples[s, 1]
                for row in range(up(low - oy, height), up(high - oy, height)):
                    y = float(row + top) + oy
                    first, last = span(t, ox, y, width)
                    along, off = b * (y - t[1]) + c, ox - t[0]
                    if kind != LINE and last > first:
                        reach[row, 0], reach[row, 1] = min(reach[row, 0], float(first)), max(reach[row, 1], float(last))
                    for x in range(first, last):
                        near = max(a * (float(x) + off) + along, FARTHEST)
                        at = (row * width + x) * several + s
                        if near * lead >= nearest[at]:
                            if kind == SOLID:
                                nearest[at] = near
                                owner[at] = float(i + 1)
                            elif kind == LINE:
                                line[at] = where(owner[at] > 0.0, max(line[at], things[i] + 1.0), 0.0)
                            else:
                                insert(at, near, i, room, heads, fragments, used)
