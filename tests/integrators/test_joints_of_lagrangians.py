"""Joints between bodies whose Lagrangian a user writes: the same steps as scenes with these joints take, in trees and in loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from integrators.top_by_hand import MASS as MASS_OF_TOP
from integrators.top_by_hand import X, run
from joints.samples import KINDS, make

SIZE, DENSITY, G = np.array([0.3, 0.1, 0.05]), 1000.0, 9.81
M = DENSITY * SIZE.prod()
INERTIA = np.diag(M / 12.0 * ((SIZE**2).sum() - SIZE**2))
FRAMES = [rm.pose(rm.rotation_about((0, 1, 0.3), 0.2 * k), (0.2 * k, 0.05 * k * k, -0.1 * k)) for k in range(6)]
END = (0.15, 0.0, 0.0)  # of a box


def lagrangian(group: str) -> Any:
    """Of boxes that are heavy."""

    def one(E: Any, v: Any) -> Any:
        w = E[:3, :3].T @ v[:3] if group.endswith("right") else v[:3]
        u = v[3:] + np.cross(v[:3], E[:3, 3]) if group == "SE3-right" else v[3:]
        return 0.5 * (w @ (INERTIA @ w)) + 0.5 * M * (u @ u) - M * G * E[2, 3]

    return lambda E, v: sum(one(F, u) for F, u in zip(E, v, strict=True)) if isinstance(E, list) else one(E, v)


def of_group(group: str, E: np.ndarray, V: np.ndarray) -> np.ndarray:
    """A body twist as the velocity of the group."""
    if group == "SE3-right":
        return rm.lie.Ad(E) @ V
    R = E[:3, :3]
    return V if group == "SE3" else np.concatenate([R @ V[:3] if group.endswith("right") else V[:3], R @ V[3:]])


class Boxes:
    """A scene of boxes, each on the one before by a joint at the ends of both, and the same joints as `rm.EulerPoincare` takes them."""

    def __init__(self, *joints: tuple[rm.Joint, Any, Any]) -> None:
        self.scene, self.joints, self.handles = rm.Scene(), list[Any](), list[rm.BodyHandle]()
        for k, (joint, q, qdot) in enumerate(joints):
            parent = self.handles[-1] if k else None
            options: dict[str, Any] = {"joint": joint, "q": q, "qdot": qdot, "body": END, "check_joint": False}
            at = np.multiply(2.0 if k else 0.0, END)
            box = rm.Cuboid(SIZE.tolist(), density=DENSITY)
            self.handles.append(self.scene.add_body(box, parent=parent, at=at, name=f"box {k}", **options))
            self.joints.append((joint, (k - 1, END) if k else None, (k, np.negative(END))))

    def close(self, joint: rm.Joint, place: tuple[float, float, float], short: Any = None) -> None:
        """The end of the last, at a place of the world. short: what the scene has for this joint"""
        k, end = len(self.handles) - 1, self.handles[-1].point(*END)
        self.scene.add_constraint(short(end) if short else rm.Closure(joint, place, end))
        self.joints.append((joint, (None, place), (k, END)))

    def start(self, group: str) -> tuple[np.ndarray, np.ndarray]:
        d = rm.Dynamics(self.scene, "interpret")
        q, qdot = d.model.q0, d.model.qdot0
        E = np.array([d.pose(q, h.name) for h in self.handles])
        return E, np.array([of_group(group, F, d.twist(q, qdot, h.name)) for F, h in zip(E, self.handles, strict=True)])

    def compared(self, group: str, index: int, steps: int, h: float = 1e-3, **options: Any) -> Any:
        """The run of the Lagrangian, and by how much its poses differ from those of the scene."""
        options = {"joints": self.joints, **options}
        equations = rm.EulerPoincare(lagrangian(group), len(self.handles), group=group, **options)
        found = equations.simulate(*self.start(group), steps * h, h, index=index)
        taken: dict[str, Any] = {"integrator": "generalized-alpha", "group": group, "index": index, "progress": False}
        taken["backend"] = options.get("backend", "llvm")
        scene = rm.simulate(self.scene, steps * h, h, **taken)
        return found, max(np.abs(scene.pose(b.name) - found.pose[:, k]).max() for k, b in enumerate(self.handles))


def test_the_heavy_top_hangs_on_a_ball_joint() -> None:
    """The same steps and multipliers as of three rows written by hand; in coordinates of a group."""

    def top(E: Any, v: Any) -> Any:
        return 0.5 * (v @ (MASS_OF_TOP @ v)) - 15.0 * G * E[2, 3]

    begin, spin = np.eye(4), np.array([0.0, 150.0, -4.61538])
    begin[:3, 3] = X
    ball = [(rm.Spherical(coordinates="quaternion"), None, (0, -X))]
    found = rm.EulerPoincare(top, joints=ball).simulate(begin, [*spin, *np.cross(spin, X)], 0.03, 1e-3)
    told = run("SE3", 2, 1e-3, 30)
    np.testing.assert_allclose(found.pose[-1, 0, :3], np.column_stack([told.R, told.x]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.multipliers[-1], told.lam, rtol=0, atol=1e-5)
    scene = rm.simulate("heavy-top", 0.03, 1e-3, integrator="generalized-alpha")
    np.testing.assert_allclose(found.pose[:, 0], scene.pose("top"), rtol=0, atol=1e-11)


KINDS_OF_STEPS = [(group, index) for group in ("SE3", "SO3xR3", "SE3-right", "SO3xR3-right") for index in (3, 2)]
OTHERS = [pytest.param(*x, marks=pytest.mark.long) for x in KINDS_OF_STEPS if x != ("SO3xR3-right", 2)]


@pytest.mark.parametrize(("group", "index"), [("SO3xR3-right", 2), *OTHERS])
def test_a_box_slides_along_a_spline(group: str, index: int) -> None:
    """The position along it is carried from step to step, over the ends of its pieces."""
    found, off = Boxes((rm.SplineCurve(FRAMES), 0.97, 3.0)).compared(group, index, 8, backend="interpret")
    assert off < 1e-9
    assert np.abs(found.gap).max() < 1e-12
    assert np.abs(found.hidden_rate).max() < (1e-11 if index == 2 else 1e-4)


def test_joints_beside_rows_of_ones_own() -> None:
    """A double pendulum whose first point is held by rows, which come first, and the second by a joint; or by two joints."""
    boxes = Boxes((rm.Spherical(), (0.1, 0.2, 0.3), (1.0, 2.0, 3.0)), (rm.Revolute("y"), 0.4, -2.0))
    fixed = lambda E: E[0][:3, 3] - E[0][:3, :3] @ END  # noqa: E731
    found, off = boxes.compared("SO3xR3", 2, 3, backend="interpret", joints=boxes.joints[1:], constraint=fixed)
    assert off < 1e-9
    assert found.multipliers.shape == (4, 8)
    joined = rm.EulerPoincare(lagrangian("SO3xR3"), 2, group="SO3xR3", joints=boxes.joints, backend="interpret")
    _, multipliers = joined.accelerations(*boxes.start("SO3xR3"))
    np.testing.assert_allclose(multipliers[3:], found.multipliers[0, 3:], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(multipliers[:3]), np.linalg.norm(found.multipliers[0, :3]), rtol=1e-9)


def test_a_crank_drives_a_slider() -> None:
    """The end of the second box goes along a line of the world: the loop is closed by one row."""
    angle, hinge = 0.6, rm.Revolute("y")
    boxes = Boxes((hinge, -angle, -1.0), (hinge, 2.0 * angle, 2.0))
    boxes.close(rm.CompositeJoint(rm.Prismatic("x"), rm.Prismatic("y"), rm.Spherical()), (0.5, 0.0, 0.0), rm.PointInPlane)
    found, off = boxes.compared("SE3", 2, 3, backend="interpret")
    assert off < 1e-9
    assert found.multipliers.shape == (4, 11)


@pytest.mark.long
@pytest.mark.parametrize("closing", [rm.CompositeJoint(rm.Prismatic("y"), rm.Spherical()), rm.Revolute("y")])
def test_a_four_bar_linkage_is_closed_by_a_joint(closing: rm.Joint) -> None:
    """Links go upwards, along and downwards. Closed by a hinge, rows repeat others: the plane is asked for once too often."""
    angle, hinge = 1.2, rm.Revolute("y")
    turns = 1.0 + 2.0 * np.cos(angle)
    boxes = Boxes((hinge, -angle, -1.0), (hinge, angle, turns), (hinge, angle, -turns))
    boxes.close(closing, (0.3 * turns, 0.0, 0.0))
    found, off = boxes.compared("SE3", 2, 20)
    assert off < 1e-9
    assert np.abs(found.gap).max() < 1e-12


MANY = [kind for kind in KINDS if 0 < make(kind, np.random.default_rng(0)).joint.dof < 6]


@pytest.mark.parametrize("kind", [k if k in ("torus", "Helical") else pytest.param(k, marks=pytest.mark.long) for k in MANY])
def test_any_joint_leaves_a_body_the_motion_that_it_has_in_a_scene(kind: str) -> None:
    rng = np.random.default_rng(3)
    sample = make(kind, rng)
    at, body = rm.pose(rm.rotation_about((1, 2, 3), 0.4), (0.1, 0.2, 0.3)), rm.pose(rm.rotation_about((3, -1, 2), 0.9), (0.2, -0.1, 0.1))
    q, qdot = sample.coordinates(rng), rng.normal(size=sample.joint.dof)
    options: dict[str, Any] = {"joint": sample.joint, "q": q, "qdot": qdot, "at": at, "body": body, "check_joint": False}
    scene = rm.Scene()
    scene.add_body(rm.Cuboid(SIZE.tolist(), density=DENSITY), name="box", **options)
    d = rm.Dynamics(scene, "interpret")
    wanted = d.acceleration(q, qdot, d.forward(q, qdot), "box")
    joints = [(sample.joint, (None, at), (0, np.linalg.inv(body)), q)]
    equations = rm.EulerPoincare(lagrangian("SE3"), joints=joints, backend="interpret")
    found, multipliers = equations.accelerations(d.pose(q, "box"), d.twist(q, qdot, "box"))
    np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    assert multipliers.shape == (6 - sample.joint.dof,)


def test_a_charge_goes_round_on_an_arm_in_a_magnetic_field() -> None:
    """No scene has it: |xdot| stays, and the arm pulls with m v^2 / r + q v B."""
    mass, charge, field, r, speed = 2.0, 3.0, 5.0, 0.5, 1.5

    def charged(E: Any, v: Any) -> Any:
        x, u = E[:3, 3], v[3:]
        return 0.5 * mass * (u @ u) + 0.5 * (v[:3] @ v[:3]) + 0.5 * charge * field * (x[0] * u[1] - x[1] * u[0])

    begin = np.eye(4)
    begin[0, 3] = r
    arm = [(rm.Revolute("z"), None, (0, (-r, 0, 0)))]
    found = rm.EulerPoincare(charged, group="SO3xR3", joints=arm).simulate(begin, [0, 0, speed / r, 0, speed, 0], 1.0, 0.01)
    np.testing.assert_allclose(np.linalg.norm(found.velocity[:, 0, 3:], axis=1), speed, rtol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(found.multipliers, axis=1), mass * speed**2 / r + charge * speed * field, rtol=1e-3)
    assert np.abs(found.gap).max() < 1e-12


@pytest.mark.parametrize("index", [3, 2, 1])
def test_a_joint_that_time_moves_takes_the_body_along(index: int) -> None:
    shaken = rm.joint(lambda q, t: rm.pose(np.eye(3), (0.1 * rm.math.sin(3.0 * t), 0.0, q[0] + 0.2 * t * t)), 1)
    body = rm.EulerPoincare(lagrangian("SE3"), joints=[(shaken, None, 0)], backend="interpret")
    found = body.simulate(np.eye(4), [0, 0, 0, 0.3, 0, 0.1], 0.01, 1e-3, index=index)
    t = found.t[-1]
    np.testing.assert_allclose(found.pose[-1, 0, :3, 3], (0.1 * np.sin(3 * t), 0, 0.1 * t - 0.5 * G * t * t), atol=1e-8)
    np.testing.assert_allclose(found.velocity[-1, 0, 3:], (0.3 * np.cos(3 * t), 0, 0.1 - G * t), atol=1e-6)


def made(*joints: Any, bodies: int = 2) -> rm.EulerPoincare:
    return rm.EulerPoincare(lagrangian("SE3"), bodies, joints=joints, backend="interpret")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rm.EulerPoincare(lagrangian("SE3"), joints=rm.Revolute("z")), r"joints is a list of \(joint, first, second\)"),  # type: ignore[arg-type]
        (lambda: made(rm.Revolute("z")), r"joints\[0\] is \(joint, first, second\)"),
        (lambda: made(("hinge", 0, 1)), r"joints\[0\] is \(joint, first, second\)"),
        (lambda: made((rm.Fixed(), 0, 1), (rm.Fixed(), None, 2)), r"joints\[1\] has the place 2. Valid: None .* 0 to 1"),
        (lambda: made((rm.Fixed(), None, "top"), bodies=1), r"joints\[0\] has the place 'top'. Valid: .* a body, 0;"),
        (lambda: made((rm.Fixed(), 0, (1, np.ones((4, 4))))), r"a frame of joints\[0\]"),
        (lambda: made((rm.Fixed(), 1, 1)), r"joints\[0\].* all its places on the body 'body 1'"),
        (lambda: made((rm.Fixed(), None, None)), r"joints\[0\].* touches no body"),
        (lambda: made((rm.Free(), 0, 1)), "6 degrees of freedom"),
        (lambda: made((rm.Revolute("z"), 0, 1, [1, 2])), r"q of .*joints\[0\].* 1 finite number"),
        (
            lambda: made((rm.Revolute("z"), None, (0, (0.1, 0, 0))), bodies=1).simulate(np.eye(4), np.zeros(6), 0.1, 0.1),
            r"joints\[0\], Revolute.* is open by 0.1 \(m or rad\) where bodies begin",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_joint_is_said(call: Any, said: str) -> None:
    with pytest.raises(rm.SceneError, match=said):
        call()
