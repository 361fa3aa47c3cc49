"""The step of a body that turns by itself, with the inertia I about its centre of mass, or about the point where it is held.

    Q = exp(h wm) P,   wm = w - h/2 I^-1 (w x I w),   L1 = Q' I w,   w1 = I^-1 L1                     in the body's axes

Whatever Q is, L stays in the world. wm, from the middle of the step, makes Q exact to second order, but what of L is along the axis of a
rod is the smaller, and its energy the larger, the thinner the rod is: an angle of 1e-3 between Q and the turn of the true motion would
multiply the energy of a pencil. P is the small turn that brings L back to where its energy is what it was, straight along the sphere
|L| = const: in the plane of L and w, with m at a right angle to L, of the same length, on the side of w,

    L1 = (L + t m) / sqrt(1 + t^2):     (c - E) t^2 + 2 b t + a - E = 0,     2 (a, b, c) = (L I^-1 L, m I^-1 L, m I^-1 m)

So L and the energy are kept, to roundings. (With wm from the implicit midpoint rule, which keeps both by itself, a step would
have to be iterated, and where bodies turn by a radian in a step there are several solutions.) Where no such turn leads to E, which takes
steps of half a radian, the energy is made as near to E as it goes, and what is then too much of it is taken from w.

Where w is nearly along L, t ~ (E - a) / 2 b is a small number by another, and roundings of E less those of a would turn the body by 1e-9.
So E - a is put together of what is small with g = w x L, d = I^-1 g and k = wm x L = g - d x L / 2. As g . w = 0, with
L1 - L = -A k + B wm x k of exp(-[wm]) = 1 - A [wm] + B [wm]^2,

    L . w - L1 . I^-1 L1 = -(L1 - L) . (2 w + I^-1 (L1 - L)) = A d . g + B (w x d) . k - (L1 - L) . I^-1 (L1 - L)
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.lie import quaternions, so3
from redmax.lie.three import cross, dot
from redmax.math import frozen, maximum, minimum, sqrt, stumpff, where
from redmax.trace.vector import vector_of

TINY = 1e-30  # what keeps squares that are divided by from being zero
FLAT = 1e-7  # slopes of the energy along the sphere, beside itself, that count for nothing: it is hardly another then
PARALLEL = 1e-20  # the square of the angle between w and L below which it is rounding


def times_inverse(inertia: Any, x: Any, name: str) -> Any:
    """I^-1 x."""
    return solve_symmetric(inertia, vector_of(x)[:, None], name)[:, 0]


def length(x: Any) -> Any:
    return sqrt(dot(list(x), list(x)) + TINY)


def flight(inertia: Any, w: Any, h: Any, name: str) -> tuple[Any, Any]:
    """(Q, w1): the turn of a step as a unit quaternion, and the angular velocity at its end, in the axes that the body has then.

    The numbers between have no units: turns of a step, and I beside its trace.
    """
    inertia, w = inertia / (inertia[0, 0] + inertia[1, 1] + inertia[2, 2]), h * w
    L = inertia @ w
    g = vector_of(cross(list(w), list(L)))
    d = times_inverse(inertia, g, name)
    mean = w - 0.5 * d
    turn = quaternions.exp(mean)
    s = 0.5 * stumpff(1, 0.25 * so3.squared_angle(mean))
    A, B = 2.0 * turn[0] * s, 2.0 * s * s
    k = g - 0.5 * vector_of(cross(list(d), list(L)))
    change = B * vector_of(cross(list(mean), list(k))) - A * k
    changed = times_inverse(inertia, change, name)
    lost = A * dot(list(d), list(g)) + B * dot(cross(list(w), list(d)), list(k)) - dot(list(change), list(changed))
    back, spin = leveled(inertia, L + change, w + changed, lost, name)
    return quaternions.product(turn, back), spin / h


def leveled(inertia: Any, L: Any, w: Any, lost: Any, name: str) -> tuple[Any, Any]:
    """(P, w1) for a body with the momentum L = I w that is to have more energy, by half of `lost`."""
    n, e = length(L), length(w)
    u, y = L / n, w / e
    across = vector_of(cross(list(u), list(y)))
    gg, a = dot(list(across), list(across)), dot(list(u), list(y))
    b = sqrt(gg + TINY)
    m = (y - a * u) / b
    turned = times_inverse(inertia, m, name)
    c = dot(list(m), list(turned)) * n / e
    middle = 0.5 * (c - a)
    far = sqrt(middle * middle + b * b) + maximum(middle, -middle)
    near = b * b / far
    wanted = lost / (n * e)  # E - a, and what of it there is along the sphere
    more = maximum(minimum(wanted, where(middle > 0.0, far, near)), where(middle > 0.0, -near, -far))
    root = sqrt(maximum(b * b + (c - a - more) * more, 0.0) + FLAT * FLAT * a * a + TINY)
    parallel = gg < PARALLEL  # then all of this is a matter of roundings, which have no derivatives
    t = held(parallel, gg / (gg + PARALLEL) * more / (b + root))
    cosine = 1.0 / sqrt(1.0 + t * t)
    half = sqrt(0.5 + 0.5 * cosine)
    back = (-0.5 * t * cosine / (half * b)) * across
    end = cosine * (w + (n * t) * vector_of([held(parallel, x) for x in turned]))  # I^-1 L1
    return vector_of([half, *back]), held(parallel, sqrt(minimum(1.0, (a + wanted) / (a + more + TINY)))) * end


def held(condition: Any, x: Any) -> Any:
    """The same number, constant to differentiation where a condition is met."""
    return where(condition, frozen(x), x)
