"""One problem for all forces of joints that rub, normal forces that only push and friction together (RedMax notes Eq. 1.88).

It is compared with clarabel on the program as the notes have it, in normal and tangential impulses, of a body that moves by itself: after a
step h a body that turns by w about its joint's origin goes by h (g + w^2 c), c its centre, across, in the joint's axes.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import redmax as rm

MASS, SIZE, CENTRE, SPEED, DT = 1.5, np.array([0.3, 0.1, 0.1]), np.array([0.3, 0, 0]), 0.7, 0.002
FEET = {"points": [(0.4, 0.1, 0), (0.3, -0.2, 0), (0.1, 0.0, 0), (0.2, 0.15, 0)], "normals": [(0, 0, -1)] * 4}


def bar(joint: rm.Joint, contact: str, friction: float, rates: object, **shape: object) -> rm.Scene:
    scene = rm.Scene()
    link = scene.add_body(rm.Cuboid(tuple(SIZE), mass=MASS), joint=joint, com=tuple(CENTRE), qdot=rates, name="bar")
    scene.add_force(rm.JointFriction(link, friction, **shape, name="pin"))  # type: ignore[arg-type]
    scene.set_staggering(contact=contact)
    return scene


def inertia() -> np.ndarray:
    """(6, 6) about the origin of the joint."""
    x, y, z = SIZE
    c = np.array([[0, -CENTRE[2], CENTRE[1]], [CENTRE[2], 0, -CENTRE[0]], [-CENTRE[1], CENTRE[0], 0]])
    own = MASS / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    return np.block([[own - MASS * c @ c, MASS * c], [-MASS * c, MASS * np.eye(3)]])


def wrench(scene: rm.Scene, friction: float, u: np.ndarray) -> np.ndarray:
    """T'b of the least of 1/2 x' C M^-1 C' x - x' C u with a >= 0, |b| <= mu times the share of a point's normals."""
    clarabel = pytest.importorskip("clarabel")
    model = scene.model()
    points, axes = model.rubbing_at[0].parts[0], np.kron(np.eye(2), model.frames[0][:3, :3].T)
    C, m, n = np.vstack([points.N, points.T]) @ axes, len(points.N), len(points.T)
    E = np.zeros((m + 2 * n, m + n))
    E[:m, :m] = -np.eye(m)
    for t, of in enumerate(points.tangent_of):
        for row, sign in ((m + 2 * t, 1.0), (m + 2 * t + 1, -1.0)):
            E[row, m + t] = sign
            E[row, [k for k, point in enumerate(points.normal_of) if point == of]] = -friction * points.share[t]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    H, zero, cones = C @ np.linalg.solve(inertia(), C.T), np.zeros(len(E)), [clarabel.NonnegativeConeT(len(E))]
    solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H)), -C @ u, sparse.csc_matrix(E), zero, cones, settings)
    x = np.array(solver.solve().x)
    return C[m:].T @ x[m:]


HINGE, SLIDE = {"radius": 0.02, "height": 0.05}, {"size": (0.4, 0.2, 0.1)}


@pytest.mark.parametrize("dynamics", ["recursive", "redmax"])
@pytest.mark.parametrize(("joint", "friction", "shape", "rates", "turn", "go"), [
    (rm.Revolute("y"), 0.05, HINGE, SPEED, (0, SPEED, 0), (0, 0, 0)),
    (rm.Prismatic("x"), 0.2, SLIDE, SPEED, (0, 0, 0), (SPEED, 0, 0)),
    (rm.PlanarRotating(), 0.2, FEET, (SPEED, 0.2, 0), (0, 0, 0), (SPEED, 0.2, 0)),
    (rm.PlanarRotating(), 0.2, {**FEET, "sides": 8}, (SPEED, 0.2, 0), (0, 0, 0), (SPEED, 0.2, 0)),
])  # fmt: skip
def test_it_is_the_program_of_the_notes(joint, friction, shape, rates, turn, go, dynamics):
    scene = bar(joint, "single", friction, rates, **shape)
    across = np.dot(turn, turn) * (CENTRE - np.array(turn) * (CENTRE @ turn) / max(np.dot(turn, turn), 1e-300))
    u = np.array([*turn, *(np.array(go) + DT * (np.array([0, 0, -9.81]) + across))])
    rubs = wrench(scene, friction, u)
    run = rm.simulate(scene, DT, DT, dynamics=dynamics, progress=False)
    S = {rm.Revolute: [[0, 1, 0, 0, 0, 0]], rm.Prismatic: [[0, 0, 0, 1, 0, 0]]}.get(type(joint), np.eye(6)[[3, 4, 2]])
    expected = -np.array(S) @ rubs / DT
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(run.rubbing("pin").torque[-1], expected, atol=1e-6 * np.abs(expected).max())


def test_it_locks_a_hinge_that_other_methods_let_turn():
    """A pin bears on both sides as much as it likes, without load: friction of a hundredth holds a bar that others let swing."""
    scenes = [bar(rm.Revolute("y"), how, 0.01, 0.0, **HINGE) for how in ("unilateral", "single")]
    swings, locks = (rm.simulate(scene, 0.5, DT, progress=False) for scene in scenes)
    assert abs(swings.q[-1, 0]) > 1
    assert abs(locks.q[-1, 0]) < 3e-3
    assert abs(locks.qdot[-1, 0]) < 1e-4
    assert np.abs(locks.rubbing("pin").normals[-1]).sum() > 100 * MASS * 9.81


def test_feet_that_may_lift_rub_by_how_fast_they_slide():
    """m (g h + mu v) in place of m g h, where joints keep them down: what lifts off of contact is friction here."""
    run = rm.simulate(bar(rm.Prismatic("x"), "single", 0.2, SPEED, points=[(0.3, 0, 0)], normals=[(0, 0, -1)], tangents=[(1, 0, 0)]),
                      DT, DT, progress=False)  # fmt: skip
    assert run.qdot[-1, 0] == pytest.approx(SPEED - 0.2 * (9.81 * DT + 0.2 * SPEED) / (1 + 0.2**2), rel=1e-9)


def test_interpreted_is_compiled():
    scene = bar(rm.PlanarRotating(), "single", 0.2, (SPEED, 0.2, 1.0), **FEET)
    one, two = (rm.simulate(scene, DT, DT, backend=backend, progress=False).qdot[-1] for backend in ("llvm", "interpret"))
    assert one == pytest.approx(two, abs=1e-8)


@pytest.mark.parametrize(("change", "words"), [
    (lambda s: s.add_body(rm.Sphere(0.1), joint=rm.Revolute("x"), parent="bar"), "beside a joint that does not rub"),
    (lambda s: s.add_constraint(rm.HardLimit(s.find("bar"), -1, 1)), "beside constraints"),
    (lambda s: s.forces.clear() or s.add_force(rm.JointFriction(s.find("bar"), 0.1, points=[(0, 0, 0)], normals=[(1, 0, 0)], sides=None)),
     "beside a disc (sides=None)"),
])  # fmt: skip
def test_what_it_does_not_go_with(change, words):
    scene = bar(rm.Revolute("y"), "single", 0.1, 0.0, **HINGE)
    change(scene)
    with pytest.raises(rm.RedmaxError) as caught:
        rm.simulate(scene, 0.01, DT, progress=False)
    assert f"by contact='single' {words}" in str(caught.value)
