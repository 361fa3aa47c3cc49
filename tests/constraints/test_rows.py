"""G, gdot and gddot of every constraint, from its trace, are the derivatives of its function along random motions.

The function itself runs on numbers of 64 bits of mantissa (NumPy's longdouble), so that differences of 6th order are good for 1e-12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from constraints.samples import SAMPLES, dofs, made
from redmax.components.holding import Site
from redmax.constraints.motion import Motion
from redmax.constraints.traced_rows import Rows
from redmax.program.sweep import Part
from redmax.trace import Graph, evaluate_numeric
from redmax.trace.vector import vector_of

STEP = np.longdouble(2e-3)
FIRST = np.array([-1, 9, -45, 0, 45, -9, 1], np.longdouble) / 60
SECOND = np.array([2, -27, 270, -490, 270, -27, 2], np.longdouble) / 180
NAMES = {"R": 9, "x": 3, "omega": 3, "v": 3, "alpha": 3, "a": 3, "o": 3}


def turned(phi):
    """exp [phi], in long doubles."""
    K = np.array([[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]], np.longdouble)
    a = np.sqrt(phi @ phi)
    return np.eye(3, dtype=np.longdouble) + (K if a == 0 else np.sin(a) / a * K + (1 - np.cos(a)) / a**2 * (K @ K))


class Moving:
    """Bodies and joints in a random motion: at time s after t0, x = x0 + v s + a s^2 / 2, R = R0 exp[w s + al s^2 / 2], and q likewise."""

    def __init__(self, seed: int, bodies: int, dofs: tuple[int, ...], t0: float = 0.3) -> None:
        rng = np.random.default_rng(seed)
        self.t0, self.dofs = t0, dofs
        self.bodies = [dict(zip(("phi", "w", "al", "x", "v", "a"), rng.normal(size=(6, 3)), strict=True)) for _ in range(bodies)]
        for k, body in enumerate(self.bodies):
            body["phi"] *= 0.3
            body["x"] = 0.2 * body["x"] + [2.0 * k, 0.0, 0.0]  # apart, so that ropes have their tangents
        self.joints = [rng.normal(size=(3, n)) for n in dofs]

    def sites(self, constraint, s):
        found = []
        for anchor in constraint.anchors:
            b = None if anchor.member < 0 else self.bodies[anchor.member]
            if b is None:
                found.append(Site(anchor.position, np.zeros(3), anchor.rotation, np.zeros(3)))
                continue
            R0 = turned(np.asarray(b["phi"], np.longdouble))
            R = R0 @ turned(b["w"] * s + b["al"] * s * s / 2)
            omega = R @ left(b["w"] * s + b["al"] * s * s / 2) @ (b["w"] + b["al"] * s)
            arm = R @ anchor.position
            x, v = b["x"] + b["v"] * s + b["a"] * s * s / 2, b["v"] + b["a"] * s
            found.append(Site(x + arm, v + np.cross(omega, arm), R @ anchor.rotation, omega))
        return found

    def rows(self, constraint, s):
        """What the constraint's function gives, at time s."""
        read = [(q + v * s + a * s * s / 2, v + a * s) for q, v, a in self.joints]
        sites = self.sites(constraint, s)
        seen = constraint.replaced(coordinates=read, carried=(found(constraint, sites, self.t0 + s), np.zeros(constraint.slides)))
        return np.array(seen.rows(sites, self.t0 + s), np.longdouble)

    def given(self) -> dict[str, Any]:
        """The inputs of a trace."""
        found: dict[str, Any] = {"t": [self.t0], "h": [0.01]}
        for i, b in enumerate(self.bodies):
            R = np.asarray(turned(np.asarray(b["phi"], np.longdouble)), float)
            values = (R.ravel(), b["x"], R @ b["w"], b["v"], R @ b["al"], b["a"], b["x"] + [0.3, -0.2, 0.1])
            found |= {f"{n}{i}": v for n, v in zip(NAMES, values, strict=True)}
        for k, parts in enumerate(self.joints):
            found |= {f"{n}{k}": v for n, v in zip(("q", "qdot", "qddot"), parts, strict=True)}
        return found


def found(constraint, sites, t):
    """The coordinates that a constraint carries: the best of its beginnings, improved until nothing moves."""
    if not constraint.carries:
        return ()
    q = min((constraint.beginning(sites, k, t) for k in range(constraint.starts)), key=lambda pair: float(pair[1]))[0]
    for _ in range(30):
        q, _ = constraint.improved(sites, q, np.zeros(constraint.slides), t)
    return q


def left(phi):
    """The angular velocity in body axes of R exp[phi(t)] is this times phidot: 1 - [phi]/2 + [phi]^2/6 - ... ."""
    K = np.array([[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]], np.longdouble)
    return np.eye(3) - K / 2 + K @ K / 6 - K @ K @ K / 24 + K @ K @ K @ K / 120


def traced(constraint, moving):
    """(gap, rate, right of accelerations, W of each body, D of each joint) as numbers, from the trace."""
    graph = Graph()
    motions = [
        Motion(*(np.array(graph.inputs(f"{n}{i}", size), object).reshape(3, -1).squeeze() for n, size in NAMES.items()))
        for i in range(len(moving.bodies))
    ]
    joints = [tuple(vector_of(graph.inputs(f"{n}{k}", n_k)) for n in ("q", "qdot", "qddot")) for k, n_k in enumerate(moving.dofs)]
    seen = constraint.replaced(carried=(vector_of(graph.inputs("carried", constraint.carries)), None))
    rows = Rows(seen, motions, joints, graph.input("t", 0))
    wrenches = [rows.wrenches(i) for i in range(len(motions))]
    slopes = [rows.slopes(k, n_k) for k, n_k in enumerate(moving.dofs)]
    parts = [rows.gap, rows.rate, rows.right(Part.ACCELERATION_ROWS, graph.input("h", 0), 0.0), *wrenches, *slopes]
    flat = [x for part in parts for x in np.ravel(np.asarray(part, object))]
    given = moving.given() | {"carried": found(constraint, moving.sites(constraint, np.longdouble(0)), moving.t0)}
    values = iter(np.array([float(x) for x in evaluate_numeric(flat, lambda base, index: given[base][index])]))
    read = [np.array([next(values) for _ in range(np.size(part))]).reshape(np.shape(part)) for part in parts]
    n = len(motions)
    return read[0], read[1], read[2], read[3 : 3 + n], read[3 + n :]


@pytest.mark.parametrize("name", list(SAMPLES))
def test_rows_are_the_derivatives_of_their_function(name):
    constraint = made(name)
    m = Moving(0, len(constraint.bodies), dofs(constraint))
    gap, rate, right, _, _ = traced(constraint, m)
    values = np.array([m.rows(constraint, k * STEP) for k in range(-3, 4)])
    if constraint.of_velocities:
        now, second = values[3], FIRST @ values / STEP
        assert not gap.any()
        asked = -second - 3 * now
    else:
        now, second = FIRST @ values / STEP, SECOND @ values / STEP**2
        np.testing.assert_allclose(gap, values[3].astype(float), rtol=0, atol=1e-12)
        asked = -second - 6 * now - 9 * values[3]
    scale = 1 + np.abs(second).max()
    np.testing.assert_allclose(rate, now.astype(float), rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(right, asked.astype(float), rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("name", list(SAMPLES))
def test_rows_times_velocities_are_how_fast_the_function_changes(name):
    """gdot = G qdot + dg/dt: W and D against differences, for several motions through one place."""
    constraint = made(name)
    start = Moving(5, len(constraint.bodies), dofs(constraint))
    still = Moving(5, len(constraint.bodies), dofs(constraint))
    for body in still.bodies:
        body |= {n: np.zeros(3) for n in ("w", "al", "v", "a")}
    for part in still.joints:
        part[1:] = 0.0
    _, drift, _, W, D = traced(constraint, still)  # dg/dt alone
    for seed in range(3):
        other = Moving(10 + seed, len(constraint.bodies), dofs(constraint))
        for body, placed in zip(other.bodies, start.bodies, strict=True):
            body |= {n: placed[n] for n in ("phi", "x")}
        for part, placed in zip(other.joints, start.joints, strict=True):
            part[0] = placed[0]
        values = np.array([other.rows(constraint, k * STEP) for k in range(-3, 4)])
        rate = (values[3] if constraint.of_velocities else FIRST @ values / STEP).astype(float)
        given, total = other.given(), drift.copy()
        for i, w in enumerate(W):
            omega, v = given[f"omega{i}"], given[f"v{i}"] + np.cross(given[f"omega{i}"], given[f"o{i}"] - given[f"x{i}"])
            total = total + w @ np.concatenate([omega, v])
        for k, d in enumerate(D):
            total = total + d @ given[f"qdot{k}"]
        np.testing.assert_allclose(total, rate, rtol=0, atol=1e-10 * (1 + np.abs(rate).max()))


def test_the_samples_have_all_constraints():
    import redmax.constraints as family

    abstract = {"Constraint", "Pulley", "BallClosure", "constraint", "Closure"}  # the last has exact rates where it is closed alone
    kinds = {type(made(name)).__name__ for name in SAMPLES}
    assert {n for n in family.__all__ if n not in abstract} <= kinds
