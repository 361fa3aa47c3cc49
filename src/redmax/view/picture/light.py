"""The light of solid things at the samples where they are seen, as compiled routines. Terms and weights are those of the page's shaders.

Samples of one pixel that show one thing from about the same side share the light that is found at the first of them.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.view.picture.soft_shadow import TURNS, lamp_reaches
from redmax.view.picture.view_facts import (
    AMBIENT,
    AXES,
    BACK,
    EDGE,
    EYE,
    FILL,
    FLOOR,
    HEIGHT,
    KEY,
    LAMP,
    MARKED,
    METAL,
    OPACITY,
    ORIGIN,
    REACH,
    RIGHT,
    RIM,
    SHARP,
    SHINE,
    SIZE,
    SKY,
    SLOPES,
    THIN,
    TONE,
    UP,
)

SAME_SIDE = 0.97  # cosine between the flat normals of triangles that share their light
MARK, WEAVE = 0.17, 0.2  # by how much octants and edges of cloth are darker
THROUGH = 0.4  # of the lamp shines through cloth
STEPS, BRIGHTEST = 32767, 4.0  # of the table from light to screen


@routine
def smooth(low: Number, high: Number, x: Number) -> Any:
    """From 0 below `low` to 1 above `high`, with no corner."""
    s = min(max((x - low) / (high - low), 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@routine
def to_screen(linear: Number, screen: Vector) -> Any:
    """What a screen shows for a light; bent where it is too bright, so that lit faces keep their hue: one table holds both."""
    return screen[whole(min(max(linear, 0.0), BRIGHTEST) * (STEPS / BRIGHTEST) + 0.5)]


@routine
def octant(thing: Vector, wx: Number, wy: Number, wz: Number) -> Any:
    """Whether a point is in one of the darker octants of a round body: 1 or 0."""
    x, y, z = wx - thing[ORIGIN], wy - thing[ORIGIN + 1], wz - thing[ORIGIN + 2]
    a = x * thing[AXES] + y * thing[AXES + 3] + z * thing[AXES + 6]
    b = x * thing[AXES + 1] + y * thing[AXES + 4] + z * thing[AXES + 7]
    c = x * thing[AXES + 2] + y * thing[AXES + 5] + z * thing[AXES + 8]
    return where(a * b * c < 0.0, thing[MARKED], 0.0)


@routine
def ray(view: Vector, x: Number, y: Number) -> Any:
    """The direction seen at a place of the picture (pixels), as long as to advance by 1 along the line of sight."""
    a, b = (2.0 * x / view[SIZE] - 1.0) * view[SLOPES], (1.0 - 2.0 * y / view[SIZE + 1]) * view[SLOPES + 1]
    return (
        a * view[RIGHT] + b * view[UP] - view[BACK],
        a * view[RIGHT + 1] + b * view[UP + 1] - view[BACK + 1],
        a * view[RIGHT + 2] + b * view[UP + 2] - view[BACK + 2],
    )


@routine
def weave_of(t: Vector, edges: Vector, s0: Number, s1: Number, s2: Number) -> Any:
    """How much the edges between triangles of cloth cover at a place with these shares of the corners."""
    area = abs((t[3] - t[0]) * (t[7] - t[1]) - (t[4] - t[1]) * (t[6] - t[0]))
    result = 0.0
    for k in range(3):
        i, j = (k + 1) - 3 * ((k + 1) // 3), (k + 2) - 3 * ((k + 2) // 3)
        dx, dy = t[3 * i] - t[3 * j], t[3 * i + 1] - t[3 * j + 1]
        height = area / max(sqrt(dx * dx + dy * dy), 1e-12)
        share = where(k == 0, s0, where(k == 1, s1, s2))
        cover = (1.0 - smooth(0.3, 1.3, share * height)) * (1.0 - smooth(0.08, 0.3, 1.0 / max(height, 1e-6)))
        result = max(result, cover * edges[k])
    return result


@routine
def shares(t: Vector, x: Number, y: Number) -> Any:
    """How near a place of the picture is to the second and third corner of a triangle, 0 on the edge across to 1."""
    ux, uy, vx, vy = t[3] - t[0], t[4] - t[1], t[6] - t[0], t[7] - t[1]
    area, px, py = ux * vy - uy * vx, x - t[0], y - t[1]
    inverse = 1.0 / where(area == 0.0, 1.0, area)
    return (px * vy - py * vx) * inverse, (ux * py - uy * px) * inverse


@routine
def normal_at(normal: Vector, w0: Number, w1: Number, w2: Number) -> Any:
    """The unit normal between those of the corners of a triangle."""
    nx = w0 * normal[0] + w1 * normal[3] + w2 * normal[6]
    ny = w0 * normal[1] + w1 * normal[4] + w2 * normal[7]
    nz = w0 * normal[2] + w1 * normal[5] + w2 * normal[8]
    long = 1.0 / max(sqrt(nx * nx + ny * ny + nz * nz), 1e-20)
    return nx * long, ny * long, nz * long


@routine
def toward_eye(view: Vector, wx: Number, wy: Number, wz: Number) -> Any:
    """The unit vector from a point to the eye."""
    ex, ey, ez = view[EYE] - wx, view[EYE + 1] - wy, view[EYE + 2] - wz
    long = 1.0 / sqrt(ex * ex + ey * ey + ez * ez)
    return ex * long, ey * long, ez * long


@routine
def terms(
    view: Vector, thing: Vector, wz: Number, nx: Number, ny: Number, nz: Number, ex: Number, ey: Number, ez: Number, key: Number
) -> Any:
    """What all colours have in common at a point: light from around, how much of it is sky, the second lamp, the shine, the rim."""
    hx, hy, hz = ex + view[LAMP + 6], ey + view[LAMP + 7], ez + view[LAMP + 8]
    long = 1.0 / max(sqrt(hx * hx + hy * hy + hz * hz), 1e-20)
    fill = 0.16 * view[KEY] * max(nx * view[FILL] + ny * view[FILL + 1] + nz * view[FILL + 2], 0.0)
    above = wz - view[HEIGHT] + 0.5 * view[REACH] * (nz + 1.0)
    opened = view[AMBIENT] * (0.72 + 0.28 * smooth(0.0, view[REACH], above))
    back = 1.0 - max(nx * ex + ny * ey + nz * ez, 0.0)
    rim = 0.04 + 0.30 * back * back * back * back * back * thing[RIM]
    gloss = max((nx * hx + ny * hy + nz * hz) * long, 0.0)
    gloss = gloss * gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss  # the 24th power
    gloss = where(thing[SHARP] > 0.0, gloss * gloss * gloss * gloss * gloss * gloss, gloss * gloss)
    return opened, 0.5 + 0.5 * nz, fill, gloss * (thing[SHINE] + rim) * key, rim


@routine
def mixed(
    view: Vector, metal: Number, k: Whole, base: Number, opened: Number, sky: Number, key: Number, fill: Number, shine: Number, rim: Number
) -> Any:
    """The light of colour k from a surface whose own colour has `base` of it."""
    ambient = opened * (view[FLOOR + k] + sky * (view[SKY + k] - view[FLOOR + k]))
    lamp = where(k == 0, 1.0, where(k == 1, 0.975, 0.94))
    second = where(k == 0, 0.85, where(k == 1, 0.92, 1.0))
    own = 1.0 - metal + metal * base
    light = (1.0 - 0.55 * metal) * base * (0.56 * ambient + 1.08 * key * lamp + fill * second) + own * shine
    return light + 0.45 * rim * ambient * (1.0 + 2.0 * metal * base)


@routine
def lit(
    view: Vector, t: Vector, normal: Vector, edges: Vector, thing: Vector, x: Number, y: Number, near: Number, dark: Number, turn: Vector,
    disc: Matrix, shadow: Vector, size: Whole, screen: Vector,
) -> Any:  # fmt: skip
    """Red, green and blue, as the screen has them, of a triangle at a place of the picture."""
    rx, ry, rz = ray(view, x, y)
    far = 1.0 / near
    wx, wy, wz = view[EYE] + rx * far, view[EYE + 1] + ry * far, view[EYE + 2] + rz * far
    s1, s2 = shares(t, x, y)
    s0 = 1.0 - s1 - s2
    nx, ny, nz = normal_at(normal, s0 * t[2] * far, s1 * t[5] * far, s2 * t[8] * far)  # linear in the world, not on the picture
    tone = 1.0 - MARK * dark
    if thing[THIN] > 0.0:
        tone = tone - WEAVE * weave_of(t, edges, s0, s1, s2)
    away = (thing[THIN] > 0.0) and (nx * view[LAMP + 6] + ny * view[LAMP + 7] + nz * view[LAMP + 8] < 0.0)
    side = where(away, -1.0, 1.0)
    key = lamp_reaches(view, wx, wy, wz, side * nx, side * ny, side * nz, turn, disc, shadow, size)
    key = view[KEY] * key * where(away, THROUGH, 1.0)
    ex, ey, ez = toward_eye(view, wx, wy, wz)
    opened, sky, fill, shine, rim = terms(view, thing, wz, nx, ny, nz, ex, ey, ez, key)
    red = mixed(view, thing[METAL], 0, thing[TONE] * tone, opened, sky, key, fill, shine, rim)
    green = mixed(view, thing[METAL], 1, thing[TONE + 1] * tone, opened, sky, key, fill, shine, rim)
    blue = mixed(view, thing[METAL], 2, thing[TONE + 2] * tone, opened, sky, key, fill, shine, rim)
    return to_screen(red, screen), to_screen(green, screen), to_screen(blue, screen)


@routine
def angle_at(x: Number, y: Number) -> Any:
    """The number of the angle of a pixel: interleaved gradient noise (Jimenez 2014), different at neighbours, even over any few."""
    grain = 0.06711056 * x + 0.00583715 * y
    grain = 52.9829189 * (grain - float(whole(grain)))
    return min(whole((grain - float(whole(grain))) * float(TURNS)), TURNS - 1)


@routine
def light(
    first: Whole, x: Number, y: Number, several: Whole, nearest: Vector, owner: Vector, line: Vector, samples: Matrix, triangles: Matrix,
    normals: Matrix, facts: Matrix, things: Matrix, view: Vector, shadow: Vector, size: Whole, screen: Vector, turn: Vector, disc: Matrix,
    seen: Matrix,
) -> None:  # fmt: skip
    """Colours of solid things, with the lines over them, at the samples of a pixel that show some: red, green, blue, 1.

    facts: of a triangle, the number of its thing, then which of its edges show; normals: of its corners, then its own
    """
    for s in range(several):
        at = first + s
        if owner[at] > 0.0:
            i = whole(owner[at]) - 1
            thing, n = things[whole(facts[i, 0])], normals[i]
            sx, sy, dark = x + samples[s, 0], y + samples[s, 1], 0.0
            if thing[MARKED] > 0.0:
                rx, ry, rz = ray(view, sx, sy)
                far = 1.0 / nearest[at]
                dark = octant(thing, view[EYE] + rx * far, view[EYE + 1] + ry * far, view[EYE + 2] + rz * far)
            seen[s, 4] = dark
            leader = -1
            if s > 0 and owner[at] == owner[max(at - 1, first)] and dark == seen[max(s - 1, 0), 4]:
                leader = s - 1  # mostly; otherwise one of those before
            others = where(leader < 0, s, 0)
            for other in range(others):
                if owner[first + other] > 0.0 and leader < 0:
                    j = whole(owner[first + other]) - 1
                    m = normals[j]
                    alike = (facts[j, 0] == facts[i, 0]) and (seen[other, 4] == dark)
                    if alike and n[9] * m[9] + n[10] * m[10] + n[11] * m[11] > SAME_SIDE:
                        leader = other
            red, green, blue = 0.0, 0.0, 0.0
            if leader >= 0:
                red, green, blue = seen[leader, 5], seen[leader, 6], seen[leader, 7]
            else:
                red, green, blue = lit(
                    view, triangles[i], n, facts[i][1:], thing, sx, sy, nearest[at], dark, turn, disc, shadow, size, screen
                )
            seen[s, 5], seen[s, 6], seen[s, 7] = red, green, blue
            if line[at] > 0.0:
                over = things[whole(line[at]) - 1]
                red = red + over[OPACITY] * (over[EDGE] - red)
                green = green + over[OPACITY] * (over[EDGE + 1] - green)
                blue = blue + over[OPACITY] * (over[EDGE + 2] - blue)
            seen[s, 0], seen[s, 1], seen[s, 2], seen[s, 3] = red, green, blue, 1.0
