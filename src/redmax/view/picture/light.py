"""The light of solid things at the samples where they are seen, as a compiled routine. Terms and weights are those of the page's shaders.

Samples of one pixel that show one thing from about the same side share the light that is found at the first of them. The edge of a
shadow is as wide as what casts it is far away: looks into the shadow map around a point find how far, then how much of the lamp is open
(percentage-closer soft shadows, Fernando 2005), turned by another angle at each pixel, which hides the pattern. The map holds 2 - depth.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.view.picture.scan import most

SAME_SIDE = 0.97  # cosine between the flat normals of triangles that share their light
MARK, WEAVE = 0.17, 0.2  # by how much octants and edges of cloth are darker
THROUGH = 0.4  # of the lamp shines through cloth
SEARCH, TAPS = 8, 24  # looks for what casts a shadow, and for how much of the lamp it covers
TURNS = 256  # angles that looks are turned by
WIDEST = 0.08  # rim of a shadow, of the box of the lamp
STEPS, BRIGHTEST = 32767, 4.0  # of the table from light to screen
# Parts of what describes the eye and the lights, by where they begin
EYE, RIGHT, UP, BACK, SLOPES, SIZE = 0, 3, 6, 9, 12, 14
LAMP, CORNER, SCALE, FILL, TEXEL, SOFT, STEEP = 16, 25, 28, 31, 34, 35, 36
KEY, AMBIENT, SKY, FLOOR, HEIGHT, REACH = 37, 38, 39, 42, 45, 46
VIEW = 47
# Parts of what describes a thing
TONE, THIN, MARKED, AXES, ORIGIN, SHINE, RIM, METAL, EDGE, OPACITY, SHARP = 0, 3, 4, 5, 14, 17, 18, 19, 20, 23, 24
THING = 25


@routine
def smooth(low: Number, high: Number, x: Number) -> Any:
    """From 0 below `low` to 1 above `high`, with no corner."""
    s = min(max((x - low) / (high - low), 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@routine
def shade_of(
    u: Number, v: Number, depth: Number, su: Number, sv: Number, c: Number, s: Number, reach: Number, disc: Matrix, k: Whole,
    shadow: Vector, size: Whole,
) -> Any:  # fmt: skip
    """How far the plane of the surface is behind what the lamp sees, at one place around."""
    du, dv = reach * (c * disc[k, 0] - s * disc[k, 1]), reach * (s * disc[k, 0] + c * disc[k, 1])
    column = min(max(whole((u + du) * float(size)), 0), size - 1)
    row = min(max(whole((v + dv) * float(size)), 0), size - 1)
    return depth + su * du + sv * dv + shadow[row * size + column] - 2.0


@routine
def lamp_reaches(
    view: Vector, wx: Number, wy: Number, wz: Number, nx: Number, ny: Number, nz: Number, turn: Vector, disc: Matrix, shadow: Vector,
    size: Whole,
) -> Any:  # fmt: skip
    """How much of the lamp reaches a point of a surface with this normal, 0 to 1, times how it faces it. turn: cosine and sine."""
    lamp = view[16:]
    facing = nx * lamp[6] + ny * lamp[7] + nz * lamp[8]
    result = 0.0
    if facing > 0.02:
        off = 1.5 * view[TEXEL]
        px, py, pz = wx + off * nx, wy + off * ny, wz + off * nz
        u = (lamp[0] * px + lamp[1] * py + lamp[2] * pz - view[CORNER]) / view[SCALE]
        v = (lamp[3] * px + lamp[4] * py + lamp[5] * pz - view[CORNER + 1]) / view[SCALE + 1]
        depth = (lamp[6] * px + lamp[7] * py + lamp[8] * pz - view[CORNER + 2]) / view[SCALE + 2]
        texel, ratio = 1.0 / float(size), view[SOFT]
        reach = min(max(ratio * depth, 2.0 * texel), WIDEST)
        depth = depth + off / view[SCALE + 2]
        over = view[STEEP] / max(facing, 0.15)
        su, sv = (nx * lamp[0] + ny * lamp[1] + nz * lamp[2]) * over, (nx * lamp[3] + ny * lamp[4] + nz * lamp[5]) * over
        c, s, gaps, found = turn[0], turn[1], 0.0, 0.0
        for k in range(SEARCH):
            above = shade_of(u, v, depth, su, sv, c, s, reach, disc, k, shadow, size)
            gaps, found = gaps + max(above, 0.0), found + where(above > 0.0, 1.0, 0.0)
        result = facing
        if found > 0.0:
            blur, opened = min(max(ratio * gaps / found, 1.3 * texel), reach), 0.0
            for k in range(SEARCH, SEARCH + TAPS):
                above = shade_of(u, v, depth, su, sv, c, s, blur, disc, k, shadow, size)
                opened = opened + where(above > 0.0, 0.0, 1.0)
            result = facing * opened / float(TAPS)
    return result


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
def lit(
    view: Vector, t: Vector, normal: Vector, edges: Vector, thing: Vector, x: Number, y: Number, near: Number, dark: Number, turn: Vector,
    disc: Matrix, shadow: Vector, size: Whole, screen: Vector,
) -> Any:  # fmt: skip
    """Red, green and blue, as the screen has them, of a triangle at a place of the picture."""
    rx, ry, rz = ray(view, x, y)
    wx, wy, wz = view[EYE] + rx / near, view[EYE + 1] + ry / near, view[EYE + 2] + rz / near
    ux, uy, vx, vy = t[3] - t[0], t[4] - t[1], t[6] - t[0], t[7] - t[1]
    area, px, py = ux * vy - uy * vx, x - t[0], y - t[1]
    inverse = 1.0 / where(area == 0.0, 1.0, area)
    s1, s2 = (px * vy - py * vx) * inverse, (ux * py - uy * px) * inverse
    s0 = 1.0 - s1 - s2
    w0, w1, w2 = s0 * t[2] / near, s1 * t[5] / near, s2 * t[8] / near  # linear in the world, not on the picture
    nx = w0 * normal[0] + w1 * normal[3] + w2 * normal[6]
    ny = w0 * normal[1] + w1 * normal[4] + w2 * normal[7]
    nz = w0 * normal[2] + w1 * normal[5] + w2 * normal[8]
    long = 1.0 / max(sqrt(nx * nx + ny * ny + nz * nz), 1e-20)
    nx, ny, nz = nx * long, ny * long, nz * long
    tone = 1.0 - MARK * dark
    if thing[THIN] > 0.0:
        tone = tone - WEAVE * weave_of(t, edges, s0, s1, s2)
    away = (thing[THIN] > 0.0) and (nx * view[LAMP + 6] + ny * view[LAMP + 7] + nz * view[LAMP + 8] < 0.0)
    side = where(away, -1.0, 1.0)
    key = lamp_reaches(view, wx, wy, wz, side * nx, side * ny, side * nz, turn, disc, shadow, size)
    key = view[KEY] * key * where(away, THROUGH, 1.0)
    ex, ey, ez = view[EYE] - wx, view[EYE + 1] - wy, view[EYE + 2] - wz
    long = 1.0 / sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex * long, ey * long, ez * long
    hx, hy, hz = ex + view[LAMP + 6], ey + view[LAMP + 7], ez + view[LAMP + 8]
    long = 1.0 / max(sqrt(hx * hx + hy * hy + hz * hz), 1e-20)
    fill = 0.16 * view[KEY] * max(nx * view[FILL] + ny * view[FILL + 1] + nz * view[FILL + 2], 0.0)
    above = wz - view[HEIGHT] + 0.5 * view[REACH] * (nz + 1.0)
    opened = view[AMBIENT] * (0.72 + 0.28 * smooth(0.0, view[REACH], above))
    sky = 0.5 + 0.5 * nz
    back = 1.0 - max(nx * ex + ny * ey + nz * ez, 0.0)
    rim = 0.04 + 0.30 * back * back * back * back * back * thing[RIM]
    gloss = max((nx * hx + ny * hy + nz * hz) * long, 0.0)
    gloss = gloss * gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss  # the 24th power
    gloss = where(thing[SHARP] > 0.0, gloss * gloss * gloss * gloss * gloss * gloss, gloss * gloss)
    shine, metal = gloss * (thing[SHINE] + rim) * key, thing[METAL]
    matt = 1.0 - 0.55 * metal
    red, green, blue = 0.0, 0.0, 0.0
    for k in range(3):
        base = thing[TONE + k] * tone
        ambient = opened * (view[FLOOR + k] + sky * (view[SKY + k] - view[FLOOR + k]))
        lamp = where(k == 0, 1.0, where(k == 1, 0.975, 0.94))
        second = where(k == 0, 0.85, where(k == 1, 0.92, 1.0))
        own = 1.0 - metal + metal * base
        light = matt * base * (0.56 * ambient + 1.08 * key * lamp + fill * second) + own * shine
        seen = to_screen(light + 0.45 * rim * ambient * (1.0 + 2.0 * metal * base), screen)
        red, green, blue = where(k == 0, seen, red), where(k == 1, seen, green), where(k == 2, seen, blue)
    return red, green, blue


@routine
def light(
    pixels: Whole, width: Whole, top: Whole, several: Whole, nearest: Vector, owner: Vector, line: Vector, samples: Matrix,
    triangles: Matrix, normals: Matrix, facts: Matrix, things: Matrix, view: Vector, shadow: Vector, size: Whole, screen: Vector,
    turns: Matrix, disc: Matrix, seen: Matrix,
) -> None:  # fmt: skip
    """Colours of solid things at all samples of some rows of pixels, with the lines over them: red, green, blue, 1; 0, 0, 0, 0 elsewhere.

    facts: of a triangle, the number of its thing, then which of its edges show; normals: of its corners, then its own
    """
    for p in range(pixels):
        first = several * p
        if max(owner[first], most(owner[first + 1], owner[first + 2], owner[first + 3])) >= 0.0:
            row = p // width
            x, y = float(p - row * width), float(row + top)
            grain = 0.06711056 * x + 0.00583715 * y
            grain = 52.9829189 * (grain - float(whole(grain)))
            turn = turns[min(whole((grain - float(whole(grain))) * float(TURNS)), TURNS - 1)]
            for s in range(several):
                at = first + s
                if owner[at] >= 0.0:
                    i = whole(owner[at])
                    thing, n = things[whole(facts[i, 0])], normals[i]
                    sx, sy, dark = x + samples[s, 0], y + samples[s, 1], 0.0
                    if thing[MARKED] > 0.0:
                        rx, ry, rz = ray(view, sx, sy)
                        dark = octant(thing, view[0] + rx / nearest[at], view[1] + ry / nearest[at], view[2] + rz / nearest[at])
                    seen[at, 4] = dark
                    leader = -1
                    for other in range(s):
                        k = first + other
                        if owner[k] >= 0.0 and leader < 0:
                            j = whole(owner[k])
                            m = normals[j]
                            alike = (facts[j, 0] == facts[i, 0]) and (seen[k, 4] == dark)
                            if alike and n[9] * m[9] + n[10] * m[10] + n[11] * m[11] > SAME_SIDE:
                                leader = k
                    red, green, blue = 0.0, 0.0, 0.0
                    if leader >= 0:
                        red, green, blue = seen[leader, 5], seen[leader, 6], seen[leader, 7]
                    else:
                        red, green, blue = lit(
                            view, triangles[i], n, facts[i][1:], thing, sx, sy, nearest[at], dark, turn, disc, shadow, size, screen
                        )
                    seen[at, 5], seen[at, 6], seen[at, 7] = red, green, blue
                    if line[at] > 0.0:
                        over = things[whole(line[at]) - 1]
                        red = red + over[OPACITY] * (over[EDGE] - red)
                        green = green + over[OPACITY] * (over[EDGE + 1] - green)
                        blue = blue + over[OPACITY] * (over[EDGE + 2] - blue)
                    seen[at, 0], seen[at, 1], seen[at, 2], seen[at, 3] = red, green, blue, 1.0
                else:
                    seen[at, 0], seen[at, 1], seen[at, 2], seen[at, 3] = 0.0, 0.0, 0.0, 0.0
