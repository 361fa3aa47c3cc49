"""Groups survive long runs: after a million steps of any method R'R = 1 and |q| = 1 to 1e-12, and nothing normalises or corrects a state.

Steps are taken as what they are to 1e-24, and what is stored is rounded by chance (lie/long_products.py), so that roundings do not add up,
however often they meet the same numbers. Products alone do so only where roundings happen to differ.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import redmax as rm
from joints.group_forms import JOINTS
from redmax.integrators import METHODS
from redmax.joints.group.rotations import NOWHERE, RotationMatrix, UnitQuaternion
from redmax.lie import long_products, quaternions, so3

FORMS = [name for name in JOINTS if name.startswith(("ball", "free"))]
STEP = 1e-3  # s
ASKED = 1e-12
AXES = ((1, 0, 0), (0, 0, 1), (1, 1, 1), (1, 1, 0), (0.3, -0.5, 0.7))
STARTS = ((1, 0, 0, 0), (1, 1, 1, 1), (1, 0, 0, 1), (0.9, -0.2, 0.5, 0.4))
RATES = (1e-9, 3e-8, 1e-6, 1e-3, 0.1, 1.7, 150.0)  # rad/s: from steps less than roundings of 1 on
FRACTIONS = (2, 3, 4, 6, 7, 12)  # of a turn, in which each step ends
SPINS = [
    (rate, AXES[k % len(AXES)], STARTS[j % len(STARTS)])
    for k, (rate, j) in enumerate(product((*RATES, *(2 * np.pi / n / STEP for n in FRACTIONS)), range(4)))
]


class ProductOfQuaternions(UnitQuaternion):
    """As rounding leaves it."""

    def turned(self, q, turn, position=NOWHERE):
        return quaternions.product(q, turn)


class ProductOfMatrices(RotationMatrix):
    """The same."""

    def step(self, q, delta):
        return (self.turn(q) @ so3.exp(delta)).ravel()


class ByProductsAlone(rm.Spherical):
    """A ball joint whose steps are products of rounded numbers."""

    elements = {"quaternion": ProductOfQuaternions(), "matrix": ProductOfMatrices()}  # noqa: RUF012


class NeverLedBall(rm.Spherical):
    """Traced anew."""


class NeverLedFree(rm.Free):
    """Traced anew."""


def farthest(name: str, integrator: str, steps: int) -> tuple[float, float]:
    """From the group, and of R'R from 1, in ten samples of a run: a pendulum that spins, or a body that tumbles as it flies."""
    joint, ball = JOINTS[name], name.startswith("ball")
    scene = rm.Scene(gravity=(0, 0, -9.81 if ball else 0.0))
    damping = 1e-3 * ball * (integrator == "forward-euler")  # which gains energy
    spin = np.array([3.1, -2.3, 1.7, 0.1, 0.2, -0.1])[: joint.dof]
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1.0), joint=joint, com=(0, 0, -0.2 if ball else 0.0), damping=damping, qdot=spin)
    whole = steps * STEP
    how = {"dt": whole / 10, "rtol": 1e-6} if integrator == "adaptive" else {"dt": STEP, "every": steps // 10}
    return off_and_crooked(joint, rm.simulate(scene, duration=whole, integrator=integrator, progress=False, **how).q)


def off_and_crooked(joint: rm.Joint, q: np.ndarray) -> tuple[float, float]:
    R = joint.pose(q)[..., :3, :3]
    return float(joint.off(q).max()), float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max())


def spun(joint: rm.Joint, integrator: str, steps: int, spins: list = SPINS) -> np.ndarray:
    """(samples, spins, nq): constant spins, from many starts, which repeat their roundings, side by side."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=joint)
    q = np.array([np.ravel(placed(joint, start)) for *_, start in spins])
    qdot = np.zeros((len(spins), joint.dof))
    qdot[:, :3] = [rate * np.array(axis) / np.linalg.norm(axis) for rate, axis, _ in spins]
    how = {"integrator": integrator, "every": steps // 4, "progress": False}
    return rm.simulate(scene, steps * STEP, STEP, initial=rm.State(0.0, q, qdot), **how).q


def placed(joint: rm.Joint, start: tuple[float, ...]) -> np.ndarray:
    return np.asarray(joint.coordinates(start) if joint.dof == 3 else joint.coordinates(start, (1.0, -20.0, 3.0)))


@pytest.mark.parametrize(("integrator", "name"), [(m, FORMS[k % len(FORMS)]) for k, m in enumerate(METHODS)])
def test_every_method_keeps_the_group(integrator: str, name: str) -> None:
    """To what a random walk of 30,000 roundings may be."""
    off, crooked = farthest(name, integrator, 30_000)
    assert off < 2e-13
    assert crooked < (1e-15 if "quaternion" in name else 2e-13)


@pytest.mark.long
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("integrator", METHODS)
def test_a_million_steps_of_every_method_keep_the_group(integrator: str, name: str) -> None:
    off, crooked = farthest(name, integrator, 1_000_000)
    assert off < ASKED
    assert crooked < 1e-15 if "quaternion" in name else crooked < ASKED


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long) if n in ("free quaternion", "free matrix") else n for n in FORMS])
def test_a_million_equal_steps_keep_the_group(name: str) -> None:
    """Slow and fast, by simple parts of a turn, about axes along coordinates and others: whatever rounding there is repeats itself."""
    off, crooked = off_and_crooked(JOINTS[name], spun(JOINTS[name], "mk2", 1_000_000))
    assert 1e-15 < off < ASKED
    assert crooked < (1e-15 if "quaternion" in name else ASKED)


@pytest.mark.long
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("integrator", ["mk4", "cg3", "cf4", "rk4", "euler", "implicit", "rattle", "energy-momentum", "lie-poisson",
                                        "newmark-lie", "midpoint-lie", "coadjoint"])  # fmt: skip
def test_a_million_equal_steps_of_other_methods(integrator: str, name: str) -> None:
    """Those that rattle and its like can turn in one step."""
    slow = [spin for spin in SPINS if spin[0] < 1000.0]
    off, crooked = off_and_crooked(JOINTS[name], spun(JOINTS[name], integrator, 1_000_000, slow))
    assert off < ASKED
    assert crooked < (1e-15 if "quaternion" in name else ASKED)


@pytest.mark.parametrize("form", ["quaternion", "matrix"])
def test_products_alone_add_up_what_repeats(form: str) -> None:
    """Which is why steps are more than that."""
    off, _ = off_and_crooked(ByProductsAlone(form), spun(ByProductsAlone(form), "mk2", 300_000, SPINS[::3]))
    assert 1e-11 < off < 1e-9


@pytest.mark.parametrize("name", FORMS)
def test_no_state_is_led_to_its_group(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What leads back a state that is given off its group takes no part: where it never does, runs are the same to the last bit."""
    usual = JOINTS[name]
    monkeypatch.setattr(long_products, "OFF", 1e9)
    never = NeverLedBall(usual.form) if usual.dof == 3 else NeverLedFree(usual.form)
    off = 1.0 + 1e-7 * np.ones(usual.nq)
    assert usual.off(np.asarray(never.retract(usual.home * off, np.zeros(usual.dof)))) > 5e-8
    without = spun(never, "mk2", 30_000)
    monkeypatch.undo()
    assert usual.off(np.asarray(usual.retract(usual.home * off, np.zeros(usual.dof)))) < 1e-13
    np.testing.assert_array_equal(spun(usual, "mk2", 30_000), without)


def test_what_does_not_move_stays() -> None:
    """To the last bit, wherever it is."""
    for name in FORMS:
        q = spun(JOINTS[name], "mk2", 1000, [(0.0, AXES[0], start) for start in STARTS])
        np.testing.assert_array_equal(q, np.broadcast_to(q[0], q.shape))


def test_a_quaternion_of_any_length_is_a_rotation() -> None:
    """R divides by |q|^2: in floats, and compiled, where the body's pose is R."""
    rng, scene = np.random.default_rng(0), rm.Scene()
    q = rng.normal(size=(20_000, 4)) * 10.0 ** rng.uniform(-6, 6, (20_000, 1))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Spherical("quaternion"))
    seen = rm.Dynamics(scene).observe(q, np.zeros((len(q), 3)))
    for R in (np.asarray(so3.from_quaternion(q), float), seen.pose[:, 0, :3, :3]):
        assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() < 1e-15
        assert np.abs(np.linalg.det(R) - 1).max() < 2e-15
