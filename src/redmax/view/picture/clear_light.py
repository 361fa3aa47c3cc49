"""Sheets, and bodies that are not opaque, over what is seen, as compiled routines: fragments of a sample are mixed from the farthest on.

Light changes little across such a surface within a pixel: it is found at the first sample, and shared by the others that show the same
surface in the same layer about as near.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.view.picture.light import mixed, normal_at, ray, shares, smooth, terms, to_screen, toward_eye
from redmax.view.picture.scan import COLOUR, COVER, LIT, NEAR, NEXT, TRIANGLE
from redmax.view.picture.soft_shadow import lamp_reaches
from redmax.view.picture.view_facts import AMBIENT, BODY, EDGE, EYE, KEY, LAMP, METAL, SHEET, SKY, TONE

SAME = 0.01  # difference of nearness within one layer of a pixel
LINE_WIDTH, LINE_COVER = 0.55, 0.85
THROUGH = 0.85  # of the lamp shines through a sheet
GRAZING = 0.9  # cover along the line of sight
PATTERN, STEP, CLEAR_FACTS = 1, 7, 9  # parts of what is known of a triangle, behind the number of its thing


@routine
def line_cover(at: Number, pixel: Number) -> Any:
    """How much a line at whole numbers of `at` covers, where it grows by `pixel` from pixel to pixel."""
    drawn = min(LINE_WIDTH * pixel, 0.5)
    off = at - 0.5
    off = off - float(whole(off)) + where(off < float(whole(off)), 1.0, 0.0)  # its fraction
    return 1.0 - smooth(drawn - 0.75 * pixel, drawn + 0.75 * pixel, abs(off - 0.5))


@routine
def pattern_lines(fact: Vector, w0: Number, w1: Number, w2: Number) -> Any:
    """How much the lines of a sheet cover, at a place with these shares of the corners of a triangle; nothing where they are dense."""
    a = w0 * fact[PATTERN] + w1 * fact[PATTERN + 2] + w2 * fact[PATTERN + 4]
    b = w0 * fact[PATTERN + 1] + w1 * fact[PATTERN + 3] + w2 * fact[PATTERN + 5]
    covered = max(line_cover(a, fact[STEP]), line_cover(b, fact[STEP + 1]))
    return covered * (1.0 - smooth(0.15, 0.5, max(fact[STEP], fact[STEP + 1])))


@routine
def clear_lit(
    view: Vector, t: Vector, normal: Vector, fact: Vector, thing: Vector, x: Number, y: Number, near: Number, turn: Vector, disc: Matrix,
    shadow: Vector, size: Whole, screen: Vector,
) -> Any:  # fmt: skip
    """Red, green and blue, as the screen has them, and how much it covers, of a triangle that shows through at a place of the picture."""
    rx, ry, rz = ray(view, x, y)
    far = 1.0 / near
    wx, wy, wz = view[EYE] + rx * far, view[EYE + 1] + ry * far, view[EYE + 2] + rz * far
    s1, s2 = shares(t, x, y)
    w0, w1, w2 = (1.0 - s1 - s2) * t[2] * far, s1 * t[5] * far, s2 * t[8] * far
    nx, ny, nz = normal_at(normal, w0, w1, w2)
    ex, ey, ez = toward_eye(view, wx, wy, wz)
    toward, sheet, usual = nx * ex + ny * ey + nz * ez, thing[SHEET], thing[BODY]
    side = where(toward < 0.0, -1.0, 1.0)
    nx, ny, nz = side * nx, side * ny, side * nz
    away = (sheet > 0.0) and (nx * view[LAMP + 6] + ny * view[LAMP + 7] + nz * view[LAMP + 8] < 0.0)
    side = where(away, -1.0, 1.0)
    key = lamp_reaches(view, wx, wy, wz, side * nx, side * ny, side * nz, turn, disc, shadow, size)
    key = view[KEY] * key * where(away, THROUGH, 1.0)
    opened, sky, fill, shine, rim = terms(view, thing, wz, nx, ny, nz, ex, ey, ez, key)
    line = 0.0
    if sheet > 0.0:
        line = pattern_lines(fact, w0, w1, w2)
    below = 0.3 * view[AMBIENT] * max(0.0 - nz, 0.0) * sheet
    red = thing[TONE] + line * (thing[EDGE] - thing[TONE])
    green = thing[TONE + 1] + line * (thing[EDGE + 1] - thing[TONE + 1])
    blue = thing[TONE + 2] + line * (thing[EDGE + 2] - thing[TONE + 2])
    red = mixed(view, thing[METAL], 0, red, opened, sky, key, fill, shine, rim) + below * view[SKY] * red
    green = mixed(view, thing[METAL], 1, green, opened, sky, key, fill, shine, rim) + below * view[SKY + 1] * green
    blue = mixed(view, thing[METAL], 2, blue, opened, sky, key, fill, shine, rim) + below * view[SKY + 2] * blue
    grazing = 1.0 - abs(toward)
    grazing = grazing * grazing * grazing * where(sheet > 0.0, 1.0, usual)
    cover = usual + grazing * (max(where(usual > 0.0, GRAZING, 0.0), usual) - usual)
    return to_screen(red, screen), to_screen(green, screen), to_screen(blue, screen), cover + line * (LINE_COVER - cover)


@routine
def lay(
    first: Whole, x: Number, y: Number, several: Whole, heads: Vector, fragments: Matrix, samples: Matrix, triangles: Matrix,
    normals: Matrix, facts: Matrix, things: Matrix, view: Vector, shadow: Vector, size: Whole, screen: Vector, turn: Vector, disc: Matrix,
    seen: Matrix,
) -> None:  # fmt: skip
    """Put the fragments of a pixel over the colours of its samples."""
    for s in range(several):
        f, lead = whole(heads[first + s]) - 1, whole(heads[first]) - 1  # the same layer of the first sample
        while f >= 0:
            near, i, donor = fragments[f, NEAR], whole(fragments[f, TRIANGLE]), f
            if lead >= 0:
                same = facts[whole(fragments[lead, TRIANGLE]), 0] == facts[i, 0]
                if same and abs(fragments[lead, NEAR] / near - 1.0) < SAME:
                    donor = lead
            found = fragments[donor]
            if found[LIT] == 0.0:
                red, green, blue, covers = clear_lit(
                    view, triangles[i], normals[i], facts[i], things[whole(facts[i, 0])], x + samples[s, 0], y + samples[s, 1], near, turn,
                    disc, shadow, size, screen,
                )  # fmt: skip
                found[LIT], found[COLOUR], found[COLOUR + 1], found[COLOUR + 2], found[COVER] = 1.0, red, green, blue, covers
            for k in range(3):
                seen[s, k] = seen[s, k] + found[COVER] * (found[COLOUR + k] - seen[s, k])
            seen[s, 3] = seen[s, 3] + found[COVER] * (1.0 - seen[s, 3])
            f = whole(fragments[f, NEXT]) - 1
            if lead >= 0:
                lead = whole(fragments[lead, NEXT]) - 1
