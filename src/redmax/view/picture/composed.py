"""The pixels of some rows, one by one: what is behind, the light of what is solid at the samples, what shows through over it, the mean."""

from __future__ import annotations

from typing import Any

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.view.picture.clear_light import lay
from redmax.view.picture.ground import behind
from redmax.view.picture.light import angle_at, light

CLEAREST = 1e-6  # opacity of a pixel that has no colour


@routine
def highest(v: Vector, first: Whole) -> Any:
    """The largest of four entries."""
    return max(max(v[first], v[first + 1]), max(v[first + 2], v[first + 3]))  # noqa: PLW3301 (of routines, max takes two)


@routine
def lowest(v: Vector, first: Whole) -> Any:
    """The smallest of four entries."""
    return min(min(v[first], v[first + 1]), min(v[first + 2], v[first + 3]))  # noqa: PLW3301


@routine
def put(q: Whole, clear: Whole, red: Number, green: Number, blue: Number, alpha: Number, out: Vector) -> None:
    """A pixel as numbers from 0 to 255, half above the number that is meant. clear: 1 if its opacity is wanted, and its colours without."""
    if clear > 0:
        share = 255.0 / max(alpha, CLEAREST)
        out[4 * q], out[4 * q + 1] = min(red * share + 0.5, 255.5), min(green * share + 0.5, 255.5)
        out[4 * q + 2], out[4 * q + 3] = min(blue * share + 0.5, 255.5), min(alpha * 255.0 + 0.5, 255.5)
    else:
        out[3 * q], out[3 * q + 1] = min(red * 255.0 + 0.5, 255.5), min(green * 255.0 + 0.5, 255.5)
        out[3 * q + 2] = min(blue * 255.0 + 0.5, 255.5)


@routine
def compose(
    height: Whole, width: Whole, top: Whole, left: Whole, right: Whole, clear: Whole, several: Whole, layers: Whole, reach: Matrix,
    nearest: Vector, owner: Vector, line: Vector, heads: Vector, fragments: Matrix, samples: Matrix, triangles: Matrix, normals: Matrix,
    facts: Matrix, films: Matrix, film_normals: Matrix, film_facts: Matrix, things: Matrix, view: Vector, shadow: Vector, size: Whole,
    screen: Vector, turns: Matrix, disc: Matrix, ground: Vector, scene: Matrix, kept: Whole, shade: Vector, plain: Vector, seen: Matrix,
    out: Vector,
) -> None:  # fmt: skip
    """The columns from `left` to `right` of rows from `top` on, `height` of them; samples where something was are then empty again.

    reach: of each row, from where to where there may be something, or shade; scene: what is behind, its first row that is `kept` the first
    of the picture or of the band; colours of samples, `seen`, and of the scene are times their opacity
    """
    for row in range(height):
        start, stop = whole(reach[row, 0]), whole(reach[row, 1])
        for x in range(left, right):
            p = row * width + x
            back, first, q = scene[p + kept * width], several * p, row * (right - left) + x - left
            if x < start or x >= stop:
                put(q, clear, back[0], back[1], back[2], back[3], out)
            else:
                solid, through = highest(owner, first), 0.0
                if layers > 0:
                    through = highest(heads, first)
                red, green, blue, alpha = 0.0, 0.0, 0.0, 0.0
                if lowest(owner, first) == 0.0:
                    red, green, blue = behind(back, ground, shade, size // 2, plain)
                    alpha = back[3]
                if solid > 0.0 or through > 0.0:
                    turn = turns[angle_at(float(x), float(row + top))]
                    for s in range(several):
                        seen[s, 0], seen[s, 1], seen[s, 2], seen[s, 3] = red, green, blue, alpha
                    if solid > 0.0:
                        light(
                            first, float(x), float(row + top), several, nearest, owner, line, samples, triangles, normals, facts, things,
                            view, shadow, size, screen, turn, disc, seen,
                        )  # fmt: skip
                    if through > 0.0:
                        lay(
                            first, float(x), float(row + top), several, heads, fragments, samples, films, film_normals, film_facts, things,
                            view, shadow, size, screen, turn, disc, seen,
                        )  # fmt: skip
                    red, green, blue, alpha = 0.0, 0.0, 0.0, 0.0
                    for s in range(several):
                        red, green, blue, alpha = red + seen[s, 0], green + seen[s, 1], blue + seen[s, 2], alpha + seen[s, 3]
                        nearest[first + s], owner[first + s], line[first + s] = 0.0, 0.0, 0.0
                        if layers > 0:
                            heads[first + s] = 0.0
                    share = 1.0 / float(several)
                    red, green, blue, alpha = share * red, share * green, share * blue, share * alpha
                put(q, clear, red, green, blue, alpha, out)
