"""Wrenches of impulses between bodies, with which joints are pressed while all rests (rest.py): taken, let go, kept for the next step."""

from __future__ import annotations

from redmax.dynamics.contact.rows import T_BODIES, T_IMPULSE, T_POINT
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, whole


@routine
def press(kept: Vector, pressed: Places, bodies: Whole) -> None:
    """Wrenches of impulses to where dynamics takes them from."""
    for b in range(bodies):
        pressed[b][0:6] = kept[6 * b : 6 * b + 6]


@routine
def release(pressed: Places, bodies: Whole) -> None:
    """None of them."""
    for b in range(bodies):
        pressed[b][0:6] = 0.0


@routine
def keep_pressed(
    old: Matrix, olds: Vector, w: Matrix, origin: Matrix, kept: Vector, h: Vector, axes: Places, at: Places, bodies: Whole
) -> None:
    """Wrenches of impulses that the next step tries, in the axes of joints."""
    if olds[1] > 0.5:
        for b in range(bodies):
            w[b, 0:8] = 0.0
        for c in range(whole(olds[0])):
            seen = old[c]
            add_wrench(seen, w, origin, whole(seen[T_BODIES + 1]), 1.0)
            if seen[T_BODIES] < float(bodies) - 0.5:
                add_wrench(seen, w, origin, whole(seen[T_BODIES]), -1.0)
        for b in range(bodies):
            R = axes[b]
            x, y, z = at[b][0] - origin[b, 0], at[b][1] - origin[b, 1], at[b][2] - origin[b, 2]
            fx, fy, fz = w[b, 3] / h[0], w[b, 4] / h[0], w[b, 5] / h[0]
            nx, ny, nz = w[b, 0] / h[0] - (y * fz - z * fy), w[b, 1] / h[0] - (z * fx - x * fz), w[b, 2] / h[0] - (x * fy - y * fx)
            for k in range(3):
                kept[6 * b + k] = R[k] * nx + R[3 + k] * ny + R[6 + k] * nz
                kept[6 * b + 3 + k] = R[k] * fx + R[3 + k] * fy + R[6 + k] * fz


@routine
def add_wrench(seen: Vector, w: Matrix, origin: Matrix, b: Whole, sign: Number) -> None:
    """Of an impulse on a body, about the origin of its tree."""
    x, y, z = seen[T_POINT] - origin[b, 0], seen[T_POINT + 1] - origin[b, 1], seen[T_POINT + 2] - origin[b, 2]
    fx, fy, fz = sign * seen[T_IMPULSE], sign * seen[T_IMPULSE + 1], sign * seen[T_IMPULSE + 2]
    w[b, 0] += y * fz - z * fy
    w[b, 1] += z * fx - x * fz
    w[b, 2] += x * fy - y * fx
    w[b, 3] += fx
    w[b, 4] += fy
    w[b, 5] += fz
