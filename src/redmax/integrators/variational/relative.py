"""What a body does within a step: its discrete velocity, the momenta at both ends, and how the first changes with where the step ends.

    G = E_k^-1 E_k+1,   x = log G = h V,   T_d = 1/(2h) x' M x
    F_0 = dexp^-T_x M x / h   at the beginning, in the frame E_k;     F_1 = dexp^-T_-x M x / h = F_0 + ad_x' M x / h   at the end, in E_k+1
    dF_0 = K s,   K = 1/h (dexp^-T_x M + d/dx(dexp^-T_x m)) dexp^-1_-x,  m = M x     s: the twist by which E_k+1 is displaced

(dexp as in Mueller and Terze Eq. 11; dexp^-1_x is se3.dexp_left_inverse.) The frames may be anywhere on the body: log is equivariant, so
T_d is that of frames at the centre of mass. Over dual numbers x is the 3-vector w + e v and m is f + e n, so that with
J = 1 - 1/2 [w] + g [w]^2 all follows from 3-vectors and their derivatives along v (see lie/se3.py). g(t^2) = (1 - t/2 cot(t/2)) / t^2 and
its derivatives are polynomials, fitted to 3e-16 up to t = pi: a step turns no body by more than half a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import minus_ad_transposed
from redmax.forces.frames import crossed, skew
from redmax.joints.motion import jacobian_of
from redmax.lie import Adjoint, Inertia
from redmax.math import sqrt
from redmax.program.record import JointView, ParentView
from redmax.trace.vector import vector_of

Pose = tuple[Any, Any]  # R (3, 3) and p (3,)
# arctan(y) / y in powers of y^2, up to tan(pi/8); g in powers of t^2, up to pi^2, and its first two derivatives
ARCTANGENT = (
    1.0, -0.3333333333333312, 0.1999999999994089, -0.14285714279250245, 0.11111110744919658, -0.09090896809064027, 0.07692045330902225,
    -0.06662951813629191, 0.05846878297330872, -0.05035102456601552, 0.03796525745386593, -0.017805397205419446,
)  # fmt: skip
G0 = (
    0.08333333333333333, 0.0013888888888892777, 3.30687830662298e-05, 8.267195833031782e-07, 2.0876748157110988e-08,
    5.284260832994348e-10, 1.3378886511504042e-11, 3.402398563837146e-13, 8.279612467031732e-15, 2.689328347760743e-16,
    -4.498848213200318e-19, 6.001761165191608e-19, -1.8474092206204453e-20, 6.239389651053136e-22,
)  # fmt: skip
G1 = (
    0.0013888888888888846, 6.613756613773525e-05, 2.4801587290487803e-06, 8.350703081248908e-08, 2.6420912337810904e-09,
    8.029828751842958e-11, 2.371193519470113e-12, 6.923927516840588e-14, 1.8248924877329884e-15, 7.728211851965518e-17,
    -1.0275068095892502e-18, 2.396048965882045e-19, -8.188796873218685e-21, 2.554934526366135e-22,
)  # fmt: skip
G2 = (
    6.613756609689345e-05, 4.960318283325669e-06, 2.505183521904638e-07, 1.0571874194568047e-08, 3.9922476190592825e-10,
    1.5060977945066448e-11, 2.9998000209896404e-13, 3.957010323878421e-14, -1.3182209361330941e-15, 8.197896122886574e-17,
)  # fmt: skip


def series(coefficients: Sequence[float], x: Any) -> Any:
    total: Any = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = c + x * total
    return total


def pose_of(j: JointView, q: Any, t: Any) -> tuple[Pose, np.ndarray]:
    """The joint's own pose at q, and S (6, dof)."""
    E = np.asarray(j.joint.at("transform", q, t), object)
    return (E[:3, :3], E[:3, 3]), jacobian_of(j.joint, E, q, t)


def in_parent(j: JointView, own: Pose) -> Pose:
    """The joint frame in that of the parent."""
    return j.R0 @ own[0], j.p0 + j.R0 @ own[1]


def adjoint(j: JointView, own: Pose) -> Adjoint:
    """X, from the parent's frame to this one."""
    return Adjoint(*in_parent(j, own))


def carried(j: JointView, p: ParentView, begin: Pose, end: Pose) -> Pose:
    """G = Q_k^-1 G_p Q_k+1 of joint frames Q in the parent's; of a root, whose parent stays, without where the joint is fixed."""
    if j.root:
        R, d = end[0], end[1] - begin[1]
        return begin[0].T @ R, begin[0].T @ d
    (R0, p0), (R1, p1), G = in_parent(j, begin), in_parent(j, end), np.asarray(p.G, object)
    Rp, pp = G[:9].reshape(3, 3), G[9:]
    return R0.T @ (Rp @ R1), R0.T @ (Rp @ p1 + pp - p0)


@dataclass(frozen=True)
class Twist:
    """x = (w; v) of a step."""

    w: Any
    v: Any

    def flat(self) -> list[Any]:
        """The six numbers."""
        return [*self.w, *self.v]

    def map(self, f: Any) -> Twist:
        """With f of each."""
        return Twist(*(vector_of([f(x) for x in part]) for part in (self.w, self.v)))

    @property
    def whole(self) -> np.ndarray:
        return np.concatenate([self.w, self.v])


def twist_of(G: Pose) -> Twist:
    """log G: w from the quaternion (c, u) of R by w / u = 8 arctan(y) / y / (2 cos(t/4) (1 + cos(t/4))), y = tan(t/8)."""
    R, p = G
    c = 0.5 * sqrt(1.0 + R[0, 0] + R[1, 1] + R[2, 2])
    u = vector_of([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) * (0.25 / c)
    c4 = sqrt(0.5 + 0.5 * c)
    eighth = 1.0 / (2.0 * c4 * (1.0 + c4))
    w = u * (8.0 * eighth * series(ARCTANGENT, (u @ u) * (eighth * eighth)))
    return Twist(w, p - 0.5 * crossed(w, p) + series(G0, w @ w) * twice(w, p))


def twice(w: Any, a: Any) -> Any:
    """[w]^2 a."""
    return (w @ a) * w - (w @ w) * a


def momenta(M: Inertia, x: Twist, h: Any) -> tuple[Any, Any]:
    """F_0 and F_1: with J' f, and over dual numbers J' n beside how J' f changes along v."""
    w, v, t2 = x.w, x.v, x.w @ x.w
    m = (M @ x.whole) / h
    n, f, g = m[:3], m[3:], series(G0, t2)
    force = f + 0.5 * crossed(w, f) + g * twice(w, f)
    along = g * ((w @ f) * v + (v @ f) * w - (2.0 * (w @ v)) * f) + (2.0 * series(G1, t2) * (w @ v)) * twice(w, f)
    torque = n + 0.5 * (crossed(w, n) + crossed(v, f)) + g * twice(w, n) + along
    begin = np.concatenate([torque, force])
    return begin, begin - minus_ad_transposed(x.whole, m)


def slope(M: Inertia, x: Twist, h: Any) -> np.ndarray:
    """K, (6, 6)."""
    m = M @ x.whole
    J, Q = inverse_differential(x)
    B, Bv = turning(x, m[3:], m[:3])
    A, C, D = np.array(M.A, object), np.array(M.B, object), np.array(M.C, object)
    upper, lower = J.T @ A + Q.T @ C.T + Bv, J.T @ C + Q.T @ D + B  # torque by w and by v
    left, right = J.T @ C.T + B, J.T @ D  # force by w and by v
    # dexp^-1_-x over dual numbers is J' + e P, where P has the odd part of Q turned round
    P = reversed_differential(x)
    K = np.empty((6, 6), object)
    K[:3, :3], K[:3, 3:] = upper @ J.T + lower @ P, lower @ J.T
    K[3:, :3], K[3:, 3:] = left @ J.T + right @ P, right @ J.T
    return K / h


def inverse_differential(x: Twist) -> tuple[np.ndarray, np.ndarray]:
    """J = 1 - 1/2 [w] + g [w]^2, and how it changes along v."""
    even, odd = even_part(x)
    J = np.eye(3) - 0.5 * skew(x.w) + even
    return J, odd - 0.5 * skew(x.v)


def reversed_differential(x: Twist) -> np.ndarray:
    """How 1 + 1/2 [w] + g [w]^2 changes along v."""
    return even_part(x)[1] + 0.5 * skew(x.v)


def even_part(x: Twist) -> tuple[np.ndarray, np.ndarray]:
    """g [w]^2, and how it changes along v."""
    w, v, t2 = x.w, x.v, x.w @ x.w
    g, g1 = series(G0, t2), 2.0 * series(G1, t2) * (w @ v)
    square, both = np.outer(w, w) - t2 * np.eye(3), np.outer(v, w)
    return g * square, g * (both + both.T - (2.0 * (w @ v)) * np.eye(3)) + g1 * square


def turning(x: Twist, f: Any, n: Any) -> tuple[np.ndarray, np.ndarray]:
    """B = d(J' f)/dw at the same f, and how it changes along v, with f along n:

    B = -1/2 [f] + g ((w.f) 1 + w f' - 2 f w') + 2 g1 ([w]^2 f) w'
    """
    w, v, t2 = x.w, x.v, x.w @ x.w
    g, g1, g2 = series(G0, t2), series(G1, t2), series(G2, t2)
    rate = 2.0 * (w @ v)  # of t^2
    a, wf, along = twice(w, f), w @ f, w @ n + v @ f
    da = twice(w, n) + wf * v + (v @ f) * w - rate * f
    inner = wf * np.eye(3) + np.outer(w, f) - 2.0 * np.outer(f, w)
    changed = along * np.eye(3) + np.outer(w, n) + np.outer(v, f) - 2.0 * (np.outer(n, w) + np.outer(f, v))
    B = -0.5 * skew(f) + g * inner + np.outer((2.0 * g1) * a, w)
    dB = -0.5 * skew(n) + g * changed + (g1 * rate) * inner
    return B, dB + np.outer((2.0 * g1) * da + (2.0 * g2 * rate) * a, w) + np.outer((2.0 * g1) * a, v)
